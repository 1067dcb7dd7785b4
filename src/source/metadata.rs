use super::cast::Cast;
use crate::format::map_slot;
use crate::record::{ConsumerRecord, Headers};
use crate::row::{ChangelogBuf, Datum, LocalTimeZone, Row, RowBuf, Timestamp};
use crate::table::{MetadataColumn, ReadableMetadata, TableSource};
use crate::types::LogicalType;

/// A metadata column of the connector, compiled: what of the record it holds.
///
/// Agrees with `KafkaDynamicSource.ReadableMetadata`.
#[derive(Clone, Debug)]
pub(super) struct RecordMetadata {
    column: usize,
    content: Content,
    cast: Cast,
}

#[derive(Clone, Debug)]
enum Content {
    Topic,
    Partition,
    /// MAP: of a name that is there twice, the last value.
    Headers,
    HeaderList,
    LeaderEpoch,
    Offset,
    Timestamp,
    TimestampType,
    /// A point in time that the format has read, as clocks show it.
    LocalTimestampOfFormat(LocalTimeZone),
}

impl RecordMetadata {
    /// Those of a table.
    pub(super) fn of(source: &TableSource) -> Box<[Self]> {
        let zone = &source.settings().local_time_zone;
        source.metadata_columns().iter().filter_map(|column| Self::new(column, zone)).collect()
    }

    /// Sets the columns in each of the rows.
    #[inline]
    pub(super) fn fill(columns: &[Self], record: &ConsumerRecord<'_>, rows: &mut ChangelogBuf) {
        if columns.is_empty() {
            return;
        }
        for (_, row) in rows.iter_mut() {
            columns.iter().for_each(|column| column.set(record, row));
        }
    }

    /// `None` for the metadata of a format, which the format reads, unless it is to be shown in a zone that is not UTC.
    fn new(metadata: &MetadataColumn<ReadableMetadata>, zone: &LocalTimeZone) -> Option<Self> {
        let is_local = matches!(metadata.data_type.logical_type, LogicalType::Timestamp(_)) && !zone.is_utc();
        let content = match metadata.metadata {
            ReadableMetadata::Format(_) if is_local => Content::LocalTimestampOfFormat(zone.clone()),
            ReadableMetadata::Format(_) => return None,
            ReadableMetadata::Topic => Content::Topic,
            ReadableMetadata::Partition => Content::Partition,
            ReadableMetadata::Headers => Content::Headers,
            ReadableMetadata::HeaderList => Content::HeaderList,
            ReadableMetadata::LeaderEpoch => Content::LeaderEpoch,
            ReadableMetadata::Offset => Content::Offset,
            ReadableMetadata::Timestamp => Content::Timestamp,
            ReadableMetadata::TimestampType => Content::TimestampType,
        };
        let cast = Cast::new(&metadata.data_type.logical_type, zone);
        Some(Self { column: metadata.column, content, cast })
    }

    /// Sets the column.
    fn set(&self, record: &ConsumerRecord<'_>, row: &mut RowBuf) {
        let datum = match &self.content {
            Content::Topic => record.topic.map_or(Datum::Null, Datum::String),
            Content::Partition => record.partition.map_or(Datum::Null, Datum::Int),
            Content::Headers => return fill_map(record.headers, row, self.column),
            Content::HeaderList => return fill_list(record.headers, row, self.column),
            Content::LeaderEpoch => record.leader_epoch.map_or(Datum::Null, Datum::Int),
            Content::Offset => record.offset.map_or(Datum::Null, Datum::BigInt),
            // Kafka's client says "none" as -1, which Flink takes for a time.
            Content::Timestamp => Datum::Timestamp(Timestamp::from_millis(record.timestamp.unwrap_or(-1))),
            Content::TimestampType => Datum::String(record.timestamp_type.as_str()),
            Content::LocalTimestampOfFormat(zone) => match row.datum(self.column) {
                Datum::Timestamp(instant) => {
                    let local = zone.to_local(instant);
                    return row.set(self.column, Datum::Timestamp(local));
                }
                _ => return,
            },
        };
        self.cast.set(datum, row, self.column);
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
