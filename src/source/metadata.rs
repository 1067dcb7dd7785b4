use crate::error::Error;
use crate::record::{ConsumerRecord, Headers};
use crate::row::{Datum, RowBuf, Timestamp};
use crate::table::{MetadataColumn, ReadableMetadata, TableSource, WritableMetadata, no_cast};
use crate::types::LogicalType;

/// A metadata column of the connector, compiled: what of the record it holds.
///
/// Agrees with `KafkaDynamicSource.ReadableMetadata`.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordMetadata {
    column: usize,
    content: Content,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    Topic,
    Partition(Integer),
    /// MAP: of a name that is there twice, the last value.
    Headers,
    HeaderList,
    LeaderEpoch(Integer),
    Offset(Integer),
    Timestamp,
    TimestampType,
}

/// The integer type that a column declares.
#[derive(Clone, Copy, Debug)]
enum Integer {
    Int,
    BigInt,
}

impl RecordMetadata {
    /// `None` for the metadata of a format, which the format reads.
    ///
    /// # Errors
    ///
    /// For a declared type that Flink's planner would cast to: casts are left to the caller, but for integers, and
    /// times with and without zone in UTC.
    pub(super) fn new(metadata: &MetadataColumn<ReadableMetadata>) -> Result<Option<Self>, Error> {
        let declared = &metadata.data_type.logical_type;
        let integer = || match declared {
            LogicalType::Int => Some(Integer::Int),
            LogicalType::BigInt => Some(Integer::BigInt),
            _ => None,
        };
        let fits = |metadata: WritableMetadata, content| metadata.fits(declared).then_some(content);
        let content = match metadata.metadata {
            ReadableMetadata::Format(_) => return Ok(None),
            ReadableMetadata::Topic => fits(WritableMetadata::Topic, Content::Topic),
            ReadableMetadata::Partition => integer().map(Content::Partition),
            ReadableMetadata::Headers => fits(WritableMetadata::Headers, Content::Headers),
            ReadableMetadata::HeaderList => fits(WritableMetadata::HeaderList, Content::HeaderList),
            ReadableMetadata::LeaderEpoch => integer().map(Content::LeaderEpoch),
            ReadableMetadata::Offset => integer().map(Content::Offset),
            ReadableMetadata::Timestamp => fits(WritableMetadata::Timestamp, Content::Timestamp),
            ReadableMetadata::TimestampType => fits(WritableMetadata::Topic, Content::TimestampType),
        };
        let content = content.ok_or_else(|| no_cast(declared))?;
        Ok(Some(Self { column: metadata.column, content }))
    }

    /// Sets the column.
    pub(super) fn fill(self, record: &ConsumerRecord<'_>, row: &mut RowBuf) {
        let datum = match self.content {
            Content::Topic => Datum::String(record.topic),
            Content::Partition(integer) => integer.datum(record.partition.into()),
            Content::Headers => return fill_map(record.headers, row, self.column),
            Content::HeaderList => return fill_list(record.headers, row, self.column),
            Content::LeaderEpoch(integer) => {
                record.leader_epoch.map_or(Datum::Null, |epoch| integer.datum(epoch.into()))
            }
            Content::Offset(integer) => integer.datum(record.offset),
            Content::Timestamp => Datum::Timestamp(Timestamp::from_millis(record.timestamp)),
            Content::TimestampType => Datum::String(record.timestamp_type.name()),
        };
        row.set(self.column, datum);
    }
}

impl Integer {
    fn datum(self, value: i64) -> Datum<'static> {
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "Flink's cast to INT keeps the low bits")]
            Self::Int => Datum::Int(value as i32),
            Self::BigInt => Datum::BigInt(value),
        }
    }
}

/// The metadata that the value's format reads: its place in the format's list, and its column.
///
/// `shifted` puts it where Flink does. Flink counts the columns of key and value together to find where it starts: too
/// far behind by as many as are in both. The first metadata columns stay NULL, the last values have no column.
///
/// # Errors
///
/// For a column of another type than the metadata has: casts are left to the caller.
pub(super) fn format_metadata(source: &TableSource, shifted: bool) -> Result<Vec<(usize, usize)>, Error> {
    let layout = source.layout();
    let of_format = source.metadata_columns().iter().filter_map(|column| match column.metadata {
        ReadableMetadata::Format(index) => Some((index, column)),
        _ => None,
    });
    let mut in_order: Vec<usize> = of_format.clone().map(|(index, _)| index).collect();
    in_order.sort_unstable();
    let physical = layout.columns().len() - source.metadata_columns().len();
    let in_both = layout.key_columns().len() + layout.value_columns().len() - physical;
    let types = layout.value().format.metadata();
    let mut placed = Vec::new();
    for (index, column) in of_format {
        let place = in_order.iter().position(|at| *at == index);
        let place = place.and_then(|place| place.checked_sub(if shifted { in_both } else { 0 }));
        let Some(index) = place.map(|place| in_order[place]) else { continue };
        let declared = &column.data_type.logical_type;
        if !types.get(index).is_some_and(|(_, data_type)| holds(declared, &data_type.logical_type)) {
            return Err(no_cast(declared).in_column(&layout.columns()[column.column].name));
        }
        placed.push((index, column.column));
    }
    Ok(placed)
}

/// Whether a column can have values of the type `of_format` as they are.
fn holds(declared: &LogicalType, of_format: &LogicalType) -> bool {
    match of_format {
        LogicalType::VarChar(_) => matches!(declared, LogicalType::Char(_) | LogicalType::VarChar(_)),
        LogicalType::TimestampLtz(precision) => {
            matches!(declared, LogicalType::Timestamp(has) | LogicalType::TimestampLtz(has) if has >= precision)
        }
        _ => declared == of_format,
    }
}

fn fill_map(headers: Headers<'_>, row: &mut RowBuf, column: usize) {
    let mark = row.begin();
    for header in headers.iter() {
        row.push_str(&header.name());
        row.push(header.value().map_or(Datum::Null, Datum::Bytes));
    }
    let slot = row.unique_map_slot(mark);
    row.store(column, slot);
}

fn fill_list(headers: Headers<'_>, row: &mut RowBuf, column: usize) {
    let mark = row.begin();
    for header in headers.iter() {
        let mark = row.begin();
        row.push_str(&header.name());
        row.push(header.value().map_or(Datum::Null, Datum::Bytes));
        row.end_row(mark);
    }
    let slot = row.array_slot(mark);
    row.store(column, slot);
}
