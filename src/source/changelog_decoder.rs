use crate::error::{Error, ErrorKind};
use crate::record::ConsumerRecord;
use crate::table::{Connector, Settings, Table};

use super::decode_buf::DecodeBuf;
use super::decoded::Decoded;
use super::row_assembler::RowAssembler;

/// Turns the records of a `kafka` table into rows: only `+I` where the format is insert-only (`json`, `csv`, ...), all
/// four kinds where it is a changelog format (`debezium-json`, `canal-json`, ...).
///
/// Immutable and `Sync`: threads share one and bring a [`DecodeBuf`] each.
/// Agrees with `KafkaDynamicTableFactory` and `DynamicKafkaDeserializationSchema`.
///
/// ```
/// use upsert_kafka::{ChangelogDecoder, ConsumerRecord, DecodeBuf, RowKind, Settings, Table};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'counts',
///        'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset',
///        'format' = 'debezium-json')",
/// )?;
/// let decoder = ChangelogDecoder::new(&table, &Settings::default())?;
/// let event = br#"{"before":{"word":"kafka","n":1},"after":{"word":"kafka","n":2},"op":"u"}"#;
/// let mut buf = DecodeBuf::new();
/// decoder.decode(&ConsumerRecord::new(None, Some(event)), &mut buf)?;
/// let kinds: Vec<_> = buf.iter().map(|(kind, _)| kind).collect();
/// assert_eq!(kinds, [RowKind::UpdateBefore, RowKind::UpdateAfter]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChangelogDecoder {
    assembler: RowAssembler,
}

impl ChangelogDecoder {
    /// Compiles the key and value plans of `table`.
    ///
    /// # Errors
    ///
    /// Where Flink refuses to read the table, with Flink's message; or for an `upsert-kafka` table, which an
    /// [`UpsertDecoder`](super::UpsertDecoder) reads.
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        let source = table.source()?;
        if source.layout().connector() != Connector::Kafka {
            return Err(Error::new(
                ErrorKind::Table,
                "ChangelogDecoder reads 'kafka' tables only; for an 'upsert-kafka' table use UpsertDecoder",
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
