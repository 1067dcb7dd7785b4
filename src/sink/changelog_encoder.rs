use crate::error::{Error, ErrorKind};
use crate::record::Record;
use crate::row::{Row, RowKind};
use crate::table::{Connector, Settings, Table};

use super::record_buf::RecordBuf;
use super::record_codec::RecordCodec;

/// Turns rows into the records of a `kafka` table: a log of inserts (`json`, `csv`, ...) or of changes
/// (`debezium-json`, `canal-json`, ...). No tombstones.
///
/// Immutable and `Sync`: threads share one and bring a [`RecordBuf`] each.
/// Agrees with `KafkaDynamicTableFactory` and `DynamicKafkaRecordSerializationSchema`.
///
/// ```
/// use upsert_kafka::{ChangelogEncoder, Datum, RecordBuf, RowKind, Settings, Table};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'counts',
///        'properties.bootstrap.servers' = 'localhost:9092', 'format' = 'debezium-json')",
/// )?;
/// let encoder = ChangelogEncoder::new(&table, &Settings::default())?;
/// let mut buf = RecordBuf::new();
/// let row = [Datum::String("kafka"), Datum::BigInt(1)];
/// let record = encoder.encode(RowKind::Delete, &row, &mut buf)?.expect("a delete is a record");
/// assert_eq!(record.key, None); // no 'key.fields'
/// assert_eq!(record.value, Some(&br#"{"before":{"word":"kafka","n":1},"after":null,"op":"d"}"#[..]));
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChangelogEncoder {
    codec: RecordCodec,
    takes_retractions: bool,
}

impl ChangelogEncoder {
    /// Compiles the key and value plans of `table`.
    ///
    /// # Errors
    ///
    /// Where Flink refuses to write to the table, with Flink's message; or for an `upsert-kafka` table, whose rows
    /// an [`UpsertEncoder`](super::UpsertEncoder) writes.
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        let sink = table.sink()?;
        if sink.layout().connector() != Connector::Kafka {
            return Err(Error::new(
                ErrorKind::Table,
                "ChangelogEncoder writes 'kafka' tables only; for an 'upsert-kafka' table use UpsertEncoder",
            ));
        }
        Ok(Self {
            codec: RecordCodec::new(&sink, settings)?,
            takes_retractions: settings.unchecked_kinds || !sink.layout().value().format.insert_only(),
        })
    }

    /// The record of a change, lent from `buf`; `None` for a row that the NOT NULL enforcer drops.
    ///
    /// One pass over the row and one copy of its values; allocates only while `buf` grows.
    ///
    /// # Errors
    ///
    /// If the row does not fit the table, or is a `-U` or `-D` and the format is insert-only, unless
    /// [`Settings::unchecked_kinds`] asks for the bytes that Flink then writes: those of an insert.
    #[inline]
    pub fn encode<'b, R: Row + ?Sized>(
        &self,
        kind: RowKind,
        row: &R,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error> {
        if kind.is_retraction() && !self.takes_retractions {
            return Err(Error::new(
                ErrorKind::Row,
                format!("the value format takes inserts only, found {}", kind.name()),
            ));
        }
        self.codec.encode(kind, false, row, buf)
    }
}
