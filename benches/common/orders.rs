//! `orders`: eight columns of eight types; 169.5 bytes of key and value a row.

use bytes::Bytes;
use upsert_kafka::{Decimal, Decoder, Encoder, RecordAccumulator, RowKind, Timestamp, impl_row};

use super::{NOW_MS, PARTITIONS, ROWS, encoded, formats};

pub struct Order {
    pub order_id: i64,
    pub customer: String,
    pub amount: Decimal,
    pub status: &'static str,
    pub updated_at: Timestamp,
    pub quantity: i32,
    pub price: f64,
    pub active: bool,
}

impl_row!(Order { order_id, customer, amount, status, updated_at, quantity, price, active });

impl Order {
    fn new(i: usize) -> Self {
        let n = i as i64;
        Self {
            order_id: 1_000_000 + (n * 7919) % 1_000_003,
            customer: format!("customer-{:06}", n * 31 % 10_007),
            amount: Decimal::new((n * 37 % 100_000 * 100 + n % 100).into(), 2),
            status: ["NEW", "PAID", "SHIPPED"][i % 3],
            updated_at: Timestamp::from_millis(1_715_000_000_000 + n * 61_003),
            quantity: (n % 100) as i32,
            price: n as f64 * 0.37,
            active: i.is_multiple_of(2),
        }
    }
}

/// The changelog: each row with its kind.
pub fn changelog() -> Vec<(RowKind, Order)> {
    (0..ROWS).map(|i| (kind(i), Order::new(i))).collect()
}

/// A changelog that follows the first: every order changes, those that were deleted are there again, and others go.
pub fn later_changelog() -> Vec<(RowKind, Order)> {
    let order = |i| Order { quantity: 100, ..Order::new(i) };
    (0..ROWS).map(|i| (kind(i + 1), order(i))).collect()
}

fn kind(i: usize) -> RowKind {
    match i % 10 {
        0 => RowKind::Insert,
        9 => RowKind::Delete,
        _ => RowKind::UpdateAfter,
    }
}

pub fn encoder() -> Encoder {
    formats::upsert("json").0
}

pub fn decoder() -> Decoder {
    formats::upsert("json").1
}

pub fn accumulator() -> RecordAccumulator {
    formats::upsert_sink("json").accumulator(PARTITIONS)
}

/// Key and value of each row, by our encoder.
pub fn records() -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let records = encoded(&encoder(), &changelog());
    records.into_iter().map(|(key, value)| (key.unwrap(), value)).collect()
}

/// A batch of each partition: the rows of `changelog`, encoded and put there.
pub fn batches(changelog: &[(RowKind, Order)]) -> Vec<Bytes> {
    let mut accumulator = accumulator();
    for (kind, row) in changelog {
        accumulator.append(*kind, row, NOW_MS).unwrap();
    }
    accumulator.flush().unwrap().map(|(_, batch)| batch).collect()
}
