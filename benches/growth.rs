//! How instructions grow with untrusted input, counted by callgrind: ten times the bytes take at most twelve times
//! as many; and at least five times, or they were not read. `tests/bounds` has more of such inputs, and holds memory and
//! time to them.
//!
//! ```text
//! cargo bench --features arrow,serde --bench growth
//! ```

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, thread};

use upsert_kafka::format::{AvroSchema, MemorySchemaRegistry, SchemaRegistry};
use upsert_kafka::record::RecordBatchBuilder;
use upsert_kafka::{
    ChangelogNormalizer, ConsumerRecord, Datum, DecodeBuf, Decoder, Limits, Record, RecordBatches, RowKind,
    Settings, Table,
};

#[path = "common/callgrind.rs"]
mod callgrind;

const SIZES: [usize; 2] = [100_000, 1_000_000];

/// What is linear takes ten times as much for ten times the bytes, what is quadratic a hundred times.
const MOST: f64 = 12.0;

/// What is read to its end takes more; what is refused at once takes as much for any number of bytes.
const LEAST: f64 = 5.0;

/// Makes the reading of so many bytes, and what is made beforehand.
type Case = (&'static str, fn(usize) -> Box<dyn FnOnce()>);

const CASES: &[Case] = &[
    ("avro: items", |size| value(AVRO, [&[0x80, 0x89, 0x7a][..], &vec![0; size]].concat())),
    ("avro: a schema's fields", |size| {
        let schema = fields(size);
        Box::new(move || drop(black_box(AvroSchema::parse(&schema))))
    }),
    ("avro: a writer's fields", |size| {
        let registry = MemorySchemaRegistry::new();
        registry.insert(1, fields(size));
        let settings = Settings::default().with_schema_registry(Arc::new(registry));
        let options = "'value.format' = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost'";
        decoded(&decoder_with("f0 INT NOT NULL", options, &settings), vec![0, 0, 0, 0, 1, 0, 0])
    }),
    ("canal: changes", |size| value(CANAL, repeated(r#"{"type":"INSERT","data":["#, "{},", "{}]}", size))),
    ("csv: cells", |size| value(CSV, repeated("", "0;", "0", size))),
    ("csv: quotes", |size| value(CSV, repeated("\"", "\"\"", "\"", size))),
    ("ddl: columns", |size| ddl(&numbered("CREATE TABLE t (", |n| format!("c{n} INT, "), KEY, size))),
    ("ddl: options", |size| {
        ddl(&numbered(
            "CREATE TABLE t (k INT) WITH (",
            |n| format!("'properties.p{n}' = 'v', "),
            OPTIONS,
            size,
        ))
    }),
    ("debezium: members", |size| {
        value(DEBEZIUM, numbered(r#"{"op":"c","after":{"#, |n| format!(r#""x{n}":1,"#), r#""a":[]}}"#, size))
    }),
    ("json: entries", |size| {
        value(MAP, numbered(r#"{"a":{"#, |n| format!(r#""{n}":1,"#), r#""z":1}}"#, size))
    }),
    ("json: items", |size| value(JSON, repeated(r#"{"a":["#, "0,", "0]}", size))),
    ("json: members", |size| value(JSON, numbered("{", |n| format!(r#""x{n}":1,"#), r#""a":[]}"#, size))),
    ("json: rows", |size| value(JSON, repeated("[", "{},", "{}]", size))),
    ("json: rows, as a tree", |size| value(TREE, repeated("[", r#"{"a":[1]},"#, "{}]", size))),
    ("json: text", |size| value(JSON, repeated(r#"{"a":[""#, r"\u00e4", r#""]}"#, size))),
    ("records", |size| {
        let mut builder = RecordBatchBuilder::new().with_max_bytes(usize::MAX);
        for _ in 0..size / 7 {
            assert!(builder.append(&Record::new(None, None).with_timestamp(0)).unwrap());
        }
        let bytes = builder.finish();
        Box::new(move || {
            for batch in RecordBatches::new(&bytes, Limits::default()) {
                for record in batch.unwrap().records() {
                    black_box(record.unwrap());
                }
            }
        })
    }),
    ("registry: schemas", |size| {
        let schemas = numbered("", |n| format!("{{\"type\":\"int\",\"n\":{n}}}\n"), "", size);
        Box::new(move || {
            let registry = MemorySchemaRegistry::new();
            for schema in std::str::from_utf8(&schemas).unwrap().lines() {
                registry.register("s", schema).unwrap();
            }
        })
    }),
    ("snapshot: keys", |size| {
        let (mut normalizer, mut snapshot) = (ChangelogNormalizer::new(1, &[0]), Vec::new());
        for key in 0..size / 20 {
            normalizer.apply(RowKind::Insert, &[Datum::BigInt(key as i64)], 0).unwrap().for_each(drop);
        }
        normalizer.snapshot(&mut snapshot).unwrap();
        Box::new(move || ChangelogNormalizer::new(1, &[0]).restore(&snapshot).unwrap())
    }),
];

/// Columns of a table, and the format of its value.
type Format = (&'static str, &'static str);

const AVRO: Format = ("a ARRAY<BOOLEAN NOT NULL> NOT NULL", "'value.format' = 'avro'");
const CANAL: Format = ("a INT", "'value.format' = 'canal-json'");
const CSV: Format = ("a ARRAY<STRING>", "'value.format' = 'csv'");
const DEBEZIUM: Format = ("a ARRAY<INT>", "'value.format' = 'debezium-json'");
const JSON: Format = ("a ARRAY<STRING>", "'value.format' = 'json'");
const MAP: Format = ("a MAP<STRING, INT>", "'value.format' = 'json'");
const TREE: Format =
    ("a ARRAY<INT>", "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'");

const OPTIONS: &str = "'connector' = 'kafka', 'topic' = 't', 'value.format' = 'json', \
    'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092')";
const KEY: &str = "k INT) WITH ('connector' = 'kafka', 'topic' = 't', 'value.format' = 'json', \
    'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092')";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [name, size, with] = &arguments[..] else { return compare() };
    let (_, case) = CASES.iter().find(|(case, _)| case == name).expect("a case");
    let read = case(size.parse().unwrap());
    if with == "read" {
        read();
    }
    ExitCode::SUCCESS
}

fn compare() -> ExitCode {
    let mut result = ExitCode::SUCCESS;
    let at_a_time = thread::available_parallelism().map_or(1, NonZero::get);
    for cases in CASES.chunks(at_a_time) {
        let counted = thread::scope(|scope| {
            let running: Vec<_> =
                cases.iter().map(|(name, _)| scope.spawn(|| SIZES.map(|size| count(name, size)))).collect();
            running.into_iter().map(|counting| counting.join().unwrap()).collect::<Vec<_>>()
        });
        for ((name, _), [fewer, more]) in cases.iter().zip(counted) {
            let growth = more / fewer;
            // That of nothing over nothing is in no range.
            let is_linear = (LEAST..=MOST).contains(&growth);
            let verdict = if is_linear {
                ""
            } else if growth > MOST {
                ": too many"
            } else {
                ": not read to its end"
            };
            println!("{name:23} {fewer:12.0} {more:13.0} {growth:5.1} times{verdict}");
            if !is_linear {
                result = ExitCode::FAILURE;
            }
        }
    }
    result
}

/// The instructions of reading, without those of what comes before.
fn count(name: &str, size: usize) -> f64 {
    let [read, make] = ["read", "make"].map(|with| callgrind::count(&[name, &size.to_string(), with]));
    read - make
}

/// A start, a part as often as it takes to reach `size`, and an end.
fn repeated(start: &str, part: &str, end: &str, size: usize) -> Vec<u8> {
    [start, &part.repeat(size / part.len()), end].concat().into_bytes()
}

/// A start, parts with a number each until there are `size` bytes, and an end.
fn numbered(start: &str, part: impl Fn(usize) -> String, end: &str, size: usize) -> Vec<u8> {
    let mut text = start.to_owned();
    let mut number = 0;
    while text.len() < size {
        text += &part(number);
        number += 1;
    }
    (text + end).into_bytes()
}

/// The schema of a record of many fields.
fn fields(size: usize) -> String {
    let start = r#"{"type":"record","name":"R","fields":["#;
    let part = |number| format!(r#"{{"name":"f{number}","type":"int"}},"#);
    String::from_utf8(numbered(start, part, r#"{"name":"z","type":"int"}]}"#, size)).unwrap()
}

fn table(columns: &str, options: &str) -> Table {
    let ddl = format!(
        "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', {options}, \
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092')"
    );
    Table::from_ddl(&ddl).unwrap()
}

fn decoder_with(columns: &str, options: &str, settings: &Settings) -> Decoder {
    table(columns, options).source(settings).unwrap().decoder()
}

fn value((columns, options): Format, value: Vec<u8>) -> Box<dyn FnOnce()> {
    decoded(&decoder_with(columns, options, &Settings::default()), value)
}

/// The decoding of a value, be it refused.
fn decoded(decoder: &Decoder, value: Vec<u8>) -> Box<dyn FnOnce()> {
    let decoder = decoder.clone();
    Box::new(move || {
        let mut buf = DecodeBuf::new();
        let _ = black_box(decoder.decode(&ConsumerRecord::new(None, Some(&value)), &mut buf));
    })
}

/// A statement, and the decoder of its table.
fn ddl(statement: &[u8]) -> Box<dyn FnOnce()> {
    let statement = String::from_utf8(statement.to_vec()).unwrap();
    Box::new(move || {
        let table = Table::from_ddl(&statement).unwrap();
        drop(black_box(table.source(&Settings::default()).unwrap().decoder()));
    })
}
