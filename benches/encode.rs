//! Row to key and value bytes.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::Serialize;
use upsert_kafka::{Encoder, RecordBuf, Row, RowKind};

mod common;
#[path = "common/serde_exact.rs"]
mod serde_exact;

use common::peers::serde_tuned;
use common::shapes::{self, Shape};
use common::{ROWS, formats, orders};
use serde_exact::OrderValue;

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    let peer_rows: Vec<_> =
        rows.iter().map(|(kind, row)| (kind.is_retraction(), OrderValue::of(row))).collect();
    ours(&mut group, "orders", &orders::encoder(), &rows);
    group.bench_function(BenchmarkId::new("serde", "orders"), |bencher| {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (tombstone, row) in &peer_rows {
                row.encode(*tombstone, &mut key, &mut value);
                black_box((&key, &value));
            }
        });
    });
    group.bench_function(BenchmarkId::new("serde-tuned", "orders"), |bencher| {
        let rows: Vec<_> =
            rows.iter().map(|(kind, row)| (kind.is_retraction(), serde_tuned::OrderValue::of(row))).collect();
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (tombstone, row) in &rows {
                row.encode(*tombstone, &mut key, &mut value);
                black_box((&key, &value));
            }
        });
    });
    group.bench_function(BenchmarkId::new("memcpy", "orders"), |bencher| {
        let (records, mut out) = (orders::records(), Vec::new());
        bencher.iter(|| {
            for (key, value) in &records {
                out.clear();
                out.extend_from_slice(key);
                out.extend_from_slice(value.as_deref().unwrap_or_default());
                black_box(&out);
            }
        });
    });
    for format in formats::OF_INSERTS {
        ours(&mut group, &format!("orders-{format}"), &formats::upsert(format).0, &rows);
    }
    ours(&mut group, "orders-raw", &formats::raw().0, &formats::raw_rows(&rows));
    for format in formats::OF_CHANGES {
        ours(&mut group, &format!("orders-{format}"), &formats::changelog(format).0, &rows);
    }
    group.finish();
    encode_shape(criterion, &shapes::wide());
    encode_shape(criterion, &shapes::text());
    encode_shape(criterion, &shapes::keyed());
    encode_shape(criterion, &shapes::nested());
    encode_shape(criterion, &shapes::cjk());
    threads(criterion);
}

fn ours<R: Row>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    workload: &str,
    encoder: &Encoder,
    rows: &[(RowKind, R)],
) {
    group.bench_function(BenchmarkId::new("upsert-kafka", workload), |bencher| {
        let mut buf = RecordBuf::new();
        bencher.iter(|| {
            for (kind, row) in rows {
                black_box(encoder.encode(*kind, row, &mut buf).unwrap());
            }
        });
    });
}

fn encode_shape<R: Row + Serialize>(criterion: &mut Criterion, shape: &Shape<R>) {
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(ROWS as u64));
    ours(&mut group, shape.name, &shape.encoder(), &shape.rows);
    group.bench_function(BenchmarkId::new("serde", shape.name), |bencher| {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (_, row) in &shape.rows {
                key.clear();
                value.clear();
                (shape.write_key)(row, &mut key);
                serde_json::to_writer(&mut value, row).unwrap();
                black_box((&key, &value));
            }
        });
    });
    group.finish();
}

/// One encoder, shared by threads that each encode all rows.
fn threads(criterion: &mut Criterion) {
    /// So that starting the threads does not count.
    const ROUNDS: usize = 64;
    let mut group = criterion.benchmark_group("threads");
    let (encoder, rows) = (orders::encoder(), orders::changelog());
    let work = || {
        let mut buf = RecordBuf::new();
        for (kind, row) in std::iter::repeat_n(&rows, ROUNDS).flatten() {
            black_box(encoder.encode(*kind, row, &mut buf).unwrap());
        }
    };
    for threads in [1, 2, 4] {
        group.throughput(Throughput::Elements((threads * ROUNDS * ROWS) as u64));
        group.bench_function(BenchmarkId::new("encode", threads), |bencher| {
            bencher.iter(|| std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work)))));
        });
    }
    group.finish();
}

criterion_group!(benches, encode);
criterion_main!(benches);
