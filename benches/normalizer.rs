//! Upserts to a changelog, over few keys and many: a tenth inserts, three fifths updates, a fifth of rows that stay as they
//! are, a tenth deletes.
//!
//! `NORMALIZER_KEYS=10000000` asks for one number of keys; ten million take 0.9 GB.

#![allow(missing_docs, clippy::unwrap_used, reason = "a bench")]

use std::env;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use upsert_kafka::ChangelogNormalizer;

mod common;

use common::ROWS;
use common::normalizer::Upserts;

fn normalizer(criterion: &mut Criterion) {
    let asked = env::var("NORMALIZER_KEYS").ok().map(|keys| vec![keys.parse().unwrap()]);
    let mut group = criterion.benchmark_group("keys");
    group.throughput(Throughput::Elements(ROWS as u64));
    for keys in asked.unwrap_or_else(|| vec![1_000, 100_000, 1_000_000]) {
        let (upserts, mut normalizer) = (Upserts::new(keys), ChangelogNormalizer::new(8, &[0]));
        let mut apply = |n: usize| {
            let (kind, row) = upserts.nth(n);
            black_box(normalizer.apply(kind, &row, 0).unwrap());
        };
        // Two rounds, so that all keys are known and as old as they get.
        (0..2 * keys).for_each(&mut apply);
        let mut next = 2 * keys;
        group.bench_function(BenchmarkId::new("normalizer", keys), |bencher| {
            bencher.iter(|| {
                (next..next + ROWS).for_each(&mut apply);
                next += ROWS;
            });
        });
    }
    group.finish();
}

criterion_group!(benches, normalizer);
criterion_main!(benches);
