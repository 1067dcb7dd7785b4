use super::*;
use crate::record::{Limits, RecordBatch};

const NOW: i64 = 1_717_200_000_000;

#[test]
fn a_batch_without_records_is_no_bytes() {
    assert!(RecordBatchBuilder::new().finish().is_empty());
}

#[test]
fn the_memory_of_a_batch_is_used_again_once_nobody_holds_it() {
    let mut builder = RecordBatchBuilder::new();
    let mut batch = |value: &[u8]| {
        assert!(builder.append(&Record::new(None, Some(value)).with_timestamp(NOW)).unwrap());
        builder.finish()
    };
    let held = batch(b"first");
    let (bytes, place) = (held.to_vec(), held.as_ptr());
    let second = batch(b"other");
    assert_ne!(second.as_ptr(), place);
    assert_eq!(held, bytes, "who holds a batch keeps it as it is");
    let place = second.as_ptr();
    drop(second);
    assert_eq!(batch(b"third").as_ptr(), place);
}

/// What cannot be made shorter stays as it is, where compressed it would be above the limit.
#[cfg(feature = "snappy")]
#[test]
fn a_batch_that_compression_makes_too_large_is_left_as_it_is() {
    use std::cmp::Ordering;

    let mut state = 1_u32;
    let mut noise = [0; 300];
    noise.fill_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    let finished = |value: &[u8], max_bytes| {
        let mut batch = RecordBatchBuilder::new()
            .with_compression(Compression::Snappy)
            .unwrap()
            .with_max_bytes(max_bytes);
        assert!(batch.append(&Record::new(None, Some(value)).with_timestamp(NOW)).unwrap());
        let size = batch.size_in_bytes();
        let bytes = batch.finish();
        (RecordBatch::parse(&bytes, Limits::default()).unwrap().compression(), bytes.len().cmp(&size))
    };
    assert_eq!(finished(&noise, 0), (Compression::None, Ordering::Equal));
    assert_eq!(finished(&noise, 1000), (Compression::Snappy, Ordering::Greater), "there is room for it");
    assert_eq!(finished(&[7; 300], 0), (Compression::Snappy, Ordering::Less));
}

#[test]
fn a_timestamp_delta_wraps_as_javas_long_and_is_read_back() {
    // DefaultRecordBatch: `timestamp - baseTimestamp` in a long, and the sum of both when it is read.
    let mut batch = RecordBatchBuilder::new();
    for timestamp in [i64::MAX, -1, 0, i64::MAX] {
        assert!(batch.append(&Record::tombstone(b"k").with_timestamp(timestamp)).unwrap());
    }
    let bytes = batch.finish();
    // The delta of -1 is -2^63, that of 0 is -(2^63 - 1): 10 bytes of a varlong each.
    assert_eq!(bytes.len(), 61 + 4 * 8 + 2 * 9);
    let batch = RecordBatch::parse(&bytes, Limits::default()).unwrap();
    let read: Vec<_> = batch.records().map(|record| record.unwrap().timestamp).collect();
    assert_eq!(read, [Some(i64::MAX), None, Some(0), Some(i64::MAX)]);
}

#[test]
fn a_full_batch_says_so_before_it_takes_the_record() {
    let record = Record::new(Some(b"key"), Some(b"value")).with_timestamp(NOW);
    // 1 length, 1 attributes, 1 + 1 deltas, 1 + 3 key, 1 + 5 value, 1 header count.
    let mut batch = RecordBatchBuilder::new().with_max_bytes(61 + 2 * 15);
    assert!(batch.append(&record).unwrap());
    assert!(batch.append(&record).unwrap());
    assert_eq!((batch.len(), batch.size_in_bytes()), (2, 91));
    assert!(!batch.append(&record).unwrap());
    assert_eq!((batch.len(), batch.size_in_bytes()), (2, 91));
    assert_eq!(batch.finish().len(), 91);
    assert!(batch.append(&record).unwrap());
}

#[test]
fn a_first_record_is_taken_whatever_its_size() {
    let mut batch = RecordBatchBuilder::new().with_max_bytes(10);
    assert!(batch.append(&Record::new(None, Some(&[0; 100]))).unwrap());
    assert!(!batch.append(&Record::new(None, None)).unwrap());
}

#[test]
fn an_offset_that_goes_back_is_refused() {
    let mut batch = RecordBatchBuilder::new().with_base_offset(10);
    let record = Record::tombstone(b"k");
    assert!(batch.append_at(12, &record).unwrap());
    for offset in [9, 12, 10 + (1 << 31), i64::MIN] {
        assert_eq!(batch.append_at(offset, &record).unwrap_err().kind(), ErrorKind::Row, "{offset}");
    }
    assert!(batch.append_at(13, &record).unwrap());
    assert_eq!(batch.len(), 2);
}

#[test]
fn sequences_go_on_from_batch_to_batch() {
    let producer = Producer { sequence: i32::MAX, ..Producer::new(7, 2) };
    let mut batch = RecordBatchBuilder::new().with_producer(Some(producer));
    let sequences = [1, 3, 1].map(|records| {
        for _ in 0..records {
            assert!(batch.append(&Record::tombstone(b"k")).unwrap());
        }
        batch.finish()[53..57].try_into().map(i32::from_be_bytes).unwrap()
    });
    assert_eq!(sequences, [i32::MAX, 0, 3]);
}

#[test]
fn a_batch_at_its_last_offset_is_full() {
    let mut batch = RecordBatchBuilder::new();
    assert!(batch.append_at(i64::from(i32::MAX), &Record::tombstone(b"k")).unwrap());
    assert!(!batch.append(&Record::tombstone(b"k")).unwrap());
}

#[test]
fn a_time_before_1970_is_refused_in_javas_words() {
    let mut batch = RecordBatchBuilder::new();
    let error = batch.append(&Record::tombstone(b"k").with_timestamp(-2)).unwrap_err();
    assert_eq!(error.to_string(), "timestamp: Invalid negative timestamp -2");
    assert!(batch.is_empty());
}
