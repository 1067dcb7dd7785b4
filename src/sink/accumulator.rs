//! Records in, batches out. Agrees with Kafka's
//! `org.apache.kafka.clients.producer.internals.RecordAccumulator`, less its clock, threads and memory pool.

use std::collections::VecDeque;
use std::fmt;
use std::mem::take;

use bytes::Bytes;

use super::{Encoder, RecordBuf, UpdatePairs};
use crate::error::{Error, ErrorKind, Part};
use crate::partition::{DefaultPartitioner, PartitionInput, Partitioner};
use crate::record::{Compression, NO_TIMESTAMP, Producer, Record, RecordBatchBuilder};
use crate::row::{Row, RowKind};
use crate::table::{SinkPartitioner, TableSink};

/// Puts the records of one topic on their partitions and packs them into batches, ready for a produce request.
///
/// The accumulator of a table, from [`TableSink::accumulator`], takes rows: it has the table's encoder, partitioner and
/// policy for `-U`. One without a table, from [`new`](RecordAccumulator::new), takes records only.
///
/// Each partition has one open batch. A record that does not fit closes it. Closed batches wait, in order, until
/// [`drain`](Self::drain) hands them out as `(partition, Bytes)`; [`flush`](Self::flush) closes all and hands them out.
/// The records of a partition, and so of a key, keep the order in which they were appended.
///
/// A record costs one copy and no allocation, a batch two allocations at most: see [`RecordBatchBuilder`]. A partition
/// keeps the memory of its last batch for the next one, until a flush finds that it had no records.
///
/// # Sending again, and transactions
///
/// With a [`Producer`] a batch gets its sequence number when it closes, in its partition's order. Send a batch that got no
/// answer again as it is; [`put_back`](Self::put_back) is for those that are to wait here for that. If the broker wants a new
/// epoch of the producer, or has given one, [`set_producer`](Self::set_producer) numbers all that waits anew, from that
/// producer's sequence on: put back first what was not acknowledged. Batches that are dropped leave a gap that brokers
/// refuse (`OUT_OF_ORDER_SEQUENCE_NUMBER`), and so do those of an aborted transaction that were not sent: give a producer
/// with another epoch after that. In a transaction, batches are handed out, sent and acknowledged before its commit:
/// `flush` first. The example `transaction` goes from begin to commit.
///
/// One accumulator is one thread's. To use more, give each thread an accumulator of its own: the encoder inside is only
/// read. Only the order within a key matters, so share the rows out by key.
///
/// ```
/// use upsert_kafka::{Record, RecordAccumulator};
///
/// let mut batches = RecordAccumulator::new("orders", 12);
/// let now_ms = 1_717_200_000_000;
/// batches.append_record(&Record::new(Some(b"foobar"), Some(b"v")), now_ms)?;
/// batches.append_record(&Record::tombstone(b"foobar"), now_ms)?;
/// for (partition, batch) in batches.flush()? {
///     assert_eq!((partition, batch.len()), (6, 61 + 14 + 13));
/// }
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Debug)]
pub struct RecordAccumulator<E = Encoder> {
    encoder: E,
    pairs: Option<UpdatePairs>,
    batches: Batches,
    /// Where rows become records.
    buf: RecordBuf,
}

/// The accumulator without the stages in front of it.
#[derive(Debug)]
struct Batches {
    /// `None`: the table has several, and it is not said which.
    topic: Option<Box<str>>,
    partitions: i32,
    subtask: u32,
    partitioner: AnyPartitioner,
    max_batch_bytes: usize,
    max_request_bytes: usize,
    buffer_memory: usize,
    /// What the batches take, open and closed.
    size_in_bytes: usize,
    /// What the builder of a partition starts as.
    template: RecordBatchBuilder,
    /// The builders of the partitions, [`PAGE`] by `PAGE`: of a page those up to the greatest one used. A topic of
    /// millions of partitions costs a page for each used one, and no more than a word for `PAGE` others.
    open: Vec<Vec<RecordBatchBuilder>>,
    closed: VecDeque<(i32, Bytes)>,
}

/// How many partitions there are in a page.
const PAGE: usize = 64;

/// Kafka's default, which most tables have, is asked without a detour.
enum AnyPartitioner {
    Default(DefaultPartitioner),
    Other(Box<dyn Partitioner + Send + Sync>),
}

impl TableSink {
    /// What packs rows into batches, for the table's topic of `partitions` partitions.
    ///
    /// A table with several topics needs one for each: [`RecordAccumulator::with_topic`] says which.
    ///
    /// ```
    /// use upsert_kafka::{Datum, RowKind, Settings, Table};
    ///
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
    ///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'raw', 'value.format' = 'json',
    ///        'properties.bootstrap.servers' = 'localhost:9092')",
    /// )?;
    /// let mut batches = table.sink(&Settings::default())?.accumulator(12);
    /// batches.append(RowKind::Insert, &[Datum::String("foobar"), Datum::BigInt(1)], 1_717_200_000_000)?;
    /// let partitions: Vec<i32> = batches.flush()?.map(|(partition, _)| partition).collect();
    /// assert_eq!(partitions, [6]);
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `partitions` is not above 0.
    #[must_use]
    pub fn accumulator(&self, partitions: i32) -> RecordAccumulator {
        let topic = self.layout().topic_choice().single();
        let mut accumulator = RecordAccumulator::with_encoder(self.encoder(), topic, partitions);
        if *self.partitioner() != SinkPartitioner::Default {
            accumulator.batches.partitioner = AnyPartitioner::Other(self.new_partitioner());
        }
        accumulator.pairs = self.update_pairs();
        accumulator
    }
}

impl RecordAccumulator {
    /// The default of [`with_max_request_bytes`](Self::with_max_request_bytes), that of Kafka's `max.request.size`.
    pub const MAX_REQUEST_BYTES: usize = 1_048_576;

    /// The default of [`with_buffer_memory`](Self::with_buffer_memory), that of Kafka's `buffer.memory`.
    pub const BUFFER_MEMORY: usize = 33_554_432;

    /// Encodes a row and adds its record, if it makes one, to the batch of its partition. `now_ms` is the timestamp of
    /// a row that brings none.
    ///
    /// # Errors
    ///
    /// Those of [`Encoder::encode`] and of [`append_record`](Self::append_record). Nothing has changed then, and the
    /// next row may come.
    #[inline]
    pub fn append<R: Row + ?Sized>(&mut self, kind: RowKind, row: &R, now_ms: i64) -> Result<(), Error> {
        match self.encoder.encode(kind, row, &mut self.buf)? {
            Some(record) => self.batches.add(self.pairs.as_mut(), kind, &record, now_ms),
            None => Ok(()),
        }
    }
}

impl RecordAccumulator<()> {
    /// An accumulator for a topic of `partitions` partitions, with Kafka's default partitioner.
    ///
    /// # Panics
    ///
    /// If `partitions` is not above 0.
    #[must_use]
    pub fn new(topic: &str, partitions: i32) -> Self {
        Self::with_encoder((), Some(topic), partitions)
    }
}

impl<E> RecordAccumulator<E> {
    fn with_encoder(encoder: E, topic: Option<&str>, partitions: i32) -> Self {
        assert!(partitions > 0, "a topic has at least one partition");
        let mut batches = Batches {
            topic: topic.map(Into::into),
            partitions,
            subtask: 0,
            partitioner: AnyPartitioner::Default(DefaultPartitioner::new()),
            max_batch_bytes: RecordBatchBuilder::MAX_BYTES,
            max_request_bytes: RecordAccumulator::MAX_REQUEST_BYTES,
            buffer_memory: RecordAccumulator::BUFFER_MEMORY,
            size_in_bytes: 0,
            template: RecordBatchBuilder::new(),
            open: Vec::new(),
            closed: VecDeque::new(),
        };
        batches.limit_batches();
        Self { encoder, pairs: None, batches, buf: RecordBuf::new() }
    }

    /// The topic that the batches are for, where the table has several. Records for others are refused.
    #[must_use]
    pub fn with_topic(mut self, topic: &str) -> Self {
        self.batches.topic = Some(topic.into());
        self
    }

    /// Another partitioner.
    #[must_use]
    pub fn with_partitioner(mut self, partitioner: impl Partitioner + Send + Sync + 'static) -> Self {
        self.batches.partitioner = AnyPartitioner::Other(Box::new(partitioner));
        self
    }

    /// Which of the parallel writers this is, counted from 0: the partitioner sees it.
    #[must_use]
    pub fn with_subtask(mut self, subtask: u32) -> Self {
        self.batches.subtask = subtask;
        self
    }

    /// The most bytes that a batch of several records takes, header included: 1 048 576 by default.
    #[must_use]
    pub fn with_max_batch_bytes(mut self, bytes: usize) -> Self {
        self.batches.max_batch_bytes = bytes;
        self.batches.limit_batches();
        self
    }

    /// The most bytes that any batch takes: 1 048 576 by default. A record larger than `max_batch_bytes` gets a batch
    /// of its own; one larger than this is an error.
    ///
    /// A broker's `message.max.bytes` (1 048 588 by default) has to allow it.
    #[must_use]
    pub fn with_max_request_bytes(mut self, bytes: usize) -> Self {
        self.batches.max_request_bytes = bytes;
        self.batches.limit_batches();
        self
    }

    /// The most bytes that all batches take together, open ones and those that wait to be drained: 33 554 432 by
    /// default. A record beyond it is refused until batches are drained; Kafka's producer blocks.
    #[must_use]
    pub fn with_buffer_memory(mut self, bytes: usize) -> Self {
        self.batches.buffer_memory = bytes;
        self
    }

    /// The producer whose batches these are; its sequence number is the first of every partition.
    #[must_use]
    pub fn with_producer(mut self, producer: Producer) -> Self {
        self.set_producer(producer);
        self
    }

    /// The producer whose batches these are from now on, after its epoch has changed: open batches and those that wait,
    /// [put back](Self::put_back) ones too, are its next ones; its sequence number is the first of every partition.
    ///
    /// A batch that waits is copied, if somebody else holds it. Agrees with Kafka's
    /// `TransactionManager.bumpIdempotentProducerEpoch`, which numbers what is under way anew.
    pub fn set_producer(&mut self, producer: Producer) {
        for builder in self.batches.builders() {
            *builder = take(builder).with_producer(Some(producer));
        }
        for (partition, batch) in &mut self.batches.closed {
            if let Some(builder) = builder_of(&mut self.batches.open, *partition) {
                *batch = builder.stamp(take(batch));
            }
        }
    }

    /// Takes batches back that were handed out and not acknowledged, oldest first: they are the next to be handed out
    /// again, as they are. They may take more than the buffer memory.
    ///
    /// # Errors
    ///
    /// If one of them is no batch, or for a partition that the topic does not have. Nothing has changed then.
    pub fn put_back(&mut self, batches: impl IntoIterator<Item = (i32, Bytes)>) -> Result<(), Error> {
        let batches: Vec<_> = batches.into_iter().collect();
        for (partition, batch) in &batches {
            if RecordBatchBuilder::records_in(batch).is_none() {
                return Err(Error::new(ErrorKind::Batch, "what is put back is no batch"));
            }
            if builder_of(&mut self.batches.open, *partition).is_none() {
                self.batches.open_page(*partition)?;
            }
        }
        for (partition, batch) in batches.into_iter().rev() {
            self.batches.size_in_bytes += batch.len();
            self.batches.closed.push_front((partition, batch));
        }
        Ok(())
    }

    /// How batches are compressed: not at all by default. Sizes are limited before that.
    ///
    /// # Errors
    ///
    /// If the feature of that name is off.
    pub fn with_compression(mut self, compression: Compression) -> Result<Self, Error> {
        for builder in self.batches.builders() {
            *builder = take(builder).with_compression(compression)?;
        }
        Ok(self)
    }

    /// How batches are compressed, and at which of Kafka's levels: [`RecordBatchBuilder::with_compression_level`].
    ///
    /// # Errors
    ///
    /// Kafka's for a level that there is not; if the feature of that name is off.
    pub fn with_compression_level(mut self, compression: Compression, level: i32) -> Result<Self, Error> {
        for builder in self.batches.builders() {
            *builder = take(builder).with_compression_level(compression, level)?;
        }
        Ok(self)
    }

    /// Adds a record to the batch of its partition. `now_ms` is the timestamp of a record that brings none.
    ///
    /// # Errors
    ///
    /// A record that names another topic, is at a negative time or larger than `max_request_bytes`
    /// ([`ErrorKind::Limit`]); a partitioner that answers a partition the topic does not have;
    /// [`ErrorKind::Unavailable`] if the batches take all of the buffer memory: drain, after a flush if none is closed.
    /// Nothing has changed then, and the next record may come.
    #[inline]
    pub fn append_record(&mut self, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        // Not a -U: so it is the record for which a tombstone was held back, or none for which one is.
        self.batches.add(self.pairs.as_mut(), RowKind::Insert, record, now_ms)
    }

    /// Closes all open batches, the tombstone that is held back in its own, and hands out all that are closed: as
    /// [`drain`](Self::drain) does.
    ///
    /// # Errors
    ///
    /// A partitioner that answers a partition the topic does not have; nothing has changed then.
    pub fn flush(&mut self) -> Result<impl Iterator<Item = (i32, Bytes)> + use<'_, E>, Error> {
        for held in self.pairs.iter_mut().flat_map(UpdatePairs::flush) {
            self.batches.append(&held, NO_TIMESTAMP)?;
        }
        self.batches.close_all();
        Ok(self.drain())
    }

    /// What the records in open batches and the closed batches take, of the memory that
    /// [`with_buffer_memory`](Self::with_buffer_memory) allows.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.batches.size_in_bytes
    }

    /// How many records wait: in open batches, in closed ones, and as a tombstone that is held back. Looks at each batch
    /// and at each partition up to the greatest one used.
    #[must_use]
    pub fn len(&self) -> usize {
        let held = self.pairs.as_ref().and_then(UpdatePairs::held).map_or(0, |_| 1);
        let open: usize = self.batches.open.iter().flatten().map(RecordBatchBuilder::len).sum();
        let closed = self.batches.closed.iter();
        held + open + closed.filter_map(|(_, batch)| RecordBatchBuilder::records_in(batch)).sum::<usize>()
    }

    /// Whether nothing waits: no record in an open batch, no closed batch, no tombstone that is held back.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let holds = self.pairs.as_ref().is_some_and(|pairs| pairs.held().is_some());
        !holds
            && self.batches.closed.is_empty()
            && self.batches.open.iter().flatten().all(RecordBatchBuilder::is_empty)
    }

    /// Hands out the closed batches, oldest first. What is not taken out of the iterator stays for the next one.
    pub fn drain(&mut self) -> impl Iterator<Item = (i32, Bytes)> + use<'_, E> {
        std::iter::from_fn(|| {
            let (partition, batch) = self.batches.closed.pop_front()?;
            self.batches.size_in_bytes -= batch.len();
            Some((partition, batch))
        })
    }
}

impl Batches {
    /// All builders, those to come included.
    fn builders(&mut self) -> impl Iterator<Item = &mut RecordBatchBuilder> {
        std::iter::once(&mut self.template).chain(self.open.iter_mut().flatten())
    }

    fn limit_batches(&mut self) {
        let max_bytes = self.max_batch_bytes.min(self.max_request_bytes);
        for builder in self.builders() {
            *builder = take(builder).with_max_bytes(max_bytes);
        }
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
                pairs.apply(kind, record, now_ms).try_for_each(|record| self.append(&record, now_ms))
            }
        }
    }

    /// Refuses what [`append`](Self::append) could not take, before anything is touched.
    #[inline]
    fn check(&self, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        match (&self.topic, record.topic) {
            (Some(_), None) => {}
            (Some(topic), Some(named)) if **topic == *named => {}
            (topic, _) => return Err(other_topic(record, topic.as_deref())),
        }
        RecordBatchBuilder::check(record, now_ms, self.max_request_bytes)?;
        if self.size_in_bytes as u64 + RecordBatchBuilder::most_bytes(record) > self.buffer_memory as u64 {
            return Err(out_of_memory(self.size_in_bytes, self.buffer_memory));
        }
        Ok(())
    }

    #[inline]
    fn append(&mut self, record: &Record<'_>, now_ms: i64) -> Result<(), Error> {
        let input = PartitionInput {
            topic: self.topic.as_deref().unwrap_or_default(),
            key: record.key,
            value: record.value,
            partitions: self.partitions,
            subtask: self.subtask,
        };
        let partition = match &mut self.partitioner {
            AnyPartitioner::Default(partitioner) => partitioner.partition(&input),
            AnyPartitioner::Other(partitioner) => partitioner.partition(&input),
        };
        // A negative number becomes one beyond all partitions.
        let index = usize::try_from(partition).unwrap_or(usize::MAX);
        let (page, place) = (index / PAGE, index % PAGE);
        if self.open.get(page).is_none_or(|page| place >= page.len()) {
            self.open_page(partition)?;
        }
        let builder = &mut self.open[page][place];
        let mut before = builder.size_in_bytes();
        if !builder.append_with_default(record, now_ms)? {
            self.size_in_bytes -= before;
            before = 0;
            let batch = builder.finish();
            self.size_in_bytes += batch.len();
            self.closed.push_back((partition, batch));
            builder.append_with_default(record, now_ms)?; // alone, it is always taken
        }
        self.size_in_bytes += builder.size_in_bytes() - before;
        Ok(())
    }

    /// Makes the builders that are missing in the page of `partition` up to its own.
    #[cold]
    fn open_page(&mut self, partition: i32) -> Result<(), Error> {
        match usize::try_from(partition) {
            Ok(index) if partition < self.partitions => {
                let page = index / PAGE;
                if page >= self.open.len() {
                    self.open.resize_with(page + 1, Vec::new);
                }
                self.open[page].resize(index % PAGE + 1, self.template.clone());
                Ok(())
            }
            _ => Err(no_such_partition(partition, self.partitions)),
        }
    }

    fn close_all(&mut self) {
        let builders = self.open.iter_mut().zip((0..).step_by(PAGE));
        for (partition, builder) in builders.flat_map(|(page, first)| (first..).zip(page)) {
            if builder.is_empty() {
                builder.give_back_memory();
                continue;
            }
            self.size_in_bytes -= builder.size_in_bytes();
            let batch = builder.finish();
            self.size_in_bytes += batch.len();
            self.closed.push_back((partition, batch));
        }
    }
}

/// The builder of a partition that had records.
fn builder_of(open: &mut [Vec<RecordBatchBuilder>], partition: i32) -> Option<&mut RecordBatchBuilder> {
    let index = usize::try_from(partition).ok()?;
    open.get_mut(index / PAGE)?.get_mut(index % PAGE)
}

impl fmt::Debug for AnyPartitioner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default(partitioner) => partitioner.fmt(f),
            Self::Other(_) => f.write_str("Partitioner"),
        }
    }
}

#[cold]
fn other_topic(record: &Record<'_>, topic: Option<&str>) -> Error {
    let message = match (record.topic, topic) {
        (_, None) => {
            "the table has several topics, and it is not said which of them the batches are for".to_owned()
        }
        (named, Some(topic)) => {
            format!("the record is for topic {}, the batches are for {topic}", named.unwrap_or_default())
        }
    };
    let error = Error::new(ErrorKind::Row, message).with_part(Part::Topic);
    if topic.is_some() { error } else { error.with_help("name it with `RecordAccumulator::with_topic`") }
}

#[cold]
fn out_of_memory(size: usize, buffer_memory: usize) -> Error {
    Error::new(
        ErrorKind::Unavailable,
        format!("the batches take {size} bytes, and the record does not fit into the {buffer_memory} bytes of memory"),
    )
    .with_help("drain the closed batches, or flush; `RecordAccumulator::with_buffer_memory` allows more")
}

#[cold]
fn no_such_partition(partition: i32, partitions: i32) -> Error {
    Error::new(
        ErrorKind::Row,
        format!("the partitioner chose partition {partition} of a topic with {partitions} partitions"),
    )
}

#[cfg(test)]
mod tests;
