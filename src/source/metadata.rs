use crate::error::{Error, Part};
use crate::format::map_slot;
use crate::record::{ConsumerRecord, Headers};
use crate::row::{ChangelogBuf, Datum, Row, RowBuf, Slot, Timestamp};
use crate::table::{Cast, MetadataColumn, ReadableMetadata, Settings, TableSource};

/// A metadata column of the connector, compiled: what of the record it holds.
///
/// Agrees with `KafkaDynamicSource.ReadableMetadata`.
#[derive(Clone, Debug)]
pub(super) struct RecordMetadata {
    column: usize,
    name: Box<str>,
    content: Content,
    cast: Cast,
}

#[derive(Clone, Debug)]
enum Content {
    Topic,
    Partition,
    Headers(MakeHeaders),
    HeadersToCast(MakeHeaders),
    LeaderEpoch,
    Offset,
    Timestamp,
    TimestampType,
    /// What the format has read into the column.
    OfFormat,
}

/// Makes a MAP or an ARRAY of headers.
type MakeHeaders = fn(Headers<'_>, &mut RowBuf) -> Slot;

impl RecordMetadata {
    /// Those of a table.
    pub(super) fn of(source: &TableSource) -> Box<[Self]> {
        let columns = source.metadata_columns().iter();
        let name = |column: usize| source.layout().columns()[column].name.as_str();
        columns.filter_map(|column| Self::new(column, name(column.column), source.settings())).collect()
    }

    /// Sets the columns in each of the rows; `scratch` holds values while they are cast.
    ///
    /// # Errors
    ///
    /// For a text that is not of the type that the column declares.
    #[inline]
    pub(super) fn fill(
        columns: &[Self],
        record: &ConsumerRecord<'_>,
        rows: &mut ChangelogBuf,
        scratch: &mut RowBuf,
    ) -> Result<(), Error> {
        if columns.is_empty() {
            return Ok(());
        }
        for (_, row) in rows.iter_mut() {
            columns.iter().try_for_each(|column| column.set(record, row, scratch))?;
        }
        Ok(())
    }

    /// `None` for the metadata of a format that are not cast, which the format reads.
    fn new(metadata: &MetadataColumn<ReadableMetadata>, name: &str, settings: &Settings) -> Option<Self> {
        let cast = metadata.cast(settings)?;
        let is_cast = !matches!(cast, Cast::AsItIs);
        let headers = |make| if is_cast { Content::HeadersToCast(make) } else { Content::Headers(make) };
        let content = match metadata.metadata {
            ReadableMetadata::Format(_) if !is_cast => return None,
            ReadableMetadata::Format(_) => Content::OfFormat,
            ReadableMetadata::Topic => Content::Topic,
            ReadableMetadata::Partition => Content::Partition,
            ReadableMetadata::Headers => headers(map_of),
            ReadableMetadata::HeaderList => headers(list_of),
            ReadableMetadata::LeaderEpoch => Content::LeaderEpoch,
            ReadableMetadata::Offset => Content::Offset,
            ReadableMetadata::Timestamp => Content::Timestamp,
            ReadableMetadata::TimestampType => Content::TimestampType,
        };
        Some(Self { column: metadata.column, name: name.into(), content, cast })
    }

    /// Sets the column.
    fn set(&self, record: &ConsumerRecord<'_>, row: &mut RowBuf, scratch: &mut RowBuf) -> Result<(), Error> {
        let datum = match &self.content {
            Content::Topic => record.topic.map_or(Datum::Null, Datum::String),
            Content::Partition => record.partition.map_or(Datum::Null, Datum::Int),
            Content::Headers(make) => {
                let slot = make(record.headers, row);
                row.store(self.column, slot);
                return Ok(());
            }
            Content::HeadersToCast(make) => held(scratch, |scratch| make(record.headers, scratch)),
            Content::LeaderEpoch => record.leader_epoch.map_or(Datum::Null, Datum::Int),
            Content::Offset => record.offset.map_or(Datum::Null, Datum::BigInt),
            // Kafka's client says "none" as -1, which Flink takes for a time.
            Content::Timestamp => Datum::Timestamp(Timestamp::from_millis(record.timestamp.unwrap_or(-1))),
            Content::TimestampType => Datum::String(record.timestamp_type.as_str()),
            Content::OfFormat => held(scratch, |scratch| scratch.slot_of(row.datum(self.column))),
        };
        let slot = self.cast.slot(datum, row).map_err(|error| self.misfit(error))?;
        row.store(self.column, slot);
        Ok(())
    }

    #[cold]
    fn misfit(&self, error: Error) -> Error {
        let part = match self.content {
            Content::Topic => Part::Topic,
            Content::Headers(_) | Content::HeadersToCast(_) => Part::Headers,
            Content::Timestamp | Content::TimestampType => Part::Timestamp,
            Content::Partition | Content::LeaderEpoch | Content::Offset | Content::OfFormat => Part::Value,
        };
        error.in_column(&self.name).with_part(part)
    }
}

/// The value of a slot that `make` makes in the scratch.
fn held(scratch: &mut RowBuf, make: impl FnOnce(&mut RowBuf) -> Slot) -> Datum<'_> {
    scratch.reset(1);
    let slot = make(scratch);
    scratch.store(0, slot);
    scratch.at(0)
}

/// Of a name that is there twice, the last value.
fn map_of(headers: Headers<'_>, row: &mut RowBuf) -> Slot {
    let mark = row.begin();
    for header in headers.iter() {
        row.push(Datum::String(&header.name()));
        row.push(header.value().map_or(Datum::Null, Datum::Bytes));
    }
    map_slot(row, mark)
}

fn list_of(headers: Headers<'_>, row: &mut RowBuf) -> Slot {
    let mark = row.begin();
    for header in headers.iter() {
        let mark = row.begin();
        row.push(Datum::String(&header.name()));
        row.push(header.value().map_or(Datum::Null, Datum::Bytes));
        let slot = row.row_slot(mark);
        row.push_slot(slot);
    }
    row.array_slot(mark)
}
