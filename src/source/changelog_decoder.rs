use crate::error::{Error, ErrorKind};
use crate::record::ConsumerRecord;
use crate::table::{Connector, Settings, Table};

use super::decode_buf::DecodeBuf;
use super::decoded::Decoded;
use super::row_assembler::RowAssembler;

/// Turns the records of a `kafka` table into rows: `+I` where the format knows inserts only (`json`, `csv`, ...), all
/// four kinds where it knows changes (`debezium-json`, `canal-json`, ...).
///
/// Immutable and `Sync`: threads share one and bring a [`DecodeBuf`] each.
/// Agrees with `KafkaDynamicTableFactory` and `DynamicKafkaDeserializationSchema`.
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
