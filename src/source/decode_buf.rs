use crate::format::Scratch;
use crate::row::ChangelogBuf;

/// The scratch of a decoder, and the owner of the rows that it lends.
///
/// Reused from record to record; it allocates only while it grows to the largest record seen. Of what it holds beyond a
/// MiB it gives back what a record has needed more than eight times as much as the next one.
#[derive(Clone, Debug, Default)]
pub struct DecodeBuf {
    pub(super) rows: ChangelogBuf,
    /// The rows that the key holds, as wide as the table's.
    pub(super) keys: ChangelogBuf,
    /// Rows times keys, where a key holds several.
    pub(super) product: ChangelogBuf,
    pub(super) scratch: Scratch,
}

impl DecodeBuf {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear_and_give_back();
        self.keys.clear_and_give_back();
        self.product.clear_and_give_back();
        self.scratch.give_back();
    }
}
