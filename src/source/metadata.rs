use crate::format::map_slot;
use crate::record::{ConsumerRecord, Headers};
use crate::row::{Datum, LocalTimeZone, Row, RowBuf, Timestamp};
use crate::table::{MetadataColumn, ReadableMetadata};
use crate::types::LogicalType;

/// A metadata column of the connector, compiled: what of the record it holds.
///
/// Agrees with `KafkaDynamicSource.ReadableMetadata`.
#[derive(Clone, Debug)]
pub(super) struct RecordMetadata {
    column: usize,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Topic,
    Partition(Integer),
    /// MAP: of a name that is there twice, the last value.
    Headers,
    HeaderList,
    LeaderEpoch(Integer),
    Offset(Integer),
    Timestamp,
    /// The record's time as clocks show it.
    LocalTimestamp(LocalTimeZone),
    TimestampType,
    /// A point in time that the format has read, as clocks show it.
    LocalTimestampOfFormat(LocalTimeZone),
}

/// The integer type that a column declares.
#[derive(Clone, Copy, Debug)]
enum Integer {
    Int,
    BigInt,
}

impl RecordMetadata {
    /// `None` for the metadata of a format, which the format reads, unless it is to be shown in a zone that is not UTC.
    pub(super) fn new(metadata: &MetadataColumn<ReadableMetadata>, zone: &LocalTimeZone) -> Option<Self> {
        let is_local = matches!(metadata.data_type.logical_type, LogicalType::Timestamp(_)) && !zone.is_utc();
        let integer = match metadata.data_type.logical_type {
            LogicalType::Int => Integer::Int,
            _ => Integer::BigInt,
        };
        let content = match metadata.metadata {
            ReadableMetadata::Format(_) if is_local => Content::LocalTimestampOfFormat(zone.clone()),
            ReadableMetadata::Format(_) => return None,
            ReadableMetadata::Topic => Content::Topic,
            ReadableMetadata::Partition => Content::Partition(integer),
            ReadableMetadata::Headers => Content::Headers,
            ReadableMetadata::HeaderList => Content::HeaderList,
            ReadableMetadata::LeaderEpoch => Content::LeaderEpoch(integer),
            ReadableMetadata::Offset => Content::Offset(integer),
            ReadableMetadata::Timestamp if is_local => Content::LocalTimestamp(zone.clone()),
            ReadableMetadata::Timestamp => Content::Timestamp,
            ReadableMetadata::TimestampType => Content::TimestampType,
        };
        Some(Self { column: metadata.column, content })
    }

    /// Sets the column.
    pub(super) fn fill(&self, record: &ConsumerRecord<'_>, row: &mut RowBuf) {
        // Kafka's client says "none" as -1, which Flink takes for a time.
        let timestamp = || Timestamp::from_millis(record.timestamp.unwrap_or(-1));
        let datum = match &self.content {
            Content::Topic => record.topic.map_or(Datum::Null, Datum::String),
            Content::Partition(integer) => integer.datum(record.partition.map(i64::from)),
            Content::Headers => return fill_map(record.headers, row, self.column),
            Content::HeaderList => return fill_list(record.headers, row, self.column),
            Content::LeaderEpoch(integer) => integer.datum(record.leader_epoch.map(i64::from)),
            Content::Offset(integer) => integer.datum(record.offset),
            Content::Timestamp => Datum::Timestamp(timestamp()),
            Content::LocalTimestamp(zone) => Datum::Timestamp(zone.to_local(timestamp())),
            Content::TimestampType => Datum::String(record.timestamp_type.as_str()),
            Content::LocalTimestampOfFormat(zone) => match row.datum(self.column) {
                Datum::Timestamp(instant) => Datum::Timestamp(zone.to_local(instant)),
                _ => return,
            },
        };
        row.set(self.column, datum);
    }
}

impl Integer {
    fn datum(self, value: Option<i64>) -> Datum<'static> {
        match (self, value) {
            (_, None) => Datum::Null,
            #[expect(clippy::cast_possible_truncation, reason = "Flink's cast to INT keeps the low bits")]
            (Self::Int, Some(value)) => Datum::Int(value as i32),
            (Self::BigInt, Some(value)) => Datum::BigInt(value),
        }
    }
}

fn fill_map(headers: Headers<'_>, row: &mut RowBuf, column: usize) {
    let mark = row.begin();
    for header in headers.iter() {
        row.push(Datum::String(&header.name()));
        row.push(header.value().map_or(Datum::Null, Datum::Bytes));
    }
    let slot = map_slot(row, mark);
    row.store(column, slot);
}

fn fill_list(headers: Headers<'_>, row: &mut RowBuf, column: usize) {
    let mark = row.begin();
    for header in headers.iter() {
        let mark = row.begin();
        row.push(Datum::String(&header.name()));
        row.push(header.value().map_or(Datum::Null, Datum::Bytes));
        let slot = row.row_slot(mark);
        row.push_slot(slot);
    }
    let slot = row.array_slot(mark);
    row.store(column, slot);
}
