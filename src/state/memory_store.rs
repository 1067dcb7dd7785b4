use std::fmt;
use std::hash::BuildHasher;
use std::io::Write;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::StateStore;
use super::arena::{Arena, Place};
use super::framing::{put_bytes, put_len, take_bytes, take_len, write_all};
use crate::error::{Error, ErrorKind};
use crate::wire::Cursor;

/// A [`StateStore`] in memory: a hash table of byte strings.
///
/// A key takes its bytes and those of its value, two lengths and 6 to 12 bytes of the table: with a digest for a value at
/// most 40 bytes for a key of one BIGINT. Removed entries leave their places to those of the same size that come, so
/// that a set of keys of stable size is updated, deleted and written anew without allocating.
///
/// The table grows in parts: with ten million keys one put moves at most one in ninety of them.
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
    /// None as long as nothing was put.
    parts: Vec<Part>,
    hasher: RandomState,
    len: usize,
    size_in_bytes: usize,
}

/// The entries of some hashes.
#[derive(Clone, Default)]
struct Part {
    table: HashTable<Place>,
    arena: Arena,
}

/// How many parts there are.
const PARTS: usize = 128;

/// The part of a hash. The last one gets twice as many keys as the first, and those between grow evenly: tables double,
/// and parts of one size would all double at once, and be half empty at once.
#[inline]
fn part_of(hash: u64) -> usize {
    // Neither the bits that the table places by nor those that it compares.
    PART_OF[(hash >> 40) as usize % PART_OF.len()].into()
}

/// `PARTS * log2(1 + slot / 1024)`, by repeated squaring.
static PART_OF: [u8; 1024] = {
    const ONE: u64 = 1 << 31;
    let mut parts = [0; 1024];
    let mut slot = 0;
    while slot < 1024 {
        let (mut part, mut number) = (0, ONE + slot as u64 * (ONE / 1024));
        let mut bit = 1;
        while bit < PARTS {
            number = (number * number) / ONE;
            part *= 2;
            if number >= 2 * ONE {
                number /= 2;
                part += 1;
            }
            bit *= 2;
        }
        parts[slot] = part;
        slot += 1;
    }
    parts
};

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
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What the keys and their values take.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.size_in_bytes
    }

    /// The keys and their values, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.parts.iter().flat_map(|part| part.table.iter().map(|place| part.arena.get(*place)))
    }

    /// Removes the entries for which `keep` says no.
    pub fn retain(&mut self, mut keep: impl FnMut(&[u8], &[u8]) -> bool) {
        for Part { table, arena } in &mut self.parts {
            table.retain(|place| {
                let (key, value) = arena.get(*place);
                let kept = keep(key, value);
                if !kept {
                    self.len -= 1;
                    self.size_in_bytes -= key.len() + value.len();
                    arena.remove(*place);
                }
                kept
            });
        }
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
        *self = take_entries(&mut cursor).ok_or_else(|| {
            Error::new(ErrorKind::State, "the bytes are not a snapshot of a state store")
                .with_offset(cursor.position())
        })?;
        Ok(())
    }
}

impl StateStore for MemoryStore {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        value.clear();
        let hash = self.hasher.hash_one(key);
        let Some(Part { table, arena }) = self.parts.get(part_of(hash)) else { return Ok(false) };
        let mut found = &[][..];
        let place = table.find(hash, |place| {
            let (own_key, own_value) = arena.get(*place);
            found = own_value;
            own_key == key
        });
        Ok(place.map(|_| value.extend_from_slice(found)).is_some())
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let hash = self.hasher.hash_one(key);
        if self.parts.is_empty() {
            self.parts.resize_with(PARTS, Part::default);
        }
        let part = part_of(hash);
        let Part { table, arena } = &mut self.parts[part];
        if let Some(place) = table.find_mut(hash, |place| arena.get(*place).0 == key) {
            let (old_len, is_replaced) = arena.replace(*place, value);
            if !is_replaced {
                let moved = arena.insert(key, value).ok_or_else(full)?;
                arena.remove(std::mem::replace(place, moved));
            }
            self.size_in_bytes = self.size_in_bytes - old_len + value.len();
        } else {
            let place = arena.insert(key, value).ok_or_else(full)?;
            table.insert_unique(hash, place, |place| self.hasher.hash_one(arena.get(*place).0));
            self.size_in_bytes += key.len() + value.len();
            self.len += 1;
        }
        Ok(())
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        let hash = self.hasher.hash_one(key);
        let part = part_of(hash);
        let Some(Part { table, arena }) = self.parts.get_mut(part) else { return Ok(()) };
        if let Ok(entry) = table.find_entry(hash, |place| arena.get(*place).0 == key) {
            let (place, _) = entry.remove();
            let (key, value) = arena.get(place);
            self.size_in_bytes -= key.len() + value.len();
            self.len -= 1;
            arena.remove(place);
        }
        Ok(())
    }
}

#[cold]
fn full() -> Error {
    Error::new(ErrorKind::Limit, "a state store in memory holds no more than 8 million large values")
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Reads a snapshot to its end.
pub(super) fn take_entries(cursor: &mut Cursor<'_>) -> Option<MemoryStore> {
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

    #[test]
    fn a_digest_under_a_bigint_takes_40_bytes_at_most() {
        let mut store = MemoryStore::new();
        for n in 0..1_000_000_u64 {
            store.put(&[&[7][..], &n.to_le_bytes()].concat(), &[0; 16]).unwrap();
            // Also just after the parts have grown, all of them at about the same time.
            if n >= 100_000 && n.is_multiple_of(50_000) {
                let parts = store.parts.iter();
                let taken: usize =
                    parts.map(|part| part.table.allocation_size() + part.arena.size_in_bytes()).sum();
                let keys = usize::try_from(n + 1).unwrap();
                assert!(taken <= 40 * keys, "{n}: {} bytes a key", taken as f64 / keys as f64);
            }
        }
    }

    #[test]
    fn one_put_moves_a_small_part_of_the_keys() {
        let mut store = MemoryStore::new();
        (0..100_000_u32).for_each(|n| store.put(&n.to_le_bytes(), b"").unwrap());
        let largest = store.parts.iter().map(|part| part.table.len()).max();
        assert!(largest < Some(2 * 100_000 / PARTS), "{largest:?}");
    }

    proptest! {
        /// `None` removes, `Some` puts, but of the last key it keeps what is no longer; the model is the standard library's
        /// map.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0_u8..7, any::<Option<Vec<u8>>>()), 0..60)) {
            let mut store = MemoryStore::new();
            let mut model: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
            for (key, value) in steps {
                match value {
                    Some(longest) if key == 6 => {
                        store.retain(|_, value| value.len() <= longest.len());
                        model.retain(|_, value| value.len() <= longest.len());
                    }
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
