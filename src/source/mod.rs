//! From records to rows, and what a reader of upserts needs behind that: a changelog without duplicates, versions in
//! event time.
//!
//! Agrees with Flink's `org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource`.

mod changelog_decoder;
mod dead_letter;
mod decode_buf;
mod decoded;
mod metadata;
mod normalizer;
mod row_assembler;
mod upsert_decoder;
mod versioned;

pub use changelog_decoder::ChangelogDecoder;
pub use dead_letter::DeadLetter;
pub use decode_buf::DecodeBuf;
pub use decoded::{DecodeStats, Decoded, SkipReason};
pub use normalizer::{ChangelogNormalizer, Retractions};
pub use upsert_decoder::UpsertDecoder;
pub use versioned::{DeleteTime, VersionedTable};
