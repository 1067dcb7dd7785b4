//! From records to rows, and what a reader of upserts needs after that: a changelog without duplicates, versions in
//! event time.
//!
//! All of it comes from a [`TableSource`](crate::TableSource). Agrees with Flink's
//! `org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource`.

mod dead_letter;
mod debezium_decoder;
mod decode_buf;
mod decode_stats;
mod decoded;
mod decoder;
mod metadata;
mod normalizer;
mod null_in_key;
mod versioned;

pub use dead_letter::DeadLetter;
pub use debezium_decoder::DebeziumDecoder;
pub use decode_buf::DecodeBuf;
pub use decode_stats::DecodeStats;
pub use decoded::{Decoded, SkipReason};
pub use decoder::Decoder;
pub use normalizer::{ChangelogNormalizer, Retractions};
pub use versioned::{DeleteTime, VersionedTable};
