//! One changelog through four producers and back through three consumers.

use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::changes::{Changes, batches, by_partition, records};
use upsert_kafka_live::kafka::clients::{
    java_consume, java_produce, librdkafka_consume, librdkafka_produce, read, rskafka_produce,
};
use upsert_kafka_live::kafka::kafka_topic::Isolation;
use upsert_kafka_live::kafka::record::{assert_same, without_offsets};

use crate::{CODECS, broker, create, folder};

const PARTITIONS: i32 = 7;
const RECORDS: usize = 2000;

const PRODUCERS: [&str; 5] = ["ours", "ours-in-small-batches", "java", "librdkafka", "rskafka"];

#[test]
fn all_producers_and_consumers_agree_about_records_and_partitions_with_every_compression() {
    let address = &broker().address;
    let sent = records(Changes::new(1, 300), RECORDS);
    let expected = by_partition(&sent, PARTITIONS);
    let topic = |producer: &str, codec: Compression| format!("{producer}-{}", codec.as_str());
    let mut topics = Vec::new();
    for codec in CODECS {
        for (producer, max_batch_bytes) in [("ours", 1 << 20), ("ours-in-small-batches", 1000)] {
            let mut ours = create(&topic(producer, codec), PARTITIONS, &[]);
            for (partition, batch) in batches(&sent, PARTITIONS, codec, None, max_batch_bytes) {
                ours.append(partition, &batch).expect("the broker takes it");
            }
        }
        for producer in ["java", "librdkafka", "rskafka"] {
            create(&topic(producer, codec), PARTITIONS, &[]);
        }
        librdkafka_produce(address, &topic("librdkafka", codec), codec, &sent);
        rskafka_produce(address, &topic("rskafka", codec), PARTITIONS, codec, &sent);
        topics.extend(PRODUCERS.map(|producer| topic(producer, codec)));
    }
    let javas = CODECS.map(|codec| (topic("java", codec), codec));
    let javas: Vec<_> = javas.iter().map(|(topic, codec)| (&**topic, *codec)).collect();
    java_produce(address, &javas, &sent, &folder("clients"));

    let names: Vec<_> = topics.iter().map(String::as_str).collect();
    let mut by_java = java_consume(address, "read_uncommitted", &names);
    let mut by_librdkafka = librdkafka_consume(address, "read_uncommitted", &names, PARTITIONS);
    for topic in &topics {
        let by_java = by_java.remove(topic).unwrap_or_default();
        let by_us = read(address, topic, Isolation::ReadUncommitted);
        let by_librdkafka = by_librdkafka.remove(topic).unwrap_or_default();
        assert_same(&format!("{topic}, offsets as we read them"), &by_us, &by_java);
        assert_same(&format!("{topic}, offsets as librdkafka reads them"), &by_librdkafka, &by_java);
        assert_same(topic, &without_offsets(by_java), &expected);
    }
    println!("{} topics of {RECORDS} records, each read by 3 consumers: equal", topics.len());
}
