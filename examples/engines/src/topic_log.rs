use std::error::Error;
use std::fmt::Debug;
use std::io;

use bytes::Bytes;
use upsert_kafka::RecordBatches;
use upsert_kafka::record::Producer;

pub type BoxError = Box<dyn Error + Send + Sync>;

/// Where the batches of a topic are, partition by partition.
pub trait TopicLog: Debug + Send + Sync {
    /// How many partitions the topic has.
    fn partitions(&self) -> i32;

    /// A writer of its own: several write at once.
    fn writer(&self) -> io::Result<Box<dyn TopicWriter>>;

    /// Reads a partition to where it ends now, and hands on batches in a row, whose records count from an offset on.
    fn read(
        &self,
        partition: i32,
        each: &mut dyn FnMut(&mut RecordBatches<'_>, i64) -> Result<(), BoxError>,
    ) -> Result<(), BoxError>;
}

/// What appends batches to partitions.
pub trait TopicWriter: Send {
    /// Whose batches these are, where the topic asks.
    fn producer(&self) -> Option<Producer>;

    /// Returns when the batch is there.
    fn append(&mut self, partition: i32, batch: &Bytes) -> io::Result<()>;
}
