//! What a partitioner is asked and answers.
//!
//! Agrees with Kafka's `org.apache.kafka.clients.producer.Partitioner` and Flink's `KafkaPartitioner`.

use std::fmt;

use crate::wire::Shown;

/// Chooses the partition of each record.
///
/// Closures are partitioners, too:
///
/// ```
/// use upsert_kafka::partition::{PartitionInput, Partitioner};
///
/// // The first byte of a key names its region; everything without one goes to partition 0.
/// let mut by_region = |of: &PartitionInput<'_>| {
///     i32::from(of.key.and_then(|key| key.first()).copied().unwrap_or(0)) % of.partitions
/// };
/// let input = PartitionInput::new("orders", Some(&[7, 1, 1]), None, 4);
/// assert_eq!(by_region.partition(&input), 3);
/// ```
pub trait Partitioner {
    /// The partition of the record `of`, from 0 to `of.partitions - 1`.
    ///
    /// An upsert topic needs the same answer for the same key, always.
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32;
}

/// A record that needs a partition, and who is asking.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PartitionInput<'a> {
    /// The topic it goes to.
    pub topic: &'a str,
    /// Its key.
    pub key: Option<&'a [u8]>,
    /// Its value; `None` is a tombstone.
    pub value: Option<&'a [u8]>,
    /// The number of the topic's partitions, above 0.
    pub partitions: i32,
    /// Which of the parallel writers asks, counted from 0.
    pub subtask: u32,
}

impl<'a> PartitionInput<'a> {
    /// A record of the only writer.
    ///
    /// # Panics
    ///
    /// If `partitions` is not above 0.
    #[must_use]
    pub fn new(topic: &'a str, key: Option<&'a [u8]>, value: Option<&'a [u8]>, partitions: i32) -> Self {
        assert!(partitions > 0, "a topic has at least one partition");
        Self { topic, key, value, partitions, subtask: 0 }
    }

    /// The same record of the parallel writer number `subtask`, counted from 0.
    #[must_use]
    pub fn with_subtask(mut self, subtask: u32) -> Self {
        self.subtask = subtask;
        self
    }

    /// The partition of the writer that asks: its number modulo the partitions.
    pub(super) fn own_partition(&self) -> i32 {
        (self.subtask % self.partitions.cast_unsigned()).cast_signed()
    }
}

impl fmt::Debug for PartitionInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartitionInput")
            .field("topic", &self.topic)
            .field("key", &self.key.map(Shown))
            .field("value", &self.value.map(Shown))
            .field("partitions", &self.partitions)
            .field("subtask", &self.subtask)
            .finish()
    }
}

impl<F: FnMut(&PartitionInput<'_>) -> i32> Partitioner for F {
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        self(of)
    }
}

impl Partitioner for Box<dyn Partitioner + Send + Sync + '_> {
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        (**self).partition(of)
    }
}
