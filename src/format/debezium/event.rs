use crate::error::Error;
use crate::format::json::JsonEncoder;
use crate::format::{FormatSettings, Projection};
use crate::row::Row;
use crate::text;
use crate::wire::Buffer;

use super::DebeziumOptions;
use super::connect_schema::{self, quoted};
use super::source::DebeziumSource;

/// A change of a row, with Debezium's `op`.
#[derive(Debug)]
#[non_exhaustive]
pub enum DebeziumChange<'a, R: ?Sized> {
    /// `r`: a row read by a snapshot.
    Read(&'a R),
    /// `c`: an inserted row.
    Create(&'a R),
    /// `u`: an updated row, its key unchanged.
    Update {
        /// The `-U`.
        before: &'a R,
        /// The `+U`.
        after: &'a R,
    },
    /// `d`: a deleted row.
    Delete(&'a R),
}

impl<R: ?Sized> Clone for DebeziumChange<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized> Copy for DebeziumChange<'_, R> {}

impl<'a, R: ?Sized> DebeziumChange<'a, R> {
    /// The row that says what the record's key is.
    pub(crate) fn keyed_row(self) -> &'a R {
        match self {
            Self::Read(row) | Self::Create(row) | Self::Delete(row) | Self::Update { after: row, .. } => row,
        }
    }
}

/// Writes changes as Debezium's connectors do with Kafka Connect's `JsonConverter`; the rows inside as `json` does.
///
/// Agrees with `io.debezium.data.Envelope`.
#[derive(Clone, Debug)]
pub(crate) struct EventWriter {
    row: JsonEncoder,
    /// The schema, if it is written: up to the message.
    schema: Box<[u8]>,
    with_schema: bool,
    /// What follows the image after the change, up to the time.
    source: Box<[u8]>,
    /// What follows `snapshot`, up to the operation.
    place: Box<[u8]>,
}

impl EventWriter {
    /// # Errors
    ///
    /// For a type that JSON does not take.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &DebeziumOptions,
        settings: FormatSettings<'_>,
        source: &DebeziumSource<'_>,
    ) -> Result<Self, Error> {
        let head =
            format!(r#"{{"schema":{},"payload":"#, connect_schema::of_envelope(projection.fields, source));
        let DebeziumSource { version, connector, name, database, schema, table } = source;
        let schema = schema.map_or_else(String::new, |schema| format!(r#""schema":{},"#, quoted(schema)));
        let [version, connector, name, database, table] =
            [version, connector, name, database, table].map(|text| quoted(text));
        let of_source =
            format!(r#","source":{{"version":{version},"connector":{connector},"name":{name},"ts_ms":"#);
        let place = format!(r#"","db":{database},{schema}"table":{table}}},"op":""#);
        Ok(Self {
            row: JsonEncoder::new(projection, &options.json, settings)?,
            schema: head.into_bytes().into(),
            with_schema: false,
            source: of_source.into_bytes().into(),
            place: place.into_bytes().into(),
        })
    }

    /// Writes events with their schema.
    pub(crate) fn enable_schema(&mut self) {
        self.with_schema = true;
    }

    /// Appends the event: `source_ts_ms` is when the row changed, `ts_ms` when that was noticed.
    pub(crate) fn write<R: Row + ?Sized>(
        &self,
        change: DebeziumChange<'_, R>,
        source_ts_ms: i64,
        ts_ms: i64,
        out: &mut Buffer,
    ) -> Result<(), Error> {
        let (before, after, snapshot, operation) = match change {
            DebeziumChange::Read(row) => (None, Some(row), "true", "r"),
            DebeziumChange::Create(row) => (None, Some(row), "false", "c"),
            DebeziumChange::Update { before, after } => (Some(before), Some(after), "false", "u"),
            DebeziumChange::Delete(row) => (Some(row), None, "false", "d"),
        };
        if self.with_schema {
            out.extend_from_slice(&self.schema);
        }
        out.extend_from_slice(br#"{"before":"#);
        self.write_image(before, out)?;
        out.extend_from_slice(br#","after":"#);
        self.write_image(after, out)?;
        out.extend_from_slice(&self.source);
        out.append(|room| text::put_integer(room, source_ts_ms));
        out.extend_from_slice(br#","snapshot":""#);
        out.extend_from_slice(snapshot.as_bytes());
        out.extend_from_slice(&self.place);
        out.extend_from_slice(operation.as_bytes());
        out.extend_from_slice(br#"","ts_ms":"#);
        out.append(|room| text::put_integer(room, ts_ms));
        out.extend_from_slice(if self.with_schema { b"}}" } else { b"}" });
        Ok(())
    }

    fn write_image<R: Row + ?Sized>(&self, row: Option<&R>, out: &mut Buffer) -> Result<(), Error> {
        match row {
            Some(row) => self.row.write(row, out),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    }
}
