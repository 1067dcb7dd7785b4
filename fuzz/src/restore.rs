use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::{Retractions, VersionedTable};
use upsert_kafka::state::MemoryStore;
use upsert_kafka::table::BufferFlush;
use upsert_kafka::{ChangelogNormalizer, Datum, RowBuf};

use super::snapshot_restore::{Stage, snapshot};
use super::stages::KINDS;

/// Any bytes are a snapshot or an error; what they restore goes on working, or says what it cannot read.
pub fn restore(data: &[u8]) {
    store(data);
    stage(data, normalizer);
    stage(data, digests);
    stage(data, materializer);
    stage(data, reduce_buffer);
    stage(data, versioned_table);
}

/// What each of them writes of a few rows, by name: the corpus has them.
pub fn snapshots() -> [(&'static str, Vec<u8>); 6] {
    let mut normalizer_with_store = ChangelogNormalizer::new(2, &[0]);
    write_rows(&mut normalizer_with_store);
    [
        ("store", snapshot(|out| normalizer_with_store.store().snapshot(out))),
        ("normalizer", written(normalizer())),
        ("digests", written(digests())),
        ("materializer", written(materializer())),
        ("reduce_buffer", written(reduce_buffer())),
        ("versioned_table", written(versioned_table())),
    ]
}

fn normalizer() -> ChangelogNormalizer {
    ChangelogNormalizer::new(2, &[0]).with_bundle(4)
}

fn digests() -> ChangelogNormalizer {
    normalizer().with_retractions(Retractions::KeyedDeletes)
}

fn materializer() -> UpsertMaterializer {
    UpsertMaterializer::new(2, &[0])
}

fn reduce_buffer() -> ReduceBuffer {
    ReduceBuffer::new(2, &[0], BufferFlush { max_rows: 10, interval_ms: 1000 }, 0)
}

fn versioned_table() -> VersionedTable {
    VersionedTable::new(2, &[0])
}

fn row(key: i32, value: Datum<'_>) -> RowBuf {
    [Datum::Int(key), value].into_iter().collect()
}

fn write_rows(stage: &mut impl Stage) {
    let values = [Datum::String("a"), Datum::Null, Datum::String("a longer text"), Datum::Int(7)];
    for (key, value) in (1..).zip(values) {
        stage.apply(KINDS[0], &row(key, value), 3);
    }
    for kind in KINDS {
        stage.apply(kind, &row(1, Datum::String("b")), 7);
    }
    stage.apply(KINDS[0], &row(5, Datum::Null), 8);
}

fn written(mut stage: impl Stage) -> Vec<u8> {
    write_rows(&mut stage);
    stage.snapshot()
}

fn stage<S: Stage>(data: &[u8], new: impl Fn() -> S) {
    let mut stage = new();
    let before = stage.snapshot();
    if stage.restore(data).is_err() {
        assert_eq!(stage.snapshot(), before, "as it was");
        return;
    }
    let written = stage.snapshot();
    let mut again = new();
    again.restore(&written).expect("our own");
    assert_eq!(again.snapshot(), written);
    for (kind, now_ms) in KINDS.into_iter().zip([0, i64::MIN, i64::MAX, 1]) {
        stage.apply(kind, &row(1, Datum::String("a")), now_ms);
    }
    stage.drain();
}

fn store(data: &[u8]) {
    let mut store = MemoryStore::new();
    if store.restore(data).is_err() {
        assert!(store.is_empty(), "a store that was not restored");
        return;
    }
    let written = snapshot(|out| store.snapshot(out));
    let mut again = MemoryStore::new();
    again.restore(&written).expect("our own");
    assert_eq!(snapshot(|out| again.snapshot(out)), written);
    let row = row(1, Datum::String("a"));
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_store(store.clone());
    for kind in KINDS {
        let _ = normalizer.apply(kind, &row, 0);
        for (key, _) in store.iter() {
            let _ = normalizer.apply_keyed(key, kind, &row, 0);
        }
    }
    normalizer.remove_expired(0);
    let mut materializer = materializer().with_store(store);
    for kind in KINDS {
        let _ = materializer.apply(kind, &row, 0);
    }
}
