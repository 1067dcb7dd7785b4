//! Idempotent and transactional producers.

use std::collections::BTreeMap;

use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::changes::{Changes, batches, by_partition, records, records_of};
use upsert_kafka_live::kafka::clients::{java_consume, librdkafka_consume, read};
use upsert_kafka_live::kafka::kafka_topic::Isolation;
use upsert_kafka_live::kafka::record::{Sent, assert_same, without_offsets};
use upsert_kafka_live::kafka::transaction::Transactional;

use crate::{CODECS, broker, create};

const PARTITIONS: i32 = 3;

#[test]
fn a_batch_of_an_idempotent_producer_that_comes_twice_is_there_once() {
    for codec in CODECS {
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
        assert_same(&name, &without_offsets(stored), &by_partition(&sent, PARTITIONS));
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
    let committed = CODECS.map(|codec| {
        let name = format!("transactions-{}", codec.as_str());
        (name.clone(), run_transactions(&name, codec))
    });
    let names: Vec<_> = committed.iter().map(|(name, _)| name.as_str()).collect();
    let mut by_java = java_consume(address, "read_committed", &names);
    let mut by_librdkafka = librdkafka_consume(address, "read_committed", &names, PARTITIONS);
    for (name, committed) in &committed {
        let by_java = by_java.remove(name).unwrap_or_default();
        assert_same(&format!("{name}: we"), &read(address, name, Isolation::ReadCommitted), &by_java);
        let by_librdkafka = by_librdkafka.remove(name).unwrap_or_default();
        assert_same(&format!("{name}: librdkafka"), &by_librdkafka, &by_java);
        assert_same(&format!("{name}: java"), &without_offsets(by_java), committed);
        let all = read(address, name, Isolation::ReadUncommitted);
        assert_eq!(all.values().map(Vec::len).sum::<usize>(), 1100, "those of all transactions");
    }
}

/// Commits some transactions to a new topic and aborts others, and answers the records that readers of committed ones see.
fn run_transactions(name: &str, codec: Compression) -> BTreeMap<i32, Vec<Sent>> {
    let address = &broker().address;
    create(name, PARTITIONS, &[]);
    let mut transactional = Transactional::register(address, name);
    let sent = records(Changes::new(4, 60), 1000);
    // The accumulator counts sequences over all transactions.
    let batches = batches(&sent, PARTITIONS, codec, Some(transactional.producer), 3000);
    let (batches, last) = batches.split_at(batches.len() - 5);
    let mut committed = Vec::new();
    for (index, batches) in batches.chunks(5).enumerate() {
        let commits = index % 3 != 1;
        transactional.send(name, batches.to_vec(), commits);
        if commits {
            committed.extend(batches.iter().cloned());
        }
    }
    // An open transaction hides what comes after it in its partitions.
    let mut open = Transactional::register(address, &format!("{name}-open"));
    let opened = self::batches(&sent[..100], PARTITIONS, codec, Some(open.producer), 3000);
    open.send_and_leave(name, opened);
    transactional.send(name, last.to_vec(), true);
    records_of(&committed)
}
