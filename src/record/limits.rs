//! What a reader of batches lets others make it do. Java has no such limits.

/// How much a batch of unknown origin may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The bytes that the records of a batch decompress to: 64 MiB by default.
    pub max_decompressed_bytes: usize,
    /// The records of a batch: by default as many as its bytes can hold.
    pub max_records: usize,
    /// The headers of a record: by default as many as its bytes can hold.
    pub max_headers: usize,
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_decompressed_bytes: 64 << 20, max_records: usize::MAX, max_headers: usize::MAX }
    }
}
