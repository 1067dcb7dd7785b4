use std::sync::{Arc, LazyLock};

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder, Settings, Table};

use super::draw::Draw;

/// A column of every type that all of json, avro and the like take.
pub const ALL_TYPES: &str = "id INT NOT NULL, flag BOOLEAN, tiny TINYINT, small SMALLINT, big BIGINT, f FLOAT, \
     d DOUBLE, amount DECIMAL(10, 2), huge DECIMAL(38, 18), s STRING, c CHAR(3), b BYTES, on_day DATE, at_time TIME(3), \
     ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), tags ARRAY<STRING>, attrs MAP<STRING, INT>, \
     bag MULTISET<STRING>, a ROW<x INT, y ROW<z STRING, q ARRAY<ROW<n DECIMAL(4, 1)>>>>";

const CELLS: &str = "id INT NOT NULL, flag BOOLEAN, tiny TINYINT, small SMALLINT, big BIGINT, f FLOAT, d DOUBLE, \
     amount DECIMAL(10, 2), s STRING, b BYTES, on_day DATE, at_time TIME(3), ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), \
     tags ARRAY<INT>, a ROW<x INT, y STRING>";

/// Columns that the schemas of the registry hold too, in one way or another.
const WRITTEN: &str = "id INT NOT NULL, big BIGINT, f FLOAT, s STRING, b BYTES, ts TIMESTAMP(3), tags ARRAY<STRING>, \
     attrs MAP<STRING, INT>, a ROW<x INT>";

const CHANGES: &str =
    "id INT NOT NULL, name STRING, w DOUBLE, m MAP<STRING, INT>, r ROW<x INT>, ts TIMESTAMP(3)";

const DEBEZIUM: &str = "id INT, name STRING, w DOUBLE, a STRING METADATA FROM 'value.schema' VIRTUAL, \
     b TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, \
     c TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, \
     d STRING METADATA FROM 'value.source.table' VIRTUAL, \
     e MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL";

const CANAL: &str = "id INT, name STRING, w DOUBLE, a STRING METADATA FROM 'value.database' VIRTUAL, \
     b MAP<STRING, INT> METADATA FROM 'value.sql-type' VIRTUAL, \
     c ARRAY<STRING> METADATA FROM 'value.pk-names' VIRTUAL, \
     d TIMESTAMP_LTZ(3) METADATA FROM 'value.event-timestamp' VIRTUAL";

const MAXWELL: &str = "id INT, name STRING, w DOUBLE, a STRING METADATA FROM 'value.table' VIRTUAL, \
     b ARRAY<STRING> METADATA FROM 'value.primary-key-columns' VIRTUAL, \
     c TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL";

const OGG: &str = "id INT, name STRING, w DOUBLE, a STRING METADATA FROM 'value.table' VIRTUAL, \
     b ARRAY<STRING> METADATA FROM 'value.primary-keys' VIRTUAL, \
     c TIMESTAMP_LTZ(6) METADATA FROM 'value.event-timestamp' VIRTUAL";

/// Columns, format and its options.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const IGNORE: (&str, &str) = ("ignore-parse-errors", "true");
/// TIMESTAMP_LTZ has no place in Avro otherwise.
const MAPPING: (&str, &str) = ("timestamp_mapping.legacy", "false");

/// The value's side of the tables; a corpus knows them by their place.
const CASES: &[Case] = &[
    (ALL_TYPES, "json", &[]),
    (ALL_TYPES, "json", &[IGNORE, ("timestamp-format.standard", "ISO-8601")]),
    (ALL_TYPES, "json", &[("decode.json-parser.enabled", "false")]),
    (ALL_TYPES, "json", &[("decode.json-parser.enabled", "false"), IGNORE]),
    (CELLS, "csv", &[]),
    (
        CELLS,
        "csv",
        &[IGNORE, ("allow-comments", "true"), ("escape-character", "\\"), ("null-literal", "n/a")],
    ),
    (CELLS, "csv", &[("disable-quote-character", "true"), ("field-delimiter", "\t")]),
    ("id INT NOT NULL, v STRING", "raw", &[]),
    ("id INT NOT NULL, v STRING", "raw", &[("charset", "UTF-16")]),
    ("id INT NOT NULL, v STRING", "raw", &[("charset", "GBK")]),
    ("id INT NOT NULL, v BYTES", "raw", &[]),
    ("id INT NOT NULL, v DOUBLE", "raw", &[("endianness", "little-endian")]),
    ("id INT NOT NULL, v BOOLEAN", "raw", &[]),
    (ALL_TYPES, "avro", &[MAPPING]),
    (ALL_TYPES, "avro", &[MAPPING, ("encoding", "json")]),
    (WRITTEN, "avro-confluent", &[("url", "http://localhost:8081")]),
    (CHANGES, "debezium-json", &[]),
    (DEBEZIUM, "debezium-json", &[IGNORE, ("schema-include", "true")]),
    (CHANGES, "canal-json", &[]),
    (CANAL, "canal-json", &[IGNORE, ("database.include", "d.*"), ("table.include", "t")]),
    (CHANGES, "maxwell-json", &[]),
    (MAXWELL, "maxwell-json", &[IGNORE]),
    (CHANGES, "ogg-json", &[]),
    (OGG, "ogg-json", &[IGNORE]),
    ("id INT NOT NULL, v STRING", "debezium-avro-confluent", &[("url", "http://localhost:8081")]),
];

/// What the schema registry holds, from id 1 on: other schemas than the table's.
const SCHEMAS: &[&str] = &[
    r#"{"type":"record","name":"r","fields":[{"name":"id","type":"int"},{"name":"big","type":["null","int"]},
        {"name":"tags","type":{"type":"array","items":"string"}},{"name":"more","type":"bytes"}]}"#,
    r#"{"type":"record","name":"r","fields":[{"name":"id","type":{"type":"fixed","name":"f","size":4}},
        {"name":"a","type":{"type":"record","name":"n","fields":[{"name":"a","type":["null","n"]},
        {"name":"x","type":"long"}]}},{"name":"s","type":{"type":"enum","name":"e","symbols":["A","B"]}}]}"#,
    r#"{"type":"record","name":"r","fields":[{"name":"attrs","type":{"type":"map","values":"int"}},
        {"name":"f","type":["string","boolean","float"]},{"name":"id","type":"int"}]}"#,
    r#""int""#,
    r#"["null",{"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[]}]"#,
    r#"{"type":"record","name":"Envelope","fields":[{"name":"after","type":["null",{"type":"record","name":"Value",
        "fields":[{"name":"id","type":"int"},{"name":"v","type":["null","string"]}]}]},
        {"name":"ts_ms","type":"long"},{"name":"before","type":["null","Value"]},{"name":"op","type":"string"}]}"#,
];

static DECODERS: LazyLock<Vec<Decoder>> = LazyLock::new(|| {
    let registry = Arc::new(MemorySchemaRegistry::new());
    (1..).zip(SCHEMAS).for_each(|(id, schema)| registry.insert(id, *schema));
    let settings = Settings::default().with_schema_registry(registry);
    let decoders = CASES.iter().map(|case| {
        let table = Table::from_ddl(&ddl(case)).expect("a table");
        table.source(&settings).expect("a source").decoder()
    });
    decoders.collect()
});

/// Formats that know changes are read without a key, the others with one of json or, to meet its decoder, avro.
fn ddl(&(columns, format, options): &Case) -> String {
    let connector = match format {
        "debezium-json" | "debezium-avro-confluent" | "canal-json" | "maxwell-json" | "ogg-json" => {
            "'connector' = 'kafka', 'scan.startup.mode' = 'earliest-offset'"
        }
        "avro" => "'connector' = 'upsert-kafka', 'key.format' = 'avro'",
        _ => "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.fields-include' = 'EXCEPT_KEY'",
    };
    let key = if connector.contains("upsert") { ", PRIMARY KEY (id) NOT ENFORCED" } else { "" };
    let options = options.iter().map(|(name, value)| format!(", 'value.{format}.{name}' = '{value}'"));
    format!(
        "CREATE TABLE t ({columns}{key}) WITH ({connector}, 'topic' = 't', 'value.format' = '{format}', \
         'properties.bootstrap.servers' = 'localhost:9092'{})",
        options.collect::<String>()
    )
}

/// Any record is rows, skipped or an error, in every format; and the buffer is as a new one for the next record.
///
/// The first byte is the table, the second the key's length, or 255 for none; the value stands after the key.
pub fn decode(data: &[u8]) {
    let mut draw = Draw::new(data);
    let decoder = &DECODERS[draw.below(DECODERS.len())];
    let key = match draw.byte() {
        u8::MAX => None,
        len => Some(draw.bytes(len.into())),
    };
    let value = draw.rest();
    let mut buf = DecodeBuf::new();
    outcome(decoder, key, Some(value), &mut buf);
    for value in [Some(&value[..value.len() / 2]), Some(&value[value.len() / 2..]), None] {
        let used = outcome(decoder, key, value, &mut buf);
        assert_eq!(used, outcome(decoder, key, value, &mut DecodeBuf::new()), "a used buffer and a new one");
    }
}

/// What became of the record, in words, with the rows.
fn outcome(decoder: &Decoder, key: Option<&[u8]>, value: Option<&[u8]>, buf: &mut DecodeBuf) -> String {
    let outcome = decoder.decode(&ConsumerRecord::new(key, value), buf);
    if let Ok(decoded) = &outcome {
        assert_eq!(decoded.skipped().is_none(), decoded.rows().len() > 0, "{outcome:?}");
    }
    format!("{outcome:?}")
}
