//! A Kafka broker of our own and Java's consumer, as the tests against the real programs have them.

#[path = "../../../../tests/live/src/kafka/broker.rs"]
pub mod broker;
#[path = "../../../../tests/live/src/kafka/programs.rs"]
pub mod programs;
#[path = "../../../../tests/live/src/kafka/record.rs"]
pub mod record;
