//! Fetched batches of 12 partitions to records, rows and the changelog of a table.
//!
//! Two fetches that follow each other, over and over: of the orders a tenth goes, a tenth comes back, all others change.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::collections::HashMap;
use std::hint::black_box;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hashbrown::hash_map::Entry;
use upsert_kafka::{ChangelogNormalizer, DecodeBuf, Limits, RecordBatches, RowKind};

mod common;
#[path = "common/serde_exact.rs"]
mod serde_exact;

use common::peers::serde_tuned::OrderValue;
use common::peers::{kafka_protocol, serde_tuned};
use common::{ROWS, orders};
use serde_exact::Columns;

/// `-D` and `+I` of a tenth each, `-U` and `+U` of the others, in both fetches.
const CHANGES: usize = 2 * (102 + 102 + 2 * (ROWS - 204));

fn journey_back(criterion: &mut Criterion) {
    let fetched =
        [orders::changelog(), orders::later_changelog()].map(|rows| orders::batches(&rows)).concat();
    measure(criterion, "upsert-kafka", &fetched, ours());
    measure(criterion, "serde", &fetched, peer());
    measure(criterion, "serde-tuned", &fetched, tuned());
}

fn measure(
    criterion: &mut Criterion,
    contestant: &str,
    fetched: &[Bytes],
    mut read: impl FnMut(&[Bytes]) -> usize,
) {
    let mut group = criterion.benchmark_group("journey_back");
    group.throughput(Throughput::Elements(2 * ROWS as u64));
    read(fetched);
    assert_eq!(read(fetched), CHANGES, "{contestant}");
    group.bench_function(BenchmarkId::new(contestant, "orders"), |bencher| bencher.iter(|| read(fetched)));
    group.finish();
}

fn ours() -> impl FnMut(&[Bytes]) -> usize {
    let (decoder, mut buf) = (orders::decoder(), DecodeBuf::new());
    let mut normalizer = ChangelogNormalizer::new(8, &[0]);
    move |fetched| {
        let mut count = 0;
        for batch in fetched.iter().flat_map(|fetched| RecordBatches::new(fetched, Limits::default())) {
            for record in batch.unwrap().records() {
                for (kind, row) in decoder.decode(&record.unwrap(), &mut buf).unwrap().rows() {
                    count += black_box(normalizer.apply(kind, row, 0).unwrap()).len();
                }
            }
        }
        count
    }
}

/// kafka-protocol's decoder, a struct for a row, and the rows that are there in a map.
fn peer() -> impl FnMut(&[Bytes]) -> usize {
    let (mut rows, mut changes) = (HashMap::new(), Vec::new());
    move |fetched| {
        let mut count = 0;
        for record in fetched.iter().flat_map(kafka_protocol::decode) {
            changes.clear();
            let key = serde_tuned::decode_key(&record.key.unwrap());
            match record.value.map(|value| Columns::from(serde_exact::decode(&value))) {
                None => changes.extend(rows.remove(&key).map(|old| (RowKind::Delete, old))),
                Some(row) => match rows.insert(key, row.clone()) {
                    None => changes.push((RowKind::Insert, row)),
                    Some(old) if old == row => {}
                    Some(old) => changes.extend([(RowKind::UpdateBefore, old), (RowKind::UpdateAfter, row)]),
                },
            }
            count += black_box(&changes).len();
        }
        count
    }
}

/// The same by a careful user: a fast hash, and only rows that change are copied.
fn tuned() -> impl FnMut(&[Bytes]) -> usize {
    let mut rows = hashbrown::HashMap::with_hasher(foldhash::fast::RandomState::default());
    move |fetched| {
        let mut count = 0;
        for record in fetched.iter().flat_map(kafka_protocol::decode) {
            let key = serde_tuned::decode_key(&record.key.unwrap());
            let Some(value) = record.value else {
                count += usize::from(black_box(rows.remove(&key)).is_some());
                continue;
            };
            let row = serde_tuned::decode(&value);
            match rows.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(Kept::from(&row));
                    count += 1;
                }
                Entry::Occupied(mut kept) if !kept.get().equals(&row) => {
                    black_box(kept.insert(Kept::from(&row)));
                    count += 2;
                }
                Entry::Occupied(_) => {}
            }
            black_box(&row);
        }
        count
    }
}

/// A row in the map.
struct Kept {
    customer: String,
    status: String,
    amount: f64,
    updated_at: i64,
    quantity: i32,
    price: f64,
    active: bool,
}

impl Kept {
    #[allow(clippy::float_cmp, reason = "the same digits are the same number")]
    fn equals(&self, row: &OrderValue<'_>) -> bool {
        (&*self.customer, &*self.status, self.updated_at, self.quantity, self.active)
            == (row.customer, row.status, row.updated_at, row.quantity, row.active)
            && (self.amount, self.price) == (row.amount, row.price)
    }
}

impl From<&OrderValue<'_>> for Kept {
    fn from(row: &OrderValue<'_>) -> Self {
        Self {
            customer: row.customer.to_owned(),
            status: row.status.to_owned(),
            amount: row.amount,
            updated_at: row.updated_at,
            quantity: row.quantity,
            price: row.price,
            active: row.active,
        }
    }
}

criterion_group!(benches, journey_back);
criterion_main!(benches);
