//! The reader of a batch. Agrees with Kafka's `org.apache.kafka.common.record.internal.DefaultRecordBatch`.

use std::borrow::Cow;
use std::iter::FusedIterator;

use super::layout::{self, BatchHeader, HEADER_LEN, LOG_OVERHEAD, MAGIC, NO_TIMESTAMP};
use super::{Compression, ConsumerRecord, Headers, Limits, Producer, TimestampType};
use crate::error::{Error, ErrorKind};
use crate::wire::{Cursor, crc32c};

/// A RecordBatch v2 that was read: its header, and records that borrow from the bytes they came in.
///
/// The bytes are not trusted: length, magic, CRC and record count are checked when the batch is parsed, each record when
/// it is iterated. Nothing is allocated but the decompressed records of a compressed batch.
///
/// ```
/// use upsert_kafka::{Limits, Record};
/// use upsert_kafka::record::{RecordBatch, RecordBatchBuilder};
///
/// let mut builder = RecordBatchBuilder::new();
/// builder.append(&Record::tombstone(b"k").with_timestamp(1_717_200_000_000))?;
/// let bytes = builder.finish();
///
/// let batch = RecordBatch::parse(&bytes, Limits::default())?;
/// for record in batch.records() {
///     let record = record?;
///     assert_eq!((record.offset, record.key, record.value), (Some(0), Some(&b"k"[..]), None));
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
    /// Reads the batch at the start of `bytes`; what follows it is not looked at.
    ///
    /// # Errors
    ///
    /// If the batch is cut short, of another format than v2, damaged ([`ErrorKind::Batch`]) or beyond a limit
    /// ([`ErrorKind::Limit`]); if it is compressed and the feature for that is off. The help says which
    /// offsets the batch covers.
    pub fn parse(bytes: &'a [u8], limits: Limits) -> Result<Self, Error> {
        let size = batch_size(bytes)?.ok_or_else(|| corrupt("the batch is cut short"))?;
        let bytes = bytes.get(..size).ok_or_else(|| corrupt("the batch is cut short"))?;
        Packed::read(bytes)?.unpack(limits)
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

    /// [`records`](Self::records) from `offset` on: those that a fetch from that offset asked for.
    ///
    /// A broker returns whole batches, and the first may begin below that offset. A damaged record is an error wherever
    /// it is.
    pub fn records_from(&self, offset: i64) -> impl Iterator<Item = Result<ConsumerRecord<'_>, Error>> {
        self.records()
            .filter(move |record| record.as_ref().map_or(true, |record| record.offset >= Some(offset)))
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

    /// Its size in bytes, as sent: the next batch starts after them.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.size
    }

    /// What its records took when they were decompressed: nothing where they were not compressed.
    pub(super) fn decompressed_bytes(&self) -> usize {
        match &self.records {
            Cow::Borrowed(_) => 0,
            Cow::Owned(records) => records.len(),
        }
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
        self.header.last_offset()
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

    /// The latest timestamp of its records, or the broker's for all of them; `None` where they have none.
    #[must_use]
    pub fn max_timestamp(&self) -> Option<i64> {
        known(self.header.max_timestamp)
    }

    /// The producer that sent it, with the sequence number of its first record; `None` where it does not say.
    #[must_use]
    pub fn producer(&self) -> Option<Producer> {
        self.header.producer()
    }

    /// Whether its records are the broker's own, such as the end of a transaction.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.header.is_control()
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
            topic: None,
            partition: None,
            offset: Some(self.header.base_offset.wrapping_add(offset_delta.into())),
            leader_epoch: self.header.leader_epoch(),
            timestamp: known(match timestamp_type {
                TimestampType::LogAppendTime => self.header.max_timestamp,
                // As Java's long, which the writer let overflow the same way.
                _ => self.header.base_timestamp.wrapping_add(timestamp_delta),
            }),
            timestamp_type,
        })
    }

    /// Ends the iteration with an error.
    #[cold]
    fn fail(&mut self, error: Error) -> Option<Result<ConsumerRecord<'a>, Error>> {
        let index = self.header.record_count - self.left;
        let offset = HEADER_LEN + self.cursor.position();
        (self.left, self.cursor) = (0, Cursor::new(&[]));
        let error = of_offsets(error, self.header);
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

/// A timestamp, unless it is Kafka's "none".
#[inline]
fn known(timestamp: i64) -> Option<i64> {
    (timestamp != NO_TIMESTAMP).then_some(timestamp)
}

/// The least a record takes: its length, attributes, two deltas, two lengths and a count of a byte each.
const MIN_RECORD_LEN: usize = 7;

/// A batch whose header was read and whose bytes are those it was sent with; its records are as they came.
pub(super) struct Packed<'a> {
    pub(super) header: BatchHeader,
    bytes: &'a [u8],
}

impl<'a> Packed<'a> {
    /// The batch that takes all `bytes`.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let base_offset =
            i64::from_be_bytes(*bytes.first_chunk().ok_or_else(|| corrupt("the batch is cut short"))?);
        if let Some(magic @ ..MAGIC) = bytes.get(layout::MAGIC_OFFSET) {
            return Err(older_format(*magic, base_offset));
        }
        let (crc, header) = BatchHeader::read(bytes).ok_or_else(|| corrupt("the batch is cut short"))?;
        let checked = bytes.get(layout::ATTRIBUTES..).unwrap_or_default();
        if crc32c(checked) != crc {
            return Err(of_offsets(corrupt("the CRC-32C of the batch does not match"), &header));
        }
        Ok(Self { header, bytes })
    }

    /// The batch with its records decompressed.
    pub(super) fn unpack(self, limits: Limits) -> Result<RecordBatch<'a>, Error> {
        let Self { header, bytes } = self;
        let (compression, records) =
            records(&header, bytes, limits).map_err(|error| of_offsets(error, &header))?;
        Ok(RecordBatch { header, compression, size: bytes.len(), records, max_headers: limits.max_headers })
    }
}

/// The decompressed records of a batch.
fn records<'a>(
    header: &BatchHeader,
    bytes: &'a [u8],
    limits: Limits,
) -> Result<(Compression, Cow<'a, [u8]>), Error> {
    let compression = Compression::from_id(header.attributes & layout::COMPRESSION_MASK)
        .ok_or_else(|| corrupt("the batch is compressed in an unknown way"))?;
    let payload = bytes.get(HEADER_LEN..).unwrap_or_default();
    let records = match compression.codec()? {
        None => Cow::Borrowed(payload),
        Some(codec) => Cow::Owned((codec.decompress)(payload, limits.max_decompressed_bytes)?),
    };
    match usize::try_from(header.record_count) {
        Ok(count) if count > limits.max_records => Err(too_many("records", limits.max_records)),
        Ok(count) if count <= records.len() / MIN_RECORD_LEN => Ok((compression, records)),
        _ => Err(corrupt("the batch cannot hold as many records as it says")),
    }
}

/// The size of the batch, or of the older message, that starts here, as it says; `None` if it is cut off before that is
/// known. Its length is in the same place in all formats.
pub(super) fn batch_size(bytes: &[u8]) -> Result<Option<usize>, Error> {
    let (Some([.., a, b, c, d]), Some(magic)) =
        (bytes.first_chunk::<LOG_OVERHEAD>(), bytes.get(layout::MAGIC_OFFSET))
    else {
        return Ok(None);
    };
    let length = i32::from_be_bytes([*a, *b, *c, *d]);
    let least = if *magic < MAGIC { layout::MIN_MESSAGE_LEN } else { HEADER_LEN - LOG_OVERHEAD };
    match usize::try_from(length) {
        Ok(length) if length >= least && *magic <= MAGIC => Ok(Some(LOG_OVERHEAD + length)),
        Ok(length) if length >= least => Err(unknown_format(*magic)),
        _ => Err(invalid_length(length)),
    }
}

#[cold]
fn corrupt(message: &'static str) -> Error {
    Error::new(ErrorKind::Batch, message)
}

#[cold]
fn older_format(magic: u8, offset: i64) -> Error {
    let message = format!(
        "the message at offset {offset} has format v{magic}; only v2, that of Kafka 0.11 and later, can be read"
    );
    Error::new(ErrorKind::Batch, message)
}

#[cold]
fn unknown_format(magic: u8) -> Error {
    Error::new(
        ErrorKind::Batch,
        format!("the batch has format v{magic}, which is unknown; only v2 can be read"),
    )
}

#[cold]
fn invalid_length(length: i32) -> Error {
    Error::new(ErrorKind::Batch, format!("the batch length {length} is invalid"))
}

#[cold]
fn too_many(what: &str, limit: usize) -> Error {
    Error::new(ErrorKind::Limit, format!("more {what} than the limit of {limit}"))
}

/// The error, with the offsets of the batch that it is about.
#[cold]
fn of_offsets(error: Error, header: &BatchHeader) -> Error {
    let (first, last) = (header.base_offset, header.last_offset());
    error.with_help(format!("the batch says that it covers the offsets {first} to {last}"))
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

    /// The bit 6 of the attributes says that the base timestamp is the horizon of deletes (KIP-534).
    #[test]
    fn a_delete_horizon_stands_in_the_place_of_the_base_timestamp() {
        let mut bytes = batch(&["k"]);
        assert_eq!(parse(&bytes).unwrap().delete_horizon(), None);
        bytes[layout::ATTRIBUTES + 1] |= 1 << 6;
        assert_eq!(parse(&sealed(bytes)).unwrap().delete_horizon(), Some(7));
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
        assert_eq!(
            (error.row(), error.offset(), error.message()),
            (Some(0), Some(72), "the record is damaged")
        );
    }

    #[test]
    fn a_length_below_zero_is_null_but_for_the_name_of_a_header() {
        // DefaultRecord.readFrom and readHeaders: -2 is 0x03.
        let bytes = with_records(1, &[18, 0, 0, 0, 3, 3, 2, 2, b'h', 3]);
        let batch = parse(&bytes).unwrap();
        let record = batch.records().next().unwrap().unwrap();
        assert_eq!((record.key, record.value), (None, None));
        assert_eq!(record.headers, (&[crate::record::Header::new("h", None)]).into());

        let bytes = with_records(1, &[16, 0, 0, 0, 1, 1, 2, 3, 3]);
        let error = parse(&bytes).unwrap().records().next().unwrap().unwrap_err();
        assert_eq!(error.message(), "the record is damaged");
    }

    #[test]
    fn a_record_has_the_bytes_it_says_and_the_batch_no_more() {
        let (good, long) = ([12, 0, 0, 0, 1, 1, 0], [14, 0, 0, 0, 1, 1, 0, 9]);
        let ends = [
            (with_records(1, &long), (0, 69, "the record is damaged")),
            (with_records(1, &[good, good].concat()), (1, 68, "the batch holds more than its records")),
        ];
        for (bytes, (row, offset, message)) in ends {
            let batch = parse(&bytes).unwrap();
            let mut records = batch.records();
            let error = records.find_map(Result::err).unwrap();
            assert_eq!((error.row(), error.offset(), error.message()), (Some(row), Some(offset), message));
            assert_eq!(error.help(), Some("the batch says that it covers the offsets 0 to 0"));
            assert!(records.next().is_none());
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
