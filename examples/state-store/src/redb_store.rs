//! State in a redb database: what does not fit into memory, and survives the process.

use std::collections::BTreeMap;
use std::path::Path;

use redb::{Builder, Database, ReadOnlyTable, ReadableDatabase, TableDefinition, TableError};
use upsert_kafka::state::StateStore;
use upsert_kafka::{Error, ErrorKind};

const STATE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("state");
/// By partition the offset to be read next.
const OFFSETS: TableDefinition<'_, i32, i64> = TableDefinition::new("offsets");

/// Keys and values of a stage, on the disk as they were at the last [`commit`](Self::commit); what has changed since then is
/// in memory and looked up first.
///
/// State and offsets are of one transaction of the database: after the process has ended, wherever it was, both are those of
/// the last commit.
pub struct RedbStore {
    database: Database,
    /// The state of the last commit.
    committed: ReadOnlyTable<&'static [u8], &'static [u8]>,
    /// `None` is a key that was removed.
    changed: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl RedbStore {
    /// Opens a database, or makes one, that caches so many bytes.
    ///
    /// # Errors
    ///
    /// If the file is another one's, or cannot be read.
    pub fn open(path: &Path, cache_bytes: usize) -> Result<Self, Error> {
        let database = Builder::new().set_cache_size(cache_bytes).create(path).map_err(failed)?;
        let transaction = database.begin_write().map_err(failed)?;
        transaction.open_table(STATE).map_err(failed)?;
        transaction.open_table(OFFSETS).map_err(failed)?;
        transaction.commit().map_err(failed)?;
        let committed = committed(&database)?;
        Ok(Self { database, committed, changed: BTreeMap::new() })
    }

    /// The offset to be read next of a partition, at the last commit; `None` before there was one.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub fn offset(&self, partition: i32) -> Result<Option<i64>, Error> {
        let transaction = self.database.begin_read().map_err(failed)?;
        let offsets = transaction.open_table(OFFSETS).map_err(failed)?;
        Ok(offsets.get(partition).map_err(failed)?.map(|offset| offset.value()))
    }

    /// How many keys have changed since the last commit: what is in memory.
    pub fn changed(&self) -> usize {
        self.changed.len()
    }

    /// Writes what has changed, and the offsets with it, in the order of the keys.
    ///
    /// # Errors
    ///
    /// If the database fails; what has changed is then still here.
    pub fn commit(&mut self, offsets: impl IntoIterator<Item = (i32, i64)>) -> Result<(), Error> {
        let transaction = self.database.begin_write().map_err(failed)?;
        {
            let mut state = transaction.open_table(STATE).map_err(failed)?;
            for (key, value) in &self.changed {
                match value {
                    Some(value) => state.insert(&key[..], &value[..]).map(drop).map_err(failed)?,
                    None => state.remove(&key[..]).map(drop).map_err(failed)?,
                }
            }
            let mut table = transaction.open_table(OFFSETS).map_err(failed)?;
            for (partition, offset) in offsets {
                table.insert(partition, offset).map_err(failed)?;
            }
        }
        transaction.commit().map_err(failed)?;
        self.committed = committed(&self.database)?;
        self.changed.clear();
        Ok(())
    }
}

impl StateStore for RedbStore {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        value.clear();
        if let Some(changed) = self.changed.get(key) {
            value.extend_from_slice(changed.as_deref().unwrap_or_default());
            return Ok(changed.is_some());
        }
        let committed = self.committed.get(key).map_err(failed)?;
        Ok(committed.map(|committed| value.extend_from_slice(committed.value())).is_some())
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        match self.changed.get_mut(key) {
            Some(Some(changed)) => {
                changed.clear();
                changed.extend_from_slice(value);
            }
            Some(removed) => *removed = Some(value.to_vec()),
            None => drop(self.changed.insert(key.to_vec(), Some(value.to_vec()))),
        }
        Ok(())
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        self.changed.insert(key.to_vec(), None);
        Ok(())
    }
}

fn committed(database: &Database) -> Result<ReadOnlyTable<&'static [u8], &'static [u8]>, Error> {
    let transaction = database.begin_read().map_err(failed)?;
    transaction.open_table(STATE).map_err(|error: TableError| failed(error))
}

/// An error of the disk may pass, when there is room again; one of the file does not.
fn failed(error: impl Into<redb::Error>) -> Error {
    let error = error.into();
    let kind = match &error {
        redb::Error::Io(_) | redb::Error::PreviousIo => ErrorKind::Unavailable,
        _ => ErrorKind::Refused,
    };
    Error::new(kind, "the state's database fails").with_source(error)
}
