//! Kafka Streams.

use std::collections::BTreeMap;

use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::changes::{Changes, batches, latest, records};
use upsert_kafka_live::kafka::clients::read;
use upsert_kafka_live::kafka::kafka_topic::Isolation;
use upsert_kafka_live::kafka::programs;
use upsert_kafka_live::kafka::record::bytes;

use crate::{broker, create, folder};

#[test]
fn a_ktable_over_our_topic_holds_what_the_normalizer_holds() {
    let address = &broker().address;
    let mut topic = create("ktable", 4, &[("cleanup.policy", "compact")]);
    let sent = records(Changes::new(5, 700), 10_000);
    for (partition, batch) in batches(&sent, 4, Compression::Gzip, None, 1 << 20) {
        topic.append(partition, &batch).expect("the broker takes it");
    }
    let state = folder("streams");
    let printed =
        programs::BROKER.run("KTable", &[address, "ktable", state.to_str().expect("a path of ours")]);
    let entry = |line: &str| {
        let (key, value) = line.split_once('\t').expect("a key and a value");
        (bytes(key).expect("no null"), bytes(value).expect("no null"))
    };
    let ktable: BTreeMap<_, _> = printed.lines().map(entry).collect();
    let normalized = latest(&read(address, "ktable", Isolation::ReadUncommitted));
    assert!(normalized.len() > 500, "{} rows are left", normalized.len());
    assert_eq!(ktable, normalized);
}
