use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::PartitionStream;
use upsert_kafka::adapters::arrow::ArrowRows;
use upsert_kafka::{DecodeBuf, Error, RowKind, TableSource};

use crate::table::external;
use crate::topic_log::{BoxError, TopicLog};

/// The current rows of some partitions of a topic, as a stream of batches.
#[derive(Clone, Debug)]
pub struct Partitions {
    pub source: Arc<TableSource>,
    pub topic: String,
    pub log: Arc<dyn TopicLog>,
    pub rows: Arc<ArrowRows>,
    pub schema: SchemaRef,
    pub partitions: Vec<i32>,
}

impl PartitionStream for Partitions {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads on a thread for what blocks.
    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 2);
        let (partitions, sender) = (self.clone(), stream.tx());
        let batch_size = context.session_config().batch_size();
        stream.spawn_blocking(move || {
            let hand_on = |batch| sender.blocking_send(Ok(batch)).is_ok();
            partitions.read(batch_size, hand_on).map_err(external)
        });
        stream.build()
    }
}

impl Partitions {
    /// Ends early when nobody wants the next batch.
    fn read(&self, batch_size: usize, hand_on: impl Fn(RecordBatch) -> bool) -> Result<(), BoxError> {
        let (decoder, mut buf) = (self.source.decoder(), DecodeBuf::new());
        for &partition in &self.partitions {
            let in_partition = |error: Error| format!("partition {partition}: {error}");
            // A bundle of all there is: its flush says what is left of each key, once.
            let mut normalizer = self.source.normalizer().with_bundle(usize::MAX);
            self.log.read(partition, &mut |batches, offset| {
                for batch in batches.by_ref() {
                    for record in batch.map_err(in_partition)?.records_from(offset) {
                        let record =
                            record.map_err(in_partition)?.with_topic_partition(&self.topic, partition);
                        let at = record.offset.unwrap_or_default();
                        let in_record = |error: Error| format!("partition {partition}, offset {at}: {error}");
                        for (kind, row) in decoder.decode(&record, &mut buf).map_err(in_record)?.rows() {
                            normalizer.apply(kind, row, 0).map_err(in_record)?;
                        }
                    }
                }
                Ok(())
            })?;
            let mut builder = self.rows.builder();
            let mut rows = normalizer.flush(0).map_err(in_partition)?.peekable();
            while let Some((_, row)) = rows.next() {
                builder.push(RowKind::Insert, row).map_err(in_partition)?;
                let is_full = builder.len() == batch_size || rows.peek().is_none();
                if is_full && !hand_on(builder.finish().map_err(in_partition)?) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
