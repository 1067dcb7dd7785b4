//! Records in, batches out. Agrees with Kafka's
//! `org.apache.kafka.clients.producer.internals.RecordAccumulator`, less its clock, threads and memory pool.

use std::collections::VecDeque;
use std::fmt;

use bytes::Bytes;

use super::{Encoder, RecordBuf, UpdatePairs};
use crate::error::{Error, ErrorKind, Part};
use crate::partition::{DefaultPartitioner, PartitionInput, Partitioner};
use crate::record::{Compression, NO_TIMESTAMP, Producer, Record, RecordBatchBuilder};
use crate::row::{Row, RowKind};
use crate::table::{SinkPartitioner, TableSink};

/// Puts the records of one topic on their partitions and packs them into batches, ready for a produce request.
///
/// That of a table, from [`TableSink::accumulator`], takes its rows: it has the table's encoder, its partitioner and its
/// policy for `-U`. One without a table, from [`new`](RecordAccumulator::new), takes records alone.
///
/// There is one open batch a partition. A record that does not fit closes it. Closed batches wait, in order, until
/// [`drain`](Self::drain) hands them out as `(partition, Bytes)`; [`flush`](Self::flush) closes all and hands them out. The
/// records of a partition, and so of a key, keep the order in which they were appended.
///
/// A record costs one copy and no allocation, a batch two allocations at most: see [`RecordBatchBuilder`]. A partition
/// keeps the memory of its last batch for the next one, until a flush finds that it had no records.
///
/// One accumulator is one thread's. To use more, give each thread an accumulator of its own: the encoder inside is only
/// read, and what must keep its order is a key, so that rows are shared out by their key.
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
    /// `None`: the table has several, and nobody has said which.
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

    /// The size that a batch of several records does not exceed, its header included: 1 048 576 by default.
    #[must_use]
    pub fn with_max_batch_bytes(mut self, bytes: usize) -> Self {
        self.batches.max_batch_bytes = bytes;
        self.batches.limit_batches();
        self
    }

    /// The size that no batch exceeds: 1 048 576 by default. A record larger than `max_batch_bytes` goes alone into its
    /// batch, one beyond this size is an error.
    ///
    /// A broker's `message.max.bytes` (1 048 588 by default) has to allow it.
    #[must_use]
    pub fn with_max_request_bytes(mut self, bytes: usize) -> Self {
        self.batches.max_request_bytes = bytes;
        self.batches.limit_batches();
        self
    }

    /// The size that all batches together do not exceed, open ones and those that wait to be drained: 33 554 432 bytes by
    /// default. A record beyond it is refused until batches are drained; Kafka's producer blocks.
    #[must_use]
    pub fn with_buffer_memory(mut self, bytes: usize) -> Self {
        self.batches.buffer_memory = bytes;
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
        self.builders().for_each(|builder| builder.set_max_bytes(max_bytes));
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
            "the table has several topics, and nobody has said which of them the batches are for".to_owned()
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
mod tests {
    use super::*;
    use crate::partition::partition_for_key;
    use crate::row::Datum;
    use crate::table::{Settings, Table, UpdateBefore};

    const NOW: i64 = 1_717_200_000_000;

    /// Partition, base sequence and count of each batch.
    fn shown(batches: impl Iterator<Item = (i32, Bytes)>) -> Vec<(i32, i32, i32)> {
        let int = |batch: &Bytes, at: usize| i32::from_be_bytes(batch[at..at + 4].try_into().unwrap());
        batches.map(|(partition, batch)| (partition, int(&batch, 53), int(&batch, 57))).collect()
    }

    fn first_partition(_: &PartitionInput<'_>) -> i32 {
        0
    }

    #[test]
    fn records_go_to_the_partition_of_their_key_in_one_batch_each() {
        let mut accumulator = RecordAccumulator::new("t", 3);
        for key in [&b"a"[..], b"ab", b"a", b"abc"] {
            accumulator.append_record(&Record::tombstone(key), NOW).unwrap();
        }
        assert_eq!(shown(accumulator.drain()), [], "nothing is closed yet");
        assert_eq!([b"a".as_slice(), b"abc", b"ab"].map(|key| partition_for_key(key, 3)), [1, 0, 2]);
        assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 1), (1, -1, 2), (2, -1, 1)]);
    }

    #[test]
    fn batches_are_handed_out_in_the_order_of_their_partitions_however_many_there_are() {
        let last = (1 << 22) - 1;
        let order = [last, 63, 64, 1 << 20, 0, 65];
        let mut next = order.into_iter();
        let mut accumulator = RecordAccumulator::new("t", 1 << 22)
            .with_partitioner(move |_: &PartitionInput<'_>| next.next().unwrap());
        for _ in order {
            accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        }
        let partitions: Vec<_> =
            shown(accumulator.flush().unwrap()).into_iter().map(|batch| batch.0).collect();
        assert_eq!(partitions, [0, 63, 64, 65, 1 << 20, last]);
    }

    #[test]
    fn a_record_that_does_not_fit_closes_the_batch() {
        let mut accumulator = RecordAccumulator::new("t", 3)
            .with_partitioner(first_partition)
            .with_producer(Producer { sequence: i32::MAX - 1, ..Producer::new(7, 0) })
            .with_max_batch_bytes(61 + 2 * 8);
        for _ in 0..5 {
            accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        }
        assert_eq!(accumulator.size_in_bytes(), 77 + 77 + 69);
        // Half a drain loses nothing.
        assert_eq!(accumulator.drain().next().unwrap().1.len(), 77);
        assert_eq!(shown(accumulator.flush().unwrap()), [(0, 0, 2), (0, 2, 1)]);
        assert!(accumulator.is_empty());
    }

    #[test]
    fn a_larger_record_is_alone_and_a_too_large_one_is_refused() {
        let mut accumulator = RecordAccumulator::new("t", 3)
            .with_partitioner(first_partition)
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
        assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 1), (0, -1, 1), (0, -1, 1)]);
    }

    #[test]
    fn no_batch_is_larger_than_a_request() {
        let mut accumulator =
            RecordAccumulator::new("t", 3).with_partitioner(first_partition).with_max_request_bytes(80);
        for _ in 0..3 {
            accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        }
        assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 2), (0, -1, 1)]);
    }

    #[test]
    fn all_batches_together_take_no_more_than_the_buffer_memory() {
        let mut accumulator =
            RecordAccumulator::new("t", 3).with_max_batch_bytes(200).with_buffer_memory(1000);
        let mut appended = 0;
        let error = loop {
            let key = [b'a' + appended % 7];
            match accumulator.append_record(&Record::new(Some(&key), Some(&[0; 50])), NOW) {
                Ok(()) => appended += 1,
                Err(error) => break error,
            }
            assert!(accumulator.size_in_bytes() <= 1000);
        };
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let (size, batches) = (accumulator.size_in_bytes(), accumulator.flush().unwrap());
        let batches: Vec<_> = batches.collect();
        assert_eq!(batches.iter().map(|(_, batch)| batch.len()).sum::<usize>(), size);
        let records = shown(batches.into_iter()).iter().map(|(_, _, records)| records).sum::<i32>();
        assert_eq!((records, accumulator.size_in_bytes()), (appended.into(), 0));
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
    }

    #[test]
    fn a_partition_without_records_keeps_no_memory() {
        let mut accumulator = RecordAccumulator::new("t", 3).with_partitioner(first_partition);
        accumulator.append_record(&Record::new(Some(b"k"), Some(&[0; 10_000])), NOW).unwrap();
        let batch = accumulator.flush().unwrap().next().unwrap().1;
        assert!(!batch.is_unique(), "the next batch may take its memory");
        drop(accumulator.flush().unwrap());
        assert!(batch.is_unique());
    }

    #[test]
    fn a_record_without_a_time_is_of_now() {
        let mut accumulator = RecordAccumulator::new("t", 3).with_partitioner(first_partition);
        accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap();
        accumulator.append_record(&Record::tombstone(b"k").with_timestamp(NOW + 7), NOW + 9).unwrap();
        let (_, batch) = accumulator.flush().unwrap().next().unwrap();
        assert_eq!(batch[27..35], NOW.to_be_bytes(), "base");
        assert_eq!(batch[35..43], (NOW + 7).to_be_bytes(), "max");
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut partition = 0;
        let next_partition = move |_: &PartitionInput<'_>| {
            partition += 1;
            partition
        };
        let mut accumulator = RecordAccumulator::new("t", 3).with_partitioner(next_partition);
        accumulator.pairs = Some(UpdatePairs::new());
        let held_back = Record::tombstone(b"a");
        accumulator.batches.add(accumulator.pairs.as_mut(), RowKind::UpdateBefore, &held_back, NOW).unwrap();
        let refused = [Record::tombstone(b"b").with_topic("u"), Record::tombstone(b"b").with_timestamp(-5)];
        for record in refused {
            accumulator.append_record(&record, NOW).unwrap_err();
        }
        accumulator.append_record(&Record::tombstone(b"b").with_topic("t"), NOW).unwrap();
        let error = accumulator.append_record(&Record::tombstone(b"c"), NOW).unwrap_err();
        assert_eq!(error.message(), "the partitioner chose partition 3 of a topic with 3 partitions");
        assert_eq!(shown(accumulator.flush().unwrap()), [(1, -1, 1), (2, -1, 1)]);
    }

    #[test]
    fn a_partition_that_is_not_there_is_refused() {
        for partition in [-1, i32::MIN, 3] {
            let mut accumulator =
                RecordAccumulator::new("t", 3).with_partitioner(move |_: &PartitionInput<'_>| partition);
            let error = accumulator.append_record(&Record::tombstone(b"k"), NOW).unwrap_err();
            let expected =
                format!("the partitioner chose partition {partition} of a topic with 3 partitions");
            assert_eq!(error.message(), expected);
        }
    }

    fn sink(settings: &Settings, topics: &str, columns: &str) -> TableSink {
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t (k STRING, v INT{columns}, PRIMARY KEY (k) NOT ENFORCED) WITH (
             'connector' = 'upsert-kafka', 'topic' = '{topics}', 'key.format' = 'raw', 'value.format' = 'raw',
             'value.fields-include' = 'EXCEPT_KEY', 'properties.bootstrap.servers' = 'localhost:9092')"
        ));
        table.unwrap().sink(settings).unwrap()
    }

    #[test]
    fn pairs_are_one_record_when_the_settings_say_so() {
        let settings = Settings::default().with_update_before(UpdateBefore::Pairs);
        let mut accumulator = sink(&settings, "t", "").accumulator(3).with_partitioner(first_partition);
        for kind in [RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::UpdateBefore] {
            accumulator.append(kind, &[Datum::String("a"), Datum::Int(1)], NOW).unwrap();
            assert!(!accumulator.is_empty(), "after {kind}");
        }
        assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 2)]);
    }

    #[test]
    fn a_table_of_several_topics_has_an_accumulator_for_each() {
        let sink = sink(&Settings::default(), "t;u", ", topic STRING METADATA");
        let row = |topic| [Datum::String("a"), Datum::Int(1), Datum::String(topic)];
        let error = sink.accumulator(3).append(RowKind::Insert, &row("t"), NOW).unwrap_err();
        assert_eq!(error.part(), Some(Part::Topic));
        let mut accumulator = sink.accumulator(3).with_topic("t").with_partitioner(first_partition);
        accumulator.append(RowKind::Insert, &row("t"), NOW).unwrap();
        accumulator.append(RowKind::Insert, &row("u"), NOW).unwrap_err();
        assert_eq!(shown(accumulator.flush().unwrap()), [(0, -1, 1)]);
    }

    #[test]
    fn the_order_of_the_limits_does_not_matter() {
        let limited = |first: bool| {
            let accumulator = RecordAccumulator::new("t", 1);
            let accumulator = match first {
                true => accumulator.with_max_request_bytes(200).with_max_batch_bytes(300),
                false => accumulator.with_max_batch_bytes(300).with_max_request_bytes(200),
            };
            (accumulator.batches.template.max_bytes(), accumulator.batches.max_request_bytes)
        };
        assert_eq!((limited(true), limited(false)), ((200, 200), (200, 200)));
    }
}
