//! The rows of `orders` through the doors: structs whose fields stand in another order, serde, Arrow.

use std::hint::black_box;

use serde::{Deserialize, Serialize};
use upsert_kafka::{
    ConsumerRecord, Decimal, DecodeBuf, Decoder, Encoder, RecordBuf, Row, RowBuf, RowKind, Settings,
    Timestamp, impl_row,
};

use crate::common::{encoded, formats, orders};

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
    let changelog = orders::changelog();
    let rows: Vec<_> = changelog.iter().map(|(kind, order)| (*kind, of(order))).collect();
    let sink = formats::upsert_table("json").sink_of::<Order<'_>>(&Settings::default()).unwrap();
    let (encoder, mut buf) = (sink.encoder(), RecordBuf::new());
    for _ in 0..rounds {
        for (kind, row) in &rows {
            encode(&encoder, *kind, row, &mut buf);
        }
    }
}

pub(crate) fn encode_serde(rounds: usize) {
    let changelog = orders::changelog();
    let orders: Vec<_> = changelog.iter().map(|(kind, order)| (*kind, of(order))).collect();
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
    let (encoder, rows, mut buf) = (sink.encoder(), sink.arrow_rows().with_kinds("op"), RecordBuf::new());
    let mut builder = rows.builder();
    for (kind, order) in &orders::changelog() {
        builder.push(*kind, order).unwrap();
    }
    let batch = builder.finish().unwrap();
    for _ in 0..rounds {
        for (kind, row) in rows.rows(&batch).unwrap().iter() {
            encode(&encoder, kind, &row, &mut buf);
        }
    }
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
