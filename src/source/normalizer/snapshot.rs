//! The state in memory as a whole: its size, its expiry, and how it is saved and taken back.

use std::io::Write;

use crate::error::Error;
use crate::state::{LatestRows, MemoryStore, SnapshotHeader, damaged, put_len, take_len, write_all};
use crate::wire::Cursor;

use super::{ChangelogNormalizer, Retractions, foreign_state};

impl ChangelogNormalizer<MemoryStore> {
    /// How many keys have state, expired ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether none has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// What the keys take in the state, and the rows that wait in the bundle.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.store.size_in_bytes() + self.bundle.size_in_bytes()
    }

    /// Drops the state that has expired, which otherwise stays until its key is written again.
    ///
    /// Looks at every key.
    pub fn remove_expired(&mut self, now_ms: i64) {
        self.ttl.remove_expired(&mut self.store, now_ms);
    }

    /// Writes state and bundle, for [`restore`](Self::restore), in many small writes: the same bytes for the same content.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the writer fails, with its error as the source;
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if a row of the bundle nests more than 128 deep.
    pub fn snapshot(&self, mut out: impl Write) -> Result<(), Error> {
        let mut bytes = Vec::new();
        self.header().append(&mut bytes);
        put_len(&mut bytes, self.bundled);
        write_all(&mut out, &bytes)?;
        self.bundle.snapshot(self.columns, &mut out)?;
        self.store.snapshot(out)
    }

    fn header(&self) -> SnapshotHeader<'_> {
        SnapshotHeader {
            stage: "a normalizer",
            table: self.table.as_ref(),
            columns: self.columns,
            key_columns: &self.key_columns,
            settings: match self.retractions {
                Retractions::Full | Retractions::Deletes => {
                    vec![self.ttl.setting(), ("the state", "rows".to_owned())]
                }
                Retractions::KeyedDeletes => {
                    vec![self.ttl.setting(), ("the state", format!("digests of {:?}", self.compared_columns))]
                }
            },
        }
    }

    /// Takes state and bundle of a [`snapshot`](Self::snapshot) in place of its own.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the bytes are not a snapshot of a normalizer, or not all of it; or
    /// of another table, by name, with another key or other columns, or of other [retractions](Retractions) or another use
    /// of a TTL. A table may have more columns than it had, if they are nullable: they are NULL in the rows of the
    /// snapshot, and where digests are kept none may be added. The normalizer is after an error as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let header = self.header();
        let mut cursor = Cursor::new(snapshot);
        let mut stored = header.take(&mut cursor)?;
        if self.retractions == Retractions::KeyedDeletes && !stored.are_as_they_were() {
            return Err(foreign_state()
                .with_help("the snapshot has digests of rows, which no column can be added to"));
        }
        let bundle = take_len(&mut cursor).zip(LatestRows::take(&mut cursor, &mut stored));
        let Some((bundled, bundle)) = bundle else { return Err(damaged(header.stage, &cursor)) };
        let store = stored.take_store(&mut cursor, self.ttl, Ok)?;
        (self.store, self.bundled, self.bundle) = (store, bundled, bundle);
        self.has_unsaid = false;
        Ok(())
    }
}
