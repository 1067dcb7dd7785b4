//! The fixed part of a RecordBatch v2, drawn once for writer and reader. All numbers are big-endian.
//!
//! ```text
//!  0  base offset            i64
//!  8  length                 i32   of what follows it: the whole batch less 12
//! 12  partition leader epoch i32
//! 16  magic                  i8    2
//! 17  CRC-32C                u32   of everything after it
//! 21  attributes             i16   bits 0-2 compression, 3 timestamp type, 4 transactional, 5 control,
//!                                  6 delete horizon
//! 23  last offset delta      i32
//! 27  base timestamp         i64   of the first record
//! 35  max timestamp          i64
//! 43  producer id            i64
//! 51  producer epoch         i16
//! 53  base sequence          i32
//! 57  record count           i32
//! 61  records, each          varint length, i8 attributes (0), varlong timestamp delta, varint offset delta,
//!                            varint key length or -1, key, varint value length or -1, value,
//!                            varint header count, and a header: varint, name, varint or -1, value
//! ```
//!
//! Agrees with `DefaultRecordBatch.writeHeader` and `DefaultRecord.writeTo`.

use super::{Producer, TimestampType};
use crate::wire::{Cursor, crc32c};

/// The bytes in front of the records.
pub(super) const HEADER_LEN: usize = 61;
/// The bytes of base offset and length, which the length does not count.
pub(super) const LOG_OVERHEAD: usize = 12;
/// Where the attributes start, the first byte under the CRC.
pub(super) const ATTRIBUTES: usize = 21;
/// The only magic there has been since Kafka 0.11.
pub(super) const MAGIC: u8 = 2;
/// Offset, length and magic have this place in the older formats too.
pub(super) const MAGIC_OFFSET: usize = 16;
/// The least that the length of a message of format v0 can be: `LegacyRecord.RECORD_OVERHEAD_V0`.
pub(super) const MIN_MESSAGE_LEN: usize = 14;

/// The timestamp of a record that has none.
pub(crate) const NO_TIMESTAMP: i64 = -1;
/// Producer id, epoch and sequence of a producer without, and the epoch of an unknown leader.
pub(super) const NONE: i8 = -1;

pub(super) const COMPRESSION_MASK: i16 = 0x07;
pub(super) const LOG_APPEND_TIME: i16 = 0x08;
pub(super) const TRANSACTIONAL: i16 = 0x10;
pub(super) const CONTROL: i16 = 0x20;
pub(super) const DELETE_HORIZON: i16 = 0x40;

/// The fields of the header that do not follow from the bytes around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BatchHeader {
    pub(super) base_offset: i64,
    pub(super) partition_leader_epoch: i32,
    pub(super) attributes: i16,
    pub(super) last_offset_delta: i32,
    pub(super) base_timestamp: i64,
    pub(super) max_timestamp: i64,
    pub(super) producer_id: i64,
    pub(super) producer_epoch: i16,
    pub(super) base_sequence: i32,
    pub(super) record_count: i32,
}

impl BatchHeader {
    /// Writes the header in front of the records, into the first [`HEADER_LEN`] bytes of `batch`, whose length
    /// fits into 31 bits.
    pub(super) fn write(&self, batch: &mut [u8]) {
        let length = i32::try_from(batch.len() - LOG_OVERHEAD).unwrap_or(i32::MAX);
        let mut header = [0; HEADER_LEN];
        header[0..8].copy_from_slice(&self.base_offset.to_be_bytes());
        header[8..12].copy_from_slice(&length.to_be_bytes());
        header[12..16].copy_from_slice(&self.partition_leader_epoch.to_be_bytes());
        header[MAGIC_OFFSET] = MAGIC;
        header[21..23].copy_from_slice(&self.attributes.to_be_bytes());
        header[23..27].copy_from_slice(&self.last_offset_delta.to_be_bytes());
        header[27..35].copy_from_slice(&self.base_timestamp.to_be_bytes());
        header[35..43].copy_from_slice(&self.max_timestamp.to_be_bytes());
        header[43..51].copy_from_slice(&self.producer_id.to_be_bytes());
        header[51..53].copy_from_slice(&self.producer_epoch.to_be_bytes());
        header[53..57].copy_from_slice(&self.base_sequence.to_be_bytes());
        header[57..61].copy_from_slice(&self.record_count.to_be_bytes());
        batch[..HEADER_LEN].copy_from_slice(&header);
        let crc = crc32c(&batch[ATTRIBUTES..]);
        batch[17..21].copy_from_slice(&crc.to_be_bytes());
    }

    /// Reads the CRC and the header at the start of `batch`, unchecked.
    pub(super) fn read(batch: &[u8]) -> Option<(u32, Self)> {
        let mut cursor = Cursor::new(batch);
        let base_offset = i64::from_be_bytes(cursor.array()?);
        cursor.take(4)?; // the length
        let partition_leader_epoch = i32::from_be_bytes(cursor.array()?);
        cursor.take(1)?; // the magic
        let crc = u32::from_be_bytes(cursor.array()?);
        let header = Self {
            base_offset,
            partition_leader_epoch,
            attributes: i16::from_be_bytes(cursor.array()?),
            last_offset_delta: i32::from_be_bytes(cursor.array()?),
            base_timestamp: i64::from_be_bytes(cursor.array()?),
            max_timestamp: i64::from_be_bytes(cursor.array()?),
            producer_id: i64::from_be_bytes(cursor.array()?),
            producer_epoch: i16::from_be_bytes(cursor.array()?),
            base_sequence: i32::from_be_bytes(cursor.array()?),
            record_count: i32::from_be_bytes(cursor.array()?),
        };
        Some((crc, header))
    }

    /// The header of bytes that are one whole batch, by their length and their magic.
    pub(super) fn of_batch(batch: &[u8]) -> Option<Self> {
        let length = batch.get(8..LOG_OVERHEAD)?.try_into().map(i32::from_be_bytes).ok()?;
        let is_whole = usize::try_from(length).is_ok_and(|length| length + LOG_OVERHEAD == batch.len());
        let is_batch = is_whole && batch.get(MAGIC_OFFSET) == Some(&MAGIC);
        Self::read(batch).filter(|_| is_batch).map(|(_, header)| header)
    }

    pub(super) fn last_offset(&self) -> i64 {
        self.base_offset.wrapping_add(self.last_offset_delta.into())
    }

    pub(super) fn is_control(&self) -> bool {
        self.attributes & CONTROL != 0
    }

    pub(super) fn producer(&self) -> Option<Producer> {
        (self.producer_id >= 0).then_some(Producer {
            id: self.producer_id,
            epoch: self.producer_epoch,
            sequence: self.base_sequence,
            transactional: self.attributes & TRANSACTIONAL != 0,
        })
    }

    pub(super) fn set_producer(&mut self, producer: Producer) {
        self.producer_id = producer.id;
        self.producer_epoch = producer.epoch;
        self.base_sequence = producer.sequence;
        self.attributes &= !TRANSACTIONAL;
        if producer.transactional {
            self.attributes |= TRANSACTIONAL;
        }
    }

    pub(super) fn leader_epoch(&self) -> Option<i32> {
        Some(self.partition_leader_epoch).filter(|epoch| *epoch >= 0)
    }

    pub(super) fn timestamp_type(&self) -> TimestampType {
        if self.attributes & LOG_APPEND_TIME != 0 {
            TimestampType::LogAppendTime
        } else {
            TimestampType::CreateTime
        }
    }
}
