//! Where texts end to be taken: Jackson's limits in JSON, those of this crate in Avro schemas.

use upsert_kafka::format::AvroSchema;
use upsert_kafka::{ConsumerRecord, DecodeBuf, ErrorKind, Settings, Table};

/// Whether a value is read in a table of `s STRING`.
fn reads(value: &str, parser: bool) -> bool {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t (s STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json', \
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092', \
         'json.decode.json-parser.enabled' = '{parser}')"
    ));
    let decoder = table.expect("a table").source(&Settings::default()).expect("a source").decoder();
    decoder.decode(&ConsumerRecord::new(None, Some(value.as_bytes())), &mut DecodeBuf::new()).is_ok()
}

/// `StreamReadConstraints` of Jackson 2.18, run with these texts: a string has 20,000,000 of Java's characters, a name
/// 50,000 bytes.
#[test]
fn strings_and_names_of_json_end_where_jacksons_do() {
    let texts = [":", " : "].map(|colon| {
        let name = |len: usize| format!(r#"{{"{}"{colon}1,"s"{colon}"x"}}"#, "n".repeat(len));
        (name(50_000), name(50_001), format!(r#"{{"s"{colon}"{}"}}"#, "a".repeat(20_000_001)))
    });
    // What is compact is read without tokens.
    for (longest_name, longer_name, longer_string) in &texts {
        for parser in [true, false] {
            assert!(reads(longest_name, parser));
            assert!(!reads(longer_name, parser));
            assert!(!reads(longer_string, parser));
        }
    }
    assert!(reads(&texts[0].2.replacen('a', "", 1), true));
    // Two bytes are one character.
    assert!(reads(&format!(r#"{{"s":"{}"}}"#, "\u{e9}".repeat(10_000_001)), true));
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
