//! Record to row.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder, Row};

mod common;
#[path = "common/serde_exact.rs"]
mod serde_exact;

use common::peers::{borrowed, serde_tuned};
use common::shapes::{self, Shape};
use common::{KeyAndValue, ROWS, connect, encoded, formats, orders};

fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(ROWS as u64));
    let rows = orders::changelog();
    let (encoder, decoder) = formats::upsert("json");
    ours(&mut group, "orders", &encoded(&encoder, &rows), &decoder);
    of_orders(&mut group, "orders", &encoded(&encoder, &rows));
    for (name, spelling) in orders::SPELLINGS {
        let records = orders::spelled(spelling);
        ours(&mut group, name, &records, &decoder);
        of_orders(&mut group, name, &records);
    }
    shape(&mut group, &shapes::text(), |key, value| {
        black_box(from_slice::<borrowed::IdKey>(key));
        black_box(from_slice::<borrowed::Text<'_>>(value));
    });
    shape(&mut group, &shapes::cjk(), |key, value| {
        black_box(from_slice::<borrowed::IdKey>(key));
        black_box(from_slice::<borrowed::Text<'_>>(value));
    });
    shape(&mut group, &shapes::keyed(), |key, value| {
        black_box(from_slice::<borrowed::KeyedKey<'_>>(key));
        black_box(from_slice::<borrowed::Keyed<'_>>(value));
    });
    shape(&mut group, &shapes::nested(), |key, value| {
        black_box(from_slice::<borrowed::IdKey>(key));
        black_box(from_slice::<borrowed::Nested<'_>>(value));
    });
    shape(&mut group, &shapes::wide(), |key, value| {
        black_box(from_slice::<borrowed::IdKey>(key));
        black_box(from_slice::<borrowed::Wide<'_>>(value));
    });
    for format in formats::OF_INSERTS {
        let (encoder, decoder) = formats::upsert(format);
        let records = encoded(&encoder, &rows);
        ours(&mut group, &format!("orders-{format}"), &records, &decoder);
    }
    let (encoder, decoder) = formats::raw();
    let records = encoded(&encoder, &formats::raw_rows(&rows));
    ours(&mut group, "orders-raw", &records, &decoder);
    for format in formats::OF_CHANGES {
        let (encoder, decoder) = formats::changelog(format);
        let records = encoded(&encoder, &rows);
        ours(&mut group, &format!("orders-{format}"), &records, &decoder);
        if format == "debezium-json" {
            peer(&mut group, "serde-tuned", "orders-debezium-json", &records, |_, value| {
                black_box(value.map(from_slice::<borrowed::Change<'_>>));
            });
        }
    }
    for with_schema in [false, true] {
        let workload = if with_schema { "orders-connect-schema" } else { "orders-connect" };
        let events = connect::events(with_schema);
        group.bench_function(BenchmarkId::new("upsert-kafka", workload), |bencher| {
            let (decoder, mut buf) = (connect::decoder(), DecodeBuf::new());
            bencher.iter(|| connect::decode(&events, &decoder, &mut buf));
        });
        let records: Vec<KeyAndValue> = events.into_iter().map(|event| (None, Some(event))).collect();
        peer(&mut group, "serde-tuned", workload, &records, |_, value| match with_schema {
            true => drop(black_box(value.map(from_slice::<borrowed::Wrapped<'_>>))),
            false => drop(black_box(value.map(from_slice::<borrowed::ConnectChange<'_>>))),
        });
    }
    group.finish();
}

fn from_slice<'a, T: serde::Deserialize<'a>>(json: &'a [u8]) -> T {
    serde_json::from_slice(json).unwrap()
}

fn of_orders(group: &mut BenchmarkGroup<'_, WallTime>, workload: &str, records: &[KeyAndValue]) {
    peer(group, "serde", workload, records, |key, value| {
        black_box(key.map(serde_tuned::decode_key));
        black_box(value.map(serde_exact::decode));
    });
    peer(group, "serde-tuned", workload, records, |key, value| {
        black_box(key.map(serde_tuned::decode_key));
        black_box(value.map(serde_tuned::decode));
    });
}

fn shape<R: Row>(group: &mut BenchmarkGroup<'_, WallTime>, shape: &Shape<R>, decode: impl Fn(&[u8], &[u8])) {
    let records = encoded(&shape.encoder(), &shape.rows);
    ours(group, shape.name, &records, &shape.decoder());
    peer(group, "serde", shape.name, &records, |key, value| decode(key.unwrap(), value.unwrap()));
}

fn peer(
    group: &mut BenchmarkGroup<'_, WallTime>,
    contestant: &str,
    workload: &str,
    records: &[KeyAndValue],
    decode: impl Fn(Option<&[u8]>, Option<&[u8]>),
) {
    group.bench_function(BenchmarkId::new(contestant, workload), |bencher| {
        bencher.iter(|| records.iter().for_each(|(key, value)| decode(key.as_deref(), value.as_deref())));
    });
}

fn ours(
    group: &mut BenchmarkGroup<'_, WallTime>,
    workload: &str,
    records: &[KeyAndValue],
    decoder: &Decoder,
) {
    group.bench_function(BenchmarkId::new("upsert-kafka", workload), |bencher| {
        let mut buf = DecodeBuf::new();
        bencher.iter(|| {
            for (key, value) in records {
                let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
                black_box(decoder.decode(&record, &mut buf).unwrap());
            }
        });
    });
}

criterion_group!(benches, decode);
criterion_main!(benches);
