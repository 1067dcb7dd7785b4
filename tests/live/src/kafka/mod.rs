//! A Kafka broker, its clients, Flink, and the faults that come between.

pub mod broker;
pub mod changes;
pub mod clients;
#[path = "../../../../examples/upsert/connection.rs"]
pub mod connection;
pub mod faults;
#[path = "../../../../examples/upsert/kafka_topic.rs"]
pub mod kafka_topic;
pub mod programs;
pub mod record;
pub mod transaction;
