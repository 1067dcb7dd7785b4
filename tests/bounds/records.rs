//! Rows, nested rows and flat values of a record.

use std::sync::Arc;

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder, Error, ErrorKind, Limits, Settings};

use super::counting::{held_bytes, peak_bytes};
use super::{
    ALLOWED_BYTES, ROW_BYTES, assert_bounded, assert_values_bounded, columns, decoder, decoder_with,
    numbered, repeated, taken_by,
};

fn error_of(decoder: &Decoder, key: Option<&[u8]>, value: &[u8]) -> Error {
    let mut buf = DecodeBuf::new();
    decoder.decode(&ConsumerRecord::new(key, Some(value)), &mut buf).expect_err("it is beyond a limit")
}

#[test]
fn rows_of_key_times_rows_of_value_are_bounded() {
    let options = "'key.format' = 'json', 'value.format' = 'json'";
    let decoder = decoder("k INT, v INT, PRIMARY KEY (k) NOT ENFORCED", options);
    let list = |size| repeated("[", "{},", "{}]", size);
    assert_bounded("key times value", ALLOWED_BYTES, list, |list| {
        let mut buf = DecodeBuf::new();
        let _ = decoder.decode(&ConsumerRecord::new(Some(list), Some(list)), &mut buf);
        buf
    });
    let error = error_of(&decoder, Some(&list(2_000)), &list(2_000));
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Limit, "the rows of the record take more than the limit of 1048576 bytes")
    );
    let few = decoder.with_limits(Limits::default().with_max_rows(100_000));
    let (error, taken) = taken_by(|| error_of(&few, Some(&list(3_000)), &list(3_000)));
    assert!(taken < 4 << 20, "a million rows are refused before they are made: {taken} bytes");
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Limit, "the record holds more rows than the limit of 100000")
    );
}

#[test]
fn rows_of_a_list_are_bounded_however_wide_the_table_is() {
    for options in [
        "'value.format' = 'json'",
        "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
        "'value.format' = 'json', 'value.json.ignore-parse-errors' = 'true'",
    ] {
        let decoder = decoder(&columns(1_000), options);
        let list = |size| repeated("[", "{},", "{}]", size);
        assert_values_bounded(options, &decoder, list);
        assert_eq!(error_of(&decoder, None, &list(10_000)).kind(), ErrorKind::Limit, "{options}");
    }
}

/// Canal and Maxwell tell of the row before an update only what has changed; the rest is copied from the row after it.
#[test]
fn what_an_update_copies_into_the_row_before_it_counts() {
    let text = "x".repeat(ROW_BYTES / 3);
    let row = format!(r#"{{"id":1,"s":"{text}"}}"#);
    let two = format!(r#"{{"data":[{row},{row}],"old":[{{"id":0}},{{"id":0}}],"type":"UPDATE"}}"#);
    let one = format!(r#"{{"data":[{{"id":1,"s":"{text}{text}"}}],"old":[{{"id":0}}],"type":"UPDATE"}}"#);
    let whole = format!(r#"{{"data":[{row},{row}],"type":"INSERT"}}"#);
    let canal = decoder("id INT, s STRING", "'format' = 'canal-json'");
    for update in [two, one] {
        assert_eq!(error_of(&canal, None, update.as_bytes()).kind(), ErrorKind::Limit);
    }
    let record = ConsumerRecord::new(None, Some(whole.as_bytes()));
    assert!(canal.decode(&record, &mut DecodeBuf::new()).is_ok(), "the same rows without those before them");
}

#[test]
fn nested_rows_are_bounded_however_wide_they_are() {
    let nested = columns(1_000);
    for options in [
        "'value.format' = 'json'",
        "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
        "'value.format' = 'json', 'value.json.ignore-parse-errors' = 'true'",
        "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false', \
         'value.json.ignore-parse-errors' = 'true'",
        "'value.format' = 'avro', 'value.avro.encoding' = 'json'",
    ] {
        let arrays = decoder(&format!("a ARRAY<ROW<{nested}>>"), options);
        let maps = decoder(&format!("a MAP<STRING, ROW<{nested}>>"), options);
        let list = |size| repeated(r#"{"a":["#, "{},", "{}]}", size);
        let map = |size| repeated(r#"{"a":{"#, r#""k":{},"#, r#""k":{}}}"#, size);
        assert_values_bounded(options, &arrays, list);
        assert_values_bounded(options, &maps, map);
        if !options.contains("avro") {
            assert_eq!(error_of(&arrays, None, &list(10_000)).kind(), ErrorKind::Limit, "{options}");
        }
    }
    // A block of so many records of a thousand nulls.
    let decoder = decoder(&format!("a ARRAY<ROW<{nested}>>"), "'value.format' = 'avro'");
    assert_values_bounded("avro", &decoder, |size| [&[2, 0x80, 0x80, 0x40][..], &vec![0; size]].concat());
}

#[test]
fn changes_of_one_message_are_bounded() {
    let decoder = decoder(&columns(1_000), "'value.format' = 'canal-json'");
    let changes = |size| {
        let list = format!("[{}{{}}]", "{},".repeat(size / 6));
        format!(r#"{{"type":"UPDATE","data":{list},"old":{list}}}"#).into_bytes()
    };
    assert_values_bounded("canal", &decoder, changes);
    assert_eq!(error_of(&decoder, None, &changes(10_000)).kind(), ErrorKind::Limit);
}

#[test]
fn a_buffer_gives_back_what_one_record_has_needed() {
    let text = |size| format!(r#"{{"a":["{}"]}}"#, "x".repeat(size)).into_bytes();
    let list = |size| repeated("[", "{},", "{}]", size);
    for options in [
        "'value.format' = 'json'",
        "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
    ] {
        let decoder = decoder("a ARRAY<STRING>", options).with_limits(Limits::default());
        let (held, _buf) = held_bytes(|| {
            let mut buf = DecodeBuf::new();
            let small = std::iter::repeat_with(|| text(10)).take(16);
            for value in [text(5_000_000), list(200_000)].into_iter().chain(small) {
                assert!(decoder.decode(&ConsumerRecord::new(None, Some(&value)), &mut buf).is_ok());
            }
            buf
        });
        assert!(held <= 4 << 20, "{options}: {held} bytes are held");
    }
}

/// The formats of JSON's reader at one go and of its tree.
const JSONS: [&str; 3] = [
    "'value.format' = 'json'",
    "'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
    "'value.format' = 'json', 'value.json.ignore-parse-errors' = 'true'",
];

#[test]
fn flat_values_are_counted_while_they_grow() {
    let avro = "'value.format' = 'avro'";
    let csv = "'value.format' = 'csv'";
    let json: fn(usize) -> Vec<u8> = |size| repeated(r#"{"a":["#, "0,", "0]}", size);
    let spaced: fn(usize) -> Vec<u8> = |size| repeated(r#"{"a": ["#, "0,", "0]}", size);
    let cells: fn(usize) -> Vec<u8> = |size| repeated("", "0;", "0", size);
    let zeros: fn(usize) -> Vec<u8> = |size| [&[2, 0x80, 0x89, 0x7a][..], &vec![0; size]].concat();
    let jsons = JSONS.iter().flat_map(|options| [(*options, json), (*options, spaced)]);
    for (options, value) in jsons.chain([(csv, cells), (avro, zeros)]) {
        let decoder = decoder("a ARRAY<BOOLEAN NOT NULL>", options);
        assert_values_bounded(options, &decoder, value);
        // Each value takes 32 bytes, and what is refused is refused when there are as many as may be.
        let value = value(4_000_000);
        let peak = peak_bytes(|| {
            let mut buf = DecodeBuf::new();
            let _ = decoder.decode(&ConsumerRecord::new(None, Some(&value)), &mut buf);
            buf
        });
        let tree =
            if options.contains("parser") || options.contains("ignore") { 40 * value.len() } else { 0 };
        assert!(peak <= 4 * ROW_BYTES + tree, "{options}: {peak} bytes");
    }
}

#[test]
fn texts_of_a_schema_are_counted_each_time_they_are_read() {
    let registry = MemorySchemaRegistry::new();
    let schema = format!(
        r#"{{"type":"record","name":"r","fields":[{{"name":"a","type":{{"type":"array","items":
           {{"type":"enum","name":"e","symbols":["{}"]}}}}}}]}}"#,
        "s".repeat(100_000)
    );
    registry.insert(1, schema.clone());
    let settings = Settings::default().with_schema_registry(Arc::new(registry));
    let options = format!(
        "'value.format' = 'avro-confluent', 'value.avro-confluent.url' = 'http://localhost', \
         'value.avro-confluent.schema' = '{schema}'"
    );
    let decoder = decoder_with("a ARRAY<STRING NOT NULL> NOT NULL", &options, &settings);
    // An item takes a byte and becomes 100,000.
    let record = |size| [&[0, 0, 0, 0, 1, 0x80, 0x89, 0x7a][..], &vec![0; size]].concat();
    let schema_bytes = 20 * 100_000;
    assert_bounded("symbols", ALLOWED_BYTES + schema_bytes, record, |value| {
        let mut buf = DecodeBuf::new();
        let _ = decoder.decode(&ConsumerRecord::new(None, Some(value)), &mut buf);
        buf
    });
    assert_eq!(error_of(&decoder, None, &record(10_000)).kind(), ErrorKind::Limit);
}

#[test]
fn maps_of_any_keys_take_memory_and_time_as_their_bytes_do() {
    for options in JSONS.into_iter().chain(["'value.format' = 'avro', 'value.avro.encoding' = 'json'"]) {
        let decoder = decoder("a MAP<STRING, INT NOT NULL> NOT NULL", options);
        let map = |part: fn(usize) -> String| move |size| numbered(r#"{"a":{"#, part, r#""":0}}"#, size);
        assert_values_bounded(options, &decoder, map(|number| format!(r#""{number}":1,"#)));
        assert_values_bounded(options, &decoder, map(|number| format!(r#""{}":1,"#, 9_999_999 - number)));
        assert_values_bounded(options, &decoder, map(|_| r#""k":1,"#.to_owned()));
    }
}

#[test]
fn members_that_a_table_does_not_have_take_time_as_their_bytes_do() {
    let formats = ["debezium-json", "canal-json", "maxwell-json", "ogg-json"]
        .map(|name| format!("'value.format' = '{name}'"));
    for options in JSONS.iter().copied().chain(formats.iter().map(String::as_str)) {
        let decoder = decoder(&columns(100), options);
        let value = |part: fn(usize) -> String| move |size| numbered("{", part, r#""":0}"#, size);
        assert_values_bounded(options, &decoder, value(|number| format!(r#""x{number}":1,"#)));
        assert_values_bounded(options, &decoder, value(|number| format!(r#""c{}":1,"#, number % 100)));
        assert_values_bounded(options, &decoder, value(|_| r#""c99":[],"#.to_owned()));
        assert_values_bounded(
            options,
            &decoder,
            value(|_| r#""after":{},"before":{},"data":[{}],"old":[{}],"#.to_owned()),
        );
    }
}

#[test]
fn nesting_without_end_is_refused_at_once() {
    let formats = ["json", "debezium-json", "canal-json", "maxwell-json", "ogg-json"];
    for options in formats.map(|name| format!("'value.format' = '{name}'")) {
        let decoder = decoder("a INT, data ARRAY<STRING>", &options);
        for part in ["[", r#"{"a":"#, r#"{"data":["#] {
            assert_values_bounded(&options, &decoder, |size| repeated("", part, "", size));
        }
    }
}

#[test]
fn texts_take_memory_and_time_as_their_bytes_do() {
    let escapes: fn(usize) -> Vec<u8> = |size| repeated(r#"{"a":""#, r"\u00e4", r#""}"#, size);
    let letters: fn(usize) -> Vec<u8> = |size| repeated(r#"{"a":""#, "ä", r#""}"#, size);
    let utf_16: fn(usize) -> Vec<u8> = |size| {
        let text = format!(r#"{{"a":"{}"}}"#, "\u{20ac}".repeat(size / 2));
        text.encode_utf16().flat_map(u16::to_be_bytes).collect()
    };
    for options in JSONS {
        let decoder = decoder("a STRING", options);
        [escapes, letters, utf_16].iter().for_each(|value| assert_values_bounded(options, &decoder, value));
    }
    let cells: [fn(usize) -> Vec<u8>; 5] = [
        |size| repeated("\"", "\"\"", "\"", size),
        |size| repeated("\"", "ä\r\n", "\"", size),
        |size| repeated("", ";", "", size),
        |size| repeated("", ",", "", size),
        |size| repeated("", "\\x", "", size),
    ];
    for options in ["", ", 'value.csv.escape-character' = '\\'", ", 'value.csv.ignore-parse-errors' = 'true'"]
    {
        let options = format!("'value.format' = 'csv'{options}");
        let decoder = decoder("a STRING, b ARRAY<STRING>, c STRING", &options);
        cells.iter().for_each(|value| assert_values_bounded(&options, &decoder, value));
    }
    for charset in ["UTF-8", "UTF-16", "UTF-32", "GBK", "ISO-8859-1"] {
        let options = format!("'value.format' = 'raw', 'value.raw.charset' = '{charset}'");
        let decoder = decoder("a STRING", &options);
        for bytes in [&b"\xff"[..], b"\xd8\x00", b"a\x81"] {
            assert_values_bounded(&options, &decoder, |size| bytes.repeat(size / bytes.len()));
        }
    }
}

#[test]
fn numbers_without_end_are_read_in_time_as_their_digits() {
    for data_type in ["INT", "DOUBLE", "DECIMAL(38, 10)", "TIMESTAMP(9)", "BYTES"] {
        for options in JSONS.into_iter().chain(["'value.format' = 'csv'"]) {
            let decoder = decoder(&format!("a {data_type}"), options);
            let (start, end) = if options.contains("csv") { ("", "") } else { (r#"{"a":"#, "}") };
            let quoted = (format!("{start}\""), format!("\"{end}"));
            for part in ["9", "0.", "1e", "-"] {
                assert_values_bounded(options, &decoder, |size| repeated(start, part, end, size));
                assert_values_bounded(options, &decoder, |size| repeated(&quoted.0, part, &quoted.1, size));
            }
        }
    }
}
