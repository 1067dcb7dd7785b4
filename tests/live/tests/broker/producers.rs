//! Idempotent and transactional producers.

use std::collections::BTreeMap;

use upsert_kafka::partition_for_key;
use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::changes::{Changes, batches, records};
use upsert_kafka_live::kafka::clients::{java_consume, librdkafka_consume, read};
use upsert_kafka_live::kafka::kafka_topic::Isolation;
use upsert_kafka_live::kafka::record::{Sent, assert_same, without_offsets};
use upsert_kafka_live::kafka::transaction::Transactional;

use crate::{broker, create};

const PARTITIONS: i32 = 3;

fn by_partition<'a>(sent: impl IntoIterator<Item = &'a Sent>) -> BTreeMap<i32, Vec<Sent>> {
    let mut by_partition = BTreeMap::<i32, Vec<Sent>>::new();
    for record in sent {
        let key = record.key.as_deref().expect("it has a key");
        let partition = partition_for_key(key, PARTITIONS);
        by_partition.entry(partition).or_default().push(record.clone());
    }
    by_partition
}

#[test]
fn a_batch_of_an_idempotent_producer_that_comes_twice_is_there_once() {
    for codec in [Compression::None, Compression::Zstd] {
        let name = format!("idempotent-{}", codec.as_str());
        let mut topic = create(&name, PARTITIONS, &[]);
        let producer = topic.producer().expect("the broker registers it");
        let sent = records(Changes::new(2, 100), 1000);
        let batches = batches(&sent, PARTITIONS, codec, Some(producer), 2000);
        for (index, (partition, batch)) in batches.iter().enumerate() {
            topic.append(*partition, batch).expect("the broker takes it");
            if index % 3 == 0 {
                topic.append(*partition, batch).expect("the broker acknowledges it again");
            }
        }
        // Brokers know five batches of a producer. One before them is none that is missing, and they say so.
        let (partition, batch) = &batches[0];
        let error = topic.append(*partition, batch).expect_err("others came after it long ago");
        assert!(error.to_string().contains("OutOfOrderSequenceNumber"), "{error}");
        let stored = read(&broker().address, &name, Isolation::ReadUncommitted);
        assert_same(&name, &without_offsets(stored), &by_partition(&sent));
    }
}

#[test]
fn a_batch_out_of_sequence_is_refused() {
    let mut topic = create("sequence", 1, &[]);
    let producer = topic.producer().expect("the broker registers it");
    let batches = batches(&records(Changes::new(3, 10), 100), 1, Compression::None, Some(producer), 1000);
    topic.append(0, &batches[0].1).expect("the broker takes it");
    let error = topic.append(0, &batches[2].1).expect_err("the one before it is missing");
    assert!(error.to_string().contains("OutOfOrderSequenceNumber"), "{error}");
}

#[test]
fn readers_of_committed_records_see_the_committed_transactions_alone() {
    let address = &broker().address;
    for codec in [Compression::None, Compression::Lz4] {
        let name = format!("transactions-{}", codec.as_str());
        create(&name, PARTITIONS, &[]);
        let mut transactional = Transactional::register(address, &name);
        let sent = records(Changes::new(4, 60), 1000);
        // The accumulator counts sequences over all transactions.
        let batches = batches(&sent, PARTITIONS, codec, Some(transactional.producer), 3000);
        let mut committed = Vec::new();
        for (index, batches) in batches.chunks(5).enumerate() {
            let commits = index % 3 != 1;
            transactional.send(&name, batches.to_vec(), commits);
            if commits {
                committed.extend(batches.iter().cloned());
            }
        }
        // An open transaction hides what comes after it in its partitions.
        let mut open = Transactional::register(address, &format!("{name}-open"));
        let opened = self::batches(&sent[..100], PARTITIONS, codec, Some(open.producer), 3000);
        open.send_and_leave(&name, opened);

        let expected = records_of(&committed);
        let by_us = read(address, &name, Isolation::ReadCommitted);
        let by_java = java_consume(address, "read_committed", &[&name]).remove(&name).unwrap_or_default();
        let mut by_librdkafka = librdkafka_consume(address, "read_committed", &[&name], PARTITIONS);
        assert_same("we", &by_us, &by_java);
        assert_same("librdkafka", &by_librdkafka.remove(&name).unwrap_or_default(), &by_java);
        assert_same("java", &without_offsets(by_java), &expected);
        let all = read(address, &name, Isolation::ReadUncommitted);
        assert_eq!(all.values().map(Vec::len).sum::<usize>(), 1100, "those of all transactions");
    }
}

fn records_of(batches: &[(i32, bytes::Bytes)]) -> BTreeMap<i32, Vec<Sent>> {
    let mut all = BTreeMap::<i32, Vec<Sent>>::new();
    for (partition, batch) in batches {
        let batch = upsert_kafka::record::RecordBatch::parse(batch, upsert_kafka::Limits::default())
            .expect("it is ours");
        let records = batch.records().map(|record| Sent::of(&record.expect("it is ours")));
        all.entry(*partition).or_default().extend(records);
    }
    all
}
