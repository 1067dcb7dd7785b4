use upsert_kafka::{
    BufferFlush, ChangelogBuf, ChangelogNormalizer, Datum, DeleteTime, MemoryStore, ReduceBuffer, Row,
    RowKind, UpsertMaterializer, VersionedTable,
};

/// Any bytes are a snapshot or an error; what they restore goes on working, or says what it cannot read.
pub fn restore(data: &[u8]) {
    store(data);
    versioned_table(data);
    reduce_buffer(data);
}

const ROW: [Datum<'_>; 2] = [Datum::Int(1), Datum::String("a")];
const KINDS: [RowKind; 3] = [RowKind::Insert, RowKind::UpdateAfter, RowKind::Delete];

fn store(data: &[u8]) {
    let Ok(store) = MemoryStore::restore(data) else { return };
    let snapshot = store.snapshot();
    assert_eq!(MemoryStore::restore(&snapshot).expect("our own").snapshot(), snapshot);
    let mut out = ChangelogBuf::new();
    let mut normalizer = ChangelogNormalizer::with_store(2, &[0], store.clone());
    for kind in KINDS {
        let _ = normalizer.apply(kind, &ROW, 0, &mut out);
        for (key, _) in store.iter() {
            let _ = normalizer.apply_keyed(key, kind, &ROW, 0, &mut out);
        }
    }
    normalizer.remove_expired(0);
    let mut materializer = UpsertMaterializer::with_store(2, &[0], store);
    for kind in KINDS {
        let _ = materializer.apply(kind, &ROW, &mut out);
    }
}

fn versioned_table(data: &[u8]) {
    let mut table = VersionedTable::new(2, &[0], DeleteTime::PreviousRow);
    if table.restore(data).is_err() {
        assert_eq!(table.versions(), 0, "a table that was not restored");
        return;
    }
    let snapshot = table.snapshot().expect("nested no deeper than what was read");
    let mut again = VersionedTable::new(2, &[0], DeleteTime::PreviousRow);
    again.restore(&snapshot).expect("our own");
    assert_eq!(again.snapshot().expect("the same"), snapshot);
    for (kind, time) in KINDS.into_iter().zip([0, i64::MIN, i64::MAX]) {
        table.apply(kind, &ROW, time).expect("a flat key");
        let _ = table.as_of(&ROW[..1], time);
    }
    table.advance_watermark(i64::MAX);
    table.clean_up();
}

fn reduce_buffer(data: &[u8]) {
    let mut buffer = ReduceBuffer::new(2, BufferFlush { max_rows: 10, interval_ms: 1000 }, 0);
    if buffer.restore(data).is_err() {
        assert!(buffer.is_empty(), "a buffer that was not restored");
        return;
    }
    let snapshot = buffer.snapshot().expect("nested no deeper than what was read");
    let mut again = ReduceBuffer::new(2, BufferFlush { max_rows: 10, interval_ms: 1000 }, 0);
    again.restore(&snapshot).expect("our own");
    assert_eq!(again.snapshot().expect("the same"), snapshot);
    buffer.put(b"k", RowKind::Insert, &ROW, None);
    let mut count = 0;
    let drained: Result<(), ()> = buffer.drain(0, |reduced| {
        count += usize::from(reduced.row.datum(0).is_null());
        Ok(())
    });
    assert!(drained.is_ok() && buffer.is_empty());
}
