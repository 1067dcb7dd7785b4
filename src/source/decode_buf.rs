use crate::format::Scratch;
use crate::row::ChangelogBuf;

/// The scratch of a decoder, and the owner of the rows that it lends.
///
/// Reused from record to record; it allocates only while it grows to the largest record seen.
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
        self.rows.clear();
        self.keys.clear();
    }
}
