//! Stages, and the buffers of encoders.

use upsert_kafka::partition::PartitionInput;
use upsert_kafka::sink::UpsertMaterializer;
use upsert_kafka::source::VersionedTable;
use upsert_kafka::{ChangelogNormalizer, Datum, Record, RecordAccumulator, RecordBuf, RowKind, Settings};

use super::counting::{held_bytes, peak_bytes};
use super::{assert_bounded, table};

/// One row of 5 MB, and small ones after it.
fn rows() -> impl Iterator<Item = String> {
    std::iter::once("x".repeat(5_000_000)).chain(std::iter::repeat_n("x".to_owned(), 16))
}

#[test]
fn an_encoders_buffer_gives_back_what_one_row_has_needed() {
    for format in ["json", "csv", "avro", "raw"] {
        let table = table(
            "k STRING",
            &format!("'value.format' = '{format}', 'key.format' = 'raw', 'key.fields' = 'k'"),
        );
        let encoder = table.sink(&Settings::default()).expect("a sink").encoder();
        let (held, _buf) = held_bytes(|| {
            let mut buf = RecordBuf::new();
            for text in rows() {
                let row = [Datum::String(&text)];
                assert!(encoder.encode(RowKind::Insert, &row, &mut buf).is_ok_and(|record| record.is_some()));
            }
            buf
        });
        assert!(held <= 1 << 20, "{format}: {held} bytes are held");
    }
}

#[test]
fn stages_give_back_what_one_row_has_needed() {
    let mut normalizer = ChangelogNormalizer::new(2, &[0]);
    let (held, ()) = held_bytes(|| {
        for text in rows() {
            let row = [Datum::Int(1), Datum::String(&text)];
            assert!(normalizer.apply(RowKind::Insert, &row, 0).is_ok());
        }
    });
    assert!(held <= 1 << 20, "a normalizer holds {held} bytes");
    let mut materializer = UpsertMaterializer::new(2, &[0]);
    let (held, ()) = held_bytes(|| {
        for text in rows() {
            let row = [Datum::Int(1), Datum::String(&text)];
            for kind in [RowKind::Insert, RowKind::Delete] {
                assert!(materializer.apply(kind, &row, 0).is_ok());
            }
        }
    });
    assert!(held <= 1 << 20, "a materializer holds {held} bytes");
}

#[test]
fn an_accumulator_takes_memory_for_the_partitions_that_it_uses() {
    let mut next = 0;
    let peak = peak_bytes(|| {
        let mut accumulator =
            RecordAccumulator::new("t", 1 << 22).with_partitioner(move |input: &PartitionInput<'_>| {
                next += input.partitions / 20;
                next - 1
            });
        for _ in 0..20 {
            accumulator.append_record(&Record::tombstone(b"k"), 0).expect("a record");
        }
        accumulator
    });
    assert!(peak <= 8 << 20, "20 records take {peak} bytes");
}

#[test]
fn versions_take_time_as_their_number_in_whatever_order_they_come() {
    // A change takes some 12 bytes in a topic.
    let times: [fn(i64) -> i64; 3] =
        [|number| number, |number| -number, |number| if number % 2 == 0 { number } else { -number }];
    for time in times {
        assert_bounded(
            "versions",
            1 << 20,
            |size| vec![0; size],
            |input| {
                let mut table = VersionedTable::new(2, &[0]);
                for number in (0..).take(input.len() / 12) {
                    table
                        .apply(RowKind::Insert, &[Datum::Int(1), Datum::Int(2)], time(number))
                        .expect("a flat key");
                }
                table.as_of(&[Datum::Int(1)], 0).cloned()
            },
        );
    }
}

#[test]
fn rows_of_one_key_take_time_as_their_number() {
    // A change takes some 100 bytes in a topic. The rows leave as they came, from the end, and in another order.
    let orders: [fn(i64, i64) -> i64; 3] =
        [|number, _| number, |number, count| count - 1 - number, |number, count| number * 7_919 % count];
    for order in orders {
        assert_bounded(
            "rows of a key",
            1 << 20,
            |size| vec![0; size],
            |input| {
                let count = i64::try_from(input.len() / 100).expect("a small number") | 1;
                let mut materializer = UpsertMaterializer::new(2, &[0]);
                for number in 0..count {
                    let row = [Datum::Int(1), Datum::BigInt(number)];
                    materializer.apply(RowKind::Insert, &row, 0).expect("a flat row");
                }
                for number in 0..count {
                    let row = [Datum::Int(1), Datum::BigInt(order(number, count))];
                    materializer.apply(RowKind::Delete, &row, 0).expect("a flat row");
                }
                assert_eq!((materializer.ignored(), materializer.store().len()), (0, 0), "no part is left");
            },
        );
    }
}
