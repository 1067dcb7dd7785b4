use crate::format::{Schemas, Scratch};
use crate::row::ChangelogBuf;
use crate::wire::{GiveBack, Rarely};

/// The scratch of a decoder, and the owner of the rows that it lends.
///
/// Reused from record to record; it allocates only while it grows to the largest record seen. Of what it holds beyond a
/// MiB it gives back, within 8 records, what is eight times more than a record needs.
#[derive(Clone, Debug, Default)]
pub struct DecodeBuf {
    pub(super) rows: ChangelogBuf,
    /// The rows that the key holds, as wide as the table's.
    pub(super) keys: ChangelogBuf,
    /// Rows times keys, where a key holds several.
    pub(super) product: ChangelogBuf,
    pub(super) scratch: Scratch,
    /// The schemas that events of Debezium have had.
    pub(super) schemas: Schemas,
    look: Rarely,
}

impl DecodeBuf {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn clear(&mut self) {
        if self.look.is_due() {
            self.give_back();
        }
        self.rows.clear();
        self.keys.clear();
        self.product.clear();
    }

    /// Keeps no memory that the last record did not need.
    #[cold]
    fn give_back(&mut self) {
        self.rows.give_back();
        self.keys.give_back();
        self.product.give_back();
        self.scratch.give_back();
    }
}
