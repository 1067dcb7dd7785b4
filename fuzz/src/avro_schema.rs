use std::sync::Arc;

use upsert_kafka::format::{AvroSchema, MemorySchemaRegistry, SchemaRegistry};
use upsert_kafka::{ConsumerRecord, DecodeBuf, Settings, Table};

use super::draw::Draw;

/// Any text is a schema or an error; what is printed of a schema is read as one that is printed the same, is taken by a
/// registry, and can be the writer's of a table's records.
pub fn avro_schema(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    check(text);
    // Bytes that are no JSON stand for a schema that is mostly one.
    let mut schema = String::new();
    draw_schema(&mut Draw::new(data), 4, &mut 0, &mut schema);
    check(&schema);
}

fn check(text: &str) {
    let Ok(schema) = AvroSchema::parse(text) else { return };
    let printed = schema.to_string();
    let again = AvroSchema::parse(&printed).expect("a schema that was printed");
    assert_eq!(again.to_string(), printed);
    let registry = MemorySchemaRegistry::new();
    let id = registry.register("s", text).expect("a first version");
    assert_eq!(registry.register("s", text).expect("the same version"), id);
    let settings = Settings::default().with_schema_registry(Arc::new(registry));
    let source = Table::from_ddl(
        "CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'avro-confluent', \
         'avro-confluent.url' = 'http://localhost', 'properties.bootstrap.servers' = 'b:9092', \
         'scan.startup.mode' = 'earliest-offset')",
    );
    let decoder = source.and_then(|table| table.source(&settings)).expect("a source").decoder();
    let mut buf = DecodeBuf::new();
    for datum in [&[][..], &[0; 9], &[2, 2, 2, 2, 2, 2, 2, 2]] {
        let value = [&[0, 0, 0, 0, 1][..], datum].concat();
        let _ = decoder.decode(&ConsumerRecord::new(None, Some(&value)), &mut buf);
    }
}

/// A schema's text: now and then with what is wrong in it.
pub(super) fn draw_schema(draw: &mut Draw<'_>, depth: usize, names: &mut usize, out: &mut String) {
    const PRIMITIVES: [&str; 8] = [
        "\"int\"",
        "\"string\"",
        "\"long\"",
        "\"null\"",
        "\"bytes\"",
        "\"double\"",
        "\"float\"",
        "\"boolean\"",
    ];
    let choice = draw.below(if depth > 0 { 16 } else { 9 });
    match choice {
        8 if *names > 0 => out.push_str(&format!("\"n{}\"", draw.below(*names + 1))),
        0..9 => out.push_str(PRIMITIVES[choice % 8]),
        9 => {
            let of = draw.one_of(&[
                r#""int","logicalType":"date""#,
                r#""long","logicalType":"timestamp-micros""#,
                r#""bytes","logicalType":"decimal","precision":10,"scale":2"#,
                r#""int","logicalType":"time-millis""#,
                r#""string","avro.java.string":"String""#,
            ]);
            out.push_str(&format!(r#"{{"type":{of}}}"#));
        }
        10 => {
            let (name, size) = (name(draw, names), draw.one_of(&["0", "4", "16", "1000000", "-1"]));
            out.push_str(&format!(r#"{{"type":"fixed","name":"{name}","size":{size}}}"#));
        }
        11 => {
            let name = name(draw, names);
            let symbols = draw.one_of(&[r#""A","B""#, r#""A""#, "", r#""A","A""#]);
            let default = draw.one_of(&["", r#","default":"A""#, r#","default":"C""#]);
            out.push_str(&format!(r#"{{"type":"enum","name":"{name}","symbols":[{symbols}]{default}}}"#));
        }
        12 => nested(draw, depth, names, r#"{"type":"array","items":"#, out),
        13 => nested(draw, depth, names, r#"{"type":"map","values":"#, out),
        14 => {
            out.push('[');
            for index in 0..=draw.below(3) {
                out.push_str(if index > 0 { "," } else { "" });
                draw_schema(draw, depth - 1, names, out);
            }
            out.push(']');
        }
        _ => {
            let name = name(draw, names);
            out.push_str(&format!(r#"{{"type":"record","name":"{name}","fields":["#));
            for index in 0..draw.below(4) {
                out.push_str(if index > 0 { "," } else { "" });
                let field = draw.one_of(&["a", "b", "c", "d"]);
                out.push_str(&format!(r#"{{"name":"{field}","type":"#));
                draw_schema(draw, depth - 1, names, out);
                out.push_str(draw.one_of(&[
                    "",
                    "",
                    r#","default":null"#,
                    r#","default":1"#,
                    r#","aliases":["a"]"#,
                ]));
                out.push('}');
            }
            out.push_str("]}");
        }
    }
}

fn nested(draw: &mut Draw<'_>, depth: usize, names: &mut usize, start: &str, out: &mut String) {
    out.push_str(start);
    draw_schema(draw, depth - 1, names, out);
    out.push('}');
}

/// The next name, or now and then the last one again.
fn name(draw: &mut Draw<'_>, names: &mut usize) -> String {
    *names += usize::from(!draw.once_in(16));
    format!("{}n{names}", draw.one_of(&["", "", "", "a.b.", "$"]))
}
