//! Bridges to other crates, each behind the feature of its name.

#[cfg(feature = "kafka-protocol")]
pub mod kafka_protocol;
