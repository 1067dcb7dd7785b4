//! The rows of `orders` through the doors: structs whose fields stand in another order, serde, Arrow.

use std::hint::black_box;

use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};
use upsert_kafka::adapters::arrow::ArrowRows;
use upsert_kafka::{
    ConsumerRecord, Decimal, DecodeBuf, Decoder, Encoder, RecordAccumulator, RecordBuf, Row, RowBuf, RowKind,
    Settings, TableSink, Timestamp, impl_row,
};

use crate::common::{NOW_MS, PARTITIONS, encoded, formats, orders};

/// The fields of an order in another order than the table's columns.
#[derive(Serialize, Deserialize)]
struct Order<'a> {
    active: bool,
    status: &'a str,
    quantity: i32,
    price: f64,
    amount: Decimal,
    updated_at: Timestamp,
    customer: &'a str,
    order_id: i64,
}
impl_row!(Order<'a> { active, status, quantity, price, amount, updated_at, customer, order_id });

fn of(order: &orders::Order) -> Order<'_> {
    Order {
        active: order.active,
        status: order.status,
        quantity: order.quantity,
        price: order.price,
        amount: order.amount,
        updated_at: order.updated_at,
        customer: &order.customer,
        order_id: order.order_id,
    }
}

pub(crate) fn encode_struct(rounds: usize) {
    let (sink, mut buf) = (sink_of_structs(), RecordBuf::new());
    let (encoder, changelog) = (sink.encoder(), orders::changelog());
    let rows = rows_of(&changelog);
    for _ in 0..rounds {
        for (kind, row) in &rows {
            encode(&encoder, *kind, row, &mut buf);
        }
    }
}

/// As the step `journey`, with these structs.
pub(crate) fn journey_struct(rounds: usize) {
    let (mut accumulator, changelog) = (sink_of_structs().accumulator(PARTITIONS), orders::changelog());
    let rows = rows_of(&changelog);
    for _ in 0..rounds {
        for (kind, row) in &rows {
            accumulator.append(*kind, row, NOW_MS).unwrap();
        }
        flush(&mut accumulator);
    }
}

fn sink_of_structs() -> TableSink {
    formats::upsert_table("json").sink_of::<Order<'_>>(&Settings::default()).unwrap()
}

fn rows_of(changelog: &[(RowKind, orders::Order)]) -> Vec<(RowKind, Order<'_>)> {
    changelog.iter().map(|(kind, order)| (*kind, of(order))).collect()
}

fn flush(accumulator: &mut RecordAccumulator) {
    for batch in accumulator.flush().unwrap() {
        black_box(batch);
    }
}

pub(crate) fn encode_serde(rounds: usize) {
    let changelog = orders::changelog();
    let orders = rows_of(&changelog);
    let sink = formats::upsert_sink("json");
    let (encoder, mut rows, mut buf) = (sink.encoder(), sink.serde_rows(), RecordBuf::new());
    for _ in 0..rounds {
        for (kind, order) in &orders {
            encode(&encoder, *kind, rows.row(order).unwrap(), &mut buf);
        }
    }
}

pub(crate) fn encode_arrow(rounds: usize) {
    let sink = formats::upsert_sink("json");
    let (encoder, rows, mut buf) = (sink.encoder(), arrow_rows(&sink), RecordBuf::new());
    let batch = batch_of(&rows);
    for _ in 0..rounds {
        for (kind, row) in rows.rows(&batch).unwrap().iter() {
            encode(&encoder, kind, &row, &mut buf);
        }
    }
}

/// As the step `journey`, with a batch of Arrow.
pub(crate) fn journey_arrow(rounds: usize) {
    let sink = formats::upsert_sink("json");
    let (mut accumulator, rows) = (sink.accumulator(PARTITIONS), arrow_rows(&sink));
    let batch = batch_of(&rows);
    for _ in 0..rounds {
        for (kind, row) in rows.rows(&batch).unwrap().iter() {
            accumulator.append(kind, &row, NOW_MS).unwrap();
        }
        flush(&mut accumulator);
    }
}

fn arrow_rows(sink: &TableSink) -> ArrowRows {
    sink.arrow_rows().with_kinds("op")
}

fn batch_of(rows: &ArrowRows) -> RecordBatch {
    let mut builder = rows.builder();
    for (kind, order) in &orders::changelog() {
        builder.push(*kind, order).unwrap();
    }
    builder.finish().unwrap()
}

fn encode(encoder: &Encoder, kind: RowKind, row: &impl Row, buf: &mut RecordBuf) {
    black_box(encoder.encode(kind, row, buf).unwrap());
}

pub(crate) fn decode_struct(rounds: usize) {
    let source = formats::upsert_table("json").source_of::<Order<'_>>(&Settings::default()).unwrap();
    decode(&source.decoder(), rounds, |row| {
        black_box(row.read::<Order<'_>>().unwrap());
    });
}

pub(crate) fn decode_serde(rounds: usize) {
    let source = formats::upsert_table("json").source(&Settings::default()).unwrap();
    let rows = source.serde_rows();
    decode(&source.decoder(), rounds, |row| {
        black_box(rows.read::<Order<'_>>(row).unwrap());
    });
}

pub(crate) fn decode_arrow(rounds: usize) {
    let source = formats::upsert_table("json").source(&Settings::default()).unwrap();
    let mut builder = source.arrow_rows().builder();
    decode(&source.decoder(), rounds, |row| {
        builder.push(RowKind::Insert, row).unwrap();
        if builder.len() == 8192 {
            black_box(builder.finish().unwrap());
        }
    });
}

/// Decodes the orders and shows `read` those that are whole: a delete has its key alone.
fn decode(decoder: &Decoder, rounds: usize, mut read: impl FnMut(&RowBuf)) {
    let records = encoded(&formats::upsert("json").0, &orders::changelog());
    let mut buf = DecodeBuf::new();
    for _ in 0..rounds {
        for (key, value) in &records {
            let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
            let rows = decoder.decode(&record, &mut buf).unwrap().rows();
            rows.filter(|(kind, _)| *kind != RowKind::Delete).for_each(|(_, row)| read(row));
        }
    }
}
