//! Avro schemas, and the data that they describe.

use std::fmt::Write as _;
use std::sync::Arc;

use upsert_kafka::format::{AvroSchema, MemorySchemaRegistry, SchemaRegistry};
use upsert_kafka::{ConsumerRecord, DecodeBuf, ErrorKind, Settings};

use super::{ALLOWED_BYTES, assert_bounded, decoder_with, numbered, repeated};

const MEBIBYTE: usize = 1 << 20;

fn assert_schema_bounded(what: &str, text: impl Fn(usize) -> Vec<u8>) {
    let text = |size| String::from_utf8(text(size)).expect("text");
    assert_bounded(what, MEBIBYTE, text, |text| AvroSchema::parse(text));
}

#[test]
fn a_namespace_is_not_held_for_each_of_its_names() {
    assert_schema_bounded("a long namespace", |size| {
        let start =
            format!(r#"{{"type":"record","name":"R","namespace":"{}","fields":["#, "n".repeat(size / 2));
        let end = r#"{"name":"z","type":"int"}]}"#;
        numbered(
            &start,
            |n| format!(r#"{{"name":"f{n}","type":{{"type":"fixed","name":"F{n}","size":1}}}},"#),
            end,
            size,
        )
    });
}

#[test]
fn a_schemas_text_is_read_in_memory_and_time_as_its_bytes() {
    let record = r#"{"type":"record","name":"R","fields":["#;
    let last = r#"{"name":"z","type":"int"}]}"#;
    assert_schema_bounded("fields", |size| {
        numbered(record, |n| format!(r#"{{"name":"f{n}","type":"int"}},"#), last, size)
    });
    assert_schema_bounded("one name", |size| repeated(record, r#"{"name":"f","type":"int"},"#, last, size));
    assert_schema_bounded("symbols", |size| {
        numbered(r#"{"type":"enum","name":"E","symbols":["#, |n| format!(r#""s{n}","#), r#""z"]}"#, size)
    });
    assert_schema_bounded("types", |size| {
        numbered("[", |n| format!(r#"{{"type":"enum","name":"E{n}","symbols":["a"]}},"#), r#""int"]"#, size)
    });
    assert_schema_bounded("levels", |size| repeated("", r#"{"type":"array","items":"#, "", size));
    assert_schema_bounded("levels of lists", |size| repeated("", "[", "", size));
    assert_schema_bounded("properties", |size| {
        numbered(r#"{"type":"int""#, |n| format!(r#","p{n}":[{{}},null]"#), "}", size)
    });
    assert_schema_bounded("defaults", |size| {
        numbered(record, |n| format!(r#"{{"name":"f{n}","type":"string","default":"d"}},"#), last, size)
    });
    assert_schema_bounded("a default of many items", |size| {
        repeated(
            r#"{"type":"record","name":"R","fields":[{"name":"a","type":{"type":"array","items":"int"},"default":["#,
            "1,",
            "1]}]}",
            size,
        )
    });
    assert_schema_bounded("a size that is claimed", |size| {
        let record = r#"{"type":"record","name":"R","fields":[{"name":"f","type":
            {"type":"fixed","name":"F","size":300000000},"default":""#;
        repeated(record, "x", r#""}]}"#, size)
    });
}

/// Decodes a datum behind the id of a schema of `text`, which is fetched and resolved for it.
fn assert_resolution_bounded(what: &str, columns: &str, text: impl Fn(usize) -> Vec<u8>) {
    let options = "'value.format' = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost'";
    assert_bounded(what, ALLOWED_BYTES + 2 * MEBIBYTE, text, |text| {
        let registry = MemorySchemaRegistry::new();
        registry.insert(1, String::from_utf8(text.clone()).expect("text"));
        let settings = Settings::default().with_schema_registry(Arc::new(registry));
        let decoder = decoder_with(columns, options, &settings);
        let mut buf = DecodeBuf::new();
        for _ in 0..3 {
            let _ = decoder.decode(&ConsumerRecord::new(None, Some(&[0, 0, 0, 0, 1, 0, 0, 0])), &mut buf);
        }
        buf
    });
}

#[test]
fn a_writers_schema_is_resolved_in_memory_and_time_as_its_bytes() {
    let record = r#"{"type":"record","name":"R","fields":["#;
    let last = r#"{"name":"z","type":"int"}]}"#;
    assert_resolution_bounded("fields", "z INT NOT NULL", |size| {
        numbered(record, |n| format!(r#"{{"name":"f{n}","type":"int"}},"#), last, size)
    });
    assert_resolution_bounded("unions", "z INT NOT NULL", |size| {
        numbered("[", |n| format!(r#"{{"type":"record","name":"E{n}","fields":[]}},"#), r#""int"]"#, size)
    });
    // Two lists of records that refer to each other.
    assert_resolution_bounded("lists", "a INT NOT NULL", |size| {
        let list = |name: &str| {
            format!(
                r#"{{"type":"record","name":"{name}","fields":[{{"name":"a","type":"int"}},{{"name":"next","type":["null","{name}"]}}]}}"#
            )
        };
        let start = format!("[{},{}", list("A"), list("B"));
        numbered(&start, |n| format!(",{}", list(&format!("L{n}"))), "]", size)
    });
}

#[test]
fn a_registry_in_memory_finds_a_schema_among_many() {
    let schemas = |size| numbered("", |n| format!("{{\"type\":\"int\",\"n\":{n}}}\n"), "", size);
    assert_bounded("versions of a subject", 0, schemas, |schemas| {
        let registry = MemorySchemaRegistry::new();
        for schema in std::str::from_utf8(schemas).expect("text").lines() {
            registry.register("s", schema).expect("a schema that reads what the one before wrote");
        }
        registry
    });
}

#[test]
fn records_without_bytes_in_records_do_not_multiply() {
    // r(i) = {a: r(i-1), b: r(i-1)} over an empty record: 2^40 records, none of a byte.
    let mut fields = String::new();
    let mut inner = r#"{"type":"record","name":"r0","fields":[]}"#.to_owned();
    for level in 1..=40 {
        inner = format!(
            r#"{{"type":"record","name":"r{level}","fields":[{{"name":"a","type":{inner}}},{{"name":"b","type":"r{}"}}]}}"#,
            level - 1
        );
    }
    write!(fields, r#"{{"name":"skipped","type":{inner}}},{{"name":"z","type":"int"}}"#).expect("a string");
    let registry = MemorySchemaRegistry::new();
    registry.insert(1, format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#));
    let settings = Settings::default().with_schema_registry(Arc::new(registry));
    let options = "'value.format' = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost'";
    let decoder = decoder_with("z INT NOT NULL", options, &settings);
    let mut buf = DecodeBuf::new();
    let error = decoder.decode(&ConsumerRecord::new(None, Some(&[0, 0, 0, 0, 1, 2])), &mut buf);
    assert_eq!(error.expect_err("it is beyond a limit").kind(), ErrorKind::Limit);
}
