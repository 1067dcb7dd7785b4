//! The writer of batches. Agrees with Kafka's `org.apache.kafka.common.record.internal.MemoryRecordsBuilder`.

use std::mem::take;

use bytes::{Bytes, BytesMut};

use super::layout::{self, BatchHeader, HEADER_LEN, NO_TIMESTAMP};
use super::{Compression, Producer, Record};
use crate::error::{Error, ErrorKind, Part};
use crate::wire::{append_varint, append_varlong, varint_len, varlong_len};

/// Builds RecordBatch v2 bytes, one batch after the other, byte for byte as Kafka's Java client does.
///
/// A setting holds for the open batch and for all that follow.
///
/// A record costs one copy of its key and value and no allocation; a batch costs two allocations at most, its buffer
/// (sized by those before) and what shares it as [`Bytes`]. A compressed batch costs four at most, with zstd 50 and 10
/// more for each 128 KiB, and is copied once more. The builder holds its last batch until the next one begins, and
/// reuses the memory if nobody else holds it any more, as the buffer pool of Java's producer does.
///
/// ```
/// use upsert_kafka::Record;
/// use upsert_kafka::record::RecordBatchBuilder;
///
/// let mut batch = RecordBatchBuilder::new();
/// assert!(batch.append(&Record::new(Some(b"k"), Some(b"v")).with_timestamp(1_717_200_000_000))?);
/// assert!(batch.append(&Record::tombstone(b"k").with_timestamp(1_717_200_000_001))?);
/// let bytes = batch.finish();
/// assert_eq!(bytes.len(), 61 + 9 + 8);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordBatchBuilder {
    /// Room for the header and the records after it; empty as long as there are none.
    buffer: Vec<u8>,
    /// The last batch, for its memory.
    last: Bytes,
    /// A batch with its records compressed, while it is made.
    compressed: Vec<u8>,
    /// What the next buffer holds without growing.
    expected_bytes: usize,
    max_bytes: usize,
    base_offset: i64,
    partition_leader_epoch: i32,
    log_append_time: Option<i64>,
    producer: Option<Producer>,
    control: bool,
    compression: Compression,
    level: i32,
    record_count: i32,
    last_offset_delta: i32,
    base_timestamp: i64,
    max_timestamp: i64,
}

impl RecordBatchBuilder {
    /// The default of [`with_max_bytes`](Self::with_max_bytes), a little under what brokers take by default
    /// (`message.max.bytes`, 1 048 588).
    pub const MAX_BYTES: usize = 1_048_576;

    /// A builder of batches at base offset 0, as producers send them.
    #[must_use]
    pub fn new() -> Self {
        Self {
            buffer: Vec::new(),
            last: Bytes::new(),
            compressed: Vec::new(),
            expected_bytes: 0,
            max_bytes: Self::MAX_BYTES,
            base_offset: 0,
            partition_leader_epoch: i32::from(layout::NONE),
            log_append_time: None,
            producer: None,
            control: false,
            compression: Compression::None,
            level: 0,
            record_count: 0,
            last_offset_delta: -1,
            base_timestamp: NO_TIMESTAMP,
            max_timestamp: NO_TIMESTAMP,
        }
    }

    /// The size that a batch of several records does not exceed, its header of 61 bytes included.
    #[must_use]
    pub fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The size that a batch of several records does not exceed.
    #[must_use]
    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// The producer whose batches these are; `None`, the default, is one that brokers do not know.
    #[must_use]
    pub fn with_producer(mut self, producer: Option<Producer>) -> Self {
        self.producer = producer;
        self
    }

    /// The offset of the first record, for those who write logs; a producer leaves it at 0.
    #[must_use]
    pub fn with_base_offset(mut self, offset: i64) -> Self {
        self.base_offset = offset;
        self
    }

    /// The epoch of the partition's leader, which brokers put in; `None`, the default, is unknown.
    #[must_use]
    pub fn with_partition_leader_epoch(mut self, epoch: Option<i32>) -> Self {
        self.partition_leader_epoch = epoch.unwrap_or(layout::NONE.into());
        self
    }

    /// The broker's time that readers see in place of every record's own; `None`, the default, is `CreateTime`.
    #[must_use]
    pub fn with_log_append_time(mut self, timestamp: Option<i64>) -> Self {
        self.log_append_time = timestamp;
        self
    }

    /// Whether the batch holds the broker's own records, such as the end of a transaction, which readers skip.
    #[must_use]
    pub fn with_control(mut self, control: bool) -> Self {
        self.control = control;
        self
    }

    /// How the records are compressed: not at all by default. The size of a batch is limited before that.
    ///
    /// # Errors
    ///
    /// If the feature of that name is off.
    pub fn with_compression(mut self, compression: Compression) -> Result<Self, Error> {
        compression.codec()?;
        (self.compression, self.level) = (compression, compression.default_level());
        Ok(self)
    }

    /// How the records are compressed, and at which of Kafka's levels, in place of its default:
    ///
    /// | | levels | default | |
    /// |---|---|---|---|
    /// | `compression.gzip.level` | 1 to 9 | -1, which is 6 | |
    /// | `compression.lz4.level` | 1 to 17 | 9, the fast way | all others search, longer with each level |
    /// | `compression.zstd.level` | -131072 to 22 | 3 | those below -7 are as -7, those above 4 as 4 |
    ///
    /// # Errors
    ///
    /// Kafka's for a level that there is not; if the feature of that name is off.
    pub fn with_compression_level(self, compression: Compression, level: i32) -> Result<Self, Error> {
        compression.check_level(level)?;
        Ok(Self { level, ..self.with_compression(compression)? })
    }

    /// Adds a record after the others, with the next offset. A record without a timestamp gets -1, Kafka's "none".
    ///
    /// `false` says that it would make the batch larger than its limit: nothing is changed, the batch wants to be
    /// finished first. The first record is taken whatever its size, as Java takes it.
    ///
    /// # Errors
    ///
    /// A timestamp below -1, as in Java; a batch of more than 2 GiB. The batch is as it was before.
    #[inline]
    pub fn append(&mut self, record: &Record<'_>) -> Result<bool, Error> {
        self.append_with_default(record, NO_TIMESTAMP)
    }

    /// [`append`](Self::append), with a timestamp for a record without: the record is copied only into the batch.
    #[inline]
    pub(crate) fn append_with_default(&mut self, record: &Record<'_>, timestamp: i64) -> Result<bool, Error> {
        match self.last_offset_delta.checked_add(1) {
            Some(delta) => self.append_with_delta(delta, record.timestamp.unwrap_or(timestamp), record),
            None => Ok(false), // the next offset is beyond what a batch can say
        }
    }

    /// Adds a record that stands at `offset` of the log, as compaction leaves them: with gaps.
    ///
    /// Answers as [`append`](Self::append) does.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append), and an offset that is not after the last one, or 2³¹ or more after the base.
    pub fn append_at(&mut self, offset: i64, record: &Record<'_>) -> Result<bool, Error> {
        let delta = offset.checked_sub(self.base_offset).and_then(|delta| i32::try_from(delta).ok());
        match delta {
            Some(delta) if delta > self.last_offset_delta => {
                self.append_with_delta(delta, record.timestamp.unwrap_or(NO_TIMESTAMP), record)
            }
            _ => Err(illegal_offset(offset)),
        }
    }

    /// Refuses a record that cannot be in a batch, or only in one larger than `max_bytes`.
    #[inline]
    pub(crate) fn check(record: &Record<'_>, timestamp: i64, max_bytes: usize) -> Result<(), Error> {
        check_timestamp(record.timestamp.unwrap_or(timestamp))?;
        // To know that a record is far below the limit is cheaper than to know its size.
        if payload_len(record) > max_bytes.saturating_sub(MAX_OVERHEAD) as u64 {
            return check_size(record, max_bytes);
        }
        Ok(())
    }

    /// The most bytes that the record takes, alone in a batch: a little more than it does.
    #[inline]
    pub(crate) fn most_bytes(record: &Record<'_>) -> u64 {
        payload_len(record) + MAX_OVERHEAD as u64
    }

    /// The same batch, a finished one, as the next one of the producer; what is no batch stays as it is. Copies it, if
    /// anybody else holds it.
    pub(crate) fn stamp(&mut self, batch: Bytes) -> Bytes {
        let (Some(producer), Some(mut header)) = (&mut self.producer, BatchHeader::of_batch(&batch)) else {
            return batch;
        };
        header.set_producer(*producer);
        producer.advance(header.record_count);
        let mut bytes = batch.try_into_mut().unwrap_or_else(|shared| BytesMut::from(&*shared));
        header.write(&mut bytes);
        bytes.freeze()
    }

    /// How many records are in bytes that are one whole batch; `None` if they are none.
    pub(crate) fn records_in(batch: &[u8]) -> Option<usize> {
        BatchHeader::of_batch(batch).and_then(|header| usize::try_from(header.record_count).ok())
    }

    /// Gives back what is kept for the next batch, if none is open.
    pub(crate) fn give_back_memory(&mut self) {
        if self.is_empty() {
            (self.buffer, self.last, self.expected_bytes) = (Vec::new(), Bytes::new(), 0);
        }
    }

    /// The size of the batch so far, its header included; 0 without records.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.buffer.len()
    }

    /// How many records the batch has so far.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.record_count).unwrap_or(0)
    }

    /// Whether no record has been added since the last batch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.record_count == 0
    }

    /// Closes the batch and hands its bytes out: without a copy, unless it is compressed. Without records they are no
    /// bytes at all.
    ///
    /// The builder is ready for the next batch: a producer's sequence number has moved on, wrapping to 0 after
    /// `i32::MAX` as Java's does; all else stays as it was set.
    pub fn finish(&mut self) -> Bytes {
        if self.record_count == 0 {
            return Bytes::new();
        }
        let batch = if self.compress() {
            self.header(self.compression).write(&mut self.compressed);
            self.buffer.clear();
            Bytes::copy_from_slice(&self.compressed)
        } else {
            let mut batch = take(&mut self.buffer);
            self.header(Compression::None).write(&mut batch);
            self.expected_bytes = self.next_capacity(batch.len());
            self.last = Bytes::from(batch);
            self.last.clone()
        };
        match &mut self.producer {
            // Control records are the broker's and have no sequence.
            Some(producer) if !self.control => {
                producer.advance(self.record_count);
            }
            _ => {}
        }
        self.record_count = 0;
        self.last_offset_delta = -1;
        batch
    }

    #[inline]
    fn append_with_delta(
        &mut self,
        offset_delta: i32,
        timestamp: i64,
        record: &Record<'_>,
    ) -> Result<bool, Error> {
        check_timestamp(timestamp)?;
        let first = self.record_count == 0;
        let base_timestamp = if first { timestamp } else { self.base_timestamp };
        let timestamp_delta = timestamp.wrapping_sub(base_timestamp); // as Java's long
        let body_len =
            body_len(record, timestamp_delta, offset_delta).ok_or_else(|| over_limit(None, MAX_BATCH_LEN))?;
        let size = record_size(body_len);
        if first {
            self.open(size);
            self.base_timestamp = timestamp;
            self.max_timestamp = timestamp;
        } else if self.buffer.len() + size > self.max_bytes.min(MAX_BATCH_LEN) {
            return Ok(false);
        }
        self.buffer.reserve(size);
        put_record(&mut self.buffer, record, body_len, timestamp_delta, offset_delta);
        self.record_count += 1;
        self.last_offset_delta = offset_delta;
        self.max_timestamp = self.max_timestamp.max(timestamp);
        Ok(true)
    }

    /// Batches close by their limit or by a timer: what the largest of late took, with a quarter more, seldom has to
    /// grow. A large one is forgotten slowly.
    fn next_capacity(&self, last: usize) -> usize {
        let expected = self.expected_bytes - self.expected_bytes / 16;
        expected.max(last + last / 4).min(self.max_bytes.max(last))
    }

    /// Makes room for the header and a first record.
    #[cold]
    fn open(&mut self, size: usize) {
        let expected = self.expected_bytes.max(HEADER_LEN + size);
        if let Ok(mut last) = take(&mut self.last).try_into_mut()
            && self.buffer.capacity() == 0
            && last.capacity() / 2 < expected
        {
            last.clear();
            self.buffer = last.into();
        }
        self.buffer.reserve_exact(expected);
        self.buffer.resize(HEADER_LEN, 0);
    }

    /// Compresses the records, if that is asked for. A batch that becomes too large to be sent, as one of bytes without any
    /// pattern may, is better left as it is: `false`.
    fn compress(&mut self) -> bool {
        let (Ok(Some(codec)), Some(records)) = (self.compression.codec(), self.buffer.get(HEADER_LEN..))
        else {
            return false;
        };
        self.compressed.clear();
        self.compressed.resize(HEADER_LEN, 0);
        (codec.compress)(records, self.level, &mut self.compressed);
        self.compressed.len() <= self.buffer.len().max(self.max_bytes.min(MAX_BATCH_LEN))
    }

    fn header(&self, compression: Compression) -> BatchHeader {
        let none = layout::NONE;
        let producer = self.producer;
        let mut attributes = compression.id();
        if self.log_append_time.is_some() {
            attributes |= layout::LOG_APPEND_TIME;
        }
        if producer.is_some_and(|producer| producer.transactional) {
            attributes |= layout::TRANSACTIONAL;
        }
        if self.control {
            attributes |= layout::CONTROL;
        }
        BatchHeader {
            base_offset: self.base_offset,
            partition_leader_epoch: self.partition_leader_epoch,
            attributes,
            last_offset_delta: self.last_offset_delta,
            base_timestamp: self.base_timestamp,
            max_timestamp: self.log_append_time.unwrap_or(self.max_timestamp),
            producer_id: producer.map_or(none.into(), |producer| producer.id),
            producer_epoch: producer.map_or(none.into(), |producer| producer.epoch),
            base_sequence: producer.map_or(none.into(), |producer| producer.sequence),
            record_count: self.record_count,
        }
    }
}

impl Default for RecordBatchBuilder {
    fn default() -> Self {
        Self::new()
    }
}

/// The greatest batch whose length the header can say.
const MAX_BATCH_LEN: usize = i32::MAX as usize;
/// More than a batch of one record holds beside key, value and headers: a header of 61 bytes, and at most 36 for the
/// record's length, attributes, deltas, lengths and count.
const MAX_OVERHEAD: usize = 100;

#[inline]
fn check_timestamp(timestamp: i64) -> Result<(), Error> {
    if timestamp < NO_TIMESTAMP { Err(negative_timestamp(timestamp)) } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn check_size(record: &Record<'_>, max_bytes: usize) -> Result<(), Error> {
    match body_len(record, 0, 0).map(|body_len| HEADER_LEN + record_size(body_len)) {
        Some(size) if size <= max_bytes => Ok(()),
        size => Err(over_limit(size, max_bytes)),
    }
}

/// The bytes of key, value and headers. As u64: two of 2 GiB each overflow the usize of 32 bits.
#[inline]
fn payload_len(record: &Record<'_>) -> u64 {
    let (key, value) = (record.key.unwrap_or_default(), record.value.unwrap_or_default());
    key.len() as u64 + value.len() as u64 + record.headers.encoded_len() as u64
}

/// The bytes of a record after its own length; `None` if they are too many for any batch.
#[inline]
fn body_len(record: &Record<'_>, timestamp_delta: i64, offset_delta: i32) -> Option<i32> {
    let overhead = 1
        + varlong_len(timestamp_delta)
        + varint_len(offset_delta)
        + varint_len(nullable_len(record.key))
        + varint_len(nullable_len(record.value))
        + varint_len(wire_len(record.headers.len()));
    let len = i32::try_from(overhead as u64 + payload_len(record)).ok()?;
    (len.unsigned_abs() as usize <= MAX_BATCH_LEN - MAX_OVERHEAD).then_some(len)
}

/// The bytes of a record with its own length.
#[inline]
fn record_size(body_len: i32) -> usize {
    varint_len(body_len) + body_len.unsigned_abs() as usize
}

#[inline]
fn put_record(
    out: &mut Vec<u8>,
    record: &Record<'_>,
    body_len: i32,
    timestamp_delta: i64,
    offset_delta: i32,
) {
    append_varint(out, body_len);
    out.push(0); // attributes, of which a record has none
    append_varlong(out, timestamp_delta);
    append_varint(out, offset_delta);
    append_varint(out, nullable_len(record.key));
    out.extend_from_slice(record.key.unwrap_or_default());
    append_varint(out, nullable_len(record.value));
    out.extend_from_slice(record.value.unwrap_or_default());
    append_varint(out, wire_len(record.headers.len()));
    record.headers.encode(out);
}

/// -1 is null.
#[inline]
fn nullable_len(bytes: Option<&[u8]>) -> i32 {
    bytes.map_or(-1, |bytes| wire_len(bytes.len()))
}

/// A length or a count. One beyond i32 is wrong and never written: [`body_len`] refuses the record.
#[inline]
fn wire_len(len: usize) -> i32 {
    i32::try_from(len).unwrap_or(i32::MAX)
}

#[cold]
fn negative_timestamp(timestamp: i64) -> Error {
    Error::new(ErrorKind::Row, format!("Invalid negative timestamp {timestamp}")).with_part(Part::Timestamp)
}

#[cold]
fn illegal_offset(offset: i64) -> Error {
    Error::new(ErrorKind::Row, format!("the offset {offset} does not follow the records before it"))
}

#[cold]
fn over_limit(size: Option<usize>, max_bytes: usize) -> Error {
    Error::new(
        ErrorKind::Limit,
        match size {
            Some(size) => {
                format!("alone in a batch the record takes {size} bytes, more than the limit of {max_bytes}")
            }
            None => "the record is too large for any batch, which ends at 2 GiB".to_owned(),
        },
    )
}

#[cfg(test)]
mod tests;
