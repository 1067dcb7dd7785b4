//! The rules of other clients against what those clients answered.
//!
//! `tests/partitioners/clients.jsonl` was recorded by the programs of `tests/live/partitioners`: librdkafka as of
//! confluent-kafka 2.16.1, Sarama 1.61.1, kafka-python 3.0.12, KafkaJS 2.2.4 and franz-go 1.22.3.

use std::collections::BTreeMap;

use serde::Deserialize;
use upsert_kafka::partition::{KeyRule, KeyRulePartitioner, PartitionInput, Partitioner, moved_keys};
use upsert_kafka::partition_for_key;

const COUNTS: [i32; 12] = [1, 2, 3, 5, 6, 7, 12, 16, 50, 100, 1000, 65535];

#[derive(Deserialize)]
struct Recorded {
    /// In hexadecimal digits.
    key: String,
    /// By the client's name, for each of `COUNTS`.
    partitions: Partitions,
}

type Partitions = BTreeMap<String, Vec<i32>>;

fn rule(client: &str) -> KeyRule {
    if let Some(name) = client.strip_prefix("librdkafka ") {
        return KeyRule::from_librdkafka(name).expect("a partitioner of librdkafka");
    }
    match client {
        "sarama hash" => KeyRule::SaramaHash,
        "sarama reference" => KeyRule::SaramaReference,
        "kafka-python default" => KeyRule::KafkaPythonDefault,
        "kafkajs legacy" => KeyRule::KafkaJsLegacy,
        "kafkajs default" => KeyRule::KafkaJsDefault,
        "franz-go sticky key" => KeyRule::FranzGoStickyKey,
        _ => panic!("an unknown client: {client}"),
    }
}

fn recorded() -> Vec<(Vec<u8>, Partitions)> {
    let lines = include_str!("partitioners/clients.jsonl").lines();
    let parsed = lines.map(|line| serde_json::from_str::<Recorded>(line).expect("a recorded line"));
    parsed.map(|recorded| (bytes(&recorded.key), recorded.partitions)).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2).map(|pair| str::from_utf8(pair).expect("ASCII"));
    digits.map(|pair| u8::from_str_radix(pair, 16).expect("two hexadecimal digits")).collect()
}

#[test]
fn every_key_goes_where_each_client_puts_it() {
    let recorded = recorded();
    let mut answers = BTreeMap::<String, usize>::new();
    for (key, partitions) in &recorded {
        for (client, expected) in partitions {
            let chosen =
                COUNTS.map(|count| rule(client).partition(Some(key), count).expect("the key decides"));
            assert_eq!(&chosen[..], expected, "{client}, key {key:?}");
            *answers.entry(client.clone()).or_default() += 1;
        }
    }
    assert_eq!(answers.len(), 12, "clients: {answers:?}");
    assert!(answers.values().all(|&count| count >= recorded.len() - 1), "keys of each client: {answers:?}");
}

/// librdkafka's CONFIGURATION.md, `partitioner`: "NULL keys are mapped to single partition" or "randomly partitioned".
#[test]
fn null_and_empty_keys_go_where_librdkafkas_documentation_says() {
    let of = |name: &str, key: Option<&[u8]>| KeyRule::from_librdkafka(name).unwrap().partition(key, 12);
    for name in ["consistent", "murmur2", "fnv1a"] {
        assert!(of(name, None).is_some(), "{name}");
        assert_eq!(of(name, None), of(name, Some(b"")), "{name}");
    }
    for name in ["consistent_random", "murmur2_random", "fnv1a_random"] {
        assert_eq!(of(name, None), None, "{name}");
    }
    assert_eq!(of("consistent_random", Some(b"")), None, "empty keys too");
    assert_eq!(KeyRule::from_librdkafka("random"), None);
}

#[test]
fn without_the_schema_id_a_key_keeps_its_partition_when_the_id_changes() {
    let partition = |partitioner: &mut KeyRulePartitioner, key: &[u8]| {
        partitioner.partition(&PartitionInput::new("t", Some(key), None, 12))
    };
    let mut skipping = KeyRulePartitioner::new(KeyRule::Java).without_schema_id();
    let by_id = |id: u8| [&[0, 0, 0, 0, id][..], b"foobar"].concat();
    assert_eq!(partition(&mut skipping, &by_id(1)), partition_for_key(b"foobar", 12));
    assert_eq!(partition(&mut skipping, &by_id(100)), partition_for_key(b"foobar", 12));
    assert_eq!(partition(&mut skipping, b"\0abc"), partition_for_key(b"\0abc", 12), "no frame");
    let mut javas = KeyRulePartitioner::new(KeyRule::Java);
    assert_eq!(partition(&mut javas, &by_id(1)), partition_for_key(&by_id(1), 12), "Java hashes the frame");
}

#[test]
fn the_keys_that_move_are_those_with_two_partitions() {
    let keys: Vec<Vec<u8>> = recorded().into_iter().map(|(key, _)| key).collect();
    let moved: Vec<_> = moved_keys(&keys, KeyRule::LibrdkafkaConsistent, KeyRule::Java, 12).collect();
    assert!(moved.len() > keys.len() / 2);
    for moved in &moved {
        assert_eq!(Some(moved.from), KeyRule::LibrdkafkaConsistent.partition(Some(moved.key), 12));
        assert_eq!(moved.to, partition_for_key(moved.key, 12));
        assert_ne!(moved.from, moved.to);
    }
    assert_eq!(moved_keys(&keys, KeyRule::FranzGoStickyKey, KeyRule::Java, 12).count(), 0);
}
