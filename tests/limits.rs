//! Where texts end to be taken: Jackson's limits in JSON, those of this crate in Avro schemas.

use upsert_kafka::{AvroSchema, ConsumerRecord, DecodeBuf, ErrorKind, Settings, Table};

/// Both decoders, and members that are compact or not: three ways to read a string.
fn reads(value: &str) -> bool {
    let spaced = value.replacen(':', " : ", 1);
    let readings = ["true", "false"].map(|parser| {
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t (s STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json', \
             'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092', \
             'json.decode.json-parser.enabled' = '{parser}')"
        ));
        let decoder = table.expect("a table").source(&Settings::default()).expect("a source").decoder();
        [value, &spaced].map(|text| {
            let record = ConsumerRecord::new(None, Some(text.as_bytes()));
            decoder.decode(&record, &mut DecodeBuf::new()).is_ok()
        })
    });
    let readings = readings.concat();
    assert!(
        readings.iter().all(|reading| *reading == readings[0]),
        "one reads what another refuses: {readings:?}"
    );
    readings[0]
}

/// `StreamReadConstraints` of Jackson 2.18, run with these texts: a string has 20,000,000 of Java's characters, a name
/// 50,000 bytes.
#[test]
fn strings_and_names_of_json_end_where_jacksons_do() {
    let text = |part: &str, len: usize| format!(r#"{{"s":"{}"}}"#, part.repeat(len));
    assert!(reads(&text("a", 20_000_000)));
    assert!(!reads(&text("a", 20_000_001)));
    // Two bytes are one character, and so is an escape; four bytes are two.
    assert!(reads(&text("\u{e9}", 10_000_001)));
    assert!(reads(&text("\\n", 10_000_001)));
    assert!(!reads(&text("\u{1f600}", 10_000_001)));
    let name = |len: usize| format!(r#"{{"{}":1,"s":"x"}}"#, "n".repeat(len));
    assert!(reads(&name(50_000)));
    assert!(!reads(&name(50_001)));
}

#[test]
fn a_schema_has_a_mebibyte_of_text_and_128_levels() {
    let padded = |len: usize| "\"int\"".to_owned() + &" ".repeat(len - 5);
    assert!(AvroSchema::parse(&padded(1 << 20)).is_ok());
    assert_eq!(AvroSchema::parse(&padded((1 << 20) + 1)).unwrap_err().kind(), ErrorKind::Limit);

    // An array of arrays is an object in an object; the innermost one is a text.
    let nested = |levels: usize| {
        r#"{"type":"array","items":"#.repeat(levels - 1) + "\"int\"" + &"}".repeat(levels - 1)
    };
    assert!(AvroSchema::parse(&nested(128)).is_ok());
    assert!(AvroSchema::parse(&nested(129)).is_err());
}
