//! Kafka records and the batches they travel in: RecordBatch v2, written and read.
//!
//! Agrees with Kafka's `org.apache.kafka.common.record.internal.DefaultRecordBatch` and `DefaultRecord`.

mod batch;
mod batches;
mod builder;
mod compress;
mod consumer_record;
mod headers;
mod layout;
mod limits;
mod owned_record;
mod producer;
#[expect(clippy::module_inception, reason = "the file is named for its type")]
mod record;

pub use batch::{RecordBatch, Records};
pub use batches::{AbortedTransaction, RecordBatches};
pub use builder::RecordBatchBuilder;
pub use compress::Compression;
pub use consumer_record::{ConsumerRecord, TimestampType};
pub use headers::{Header, Headers, HeadersBuf, HeadersIter};
pub(crate) use layout::NO_TIMESTAMP;
pub use limits::Limits;
pub use owned_record::OwnedRecord;
pub use producer::Producer;
pub use record::Record;
