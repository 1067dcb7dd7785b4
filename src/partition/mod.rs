//! Which partition a record goes to: Kafka's key hash and the [`Partitioner`]s around it.
//!
//! Agrees with Kafka's `org.apache.kafka.clients.producer.internals.BuiltInPartitioner` and with
//! `org.apache.flink.connector.kafka.sink.KafkaPartitioner`.

mod default;
mod fixed;
mod hash;
mod key_rule;
mod partitioner;
mod round_robin;

pub use default::DefaultPartitioner;
pub use fixed::FixedPartitioner;
pub use hash::{murmur2, partition_for_key};
pub use key_rule::{KeyRule, KeyRulePartitioner, MovedKey, moved_keys};
pub use partitioner::{PartitionInput, Partitioner};
pub use round_robin::RoundRobinPartitioner;
