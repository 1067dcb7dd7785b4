use crate::error::{Error, ErrorKind};
use crate::record::ConsumerRecord;
use crate::table::{Connector, Settings, Table};

use super::decode_buf::DecodeBuf;
use super::decoded::Decoded;
use super::row_assembler::RowAssembler;

/// Turns the records of an `upsert-kafka` table into rows: `+I` for a value, `-D` with the key's columns for a
/// tombstone.
///
/// A record holds the new row and not the old one: a [`ChangelogNormalizer`](super::ChangelogNormalizer) behind the
/// decoder turns its rows into `+I`, `-U`, `+U` and `-D`. Immutable and `Sync`: threads share one and bring a
/// [`DecodeBuf`] each.
/// Agrees with `UpsertKafkaDynamicTableFactory` and `DynamicKafkaDeserializationSchema`, which announces `+U` and `-D`
/// and delivers `+I` and `-D`.
///
/// ```
/// use upsert_kafka::{ConsumerRecord, Datum, DecodeBuf, Row, RowKind, Settings, Table, UpsertDecoder};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
///        'properties.bootstrap.servers' = 'localhost:9092')",
/// )?;
/// let decoder = UpsertDecoder::new(&table, &Settings::default())?;
/// let mut buf = DecodeBuf::new();
/// let (key, value) = (br#"{"word":"kafka"}"#, br#"{"word":"kafka","n":1}"#);
///
/// decoder.decode(&ConsumerRecord::new(Some(key), Some(value)), &mut buf)?;
/// let (kind, row) = buf.iter().next().expect("an upsert is a row");
/// assert_eq!(kind, RowKind::Insert);
/// assert!(matches!((row.datum(0), row.datum(1)), (Datum::String("kafka"), Datum::BigInt(1))));
///
/// decoder.decode(&ConsumerRecord::new(Some(key), None), &mut buf)?;
/// let (kind, row) = buf.iter().next().expect("a tombstone is a row");
/// assert_eq!(kind, RowKind::Delete);
/// assert!(matches!((row.datum(0), row.datum(1)), (Datum::String("kafka"), Datum::Null)));
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpsertDecoder {
    assembler: RowAssembler,
}

impl UpsertDecoder {
    /// Compiles the key and value plans of `table`.
    ///
    /// # Errors
    ///
    /// Where Flink refuses to read the table, with Flink's message; or for a `kafka` table, which a
    /// [`ChangelogDecoder`](super::ChangelogDecoder) reads.
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        let source = table.source()?;
        if source.layout().connector() != Connector::UpsertKafka {
            return Err(Error::new(
                ErrorKind::Table,
                "UpsertDecoder reads 'upsert-kafka' tables only; for a 'kafka' table use ChangelogDecoder",
            ));
        }
        Ok(Self { assembler: RowAssembler::new(&source, settings)? })
    }

    /// Decodes a record; its rows are then in `buf`, as wide as the table's columns, VIRTUAL metadata included.
    ///
    /// Allocates only while `buf` grows.
    ///
    /// # Errors
    ///
    /// If key or value do not decode: the error names part, column and byte. `buf` then holds no row, and decoder and
    /// buffer stay usable.
    pub fn decode(&self, record: &ConsumerRecord<'_>, buf: &mut DecodeBuf) -> Result<Decoded, Error> {
        self.assembler.decode(record, buf)
    }
}
