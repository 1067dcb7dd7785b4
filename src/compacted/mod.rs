//! A model of a compacted topic, for tests of what is written to one.
//!
//! Agrees with Kafka's log cleaner, `org.apache.kafka.storage.internals.log.Cleaner`.

mod log;

pub use log::{CompactedLog, LogRecord};
