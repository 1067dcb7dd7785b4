//! Limits on what bytes of others make readers do. Java has none.

use crate::row::RowBudget;

/// How much a batch of unknown origin may ask for, and a record of it.
///
/// [`RecordBatches`](super::RecordBatches) heeds those of a batch, [`Decoder`](crate::Decoder) those of its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The bytes that the records of a batch decompress to: 64 MiB by default.
    pub max_decompressed_bytes: usize,
    /// The records of a batch: by default as many as its bytes can hold.
    pub max_records: usize,
    /// The headers of a record: by default as many as its bytes can hold.
    pub max_headers: usize,
    /// The rows that a record decodes to, those of its key times those of its value included: 1 048 576 by default.
    pub max_rows: usize,
    /// The memory that the rows of a key, of a value and of both together may each take: 64 MiB by default. A value takes
    /// 32 bytes and those of its text, a row some 128 bytes more.
    pub max_row_bytes: usize,
}

impl Limits {
    /// The same limits with another for the bytes that a batch decompresses to.
    #[must_use]
    pub fn with_max_decompressed_bytes(mut self, bytes: usize) -> Self {
        self.max_decompressed_bytes = bytes;
        self
    }

    /// The same limits with another for the records of a batch.
    #[must_use]
    pub fn with_max_records(mut self, records: usize) -> Self {
        self.max_records = records;
        self
    }

    /// The same limits with another for the headers of a record.
    #[must_use]
    pub fn with_max_headers(mut self, headers: usize) -> Self {
        self.max_headers = headers;
        self
    }

    /// The same limits with another for the rows of a record.
    #[must_use]
    pub fn with_max_rows(mut self, rows: usize) -> Self {
        self.max_rows = rows;
        self
    }

    /// The same limits with another for the memory that the rows of a record take.
    #[must_use]
    pub fn with_max_row_bytes(mut self, bytes: usize) -> Self {
        self.max_row_bytes = bytes;
        self
    }

    /// What a record may become, to be counted.
    pub(crate) fn row_budget(self) -> RowBudget {
        RowBudget::new(self.max_rows, self.max_row_bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_decompressed_bytes: 64 << 20,
            max_records: usize::MAX,
            max_headers: usize::MAX,
            max_rows: 1 << 20,
            max_row_bytes: 64 << 20,
        }
    }
}
