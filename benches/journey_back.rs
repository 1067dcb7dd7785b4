//! Fetched batches of 12 partitions to records, rows and the changelog of a table.
//!
//! Two fetches that follow each other, over and over: of the orders a tenth goes, a tenth comes back, all others change.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::collections::HashMap;
use std::hint::black_box;

use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::{ChangelogNormalizer, DecodeBuf, Limits, RecordBatches, RowKind};

mod common;

use common::peers::serde_map::Columns;
use common::peers::{kafka_protocol, serde, serde_map};
use common::{ROWS, orders};

/// `-D` and `+I` of a tenth each, `-U` and `+U` of the others, in both fetches.
const CHANGES: usize = 2 * (102 + 102 + 2 * (ROWS - 204));

fn journey_back(criterion: &mut Criterion) {
    let fetched =
        [orders::changelog(), orders::later_changelog()].map(|rows| orders::batches(&rows)).concat();
    measure(criterion, "upsert-kafka", &fetched, ours());
    measure(criterion, "serde", &fetched, peer(serde::decode_key, |value| serde::decode(value).into()));
    measure(criterion, "serde-map", &fetched, peer(serde_map::decode_key, serde_map::decode));
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
fn peer(
    decode_key: impl Fn(&[u8]) -> i64,
    decode: impl Fn(&[u8]) -> Columns,
) -> impl FnMut(&[Bytes]) -> usize {
    let (mut rows, mut changes) = (HashMap::new(), Vec::new());
    move |fetched| {
        let mut count = 0;
        for record in fetched.iter().flat_map(kafka_protocol::decode) {
            changes.clear();
            let key = decode_key(&record.key.unwrap());
            match record.value.map(|value| decode(&value)) {
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

criterion_group!(benches, journey_back);
criterion_main!(benches);
