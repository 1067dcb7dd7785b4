//! Metadata columns of TIMESTAMP in the session's time zone, both ways.
//!
//! 1,700,000,000,123 ms is 2023-11-14 22:13:20.123 in UTC and 2023-11-15 06:13:20.123 in Shanghai, eight hours ahead: so
//! Flink's `CAST` reads and writes it with that `table.local-time-zone`.

use upsert_kafka::row::LocalTimeZone;
use upsert_kafka::{
    ConsumerRecord, Datum, DecodeBuf, Decoded, ErrorKind, RecordBuf, Row, RowKind, Settings, Table, Timestamp,
};

const RECORD_TIME: i64 = 1_700_000_000_123;
const IN_SHANGHAI: i64 = RECORD_TIME + 8 * 3_600_000;

fn zones() -> [(LocalTimeZone, i64); 3] {
    [
        (LocalTimeZone::UTC, RECORD_TIME),
        (LocalTimeZone::fixed(8 * 3600), IN_SHANGHAI),
        (LocalTimeZone::at(|_| 8 * 3600), IN_SHANGHAI),
    ]
}

fn table(column: &str, format: &str) -> Table {
    Table::from_ddl(&format!(
        "CREATE TABLE t (id INT, ts {column}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = '{format}',
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092')"
    ))
    .expect("a table")
}

fn read(table: &Table, zone: LocalTimeZone, value: &str) -> i64 {
    let settings = Settings::default().with_local_time_zone(zone);
    let decoder = table.source(&settings).expect("a source").decoder();
    let mut record = ConsumerRecord::new(None, Some(value.as_bytes()));
    record.timestamp = Some(RECORD_TIME);
    let mut buf = DecodeBuf::new();
    let Decoded::Rows(rows) = decoder.decode(&record, &mut buf).expect("a record") else { panic!("no row") };
    let (_, row) = rows.iter().next().expect("a row");
    match row.datum(1) {
        Datum::Timestamp(timestamp) => timestamp.millis(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_records_time_is_read_as_clocks_of_the_session_show_it() {
    for (zone, local) in zones() {
        let timestamp = table("TIMESTAMP(3) METADATA FROM 'timestamp'", "json");
        assert_eq!(read(&timestamp, zone.clone(), r#"{"id":1}"#), local, "{zone:?}");
        let instant = table("TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'", "json");
        assert_eq!(read(&instant, zone, r#"{"id":1}"#), RECORD_TIME);
    }
}

#[test]
fn a_time_of_the_format_is_read_as_clocks_of_the_session_show_it() {
    let event = format!(r#"{{"before":null,"after":{{"id":1}},"op":"c","ts_ms":{RECORD_TIME}}}"#);
    for (zone, local) in zones() {
        let key = "METADATA FROM 'value.ingestion-timestamp' VIRTUAL";
        let timestamp = table(&format!("TIMESTAMP(3) {key}"), "debezium-json");
        assert_eq!(read(&timestamp, zone.clone(), &event), local, "{zone:?}");
        let instant = table(&format!("TIMESTAMP_LTZ(3) {key}"), "debezium-json");
        assert_eq!(read(&instant, zone, &event), RECORD_TIME);
    }
}

#[test]
fn a_records_time_is_written_as_the_instant_that_clocks_show() {
    let mut buf = RecordBuf::new();
    let mut write = |column: &str, zone, millis| {
        let settings = Settings::default().with_local_time_zone(zone);
        let encoder = table(column, "json").sink(&settings).unwrap().encoder();
        let row = [Datum::Int(1), Datum::Timestamp(Timestamp::from_millis(millis))];
        encoder.encode(RowKind::Insert, &row, &mut buf).map(|record| record.unwrap().timestamp)
    };
    const LOCAL: &str = "TIMESTAMP(3) METADATA FROM 'timestamp'";
    for (zone, local) in zones() {
        assert_eq!(write(LOCAL, zone.clone(), local).unwrap(), Some(RECORD_TIME), "{zone:?}");
        let column = "TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'";
        assert_eq!(write(column, zone, RECORD_TIME).unwrap(), Some(RECORD_TIME));
    }
    // 1970-01-01 07:59 in Shanghai is before the epoch.
    let error = write(LOCAL, LocalTimeZone::fixed(8 * 3600), 7 * 3_600_000).unwrap_err();
    assert_eq!(
        (error.message(), error.kind()),
        ("Invalid timestamp: -3600000. Timestamp should always be non-negative or null.", ErrorKind::Row)
    );
}
