//! Once its buffers have grown, a stage allocates nothing for a row.

#![allow(unsafe_code, reason = "an allocator that counts is one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::record::{Header, RecordBatchBuilder};
use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::{DeleteTime, Retractions, VersionedTable};
use upsert_kafka::table::BufferFlush;
use upsert_kafka::{
    ChangelogNormalizer, ConsumerRecord, Datum, Decimal, DecodeBuf, Error, Limits, Record, RecordBatches,
    RecordBuf, RowKind, Settings, Table, Timestamp, UpdateBefore,
};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    ALLOCATIONS.with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const KEYS: i64 = 100;

/// A change of the table `orders`: each key is deleted and comes back now and then, and changes else.
fn order(index: i64, round: i64) -> (RowKind, [Datum<'static>; 8]) {
    let kind = if (index + round) % 10 == 9 { RowKind::Delete } else { RowKind::UpdateAfter };
    let amount = Decimal::new(i128::from(index * 37 + round), 2);
    let row = [
        Datum::BigInt(1_000_000 + index),
        Datum::String("customer-000031"),
        Datum::Decimal(amount),
        Datum::String(["NEW", "PAID", "SHIPPED"][usize::try_from(round % 3).expect("not negative")]),
        Datum::Timestamp(Timestamp::from_millis(1_715_000_000_000 + index)),
        Datum::Int(7),
        Datum::Double(0.37),
        Datum::Boolean(index % 2 == 0),
    ];
    (kind, row)
}

/// Runs rounds of changes of every key until the buffers have grown, and counts the allocations of those behind.
fn allocations(mut apply: impl FnMut(i64, RowKind, &[Datum<'_>; 8]) -> Result<(), Error>) -> usize {
    let mut run = |rounds: std::ops::Range<i64>| {
        let before = ALLOCATIONS.get();
        for round in rounds {
            for index in 0..KEYS {
                let (kind, row) = order(index, round);
                apply(round, kind, &row).expect("a flat row");
            }
        }
        ALLOCATIONS.get() - before
    };
    assert!(run(0..30) > 0, "allocations are counted");
    run(30..60)
}

/// The table `orders` with the formats of `options`.
fn orders(connector: &str, options: &str) -> Table {
    let ddl = format!(
        "CREATE TABLE orders (order_id BIGINT, customer STRING, amount DECIMAL(10, 2), status STRING, \
         updated_at TIMESTAMP(3), quantity INT, price DOUBLE, active BOOLEAN, PRIMARY KEY (order_id) NOT ENFORCED) \
         WITH ('connector' = '{connector}', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092', \
         {options})"
    );
    Table::from_ddl(&ddl).expect("a table")
}

#[test]
fn a_row_allocates_nothing_on_its_way_into_a_batch_and_a_batch_twice_or_once_if_the_last_one_is_gone() {
    let table = orders("upsert-kafka", "'key.format' = 'json', 'value.format' = 'json'");
    let settings = Settings::default().with_update_before(UpdateBefore::Pairs);
    let sink = table.sink(&settings).expect("a sink");
    for (is_held, most) in [(true, 2), (false, 1)] {
        let mut accumulator = sink.accumulator(12);
        let (mut flushed, mut batches, mut held) = (0, 0, Vec::new());
        let count = allocations(|round, kind, row| {
            if round != flushed {
                flushed = round;
                let flushed = accumulator.flush()?;
                held.clear();
                held.extend(flushed);
                batches += if round > 30 { held.len() } else { 0 };
                if !is_held {
                    held.clear();
                }
            }
            accumulator.append(kind, row, round)
        });
        assert_eq!(batches, 29 * 12);
        // Those drained at round 30 were begun before the count, those of round 59 are not closed: half of each counts.
        assert!(count <= most * (batches + 12), "{count} allocations for {batches} batches");
    }
}

#[test]
fn every_format_is_written_and_read_without_allocating() {
    let url =
        "'key.avro-confluent.url' = 'http://localhost', 'value.avro-confluent.url' = 'http://localhost'";
    for options in [
        "'key.format' = 'json', 'value.format' = 'json'",
        "'key.format' = 'json', 'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
        "'key.format' = 'csv', 'value.format' = 'csv'",
        "'key.format' = 'raw', 'value.format' = 'csv', 'value.csv.field-delimiter' = '。'",
        "'key.format' = 'avro', 'value.format' = 'avro'",
        "'key.format' = 'avro', 'value.format' = 'avro', 'value.avro.encoding' = 'json'",
        &format!("'key.format' = 'avro-confluent', 'value.format' = 'avro-confluent', {url}"),
    ] {
        let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
        let table = orders("upsert-kafka", options);
        let encoder = table.sink(&settings).expect("a sink").encoder();
        let decoder = table.source(&settings).expect("a source").decoder();
        let (mut record, mut rows) = (RecordBuf::new(), DecodeBuf::new());
        let count = allocations(|_, kind, row| {
            let record = encoder.encode(kind, row, &mut record)?.expect("every change is a record");
            let decoded = decoder.decode(&ConsumerRecord::new(record.key, record.value), &mut rows)?;
            assert_eq!(decoded.rows().len(), 1);
            Ok(())
        });
        assert_eq!(count, 0, "{options}");
    }
}

#[test]
fn a_changelog_envelope_is_written_and_read_without_allocating() {
    for format in ["debezium-json", "canal-json", "maxwell-json", "ogg-json"] {
        let options = format!("'scan.startup.mode' = 'earliest-offset', 'value.format' = '{format}'");
        let table = orders("kafka", &options);
        let encoder = table.sink(&Settings::default()).expect("a sink").encoder();
        let decoder = table.source(&Settings::default()).expect("a source").decoder();
        let (mut record, mut rows) = (RecordBuf::new(), DecodeBuf::new());
        let count = allocations(|_, kind, row| {
            let record = encoder.encode(kind, row, &mut record)?.expect("a record");
            let decoded = decoder.decode(&ConsumerRecord::new(None, record.value), &mut rows)?;
            assert_eq!(decoded.rows().len(), 1);
            Ok(())
        });
        assert_eq!(count, 0, "{format}");
    }
}

#[test]
fn a_batch_is_read_without_allocating() {
    let mut builder = RecordBatchBuilder::new();
    let headers = [Header::new("h", Some(b"v"))];
    for _ in 0..KEYS {
        let record = Record::new(Some(b"k"), Some(b"v")).with_timestamp(1).with_headers(&headers);
        assert!(builder.append(&record).expect("a record"));
    }
    let batch = builder.finish();
    let before = ALLOCATIONS.get();
    let mut records = 0;
    for batch in RecordBatches::new(&batch, Limits::default()) {
        for record in batch.expect("our own batch").records() {
            records += record.expect("our own record").headers.iter().count();
        }
    }
    assert_eq!((records, ALLOCATIONS.get() - before), (100, 0));
}

#[test]
fn a_normalizer_allocates_nothing() {
    for retractions in [Retractions::Full, Retractions::Deletes, Retractions::KeyedDeletes] {
        for bundle in [1, 10] {
            let normalizer = ChangelogNormalizer::new(8, &[0]).with_retractions(retractions);
            let mut normalizer = normalizer.with_bundle(bundle);
            let count = allocations(|_, kind, row| {
                normalizer.apply(kind, row, 0).map(|changes| changes.for_each(drop))
            });
            assert_eq!(count, 0, "{retractions:?} in bundles of {bundle}");
        }
    }
}

#[test]
fn a_materializer_allocates_nothing() {
    let mut materializer = UpsertMaterializer::new(8, &[0]).with_upsert_key(&[0, 6]);
    let count =
        allocations(|_, kind, row| materializer.apply(kind, row, 0).map(|changes| changes.for_each(drop)));
    assert_eq!(count, 0);
}

#[test]
fn a_reduce_buffer_allocates_nothing() {
    let mut buffer = ReduceBuffer::new(8, &[0], BufferFlush { max_rows: 10, interval_ms: 1000 }, 0);
    let count =
        allocations(|round, kind, row| buffer.apply(kind, row, round).map(|flushed| flushed.for_each(drop)));
    assert_eq!(count, 0);
}

#[test]
fn a_versioned_table_allocates_nothing_behind_its_watermark() {
    let mut table = VersionedTable::new(8, &[0]).with_delete_time(DeleteTime::Own);
    let count = allocations(|round, kind, row| {
        table.advance_watermark(round - 3);
        table.apply(kind, row, round)?;
        assert_eq!(table.as_of(&row[..1], round).is_some(), kind != RowKind::Delete);
        Ok(())
    });
    assert_eq!(count, 0);
}
