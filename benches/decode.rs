//! Record to row.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::{ConsumerRecord, DecodeBuf};

mod common;

use common::peers::serde::{BorrowedOrder, Key};
use common::peers::serde_map;
use common::{ROWS, orders};

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(ROWS as u64));
    let records = orders::records();
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders"), |bencher| {
        let (decoder, mut buf) = (orders::decoder(), DecodeBuf::new());
        bencher.iter(|| {
            for (key, value) in &records {
                let record = ConsumerRecord::new(Some(key), value.as_deref());
                decoder.decode(&record, &mut buf).unwrap();
                black_box(buf.rows());
            }
        });
    });
    group.bench_function(BenchmarkId::new("serde", "orders"), |bencher| {
        bencher.iter(|| {
            for (key, value) in &records {
                black_box(serde_json::from_slice::<Key>(key).unwrap());
                if let Some(value) = value {
                    black_box(serde_json::from_slice::<BorrowedOrder<'_>>(value).unwrap());
                }
            }
        });
    });
    group.bench_function(BenchmarkId::new("serde-map", "orders"), |bencher| {
        bencher.iter(|| {
            for (key, value) in &records {
                let key: serde_json::Value = serde_json::from_slice(key).unwrap();
                black_box(key["order_id"].as_i64().unwrap());
                if let Some(value) = value {
                    black_box(serde_map::decode(value));
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, decode);
criterion_main!(benches);
