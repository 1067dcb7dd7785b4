//! Size and time of each codec and level on `orders`, written and read, in batches of 16 KB and of 1 MB: a table.
//!
//! ```text
//! cargo bench --all-features --bench compression
//! ```

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use upsert_kafka::record::{Compression, RecordBatchBuilder};
use upsert_kafka::{Limits, Record, RecordBatches};

mod common;

use common::{KeyAndValue, NOW_MS, orders};

/// 1.4 MB.
const ORDERS: usize = 8192;
/// Each cell is the best of as many runs as fit into this.
const TIME_A_CELL: Duration = Duration::from_millis(400);

/// Codecs and levels; Kafka's default is marked.
const CODECS: [(Compression, Option<i32>, &str); 17] = [
    (Compression::None, None, "none"),
    (Compression::Snappy, None, "snappy"),
    (Compression::Lz4, Some(9), "lz4 9, the default"),
    (Compression::Lz4, Some(1), "lz4 1"),
    (Compression::Lz4, Some(4), "lz4 4"),
    (Compression::Lz4, Some(8), "lz4 8"),
    (Compression::Lz4, Some(12), "lz4 12"),
    (Compression::Lz4, Some(17), "lz4 17"),
    (Compression::Zstd, Some(-5), "zstd -5"),
    (Compression::Zstd, Some(-1), "zstd -1"),
    (Compression::Zstd, Some(1), "zstd 1"),
    (Compression::Zstd, Some(2), "zstd 2"),
    (Compression::Zstd, Some(3), "zstd 3, the default"),
    (Compression::Zstd, Some(4), "zstd 4"),
    (Compression::Gzip, Some(1), "gzip 1"),
    (Compression::Gzip, Some(-1), "gzip -1, the default"),
    (Compression::Gzip, Some(9), "gzip 9"),
];

fn main() {
    let records = orders::records_of(ORDERS);
    for max_bytes in [16 << 10, 1 << 20] {
        println!("\nBatches of {} KB:\n", max_bytes >> 10);
        println!("| codec | size | written, ns a row | read, ns a row |");
        println!("|---|---|---|---|");
        let plain: usize = written(Compression::None, None, max_bytes, &records).iter().map(Bytes::len).sum();
        for (compression, level, name) in CODECS {
            let batches = written(compression, level, max_bytes, &records);
            let size: usize = batches.iter().map(Bytes::len).sum();
            let write = nanos_a_row(|| written(compression, level, max_bytes, &records).len());
            let read = nanos_a_row(|| batches.iter().map(count).sum());
            println!("| {name} | {:.1} % | {write:.0} | {read:.0} |", 100.0 * size as f64 / plain as f64);
        }
    }
}

/// The records in batches, as an accumulator makes them.
fn written(
    compression: Compression,
    level: Option<i32>,
    max_bytes: usize,
    records: &[KeyAndValue],
) -> Vec<Bytes> {
    let builder = RecordBatchBuilder::new().with_max_bytes(max_bytes);
    let mut builder = match level {
        Some(level) => builder.with_compression_level(compression, level),
        None => builder.with_compression(compression),
    }
    .unwrap();
    let mut batches = Vec::new();
    for (key, value) in records {
        let record = Record::new(key.as_deref(), value.as_deref()).with_timestamp(NOW_MS);
        if !builder.append(&record).unwrap() {
            batches.push(builder.finish());
            assert!(builder.append(&record).unwrap());
        }
    }
    batches.push(builder.finish());
    batches
}

/// Reads the records of a batch.
fn count(batch: &Bytes) -> usize {
    RecordBatches::new(batch, Limits::default()).records().map(|record| black_box(record.unwrap())).count()
}

fn nanos_a_row(run: impl Fn() -> usize) -> f64 {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < TIME_A_CELL {
        let start = Instant::now();
        black_box(run());
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64 / ORDERS as f64
}
