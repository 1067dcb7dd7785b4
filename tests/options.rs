//! Options of tables: any of them resolve or are refused, and a refusal says which.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use proptest::sample::select;
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::types::LogicalType;
use upsert_kafka::{Datum, Error, ErrorKind, RecordBuf, RowKind, Settings, Table, TableSink, TableSource};

/// Every option that the reference lists, those of formats with all their prefixes.
static KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/options.md");
    let reference = fs::read_to_string(path).expect("the options reference is there");
    let mut format = None;
    let mut keys = Vec::new();
    for line in reference.lines() {
        let quoted = |line: &str| line.split('`').nth(1).map(|key| key.trim_end_matches(".*").to_owned());
        if line.starts_with("### `") {
            format = quoted(line);
        } else if line.starts_with("| `") {
            let key = quoted(line).expect("a key in backquotes");
            match &format {
                None => keys.push(key),
                Some(format) => {
                    keys.extend(["", "key.", "value."].map(|prefix| format!("{prefix}{format}.{key}")));
                }
            }
        }
    }
    assert!(keys.len() > 100, "the reference was read: {keys:?}");
    keys
});

/// Values that some option takes, or nearly.
const VALUES: &[&str] = &[
    "",
    " ",
    "0",
    "1",
    "-1",
    "2147483648",
    "true",
    "TRUE",
    "yes",
    "t",
    "t;u",
    ";",
    "'a;b'",
    "[a, b]",
    "'",
    "t.*",
    "t[",
    "(?=t)t",
    "10 s",
    "PT-1S",
    "1.5s",
    "9223372036854775807 d",
    "json",
    "csv",
    "raw",
    "avro",
    "avro-confluent",
    "debezium-avro-confluent",
    "debezium-json",
    "canal-json",
    "JSON",
    "id",
    "id;name",
    "nope",
    "i",
    "ALL",
    "EXCEPT_KEY",
    "earliest-offset",
    "group-offsets",
    "timestamp",
    "specific-offsets",
    "partition:0,offset:42",
    "partition:0,offset:-3;;",
    "exactly-once",
    "fixed",
    "round-robin",
    "com.acme.Partitioner",
    "SQL",
    "ISO-8601",
    "LITERAL",
    "\\t",
    "\\",
    "😀",
    "UTF-16",
    "little-endian",
];

fn table(keyed: bool, options: &[(String, String)]) -> Result<Table, Error> {
    let schema = TableSchema::builder()
        .column("id", LogicalType::BigInt.not_null())
        .column("name", LogicalType::STRING)
        .column_by_metadata("ts", LogicalType::TimestampLtz(3), Some("timestamp"), false);
    let schema = if keyed { schema.primary_key(["id"]) } else { schema };
    Table::new(schema.build()?, options.iter().cloned().collect::<TableOptions>())
}

fn settings() -> Settings {
    Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()))
}

fn sink(table: &Table) -> Result<TableSink, Error> {
    table.sink(&settings())
}

fn source(table: &Table) -> Result<TableSource, Error> {
    table.source(&settings())
}

/// Options of a table that resolves.
fn base(connector: &str) -> Vec<(String, String)> {
    let options = [
        ("connector", connector),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        ("properties.group.id", "g"),
        ("key.format", "json"),
        ("value.format", "json"),
    ];
    let mut options = options.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    if connector == "kafka" {
        options.push(("key.fields".to_owned(), "id".to_owned()));
    }
    options
}

fn option() -> impl Strategy<Value = (String, String)> {
    let key = prop_oneof![8 => select(KEYS.clone()), 1 => "[a-z.-]{0,12}", 1 => any::<String>()];
    let value = prop_oneof![4 => select(VALUES).prop_map(str::to_owned), 1 => any::<String>()];
    (key, value)
}

proptest! {
    #[test]
    fn any_options_resolve_or_are_refused_by_name(
        keyed in any::<bool>(),
        connector in select(&["kafka", "upsert-kafka"][..]),
        from_scratch in prop::bool::weighted(0.2),
        changes in prop::collection::vec(option(), 0..6),
    ) {
        let mut options = if from_scratch { Vec::new() } else { base(connector) };
        options.extend(changes);
        let keys: BTreeSet<&str> =
            KEYS.iter().map(String::as_str).chain(options.iter().map(|(key, _)| key.as_str())).collect();
        let resolved = table(keyed, &options);
        let errors = [resolved.as_ref().err().map(ToString::to_string), resolved.as_ref().ok().and_then(|table| {
            sink(table).err().map(|error| error.to_string())
        }), resolved.as_ref().ok().and_then(|table| source(table).err().map(|error| error.to_string()))];
        for error in errors.into_iter().flatten() {
            let is_of_schema = error.contains("PRIMARY KEY") || error.contains("column `");
            prop_assert!(
                is_of_schema || keys.iter().any(|key| !key.is_empty() && error.contains(key)),
                "no option is named: {error}"
            );
        }
    }

    #[test]
    fn a_value_of_the_wrong_type_is_refused_with_its_option(
        connector in select(&["kafka", "upsert-kafka"][..]),
        key in select(&["sink.parallelism", "scan.parallelism", "scan.bounded.mode", "value.fields-include"][..]),
        value in "[x-z ]{1,8}",
    ) {
        let mut options = base(connector);
        options.push((key.to_owned(), value));
        let error = table(connector == "upsert-kafka", &options).and_then(|table| sink(&table)).unwrap_err();
        prop_assert_eq!((error.kind(), error.option()), (ErrorKind::Table, Some(key)));
    }
}

/// The hint after Flink's text when the table is written.
fn hint(connector: &str, key: &str, value: &str) -> String {
    let mut options = base(connector);
    options.retain(|(set, _)| set != key);
    options.push((key.to_owned(), value.to_owned()));
    let error = table(connector == "upsert-kafka", &options)
        .and_then(|table| sink(&table))
        .expect_err("it is refused");
    error.help().unwrap_or_default().to_owned()
}

#[test]
fn a_refusal_says_what_was_probably_meant() {
    for (connector, key, value, expected) in [
        ("upsert-kafka", "topics", "t", "did you mean 'topic' instead of 'topics'?"),
        (
            "kafka",
            "scan.startup-mode",
            "earliest-offset",
            "did you mean 'scan.startup.mode' instead of 'scan.startup-mode'?",
        ),
        (
            "kafka",
            "json.ignore-parse-errors",
            "true",
            "did you mean 'key.json.ignore-parse-errors' or 'value.json.ignore-parse-errors' instead of \
             'json.ignore-parse-errors'?",
        ),
        (
            "upsert-kafka",
            "key.fields",
            "id",
            "'key.fields' is an option of 'kafka': the key of 'upsert-kafka' is the PRIMARY KEY",
        ),
        (
            "upsert-kafka",
            "scan.startup.mode",
            "latest-offset",
            "'scan.startup.mode' is an option of 'kafka' alone",
        ),
        (
            "kafka",
            "sink.buffer-flush.max-rows",
            "5",
            "'sink.buffer-flush.max-rows' is an option of 'upsert-kafka' alone",
        ),
        ("kafka", "value.format", "JSON", "did you mean 'json'?"),
        ("kafka", "value.format", "protobuf", "Flink has the format 'protobuf', this crate does not"),
        ("kafka", "connector", "kafkaa", "did you mean 'kafka'?"),
        ("kafka", "sink.delivery-guarantee", "AT_LEAST_ONCE", "did you mean 'at-least-once'?"),
        ("kafka", "foo", "bar", ""),
    ] {
        assert_eq!(hint(connector, key, value), expected, "{connector} {key} {value}");
    }
}

/// "Error configuring watermark for .. must be set when configuring watermark alignment"
#[test]
fn an_alignment_of_watermarks_takes_a_group_and_a_drift() {
    let alignment = [("scan.watermark.alignment.group", "g"), ("scan.watermark.alignment.max-drift", "1 s")];
    for (is_there, resolves) in
        [([false, false], true), ([true, true], true), ([true, false], false), ([false, true], false)]
    {
        let mut options = base("kafka");
        let there = alignment.iter().zip(is_there).filter(|(_, is_there)| *is_there);
        options.extend(there.map(|((key, value), _)| (key.to_string(), value.to_string())));
        let result = table(false, &options).and_then(|table| source(&table));
        assert_eq!(result.is_ok(), resolves, "{is_there:?}");
    }
}

#[test]
fn a_missing_option_may_be_there_under_a_slip_of_its_name() {
    let mut options = base("kafka");
    for (key, _) in &mut options {
        *key = key.replace("properties.bootstrap.servers", "properties.bootstrap.server");
    }
    let error = table(false, &options).and_then(|table| sink(&table)).unwrap_err();
    assert_eq!(
        error.help(),
        Some("is 'properties.bootstrap.server' meant to be 'properties.bootstrap.servers'?")
    );
}

/// Flink's `Projection` appends `_$` and a count to a name that is there already.
#[test]
fn a_column_that_is_part_of_the_key_several_times_has_a_name_for_each() {
    let table = Table::from_ddl(
        "CREATE TABLE t (k INT, v INT) WITH ('connector' = 'kafka', 'topic' = 't', 'key.format' = 'json',
         'value.format' = 'json', 'key.fields' = 'k;k;v;k', 'properties.bootstrap.servers' = 'h:9092')",
    )
    .unwrap();
    let sink = table.sink(&Settings::default()).unwrap();
    let mut buf = RecordBuf::new();
    let record = sink.encoder().encode(RowKind::Insert, &[Datum::Int(1), Datum::Int(2)], &mut buf).unwrap();
    assert_eq!(record.unwrap().key, Some(&br#"{"k":1,"k_$0":1,"v":2,"k_$1":1}"#[..]));
}
