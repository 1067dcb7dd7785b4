use crate::error::{Error, Part};
use crate::format::{EncodeRow, Encoded, RowEncoder};
use crate::record::Record;
use crate::row::{Row, RowKind};
use crate::table::{Settings, TableSink, Topics};
use crate::wire::Buffer;

use super::metadata::MetadataColumns;
use super::not_null::NotNullCheck;
use super::record_buf::RecordBuf;

/// What the encoders of both connectors are made of: the compiled key and value, the metadata columns, the checks.
///
/// Agrees with `DynamicKafkaRecordSerializationSchema`.
#[derive(Clone, Debug)]
pub(super) struct RecordCodec {
    key: Option<RowEncoder>,
    value: RowEncoder,
    metadata: MetadataColumns,
    not_null: NotNullCheck,
    /// Whether a format may want to know which of its rows are part of a record.
    remembers_records: bool,
    /// `None`: all records go to one topic.
    topics: Option<Topics>,
}

impl RecordCodec {
    pub(super) fn new(sink: &TableSink, settings: &Settings) -> Result<Self, Error> {
        let layout = sink.layout();
        let key = layout.key().map(|key| {
            let encoder = key.format.encoder(key.projection(), settings.key_format_settings());
            encoder.map_err(|error| error.with_part(Part::Key))
        });
        let value = layout.value();
        let value = value.format.encoder(value.projection(), settings.format_settings());
        let topics = layout.topic_choice();
        Ok(Self {
            key: key.transpose()?,
            value: value.map_err(|error| error.with_part(Part::Value))?,
            metadata: MetadataColumns::new(sink)?,
            not_null: NotNullCheck::new(settings.not_null_enforcer, layout.columns()),
            remembers_records: settings.avro_json_line_feeds,
            topics: topics.single().is_none().then(|| topics.clone()),
        })
    }

    /// Encodes the row, or only its key and metadata for a tombstone. `None`: the NOT NULL enforcer drops the row.
    #[inline]
    pub(super) fn encode<'b, R: Row + ?Sized>(
        &self,
        kind: RowKind,
        tombstone: bool,
        row: &R,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error> {
        let write_value = |out: &mut Buffer| match tombstone {
            true => Ok(Encoded::Null),
            false => self.value.encode(kind, row, out),
        };
        let record = self.encode_with(row, buf, write_value)?;
        if self.remembers_records
            && let Some(Record { value: Some(_), .. }) = record
        {
            self.value.record_written();
        }
        Ok(record)
    }

    /// Encodes key and metadata of the row, with the value that `write_value` appends. `None`: the NOT NULL enforcer
    /// drops the row.
    #[inline]
    pub(super) fn encode_with<'b, R: Row + ?Sized>(
        &self,
        row: &R,
        buf: &'b mut RecordBuf,
        write_value: impl FnOnce(&mut Buffer) -> Result<Encoded, Error>,
    ) -> Result<Option<Record<'b>>, Error> {
        buf.clear();
        if !self.not_null.admits(row)? {
            return Ok(None);
        }
        let has_key = self.encode_key(row, &mut buf.key)?;
        let value = write_value(&mut buf.value).map_err(|error| error.with_part(Part::Value))?;
        let timestamp = self.metadata.timestamp(row)?;
        self.metadata.headers(row, &mut buf.headers)?;
        if let Some(topics) = &self.topics {
            let topic = self.metadata.topic(row)?.ok_or_else(|| topics.refusal(None))?;
            topics.admit(topic)?;
            buf.topic.push_str(topic);
        }
        if self.remembers_records
            && let Some(key) = &self.key
        {
            key.record_written();
        }
        let buf = &*buf;
        Ok(Some(Record {
            key: has_key.then_some(&buf.key),
            value: (value == Encoded::Bytes).then_some(&buf.value),
            timestamp,
            headers: buf.headers.as_headers(),
            topic: self.topics.is_some().then_some(&buf.topic),
        }))
    }

    /// Appends the key; `false` means that the record has none.
    #[inline]
    fn encode_key<R: Row + ?Sized>(&self, row: &R, out: &mut Buffer) -> Result<bool, Error> {
        let Some(key) = &self.key else { return Ok(false) };
        // Flink hands every key to its format as an insert.
        let encoded = key.encode(RowKind::Insert, row, out).map_err(|error| error.with_part(Part::Key))?;
        Ok(encoded == Encoded::Bytes)
    }
}
