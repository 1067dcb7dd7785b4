//! A small record takes small memory and small time, whoever wrote it.
//!
//! Memory is the peak that an allocator counts, time the sum of all bytes that were ever taken: both have to follow the
//! bytes of the input, and what [`Limits`] allow.

#[allow(unsafe_code, reason = "an allocator that counts is one")]
mod counting;

use counting::{TAKEN_BYTES, held_bytes, peak_bytes};
use upsert_kafka::format::AvroSchema;
use upsert_kafka::partition::PartitionInput;
use upsert_kafka::{
    ConsumerRecord, DecodeBuf, Decoder, Error, ErrorKind, Limits, Record, RecordAccumulator, Settings, Table,
};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// What a byte of input may take, and what a reader may take in any case.
const BYTES_A_BYTE: usize = 64;
const BYTES_IN_ANY_CASE: usize = 64 << 10;

/// What the rows of a key, of a value and of both may take; a vector that doubles holds twice as much while it moves.
const ROW_BYTES: usize = 1 << 20;
const ALLOWED_BYTES: usize = 3 * 2 * ROW_BYTES;

fn decoder(columns: &str, options: &str) -> Decoder {
    let connector = if columns.contains("PRIMARY KEY") {
        "'connector' = 'upsert-kafka'"
    } else {
        "'connector' = 'kafka', 'scan.startup.mode' = 'earliest-offset'"
    };
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t ({columns}) WITH ({connector}, 'topic' = 't', \
         'properties.bootstrap.servers' = 'b:9092', {options})"
    ));
    let decoder = table.expect("a table").source(&Settings::default()).expect("a source").decoder();
    decoder.with_limits(Limits::default().with_max_row_bytes(ROW_BYTES))
}

/// A start, a part as often as it takes to reach `size`, and an end.
fn repeated(start: &str, part: &str, end: &str, size: usize) -> Vec<u8> {
    [start, &part.repeat(size.div_ceil(part.len())), end].concat().into_bytes()
}

/// Ten times the input may take so many times the bytes: a buffer that doubles grows by powers of two, here by 2^4.
const TIMES: usize = 16;

/// Decodes inputs of all sizes: the peak is bounded, and what is taken in all grows no faster than the input.
fn assert_bounded(what: &str, decoder: &Decoder, record: impl Fn(usize) -> (Option<Vec<u8>>, Vec<u8>)) {
    let mut taken_before = None;
    for size in SIZES {
        let (key, value) = record(size);
        let input = key.as_ref().map_or(0, Vec::len) + value.len();
        let taken = TAKEN_BYTES.get();
        let peak = peak_bytes(|| {
            let mut buf = DecodeBuf::new();
            let _ = decoder.decode(&ConsumerRecord::new(key.as_deref(), Some(&value)), &mut buf);
            buf
        });
        let taken = TAKEN_BYTES.get() - taken;
        let most = BYTES_A_BYTE * input + BYTES_IN_ANY_CASE + ALLOWED_BYTES;
        assert!(peak <= most, "{what}: {input} bytes make a reader hold {peak}, more than {most}");
        let most = taken_before.map_or(usize::MAX, |before: usize| TIMES * before);
        assert!(taken <= most, "{what}: {input} bytes make a reader take {taken} in all, more than {most}");
        taken_before = Some(taken);
    }
}

fn error_of(decoder: &Decoder, key: Option<&[u8]>, value: &[u8]) -> Error {
    let mut buf = DecodeBuf::new();
    decoder.decode(&ConsumerRecord::new(key, Some(value)), &mut buf).expect_err("it is beyond a limit")
}

/// `c0 INT, c1 INT, ..`
fn columns(count: usize) -> String {
    (0..count).map(|column| format!("c{column} INT")).collect::<Vec<_>>().join(", ")
}

#[test]
fn rows_of_key_times_rows_of_value_are_bounded() {
    let options = "'key.format' = 'json', 'value.format' = 'json'";
    let decoder = decoder("k INT, v INT, PRIMARY KEY (k) NOT ENFORCED", options);
    let list = |size| repeated("[", "{},", "{}]", size);
    assert_bounded("key times value", &decoder, |size| (Some(list(size)), list(size)));
    let error = error_of(&decoder, Some(&list(10_000)), &list(10_000));
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Limit, "the rows of the record take more than the limit of 1048576 bytes")
    );
    let few = decoder.with_limits(Limits::default().with_max_rows(1_000));
    let error = error_of(&few, Some(&list(300)), &list(300));
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Limit, "the record holds more rows than the limit of 1000")
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
        assert_bounded(options, &decoder, |size| (None, list(size)));
        assert_eq!(error_of(&decoder, None, &list(10_000)).kind(), ErrorKind::Limit, "{options}");
    }
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
        assert_bounded(options, &arrays, |size| (None, list(size)));
        assert_bounded(options, &maps, |size| (None, map(size)));
        if !options.contains("avro") {
            assert_eq!(error_of(&arrays, None, &list(10_000)).kind(), ErrorKind::Limit, "{options}");
        }
    }
    // A block of so many records of a thousand nulls.
    let decoder = decoder(&format!("a ARRAY<ROW<{nested}>>"), "'value.format' = 'avro'");
    assert_bounded("avro", &decoder, |size| (None, [&[2, 0x80, 0x80, 0x40][..], &vec![0; size]].concat()));
}

#[test]
fn changes_of_one_message_are_bounded() {
    let decoder = decoder(&columns(1_000), "'value.format' = 'canal-json'");
    let changes = |size| {
        let list = format!("[{}{{}}]", "{},".repeat(size / 6));
        format!(r#"{{"type":"UPDATE","data":{list},"old":{list}}}"#).into_bytes()
    };
    assert_bounded("canal", &decoder, |size| (None, changes(size)));
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

#[test]
fn a_namespace_is_not_held_for_each_of_its_names() {
    for size in SIZES {
        let types = (0..size / 2 / 60).map(|index| {
            format!(r#"{{"name":"f{index}","type":{{"type":"fixed","name":"F{index}","size":1}}}}"#)
        });
        let text = format!(
            r#"{{"type":"record","name":"R","namespace":"{}","fields":[{}]}}"#,
            "n".repeat(size / 2),
            types.collect::<Vec<_>>().join(",")
        );
        let peak = peak_bytes(|| AvroSchema::parse(&text));
        let most = BYTES_A_BYTE * text.len() + (1 << 20);
        assert!(peak <= most, "{} bytes of schema make a reader hold {peak}, more than {most}", text.len());
    }
}

#[test]
fn an_accumulator_takes_memory_for_the_partitions_that_it_uses() {
    let mut next = 0;
    let peak = peak_bytes(|| {
        let mut accumulator =
            RecordAccumulator::new("t", 1 << 22).with_partitioner(move |input: &PartitionInput<'_>| {
                next += input.partitions / 20;
                next - 1
            });
        for _ in 0..20 {
            accumulator.append_record(&Record::tombstone(b"k"), 0).expect("a record");
        }
        accumulator
    });
    assert!(peak <= 8 << 20, "20 records take {peak} bytes");
}
