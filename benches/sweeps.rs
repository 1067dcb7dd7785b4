//! How the cost of a row grows: with its columns, with the length of its texts, and with the partitions of its topic.
//!
//! What it costs to remember more keys is in `normalizer`, what threads bring in `encode`.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]
#![allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "counts of a bench")]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::{ConsumerRecord, Datum, DecodeBuf, RecordBuf, RowKind, Settings, Table};

mod common;

use common::{NOW_MS, ROWS, encoded, formats, orders};

fn sweeps(criterion: &mut Criterion) {
    columns(criterion);
    string_length(criterion);
    partitions(criterion);
}

/// Of the four types that are most used, in turn; the first is the key.
fn columns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("columns");
    let texts: Vec<_> = (0..ROWS).map(|i| format!("text-{i:06}")).collect();
    for columns in [1, 2, 4, 8, 16, 32, 64, 128] {
        let types = ["BIGINT", "STRING", "INT", "BOOLEAN"].into_iter().cycle();
        let types: Vec<_> = types.take(columns).collect();
        let datum = |row: usize, column: usize| match column % 4 {
            0 => Datum::BigInt((row * 7919 + column) as i64),
            1 => Datum::String(&texts[row]),
            2 => Datum::Int((row + column) as i32),
            _ => Datum::Boolean((row + column).is_multiple_of(3)),
        };
        let rows: Vec<Vec<_>> =
            (0..ROWS).map(|row| (0..columns).map(|column| datum(row, column)).collect()).collect();
        both_ways(&mut group, columns, &table(&types), &rows);
    }
    group.finish();
}

/// A key and a text of ASCII without escapes.
fn string_length(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("string_length");
    for length in [4, 16, 64, 256, 1024, 4096, 16_384] {
        let text = "The quick brown fox jumps over the lazy dog. ".repeat(length / 45 + 1);
        let rows: Vec<Vec<_>> = (0..ROWS / 16)
            .map(|row| vec![Datum::BigInt(row as i64 * 7919), Datum::String(&text[..length])])
            .collect();
        both_ways(&mut group, length, &table(&["BIGINT", "STRING"]), &rows);
    }
    group.finish();
}

fn table(types: &[&str]) -> Table {
    let columns: Vec<_> =
        types.iter().enumerate().map(|(column, name)| format!("c{column} {name}")).collect();
    let ddl = format!(
        "CREATE TABLE t ({}, PRIMARY KEY (c0) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't', \
         'properties.bootstrap.servers' = 'localhost:9092', 'key.format' = 'json', 'value.format' = 'json')",
        columns.join(", ")
    );
    Table::from_ddl(&ddl).unwrap()
}

fn both_ways(group: &mut BenchmarkGroup<'_, WallTime>, value: usize, table: &Table, rows: &[Vec<Datum<'_>>]) {
    group.throughput(Throughput::Elements(rows.len() as u64));
    let encoder = table.sink(&Settings::default()).unwrap().encoder();
    let rows: Vec<_> = rows.iter().map(|row| (RowKind::UpdateAfter, row)).collect();
    group.bench_function(BenchmarkId::new("encode", value), |bencher| {
        let mut buf = RecordBuf::new();
        bencher.iter(|| {
            for (kind, row) in &rows {
                black_box(encoder.encode(*kind, *row, &mut buf).unwrap());
            }
        });
    });
    let records = encoded(&encoder, &rows);
    let decoder = table.source(&Settings::default()).unwrap().decoder();
    group.bench_function(BenchmarkId::new("decode", value), |bencher| {
        let mut buf = DecodeBuf::new();
        bencher.iter(|| {
            for (key, value) in &records {
                let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
                black_box(decoder.decode(&record, &mut buf).unwrap());
            }
        });
    });
}

/// Rows to finished batches, with a flush every 1024 rows.
fn partitions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("partitions");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    for partitions in [1, 4, 16, 64, 256, 1024] {
        let mut batches = formats::upsert_sink("json").accumulator(partitions);
        group.bench_function(BenchmarkId::new("journey", partitions), |bencher| {
            bencher.iter(|| {
                for (kind, row) in &rows {
                    batches.append(*kind, row, NOW_MS).unwrap();
                }
                batches.flush().unwrap().for_each(|batch| drop(black_box(batch)));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
