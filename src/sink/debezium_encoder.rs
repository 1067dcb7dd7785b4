use crate::error::{Error, ErrorKind};
use crate::format::{DebeziumChange, DebeziumSource, Encoded, EventWriter, Format};
use crate::record::Record;
use crate::row::Row;
use crate::table::{Connector, TableSink};

use super::encoder::Encoder;
use super::record_buf::RecordBuf;

/// Turns changes into the records that Debezium itself writes through Kafka Connect's `JsonConverter`.
///
/// Flink's `debezium-json`, which the table's [`Encoder`] writes, splits an update into a delete
/// and an insert and has no `source`. These events have `before` and `after` of an update, `source`, `ts_ms` and, with
/// [`with_schema`](Self::with_schema), their schema; Flink reads them, those with a schema under `schema-include`. Rows
/// are written as the table's options say: dates and times are texts. Keys come from the key's format, without a schema.
///
/// Debezium writes a changed key as [`Delete`](DebeziumChange::Delete) and [`Create`](DebeziumChange::Create), and sends
/// a [`Record::tombstone`] of the key after each delete; both are left to the caller.
///
/// It is used as the [`Encoder`] is, down to the same [`RecordBuf`] and answer, and is no case of it: an event takes two
/// rows and two times where a change of a changelog takes a kind and a row.
///
/// ```
/// use upsert_kafka::{Datum, RecordBuf, Settings, Table};
/// use upsert_kafka::format::{DebeziumChange, DebeziumSource};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE customers (id INT NOT NULL, name STRING) WITH ('connector' = 'kafka', 'topic' = 'customers',
///        'properties.bootstrap.servers' = 'localhost:9092', 'value.format' = 'debezium-json')",
/// )?;
/// let source = DebeziumSource {
///     version: "3.0.5.Final",
///     connector: "postgresql",
///     name: "shop",
///     database: "inventory",
///     schema: Some("public"),
///     table: "customers",
/// };
/// let encoder = table.sink(&Settings::default())?.debezium_encoder(&source)?;
/// let before = [Datum::Int(1), Datum::String("Anne")];
/// let after = [Datum::Int(1), Datum::String("Anna")];
/// let change = DebeziumChange::Update { before: &before, after: &after };
/// let mut buf = RecordBuf::new();
/// let record = encoder.encode(change, 1_714_000_000_000, 1_714_000_000_142, &mut buf)?.unwrap();
/// assert_eq!(
///     std::str::from_utf8(record.value.unwrap()).unwrap(),
///     concat!(
///         r#"{"before":{"id":1,"name":"Anne"},"after":{"id":1,"name":"Anna"},"source":{"version":"3.0.5.Final","#,
///         r#""connector":"postgresql","name":"shop","ts_ms":1714000000000,"snapshot":"false","db":"inventory","#,
///         r#""schema":"public","table":"customers"},"op":"u","ts_ms":1714000000142}"#
///     )
/// );
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DebeziumEncoder {
    encoder: Encoder,
    events: EventWriter,
}

impl TableSink {
    /// What turns changes into Debezium's own events, without their schema: as with `schemas.enable=false`.
    ///
    /// # Errors
    ///
    /// If it is no `kafka` table with the value format `debezium-json`.
    pub fn debezium_encoder(&self, source: &DebeziumSource<'_>) -> Result<DebeziumEncoder, Error> {
        let value = self.layout().value();
        let (Connector::Kafka, Format::DebeziumJson(options)) = (self.layout().connector(), &value.format)
        else {
            return Err(Error::new(
                ErrorKind::Table,
                "a DebeziumEncoder writes 'kafka' tables with the value format 'debezium-json'",
            ));
        };
        let format_settings = self.settings().format_settings();
        Ok(DebeziumEncoder {
            encoder: self.encoder(),
            events: EventWriter::new(value.projection(), options, format_settings, source)?,
        })
    }
}

impl DebeziumEncoder {
    /// The same for events with their schema, `{"schema": ..., "payload": ...}`: as with `schemas.enable=true`.
    #[must_use]
    pub fn with_schema(mut self) -> Self {
        self.events.enable_schema();
        self
    }

    /// The record of a change, lent from `buf`; `None` for a row that the NOT NULL enforcer drops.
    ///
    /// `source_ts_ms` is when the row changed, `ts_ms` when that was noticed, both in milliseconds since the epoch. Key
    /// and metadata columns are those of the later row. Allocates only while `buf` grows.
    ///
    /// # Errors
    ///
    /// If a row does not fit the table. The encoder stays usable.
    pub fn encode<'b, R: Row + ?Sized>(
        &self,
        change: DebeziumChange<'_, R>,
        source_ts_ms: i64,
        ts_ms: i64,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error> {
        self.encoder.encode_with(change.keyed_row(), buf, |out| {
            self.events.write(change, source_ts_ms, ts_ms, out)?;
            Ok(Encoded::Bytes)
        })
    }
}
