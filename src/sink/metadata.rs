use crate::error::{Error, ErrorKind, Part};
use crate::record::HeadersBuf;
use crate::row::{Datum, DatumKind, Entries, Row, RowBuf, Values};
use crate::table::{Cast, TableSink, WritableMetadata, kind_of};
use crate::text;
use crate::types::LogicalType;

/// Where a row holds the metadata that its record is written with.
///
/// Agrees with `KafkaDynamicSink.WritableMetadata`; a NULL leaves the metadata out.
#[derive(Clone, Debug)]
pub(super) struct MetadataColumns {
    topic: Option<MetadataColumn>,
    timestamp: Option<MetadataColumn>,
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
    /// Of what kind the column's values are.
    declared: Option<DatumKind>,
    /// None where the column's values are the metadata's.
    cast: Option<Cast>,
}

impl MetadataColumn {
    /// The row's value, cast to the type of the metadata: in `scratch`, if it needs room.
    #[inline]
    fn datum<'r, R: Row + ?Sized>(
        &self,
        part: Part,
        row: &'r R,
        scratch: &'r mut RowBuf,
    ) -> Result<Datum<'r>, Error> {
        match &self.cast {
            None => Ok(row.datum(self.position)),
            Some(cast) => self.cast_datum(cast, part, row.datum(self.position), scratch),
        }
    }

    #[inline(never)]
    fn cast_datum<'r>(
        &self,
        cast: &Cast,
        part: Part,
        value: Datum<'_>,
        scratch: &'r mut RowBuf,
    ) -> Result<Datum<'r>, Error> {
        match self.declared {
            Some(declared) if !matches!(value, Datum::Null) && value.kind() != declared => {
                return Err(self.mismatch(part, declared, value));
            }
            _ => {}
        }
        scratch.reset(1);
        let slot = cast.slot(value, scratch).map_err(|error| self.misfit(part, value, error))?;
        scratch.store(0, slot);
        Ok(scratch.at(0))
    }

    /// Texts as times are all that a cast to metadata refuses.
    #[cold]
    fn misfit(&self, part: Part, value: Datum<'_>, error: Error) -> Error {
        let error = match value {
            Datum::String(text) => {
                let message = format!("expected a point in time, found {}", text::shown(text));
                Error::new(ErrorKind::Row, message)
            }
            _ => error,
        };
        error.in_column(&self.name).with_part(part)
    }

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
            let column = sink.metadata_columns().iter().find(|column| column.metadata == metadata)?;
            let name = sink.layout().columns()[column.column].name.as_str().into();
            let logical_type = &column.data_type.logical_type;
            // What is below the milliseconds of a timestamp is dropped in any case.
            let is_instant = metadata == WritableMetadata::Timestamp
                && match logical_type {
                    LogicalType::TimestampLtz(_) => true,
                    LogicalType::Timestamp(_) => sink.settings().local_time_zone.is_utc(),
                    _ => false,
                };
            let cast =
                column.cast(sink.settings()).filter(|cast| !is_instant && !matches!(cast, Cast::AsItIs));
            Some(MetadataColumn { position: column.column, name, declared: kind_of(logical_type), cast })
        };
        Self {
            topic: column(WritableMetadata::Topic),
            timestamp: column(WritableMetadata::Timestamp),
            headers: column(WritableMetadata::Headers),
            header_list: column(WritableMetadata::HeaderList),
        }
    }

    /// Whether the table has no such column.
    pub(super) fn is_empty(&self) -> bool {
        self.topic.is_none()
            && self.timestamp.is_none()
            && self.headers.is_none()
            && self.header_list.is_none()
    }

    /// The row's `topic`, if the table has such a column and it is not NULL.
    pub(super) fn topic<'r, R: Row + ?Sized>(
        &self,
        row: &'r R,
        scratch: &'r mut RowBuf,
    ) -> Result<Option<&'r str>, Error> {
        let Some(column) = &self.topic else { return Ok(None) };
        match column.datum(Part::Topic, row, scratch)? {
            Datum::Null => Ok(None),
            Datum::String(topic) => Ok(Some(topic)),
            found => Err(column.mismatch(Part::Topic, DatumKind::String, found)),
        }
    }

    /// The row's `timestamp` in milliseconds, what is below them dropped.
    #[inline]
    pub(super) fn timestamp<R: Row + ?Sized>(
        &self,
        row: &R,
        scratch: &mut RowBuf,
    ) -> Result<Option<i64>, Error> {
        let Some(column) = &self.timestamp else { return Ok(None) };
        let timestamp = match column.datum(Part::Timestamp, row, scratch)? {
            Datum::Null => return Ok(None),
            Datum::Timestamp(timestamp) => timestamp,
            found => return Err(column.mismatch(Part::Timestamp, DatumKind::Timestamp, found)),
        };
        let millis = timestamp.millis();
        if millis < 0 { Err(column.before_the_epoch(millis)) } else { Ok(Some(millis)) }
    }

    /// Appends the row's headers. Entries without a name are skipped, values may be null.
    #[inline]
    pub(super) fn headers<R: Row + ?Sized>(
        &self,
        row: &R,
        out: &mut HeadersBuf,
        scratch: &mut RowBuf,
    ) -> Result<(), Error> {
        if let Some(column) = &self.headers {
            match column.datum(Part::Headers, row, scratch)? {
                Datum::Null => {}
                Datum::Map(entries) => push_map(column, entries, out)?,
                found => return Err(column.mismatch(Part::Headers, DatumKind::Map, found)),
            }
        }
        if let Some(column) = &self.header_list {
            match column.datum(Part::Headers, row, scratch)? {
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
