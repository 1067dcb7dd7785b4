//! Structs as rows, by the names of their fields.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use upsert_kafka::record::TimestampType;
use upsert_kafka::row::{Entries, FromRow, NamedRow};
use upsert_kafka::{
    ConsumerRecord, Datum, Decimal, DecodeBuf, ErrorKind, RecordBuf, Row, RowBuf, RowKind, Settings, Table,
    Timestamp, impl_row,
};

/// A table of `kafka` with these columns and a value of that format.
fn table(columns: &str, format: &str) -> Table {
    let ddl = format!(
        "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = '{format}', \
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'h:9092')"
    );
    Table::from_ddl(&ddl).expect("a table")
}

#[derive(Debug, PartialEq)]
struct Payment {
    paid: bool,
    currency: String,
    at: Timestamp,
    country: String,
    headers: Vec<(String, Vec<u8>)>,
    id: i64,
}
impl_row!(Payment { paid, currency, at as "ts", country, headers, id });

const PAYMENT_COLUMNS: &str = "id BIGINT, headers MAP<STRING, BYTES> METADATA, country STRING, currency STRING, \
                               ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', paid BOOLEAN";

fn payment() -> Payment {
    Payment {
        paid: true,
        currency: "CHF".to_owned(),
        at: Timestamp::from_millis(1_717_200_000_000),
        country: "CH".to_owned(),
        headers: vec![("trace".to_owned(), vec![1, 2])],
        id: 7,
    }
}

#[test]
fn a_struct_writes_what_its_columns_write_whatever_their_order() {
    let (payment, settings) = (payment(), Settings::default());
    let (trace, bytes): (Datum<'_>, &[u8]) = (Datum::String("trace"), &[1, 2]);
    let headers = [trace, Datum::Bytes(bytes)];
    let in_table_order = [
        Datum::BigInt(7),
        Datum::Map(Entries::new(&headers, 1)),
        Datum::String("CH"),
        Datum::String("CHF"),
        Datum::Timestamp(payment.at),
        Datum::Boolean(true),
    ];
    for format in ["json", "csv", "avro", "debezium-json", "canal-json", "maxwell-json", "ogg-json"] {
        let table = table(PAYMENT_COLUMNS, format);
        let (mut expected, mut buf) = (RecordBuf::new(), RecordBuf::new());
        let by_position = table.sink(&settings).unwrap().encoder();
        let expected = by_position.encode(RowKind::Insert, &in_table_order, &mut expected).unwrap();
        let by_name = table.sink_of::<Payment>(&settings).unwrap().encoder();
        let record = by_name.encode(RowKind::Insert, &payment, &mut buf).unwrap();
        assert_eq!(format!("{record:?}"), format!("{expected:?}"), "{format}");

        let record = record.unwrap();
        let record = ConsumerRecord::new(record.key, record.value)
            .with_timestamp(record.timestamp.unwrap(), TimestampType::CreateTime)
            .with_headers(record.headers);
        let decoder = table.source_of::<Payment>(&settings).unwrap().decoder();
        let mut buf = DecodeBuf::new();
        let rows: Vec<Payment> =
            decoder.decode(&record, &mut buf).unwrap().rows().map(|(_, row)| row.read().unwrap()).collect();
        assert_eq!(rows, [self::payment()], "{format}");
    }
}

#[test]
fn an_upsert_table_finds_its_key_where_the_struct_has_it() {
    struct Count {
        n: i64,
        region: String,
        word: String,
    }
    impl_row!(Count { n, region, word });
    let table = Table::from_ddl(
        "CREATE TABLE counts (word STRING, n BIGINT, region STRING, PRIMARY KEY (region, word) NOT ENFORCED) WITH (
           'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
           'properties.bootstrap.servers' = 'h:9092')",
    )
    .unwrap();
    let (settings, mut buf) = (Settings::default(), RecordBuf::new());
    let encoder = table.sink_of::<Count>(&settings).unwrap().encoder();
    let count = Count { n: 1, region: "EU".to_owned(), word: "kafka".to_owned() };
    let record = encoder.encode(RowKind::Delete, &count, &mut buf).unwrap().unwrap();
    assert_eq!(record.key, Some(&br#"{"region":"EU","word":"kafka"}"#[..]));

    let source = table.source_of::<Count>(&settings).unwrap();
    let (decoder, mut changes, mut buf) = (source.decoder(), source.normalizer(), DecodeBuf::new());
    let value: &[u8] = br#"{"word":"kafka","n":1,"region":"EU"}"#;
    for (value, expected) in [(Some(value), "+I"), (Some(value), ""), (None, "-D")] {
        let record = ConsumerRecord::new(record.key, value);
        let mut kinds = String::new();
        for (kind, row) in decoder.decode(&record, &mut buf).unwrap().rows() {
            for (kind, row) in changes.apply(kind, row, 0).unwrap() {
                let Count { n, region, word } = row.read().unwrap();
                assert_eq!((n, region.as_str(), word.as_str()), (1, "EU", "kafka"));
                kinds.push_str(kind.short_string());
            }
        }
        assert_eq!(kinds, expected);
    }
}

#[derive(Debug, Default, PartialEq)]
struct Inner {
    a: Option<i32>,
    b: String,
}
impl_row!(Inner { a, b });

#[derive(Debug, PartialEq)]
struct Everything<'a> {
    text: &'a str,
    bytes: &'a [u8],
    cow: Cow<'a, str>,
    arc: Arc<str>,
    boxed: Box<str>,
    array: [u8; 4],
    owned: Vec<u8>,
    shared: Bytes,
    small: u8,
    int: u16,
    big: u32,
    huge: u64,
    tiny: i8,
    float: f32,
    double: f64,
    amount: Decimal,
    at: Timestamp,
    tags: Vec<Option<String>>,
    fixed: [i64; 2],
    pairs: Vec<(String, i64)>,
    hash: HashMap<String, i32>,
    tree: BTreeMap<i32, Inner>,
    inner: Inner,
    items: Vec<Inner>,
    tuple: (i64, String),
    r#type: Option<bool>,
}
impl_row!(Everything<'a> {
    text, bytes, cow, arc, boxed, array, owned, shared, small, int, big, huge, tiny, float, double, amount, at, tags,
    fixed, pairs, hash, tree, inner, items, tuple, r#type,
});

const EVERYTHING: &str = "text STRING, `bytes` BYTES, cow CHAR(3), arc STRING, boxed VARCHAR(9), `array` BINARY(4), \
    owned BYTES, shared BYTES, small SMALLINT, `int` INT, big BIGINT, huge DECIMAL(20, 0), tiny TINYINT, `float` FLOAT, \
    `double` DOUBLE, amount DECIMAL(10, 2), `at` TIMESTAMP(9), tags ARRAY<STRING>, fixed ARRAY<BIGINT>, \
    pairs MAP<STRING, BIGINT>, `hash` MULTISET<STRING>, tree MAP<INT, ROW<a INT, b STRING>>, `inner` ROW<a INT, b STRING>, \
    items ARRAY<ROW<a INT, b STRING>>, `tuple` ROW<x BIGINT, y STRING>, `type` BOOLEAN";

fn everything() -> Everything<'static> {
    let inner = |a, b: &str| Inner { a, b: b.to_owned() };
    Everything {
        text: "text",
        bytes: &[0, 255],
        cow: "cow".into(),
        arc: "arc".into(),
        boxed: "boxed".into(),
        array: [1, 2, 3, 4],
        owned: vec![5],
        shared: Bytes::from_static(b"shared"),
        small: 255,
        int: 65_535,
        big: u32::MAX,
        huge: u64::MAX,
        tiny: -128,
        float: 1.5,
        double: -0.5,
        amount: Decimal::new(150, 2),
        at: Timestamp::new(-1, 999_999),
        tags: vec![Some("new".to_owned()), None],
        fixed: [1, -1],
        pairs: vec![("b".to_owned(), 2), ("a".to_owned(), 1)],
        hash: [("x".to_owned(), 3)].into(),
        tree: [(2, inner(None, "two")), (1, inner(Some(1), "one"))].into(),
        inner: inner(Some(7), "seven"),
        items: vec![inner(None, "first"), Inner::default()],
        tuple: (9, "nine".to_owned()),
        r#type: None,
    }
}

#[test]
fn every_type_of_field_is_lent_checked_and_read() {
    let columns = <Everything<'_> as NamedRow>::COLUMNS.len();
    assert_eq!(<Everything<'_> as FromRow<'_>>::COLUMNS.len(), columns);
    let everything = everything();
    let copy = RowBuf::copy_of(&everything, columns);
    assert_eq!(copy.read::<Everything<'_>>().unwrap(), everything);
    // MULTISET and keys of INT are not JSON's.
    let table = table(EVERYTHING, "json");
    for error in [
        table.sink_of::<Everything<'_>>(&Settings::default()).err(),
        table.source_of::<Everything<'_>>(&Settings::default()).err(),
    ] {
        assert_ne!(
            error.as_ref().map(|error| error.kind()),
            Some(ErrorKind::Row),
            "the struct fits: {error:?}"
        );
    }
}

#[test]
fn a_struct_that_does_not_fit_is_refused_with_the_column() {
    struct Swapped {
        id: i64,
        note: Option<String>,
    }
    impl_row!(Swapped { id, note });
    struct Nested {
        inner: Inner,
    }
    impl_row!(Nested { inner });
    struct Twice {
        a: i64,
        b: i64,
    }
    impl_row!(Twice { a as "id", b as "id" });
    struct Listed {
        pairs: Vec<(String, i64)>,
    }
    impl_row!(Listed { pairs });
    let refusal = |refused: Result<_, upsert_kafka::Error>| {
        let error = refused.map(|_: upsert_kafka::TableSink| ()).expect_err("a refusal");
        assert_eq!(error.kind(), ErrorKind::Row);
        error.to_string()
    };
    let settings = Settings::default();
    for (columns, message) in [
        ("id BIGINT, note STRING, amount DOUBLE", "column `amount`: the struct has no field for this column"),
        ("id BIGINT", "column `note`: the table has no such column"),
        (
            "id BIGINT, notes STRING",
            "column `notes`: the struct has no field for this column (if `note` is meant: `note as \"notes\"` in impl_row!)",
        ),
        ("id INT, note STRING", "column `id`: the column is INT, the field BIGINT"),
        ("note BIGINT, id STRING", "column `note`: the column is BIGINT, the field STRING"),
    ] {
        assert_eq!(refusal(table(columns, "json").sink_of::<Swapped>(&settings)), message);
        let read = table(columns, "json").source_of::<Swapped>(&settings).map(|_| ()).unwrap_err();
        assert_eq!(read.to_string(), message);
    }
    for (inner, message) in [
        (
            "ROW<b STRING, a INT>",
            "column `inner`.`b`: a nested struct has its fields in the order of the ROW",
        ),
        ("ROW<a INT>", "column `inner`.`b`: the table has no such column"),
        ("ROW<a BIGINT, b STRING>", "column `inner`.`a`: the column is BIGINT, the field INT"),
        (
            "MAP<INT, STRING>",
            "column `inner`: the column is MAP<INT, STRING>, the field ROW<a INT, b STRING>",
        ),
    ] {
        let table = table(&format!("`inner` {inner}"), "json");
        assert_eq!(refusal(table.sink_of::<Nested>(&settings)), message);
    }
    assert_eq!(
        refusal(table("id BIGINT", "json").sink_of::<Twice>(&settings)),
        "column `id`: two fields of the struct have this name"
    );
    assert_eq!(
        refusal(table("pairs ARRAY<ROW<a STRING, b BIGINT>>", "json").sink_of::<Listed>(&settings)),
        "column `pairs`: the column is ARRAY<ROW<`a` STRING, `b` BIGINT>>, the field MAP<STRING, BIGINT>"
    );
}

#[test]
fn a_value_that_does_not_fit_its_field_is_refused_with_the_column() {
    struct Small {
        n: u8,
        id: [u8; 2],
    }
    impl_row!(Small { n, id });
    for (row, message) in [
        ([Datum::SmallInt(-1), Datum::Bytes(b"ab")], "column `n`: expected a number that fits u8, found -1"),
        ([Datum::Int(1), Datum::Bytes(b"ab")], "column `n`: expected SMALLINT, found INT"),
        ([Datum::SmallInt(1), Datum::Bytes(b"abc")], "column `id`: expected a length of 2, found 3"),
        (
            [Datum::SmallInt(1), Datum::Null],
            "column `id`: expected BYTES, found NULL (an `Option` takes NULL)",
        ),
    ] {
        assert_eq!(row.read::<Small>().map(|row| (row.n, row.id)).unwrap_err().to_string(), message);
    }
}
