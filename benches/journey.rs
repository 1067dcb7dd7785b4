//! Rows to finished batches of 12 partitions: everything a producer needs before the socket.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

mod common;

use common::peers::serde::OrderValue;
use common::peers::{kafka_protocol, serde_map};
use common::{NOW_MS, PARTITIONS, ROWS, orders};

fn journey(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("journey");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    let peer_rows: Vec<_> =
        rows.iter().map(|(kind, row)| (kind.is_retraction(), OrderValue::of(row))).collect();
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders"), |bencher| {
        let mut accumulator = orders::accumulator();
        bencher.iter(|| {
            for (kind, row) in &rows {
                accumulator.append(*kind, row, NOW_MS).unwrap();
            }
            for batch in accumulator.flush().unwrap() {
                black_box(batch);
            }
        });
    });
    group.bench_function(BenchmarkId::new("serde", "orders"), |bencher| {
        bencher.iter(|| peer_journey(&peer_rows, OrderValue::encode));
    });
    group.bench_function(BenchmarkId::new("serde-map", "orders"), |bencher| {
        bencher.iter(|| peer_journey(&peer_rows, serde_map::encode));
    });
    group.finish();
}

/// The stack of most Rust users: serde, the murmur2 crate, kafka-protocol's records and encoder.
fn peer_journey(rows: &[(bool, OrderValue)], encode: impl Fn(&OrderValue, bool, &mut Vec<u8>, &mut Vec<u8>)) {
    let mut partitions: Vec<Vec<_>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
    let (mut key, mut value) = (Vec::new(), Vec::new());
    for (tombstone, row) in rows {
        encode(row, *tombstone, &mut key, &mut value);
        let hash = murmur2::murmur2(&key, murmur2::KAFKA_SEED) & 0x7fff_ffff;
        let records = &mut partitions[(hash % PARTITIONS as u32) as usize];
        let value = (!tombstone).then(|| Bytes::copy_from_slice(&value));
        records.push(kafka_protocol::record(records.len(), Bytes::copy_from_slice(&key), value));
    }
    for records in &partitions {
        black_box(kafka_protocol::encode(records));
    }
}

criterion_group!(benches, journey);
criterion_main!(benches);
