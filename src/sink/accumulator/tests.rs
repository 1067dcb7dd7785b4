use super::*;
use crate::partition::partition_for_key;
use crate::record::{Limits, RecordBatches};
use crate::row::Datum;
use crate::table::{Settings, Table, UpdateBefore};

const NOW: i64 = 1_717_200_000_000;

/// Partition, base sequence and count of each batch.
fn shown(batches: impl Iterator<Item = (i32, Bytes)>) -> Vec<(i32, i32, i32)> {
    let int = |batch: &Bytes, at: usize| i32::from_be_bytes(batch[at..at + 4].try_into().unwrap());
    batches.map(|(partition, batch)| (partition, int(&batch, 53), int(&batch, 57))).collect()
}

fn first_partition(_: &PartitionInput<'_>) -> i32 {
    0
}

#[test]
fn records_go_to_the_partition_of_their_key_in_one_batch_each() {
    let mut accumulator = RecordAccumulator::new("t", 3);
    for key in [&b"a"[..], b"ab", b"a", b"abc"] {
        accumulator.append_record(&Record::tombstone(key), NOW).unwrap();
    }
    assert_eq!(shown(accumulator.drain()), [], "nothing is closed yet");
    assert_eq!([b"a".as_slice(), b"abc", b"ab"].map(|key| partition_for_key(key, 3)), [1, 0, 2]);
    assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 1), (1, -1, 2), (2, -1, 1)]);
}

#[test]
fn batches_are_handed_out_in_the_order_of_their_partitions_however_many_there_are() {
    let last = (1 << 22) - 1;
    let order = [last, 63, 64, 1 << 20, 0, 65];
    let mut next = order.into_iter();
    let mut accumulator = RecordAccumulator::new("t", 1 << 22)
        .with_partitioner(move |_: &PartitionInput<'_>| next.next().unwrap());
    for _ in order {
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    }
    let partitions: Vec<_> = shown(accumulator.flush().unwrap()).into_iter().map(|batch| batch.0).collect();
    assert_eq!(partitions, [0, 63, 64, 65, 1 << 20, last]);
}

#[test]
fn a_record_that_does_not_fit_closes_the_batch() {
    let mut accumulator = RecordAccumulator::new("t", 3)
        .with_partitioner(first_partition)
        .with_producer(Producer { sequence: i32::MAX - 1, ..Producer::new(7, 0) })
        .with_max_batch_bytes(61 + 2 * 8);
    for _ in 0..5 {
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    }
    assert_eq!(accumulator.size_in_bytes(), 77 + 77 + 69);
    // Half a drain loses nothing.
    assert_eq!(accumulator.drain().next().unwrap().1.len(), 77);
    assert_eq!(shown(accumulator.flush().unwrap()), [(0, 0, 2), (0, 2, 1)]);
    assert!(accumulator.is_empty());
}

#[test]
fn a_larger_record_is_alone_and_a_too_large_one_is_refused() {
    let mut accumulator = RecordAccumulator::new("t", 3)
        .with_partitioner(first_partition)
        .with_max_batch_bytes(100)
        .with_max_request_bytes(200);
    let small = Record::tombstone(b"k");
    let value = [0; 129]; // 61 header, 2 length, 3 attributes and deltas, 1 + 1 key, 2 + 129 value, 1 headers
    let large = Record::new(Some(b"k"), Some(&value));
    for record in [&small, &large, &small] {
        accumulator.append_record(record, NOW).unwrap();
    }
    let value = [0; 130];
    let error = accumulator.append_record(&Record::new(Some(b"k"), Some(&value)), NOW).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert_eq!(error.message(), "alone in a batch the record takes 201 bytes, more than the limit of 200");
    assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 1), (0, -1, 1), (0, -1, 1)]);
}

#[test]
fn no_batch_is_larger_than_a_request() {
    let mut accumulator =
        RecordAccumulator::new("t", 3).with_partitioner(first_partition).with_max_request_bytes(80);
    for _ in 0..3 {
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    }
    assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 2), (0, -1, 1)]);
}

#[test]
fn all_batches_together_take_no_more_than_the_buffer_memory() {
    let mut accumulator = RecordAccumulator::new("t", 3).with_max_batch_bytes(200).with_buffer_memory(1000);
    let mut appended = 0;
    let error = loop {
        let key = [b'a' + appended % 7];
        match accumulator.append_record(&Record::new(Some(&key), Some(&[0; 50])), NOW) {
            Ok(()) => appended += 1,
            Err(error) => break error,
        }
        assert!(accumulator.size_in_bytes() <= 1000);
    };
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let (size, batches) = (accumulator.size_in_bytes(), accumulator.flush().unwrap());
    let batches: Vec<_> = batches.collect();
    assert_eq!(batches.iter().map(|(_, batch)| batch.len()).sum::<usize>(), size);
    let records = shown(batches.into_iter()).iter().map(|(_, _, records)| records).sum::<i32>();
    assert_eq!((records, accumulator.size_in_bytes()), (appended.into(), 0));
    accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
}

#[test]
fn a_partition_without_records_keeps_no_memory() {
    let mut accumulator = RecordAccumulator::new("t", 3).with_partitioner(first_partition);
    accumulator.append_record(&Record::new(Some(b"k"), Some(&[0; 10_000])), NOW).unwrap();
    let batch = accumulator.flush().unwrap().next().unwrap().1;
    assert!(!batch.is_unique(), "the next batch may take its memory");
    drop(accumulator.flush().unwrap());
    assert!(batch.is_unique());
}

#[test]
fn a_record_without_a_time_is_of_now() {
    let mut accumulator = RecordAccumulator::new("t", 3).with_partitioner(first_partition);
    accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    accumulator.append_record(&Record::tombstone(b"k").with_timestamp(NOW + 7), NOW + 9).unwrap();
    let (_, batch) = accumulator.flush().unwrap().next().unwrap();
    assert_eq!(batch[27..35], NOW.to_be_bytes(), "base");
    assert_eq!(batch[35..43], (NOW + 7).to_be_bytes(), "max");
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut partition = 0;
    let next_partition = move |_: &PartitionInput<'_>| {
        partition += 1;
        partition
    };
    let mut accumulator = RecordAccumulator::new("t", 3).with_partitioner(next_partition);
    accumulator.pairs = Some(UpdatePairs::new());
    let held_back = Record::tombstone(b"a");
    accumulator.batches.add(accumulator.pairs.as_mut(), RowKind::UpdateBefore, &held_back, NOW).unwrap();
    let refused = [Record::tombstone(b"b").with_topic("u"), Record::tombstone(b"b").with_timestamp(-5)];
    for record in refused {
        accumulator.append_record(&record, NOW).unwrap_err();
    }
    accumulator.append_record(&Record::tombstone(b"b").with_topic("t"), NOW).unwrap();
    let error = accumulator.append_record(&Record::tombstone(b"c"), NOW).unwrap_err();
    assert_eq!(error.message(), "the partitioner chose partition 3 of a topic with 3 partitions");
    assert_eq!(shown(accumulator.flush().unwrap()), [(1, -1, 1), (2, -1, 1)]);
}

#[test]
fn a_partition_that_is_not_there_is_refused() {
    for partition in [-1, i32::MIN, 3] {
        let mut accumulator =
            RecordAccumulator::new("t", 3).with_partitioner(move |_: &PartitionInput<'_>| partition);
        let error = accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap_err();
        let expected = format!("the partitioner chose partition {partition} of a topic with 3 partitions");
        assert_eq!(error.message(), expected);
    }
}

fn sink(settings: &Settings, topics: &str, columns: &str) -> TableSink {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t (k STRING, v INT{columns}, PRIMARY KEY (k) NOT ENFORCED) WITH (
         'connector' = 'upsert-kafka', 'topic' = '{topics}', 'key.format' = 'raw', 'value.format' = 'raw',
         'value.fields-include' = 'EXCEPT_KEY', 'properties.bootstrap.servers' = 'localhost:9092')"
    ));
    table.unwrap().sink(settings).unwrap()
}

#[test]
fn pairs_are_one_record_when_the_settings_say_so() {
    let settings = Settings::default().with_update_before(UpdateBefore::Pairs);
    let mut accumulator = sink(&settings, "t", "").accumulator(3).with_partitioner(first_partition);
    for kind in [RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::UpdateBefore] {
        accumulator.append(kind, &[Datum::String("a"), Datum::Int(1)], NOW).unwrap();
        assert!(!accumulator.is_empty(), "after {kind}");
    }
    assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 2)]);
}

#[test]
fn a_table_of_several_topics_has_an_accumulator_for_each() {
    let sink = sink(&Settings::default(), "t;u", ", topic STRING METADATA");
    let row = |topic| [Datum::String("a"), Datum::Int(1), Datum::String(topic)];
    let error = sink.accumulator(3).append(RowKind::Insert, &row("t"), NOW).unwrap_err();
    assert_eq!(error.part(), Some(Part::Topic));
    let mut accumulator = sink.accumulator(3).with_topic("t").with_partitioner(first_partition);
    accumulator.append(RowKind::Insert, &row("t"), NOW).unwrap();
    accumulator.append(RowKind::Insert, &row("u"), NOW).unwrap_err();
    assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 1)]);
}

#[test]
fn the_order_of_the_limits_does_not_matter() {
    let limited = |first: bool| {
        let accumulator = RecordAccumulator::new("t", 1);
        let accumulator = match first {
            true => accumulator.with_max_request_bytes(200).with_max_batch_bytes(300),
            false => accumulator.with_max_batch_bytes(300).with_max_request_bytes(200),
        };
        (accumulator.batches.template.max_bytes(), accumulator.batches.max_request_bytes)
    };
    assert_eq!((limited(true), limited(false)), ((200, 200), (200, 200)));
}

#[test]
fn what_waits_is_counted_until_it_is_handed_out() {
    let mut accumulator =
        RecordAccumulator::new("t", 3).with_partitioner(first_partition).with_max_batch_bytes(61 + 2 * 8);
    for count in 0..5 {
        assert_eq!(accumulator.len(), count);
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    }
    accumulator.drain().next().unwrap();
    assert_eq!((accumulator.len(), accumulator.size_in_bytes()), (3, 77 + 69));
    accumulator.flush().unwrap().for_each(drop);
    assert_eq!((accumulator.len(), accumulator.size_in_bytes()), (0, 0));
}

/// The headers of batches: producer id, epoch, base sequence, transactional; their CRC is right.
fn stamps(batches: impl Iterator<Item = (i32, Bytes)>) -> Vec<(i32, i64, i16, i32, bool)> {
    let mut stamps = Vec::new();
    for (partition, batch) in batches {
        for batch in RecordBatches::new(&batch, Limits::default()) {
            let producer = batch.unwrap().producer().unwrap();
            stamps.push((partition, producer.id, producer.epoch, producer.sequence, producer.transactional));
        }
    }
    stamps
}

/// Kafka numbers what is under way anew when the epoch is bumped: `TransactionManager.startSequencesAtBeginning`.
#[test]
fn batches_that_are_put_back_are_handed_out_first_and_numbered_anew_for_a_new_epoch() {
    let mut accumulator = RecordAccumulator::new("t", 3)
        .with_partitioner(|input: &PartitionInput<'_>| i32::from(input.key == Some(b"b")))
        .with_producer(Producer { sequence: 10, ..Producer::new(7, 0) })
        .with_max_batch_bytes(61 + 2 * 8);
    let append = |accumulator: &mut RecordAccumulator<()>, keys: &[u8]| {
        for key in keys {
            accumulator.append_record(&Record::tombstone(&[*key]), NOW).unwrap();
        }
    };
    append(&mut accumulator, b"aabaa");
    let sent: Vec<_> = accumulator.flush().unwrap().collect();
    let expected = [(0, 7, 0, 10, false), (0, 7, 0, 12, false), (1, 7, 0, 10, false)];
    assert_eq!(stamps(sent.clone().into_iter()), expected);
    append(&mut accumulator, b"aaa"); // one closed, one open

    accumulator.put_back(sent.iter().skip(1).cloned()).unwrap();
    assert_eq!((accumulator.len(), accumulator.drain().next()), (6, Some(sent[1].clone())), "as it was");
    accumulator.put_back([sent[1].clone()]).unwrap();

    accumulator.set_producer(Producer::new(7, 1).transactional());
    append(&mut accumulator, b"b");
    let expected =
        [(0, 7, 1, 0, true), (1, 7, 1, 0, true), (0, 7, 1, 2, true), (0, 7, 1, 4, true), (1, 7, 1, 1, true)];
    assert_eq!(stamps(accumulator.flush().unwrap()), expected);
}

#[test]
fn what_is_no_batch_is_not_put_back() {
    let mut accumulator = RecordAccumulator::new("t", 3);
    accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    let (partition, batch) = accumulator.flush().unwrap().next().unwrap();
    for (partition, batch, kind) in [
        (partition, batch.slice(1..), ErrorKind::Batch),
        (partition, Bytes::new(), ErrorKind::Batch),
        (3, batch.clone(), ErrorKind::Row),
        (-1, batch.clone(), ErrorKind::Row),
    ] {
        assert_eq!(accumulator.put_back([(0, batch.clone()), (partition, batch)]).unwrap_err().kind(), kind);
        assert!(accumulator.is_empty());
    }
    accumulator.put_back([(2, batch.clone())]).unwrap();
    assert_eq!(accumulator.drain().next(), Some((2, batch)));
}
