//! The longest calls of a normalizer while its state grows to ten million keys: of digests, then of rows, which take
//! 3 GB. On a machine that is not quiet the longest are those that it interrupted.
//!
//! ```text
//! cargo bench --bench stalls
//! NORMALIZER_KEYS=1000000 cargo bench --bench stalls
//! ```

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use upsert_kafka::source::Retractions;
use upsert_kafka::{ChangelogNormalizer, RowKind};

mod common;

use common::normalizer::Upserts;

/// How many calls are told.
const LONGEST: usize = 5;

fn main() {
    let keys = env::var("NORMALIZER_KEYS").map_or(10_000_000, |keys| keys.parse().unwrap());
    println!("| state | the {LONGEST} longest of {keys} inserts, ms, each with the keys before it |");
    println!("|---|---|");
    for (name, retractions) in [("digests", Retractions::KeyedDeletes), ("rows", Retractions::Full)] {
        let calls = longest_calls(keys, retractions);
        let calls = calls.map(|(time, keys)| format!("{:.1} ({keys})", time.as_secs_f64() * 1000.0));
        println!("| {name} | {} |", calls.join(", "));
    }
}

/// The longest calls that insert a row, the longest one first, and how many keys there were before each.
fn longest_calls(keys: usize, retractions: Retractions) -> [(Duration, usize); LONGEST] {
    let upserts = Upserts::new(keys);
    let mut normalizer = ChangelogNormalizer::new(8, &[0]).with_retractions(retractions);
    let mut longest = [(Duration::ZERO, 0); LONGEST];
    for key in 0..keys {
        let row = upserts.of_key(key, 0);
        let start = Instant::now();
        black_box(normalizer.apply(RowKind::Insert, &row, 0).unwrap());
        let call = (start.elapsed(), key);
        if call > longest[LONGEST - 1] {
            longest[LONGEST - 1] = call;
            longest.sort_unstable_by(|one, other| other.cmp(one));
        }
    }
    longest
}
