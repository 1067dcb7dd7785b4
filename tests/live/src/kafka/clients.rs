//! The same records through other clients, and read by them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use chrono::DateTime;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, Headers, Message, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};
use rskafka::client::ClientBuilder;
use rskafka::client::partition::{Compression as RskafkaCompression, UnknownTopicHandling};
use upsert_kafka::partition_for_key;
use upsert_kafka::record::Compression;

use super::kafka_topic::{Isolation, KafkaTopic, Patience};
use super::programs;
use super::record::{Sent, Stored};

/// Machines may be slow.
const PATIENCE: Duration = Duration::from_secs(180);

/// Reads all of a topic with our client.
pub fn read(address: &str, topic: &str, isolation: Isolation) -> Stored {
    let mut client = KafkaTopic::connect(address, topic, Patience::default()).expect("the broker is there");
    let partitions = client.partitions().expect("the topic is there");
    let mut stored = Stored::new();
    for partition in 0..partitions {
        let records = stored.entry(partition).or_default();
        let read = client.read(partition, isolation, |batches, offset| {
            for batch in batches {
                let batch = batch.expect("the batch is good");
                for record in batch.records_from(offset) {
                    let record = record.expect("the record is good");
                    records.push((record.offset.expect("it has one"), Sent::of(&record)));
                }
            }
            Ok::<_, std::io::Error>(())
        });
        read.expect("it can be read");
    }
    stored
}

/// Sends the records to each topic with Java's producer.
pub fn java_produce(address: &str, topics: &[(&str, Compression)], records: &[Sent], folder: &Path) {
    let file = folder.join("records");
    let lines: Vec<_> = records.iter().map(Sent::line).collect();
    fs::write(&file, lines.join("\n")).expect("the folder takes files");
    let mut arguments = vec![address, file.to_str().expect("a path of ours")];
    for (topic, compression) in topics {
        arguments.extend([topic, compression.as_str()]);
    }
    programs::BROKER.run("Produce", &arguments);
}

/// Reads all of the topics with Java's consumer.
pub fn java_consume(address: &str, isolation: &str, topics: &[&str]) -> BTreeMap<String, Stored> {
    let mut all = BTreeMap::<String, Stored>::new();
    let output = programs::BROKER.run("Consume", &[&[address, isolation], topics].concat());
    for line in output.lines() {
        let (topic, partition, offset, record) = Sent::read(line);
        all.entry(topic).or_default().entry(partition).or_default().push((offset, record));
    }
    all
}

/// Sends the records with librdkafka, and with its partitioner that is Java's.
pub fn librdkafka_produce(address: &str, topic: &str, compression: Compression, records: &[Sent]) {
    let producer: BaseProducer = ClientConfig::new()
        .set("bootstrap.servers", address)
        .set("compression.codec", compression.as_str())
        .set("partitioner", "murmur2_random")
        .set("linger.ms", "20")
        .create()
        .expect("the options are good");
    for Sent { timestamp, key, value, headers } in records {
        let headers = headers.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
            headers.insert(Header { key, value: value.as_deref() })
        });
        let record = BaseRecord::<[u8], [u8]> {
            key: key.as_deref(),
            payload: value.as_deref(),
            timestamp: Some(*timestamp),
            headers: Some(headers),
            ..BaseRecord::to(topic)
        };
        producer.send(record).map_err(|(error, _)| error).expect("the queue has room");
    }
    producer.flush(PATIENCE).expect("the broker takes them");
}

/// Reads all of the topics, each of `partitions` partitions, with librdkafka.
pub fn librdkafka_consume(
    address: &str,
    isolation: &str,
    topics: &[&str],
    partitions: i32,
) -> BTreeMap<String, Stored> {
    let consumer: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", address)
        .set("group.id", "live")
        .set("isolation.level", isolation)
        .set("enable.auto.commit", "false")
        .set("enable.partition.eof", "true")
        .set("check.crcs", "true")
        .create()
        .expect("the options are good");
    let mut assignment = TopicPartitionList::new();
    for topic in topics {
        for partition in 0..partitions {
            assignment.add_partition_offset(topic, partition, Offset::Beginning).expect("an offset");
        }
    }
    consumer.assign(&assignment).expect("the partitions are there");
    let mut all = BTreeMap::<String, Stored>::new();
    let mut ends = 0;
    while ends < assignment.count() {
        match consumer.poll(PATIENCE).expect("the broker answers") {
            Ok(message) => {
                let bytes = |part: Option<&[u8]>| part.map(<[u8]>::to_vec);
                let headers = message.headers().into_iter().flat_map(Headers::iter);
                let record = Sent {
                    timestamp: message.timestamp().to_millis().expect("it has a time"),
                    key: bytes(message.key()),
                    value: bytes(message.payload()),
                    headers: headers.map(|header| (header.key.to_owned(), bytes(header.value))).collect(),
                };
                let partition = message.partition();
                let stored = all.entry(message.topic().to_owned()).or_default();
                stored.entry(partition).or_default().push((message.offset(), record));
            }
            Err(KafkaError::PartitionEOF(_)) => ends += 1,
            // A topic that was made just now.
            Err(KafkaError::MessageConsumption(RDKafkaErrorCode::UnknownTopicOrPartition)) => {}
            Err(error) => panic!("librdkafka: {error}"),
        }
    }
    all
}

/// Sends the records with rskafka, which is in Rust all through and leaves partitions to its user.
pub fn rskafka_produce(
    address: &str,
    topic: &str,
    partitions: i32,
    compression: Compression,
    records: &[Sent],
) {
    let compression = match compression {
        Compression::None => RskafkaCompression::NoCompression,
        Compression::Gzip => RskafkaCompression::Gzip,
        Compression::Snappy => RskafkaCompression::Snappy,
        Compression::Lz4 => RskafkaCompression::Lz4,
        Compression::Zstd => RskafkaCompression::Zstd,
        other => panic!("rskafka does not know {other:?}"),
    };
    let mut by_partition = BTreeMap::<i32, Vec<rskafka::record::Record>>::new();
    for Sent { timestamp, key, value, headers } in records {
        let partition = partition_for_key(key.as_deref().expect("it has a key"), partitions);
        let header =
            |(name, value): &(String, Option<Vec<u8>>)| (name.clone(), value.clone().expect("not null"));
        by_partition.entry(partition).or_default().push(rskafka::record::Record {
            key: key.clone(),
            value: value.clone(),
            headers: headers.iter().map(header).collect(),
            timestamp: DateTime::from_timestamp_millis(*timestamp).expect("a time of ours"),
        });
    }
    let produce = async {
        let client = ClientBuilder::new(vec![address.to_owned()]).build().await?;
        for (partition, records) in by_partition {
            let unknown = UnknownTopicHandling::Retry;
            let client = client.partition_client(topic, partition, unknown).await?;
            for records in records.chunks(100) {
                client.produce(records.to_vec(), compression).await?;
            }
        }
        Ok::<_, rskafka::client::error::Error>(())
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(produce).expect("the broker takes them");
}
