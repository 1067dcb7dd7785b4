use crate::error::{Error, ErrorKind, Part};
use crate::format::map_slot;
use crate::record::{ConsumerRecord, Headers};
use crate::row::{ChangelogBuf, Datum, Row, RowBuf, Slot, Timestamp};
use crate::table::{Cast, MetadataColumn, Misfit, ReadableMetadata, Settings, TableSource};
use crate::types::LogicalType;

/// A metadata column of the connector, compiled: what of the record it holds.
///
/// Agrees with `KafkaDynamicSource.ReadableMetadata`.
#[derive(Clone, Debug)]
pub(super) struct RecordMetadata {
    column: usize,
    name: Box<str>,
    content: Content,
    cast: Cast,
    /// The type that it is cast to.
    to: LogicalType,
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
    /// What the format has read into the column.
    OfFormat,
}

impl RecordMetadata {
    /// Those of a table.
    pub(super) fn of(source: &TableSource) -> Box<[Self]> {
        let columns = source.metadata_columns().iter();
        let name = |column: usize| source.layout().columns()[column].name.as_str();
        columns.filter_map(|column| Self::new(column, name(column.column), source.settings())).collect()
    }

    /// Sets the columns in each of the rows; in `scratch` it works.
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
        let content = match metadata.metadata {
            ReadableMetadata::Format(_) if matches!(cast, Cast::AsItIs) => return None,
            ReadableMetadata::Format(_) => Content::OfFormat,
            ReadableMetadata::Topic => Content::Topic,
            ReadableMetadata::Partition => Content::Partition,
            ReadableMetadata::Headers => Content::Headers,
            ReadableMetadata::HeaderList => Content::HeaderList,
            ReadableMetadata::LeaderEpoch => Content::LeaderEpoch,
            ReadableMetadata::Offset => Content::Offset,
            ReadableMetadata::Timestamp => Content::Timestamp,
            ReadableMetadata::TimestampType => Content::TimestampType,
        };
        let to = metadata.data_type.logical_type.clone();
        Some(Self { column: metadata.column, name: name.into(), content, cast, to })
    }

    /// Sets the column.
    fn set(&self, record: &ConsumerRecord<'_>, row: &mut RowBuf, scratch: &mut RowBuf) -> Result<(), Error> {
        let is_cast = !matches!(self.cast, Cast::AsItIs);
        let datum = match &self.content {
            Content::Topic => record.topic.map_or(Datum::Null, Datum::String),
            Content::Partition => record.partition.map_or(Datum::Null, Datum::Int),
            Content::Headers if is_cast => held(scratch, |scratch| map_of(record.headers, scratch)),
            Content::HeaderList if is_cast => held(scratch, |scratch| list_of(record.headers, scratch)),
            Content::Headers => {
                let slot = map_of(record.headers, row);
                row.store(self.column, slot);
                return Ok(());
            }
            Content::HeaderList => {
                let slot = list_of(record.headers, row);
                row.store(self.column, slot);
                return Ok(());
            }
            Content::LeaderEpoch => record.leader_epoch.map_or(Datum::Null, Datum::Int),
            Content::Offset => record.offset.map_or(Datum::Null, Datum::BigInt),
            // Kafka's client says "none" as -1, which Flink takes for a time.
            Content::Timestamp => Datum::Timestamp(Timestamp::from_millis(record.timestamp.unwrap_or(-1))),
            Content::TimestampType => Datum::String(record.timestamp_type.as_str()),
            Content::OfFormat => held(scratch, |scratch| scratch.slot_of(row.datum(self.column))),
        };
        let slot = self.cast.slot(datum, row).map_err(|Misfit| self.misfit(datum))?;
        row.store(self.column, slot);
        Ok(())
    }

    #[cold]
    fn misfit(&self, datum: Datum<'_>) -> Error {
        let found = match datum {
            Datum::String(text) => format!("{:?}", text.chars().take(32).collect::<String>()),
            datum => datum.kind().to_string(),
        };
        Error::new(ErrorKind::Data, format!("expected {}, found {found}", self.to))
            .in_column(&self.name)
            .with_part(Part::Value)
    }
}

/// The value of a slot that `make` makes in the scratch.
fn held(scratch: &mut RowBuf, make: impl FnOnce(&mut RowBuf) -> Slot) -> Datum<'_> {
    scratch.reset(1);
    let slot = make(scratch);
    scratch.store(0, slot);
    scratch.at(0)
}

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
