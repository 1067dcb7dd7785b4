use crate::record::HeadersBuf;
use crate::wire::Buffer;

/// The scratch of an encoder, and the owner of the record that it lends.
///
/// Reused from row to row; it allocates only while it grows to the largest record seen.
#[derive(Clone, Debug, Default)]
pub struct RecordBuf {
    pub(super) key: Buffer,
    pub(super) value: Buffer,
    pub(super) headers: HeadersBuf,
    pub(super) topic: String,
}

impl RecordBuf {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.key.clear();
        self.value.clear();
        self.headers.clear();
        self.topic.clear();
    }
}
