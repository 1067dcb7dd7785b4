//! The sink side: rows become records, records become batches.
//!
//! Agrees with Flink's `org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink`.

mod accumulator;
mod changelog_encoder;
mod debezium_encoder;
mod materializer;
mod metadata;
mod not_null;
mod record_buf;
mod record_codec;
mod record_encoder;
mod reduce_buffer;
mod update_pairs;
mod upsert_encoder;

pub use accumulator::RecordAccumulator;
pub use changelog_encoder::ChangelogEncoder;
pub use debezium_encoder::DebeziumEncoder;
pub use materializer::UpsertMaterializer;
pub use record_buf::RecordBuf;
pub use record_encoder::RecordEncoder;
pub use reduce_buffer::{ReduceBuffer, ReducedRow};
pub use update_pairs::UpdatePairs;
pub use upsert_encoder::UpsertEncoder;
