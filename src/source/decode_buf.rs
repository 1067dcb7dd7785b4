use crate::format::Scratch;
use crate::row::{ChangelogBuf, RowBuf, RowKind};

/// The scratch of a decoder, and the owner of the rows that it decodes.
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

    /// The rows of the record that was decoded last: 0, 1, 2 or more.
    #[must_use]
    pub fn rows(&self) -> &ChangelogBuf {
        &self.rows
    }

    /// [`rows`](Self::rows), one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (RowKind, &RowBuf)> {
        self.rows.iter()
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.keys.clear();
    }
}
