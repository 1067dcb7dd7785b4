//! Key bytes to partition.

#![allow(missing_docs, reason = "a bench")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::partition_for_key;

mod common;

use common::{PARTITIONS, ROWS, orders};

fn partition(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("partition");
    group.throughput(Throughput::Elements(ROWS as u64));
    let records = orders::records();
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders"), |bencher| {
        bencher.iter(|| {
            records.iter().map(|(key, _)| partition_for_key(black_box(key), PARTITIONS)).sum::<i32>()
        });
    });
    group.bench_function(BenchmarkId::new("murmur2", "orders"), |bencher| {
        let hash = |key: &[u8]| murmur2::murmur2(black_box(key), murmur2::KAFKA_SEED);
        bencher.iter(|| {
            records.iter().map(|(key, _)| (hash(key) & 0x7fff_ffff) % PARTITIONS.cast_unsigned()).sum::<u32>()
        });
    });
    group.finish();
}

criterion_group!(benches, partition);
criterion_main!(benches);
