//! Record to row.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder};

mod common;

use common::peers::{serde, serde_map};
use common::{KeyAndValue, ROWS, encoded, formats, orders};

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    let (encoder, decoder) = formats::upsert("json");
    ours(&mut group, "orders", &encoded(&encoder, &rows), &decoder);
    let records = orders::records();
    group.bench_function(BenchmarkId::new("serde", "orders"), |bencher| {
        bencher.iter(|| {
            for (key, value) in &records {
                black_box(serde::decode_key(key));
                black_box(value.as_deref().map(serde::decode));
            }
        });
    });
    group.bench_function(BenchmarkId::new("serde-map", "orders"), |bencher| {
        bencher.iter(|| {
            for (key, value) in &records {
                black_box(serde_map::decode_key(key));
                black_box(value.as_deref().map(serde_map::decode));
            }
        });
    });
    for format in formats::OF_INSERTS {
        let (encoder, decoder) = formats::upsert(format);
        let records = encoded(&encoder, &rows);
        ours(&mut group, &format!("orders-{format}"), &records, &decoder);
    }
    let (encoder, decoder) = formats::raw();
    let records = encoded(&encoder, &formats::raw_rows(&rows));
    ours(&mut group, "orders-raw", &records, &decoder);
    for format in formats::OF_CHANGES {
        let (encoder, decoder) = formats::changelog(format);
        let records = encoded(&encoder, &rows);
        ours(&mut group, &format!("orders-{format}"), &records, &decoder);
    }
    group.finish();
}

fn ours(
    group: &mut BenchmarkGroup<'_, WallTime>,
    workload: &str,
    records: &[KeyAndValue],
    decoder: &Decoder,
) {
    group.bench_function(BenchmarkId::new("upsert-kafka", workload), |bencher| {
        let mut buf = DecodeBuf::new();
        bencher.iter(|| {
            for (key, value) in records {
                let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
                black_box(decoder.decode(&record, &mut buf).unwrap());
            }
        });
    });
}

criterion_group!(benches, decode);
criterion_main!(benches);
