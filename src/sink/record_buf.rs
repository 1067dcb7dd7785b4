use crate::record::HeadersBuf;
use crate::row::RowBuf;
use crate::wire::{Buffer, GiveBack, Rarely};

/// The scratch of an encoder, and the owner of the record that it lends.
///
/// Reused from row to row; it allocates only while it grows to the largest record seen. Of what it holds beyond a MiB it
/// gives back, within 8 rows, what is eight times more than a row needs.
#[derive(Clone, Debug, Default)]
pub struct RecordBuf {
    pub(super) key: Buffer,
    pub(super) value: Buffer,
    pub(super) headers: HeadersBuf,
    pub(super) topic: String,
    /// Metadata that are cast.
    pub(super) scratch: RowBuf,
    look: Rarely,
}

impl RecordBuf {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        if self.look.is_due() {
            self.give_back();
        }
        self.key.clear();
        self.value.clear();
        self.headers.clear();
        self.topic.clear();
    }

    #[cold]
    fn give_back(&mut self) {
        self.key.give_back();
        self.value.give_back();
        self.headers.give_back();
        self.topic.give_back();
        self.scratch.give_back();
    }
}
