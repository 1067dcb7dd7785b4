//! The columns that come from the record around key and value, or go into it.
//!
//! Agrees with the enumerations `ReadableMetadata` and `WritableMetadata` of `KafkaDynamicSource` and
//! `KafkaDynamicSink`, and with the checks of `DynamicSourceUtils` and `DynamicSinkUtils` of Flink's planner.

use crate::error::{Error, ErrorKind};
use crate::types::{DataType, Field, LogicalType, RowType};

use super::Table;
use super::topics::Topics;

/// A part of a record, besides key and value, that a row can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WritableMetadata {
    /// `topic`: the topic the record goes to; where the table has several.
    Topic,
    /// `headers`: a map of names and values.
    Headers,
    /// `header-list`: names and values in order, with duplicates.
    HeaderList,
    /// `timestamp`: the record's time.
    Timestamp,
}

impl WritableMetadata {
    const ALL: [Self; 4] = [Self::Topic, Self::Headers, Self::HeaderList, Self::Timestamp];

    /// The metadata key, as `METADATA FROM` names it.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Headers => "headers",
            Self::HeaderList => "header-list",
            Self::Timestamp => "timestamp",
        }
    }

    /// The type in which Flink hands it to the connector.
    #[must_use]
    pub fn data_type(self) -> DataType {
        match self {
            Self::Topic => LogicalType::STRING.not_null(),
            Self::Headers => headers(),
            Self::HeaderList => header_list(LogicalType::STRING.nullable(), true),
            Self::Timestamp => LogicalType::TimestampLtz(3).nullable(),
        }
    }

    /// What rows of a table with these topics can say, in Flink's order.
    pub(super) fn of(topics: &Topics) -> impl Iterator<Item = Self> {
        let skipped = usize::from(!topics.are_written());
        Self::ALL.into_iter().skip(skipped)
    }
}

/// `MAP<STRING, BYTES>`.
fn headers() -> DataType {
    let (key, value) = (LogicalType::STRING.nullable(), LogicalType::BYTES.nullable());
    LogicalType::Map(Box::new(key), Box::new(value)).nullable()
}

/// `ARRAY<ROW<key STRING, value BYTES>>`.
fn header_list(key: DataType, nullable_element: bool) -> DataType {
    let header = RowType::new(vec![Field::new("key", key), Field::new("value", LogicalType::BYTES)]);
    let element = DataType { logical_type: LogicalType::Row(header), nullable: nullable_element };
    LogicalType::Array(Box::new(element)).nullable()
}

/// A metadata column that a sink writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WritableColumn {
    pub(crate) metadata: WritableMetadata,
    /// The column of the row that is written.
    pub(crate) column: usize,
}

/// The metadata columns that a sink writes.
pub(super) fn writable_columns(table: &Table, topics: &Topics) -> Result<Vec<WritableColumn>, Error> {
    let persisted = table.schema().columns().iter().filter(|column| column.is_persisted()).enumerate();
    let mut columns: Vec<WritableColumn> = Vec::new();
    for (index, column) in persisted {
        let Some(key) = column.metadata_key() else { continue };
        let Some(metadata) = WritableMetadata::of(topics).find(|metadata| metadata.key() == key) else {
            let keys: Vec<_> = WritableMetadata::of(topics).map(WritableMetadata::key).collect();
            return Err(Error::new(
                ErrorKind::Table,
                format!(
                    "Invalid metadata key '{key}' in column '{}' of table '{}'. The DynamicTableSink class \
                     'org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink' supports the following \
                     metadata keys for writing:\n{}",
                    column.name(),
                    table.summary_name(),
                    keys.join("\n")
                ),
            ));
        };
        columns.push(WritableColumn { metadata, column: index });
    }
    let is_written = |metadata| columns.iter().any(|column| column.metadata == metadata);
    if is_written(WritableMetadata::Headers) && is_written(WritableMetadata::HeaderList) {
        return Err(Error::new(
            ErrorKind::Table,
            "The writable metadata is ambiguous. Please use either metadata key 'headers' or 'header-list'.",
        ));
    }
    Ok(columns)
}
