//! Upserts of `orders` for the changelog normaliser, over any number of keys.

use upsert_kafka::{Datum, Row, RowKind};

use super::orders::{self, Order};

/// What happens to the keys, one round after the other. In a round a tenth of the keys comes, a tenth goes, three fifths
/// change and a fifth stay as they are.
pub struct Upserts {
    orders: Vec<(RowKind, Order)>,
    keys: usize,
}

/// The row of a key in a round.
pub struct Upsert<'a> {
    order: &'a Order,
    key: i64,
    quantity: i32,
}

impl Upserts {
    pub fn new(keys: usize) -> Self {
        Self { orders: orders::changelog(), keys }
    }

    /// The upsert in place `n` of all rounds.
    pub fn nth(&self, n: usize) -> (RowKind, Upsert<'_>) {
        let (key, round) = (n % self.keys, n / self.keys);
        let (kind, version) = match (key + round) % 10 {
            0 => (RowKind::Delete, round),
            1 => (RowKind::Insert, round),
            // As the insert was.
            age @ 2..=3 => (RowKind::UpdateAfter, (round + 1).saturating_sub(age)),
            _ => (RowKind::UpdateAfter, round),
        };
        (kind, self.of_key(key, version))
    }

    /// The row of `key` in a version.
    pub fn of_key(&self, key: usize, version: usize) -> Upsert<'_> {
        Upsert { order: &self.orders[key % self.orders.len()].1, key: key as i64, quantity: version as i32 }
    }
}

impl Row for Upsert<'_> {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        match column {
            0 => Datum::BigInt(self.key),
            5 => Datum::Int(self.quantity),
            _ => self.order.datum(column),
        }
    }
}
