//! Row to key and value bytes, beside peers that are too heavy for the crate's own benches.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMillisecondArray,
};
use arrow_json::WriterBuilder;
use arrow_json::writer::LineDelimited;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::Serialize;
use upsert_kafka::{RecordBuf, Row, RowKind};

#[path = "../../common/mod.rs"]
mod common;

#[path = "contestants/serde_map.rs"]
mod serde_map;

use common::orders::{self, Order};
use common::peers::serde_tuned::{Key, OrderValue};
use common::shapes::{self, Shape};
use common::{ROWS, formats};

/// As Flink writes a TIMESTAMP.
const SQL: &str = "%Y-%m-%d %H:%M:%S%.f";

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders"), |bencher| {
        let (encoder, mut buf) = (orders::encoder(), RecordBuf::new());
        bencher.iter(|| {
            for (kind, row) in &rows {
                black_box(encoder.encode(*kind, row, &mut buf).unwrap());
            }
        });
    });
    let batch = arrow_batch(&rows);
    arrow_json(&mut group, "orders", &batch);
    let peer_rows: Vec<_> =
        rows.iter().map(|(kind, row)| (kind.is_retraction(), OrderValue::of(row))).collect();
    group.bench_function(BenchmarkId::new("sonic-rs", "orders"), |bencher| {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (tombstone, row) in &peer_rows {
                key.clear();
                value.clear();
                sonic_rs::to_writer(&mut key, &Key { order_id: row.order_id }).unwrap();
                if !tombstone {
                    sonic_rs::to_writer(&mut value, row).unwrap();
                }
                black_box((&key, &value));
            }
        });
    });
    group.bench_function(BenchmarkId::new("serde-map", "orders"), |bencher| {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (tombstone, row) in &peer_rows {
                serde_map::encode(row, "2024-05-06 12:54:21.003", *tombstone, &mut key, &mut value);
                black_box((&key, &value));
            }
        });
    });
    // Both of one batch; ours writes keys, too.
    group.bench_function(BenchmarkId::new("upsert-kafka", "orders-arrow"), |bencher| {
        let sink = formats::upsert_sink("json");
        let (encoder, rows, mut buf) = (sink.encoder(), sink.arrow_rows(), RecordBuf::new());
        bencher.iter(|| {
            for (kind, row) in rows.rows(&batch).unwrap().iter() {
                black_box(encoder.encode(kind, &row, &mut buf).unwrap());
            }
        });
    });
    arrow_json(&mut group, "orders-arrow", &batch);
    group.finish();
    encode_shape(criterion, &shapes::wide());
    encode_shape(criterion, &shapes::text());
    encode_shape(criterion, &shapes::keyed());
    encode_shape(criterion, &shapes::nested());
    encode_shape(criterion, &shapes::cjk());
}

fn encode_shape<R: Row + Serialize>(criterion: &mut Criterion, shape: &Shape<R>) {
    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function(BenchmarkId::new("upsert-kafka", shape.name), |bencher| {
        let (encoder, mut buf) = (shape.encoder(), RecordBuf::new());
        bencher.iter(|| {
            for (kind, row) in &shape.rows {
                black_box(encoder.encode(*kind, row, &mut buf).unwrap());
            }
        });
    });
    group.bench_function(BenchmarkId::new("sonic-rs", shape.name), |bencher| {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (_, row) in &shape.rows {
                key.clear();
                value.clear();
                (shape.write_key)(row, &mut key);
                sonic_rs::to_writer(&mut value, row).unwrap();
                black_box((&key, &value));
            }
        });
    });
    group.finish();
}

fn arrow_json(group: &mut BenchmarkGroup<'_, WallTime>, workload: &str, batch: &RecordBatch) {
    group.bench_function(BenchmarkId::new("arrow-json", workload), |bencher| {
        let builder = WriterBuilder::new().with_timestamp_format(SQL.to_owned());
        let mut out = Vec::new();
        bencher.iter(|| {
            out.clear();
            let mut writer = builder.clone().build::<_, LineDelimited>(&mut out);
            writer.write(batch).unwrap();
            writer.finish().unwrap();
            black_box(&out);
        });
    });
}

/// All rows as one batch: arrow-json writes values, of deletes too, and no keys.
fn arrow_batch(rows: &[(RowKind, Order)]) -> RecordBatch {
    let rows = || rows.iter().map(|(_, row)| row);
    let amounts = Decimal128Array::from_iter_values(rows().map(|row| row.amount.unscaled()));
    let columns: [(&str, ArrayRef); 8] = [
        ("order_id", Arc::new(Int64Array::from_iter_values(rows().map(|row| row.order_id)))),
        ("customer", Arc::new(StringArray::from_iter_values(rows().map(|row| &row.customer)))),
        ("amount", Arc::new(amounts.with_precision_and_scale(10, 2).unwrap())),
        ("status", Arc::new(StringArray::from_iter_values(rows().map(|row| row.status)))),
        (
            "updated_at",
            Arc::new(TimestampMillisecondArray::from_iter_values(rows().map(|row| row.updated_at.millis()))),
        ),
        ("quantity", Arc::new(Int32Array::from_iter_values(rows().map(|row| row.quantity)))),
        ("price", Arc::new(Float64Array::from_iter_values(rows().map(|row| row.price)))),
        ("active", Arc::new(rows().map(|row| Some(row.active)).collect::<BooleanArray>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

criterion_group!(benches, encode);
criterion_main!(benches);
