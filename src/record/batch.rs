//! The reader of batches. Agrees with Kafka's `org.apache.kafka.common.record.internal.DefaultRecordBatch` and, for
//! several in a row, `ByteBufferLogInputStream`.

use std::borrow::Cow;
use std::iter::FusedIterator;

use super::layout::{self, BatchHeader, HEADER_LEN, LOG_OVERHEAD, MAGIC};
use super::{Compression, ConsumerRecord, Headers, Limits, Producer, TimestampType};
use crate::error::{Error, ErrorKind};
use crate::wire::{Cursor, crc32c};

/// A RecordBatch v2 that was read: its header, and records that borrow from the bytes they came in.
///
/// The bytes are not trusted: length, magic, CRC and record count are checked when the batch is parsed, each record when
/// it is iterated. Nothing is allocated but the decompressed records of a compressed batch.
///
/// ```
/// use upsert_kafka::{Limits, Record, RecordBatch, RecordBatchBuilder};
///
/// let mut builder = RecordBatchBuilder::new();
/// builder.append(&Record::tombstone(b"k").with_timestamp(1_717_200_000_000))?;
/// let bytes = builder.finish();
///
/// let batch = RecordBatch::parse(&bytes, Limits::default())?;
/// for record in batch.records() {
///     let record = record?;
///     assert_eq!((record.offset, record.key, record.value), (0, Some(&b"k"[..]), None));
/// }
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordBatch<'a> {
    header: BatchHeader,
    compression: Compression,
    size: usize,
    /// Decompressed.
    records: Cow<'a, [u8]>,
    max_headers: usize,
}

impl<'a> RecordBatch<'a> {
    /// Reads the batch at the start of `bytes`; what is behind it is not looked at.
    ///
    /// # Errors
    ///
    /// If the batch is cut short, of another format than v2, damaged ([`ErrorKind::Batch`]) or beyond a limit
    /// ([`ErrorKind::Limit`]); if it is compressed and the feature for that is off.
    pub fn parse(bytes: &'a [u8], limits: Limits) -> Result<Self, Error> {
        let size = batch_size(bytes)?.ok_or_else(cut_short)?;
        let bytes = bytes.get(..size).ok_or_else(cut_short)?;
        let (crc, header) = BatchHeader::read(bytes).ok_or_else(cut_short)?;
        let (_, checked) = bytes.split_at_checked(layout::ATTRIBUTES).ok_or_else(cut_short)?;
        if crc32c(checked) != crc {
            return Err(corrupt("the CRC-32C of the batch is another"));
        }
        let compression = Compression::from_id(header.attributes & layout::COMPRESSION_MASK)
            .ok_or_else(|| corrupt("the batch is compressed in an unknown way"))?;
        let (_, payload) = bytes.split_at_checked(HEADER_LEN).ok_or_else(cut_short)?;
        let records = match compression.codec()? {
            None => Cow::Borrowed(payload),
            Some(codec) => Cow::Owned((codec.decompress)(payload, limits.max_decompressed_bytes)?),
        };
        match usize::try_from(header.record_count) {
            Ok(count) if count > limits.max_records => return Err(too_many("records", limits.max_records)),
            Ok(count) if count <= records.len() / MIN_RECORD_LEN => {}
            _ => return Err(corrupt("the batch cannot hold as many records as it says")),
        }
        Ok(Self { header, compression, size, records, max_headers: limits.max_headers })
    }

    /// The records in order; none of a [control](Self::is_control) batch, which consumers skip.
    ///
    /// The timestamp of each is its own, or the batch's for `LogAppendTime`; offsets may have gaps, which compaction
    /// leaves. Topic and partition are for the caller to add.
    #[must_use]
    pub fn records(&self) -> Records<'_> {
        if self.is_control() {
            return Records { left: 0, cursor: Cursor::new(&[]), ..self.control_records() };
        }
        self.control_records()
    }

    /// The records in order, even if they are the broker's own.
    #[must_use]
    pub fn control_records(&self) -> Records<'_> {
        Records {
            header: &self.header,
            max_headers: self.max_headers,
            cursor: Cursor::new(&self.records),
            left: self.header.record_count,
        }
    }

    /// Its size in bytes, as sent: the next batch starts behind them.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.size
    }

    /// The record count of its header; 0 if compaction has removed all records.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.header.record_count).unwrap_or(0)
    }

    /// Whether it has no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.header.record_count == 0
    }

    /// The offset from which its records' offsets are counted.
    #[must_use]
    pub fn base_offset(&self) -> i64 {
        self.header.base_offset
    }

    /// The offset of its last record, even if compaction has removed that one.
    #[must_use]
    pub fn last_offset(&self) -> i64 {
        self.header.base_offset.wrapping_add(self.header.last_offset_delta.into())
    }

    /// The epoch of the partition's leader that took it; `None` is unknown.
    #[must_use]
    pub fn leader_epoch(&self) -> Option<i32> {
        self.header.leader_epoch()
    }

    /// Whose clock its timestamps are from.
    #[must_use]
    pub fn timestamp_type(&self) -> TimestampType {
        self.header.timestamp_type()
    }

    /// The latest timestamp of its records, or the broker's for all of them.
    #[must_use]
    pub fn max_timestamp(&self) -> i64 {
        self.header.max_timestamp
    }

    /// The producer that sent it, with the sequence number of its first record; `None` where it does not say.
    #[must_use]
    pub fn producer(&self) -> Option<Producer> {
        let header = &self.header;
        (header.producer_id >= 0).then_some(Producer {
            id: header.producer_id,
            epoch: header.producer_epoch,
            sequence: header.base_sequence,
            transactional: header.attributes & layout::TRANSACTIONAL != 0,
        })
    }

    /// Whether its records are the broker's own, such as the end of a transaction.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.header.attributes & layout::CONTROL != 0
    }

    /// The time from which compaction may remove its tombstones, where a broker has set one.
    #[must_use]
    pub fn delete_horizon(&self) -> Option<i64> {
        (self.header.attributes & layout::DELETE_HORIZON != 0).then_some(self.header.base_timestamp)
    }

    /// How it was compressed.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }
}

/// The records of a batch, one by one. After an error there are no more.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    header: &'a BatchHeader,
    max_headers: usize,
    cursor: Cursor<'a>,
    left: i32,
}

impl<'a> Records<'a> {
    /// The next record, whose bytes have to be as many as it says.
    #[inline]
    fn read(&mut self) -> Option<ConsumerRecord<'a>> {
        let len = usize::try_from(self.cursor.varint()?).ok()?;
        let mut body = Cursor::new(self.cursor.take(len)?);
        body.take(1)?; // attributes, of which a record has none
        let timestamp_delta = body.varlong()?;
        let offset_delta = body.varint()?;
        let key = body.nullable_bytes()?;
        let value = body.nullable_bytes()?;
        let headers = Headers::read(&mut body)?;
        let timestamp_type = self.header.timestamp_type();
        body.rest().is_empty().then_some(ConsumerRecord {
            key,
            value,
            headers,
            topic: "",
            partition: 0,
            offset: self.header.base_offset.wrapping_add(offset_delta.into()),
            leader_epoch: self.header.leader_epoch(),
            timestamp: match timestamp_type {
                TimestampType::LogAppendTime => self.header.max_timestamp,
                // As Java's long, which the writer let overflow the same way.
                _ => self.header.base_timestamp.wrapping_add(timestamp_delta),
            },
            timestamp_type,
        })
    }

    /// Ends the iteration with an error.
    #[cold]
    fn fail(&mut self, error: Error) -> Option<Result<ConsumerRecord<'a>, Error>> {
        let index = self.header.record_count - self.left;
        let offset = HEADER_LEN + self.cursor.position();
        (self.left, self.cursor) = (0, Cursor::new(&[]));
        Some(Err(error.with_row(u64::from(index.unsigned_abs())).with_offset(offset)))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<ConsumerRecord<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return match self.cursor.rest() {
                [] => None,
                _ => self.fail(corrupt("the batch holds more than its records")),
            };
        }
        match self.read() {
            Some(record) if record.headers.len() <= self.max_headers => {
                self.left -= 1;
                Some(Ok(record))
            }
            Some(_) => self.fail(too_many("headers", self.max_headers)),
            None => self.fail(corrupt("the record is damaged")),
        }
    }
}

impl FusedIterator for Records<'_> {}

/// The batches in the bytes of a fetch response or a log segment, one after the other.
///
/// Brokers cut the last batch off where the answer is full: that one is left out, as Java leaves it out, and stays in
/// [`rest`](Self::rest). A damaged batch is an error in its place, and the next one follows, unless the place of the
/// next one is unknown.
///
/// ```
/// use upsert_kafka::{Limits, RecordBatches};
///
/// fn print(fetched: &[u8]) -> Result<(), upsert_kafka::Error> {
///     for batch in RecordBatches::new(fetched, Limits::default()) {
///         for record in batch?.records() {
///             println!("{:?}", record?.with_topic_partition("orders", 7));
///         }
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct RecordBatches<'a> {
    rest: &'a [u8],
    limits: Limits,
    lost: bool,
}

impl<'a> RecordBatches<'a> {
    /// The batches of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8], limits: Limits) -> Self {
        Self { rest: bytes, limits, lost: false }
    }

    /// What has not been read yet; in the end, a batch that was cut off.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for RecordBatches<'a> {
    type Item = Result<RecordBatch<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.lost {
            return None;
        }
        let size = match batch_size(self.rest) {
            Ok(size) => size?,
            Err(error) => {
                self.lost = true;
                return Some(Err(error));
            }
        };
        let (batch, rest) = self.rest.split_at_checked(size)?;
        self.rest = rest;
        Some(RecordBatch::parse(batch, self.limits))
    }
}

impl FusedIterator for RecordBatches<'_> {}

/// The least a record takes: its length, attributes, two deltas, two lengths and a count of a byte each.
const MIN_RECORD_LEN: usize = 7;

/// The size of the batch that starts here, as it says; `None` if its length is cut off.
fn batch_size(bytes: &[u8]) -> Result<Option<usize>, Error> {
    let Some([.., a, b, c, d]) = bytes.first_chunk::<LOG_OVERHEAD>() else { return Ok(None) };
    if let Some(magic) = bytes.get(layout::MAGIC_OFFSET)
        && *magic != MAGIC
    {
        return Err(other_format(*magic));
    }
    match usize::try_from(i32::from_be_bytes([*a, *b, *c, *d])) {
        Ok(length) if LOG_OVERHEAD + length >= HEADER_LEN => Ok(Some(LOG_OVERHEAD + length)),
        _ => Err(corrupt("the length of the batch is none that a batch has")),
    }
}

#[cold]
fn corrupt(message: &'static str) -> Error {
    Error::new(ErrorKind::Batch, message)
}

#[cold]
fn cut_short() -> Error {
    corrupt("the batch is cut short")
}

#[cold]
fn other_format(magic: u8) -> Error {
    Error::new(
        ErrorKind::Batch,
        format!(
            "the batch has message format v{magic}; v2, that of Kafka 0.11 and later, is what can be read"
        ),
    )
}

#[cold]
fn too_many(what: &str, limit: usize) -> Error {
    Error::new(ErrorKind::Limit, format!("more {what} than the limit of {limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, RecordBatchBuilder};

    fn batch(keys: &[&str]) -> Vec<u8> {
        let mut builder = RecordBatchBuilder::new();
        for key in keys {
            assert!(builder.append(&Record::tombstone(key.as_bytes()).with_timestamp(7)).unwrap());
        }
        builder.finish().to_vec()
    }

    /// Makes the length and the CRC right again.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let length = i32::try_from(bytes.len() - LOG_OVERHEAD).unwrap();
        bytes[8..12].copy_from_slice(&length.to_be_bytes());
        let crc = crc32c(&bytes[layout::ATTRIBUTES..]);
        bytes[17..21].copy_from_slice(&crc.to_be_bytes());
        bytes
    }

    fn with_records(record_count: i32, records: &[u8]) -> Vec<u8> {
        let mut bytes = batch(&["k"]);
        bytes.truncate(HEADER_LEN);
        bytes[57..61].copy_from_slice(&record_count.to_be_bytes());
        bytes.extend_from_slice(records);
        sealed(bytes)
    }

    fn parse(bytes: &[u8]) -> Result<RecordBatch<'_>, Error> {
        RecordBatch::parse(bytes, Limits::default())
    }

    fn keys(fetched: &[u8]) -> Vec<Option<String>> {
        RecordBatches::new(fetched, Limits::default())
            .flat_map(|batch| match batch {
                Ok(batch) => batch
                    .records()
                    .map(|record| Some(String::from_utf8_lossy(record.ok()?.key?).into_owned()))
                    .collect(),
                Err(_) => vec![None],
            })
            .collect()
    }

    #[test]
    fn only_what_the_crc_does_not_cover_may_change() {
        let good = batch(&["k"]);
        for byte in 0..good.len() {
            let mut bytes = good.clone();
            bytes[byte] ^= 0x08;
            match byte {
                0..8 => assert_ne!(parse(&bytes).unwrap().base_offset(), 0),
                12..16 => assert!(parse(&bytes).is_ok(), "the leader's epoch"),
                _ => assert_eq!(parse(&bytes).unwrap_err().kind(), ErrorKind::Batch, "byte {byte}"),
            }
        }
    }

    #[test]
    fn a_false_count_is_an_error_not_an_allocation() {
        for bytes in [with_records(i32::MAX, &[]), with_records(-1, &[]), with_records(2, &[0; 13])] {
            let error = parse(&bytes).unwrap_err();
            assert_eq!(error.message(), "the batch cannot hold as many records as it says");
        }
        // Attributes, deltas, null key and value; then i32::MAX headers.
        let bytes = with_records(1, &[20, 0, 0, 0, 1, 1, 0xfe, 0xff, 0xff, 0xff, 0x0f]);
        let batch = parse(&bytes).unwrap();
        let error = batch.records().next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "row 0, byte 72: the record is damaged");
    }

    #[test]
    fn a_record_has_the_bytes_it_says_and_the_batch_no_more() {
        let (good, long, negative) =
            ([12, 0, 0, 0, 1, 1, 0], [14, 0, 0, 0, 1, 1, 0, 9], [12, 0, 0, 0, 3, 1, 0]);
        let ends: [(Vec<u8>, &str); 3] = [
            (with_records(1, &long), "row 0, byte 69: the record is damaged"),
            (with_records(1, &negative), "row 0, byte 68: the record is damaged"),
            (
                with_records(1, &[good, good].concat()),
                "row 1, byte 68: the batch holds more than its records",
            ),
        ];
        for (bytes, expected) in ends {
            let batch = parse(&bytes).unwrap();
            let mut records = batch.records();
            let error = records.find_map(Result::err).unwrap();
            assert_eq!(error.to_string(), expected);
            assert!(records.next().is_none());
        }
    }

    #[test]
    fn a_batch_cut_off_at_the_end_is_left_out() {
        let (first, second) = (batch(&["a", "b"]), batch(&["c"]));
        let fetched = [first.as_slice(), &second].concat();
        for cut in 1..=second.len() {
            let fetched = &fetched[..fetched.len() - cut];
            assert_eq!(keys(fetched), [Some("a".to_owned()), Some("b".to_owned())]);
            let mut batches = RecordBatches::new(fetched, Limits::default());
            assert_eq!(batches.by_ref().count(), 1);
            assert_eq!(batches.rest().len(), second.len() - cut);
        }
        assert_eq!(parse(&first[..first.len() - 1]).unwrap_err().message(), "the batch is cut short");
    }

    #[test]
    fn a_damaged_batch_does_not_hide_the_next() {
        let mut damaged = batch(&["b"]);
        damaged[65] ^= 1;
        let fetched = [batch(&["a"]), damaged, batch(&["c"])].concat();
        assert_eq!(keys(&fetched), [Some("a".to_owned()), None, Some("c".to_owned())]);
    }

    #[test]
    fn where_no_batch_can_be_the_search_ends() {
        for (byte, value) in [(11, 48), (8, 0x80), (16, 1)] {
            let mut damaged = batch(&["b"]);
            damaged[byte] = value;
            assert_eq!(keys(&[batch(&["a"]), damaged].concat()), [Some("a".to_owned()), None], "byte {byte}");
        }
    }

    #[test]
    fn limits_are_kept() {
        let limits = Limits::default();
        let two = batch(&["a", "b"]);
        assert!(RecordBatch::parse(&two, limits.with_max_records(2)).is_ok());
        let error = RecordBatch::parse(&two, limits.with_max_records(1)).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Limit, "more records than the limit of 1"));

        let bytes = with_records(1, &[20, 0, 0, 0, 1, 1, 4, 0, 1, 0, 1]);
        let batch = RecordBatch::parse(&bytes, limits.with_max_headers(1)).unwrap();
        let error = batch.records().next().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Limit, "more headers than the limit of 1"));
    }
}
