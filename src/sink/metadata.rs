use crate::error::{Error, ErrorKind, Part};
use crate::record::HeadersBuf;
use crate::row::{Datum, DatumKind, Entries, LocalTimeZone, Row, Values};
use crate::table::{TableSink, WritableMetadata};
use crate::types::LogicalType;

/// Where a row holds the metadata that its record is written with.
///
/// Agrees with `KafkaDynamicSink.WritableMetadata`; a NULL leaves the metadata out.
#[derive(Clone, Debug)]
pub(super) struct MetadataColumns {
    topic: Option<MetadataColumn>,
    timestamp: Option<MetadataColumn>,
    /// The zone of the timestamp, if it is a local one and the zone is not UTC.
    local_time_zone: Option<LocalTimeZone>,
    /// `headers`: MAP<STRING, BYTES>.
    headers: Option<MetadataColumn>,
    /// `header-list`: ARRAY<ROW<STRING, BYTES>>.
    header_list: Option<MetadataColumn>,
}

/// A metadata column: its position in the row and its name.
#[derive(Clone, Debug)]
struct MetadataColumn {
    position: usize,
    name: Box<str>,
}

impl MetadataColumn {
    #[cold]
    fn mismatch(&self, part: Part, expected: DatumKind, found: Datum<'_>) -> Error {
        expected.mismatch(found.kind()).in_column(&self.name).with_part(part)
    }

    #[cold]
    fn before_the_epoch(&self, millis: i64) -> Error {
        let message =
            format!("Invalid timestamp: {millis}. Timestamp should always be non-negative or null.");
        Error::new(ErrorKind::Row, message).in_column(&self.name).with_part(Part::Timestamp)
    }
}

impl MetadataColumns {
    pub(super) fn new(sink: &TableSink) -> Self {
        let column = |metadata: WritableMetadata| {
            let position = sink.metadata_column(metadata)?;
            let name = sink.layout().columns()[position].name.as_str().into();
            Some(MetadataColumn { position, name })
        };
        let timestamp = column(WritableMetadata::Timestamp);
        let is_local = timestamp.as_ref().is_some_and(|column| {
            let data_type = &sink.layout().columns()[column.position].data_type;
            matches!(data_type.logical_type, LogicalType::Timestamp(_))
        });
        let zone = &sink.settings().local_time_zone;
        Self {
            topic: column(WritableMetadata::Topic),
            timestamp,
            local_time_zone: (is_local && !zone.is_utc()).then(|| zone.clone()),
            headers: column(WritableMetadata::Headers),
            header_list: column(WritableMetadata::HeaderList),
        }
    }

    /// The row's `topic`, if the table has such a column and it is not NULL.
    pub(super) fn topic<'r, R: Row + ?Sized>(&self, row: &'r R) -> Result<Option<&'r str>, Error> {
        let Some(column) = &self.topic else { return Ok(None) };
        match row.datum(column.position) {
            Datum::Null => Ok(None),
            Datum::String(topic) => Ok(Some(topic)),
            found => Err(column.mismatch(Part::Topic, DatumKind::String, found)),
        }
    }

    /// The row's `timestamp` in milliseconds, what is below them dropped.
    #[inline]
    pub(super) fn timestamp<R: Row + ?Sized>(&self, row: &R) -> Result<Option<i64>, Error> {
        let Some(column) = &self.timestamp else { return Ok(None) };
        let timestamp = match row.datum(column.position) {
            Datum::Null => return Ok(None),
            Datum::Timestamp(timestamp) => timestamp,
            found => return Err(column.mismatch(Part::Timestamp, DatumKind::Timestamp, found)),
        };
        let millis = match &self.local_time_zone {
            None => timestamp.millis(),
            Some(zone) => zone.to_instant(timestamp).millis(),
        };
        if millis < 0 { Err(column.before_the_epoch(millis)) } else { Ok(Some(millis)) }
    }

    /// Appends the row's headers. Entries without a name are skipped, values may be null.
    #[inline]
    pub(super) fn headers<R: Row + ?Sized>(&self, row: &R, out: &mut HeadersBuf) -> Result<(), Error> {
        if let Some(column) = &self.headers {
            match row.datum(column.position) {
                Datum::Null => {}
                Datum::Map(entries) => push_map(column, entries, out)?,
                found => return Err(column.mismatch(Part::Headers, DatumKind::Map, found)),
            }
        }
        if let Some(column) = &self.header_list {
            match row.datum(column.position) {
                Datum::Null => {}
                Datum::Array(rows) => push_rows(column, rows, out)?,
                found => return Err(column.mismatch(Part::Headers, DatumKind::Array, found)),
            }
        }
        Ok(())
    }
}

fn push_map(column: &MetadataColumn, entries: Entries<'_>, out: &mut HeadersBuf) -> Result<(), Error> {
    entries.iter().try_for_each(|(name, value)| push(column, name, value, out))
}

fn push_rows(column: &MetadataColumn, rows: Values<'_>, out: &mut HeadersBuf) -> Result<(), Error> {
    rows.iter().try_for_each(|row| match row {
        Datum::Null => Ok(()),
        Datum::Row(header) => push(column, header.value(0), header.value(1), out),
        found => Err(column.mismatch(Part::Headers, DatumKind::Row, found)),
    })
}

fn push(
    column: &MetadataColumn,
    name: Datum<'_>,
    value: Datum<'_>,
    out: &mut HeadersBuf,
) -> Result<(), Error> {
    let name = match name {
        Datum::Null => return Ok(()),
        Datum::String(name) => name,
        found => return Err(column.mismatch(Part::Headers, DatumKind::String, found)),
    };
    match value {
        Datum::Null => out.push(name, None),
        Datum::Bytes(value) => out.push(name, Some(value)),
        found => return Err(column.mismatch(Part::Headers, DatumKind::Bytes, found)),
    }
    Ok(())
}
