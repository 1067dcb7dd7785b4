//! `orders`: eight columns of eight types; 169.5 bytes of key and value a row.

use bytes::Bytes;
use upsert_kafka::{Decimal, Decoder, Encoder, RecordAccumulator, RowKind, Timestamp, impl_row};

use super::{KeyAndValue, NOW_MS, PARTITIONS, ROWS, encoded, formats};

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

impl_row!(write Order { order_id, customer, amount, status, updated_at, quantity, price, active });

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

/// Key and value of so many rows.
pub fn records_of(count: usize) -> Vec<KeyAndValue> {
    let rows: Vec<_> = (0..count).map(|i| (kind(i), Order::new(i))).collect();
    encoded(&encoder(), &rows)
}

/// How other producers write the members of a value.
pub const SPELLINGS: [(&str, Spelling); 3] = [("spaced", spaced), ("shuffled", shuffled), ("sparse", sparse)];

/// Writes the members of the value of row `i`.
pub type Spelling = fn(usize, Vec<&str>) -> String;

/// The same records with their values spelled so.
pub fn spelled(spelling: Spelling) -> Vec<KeyAndValue> {
    let spelled = |(i, (key, value)): (usize, (Vec<u8>, Option<Vec<u8>>))| {
        let value = value.map(|value| {
            let value = String::from_utf8(value).unwrap();
            // No text of the workload holds what parts two members.
            let members = value.trim_start_matches("{\"").trim_end_matches('}').split(",\"");
            spelling(i, members.collect()).into_bytes()
        });
        (Some(key), value)
    };
    records().into_iter().enumerate().map(spelled).collect()
}

/// With a blank after each colon and comma, as Python's `json.dumps` writes.
fn spaced(_: usize, members: Vec<&str>) -> String {
    let members: Vec<_> = members.iter().map(|member| member.replacen("\":", "\": ", 1)).collect();
    format!("{{\"{}}}", members.join(", \""))
}

/// Sorted by name.
fn shuffled(_: usize, mut members: Vec<&str>) -> String {
    members.sort_unstable();
    format!("{{\"{}}}", members.join(",\""))
}

/// With a third of the members missing, in each row others, but never the first, which is the key.
fn sparse(i: usize, members: Vec<&str>) -> String {
    let members =
        members.into_iter().enumerate().filter(|(column, _)| *column == 0 || !(i + column).is_multiple_of(3));
    let members: Vec<_> = members.map(|(_, member)| member).collect();
    format!("{{\"{}}}", members.join(",\""))
}

/// A batch of each partition: the rows of `changelog`, encoded and put there.
pub fn batches(changelog: &[(RowKind, Order)]) -> Vec<Bytes> {
    let mut accumulator = accumulator();
    for (kind, row) in changelog {
        accumulator.append(*kind, row, NOW_MS).unwrap();
    }
    accumulator.flush().unwrap().map(|(_, batch)| batch).collect()
}
