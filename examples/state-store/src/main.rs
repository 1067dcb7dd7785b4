//! A normalizer whose state is in a database, measured.
//!
//! ```text
//! cargo run --release --manifest-path examples/state-store/Cargo.toml -- FOLDER [KEYS]
//! ```
//!
//! Each key is inserted, then half of them are updated in a scattered order, and as many are sent as they are. State and
//! offset are committed together whenever 100 000 keys have changed. Prints nanoseconds a row, and bytes a key on the disk and in
//! memory.

use std::error::Error;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

use upsert_kafka::{ChangelogNormalizer, Datum, Row, RowKind};

mod redb_store;

use redb_store::RedbStore;

const KEYS_PER_COMMIT: usize = 100_000;
const CACHE_BYTES: usize = 256 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder for the database")?;
    let keys: i64 = arguments.next().map_or(Ok(1_000_000), |keys| keys.parse())?;
    let path = Path::new(&folder).join("state.redb");
    if path.exists() {
        return Err(format!("{} is there already", path.display()).into());
    }
    let mut normalizer = normalizer(RedbStore::open(&path, CACHE_BYTES)?);
    let mut offset = 0;
    // A prime that does not divide the number of keys visits them all, each once, far from the one before.
    let scattered = |n: i64| n.wrapping_mul(1_000_003).rem_euclid(keys);
    for (name, count, version) in [("insert", keys, 0), ("update", keys / 2, 1), ("as it is", keys / 2, 1)] {
        let (start, mut changes) = (Instant::now(), 0);
        for n in 0..count {
            changes += normalizer.apply(RowKind::UpdateAfter, &Order::new(scattered(n), version), 0)?.len();
            offset += 1;
            if normalizer.store().changed() >= KEYS_PER_COMMIT {
                normalizer.store_mut().commit([(0, offset)])?;
            }
        }
        normalizer.store_mut().commit([(0, offset)])?;
        let nanos = start.elapsed().as_nanos() / u128::try_from(count.max(1))?;
        println!("{name}: {count} rows, {changes} changes, {nanos} ns a row");
    }
    let bytes = i64::try_from(fs::metadata(&path)?.len())?;
    assert_eq!(normalizer.store().offset(0)?, Some(offset));
    println!("{} bytes a key on the disk; memory: {}", bytes / keys.max(1), peak_memory());
    Ok(())
}

fn normalizer(store: RedbStore) -> ChangelogNormalizer<RedbStore> {
    ChangelogNormalizer::new(4, &[0]).with_store(store)
}

struct Order {
    id: i64,
    customer: String,
    version: i32,
}

impl Order {
    fn new(id: i64, version: i32) -> Self {
        Self { id, customer: format!("customer-{:06}", id * 31 % 10_007), version }
    }
}

impl Row for Order {
    fn datum(&self, column: usize) -> Datum<'_> {
        match column {
            0 => Datum::BigInt(self.id),
            1 => Datum::String(&self.customer),
            2 => Datum::Int(self.version),
            _ => Datum::Double(0.37),
        }
    }
}

/// The most that the process took, as Linux tells it.
fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |peak| peak.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use upsert_kafka::state::{MemoryStore, StateStore};

    use super::*;

    #[test]
    fn after_the_process_state_and_offset_are_those_of_the_last_commit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.redb");
        let mut first = normalizer(RedbStore::open(&path, 1 << 20).expect("a database"));
        assert_eq!(first.store().offset(0).expect("it answers"), None);
        let apply = |normalizer: &mut ChangelogNormalizer<RedbStore>, kind, version| {
            let changes = normalizer.apply(kind, &Order::new(1, version), 0).expect("it works");
            changes
                .map(|(kind, row)| (kind, row.datum(2).is_null(), format!("{:?}", row.datum(2))))
                .collect::<Vec<_>>()
        };
        apply(&mut first, RowKind::Insert, 7);
        first.store_mut().commit([(0, 1)]).expect("it commits");
        apply(&mut first, RowKind::UpdateAfter, 8); // lost with the process
        assert_eq!(first.store().changed(), 1);
        drop(first);
        let mut second = normalizer(RedbStore::open(&path, 1 << 20).expect("a database"));
        assert_eq!(second.store().offset(0).expect("it answers"), Some(1));
        let again = apply(&mut second, RowKind::UpdateAfter, 8);
        assert_eq!(again[0], (RowKind::UpdateBefore, false, "Int(7)".to_owned()));
        assert_eq!(again[1].0, RowKind::UpdateAfter);
    }

    #[test]
    fn it_is_the_map_that_the_store_in_memory_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = RedbStore::open(&folder.path().join("state.redb"), 1 << 20).expect("a database");
        let mut model = MemoryStore::new();
        let mut state = 7_u32;
        for step in 0..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [key, value, act, _] = state.to_be_bytes();
            let key = [key % 16];
            match act % 4 {
                0 => {
                    store.remove(&key).expect("it removes");
                    model.remove(&key).expect("it removes");
                }
                1 | 2 => {
                    store.put(&key, &[value]).expect("it puts");
                    model.put(&key, &[value]).expect("it puts");
                }
                _ if step % 50 == 3 => store.commit([]).expect("it commits"),
                _ => {}
            }
            let (mut found, mut expected) = (vec![1], Vec::new());
            let is_there = model.get(&key, &mut expected).expect("it answers");
            assert_eq!((store.get(&key, &mut found).expect("it answers"), found), (is_there, expected));
        }
    }
}
