//! Metadata columns of other types than their metadata: cast as Flink 2.3's `CAST` answered, with the session's time zone
//! Asia/Shanghai.

use upsert_kafka::fixture::JsonRows;
use upsert_kafka::record::HeadersBuf;
use upsert_kafka::row::LocalTimeZone;
use upsert_kafka::{
    ConsumerRecord, Datum, DecodeBuf, Decoded, Error, ErrorKind, Record, RecordBuf, Row, RowBuf, RowKind,
    Settings, Table, TableSink,
};

fn in_shanghai() -> Settings {
    Settings::default().with_local_time_zone(LocalTimeZone::fixed(8 * 3600))
}

/// The column's value as Rust shows it.
fn read(column: &str, record: &ConsumerRecord<'_>) -> Result<String, Error> {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t (id INT, m {column} VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092')"
    ))
    .expect("a table");
    let settings = in_shanghai();
    let decoder = table.source(&settings).unwrap_or_else(|error| panic!("{column}: {error}")).decoder();
    let mut buf = DecodeBuf::new();
    let Decoded::Rows(rows) = decoder.decode(record, &mut buf)? else { panic!("no row") };
    let (_, row) = rows.iter().next().expect("a row");
    Ok(format!("{:?}", row.datum(1)))
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
        assert_eq!(read(column, &record()).expect(column), expected, "{column}");
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
        assert_eq!(read(column, &record()).expect(column), expected, "{column}");
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
        assert_eq!(read(&column, &record).expect(&column), expected, "{millis}, {column}");
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
        assert_eq!(read(&column, &record).expect(&column), expected, "{millis}, {column}");
    }
}

/// The column's value, read from the `source` of an event.
fn of_source(column: &str, source: &str) -> Result<String, Error> {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t (id INT, m {column} VIRTUAL) WITH ('connector' = 'kafka', 'topic' = 't',
         'format' = 'debezium-json', 'scan.startup.mode' = 'earliest-offset',
         'properties.bootstrap.servers' = 'b:9092')"
    ))?;
    let settings = in_shanghai();
    let source_of_table = table.source(&settings)?;
    let event =
        format!(r#"{{"before":null,"after":{{"id":1}},"source":{source},"op":"c","ts_ms":1717200000123}}"#);
    let mut buf = DecodeBuf::new();
    let decoders = source_of_table.debezium_decoder(&Default::default())?;
    let of_debezium = decoders.decode(&ConsumerRecord::new(None, Some(event.as_bytes())), &mut buf)?;
    let of_debezium = of_debezium.rows().next().map(|(_, row)| format!("{:?}", row.datum(1)));
    let decoder = source_of_table.decoder();
    let decoded = decoder.decode(&ConsumerRecord::new(None, Some(event.as_bytes())), &mut buf)?;
    let of_flink = decoded.rows().next().map(|(_, row)| format!("{:?}", row.datum(1)));
    assert_eq!(of_debezium, of_flink, "{column}");
    Ok(of_flink.expect("a row"))
}

#[test]
fn metadata_of_a_format_are_cast_as_in_flink() {
    let at = "METADATA FROM 'value.ingestion-timestamp'";
    for (column, expected) in [
        (format!("STRING {at}"), r#"String("2024-06-01 08:00:00.123")"#),
        (format!("VARCHAR(10) {at}"), r#"String("2024-06-01")"#),
        (format!("DATE {at}"), "Date(19875)"),
        (format!("TIME(3) {at}"), "Time(28800123)"),
        (format!("TIME {at}"), "Time(28800000)"),
        (format!("TIMESTAMP(0) {at}"), "Timestamp(Timestamp { millis: 1717228800000, nanos_of_millis: 0 })"),
        (
            format!("TIMESTAMP_LTZ(1) {at}"),
            "Timestamp(Timestamp { millis: 1717200000100, nanos_of_millis: 0 })",
        ),
    ] {
        assert_eq!(of_source(&column, "{}").expect(&column), expected, "{column}");
    }
    for (text, data_type, expected) in [
        ("12", "INT", "Int(12)"),
        (" 12 ", "TINYINT", "TinyInt(12)"),
        ("1.5", "BIGINT", "BigInt(1)"),
        ("+5", "SMALLINT", "SmallInt(5)"),
        ("-0", "INT", "Int(0)"),
        ("1e3", "DOUBLE", "Double(1000.0)"),
        (" 12 ", "FLOAT", "Float(12.0)"),
        ("1.5", "DECIMAL(5, 2)", "Decimal(1.50)"),
        ("T", "BOOLEAN", "Boolean(true)"),
        ("yes", "BOOLEAN", "Boolean(true)"),
        ("f", "BOOLEAN", "Boolean(false)"),
        ("2024-6-1", "DATE", "Date(19875)"),
        ("2024", "DATE", "Date(19723)"),
        ("2024-06", "DATE", "Date(19875)"),
        (" 2024-06-01 ", "DATE", "Date(19875)"),
        ("2024-06-01 x", "DATE", "Date(19875)"),
        ("0000-01-01", "DATE", "Date(-719528)"),
        ("10:11:12.123", "TIME(0)", "Time(36672000)"),
        ("10:11:12.1234567", "TIME(3)", "Time(36672123)"),
        ("9:8:7", "TIME(3)", "Time(32887000)"),
        ("10", "TIME(3)", "Time(36000000)"),
        ("1:2", "TIME(3)", "Time(3720000)"),
        (" 10:11:12 ", "TIME(3)", "Time(36672000)"),
        ("10:11:12.x", "TIME(3)", "Time(36672000)"),
        ("abc", "CHAR(5)", r#"String("abc  ")"#),
        ("abc", "BYTES", "Bytes([97, 98, 99])"),
        ("abc", "BINARY(5)", "Bytes([97, 98, 99, 0, 0])"),
        ("abc", "VARBINARY(2)", "Bytes([97, 98])"),
        (
            "2024-6-1 8:0:0",
            "TIMESTAMP(3)",
            "Timestamp(Timestamp { millis: 1717228800000, nanos_of_millis: 0 })",
        ),
        (
            "2024-06-01",
            "TIMESTAMP_LTZ(3)",
            "Timestamp(Timestamp { millis: 1717171200000, nanos_of_millis: 0 })",
        ),
    ] {
        let column = format!("{data_type} METADATA FROM 'value.source.table'");
        let source = format!(r#"{{"table":"{text}"}}"#);
        assert_eq!(of_source(&column, &source).expect(&column), expected, "{text:?} as {data_type}");
    }
    let properties = "METADATA FROM 'value.source.properties'";
    let source = r#"{"ts":"5"}"#;
    for (column, expected) in [
        (format!("STRING {properties}"), r#"String("{ts=5}")"#),
        (format!("MAP<STRING, INT> {properties}"), "Map({String(\"ts\"): Int(5)})"),
        (format!("MAP<CHAR(3), BYTES> {properties}"), "Map({String(\"ts \"): Bytes([53])})"),
    ] {
        assert_eq!(of_source(&column, source).expect(&column), expected, "{column}");
    }
}

#[test]
fn a_text_that_flink_cannot_cast_fails_its_record() {
    for (text, data_type) in [
        ("x", "INT"),
        ("1e3", "INT"),
        ("", "BIGINT"),
        ("300", "TINYINT"),
        ("9223372036854775808", "BIGINT"),
        ("0x1", "INT"),
        ("x", "DOUBLE"),
        ("12", "BOOLEAN"),
        (" T", "BOOLEAN"),
        ("1e3", "DECIMAL(5, 2)"),
        ("2024-02-30", "DATE"),
        ("20240601", "DATE"),
        ("2024-06-", "DATE"),
        ("-2024-06-01", "DATE"),
        ("24:00:00", "TIME(3)"),
        ("10:11:", "TIME(3)"),
        ("10:60", "TIME(3)"),
        ("23:59:59.999999", "TIME(3)"),
        ("10:11:12:13", "TIME(3)"),
        ("2024-06-01T08:00:00", "TIMESTAMP(3)"),
        ("2024-06-01 08:00", "TIMESTAMP(3)"),
        ("0000-01-01 00:00:00", "TIMESTAMP(3)"),
    ] {
        let column = format!("{data_type} METADATA FROM 'value.source.table'");
        let error = of_source(&column, &format!(r#"{{"table":"{text}"}}"#)).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Data, "{text:?} as {data_type}: {error}");
        let expected = format!("value, column `m`: expected {data_type}, found {text:?}");
        assert_eq!(error.to_string(), expected);
    }
    let error = of_source(
        "MAP<STRING, DECIMAL(5, 2)> METADATA FROM 'value.source.properties'",
        r#"{"a":"1.5","ts":"x"}"#,
    );
    assert_eq!(
        error.expect_err("no number").to_string(),
        r#"value, column `m`["ts"]: expected DECIMAL(5, 2), found "x""#
    );
}

#[test]
fn metadata_of_the_connector_that_flink_cannot_cast_fail_their_record() {
    let mut headers = HeadersBuf::new();
    headers.push("12", Some(b"v"));
    headers.push("trace", None);
    let mut record = record();
    record.headers = headers.as_headers();
    for (column, expected) in [
        ("INT METADATA FROM 'topic'", r#"topic, column `m`: expected INT, found "topic-name""#),
        (
            "BOOLEAN METADATA FROM 'timestamp-type'",
            r#"timestamp, column `m`: expected BOOLEAN, found "CreateTime""#,
        ),
        (
            "MAP<INT, BYTES> METADATA FROM 'headers'",
            r#"headers, column `m`["trace"]: expected INT, found "trace""#,
        ),
        (
            "ARRAY<ROW<k INT, v BYTES>> METADATA FROM 'header-list'",
            r#"headers, column `m`[1].`k`: expected INT, found "trace""#,
        ),
    ] {
        let error = read(column, &record).expect_err(column);
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Data, expected.to_owned()));
    }
}

/// A table with one metadata column.
fn sink(column: &str, options: &str, settings: &Settings) -> Result<TableSink, Error> {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t (id INT, m {column}) WITH ('connector' = 'kafka', 'format' = 'json',
         'properties.bootstrap.servers' = 'b:9092', {options})"
    ))?;
    table.sink(settings)
}

/// The record of a row with one metadata column.
fn write<T>(
    column: &str,
    value: &str,
    options: &str,
    show: impl FnOnce(&Record<'_>) -> T,
) -> Result<T, Error> {
    let sink = sink(column, options, &in_shanghai())?;
    let (mut row, mut buf) = (RowBuf::new(), RecordBuf::new());
    let kind = JsonRows::new(sink.layout().columns()).read(&format!(r#"["+I",[1,{value}]]"#), &mut row)?;
    let encoder = sink.encoder();
    let record = encoder.encode(kind, &row, &mut buf)?.expect("a record");
    Ok(show(&record))
}

const ONE_TOPIC: &str = "'topic' = 't'";

#[test]
fn a_timestamp_is_written_of_what_flink_casts_to_one() {
    for (data_type, value, expected) in [
        ("STRING", r#""2024-06-01 08:00:00.123""#, 1_717_200_000_123),
        ("STRING", r#""2024-06-01""#, 1_717_171_200_000),
        ("STRING", r#""2024-06-01 08:00:00.123456789""#, 1_717_200_000_123),
        ("STRING", r#""2024-6-1 8:0:0""#, 1_717_200_000_000),
        ("STRING", r#""2024-06-01 08:00:00.""#, 1_717_200_000_000),
        ("STRING", r#""2024-02-30 00:00:00""#, 1_709_136_000_000),
        ("STRING", r#""2024-06-01 24:00:00""#, 1_717_257_600_000),
        ("CHAR(10)", r#""2024-06-01""#, 1_717_171_200_000),
        ("DATE", r#""2024-06-01""#, 1_717_171_200_000),
        ("TIME", r#""08:01:02""#, 62_000),
        ("TIMESTAMP(6)", r#""2024-06-01 08:00:00.123456""#, 1_717_200_000_123),
        ("TIMESTAMP_LTZ(9)", r#""2024-06-01 00:00:00.123456789Z""#, 1_717_200_000_123),
    ] {
        let column = format!("{data_type} METADATA FROM 'timestamp'");
        let written = write(&column, value, ONE_TOPIC, |record| record.timestamp).expect(value);
        assert_eq!(written, Some(expected), "{data_type} {value}");
        assert_eq!(write(&column, "null", ONE_TOPIC, |record| record.timestamp).expect("a row"), None);
    }
    for text in [
        "x",
        "",
        "2024",
        "08:00:00",
        "1717200000123",
        "2024-06-01 08:00:00Z",
        "10000-01-01 00:00:00",
        "2024-13-01",
    ] {
        let error = write("STRING METADATA FROM 'timestamp'", &format!("{text:?}"), ONE_TOPIC, |_| ())
            .expect_err(text);
        assert_eq!(
            error.to_string(),
            format!("timestamp, column `m`: expected a point in time, found {text:?}")
        );
    }
    let long = "x".repeat(41);
    let error = write("STRING METADATA FROM 'timestamp'", &format!("{long:?}"), ONE_TOPIC, |_| ());
    let message = format!("expected a point in time, found {:?}…", &long[1..]);
    assert_eq!(error.expect_err("no time").message(), message);
    let refusal = "The cast from NUMERIC type to TIMESTAMP_LTZ type is not allowed. It's recommended to use \
                   TO_TIMESTAMP_LTZ(numeric_col, precision) instead.";
    for data_type in ["TINYINT", "BIGINT", "DECIMAL(15, 3)", "DOUBLE", "FLOAT"] {
        let column = format!("{data_type} METADATA FROM 'timestamp'");
        let error = write(&column, "1", ONE_TOPIC, |_| ()).expect_err(data_type);
        assert_eq!((error.kind(), error.message()), (ErrorKind::Table, refusal));
    }
}

#[test]
fn a_topic_is_the_text_that_flink_casts_values_to() {
    for (data_type, value, expected) in [
        ("TINYINT", "-7", "-7"),
        ("BIGINT", "-1717200000123", "-1717200000123"),
        ("DECIMAL(15, 3)", r#""12.500""#, "12.500"),
        ("DOUBLE", r#""1.0E10""#, "1.0E10"),
        ("FLOAT", r#""1.5""#, "1.5"),
        ("BOOLEAN", "true", "TRUE"),
        ("BYTES", r#""QcOk""#, "A\u{e4}"),
        ("DATE", r#""2024-06-01""#, "2024-06-01"),
        ("TIME", r#""08:01:02""#, "08:01:02"),
        ("TIMESTAMP(0)", r#""2024-06-01 08:00:00""#, "2024-06-01 08:00:00"),
        ("TIMESTAMP(3)", r#""2024-06-01 08:00:00""#, "2024-06-01 08:00:00.000"),
        ("TIMESTAMP(9)", r#""2024-06-01 08:00:00.123456789""#, "2024-06-01 08:00:00.123456789"),
        ("TIMESTAMP_LTZ(6)", r#""2024-06-01 00:00:00.123456Z""#, "2024-06-01 08:00:00.123456"),
        ("ARRAY<INT>", "[1,2,null]", "[1, 2, NULL]"),
        ("MAP<STRING, INT>", r#"[["a",1],["b",null]]"#, "{a=1, b=NULL}"),
        ("ROW<x INT, y STRING>", r#"[1,"a"]"#, "(1, a)"),
        ("ARRAY<BOOLEAN>", "[true]", "[TRUE]"),
    ] {
        let column = format!("{data_type} NOT NULL METADATA FROM 'topic'");
        let topics = "'topic-pattern' = '.*'";
        let written = write(&column, value, topics, |record| record.topic.map(str::to_owned)).expect(value);
        assert_eq!(written.as_deref(), Some(expected), "{data_type} {value}");
    }
}

#[test]
fn a_value_of_another_type_than_its_metadata_column_is_refused() {
    for (column, options, value, expected) in [
        (
            "STRING METADATA FROM 'timestamp'",
            ONE_TOPIC,
            Datum::Int(1),
            "timestamp, column `m`: expected STRING, found INT",
        ),
        (
            "STRING METADATA FROM 'timestamp'",
            ONE_TOPIC,
            Datum::Date(1),
            "timestamp, column `m`: expected STRING, found DATE",
        ),
        (
            "TIMESTAMP(6) METADATA FROM 'timestamp'",
            ONE_TOPIC,
            Datum::Date(1),
            "timestamp, column `m`: expected TIMESTAMP, found DATE",
        ),
        (
            "BIGINT NOT NULL METADATA FROM 'topic'",
            "'topic-pattern' = '.*'",
            Datum::String("1"),
            "topic, column `m`: expected BIGINT, found STRING",
        ),
        (
            "MAP<STRING, STRING> METADATA FROM 'headers'",
            ONE_TOPIC,
            Datum::String("a"),
            "headers, column `m`: expected MAP, found STRING",
        ),
    ] {
        for settings in [in_shanghai(), Settings::default()] {
            let encoder = sink(column, options, &settings).expect(column).encoder();
            let mut buf = RecordBuf::new();
            let row = [Datum::Int(1), value];
            let error = encoder.encode(RowKind::Insert, &row, &mut buf).expect_err(column);
            assert_eq!((error.kind(), error.to_string()), (ErrorKind::Row, expected.to_owned()));
        }
    }
}

#[test]
fn headers_are_made_of_other_maps_and_lists_as_flink_casts_them() {
    for (key, data_type, value, expected) in [
        ("headers", "MAP<STRING, STRING>", r#"[["a","ä"],["b",null]]"#, "a=[195, 164] b=null"),
        ("headers", "MAP<INT, STRING>", r#"[[1,"x"]]"#, "1=[120]"),
        ("headers", "MAP<BOOLEAN, BINARY(2)>", r#"[[true,"AQI="]]"#, "TRUE=[1, 2]"),
        ("header-list", "ARRAY<ROW<a STRING, b STRING>>", r#"[["k","v"],["k",null]]"#, "k=[118] k=null"),
        ("header-list", "ARRAY<ROW<a INT, b BYTES>>", r#"[[1,"AQ=="]]"#, "1=[1]"),
    ] {
        let column = format!("{data_type} METADATA FROM '{key}'");
        let written = write(&column, value, ONE_TOPIC, |record| {
            let headers = record.headers.iter().map(|header| match header.value() {
                Some(value) => format!("{}={value:?}", header.name()),
                None => format!("{}=null", header.name()),
            });
            headers.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(written.expect(value), expected, "{data_type} {value}");
    }
    let error = write("MAP<STRING, INT> METADATA FROM 'headers'", "[]", ONE_TOPIC, |_| ())
        .expect_err("INT is no BYTES");
    assert!(
        error.message().starts_with("Invalid data type for metadata column 'm' with metadata key 'headers'")
    );
}
