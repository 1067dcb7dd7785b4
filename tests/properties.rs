//! What holds for any table, row and byte string: the bodies of the fuzz targets, and laws over what they draw.

use std::path::Path;
use std::{fs, panic};

use proptest::collection::vec;
use proptest::prelude::*;
use upsert_kafka::{RecordBuf, RowKind, UpdateBefore, partition_for_key};

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

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..600)
}

proptest! {
    #[test]
    fn every_fuzz_target_holds_over_any_bytes(data in bytes()) {
        fuzz::TARGETS.iter().for_each(|(_, target)| target(&data));
    }

    #[test]
    fn a_row_that_fails_leaves_no_trace(data in bytes()) {
        let mut draw = Draw::new(&data);
        let Some(drawn) = DrawnTable::draw(&mut draw) else { return Ok(()) };
        let settings = drawn.settings.clone().with_update_before(UpdateBefore::Pairs);
        let Ok(sink) = drawn.table.sink(&settings) else { return Ok(()) };
        let (mut batches, mut untroubled) = (sink.accumulator(3), sink.accumulator(3));
        while !draw.is_empty() {
            let (kind, row) = (drawn.row_kind(&mut draw), drawn.row(&mut draw));
            if batches.append(kind, &row, 0).is_ok() {
                untroubled.append(kind, &row, 0).expect("a row that was taken");
            }
        }
        let batches = batches.flush().expect("a partition that is there");
        prop_assert!(batches.eq(untroubled.flush().expect("a partition that is there")));
    }

    #[test]
    fn a_key_alone_is_encoded_as_with_its_row(data in bytes()) {
        let mut draw = Draw::new(&data);
        let Some(drawn) = DrawnTable::draw(&mut draw) else { return Ok(()) };
        let Ok(sink) = drawn.table.sink(&drawn.settings) else { return Ok(()) };
        let (encoder, row) = (sink.encoder(), drawn.row(&mut draw));
        let (mut with_row, mut alone) = (RecordBuf::new(), RecordBuf::new());
        if let Ok(Some(record)) = encoder.encode(RowKind::Insert, &row, &mut with_row) {
            let key = encoder.encode_key(&row[..drawn.key_len], &mut alone).expect("a key that was taken");
            prop_assert_eq!(key, record.key);
        }
    }

    #[test]
    fn rows_of_the_same_key_columns_go_to_one_partition(data in bytes()) {
        let mut draw = Draw::new(&data);
        let Some(drawn) = DrawnTable::draw(&mut draw) else { return Ok(()) };
        let Ok(sink) = drawn.table.sink(&drawn.settings) else { return Ok(()) };
        let encoder = sink.encoder();
        let first = drawn.row(&mut draw);
        let mut second = drawn.row(&mut draw);
        second[..drawn.key_len].clone_from_slice(&first[..drawn.key_len]);
        let (mut left, mut right) = (RecordBuf::new(), RecordBuf::new());
        let left = encoder.encode(RowKind::Insert, &first, &mut left);
        let right = encoder.encode(RowKind::Delete, &second, &mut right);
        if let (Ok(Some(left)), Ok(Some(right))) = (left, right) {
            prop_assert_eq!(left.key, right.key);
            let partition = |key| partition_for_key(key, i32::MAX);
            prop_assert_eq!(left.key.map(partition), right.key.map(partition));
        }
    }
}
