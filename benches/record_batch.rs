//! Encoded key and value slices to one finished batch of 1024 records.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::Record;
use upsert_kafka::record::RecordBatchBuilder;

mod common;

use common::peers::kafka_protocol;
use common::{NOW_MS, ROWS, orders};

fn record_batch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("record_batch");
    group.throughput(Throughput::Elements(ROWS as u64));
    let records = orders::records();
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders"), |bencher| {
        let mut builder = RecordBatchBuilder::new();
        bencher.iter(|| {
            for (key, value) in &records {
                let record = Record::new(Some(key), value.as_deref()).with_timestamp(NOW_MS);
                assert!(builder.append(&record).unwrap());
            }
            black_box(builder.finish())
        });
    });
    group.bench_function(BenchmarkId::new("kafka-protocol", "orders"), |bencher| {
        bencher.iter(|| {
            let records: Vec<_> = records
                .iter()
                .enumerate()
                .map(|(offset, (key, value))| {
                    let value = value.as_deref().map(Bytes::copy_from_slice);
                    kafka_protocol::record(offset, Bytes::copy_from_slice(key), value)
                })
                .collect();
            black_box(kafka_protocol::encode(&records))
        });
    });
    group.finish();
}

criterion_group!(benches, record_batch);
criterion_main!(benches);
