//! What holds for any table, row and byte string: the bodies of the fuzz targets, and laws over what they draw.

use std::cell::Cell;
use std::path::Path;
use std::{env, fs, panic};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use upsert_kafka::{RecordBuf, RowKind, TableSink, UpdateBefore, partition_for_key};

#[path = "../fuzz/src/lib.rs"]
#[allow(dead_code, unreachable_pub, unused_imports, reason = "written as the root of a crate")]
mod fuzz;

use fuzz::{Draw, DrawnTable};

#[test]
fn every_fuzz_target_holds_over_its_corpus() {
    for (name, target) in fuzz::TARGETS {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let mut inputs: Vec<_> =
            fs::read_dir(corpus).expect("a corpus").map(|entry| entry.expect("an entry").path()).collect();
        inputs.sort();
        assert!(!inputs.is_empty(), "{name} has no corpus");
        for input in inputs {
            let data = fs::read(&input).expect("an input");
            assert!(panic::catch_unwind(|| target(&data)).is_ok(), "{}", input.display());
        }
    }
}

/// A snapshot of an older format is refused with its first bytes. With `UPDATE_DOCS=1` it writes today's.
#[test]
fn the_corpus_of_restore_has_todays_snapshot_of_each_stage() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/restore");
    for (stage, snapshot) in fuzz::snapshots() {
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(corpus.join(stage), &snapshot).expect("the corpus");
        }
        let seed = fs::read(corpus.join(stage)).expect("a seed of each stage");
        assert!(seed == snapshot, "{stage} writes another snapshot: run the tests with UPDATE_DOCS=1");
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..1200)
}

/// Holds `law` to what is drawn, as `proptest!` does, and fails if most of it was thrown away, which `law` says by `None`:
/// a law that hardly anything is held to is none.
fn holds_for_most(law: impl Fn(&[u8]) -> Option<Result<(), TestCaseError>>) {
    let (held, drawn) = (Cell::new(0_u32), Cell::new(0_u32));
    let result = TestRunner::new(ProptestConfig::default()).run(&bytes(), |data| {
        drawn.set(drawn.get() + 1);
        let Some(result) = law(&data) else { return Ok(()) };
        held.set(held.get() + 1);
        result
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(2 * held.get() > drawn.get(), "{} of {} draws were held to the law", held.get(), drawn.get());
}

/// A table that is drawn, and resolved to write to; and what is left to draw. Flink refuses many: the first one that it
/// takes.
fn drawn_sink(data: &[u8], update_before: UpdateBefore) -> Option<(DrawnTable, TableSink, Draw<'_>)> {
    let mut draw = Draw::new(data);
    while !draw.is_empty() {
        let Some(drawn) = DrawnTable::draw(&mut draw) else { continue };
        if let Ok(sink) = drawn.table.sink(&drawn.settings.clone().with_update_before(update_before)) {
            return Some((drawn, sink, draw));
        }
    }
    None
}

#[test]
fn every_fuzz_target_holds_over_any_bytes() {
    holds_for_most(|data| {
        fuzz::TARGETS.iter().for_each(|(_, target)| target(data));
        // Those that write rows have a table to write to.
        drawn_sink(data, UpdateBefore::Tombstone).map(|_| Ok(()))
    });
}

#[test]
fn a_row_that_fails_leaves_no_trace() {
    holds_for_most(|data| {
        let (drawn, sink, mut draw) = drawn_sink(data, UpdateBefore::Pairs)?;
        let (mut batches, mut untroubled) = (sink.accumulator(3), sink.accumulator(3));
        let (mut taken, mut failed) = (0, 0);
        while !draw.is_empty() {
            let (kind, row) = (drawn.row_kind(&mut draw), drawn.row(&mut draw));
            if batches.append(kind, &row, 0).is_ok() {
                taken += 1;
                untroubled.append(kind, &row, 0).expect("a row that was taken");
            } else {
                failed += 1;
            }
        }
        let batches: Vec<_> = batches.flush().expect("a partition that is there").collect();
        let expected: Vec<_> = untroubled.flush().expect("a partition that is there").collect();
        let law = || {
            prop_assert_eq!(batches, expected);
            Ok(())
        };
        (taken > 0 && failed > 0).then(law)
    });
}

#[test]
fn a_key_alone_is_encoded_as_with_its_row() {
    holds_for_most(|data| {
        let (drawn, sink, mut draw) = drawn_sink(data, UpdateBefore::Tombstone)?;
        let encoder = sink.encoder();
        let (mut with_row, mut alone) = (RecordBuf::new(), RecordBuf::new());
        let mut is_held = false;
        while !draw.is_empty() {
            let row = drawn.row(&mut draw);
            if let Ok(Some(record)) = encoder.encode(RowKind::Insert, &row, &mut with_row) {
                is_held = true;
                let key =
                    encoder.encode_key(&row[..drawn.key_len], &mut alone).expect("a key that was taken");
                assert_eq!(key, record.key);
            }
        }
        is_held.then_some(Ok(()))
    });
}

#[test]
fn rows_of_the_same_key_columns_go_to_one_partition() {
    holds_for_most(|data| {
        let (drawn, sink, mut draw) = drawn_sink(data, UpdateBefore::Tombstone)?;
        let encoder = sink.encoder();
        let (mut left, mut right) = (RecordBuf::new(), RecordBuf::new());
        let mut is_held = false;
        while !draw.is_empty() {
            let first = drawn.row(&mut draw);
            let mut second = drawn.row(&mut draw);
            second[..drawn.key_len].clone_from_slice(&first[..drawn.key_len]);
            let second_kind = drawn.row_kind(&mut draw);
            let left = encoder.encode(RowKind::Insert, &first, &mut left);
            let right = encoder.encode(second_kind, &second, &mut right);
            if let (Ok(Some(left)), Ok(Some(right))) = (left, right) {
                is_held = true;
                assert_eq!(left.key, right.key);
                let partition = |key| partition_for_key(key, i32::MAX);
                assert_eq!(left.key.map(partition), right.key.map(partition));
            }
        }
        is_held.then_some(Ok(()))
    });
}
