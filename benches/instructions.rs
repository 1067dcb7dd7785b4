//! Instructions a row, counted by callgrind: unlike times, the same on a busy machine.
//!
//! ```text
//! cargo bench --features arrow,serde --bench instructions              fails above benches/instructions.toml
//! cargo bench --features arrow,serde --bench instructions -- --update  writes it
//! ```
//!
//! A step runs in processes of its own, with few rounds and with more: the difference is without what comes before.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::process::ExitCode;
use std::{env, fs};

use upsert_kafka::record::RecordBatchBuilder;
use upsert_kafka::{
    ChangelogNormalizer, ConsumerRecord, DecodeBuf, Decoder, Encoder, Limits, Record, RecordBatches,
    RecordBuf, Row, RowKind, partition_for_key,
};

#[path = "common/callgrind.rs"]
mod callgrind;
mod common;
mod doors;

use callgrind::count;
use common::normalizer::{Upsert, Upserts};
use common::shapes::{self, Shape};
use common::{KeyAndValue, NOW_MS, PARTITIONS, ROWS, connect, encoded, formats, orders};

const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.toml");

/// How much more than is stored there may be, in percent.
const TOLERANCE: f64 = 3.0;

/// A name, and what runs so many rounds over its rows.
type Step = (&'static str, fn(usize));

/// Named as criterion names them.
const STEPS: &[Step] = &[
    ("decode/cjk", |rounds| decode_shape(&shapes::cjk(), rounds)),
    ("decode/keyed", |rounds| decode_shape(&shapes::keyed(), rounds)),
    ("decode/nested", |rounds| decode_shape(&shapes::nested(), rounds)),
    ("decode/orders", |rounds| decode_upserts("json", rounds)),
    ("decode/orders-arrow", doors::decode_arrow),
    ("decode/orders-avro", |rounds| decode_upserts("avro", rounds)),
    ("decode/orders-canal-json", |rounds| decode_changes("canal-json", rounds)),
    ("decode/orders-connect", |rounds| decode_connect(false, rounds)),
    ("decode/orders-connect-schema", |rounds| decode_connect(true, rounds)),
    ("decode/orders-csv", |rounds| decode_upserts("csv", rounds)),
    ("decode/orders-debezium-json", |rounds| decode_changes("debezium-json", rounds)),
    ("decode/orders-maxwell-json", |rounds| decode_changes("maxwell-json", rounds)),
    ("decode/orders-ogg-json", |rounds| decode_changes("ogg-json", rounds)),
    ("decode/orders-serde", doors::decode_serde),
    ("decode/orders-struct", doors::decode_struct),
    ("decode/shuffled", |rounds| decode_spelled("shuffled", rounds)),
    ("decode/spaced", |rounds| decode_spelled("spaced", rounds)),
    ("decode/sparse", |rounds| decode_spelled("sparse", rounds)),
    ("decode/text", |rounds| decode_shape(&shapes::text(), rounds)),
    ("decode/wide", |rounds| decode_shape(&shapes::wide(), rounds)),
    ("encode/cjk", |rounds| encode_shape(&shapes::cjk(), rounds)),
    ("encode/keyed", |rounds| encode_shape(&shapes::keyed(), rounds)),
    ("encode/nested", |rounds| encode_shape(&shapes::nested(), rounds)),
    ("encode/orders", |rounds| encode_orders(&formats::upsert("json").0, rounds)),
    ("encode/orders-arrow", doors::encode_arrow),
    ("encode/orders-avro", |rounds| encode_orders(&formats::upsert("avro").0, rounds)),
    ("encode/orders-csv", |rounds| encode_orders(&formats::upsert("csv").0, rounds)),
    ("encode/orders-debezium-json", |rounds| encode_orders(&formats::changelog("debezium-json").0, rounds)),
    ("encode/orders-serde", doors::encode_serde),
    ("encode/orders-struct", doors::encode_struct),
    ("encode/text", |rounds| encode_shape(&shapes::text(), rounds)),
    ("encode/wide", |rounds| encode_shape(&shapes::wide(), rounds)),
    ("journey/orders", journey),
    ("journey/orders-arrow", doors::journey_arrow),
    ("journey/orders-struct", doors::journey_struct),
    ("journey_back/orders", journey_back),
    ("normalizer/mixed", normalize_mixed),
    ("normalizer/unchanged", normalize_unchanged),
    ("partition/orders", partition),
    ("read_batch/orders", read_batch),
    ("record_batch/orders", record_batch),
];

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => compare(&count_all()),
        ["--update"] => update(&count_all()),
        [name, rounds] => {
            let (_, step) = STEPS.iter().find(|(step, _)| step == name).expect("a step");
            step(rounds.parse().unwrap());
            ExitCode::SUCCESS
        }
        other => panic!("expected nothing or --update, found {other:?}"),
    }
}

fn compare(counted: &BTreeMap<&str, f64>) -> ExitCode {
    let text = fs::read_to_string(STORED).expect("stored counts");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let stored: BTreeMap<&str, f64> = lines
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, count)| (name.trim_matches('"'), count.parse().expect("a number")))
        .collect();
    if !stored.keys().eq(counted.keys()) {
        println!("{STORED} has other steps: write it with --update");
        return ExitCode::FAILURE;
    }
    let mut result = ExitCode::SUCCESS;
    for (name, count) in counted {
        let stored = stored[name];
        let change = (count / stored - 1.0) * 100.0;
        let verdict = match change {
            _ if change > TOLERANCE => ": too many",
            _ if change < -TOLERANCE => ": fewer, store them with --update",
            _ => "",
        };
        println!("{name:27} {stored:10.1} stored {count:10.1} counted {change:+6.1} %{verdict}");
        if change > TOLERANCE {
            result = ExitCode::FAILURE;
        }
    }
    result
}

fn update(counted: &BTreeMap<&str, f64>) -> ExitCode {
    let mut text =
        "# Instructions a row. Written by: cargo bench --features arrow,serde --bench instructions -- --update\n"
            .to_owned();
    for (name, count) in counted {
        writeln!(text, "\"{name}\" = {count:.1}").unwrap();
    }
    print!("{text}");
    fs::write(STORED, text).unwrap();
    ExitCode::SUCCESS
}

fn count_all() -> BTreeMap<&'static str, f64> {
    // Buffers have grown after the first two rounds.
    let a_row = |name| (count(&[name, "6"]) - count(&[name, "2"])) / (4 * ROWS) as f64;
    STEPS.iter().map(|(name, _)| (*name, a_row(name))).collect()
}

fn encode_orders(encoder: &Encoder, rounds: usize) {
    encode(encoder, &orders::changelog(), rounds);
}

fn encode_shape<R: Row>(shape: &Shape<R>, rounds: usize) {
    encode(&shape.encoder(), &shape.rows, rounds);
}

fn encode<R: Row>(encoder: &Encoder, rows: &[(RowKind, R)], rounds: usize) {
    let mut buf = RecordBuf::new();
    for _ in 0..rounds {
        for (kind, row) in rows {
            black_box(encoder.encode(*kind, row, &mut buf).unwrap());
        }
    }
}

fn partition(rounds: usize) {
    let records = orders::records();
    for _ in 0..rounds {
        for (key, _) in &records {
            black_box(partition_for_key(black_box(key), PARTITIONS));
        }
    }
}

fn record_batch(rounds: usize) {
    let (records, mut builder) = (orders::records(), RecordBatchBuilder::new());
    for _ in 0..rounds {
        for (key, value) in &records {
            let record = Record::new(Some(key), value.as_deref()).with_timestamp(NOW_MS);
            assert!(builder.append(&record).unwrap());
        }
        black_box(builder.finish());
    }
}

fn journey(rounds: usize) {
    let (rows, mut accumulator) = (orders::changelog(), orders::accumulator());
    for _ in 0..rounds {
        for (kind, row) in &rows {
            accumulator.append(*kind, row, NOW_MS).unwrap();
        }
        for batch in accumulator.flush().unwrap() {
            black_box(batch);
        }
    }
}

fn decode_upserts(format: &str, rounds: usize) {
    let (encoder, decoder) = formats::upsert(format);
    decode(&encoded(&encoder, &orders::changelog()), &decoder, rounds);
}

fn decode_changes(format: &str, rounds: usize) {
    let (encoder, decoder) = formats::changelog(format);
    decode(&encoded(&encoder, &orders::changelog()), &decoder, rounds);
}

/// An event a row.
fn decode_connect(with_schema: bool, rounds: usize) {
    let (events, decoder, mut buf) = (connect::events(with_schema), connect::decoder(), DecodeBuf::new());
    (0..rounds).for_each(|_| connect::decode(&events, &decoder, &mut buf));
}

fn decode_shape<R: Row>(shape: &Shape<R>, rounds: usize) {
    decode(&encoded(&shape.encoder(), &shape.rows), &shape.decoder(), rounds);
}

fn decode_spelled(name: &str, rounds: usize) {
    let (_, spelling) = orders::SPELLINGS.iter().find(|(spelling, _)| *spelling == name).unwrap();
    decode(&orders::spelled(*spelling), &orders::decoder(), rounds);
}

fn decode(records: &[KeyAndValue], decoder: &Decoder, rounds: usize) {
    let mut buf = DecodeBuf::new();
    for _ in 0..rounds {
        for (key, value) in records {
            let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
            black_box(decoder.decode(&record, &mut buf).unwrap());
        }
    }
}

/// Two fetches take two rounds.
fn journey_back(rounds: usize) {
    let fetched =
        [orders::changelog(), orders::later_changelog()].map(|rows| orders::batches(&rows)).concat();
    let (decoder, mut buf) = (orders::decoder(), DecodeBuf::new());
    let mut normalizer = ChangelogNormalizer::new(8, &[0]);
    for _ in 0..rounds / 2 {
        for batch in fetched.iter().flat_map(|fetched| RecordBatches::new(fetched, Limits::default())) {
            for record in batch.unwrap().records() {
                for (kind, row) in decoder.decode(&record.unwrap(), &mut buf).unwrap().rows() {
                    black_box(normalizer.apply(kind, row, 0).unwrap());
                }
            }
        }
    }
}

fn normalize_mixed(rounds: usize) {
    let upserts = Upserts::new(ROWS);
    normalize((0..rounds * ROWS).map(|n| upserts.nth(n)));
}

fn normalize_unchanged(rounds: usize) {
    let upserts = Upserts::new(ROWS);
    normalize((0..rounds * ROWS).map(|n| (RowKind::UpdateAfter, upserts.of_key(n % ROWS, 0))));
}

fn normalize<'a>(upserts: impl Iterator<Item = (RowKind, Upsert<'a>)>) {
    let mut normalizer = ChangelogNormalizer::new(8, &[0]);
    for (kind, row) in upserts {
        black_box(normalizer.apply(kind, &row, 0).unwrap());
    }
}

fn read_batch(rounds: usize) {
    let mut builder = RecordBatchBuilder::new();
    for (key, value) in &orders::records() {
        builder.append(&Record::new(Some(key), value.as_deref()).with_timestamp(NOW_MS)).unwrap();
    }
    let bytes = builder.finish();
    for _ in 0..rounds {
        for batch in RecordBatches::new(&bytes, Limits::default()) {
            for record in batch.unwrap().records() {
                black_box(record.unwrap());
            }
        }
    }
}
