//! The columns that come from the record around key and value, or go into it.
//!
//! Agrees with the enumerations `ReadableMetadata` and `WritableMetadata` of `KafkaDynamicSource` and
//! `KafkaDynamicSink`, and with the checks of `DynamicSourceUtils` and `DynamicSinkUtils` of Flink's planner.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::types::{DataType, Field, LogicalType};

use super::cast::{Cast, is_numeric, supports_explicit_cast};
use super::layout::RecordLayout;
use super::settings::Settings;
use super::table::Table;
use super::topics::Topics;

/// A part of a record, besides key and value, that a row can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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

/// Refuses the first metadata column for which `has_cast` says no.
pub(super) fn refuse_without_cast<M>(
    metadata: &[MetadataColumn<M>],
    columns: &[Field],
    has_cast: impl Fn(&MetadataColumn<M>) -> bool,
) -> Result<(), Error> {
    let Some(column) = metadata.iter().find(|column| !has_cast(column)) else { return Ok(()) };
    let declared = &column.data_type.logical_type;
    Err(Error::new(ErrorKind::Table, format!("a metadata column is not cast to {declared}"))
        .in_column(&columns[column.column].name)
        .with_help("declare it with the type that Flink gives it, and cast its values"))
}

/// Refuses what Flink refuses when it compiles the cast.
pub(super) fn refuse_numbers_as_times(
    metadata: &[MetadataColumn<WritableMetadata>],
    columns: &[Field],
) -> Result<(), Error> {
    let is_number = |column: &&MetadataColumn<WritableMetadata>| {
        column.metadata == WritableMetadata::Timestamp && is_numeric(&column.data_type.logical_type)
    };
    let Some(column) = metadata.iter().find(is_number) else { return Ok(()) };
    let message = "The cast from NUMERIC type to TIMESTAMP_LTZ type is not allowed. It's recommended to use \
                   TO_TIMESTAMP_LTZ(numeric_col, precision) instead.";
    Err(Error::new(ErrorKind::Table, message).in_column(&columns[column.column].name))
}

/// A part of a record, besides the columns of key and value, that a row can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReadableMetadata {
    /// `value.*`: what the value's format reads; its place in the format's list.
    Format(usize),
    /// `topic`.
    Topic,
    /// `partition`.
    Partition,
    /// `headers`: of a name that is there twice, the last value.
    Headers,
    /// `header-list`: names and values in order, with duplicates.
    HeaderList,
    /// `leader-epoch`: NULL where the broker does not tell.
    LeaderEpoch,
    /// `offset`.
    Offset,
    /// `timestamp`.
    Timestamp,
    /// `timestamp-type`.
    TimestampType,
}

/// A metadata column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetadataColumn<M> {
    pub(crate) metadata: M,
    /// The column of the row.
    pub(crate) column: usize,
    /// The type as declared.
    pub(crate) data_type: DataType,
    /// The type of the metadata; values are cast if it is another one.
    pub(crate) metadata_type: DataType,
}

impl MetadataColumn<WritableMetadata> {
    /// What makes metadata of the column's values, if there is such a cast.
    pub(crate) fn cast(&self, settings: &Settings) -> Option<Cast> {
        let (from, to) = (&self.data_type.logical_type, &self.metadata_type.logical_type);
        Cast::new(from, to, &settings.local_time_zone, settings.jdk)
    }
}

impl MetadataColumn<ReadableMetadata> {
    /// What makes the column's values of the metadata, if there is such a cast.
    pub(crate) fn cast(&self, settings: &Settings) -> Option<Cast> {
        let (from, to) = (&self.metadata_type.logical_type, &self.data_type.logical_type);
        Cast::new(from, to, &settings.local_time_zone, settings.jdk)
    }
}

/// The metadata that the value's format reads: its place in the format's list, and its column.
///
/// `shifted` puts it where Flink does. Flink counts the columns of key and value together to find where it starts: too
/// far to the right by as many as are in both. The first metadata columns stay NULL, the last values have no column.
pub(super) fn format_metadata(
    layout: &RecordLayout,
    metadata: &[MetadataColumn<ReadableMetadata>],
    shifted: bool,
) -> Vec<(usize, usize)> {
    let of_format = metadata.iter().filter_map(|column| match column.metadata {
        ReadableMetadata::Format(index) => Some((index, column.column)),
        _ => None,
    });
    let mut in_order: Vec<usize> = of_format.clone().map(|(index, _)| index).collect();
    in_order.sort_unstable();
    let physical = layout.columns().len() - metadata.len();
    let in_both = layout.key_columns().len() + layout.value_columns().len() - physical;
    let placed = of_format.filter_map(|(index, column)| {
        let place = in_order.iter().position(|at| *at == index)?;
        Some((in_order[place.checked_sub(if shifted { in_both } else { 0 })?], column))
    });
    placed.collect()
}

/// What a table can say or tell: the key after `METADATA FROM`, and the type that Flink gives it.
pub(super) struct MetadataKey<M> {
    pub(super) key: Cow<'static, str>,
    pub(super) metadata: M,
    pub(super) data_type: DataType,
}

/// What rows written to these topics can say, in Flink's order.
pub(super) fn writable_metadata(topics: &Topics) -> Vec<MetadataKey<WritableMetadata>> {
    let header =
        LogicalType::row([Field::new("key", LogicalType::STRING), Field::new("value", LogicalType::BYTES)]);
    let all = [
        ("topic", WritableMetadata::Topic, LogicalType::STRING.not_null()),
        ("headers", WritableMetadata::Headers, headers().nullable()),
        ("header-list", WritableMetadata::HeaderList, LogicalType::array(header).nullable()),
        ("timestamp", WritableMetadata::Timestamp, LogicalType::TimestampLtz(3).nullable()),
    ];
    let keys = all.into_iter().map(|(key, metadata, data_type)| MetadataKey {
        key: key.into(),
        metadata,
        data_type,
    });
    keys.filter(|key| topics.are_written() || key.metadata != WritableMetadata::Topic).collect()
}

/// What rows whose values have that format can tell, in Flink's order.
pub(super) fn readable_metadata(value: &Format) -> Vec<MetadataKey<ReadableMetadata>> {
    let header = LogicalType::row([
        Field::new("key", LogicalType::STRING.not_null()),
        Field::new("value", LogicalType::BYTES),
    ]);
    let of_format = value.metadata().into_iter().enumerate().map(|(index, (key, data_type))| MetadataKey {
        key: format!("value.{key}").into(),
        metadata: ReadableMetadata::Format(index),
        data_type,
    });
    let of_connector = [
        ("topic", ReadableMetadata::Topic, LogicalType::STRING.not_null()),
        ("partition", ReadableMetadata::Partition, LogicalType::Int.not_null()),
        ("headers", ReadableMetadata::Headers, headers().not_null()),
        ("header-list", ReadableMetadata::HeaderList, LogicalType::array(header.not_null()).not_null()),
        ("leader-epoch", ReadableMetadata::LeaderEpoch, LogicalType::Int.nullable()),
        ("offset", ReadableMetadata::Offset, LogicalType::BigInt.not_null()),
        ("timestamp", ReadableMetadata::Timestamp, LogicalType::TimestampLtz(3).not_null()),
        ("timestamp-type", ReadableMetadata::TimestampType, LogicalType::STRING.not_null()),
    ];
    let of_connector = of_connector.into_iter();
    of_format
        .chain(of_connector.map(|(key, metadata, data_type)| MetadataKey {
            key: key.into(),
            metadata,
            data_type,
        }))
        .collect()
}

fn headers() -> LogicalType {
    LogicalType::map(LogicalType::STRING, LogicalType::BYTES)
}

/// The metadata columns that a sink writes: those that are not VIRTUAL.
pub(super) fn writable_columns(
    table: &Table,
    topics: &Topics,
    value: &Format,
) -> Result<Vec<MetadataColumn<WritableMetadata>>, Error> {
    let writable = writable_metadata(topics);
    let persisted = table.schema().columns().iter().filter(|column| column.is_persisted());
    let mut columns = Vec::new();
    for (index, column) in persisted.enumerate() {
        let (Some(key), Some(data_type)) = (column.metadata_key(), column.data_type()) else { continue };
        let Some(found) = writable.iter().find(|writable| writable.key == key) else {
            let error = invalid_key(table, column.name(), key, "Sink", "writing", &writable);
            let is_readable = readable_metadata(value).iter().any(|readable| readable.key == key);
            return Err(match is_readable {
                true => error.with_help(format!("'{key}' can only be read: write METADATA VIRTUAL")),
                false => error,
            });
        };
        if !supports_explicit_cast(data_type, &found.data_type) {
            let (declared, expected) = (data_type, &found.data_type);
            return Err(invalid_type(table, column.name(), key, declared, "to", expected));
        }
        columns.push(MetadataColumn {
            metadata: found.metadata,
            column: index,
            data_type: data_type.clone(),
            metadata_type: found.data_type.clone(),
        });
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

/// The metadata columns that a source reads: all.
pub(super) fn readable_columns(
    table: &Table,
    value: &Format,
) -> Result<Vec<MetadataColumn<ReadableMetadata>>, Error> {
    let readable = readable_metadata(value);
    let read = table.schema().columns().iter().filter(|column| column.data_type().is_some());
    let mut columns = Vec::new();
    for (index, column) in read.enumerate() {
        let (Some(key), Some(data_type)) = (column.metadata_key(), column.data_type()) else { continue };
        let Some(found) = readable.iter().find(|readable| readable.key == key) else {
            return Err(invalid_key(table, column.name(), key, "Source", "reading", &readable));
        };
        if !supports_explicit_cast(&found.data_type, data_type) {
            // Flink names the two the wrong way round here.
            let (declared, expected) = (&found.data_type, data_type);
            return Err(invalid_type(table, column.name(), key, declared, "from", expected));
        }
        let is_time = matches!(found.data_type.logical_type, LogicalType::TimestampLtz(_));
        if is_time && is_numeric(&data_type.logical_type) {
            return Err(Error::new(
                ErrorKind::Table,
                "The cast from TIMESTAMP_LTZ type to NUMERIC type is not allowed.",
            )
            .in_column(column.name()));
        }
        columns.push(MetadataColumn {
            metadata: found.metadata,
            column: index,
            data_type: data_type.clone(),
            metadata_type: found.data_type.clone(),
        });
    }
    Ok(columns)
}

#[cold]
fn invalid_key<M>(
    table: &Table,
    column: &str,
    key: &str,
    class: &str,
    purpose: &str,
    supported: &[MetadataKey<M>],
) -> Error {
    let keys: Vec<_> = supported.iter().map(|supported| &*supported.key).collect();
    Error::new(
        ErrorKind::Table,
        format!(
            "Invalid metadata key '{key}' in column '{column}' of table '{}'. The DynamicTable{class} class \
             'org.apache.flink.streaming.connectors.kafka.table.KafkaDynamic{class}' supports the following metadata \
             keys for {purpose}:\n{}",
            table.summary_name(),
            keys.join("\n")
        ),
    )
}

#[cold]
fn invalid_type(
    table: &Table,
    column: &str,
    key: &str,
    declared: &DataType,
    direction: &str,
    metadata_type: &DataType,
) -> Error {
    let with_key = if key == column { String::new() } else { format!("with metadata key '{key}' ") };
    Error::new(
        ErrorKind::Table,
        format!(
            "Invalid data type for metadata column '{column}' {with_key}of table '{}'. The column cannot be declared \
             as '{declared:#}' because the type must be castable {direction} metadata type '{metadata_type:#}'.",
            table.summary_name()
        ),
    )
}
