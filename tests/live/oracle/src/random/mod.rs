//! Random cases. The same seed gives the same case.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::case::{Codec, Table};
use crate::golden_runner::bytes::read_bytes;

mod ddl;
mod stages;
mod types;

pub use ddl::DdlPool;
pub use stages::stage;
pub use types::base64;
use types::{Type, bytes, random_type, string};

/// The formats that a table's key and value can have both.
const FORMATS: [&str; 5] = ["json", "csv", "raw", "avro", "avro-confluent"];
/// Those of changes, for values of `kafka` alone.
const ENVELOPES: [&str; 4] = ["debezium-json", "canal-json", "maxwell-json", "ogg-json"];
const COLUMN_NAMES: [&str; 14] =
    ["id", "name", "a", "B", "a_b", "x y", "é", "order", "日", "v\"q", "k_id", "Id", "k_a", "before"];
const KINDS: [&str; 4] = ["+I", "-U", "+U", "-D"];
/// So many rows a table is given: to make its codec takes Flink longer than to run it.
const ROWS: usize = 48;
/// So often each of its records is read damaged, and a record of a vector.
const DAMAGED: usize = 3;
const DAMAGED_VECTOR: usize = 24;
const REGISTRY: &str = "http://127.0.0.1:18081";

/// A table with rows to encode.
#[must_use]
pub fn encode(rng: &mut Rng, id: u64, jdk: u32) -> Codec {
    let envelope = rng.u32(..6) == 0;
    let format =
        *rng.choice(if envelope { &ENVELOPES[..] } else { &FORMATS[..] }).expect("there are formats");
    let mut maker = Maker { rng, format, options: BTreeMap::new() };
    let (mut table, types) = maker.table();
    maker.connector(&mut table, envelope);
    let mut options = maker.options;
    let keys = options.get("key.fields").map_or(table.primary_key.len(), |key| key.split(';').count());
    if keys == table.columns.len() {
        // A value without a column is read whatever it is.
        options.remove("value.fields-include");
        options.remove("key.fields-prefix");
    }
    let written: Vec<Type> = types;
    let rows = (0..ROWS).map(|_| {
        let kind = if rng.u32(..3) == 0 { *rng.choice(&KINDS).expect("there are kinds") } else { "+I" };
        let mut values: Vec<Value> = written.iter().map(|column| column.value(rng)).collect();
        values.extend(table.metadata.iter().map(|(_, _, key, _)| writable_metadata(rng, key)));
        json!([kind, values])
    });
    let rows = Some(rows.collect());
    let registry = options
        .values()
        .any(|value| value == "avro-confluent")
        .then(|| RawValue::from_string(r#"{"schemas":{},"subjects":{}}"#.to_owned()).expect("it is JSON"));
    let id = format!("{format}/live-{id}");
    Codec {
        kind: "encode".to_owned(),
        goes_on: true,
        id,
        table,
        options,
        rows,
        records: None,
        registry,
        jdk: (jdk > 18).then_some(jdk),
    }
}

fn writable_metadata(rng: &mut Rng, key: &str) -> Value {
    match key {
        _ if rng.u32(..4) == 0 => Value::Null,
        "timestamp" => json!(format!("20{:02}-01-02 03:04:05.{}Z", rng.u32(10..40), rng.u32(1..10))),
        _ => (0..rng.usize(..3))
            .map(|index| {
                let length = rng.usize(..5);
                json!([format!("h{index}"), base64(&bytes(rng, length))])
            })
            .collect(),
    }
}

struct Maker<'a> {
    rng: &'a mut Rng,
    format: &'a str,
    options: BTreeMap<String, String>,
}

impl Maker<'_> {
    fn table(&mut self) -> (Table, Vec<Type>) {
        let rng = &mut *self.rng;
        let is_avro = self.format.starts_with("avro");
        let mut names: Vec<&str> = match is_avro && rng.u32(..20) > 0 {
            true => COLUMN_NAMES
                .into_iter()
                .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_'))
                .collect(),
            false => COLUMN_NAMES.to_vec(),
        };
        rng.shuffle(&mut names);
        let count = if self.format == "raw" { 2 } else { rng.usize(1..names.len().min(7)) };
        let format = self.format.strip_suffix("-json").map_or(self.format, |_| "json");
        let mut types: Vec<Type> = (0..count).map(|_| random_type(rng, format, 3)).collect();
        let keys = if self.format == "raw" { 1 } else { rng.usize(1..=count.min(3)) };
        let mut primary_key: Vec<usize> = (0..count).collect();
        rng.shuffle(&mut primary_key);
        primary_key.truncate(keys);
        for column in &primary_key {
            if !types[*column].is_scalar() {
                types[*column] = Type::int();
            }
            types[*column] = types[*column].clone().not_null();
        }
        let columns =
            names.iter().zip(&types).map(|(name, column)| ((*name).to_owned(), column.sql())).collect();
        let primary_key = primary_key.into_iter().map(|column| names[column].to_owned()).collect();
        (Table { columns, metadata: Vec::new(), primary_key }, types)
    }

    fn option(&mut self, key: impl Into<String>, value: &str) {
        self.options.insert(key.into(), value.to_owned());
    }

    fn one_in(&mut self, chances: u32) -> bool {
        self.rng.u32(..chances) == 0
    }

    fn one_of<'v>(&mut self, values: &[&'v str]) -> &'v str {
        self.rng.choice(values).expect("there are values")
    }

    /// Connector, formats and their options. A `kafka` table names its key in an option.
    fn connector(&mut self, table: &mut Table, envelope: bool) {
        self.option("topic", "t");
        self.option("properties.bootstrap.servers", "localhost:9092");
        let format = self.format.to_owned();
        let is_upsert = !envelope && !self.one_in(4);
        if is_upsert {
            self.option("connector", "upsert-kafka");
            self.option("key.format", &format);
            self.format_options("key.", &format);
        } else {
            self.option("connector", "kafka");
            self.option("scan.startup.mode", "earliest-offset");
            let key = std::mem::take(&mut table.primary_key);
            if self.one_in(2) || format == "raw" {
                let key_format = if envelope { self.one_of(&["json", "csv"]) } else { &format }.to_owned();
                self.option("key.format", &key_format);
                self.option("key.fields", &key.join(";"));
                self.format_options("key.", &key_format);
                if key.iter().all(|name| name.starts_with("k_")) {
                    self.option("key.fields-prefix", "k_");
                    self.option("value.fields-include", "EXCEPT_KEY");
                }
            }
        }
        if !is_upsert && !self.options.contains_key("key.format") && self.one_in(2) {
            self.option("format", &format);
            self.format_options("", &format);
        } else {
            self.option("value.format", &format);
            self.format_options("value.", &format);
        }
        if format == "raw" || (self.options.contains_key("key.format") && self.one_in(2)) {
            self.option("value.fields-include", "EXCEPT_KEY");
        }
        if self.one_in(4) {
            table.metadata.push((
                "m_ts".to_owned(),
                "TIMESTAMP(3) WITH LOCAL TIME ZONE".to_owned(),
                "timestamp".to_owned(),
                false,
            ));
        }
        if self.one_in(6) {
            table.metadata.push((
                "m_h".to_owned(),
                "MAP<VARCHAR(2147483647) NOT NULL, VARBINARY(2147483647)>".to_owned(),
                "headers".to_owned(),
                false,
            ));
        }
    }

    fn format_options(&mut self, prefix: &str, format: &str) {
        let name = |option: &str| format!("{prefix}{format}.{option}");
        match format {
            "csv" => {
                if self.one_in(3) {
                    let delimiter = self.one_of(&[";", "\\t", "|", ":", "\\u0001"]);
                    self.option(name("field-delimiter"), delimiter);
                }
                if self.one_in(5) {
                    let quote = self.one_of(&["'", "`"]);
                    self.option(name("quote-character"), quote);
                } else if self.one_in(8) {
                    self.option(name("disable-quote-character"), "true");
                }
                if self.one_in(5) {
                    let literal = self.one_of(&["null", "\\N", "n/a", ""]);
                    self.option(name("null-literal"), literal);
                }
                if self.one_in(5) {
                    self.option(name("array-element-delimiter"), "~");
                }
                if self.one_in(5) {
                    self.option(name("escape-character"), "\\");
                }
                for option in [
                    "write-bigdecimal-in-scientific-notation",
                    "allow-comments",
                    "trim-spaces",
                    "ignore-trailing-unmappable",
                    "allow-trailing-comma",
                    "fail-on-missing-columns",
                    "empty-string-as-null",
                ] {
                    if self.one_in(8) {
                        let value = self.one_of(&["true", "false"]);
                        self.option(name(option), value);
                    }
                }
            }
            "raw" => {
                if self.one_in(3) {
                    let endianness = self.one_of(&["big-endian", "little-endian"]);
                    self.option(name("endianness"), endianness);
                }
                if self.one_in(3) {
                    let charset = self.one_of(&[
                        "UTF-8",
                        "UTF-16",
                        "ISO-8859-1",
                        "US-ASCII",
                        "UTF-16LE",
                        "GBK",
                        "utf-32",
                    ]);
                    self.option(name("charset"), charset);
                }
            }
            "avro" => {
                if self.one_in(4) {
                    self.option(name("encoding"), "json");
                }
                if self.one_in(3) {
                    self.option(name("timestamp_mapping.legacy"), "false");
                }
            }
            "avro-confluent" => self.option(name("url"), REGISTRY),
            _ => {
                if self.one_in(3) {
                    let standard = self.one_of(&["SQL", "ISO-8601"]);
                    self.option(name("timestamp-format.standard"), standard);
                }
                for option in ["encode.decimal-as-plain-number", "encode.ignore-null-fields"] {
                    if self.one_in(4) {
                        self.option(name(option), "true");
                    }
                }
                if self.one_in(3) {
                    let mode = self.one_of(&["DROP", "LITERAL", "FAIL"]);
                    self.option(name("map-null-key.mode"), mode);
                    if self.one_in(2) {
                        let literal = self.one_of(&["", "NULL", "\"", "é\n"]);
                        self.option(name("map-null-key.literal"), literal);
                    }
                }
                match format {
                    "json" => {
                        if self.one_in(4) {
                            self.option(name("decode.json-parser.enabled"), "false");
                        }
                        if self.one_in(6) {
                            self.option(name("fail-on-missing-field"), "true");
                        }
                    }
                    "debezium-json" if self.one_in(6) => self.option(name("schema-include"), "true"),
                    "canal-json" if self.one_in(6) => self.option(name("database.include"), "(a|.*b.*)"),
                    _ => {}
                }
            }
        }
    }
}

/// What of an answer goes into further cases.
#[derive(Deserialize)]
struct Answered {
    #[serde(default)]
    records: Vec<Value>,
    registry_after: Option<Box<RawValue>>,
}

/// What an answered encode case gives to read, by its table and by another: its records as they are, and damaged.
#[must_use]
pub fn decode(rng: &mut Rng, encoded: &Codec, answer: &str) -> Vec<Codec> {
    let answered: Answered = serde_json::from_str(answer).expect("an answer is an encode vector");
    let is_record = |record: &Value| record["error"].is_null() && !record.is_null();
    let records: Vec<Value> = answered.records.into_iter().filter(is_record).collect();
    if records.is_empty() {
        return Vec::new();
    }
    let mut whole = encoded.clone();
    whole.kind = "decode".to_owned();
    whole.rows = None;
    whole.registry = answered.registry_after;
    whole.records = Some(records.into_iter().map(|record| read_from_somewhere(rng, record)).collect());
    for (name, sql, key) in [
        ("m_topic", "VARCHAR(2147483647) NOT NULL", "topic"),
        ("m_partition", "INT NOT NULL", "partition"),
        ("m_offset", "BIGINT NOT NULL", "offset"),
        ("m_epoch", "INT", "leader-epoch"),
        ("m_type", "VARCHAR(2147483647) NOT NULL", "timestamp-type"),
    ] {
        if rng.u32(..8) == 0 {
            whole.table.metadata.push((name.to_owned(), sql.to_owned(), key.to_owned(), true));
        }
    }
    let mut retyped = whole.clone();
    let column = rng.usize(..retyped.table.columns.len());
    let format = whole.format().strip_suffix("-json").map_or(whole.format(), |_| "json").to_owned();
    let mut retype = random_type(rng, &format, 1);
    let (name, sql) = &mut retyped.table.columns[column];
    if retyped.table.primary_key.contains(name) {
        retype = retype.not_null();
    }
    *sql = retype.sql();
    retyped.id += "-retyped";
    let good = whole.records.clone().unwrap_or_default();
    for case in [&mut whole, &mut retyped] {
        ignore_errors(rng, case);
        for _ in 0..DAMAGED {
            let mut records = good.clone();
            records.iter_mut().for_each(|record| damage(rng, record));
            case.records.get_or_insert_default().extend(records);
        }
        drop_stalling(case);
    }
    whole.id += "-back";
    vec![whole, retyped]
}

/// A vector with a record of it, many times, each damaged otherwise.
#[must_use]
pub fn damaged_vector(rng: &mut Rng, vectors: &[Codec], id: u64, jdk: u32) -> Codec {
    let mut case = rng.choice(vectors).expect("there are vectors").clone();
    case.id += &format!("-live-{id}");
    case.jdk = (jdk > 18).then_some(jdk);
    let one = rng.usize(..case.records.as_ref().map_or(1, |records| records.len().max(1)));
    let record = case.records.as_ref().and_then(|records| records.get(one)).cloned();
    case.goes_on = true;
    case.records = Some(record.iter().flat_map(|record| vec![record.clone(); DAMAGED_VECTOR]).collect());
    for record in case.records.iter_mut().flatten() {
        for _ in 0..rng.u32(1..3) {
            damage(rng, record);
        }
    }
    drop_stalling(&mut case);
    if rng.bool() {
        ignore_errors(rng, &mut case);
    }
    case
}

/// Leaves out the records with a number of which Flink's BigDecimal takes minutes: one with an exponent of more than five
/// digits.
fn drop_stalling(case: &mut Codec) {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let stalls = |bytes: Vec<u8>| {
        let exponents = bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'e' | b'E'));
        exponents.map(|(at, _)| &bytes[at + 1..]).any(|exponent| {
            let sign = exponent.first().is_some_and(|byte| matches!(byte, b'+' | b'-'));
            digits(&exponent[usize::from(sign)..]) > 5
        })
    };
    if let Some(records) = &mut case.records {
        records.retain(|record| {
            !["key", "value"].iter().any(|part| read_bytes(&record[part]).is_some_and(stalls))
        });
    }
}

fn ignore_errors(rng: &mut Rng, case: &mut Codec) {
    for part in ["", "key.", "value."] {
        let Some(format) = case.options.get(&format!("{part}format")) else { continue };
        if !["raw", "avro", "avro-confluent"].contains(&format.as_str()) && rng.bool() {
            case.options.insert(format!("{part}{format}.ignore-parse-errors"), "true".to_owned());
        }
    }
}

fn read_from_somewhere(rng: &mut Rng, mut record: Value) -> Value {
    if let Some(record) = record.as_object_mut() {
        record.remove("topic");
        if rng.u32(..3) == 0 {
            record.insert("timestamp".to_owned(), json!(rng.i64(-1..4_000_000_000_000)));
            record.insert("timestamp_type".to_owned(), json!(rng.choice(&["CreateTime", "LogAppendTime"])));
        }
        if rng.u32(..3) == 0 {
            record.insert("partition".to_owned(), json!(rng.u32(..100)));
            record.insert("offset".to_owned(), json!(rng.i64(0..)));
        }
        if rng.u32(..3) == 0 {
            record.insert("leader_epoch".to_owned(), json!(rng.u32(..100)));
        }
    }
    record
}

/// What turns up in texts that people and programs write.
const SNIPPETS: [&str; 36] = [
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "1e400",
    "-0",
    "1.0",
    "12345678901234567890",
    "1E2",
    ".5",
    "NaN",
    "2024-02-30",
    "\"2024-02-29T12:34:56.789Z\"",
    "\\u0000",
    "\\ud83d",
    "é",
    "\u{1f600}",
    " ",
    "\n",
    "\r\n",
    ",",
    ";",
    "\"",
    "\\",
    ":",
    "{\"a\":1}",
    "[1,2]",
    "\"a\"",
    "#",
    "00",
    "-",
    "+1",
    "2147483648",
    "\t",
    "//",
];

/// A byte changed, left out or doubled, the end cut off, or a snippet in between.
fn damage(rng: &mut Rng, record: &mut Value) {
    let part = if rng.u32(..5) == 0 { "key" } else { "value" };
    let Some(mut bytes) = read_bytes(&record[part]) else { return };
    let at = rng.usize(..=bytes.len());
    match rng.u32(..8) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => drop(bytes.remove(at)),
        2 if at < bytes.len() => bytes[at] ^= 1 << rng.u32(..8),
        3 if at < bytes.len() => bytes[at] = *rng.choice(b" \"\\{}[],:;0x\n-.eE1").expect("there are bytes"),
        4 if at < bytes.len() => bytes.insert(at, bytes[at]),
        5 => {
            // One token for another.
            let snippet = *rng.choice(&SNIPPETS).expect("there are snippets");
            let is_end = |byte: &u8| matches!(byte, b',' | b':' | b'}' | b']' | b'{' | b'[' | b';');
            let from = bytes[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
            let to = bytes[at..].iter().position(is_end).map_or(bytes.len(), |end| at + end);
            bytes.splice(from..to, snippet.bytes());
        }
        6 => {
            let text = string(rng, 5);
            bytes.splice(at..at, text.into_bytes());
        }
        _ => {
            let snippet = *rng.choice(&SNIPPETS).expect("there are snippets");
            bytes.splice(at..at, snippet.bytes());
        }
    }
    record[part] = json!({"b64": base64(&bytes)});
}

/// A key and the numbers of partitions to find it in.
#[must_use]
pub fn partition(rng: &mut Rng, id: u64) -> Value {
    let length = if rng.u32(..10) == 0 { rng.usize(..3000) } else { rng.usize(..40) };
    let mut partitions = serde_json::Map::new();
    for _ in 0..4 {
        partitions.insert(rng.u32(1..=1000).to_string(), Value::Null);
    }
    let key = base64(&bytes(rng, length));
    json!({"kind": "partition", "id": format!("p-live-{id}"), "key": {"b64": key}, "partitions": partitions})
}

/// A number of any bits, or of few digits.
#[must_use]
pub fn float_text(rng: &mut Rng, id: u64) -> Value {
    let (name, bits) = match rng.u32(..4) {
        0 => ("FLOAT", format!("{:08x}", rng.u32(..))),
        1 => ("FLOAT", format!("{:08x}", (rng.i32(-9_999_999..9_999_999) as f32 / 1000.0).to_bits())),
        2 => ("DOUBLE", format!("{:016x}", rng.u64(..))),
        _ => (
            "DOUBLE",
            format!("{:016x}", (rng.i64(-99_999_999_999..99_999_999_999) as f64 / 10_000.0).to_bits()),
        ),
    };
    json!({"kind": "float_text", "id": format!("float/live-{id}"), "type": name, "bits": bits})
}

/// Records of a batch of any compression, and its header.
#[must_use]
pub fn record_batch(rng: &mut Rng, id: u64) -> Value {
    let base_offset = if rng.bool() { 0 } else { rng.i64(0..1 << 50) };
    let log_append = rng.u32(..5) == 0;
    let idempotent = rng.u32(..3) == 0;
    let mut offset = base_offset;
    let mut time = 1_717_200_000_000_i64;
    let count = if rng.u32(..10) == 0 { rng.usize(1..300) } else { rng.usize(1..6) };
    let records: Vec<Value> = (0..count)
        .map(|_| {
            let part = |rng: &mut Rng| match rng.u32(..5) {
                0 => Value::Null,
                1 => json!({"b64": base64(string(rng, 200).as_bytes())}),
                _ => {
                    let length = rng.usize(..30);
                    json!({"b64": base64(&bytes(rng, length))})
                }
            };
            let (key, value) = (part(rng), part(rng));
            let headers: Vec<Value> = (0..if rng.u32(..3) == 0 { rng.usize(..4) } else { 0 })
                .map(|_| json!([string(rng, 10), part(rng)]))
                .collect();
            let mut record =
                json!({"offset": offset, "timestamp": time, "key": key, "value": value, "headers": headers});
            if log_append {
                record["read_timestamp"] = json!(1_800_000_000_000_i64);
            }
            offset += if rng.u32(..10) == 0 { rng.i64(1..100) } else { 1 };
            time += rng.i64(-1000..1_000_000);
            record
        })
        .collect();
    let compression = *rng.choice(&["none", "gzip", "snappy", "lz4", "zstd"]).expect("there are some");
    json!({
        "kind": "record_batch", "id": format!("rb-live-{id}"), "compression": compression,
        "timestamp_type": if log_append { "LogAppendTime" } else { "CreateTime" }, "max_timestamp": 1_800_000_000_000_i64,
        "base_offset": base_offset, "partition_leader_epoch": rng.i32(-1..100),
        "producer_id": if idempotent { rng.i64(0..1 << 40) } else { -1 },
        "producer_epoch": if idempotent { rng.i16(0..) } else { -1 },
        "base_sequence": if idempotent { rng.i32(0..) } else { -1 },
        "transactional": idempotent && rng.bool(), "records": records,
    })
}
