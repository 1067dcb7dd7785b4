//! Against a real Kafka broker: what the crate writes is read by others, and the other way round.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::broker::Broker;
use upsert_kafka_live::kafka::kafka_topic::{KafkaTopic, Patience};

mod clients;
mod compaction;
mod example;
mod faults;
mod producers;
mod streams;

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

/// The broker that these tests share.
fn broker() -> &'static Broker {
    static BROKER: OnceLock<Broker> = OnceLock::new();
    BROKER.get_or_init(|| Broker::start("broker"))
}

/// A new topic at the shared broker.
fn create(name: &str, partitions: i32, configs: &[(&str, &str)]) -> KafkaTopic {
    create_at(&broker().address, name, partitions, configs, Patience::default())
}

fn create_at(
    address: &str,
    name: &str,
    partitions: i32,
    configs: &[(&str, &str)],
    patience: Patience,
) -> KafkaTopic {
    let mut topic = KafkaTopic::connect(address, name, patience).expect("the broker is there");
    assert_eq!(topic.partitions(), None, "the topic is new");
    topic.create(partitions, configs).expect("the broker creates it");
    assert_eq!(topic.partitions(), Some(partitions));
    topic
}

/// An empty folder of the test `name`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}
