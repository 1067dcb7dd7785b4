//! The encoder and the decoder of a table, whichever connector it has.

use upsert_kafka::{
    ChangelogDecoder, ChangelogEncoder, Connector, ConsumerRecord, DecodeBuf, Decoded, Error, Record,
    RecordBuf, RecordEncoder, Row, RowKind, Settings, Table, UpsertDecoder, UpsertEncoder,
};

#[derive(Debug)]
pub enum Encoder {
    Upsert(UpsertEncoder),
    Changelog(ChangelogEncoder),
}

impl Encoder {
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        match table.connector() {
            Connector::UpsertKafka => UpsertEncoder::new(table, settings).map(Self::Upsert),
            Connector::Kafka => ChangelogEncoder::new(table, settings).map(Self::Changelog),
        }
    }
}

impl RecordEncoder for Encoder {
    fn encode<'b, R: Row + ?Sized>(
        &self,
        kind: RowKind,
        row: &R,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error> {
        match self {
            Self::Upsert(encoder) => encoder.encode(kind, row, buf),
            Self::Changelog(encoder) => encoder.encode(kind, row, buf),
        }
    }
}

#[derive(Debug)]
pub enum Decoder {
    Upsert(UpsertDecoder),
    Changelog(ChangelogDecoder),
}

impl Decoder {
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        match table.connector() {
            Connector::UpsertKafka => UpsertDecoder::new(table, settings).map(Self::Upsert),
            Connector::Kafka => ChangelogDecoder::new(table, settings).map(Self::Changelog),
        }
    }

    pub fn decode(&self, record: &ConsumerRecord<'_>, buf: &mut DecodeBuf) -> Result<Decoded, Error> {
        match self {
            Self::Upsert(decoder) => decoder.decode(record, buf),
            Self::Changelog(decoder) => decoder.decode(record, buf),
        }
    }
}
