//! Metadata columns of other types than their metadata: cast as Flink 2.3's `CAST` answered, with the session's time zone
//! Asia/Shanghai.

use upsert_kafka::row::LocalTimeZone;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoded, Row, Settings, Table};

/// The column's value as Rust shows it.
fn read(column: &str, record: &ConsumerRecord<'_>) -> String {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t (id INT, m {column} VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092')"
    ))
    .expect("a table");
    let settings = Settings::default().with_local_time_zone(LocalTimeZone::fixed(8 * 3600));
    let decoder = table.source(&settings).unwrap_or_else(|error| panic!("{column}: {error}")).decoder();
    let mut buf = DecodeBuf::new();
    let Decoded::Rows(rows) = decoder.decode(record, &mut buf).expect("a record") else { panic!("no row") };
    let (_, row) = rows.iter().next().expect("a row");
    format!("{:?}", row.datum(1))
}

fn record() -> ConsumerRecord<'static> {
    let mut record = ConsumerRecord::new(None, Some(br#"{"id":1}"#)).with_topic_partition("topic-name", 7);
    record.timestamp = Some(1_717_200_000_123);
    record.with_offset(1_717_200_000_123)
}

#[test]
fn integers_are_cast_as_in_flink() {
    for (column, expected) in [
        ("STRING METADATA FROM 'offset'", r#"String("1717200000123")"#),
        ("CHAR(15) METADATA FROM 'offset'", r#"String("1717200000123  ")"#),
        ("VARCHAR(5) METADATA FROM 'offset'", r#"String("17172")"#),
        ("TINYINT METADATA FROM 'offset'", "TinyInt(123)"),
        ("SMALLINT METADATA FROM 'offset'", "SmallInt(-27525)"),
        ("INT METADATA FROM 'offset'", "Int(-786918277)"),
        ("FLOAT METADATA FROM 'offset'", "Float(1717200000000.0)"), // which Java shows as 1.71719996E12
        ("DOUBLE METADATA FROM 'offset'", "Double(1717200000123.0)"),
        ("DECIMAL(20, 2) METADATA FROM 'offset'", "Decimal(1717200000123.00)"),
        ("DECIMAL(5, 0) METADATA FROM 'offset'", "Null"),
        ("BOOLEAN METADATA FROM 'offset'", "Boolean(true)"),
        ("STRING METADATA FROM 'partition'", r#"String("7")"#),
        ("CHAR(3) METADATA FROM 'partition'", r#"String("7  ")"#),
        ("DECIMAL(3, 1) METADATA FROM 'partition'", "Decimal(7.0)"),
        ("BIGINT METADATA FROM 'partition'", "BigInt(7)"),
        ("STRING METADATA FROM 'leader-epoch'", "Null"),
    ] {
        assert_eq!(read(column, &record()), expected, "{column}");
    }
}

#[test]
fn texts_are_cut_and_filled_up_as_in_flink() {
    for (column, expected) in [
        ("VARCHAR(3) METADATA FROM 'topic'", r#"String("top")"#),
        ("CHAR(12) METADATA FROM 'topic'", r#"String("topic-name  ")"#),
        ("CHAR(3) METADATA FROM 'topic'", r#"String("top")"#),
        ("STRING METADATA FROM 'timestamp-type'", r#"String("CreateTime")"#),
    ] {
        assert_eq!(read(column, &record()), expected, "{column}");
    }
}

#[test]
fn points_in_time_are_cast_in_the_zone_of_the_session() {
    for (millis, column, expected) in [
        (1_717_200_000_123, "STRING", r#"String("2024-06-01 08:00:00.123")"#),
        (1_717_200_000_000, "STRING", r#"String("2024-06-01 08:00:00.000")"#),
        (1_717_200_000_120, "STRING", r#"String("2024-06-01 08:00:00.120")"#),
        (-1, "STRING", r#"String("1970-01-01 07:59:59.999")"#),
        (1_717_200_000_123, "VARCHAR(10)", r#"String("2024-06-01")"#),
        (1_717_200_000_123, "CHAR(30)", r#"String("2024-06-01 08:00:00.123       ")"#),
        (1_717_200_000_123, "DATE", "Date(19875)"),
        (-1, "DATE", "Date(0)"),
    ] {
        let column = format!("{column} METADATA FROM 'timestamp'");
        let mut record = record();
        record.timestamp = Some(millis);
        assert_eq!(read(&column, &record), expected, "{millis}, {column}");
    }
    for (millis, column, expected) in [
        (1_717_200_000_123, "TIMESTAMP(0)", 1_717_228_800_000),
        (1_717_200_000_123, "TIMESTAMP(6)", 1_717_228_800_123),
        (1_717_200_000_123, "TIMESTAMP_LTZ(0)", 1_717_200_000_000),
        (-1, "TIMESTAMP_LTZ(0)", 0),
        (-1, "TIMESTAMP(1)", 28_799_900),
    ] {
        let column = format!("{column} METADATA FROM 'timestamp'");
        let mut record = record();
        record.timestamp = Some(millis);
        let expected =
            format!("{:?}", upsert_kafka::Datum::Timestamp(upsert_kafka::Timestamp::from_millis(expected)));
        assert_eq!(read(&column, &record), expected, "{millis}, {column}");
    }
}
