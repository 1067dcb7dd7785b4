//! Records in, batches out. Agrees with Kafka's
//! `org.apache.kafka.clients.producer.internals.RecordAccumulator`, less its clock, threads and memory pool.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use bytes::Bytes;

use super::{RecordBuf, RecordEncoder, UpdatePairs};
use crate::error::{Error, ErrorKind, Part};
use crate::partition::{DefaultPartitioner, PartitionInput, Partitioner};
use crate::record::{Compression, NO_TIMESTAMP, Producer, Record, RecordBatchBuilder};
use crate::row::{Row, RowKind};

/// Puts the records of one topic on their partitions and packs them into batches, ready for a produce request.
///
/// There is one open batch a partition. A record that does not fit closes it; [`flush`](Self::flush) closes all.
/// Closed batches wait, in order, until [`drain`](Self::drain) hands them out as `(partition, Bytes)`. The records of
/// a partition, and so of a key, keep the order in which they were appended.
///
/// It knows no table: `sink.partitioner` is honoured by handing over what
/// [`SinkPartitioner::build`](crate::SinkPartitioner::build) makes, `sink.buffer-flush.*` by a
/// [`ReduceBuffer`](super::ReduceBuffer) in front.
///
/// A record costs one copy and no allocation, a batch two allocations at most: see [`RecordBatchBuilder`].
///
/// ```
/// use std::num::NonZeroU32;
/// use upsert_kafka::{Record, RecordAccumulator};
///
/// let mut accumulator = RecordAccumulator::new("orders", NonZeroU32::new(12).unwrap());
/// let now_ms = 1_717_200_000_000;
/// accumulator.append_record(&Record::new(Some(b"foobar"), Some(b"v")), now_ms)?;
/// accumulator.append_record(&Record::tombstone(b"foobar"), now_ms)?;
/// accumulator.flush()?;
/// let batches: Vec<_> = accumulator.drain().collect();
/// assert_eq!(batches.len(), 1);
/// assert_eq!(batches[0].0, 6);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordAccumulator<P = DefaultPartitioner> {
    pairs: Option<UpdatePairs>,
    batches: Batches<P>,
    /// Where rows become records.
    buf: RecordBuf,
}

/// The accumulator without the stage in front of it.
#[derive(Clone, Debug)]
struct Batches<P> {
    topic: Box<str>,
    partitions: NonZeroU32,
    subtask: u32,
    partitioner: P,
    max_request_bytes: usize,
    /// What the builder of a partition starts as.
    template: RecordBatchBuilder,
    /// The builders of the partitions from 0 to the greatest one used.
    open: Vec<RecordBatchBuilder>,
    closed: VecDeque<(u32, Bytes)>,
}

impl RecordAccumulator {
    /// The default of [`with_max_request_bytes`](Self::with_max_request_bytes), that of Kafka's `max.request.size`.
    pub const MAX_REQUEST_BYTES: usize = 1_048_576;

    /// An accumulator for a topic of `partitions` partitions, with Kafka's default partitioner.
    #[must_use]
    pub fn new(topic: &str, partitions: NonZeroU32) -> Self {
        Self::with_partitioner(topic, partitions, DefaultPartitioner::new())
    }
}

impl<P: Partitioner> RecordAccumulator<P> {
    /// An accumulator for a topic of `partitions` partitions, with a partitioner of your own.
    #[must_use]
    pub fn with_partitioner(topic: &str, partitions: NonZeroU32, partitioner: P) -> Self {
        Self {
            pairs: None,
            batches: Batches {
                topic: topic.into(),
                partitions,
                subtask: 0,
                partitioner,
                max_request_bytes: RecordAccumulator::MAX_REQUEST_BYTES,
                template: RecordBatchBuilder::new(),
                open: Vec::new(),
                closed: VecDeque::new(),
            },
            buf: RecordBuf::new(),
        }
    }

    /// Which of the parallel writers this is, counted from 0: the partitioner sees it.
    #[must_use]
    pub fn with_subtask(mut self, subtask: u32) -> Self {
        self.batches.subtask = subtask;
        self
    }

    /// The size that a batch of several records does not exceed, its header included: 1 048 576 by default.
    ///
    /// A smaller `max_request_bytes` is raised to it.
    #[must_use]
    pub fn with_max_batch_bytes(mut self, bytes: usize) -> Self {
        self.batches.max_request_bytes = self.batches.max_request_bytes.max(bytes);
        self.batches.builders().for_each(|builder| builder.set_max_bytes(bytes));
        self
    }

    /// The size up to which a larger record goes alone in its batch: 1 048 576 by default. Beyond it is an error.
    ///
    /// A broker's `message.max.bytes` (1 048 588 by default) has to allow it. A larger `max_batch_bytes` is lowered
    /// to it.
    #[must_use]
    pub fn with_max_request_bytes(mut self, bytes: usize) -> Self {
        self.batches.max_request_bytes = bytes;
        self.batches.builders().for_each(|builder| builder.set_max_bytes(builder.max_bytes().min(bytes)));
        self
    }

    /// The producer whose batches these are; its sequence number is the first of every partition.
    #[must_use]
    pub fn with_producer(mut self, producer: Producer) -> Self {
        self.batches.builders().for_each(|builder| builder.set_producer(Some(producer)));
        self
    }

    /// How batches are compressed: not at all by default. Sizes are limited before that.
    ///
    /// # Errors
    ///
    /// If the feature of that name is off.
    pub fn with_compression(mut self, compression: Compression) -> Result<Self, Error> {
        self.batches.builders().try_for_each(|builder| builder.set_compression(compression))?;
        Ok(self)
    }

    /// Puts an [`UpdatePairs`] in front: the tombstone of a `-U` waits for the record that makes it needless.
    #[must_use]
    pub fn with_update_pairs(mut self) -> Self {
        self.pairs = Some(UpdatePairs::new());
        self
    }

    /// Encodes a row and adds its record, if it makes one, to the batch of its partition. `now_ms` is the timestamp of
    /// a row that brings none.
    ///
    /// # Errors
    ///
    /// Those of the encoder and of [`append_record`](Self::append_record). Nothing has changed then, and the next row
    /// may come.
    #[inline]
    pub fn append<E: RecordEncoder, R: Row + ?Sized>(
        &mut self,
        encoder: &E,
        kind: RowKind,
        row: &R,
        now_ms: i64,
    ) -> Result<(), Error> {
        match encoder.encode(kind, row, &mut self.buf)? {
            Some(record) => self.batches.add(self.pairs.as_mut(), kind, &record, now_ms),
            None => Ok(()),
        }
    }

    /// Adds a record to the batch of its partition. `now_ms` is the timestamp of a record that brings none.
    ///
    /// # Errors
    ///
    /// A record that names another topic, is at a negative time or larger than `max_request_bytes`
    /// ([`ErrorKind::Limit`]); a partitioner that answers a partition the topic does not have. Nothing has changed
    /// then, and the next record may come.
    #[inline]
    pub fn append_record(&mut self, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        // Not a -U: so it is the record for which a tombstone was held back, or none for which one is.
        self.append_change(RowKind::Insert, record, now_ms)
    }

    /// Adds the record that a change of `kind` became: [`append_record`](Self::append_record), for
    /// [`with_update_pairs`](Self::with_update_pairs), which has to know a `-U`.
    ///
    /// # Errors
    ///
    /// Those of [`append_record`](Self::append_record).
    #[inline]
    pub fn append_change(&mut self, kind: RowKind, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        self.batches.add(self.pairs.as_mut(), kind, record, now_ms)
    }

    /// Closes all open batches, and first puts the tombstone that is held back into its own.
    ///
    /// # Errors
    ///
    /// A partitioner that answers a partition the topic does not have; nothing has changed then.
    pub fn flush(&mut self) -> Result<(), Error> {
        if let Some(pairs) = &mut self.pairs {
            pairs.flush(|held| self.batches.append(held, NO_TIMESTAMP))?;
        }
        self.batches.close_all();
        Ok(())
    }

    /// Hands out the closed batches, oldest first. What is not taken out of the iterator stays for the next one.
    pub fn drain(&mut self) -> impl Iterator<Item = (u32, Bytes)> + '_ {
        std::iter::from_fn(|| self.batches.closed.pop_front())
    }
}

impl<P: Partitioner> Batches<P> {
    /// All builders, those to come included.
    fn builders(&mut self) -> impl Iterator<Item = &mut RecordBatchBuilder> {
        std::iter::once(&mut self.template).chain(&mut self.open)
    }

    /// Appends a record by way of `pairs`, if there are any.
    #[inline]
    fn add(
        &mut self,
        pairs: Option<&mut UpdatePairs>,
        kind: RowKind,
        record: &Record<'_>,
        now_ms: i64,
    ) -> Result<(), Error> {
        self.check(record, now_ms)?;
        match pairs {
            None => self.append(record, now_ms),
            Some(pairs) => {
                // A tombstone that is held back keeps the time at which it came.
                let stamped = record.with_timestamp(record.timestamp.unwrap_or(now_ms));
                pairs.push(kind, &stamped, |record| self.append(record, now_ms))
            }
        }
    }

    /// Refuses what [`append`](Self::append) could not take, before anything is touched.
    #[inline]
    fn check(&self, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        if record.topic.is_some_and(|topic| topic != &*self.topic) {
            return Err(other_topic(record, &self.topic));
        }
        RecordBatchBuilder::check(record, now_ms, self.max_request_bytes)
    }

    #[inline]
    fn append(&mut self, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        let partition = self.partitioner.partition(&PartitionInput {
            topic: &self.topic,
            key: record.key,
            value: record.value,
            partitions: self.partitions,
            subtask: self.subtask,
        });
        let index = partition as usize;
        if index >= self.open.len() {
            self.open_up_to(partition)?;
        }
        let builder = &mut self.open[index];
        if !builder.append_with_default(record, now_ms)? {
            self.closed.push_back((partition, builder.finish()));
            builder.append_with_default(record, now_ms)?; // alone, it is always taken
        }
        Ok(())
    }

    /// Makes the builders that are missing up to that of `partition`.
    #[cold]
    fn open_up_to(&mut self, partition: u32) -> Result<(), Error> {
        if partition >= self.partitions.get() {
            return Err(no_such_partition(partition, self.partitions));
        }
        self.open.resize(partition as usize + 1, self.template.clone());
        Ok(())
    }

    fn close_all(&mut self) {
        for (partition, builder) in (0..).zip(&mut self.open) {
            if !builder.is_empty() {
                self.closed.push_back((partition, builder.finish()));
            }
        }
    }
}

#[cold]
fn other_topic(record: &Record<'_>, topic: &str) -> Error {
    let named = record.topic.unwrap_or_default();
    Error::new(ErrorKind::Row, format!("the record is for topic {named}, the batches are for {topic}"))
        .with_part(Part::Topic)
}

#[cold]
fn no_such_partition(partition: u32, partitions: NonZeroU32) -> Error {
    Error::new(
        ErrorKind::Row,
        format!("the partitioner chose partition {partition} of a topic with {partitions} partitions"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::partition_for_key;

    const NOW: i64 = 1_717_200_000_000;
    const THREE: NonZeroU32 = NonZeroU32::new(3).unwrap();

    /// Partition, base sequence and count of each batch.
    fn drained<P: Partitioner>(accumulator: &mut RecordAccumulator<P>) -> Vec<(u32, i32, i32)> {
        let int = |batch: &Bytes, at: usize| i32::from_be_bytes(batch[at..at + 4].try_into().unwrap());
        accumulator.drain().map(|(partition, batch)| (partition, int(&batch, 53), int(&batch, 57))).collect()
    }

    fn first_partition(_: &PartitionInput<'_>) -> u32 {
        0
    }

    #[test]
    fn records_go_to_the_partition_of_their_key_in_one_batch_each() {
        let mut accumulator = RecordAccumulator::new("t", THREE);
        for key in [&b"a"[..], b"ab", b"a", b"abc"] {
            accumulator.append_record(&Record::tombstone(key), NOW).unwrap();
        }
        assert_eq!(drained(&mut accumulator), [], "nothing is closed yet");
        accumulator.flush().unwrap();
        assert_eq!([b"a".as_slice(), b"abc", b"ab"].map(|key| partition_for_key(key, THREE)), [1, 0, 2]);
        assert_eq!(drained(&mut accumulator), [(0, -1, 1), (1, -1, 2), (2, -1, 1)]);
    }

    #[test]
    fn a_record_that_does_not_fit_closes_the_batch() {
        let mut accumulator = RecordAccumulator::with_partitioner("t", THREE, first_partition)
            .with_producer(Producer { sequence: i32::MAX - 1, ..Producer::new(7, 0) })
            .with_max_batch_bytes(61 + 2 * 8);
        for _ in 0..5 {
            accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        }
        // Half a drain loses nothing.
        assert_eq!(accumulator.drain().next().unwrap().1.len(), 77);
        accumulator.flush().unwrap();
        assert_eq!(drained(&mut accumulator), [(0, 0, 2), (0, 2, 1)]);
    }

    #[test]
    fn a_larger_record_is_alone_and_a_too_large_one_is_refused() {
        let mut accumulator = RecordAccumulator::with_partitioner("t", THREE, first_partition)
            .with_max_batch_bytes(100)
            .with_max_request_bytes(200);
        let small = Record::tombstone(b"k");
        let value = [0; 129]; // 61 header, 2 length, 3 attributes and deltas, 1 + 1 key, 2 + 129 value, 1 headers
        let large = Record::new(Some(b"k"), Some(&value));
        for record in [&small, &large, &small] {
            accumulator.append_record(record, NOW).unwrap();
        }
        let value = [0; 130];
        let error = accumulator.append_record(&Record::new(Some(b"k"), Some(&value)), NOW).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
        assert_eq!(
            error.message(),
            "alone in a batch the record takes 201 bytes, more than the limit of 200"
        );
        accumulator.flush().unwrap();
        assert_eq!(drained(&mut accumulator), [(0, -1, 1), (0, -1, 1), (0, -1, 1)]);
    }

    #[test]
    fn no_batch_is_larger_than_a_request() {
        let mut accumulator =
            RecordAccumulator::with_partitioner("t", THREE, first_partition).with_max_request_bytes(80);
        for _ in 0..3 {
            accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        }
        accumulator.flush().unwrap();
        assert_eq!(drained(&mut accumulator), [(0, -1, 2), (0, -1, 1)]);
    }

    #[test]
    fn a_record_without_a_time_is_of_now() {
        let mut accumulator = RecordAccumulator::with_partitioner("t", THREE, first_partition);
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        accumulator.append_record(&Record::tombstone(b"k").with_timestamp(NOW + 7), NOW + 9).unwrap();
        accumulator.flush().unwrap();
        let (_, batch) = accumulator.drain().next().unwrap();
        assert_eq!(batch[27..35], NOW.to_be_bytes(), "base");
        assert_eq!(batch[35..43], (NOW + 7).to_be_bytes(), "max");
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut partition = 0;
        let mut accumulator = RecordAccumulator::with_partitioner("t", THREE, |_: &PartitionInput<'_>| {
            partition += 1;
            partition
        })
        .with_update_pairs();
        accumulator.append_change(RowKind::UpdateBefore, &Record::tombstone(b"a"), NOW).unwrap();
        let refused = [Record::tombstone(b"b").with_topic("u"), Record::tombstone(b"b").with_timestamp(-5)];
        for record in refused {
            accumulator.append_record(&record, NOW).unwrap_err();
        }
        accumulator.append_record(&Record::tombstone(b"b").with_topic("t"), NOW).unwrap();
        let error = accumulator.append_record(&Record::tombstone(b"c"), NOW).unwrap_err();
        assert_eq!(error.message(), "the partitioner chose partition 3 of a topic with 3 partitions");
        accumulator.flush().unwrap();
        assert_eq!(drained(&mut accumulator), [(1, -1, 1), (2, -1, 1)]);
    }

    #[test]
    fn pairs_are_one_record_when_asked() {
        let mut accumulator =
            RecordAccumulator::with_partitioner("t", THREE, first_partition).with_update_pairs();
        let update = Record::new(Some(b"a"), Some(b"2"));
        accumulator.append_change(RowKind::UpdateBefore, &Record::tombstone(b"a"), NOW).unwrap();
        accumulator.append_change(RowKind::UpdateAfter, &update, NOW).unwrap();
        accumulator.append_change(RowKind::UpdateBefore, &Record::tombstone(b"a"), NOW).unwrap();
        accumulator.flush().unwrap();
        assert_eq!(drained(&mut accumulator), [(0, -1, 2)]);
    }
}
