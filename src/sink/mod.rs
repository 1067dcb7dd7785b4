//! The sink side: rows become records, records become batches.
//!
//! Agrees with Flink's `org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink`.

mod accumulator;
mod update_pairs;

pub use accumulator::RecordAccumulator;
pub use update_pairs::UpdatePairs;
