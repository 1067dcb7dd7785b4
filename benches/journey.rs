//! Rows to finished batches of 12 partitions: everything a producer needs before the socket.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use bytes::{BufMut, Bytes, BytesMut};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

mod common;
#[path = "common/serde_exact.rs"]
mod serde_exact;

use common::peers::{kafka_protocol, serde_tuned};
use common::{NOW_MS, PARTITIONS, ROWS, orders};
use serde_exact::OrderValue;

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
        bencher.iter(|| peer_journey(&peer_rows));
    });
    group.bench_function(BenchmarkId::new("serde-tuned", "orders"), |bencher| {
        let rows: Vec<_> =
            rows.iter().map(|(kind, row)| (kind.is_retraction(), serde_tuned::OrderValue::of(row))).collect();
        let mut partitions: Vec<Vec<_>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
        let mut bytes = BytesMut::new();
        bencher.iter(|| tuned_journey(&rows, &mut partitions, &mut bytes));
    });
    group.finish();
}

/// The stack of most Rust users: serde, the murmur2 crate, kafka-protocol's records and encoder.
fn peer_journey(rows: &[(bool, OrderValue)]) {
    let mut partitions: Vec<Vec<_>> = (0..PARTITIONS).map(|_| Vec::new()).collect();
    let (mut key, mut value) = (Vec::new(), Vec::new());
    for (tombstone, row) in rows {
        row.encode(*tombstone, &mut key, &mut value);
        let hash = murmur2::murmur2(&key, murmur2::KAFKA_SEED) & 0x7fff_ffff;
        let records = &mut partitions[(hash % PARTITIONS as u32) as usize];
        let value = (!tombstone).then(|| Bytes::copy_from_slice(&value));
        records.push(kafka_protocol::record(records.len(), Bytes::copy_from_slice(&key), value));
    }
    for records in &partitions {
        black_box(kafka_protocol::encode(records));
    }
}

/// The same by a careful user: keys and values are split off one buffer, and all vectors are reused.
fn tuned_journey(
    rows: &[(bool, serde_tuned::OrderValue<'_>)],
    partitions: &mut [Vec<::kafka_protocol::records::Record>],
    bytes: &mut BytesMut,
) {
    for (tombstone, row) in rows {
        let key = serde_tuned::Key { order_id: row.order_id };
        serde_json::to_writer((&mut *bytes).writer(), &key).unwrap();
        let key = bytes.split().freeze();
        let value = (!tombstone).then(|| {
            serde_json::to_writer((&mut *bytes).writer(), row).unwrap();
            bytes.split().freeze()
        });
        let hash = murmur2::murmur2(&key, murmur2::KAFKA_SEED) & 0x7fff_ffff;
        let records = &mut partitions[(hash % PARTITIONS as u32) as usize];
        records.push(kafka_protocol::record(records.len(), key, value));
    }
    for records in partitions {
        black_box(kafka_protocol::encode(records));
        records.clear();
    }
}

criterion_group!(benches, journey);
criterion_main!(benches);
