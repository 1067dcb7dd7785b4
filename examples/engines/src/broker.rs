use std::io;

use bytes::Bytes;
use upsert_kafka::record::Producer;
use upsert_kafka::{RecordBatches, TableSource};

use crate::topic_log::{BoxError, TopicLog, TopicWriter};
use crate::upsert::kafka_topic::{Isolation, KafkaTopic, Patience};

/// A topic at a broker; each writer and reader has connections of its own.
#[derive(Debug)]
pub struct Broker {
    bootstrap: String,
    topic: String,
    partitions: i32,
    isolation: Isolation,
}

/// The producer of a writer is idempotent: no batch is there twice.
struct BrokerWriter {
    kafka: KafkaTopic,
    producer: Producer,
}

impl Broker {
    /// The topic at the first of the table's `bootstrap.servers`; it is created with `partitions` and compaction if it
    /// is not there yet.
    pub fn open(source: &TableSource, topic: &str, partitions: i32) -> io::Result<Self> {
        let config = source.consumer_config();
        let servers = config.get("bootstrap.servers").map_or("", String::as_str);
        let bootstrap = servers.split(',').next().unwrap_or_default().trim();
        let kafka = KafkaTopic::open(bootstrap, topic, partitions, &[("cleanup.policy", "compact")])?;
        Ok(Self {
            bootstrap: bootstrap.to_owned(),
            topic: topic.to_owned(),
            partitions: kafka.partitions().unwrap_or(partitions),
            isolation: Isolation::of(&config),
        })
    }

    fn connect(&self) -> io::Result<KafkaTopic> {
        KafkaTopic::connect(&self.bootstrap, &self.topic, Patience::default())
    }
}

impl TopicLog for Broker {
    fn partitions(&self) -> i32 {
        self.partitions
    }

    fn writer(&self) -> io::Result<Box<dyn TopicWriter>> {
        let mut kafka = self.connect()?;
        let producer = kafka.producer()?;
        Ok(Box::new(BrokerWriter { kafka, producer }))
    }

    fn read(
        &self,
        partition: i32,
        each: &mut dyn FnMut(&mut RecordBatches<'_>, i64) -> Result<(), BoxError>,
    ) -> Result<(), BoxError> {
        self.connect()?.read(partition, self.isolation, each)
    }
}

impl TopicWriter for BrokerWriter {
    fn producer(&self) -> Option<Producer> {
        Some(self.producer)
    }

    fn append(&mut self, partition: i32, batch: &Bytes) -> io::Result<()> {
        self.kafka.append(partition, batch)
    }
}
