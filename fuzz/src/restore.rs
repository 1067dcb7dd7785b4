use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::VersionedTable;
use upsert_kafka::state::MemoryStore;
use upsert_kafka::table::BufferFlush;
use upsert_kafka::{ChangelogNormalizer, Datum, Error, Row, RowKind};

/// Any bytes are a snapshot or an error; what they restore goes on working, or says what it cannot read.
pub fn restore(data: &[u8]) {
    store(data);
    normalizer(data);
    versioned_table(data);
    reduce_buffer(data);
}

const ROW: [Datum<'_>; 2] = [Datum::Int(1), Datum::String("a")];
const KINDS: [RowKind; 3] = [RowKind::Insert, RowKind::UpdateAfter, RowKind::Delete];

/// The snapshot that something writes of itself.
fn snapshot(write: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>) -> Vec<u8> {
    let mut snapshot = Vec::new();
    write(&mut snapshot).expect("nested no deeper than what was read");
    snapshot
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
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_store(store.clone());
    for kind in KINDS {
        let _ = normalizer.apply(kind, &ROW, 0);
        for (key, _) in store.iter() {
            let _ = normalizer.apply_keyed(key, kind, &ROW, 0);
        }
    }
    normalizer.remove_expired(0);
    let mut materializer = UpsertMaterializer::new(2, &[0]).with_store(store);
    for kind in KINDS {
        let _ = materializer.apply(kind, &ROW, 0);
    }
}

fn normalizer(data: &[u8]) {
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_bundle(4);
    if normalizer.restore(data).is_err() {
        assert_eq!((normalizer.len(), normalizer.bundle_len()), (0, 0), "a normalizer that was not restored");
        return;
    }
    let written = snapshot(|out| normalizer.snapshot(out));
    let mut again = ChangelogNormalizer::new(2, &[0]).with_bundle(4);
    again.restore(&written).expect("our own");
    assert_eq!(snapshot(|out| again.snapshot(out)), written);
    for kind in KINDS {
        let _ = normalizer.apply(kind, &ROW, 0);
    }
    let _ = normalizer.flush(0);
}

fn versioned_table(data: &[u8]) {
    let mut table = VersionedTable::new(2, &[0]);
    if table.restore(data).is_err() {
        assert!(table.is_empty(), "a table that was not restored");
        return;
    }
    let written = snapshot(|out| table.snapshot(out));
    let mut again = VersionedTable::new(2, &[0]);
    again.restore(&written).expect("our own");
    assert_eq!(snapshot(|out| again.snapshot(out)), written);
    for (kind, time) in KINDS.into_iter().zip([0, i64::MIN, i64::MAX]) {
        table.apply(kind, &ROW, time).expect("a flat key");
        let _ = table.as_of(&ROW[..1], time);
    }
    table.advance_watermark(i64::MAX);
    table.clean_up();
}

fn reduce_buffer(data: &[u8]) {
    let buffer = || ReduceBuffer::new(2, &[0], BufferFlush { max_rows: 10, interval_ms: 1000 }, 0);
    let mut restored = buffer();
    if restored.restore(data).is_err() {
        assert!(restored.is_empty(), "a buffer that was not restored");
        return;
    }
    let written = snapshot(|out| restored.snapshot(out));
    let mut again = buffer();
    again.restore(&written).expect("our own");
    assert_eq!(snapshot(|out| again.snapshot(out)), written);
    let flushed = restored.apply(RowKind::Insert, &ROW, 0).expect("a flat key");
    let mut count = flushed.filter(|(_, row)| row.datum(0).is_null()).count();
    count += restored.flush(0).filter(|(_, row)| row.datum(0).is_null()).count();
    assert!(count < data.len() && restored.is_empty());
}
