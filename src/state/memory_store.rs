use std::fmt;
use std::hash::BuildHasher;
use std::io::Write;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::StateStore;
use super::framing::{put_bytes, put_len, take_bytes, take_len, write_all};
use crate::error::{Error, ErrorKind};
use crate::wire::Cursor;

/// A [`StateStore`] in memory: a hash table of byte strings.
///
/// 32 bytes a key and one allocation that holds the key and its value. Removed entries leave their buffers to those
/// that come, so that a set of keys of stable size is updated, deleted and written anew without allocating.
///
/// ```
/// use upsert_kafka::state::{MemoryStore, StateStore};
///
/// let mut store = MemoryStore::new();
/// store.put(b"key", b"value")?;
/// let (mut snapshot, mut restored) = (Vec::new(), MemoryStore::new());
/// store.snapshot(&mut snapshot)?;
/// restored.restore(&snapshot)?;
/// assert_eq!(restored.iter().collect::<Vec<_>>(), [(&b"key"[..], &b"value"[..])]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MemoryStore {
    table: HashTable<Entry>,
    hasher: RandomState,
    spare: Vec<Entry>,
    size_in_bytes: usize,
}

/// The key, and behind it the value.
#[derive(Clone, Default)]
struct Entry {
    bytes: Vec<u8>,
    key_len: usize,
}

/// The first bytes of a snapshot: whose it is, and in which version.
const MAGIC: &[u8; 4] = b"UKS1";

impl MemoryStore {
    /// A store without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// What the keys and their values take.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.size_in_bytes
    }

    /// The keys and their values, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.table.iter().map(|entry| (entry.key(), entry.value()))
    }

    /// Removes the entries for which `keep` says no.
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8], &[u8]) -> bool) {
        let size_in_bytes = &mut self.size_in_bytes;
        self.table.retain(|entry| {
            let kept = keep(entry.key(), entry.value());
            *size_in_bytes -= if kept { 0 } else { entry.bytes.len() };
            kept
        });
    }

    /// Writes all entries, for [`restore`](Self::restore): the same bytes for the same entries, in many small writes.
    ///
    /// Sorts the entries by key; a few bytes more than they hold.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`] if the writer fails, with its error as the source.
    pub fn snapshot(&self, mut out: impl Write) -> Result<(), Error> {
        let mut entries: Vec<_> = self.iter().collect();
        entries.sort_unstable();
        let mut bytes = MAGIC.to_vec();
        put_len(&mut bytes, entries.len());
        for (key, value) in entries {
            put_bytes(&mut bytes, key);
            put_bytes(&mut bytes, value);
            write_all(&mut out, &bytes)?;
            bytes.clear();
        }
        write_all(&mut out, &bytes)
    }

    /// Takes the entries of a [`snapshot`](Self::snapshot) in place of its own.
    ///
    /// Keys and values are taken as they are; a stage that reads a value that it did not write answers an error then.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`] if the bytes are not a snapshot of a store, or not all of it.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let mut cursor = Cursor::new(snapshot);
        *self = read_entries(&mut cursor).ok_or_else(|| {
            Error::new(ErrorKind::State, "the bytes are not a snapshot of a state store")
                .with_offset(cursor.position())
        })?;
        Ok(())
    }
}

impl StateStore for MemoryStore {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        value.clear();
        let entry = self.table.find(self.hasher.hash_one(key), |entry| entry.key() == key);
        Ok(entry.map(|entry| value.extend_from_slice(entry.value())).is_some())
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let hash = self.hasher.hash_one(key);
        if let Some(entry) = self.table.find_mut(hash, |entry| entry.key() == key) {
            self.size_in_bytes = self.size_in_bytes - entry.value().len() + value.len();
            entry.set_value(value);
        } else {
            self.size_in_bytes += key.len() + value.len();
            let mut entry = self.spare.pop().unwrap_or_default();
            entry.set_key(key);
            entry.set_value(value);
            self.table.insert_unique(hash, entry, |entry| self.hasher.hash_one(entry.key()));
        }
        Ok(())
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        let found = self.table.find_entry(self.hasher.hash_one(key), |entry| entry.key() == key);
        if let Ok(entry) = found {
            let (entry, _) = entry.remove();
            self.size_in_bytes -= entry.bytes.len();
            self.spare.push(entry);
        }
        Ok(())
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Entry {
    fn key(&self) -> &[u8] {
        &self.bytes[..self.key_len]
    }

    fn value(&self) -> &[u8] {
        &self.bytes[self.key_len..]
    }

    fn set_key(&mut self, key: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(key);
        self.key_len = key.len();
    }

    fn set_value(&mut self, value: &[u8]) {
        self.bytes.truncate(self.key_len);
        self.bytes.extend_from_slice(value);
    }
}

fn read_entries(cursor: &mut Cursor<'_>) -> Option<MemoryStore> {
    cursor.array().filter(|magic| magic == MAGIC)?;
    let mut store = MemoryStore::new();
    for _ in 0..take_len(cursor)? {
        let key = take_bytes(cursor)?;
        let value = take_bytes(cursor)?;
        store.put(key, value).ok()?;
    }
    cursor.rest().is_empty().then_some(store)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn snapshot_of(store: &MemoryStore) -> Vec<u8> {
        let mut snapshot = Vec::new();
        store.snapshot(&mut snapshot).unwrap();
        snapshot
    }

    proptest! {
        /// `None` removes, `Some` puts; the model is the standard library's map.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0_u8..6, any::<Option<Vec<u8>>>()), 0..60)) {
            let mut store = MemoryStore::new();
            let mut model = BTreeMap::new();
            for (key, value) in steps {
                match value {
                    None => {
                        store.remove(&[key]).unwrap();
                        model.remove(&key);
                    }
                    Some(value) => {
                        store.put(&[key], &value).unwrap();
                        model.insert(key, value);
                    }
                }
                let mut found = vec![1];
                for key in 0..6 {
                    prop_assert_eq!(store.get(&[key], &mut found).unwrap(), model.contains_key(&key));
                    prop_assert_eq!(&found[..], model.get(&key).map_or(&[][..], Vec::as_slice));
                }
                prop_assert_eq!(store.len(), model.len());
                let size: usize = model.values().map(|value| 1 + value.len()).sum();
                prop_assert_eq!(store.size_in_bytes(), size);
            }
            let snapshot = snapshot_of(&store);
            let mut restored = MemoryStore::new();
            restored.restore(&snapshot).unwrap();
            prop_assert_eq!(restored.size_in_bytes(), store.size_in_bytes());
            let entries: BTreeMap<_, _> = restored.iter().map(|(key, value)| (key[0], value.to_vec())).collect();
            prop_assert_eq!(entries, model);
            prop_assert_eq!(snapshot_of(&restored), snapshot);
        }

        #[test]
        fn foreign_snapshots_are_a_store_or_an_error(bytes: Vec<u8>) {
            let _ = MemoryStore::new().restore(&bytes);
            let _ = MemoryStore::new().restore(&[MAGIC, &bytes[..]].concat());
        }
    }

    #[test]
    fn a_snapshot_that_was_cut_is_refused() {
        let mut store = MemoryStore::new();
        store.put(b"k", b"v").unwrap();
        let snapshot = snapshot_of(&store);
        for len in 0..snapshot.len() {
            assert_eq!(store.restore(&snapshot[..len]).unwrap_err().kind(), ErrorKind::State);
        }
        assert!(store.restore(&[&snapshot[..], b"x"].concat()).is_err());
    }
}
