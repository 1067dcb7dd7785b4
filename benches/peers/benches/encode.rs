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
use chrono::NaiveDateTime;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Serialize, Serializer};
use upsert_kafka::{RecordBuf, RowKind};

#[path = "../../common/mod.rs"]
mod common;

use common::ROWS;
use common::orders::{self, Order};
use common::peers::serde::{Key, OrderValue, SQL};

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
    group.bench_function(BenchmarkId::new("arrow-json", "orders"), |bencher| {
        let batch = arrow_batch(&rows);
        let mut out = Vec::new();
        bencher.iter(|| {
            out.clear();
            let builder = WriterBuilder::new().with_timestamp_format(SQL.to_owned());
            let mut writer = builder.build::<_, LineDelimited>(&mut out);
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            black_box(&out);
        });
    });
    group.bench_function(BenchmarkId::new("sonic-rs", "orders"), |bencher| {
        let rows: Vec<_> =
            rows.iter().map(|(kind, row)| (kind.is_retraction(), SonicOrder::of(row))).collect();
        let (mut key, mut value) = (Vec::new(), Vec::new());
        bencher.iter(|| {
            for (tombstone, row) in &rows {
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
    group.finish();
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

/// serde_json's numbers of any precision are its own affair: here the decimal is a text.
#[derive(Serialize)]
struct SonicOrder {
    order_id: i64,
    customer: String,
    #[serde(serialize_with = "write_text")]
    amount: rust_decimal::Decimal,
    status: &'static str,
    #[serde(serialize_with = "write_sql")]
    updated_at: NaiveDateTime,
    quantity: i32,
    price: f64,
    active: bool,
}

impl SonicOrder {
    fn of(order: &Order) -> Self {
        let OrderValue { order_id, customer, amount, status, updated_at, quantity, price, active } =
            OrderValue::of(order);
        Self { order_id, customer, amount, status, updated_at, quantity, price, active }
    }
}

fn write_text<S: Serializer>(decimal: &rust_decimal::Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(decimal)
}

fn write_sql<S: Serializer>(time: &NaiveDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&time.format(SQL))
}

criterion_group!(benches, encode);
criterion_main!(benches);
