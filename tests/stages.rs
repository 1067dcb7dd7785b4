//! Stages as their tables make them.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

use upsert_kafka::error::Part;
use upsert_kafka::state::Changes;
use upsert_kafka::{Datum, ErrorKind, RecordBuf, RowKind, Settings, Table, UpdateBefore};

const UPSERT: &str = "CREATE TABLE t (v STRING, k INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = \
     'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b', 'key.format' = 'json', 'value.format' = 'json')";

const LOG: &str = "CREATE TABLE t (v STRING, k INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json', \
     'properties.bootstrap.servers' = 'b', 'scan.startup.mode' = 'earliest-offset')";

fn table(ddl: &str) -> Table {
    Table::from_ddl(ddl).unwrap()
}

fn row(value: &str) -> [Datum<'_>; 2] {
    [Datum::String(value), Datum::Int(1)]
}

fn shown(changes: Changes<'_>) -> Vec<String> {
    changes.map(|(kind, row)| format!("{kind} {row:?}")).collect()
}

#[test]
fn a_stage_knows_the_tables_columns_and_its_key() {
    let (table, settings) = (table(UPSERT), Settings::default());
    let mut normalizer = table.source(&settings).unwrap().normalizer();
    let mut materializer = table.sink(&settings).unwrap().materializer().unwrap();
    let mut versions = table.source(&settings).unwrap().versioned_table().unwrap();
    for kind in [RowKind::Insert, RowKind::Delete] {
        let expected = format!(r#"{kind} [String("a"), Int(1)]"#);
        assert_eq!(shown(normalizer.apply(kind, &row("a"), 0).unwrap()).concat(), expected);
        assert_eq!(shown(materializer.apply(kind, &row("a"), 0).unwrap()).concat(), expected);
    }
    versions.apply(RowKind::Insert, &row("a"), 7).unwrap();
    assert!(versions.as_of(&[Datum::Int(1)], 7).is_some());
    let flushed = [("sink.buffer-flush.max-rows", "2"), ("sink.buffer-flush.interval", "1s")];
    let flushing = table.with_options(flushed).unwrap().sink(&settings).unwrap();
    let mut buffer = flushing.reduce_buffer(0).unwrap();
    assert_eq!(buffer.apply(RowKind::Insert, &row("a"), 0).unwrap().len(), 0);
    assert_eq!(buffer.apply(RowKind::Insert, &row("b"), 999).unwrap().len(), 0, "the same key");
    assert_eq!(shown(buffer.flush(1000)), [r#"+U [String("b"), Int(1)]"#]);
}

#[test]
fn what_a_table_does_not_ask_for_is_not_made() {
    let settings = Settings::default().with_update_before(UpdateBefore::Pairs);
    let (log, upsert) = (table(LOG).sink(&settings).unwrap(), table(UPSERT).sink(&settings).unwrap());
    assert!(log.materializer().is_none() && upsert.materializer().is_some(), "a primary key");
    assert!(log.update_pairs().is_none() && upsert.update_pairs().is_some(), "-U at an upsert sink");
    assert!(upsert.reduce_buffer(0).is_none(), "sink.buffer-flush.*");
    assert!(table(UPSERT).sink(&Settings::default()).unwrap().update_pairs().is_none());
    assert!(table(LOG).source(&settings).unwrap().versioned_table().is_none());
}

#[test]
fn the_rows_of_a_kafka_table_are_a_changelog_already() {
    let mut normalizer = table(LOG).source(&Settings::default()).unwrap().normalizer();
    for kind in RowKind::ALL {
        let expected = format!(r#"{kind} [String("a"), Int(1)]"#);
        assert_eq!(shown(normalizer.apply(kind, &row("a"), 0).unwrap()), [expected]);
    }
    assert_eq!((normalizer.flush(0).unwrap().len(), normalizer.len()), (0, 0));
}

#[test]
fn what_was_handed_out_and_left_does_not_come_again() {
    let (table, settings) = (table(UPSERT), Settings::default());
    let mut normalizer = table.source(&settings).unwrap().normalizer();
    let mut materializer = table.sink(&settings).unwrap().materializer().unwrap();
    for value in ["a", "b"] {
        let _ = normalizer.apply(RowKind::Insert, &row(value), 0).unwrap();
        let _ = materializer.apply(RowKind::Insert, &row(value), 0).unwrap();
    }
    let updated = shown(normalizer.apply(RowKind::Insert, &row("c"), 0).unwrap());
    assert_eq!(updated, [r#"-U [String("b"), Int(1)]"#, r#"+U [String("c"), Int(1)]"#]);
    assert_eq!(shown(materializer.apply(RowKind::Insert, &row("c"), 0).unwrap()), updated[1..]);
}

#[test]
fn a_table_refuses_the_kinds_that_it_does_not_take() {
    let mut buf = RecordBuf::new();
    let encoder = table(LOG).sink(&Settings::default()).unwrap().encoder();
    let unchecked = table(LOG).sink(&Settings::default().with_unchecked_kinds(true)).unwrap().encoder();
    for kind in RowKind::ALL {
        let error = encoder.encode(kind, &row("a"), &mut buf).err();
        let expected = (kind != RowKind::Insert).then_some(ErrorKind::Row);
        assert_eq!(error.map(|error| error.kind()), expected, "{kind}");
        assert!(
            unchecked.encode(kind, &row("a"), &mut buf).unwrap().is_some(),
            "{kind}: Flink's formats do not check"
        );
    }
}

#[test]
fn a_key_is_encoded_without_its_row() {
    let encoder = table(UPSERT).sink(&Settings::default()).unwrap().encoder();
    let mut buf = RecordBuf::new();
    assert_eq!(encoder.encode_key(&[Datum::Int(1)], &mut buf).unwrap(), Some(&br#"{"k":1}"#[..]));
    let error = encoder.encode_key(&[Datum::String("1")], &mut buf).unwrap_err();
    assert_eq!((error.kind(), error.part()), (ErrorKind::Row, Some(Part::Key)));
    let log = table(LOG).sink(&Settings::default()).unwrap().encoder();
    assert_eq!(log.encode_key(&[Datum::Int(1)], &mut buf).unwrap(), None, "its records have no keys");
}
