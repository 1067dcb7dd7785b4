//! From rows to records and batches, and what stands before: fewer and other changes.
//!
//! All of it comes from a [`TableSink`](crate::TableSink). Agrees with Flink's
//! `org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink`.

mod accumulator;
mod debezium_encoder;
mod encoder;
mod live_rows;
mod materializer;
mod metadata;
mod not_null;
mod record_buf;
mod reduce_buffer;
mod update_pairs;

pub use accumulator::RecordAccumulator;
pub use debezium_encoder::DebeziumEncoder;
pub use encoder::Encoder;
pub use materializer::UpsertMaterializer;
pub use record_buf::RecordBuf;
pub use reduce_buffer::ReduceBuffer;
pub use update_pairs::UpdatePairs;
