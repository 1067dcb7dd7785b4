use crate::error::{Error, ErrorKind, Part};
use crate::format::{DecodeRow, NullRow, Projection, RowDecoder, Rows, Skip};
use crate::record::ConsumerRecord;
use crate::row::{ChangelogBuf, Row, RowBuf, RowKind};
use crate::table::{Connector, Settings, TableSource};

use super::decode_buf::DecodeBuf;
use super::decoded::{Decoded, SkipReason};
use super::metadata::{RecordMetadata, format_metadata};

/// What the decoders of both connectors are made of: key and value decoders, and how their rows become the table's.
///
/// Agrees with `DynamicKafkaDeserializationSchema`.
#[derive(Clone, Debug)]
pub(super) struct RowAssembler {
    /// `None`: nobody asks what the key says.
    key: Option<KeyDecoder>,
    value: RowDecoder,
    metadata: Box<[RecordMetadata]>,
    /// How many columns a row has.
    width: usize,
    /// Whether a null value is a delete.
    upsert: bool,
    /// Whether rows that a format makes NULL delete too.
    null_row: NullRow,
    /// Whether the value's format passes over what fails behind it: a key that is a row NULL.
    ignores_later_errors: bool,
}

#[derive(Clone, Debug)]
struct KeyDecoder {
    decoder: RowDecoder,
    /// The columns that the value does not hold. It overwrites the others, with NULL if need be.
    columns: Box<[usize]>,
    /// The columns of a delete: all of them where it has no value.
    columns_of_delete: Box<[usize]>,
}

impl RowAssembler {
    pub(super) fn new(source: &TableSource, settings: &Settings) -> Result<Self, Error> {
        let layout = source.layout();
        let upsert = layout.connector() == Connector::UpsertKafka;
        let format_settings = settings.format_settings();
        let metadata = source.metadata_columns().iter().filter_map(|column| {
            let metadata = RecordMetadata::new(column).transpose()?;
            Some(metadata.map_err(|error| error.in_column(&layout.columns()[column.column].name)))
        });
        let metadata = metadata.collect::<Result<_, Error>>()?;
        let format_metadata = format_metadata(source, settings.shifted_format_metadata)?;
        let value_columns = layout.value_columns();
        let key = layout.key().map(|key| {
            let decoder = key.format.decoder(key.projection(), settings.key_format_settings())?;
            let alone = key.columns.iter().copied().filter(|column| !value_columns.contains(column));
            let alone: Box<[usize]> = alone.collect();
            let of_delete = if upsert { key.columns.as_slice().into() } else { alone.clone() };
            Ok(KeyDecoder { decoder, columns: alone, columns_of_delete: of_delete })
        });
        let value = layout.value();
        let decoder = value
            .format
            .decoder(Projection { metadata: &format_metadata, ..value.projection() }, format_settings);
        Ok(Self {
            key: key.transpose().map_err(|error: Error| error.with_part(Part::Key))?,
            value: decoder.map_err(|error| error.with_part(Part::Value))?,
            metadata,
            width: layout.columns().len(),
            upsert,
            ignores_later_errors: value.format.ignores_later_errors(),
            null_row: if upsert && settings.corrupt_value_deletes { NullRow::Delete } else { NullRow::Skip },
        })
    }

    /// Decodes a record into the rows of `buf`; on an error there are none.
    pub(super) fn decode(&self, record: &ConsumerRecord<'_>, buf: &mut DecodeBuf) -> Result<Decoded, Error> {
        buf.clear();
        let result = self.assemble(record, buf);
        if result.is_err() {
            buf.rows.clear();
        }
        result
    }

    fn assemble(&self, record: &ConsumerRecord<'_>, buf: &mut DecodeBuf) -> Result<Decoded, Error> {
        let DecodeBuf { rows, keys, product, scratch } = buf;
        let mut null_key = false;
        if let Some(key) = &self.key {
            let mut key_rows = Rows::new(keys, self.width, NullRow::Skip, scratch);
            key.decoder.decode(record.key, &mut key_rows).map_err(|error| error.with_part(Part::Key))?;
            let skipped = key_rows.skipped();
            null_key = skipped == Some(Skip::NullRow);
            if keys.is_empty() && !null_key {
                return self.without_key(record, buf, SkipReason::of_key(skipped));
            }
        }
        let mut skipped = None;
        if record.value.is_none() && self.upsert {
            rows.push(RowKind::Delete, self.width);
        } else {
            let mut value_rows = Rows::new(rows, self.width, self.null_row, scratch);
            self.value.decode(record.value, &mut value_rows).map_err(|error| error.with_part(Part::Value))?;
            skipped = value_rows.skipped();
        }
        if rows.is_empty() {
            return Ok(Decoded::Skipped(SkipReason::of_value(skipped)));
        }
        if null_key {
            rows.clear();
            return self.null_key_row(record);
        }
        if let Some(key) = &self.key {
            let mut key_rows = keys.iter();
            match (key_rows.next(), key_rows.next()) {
                (Some((_, key_row)), None) => {
                    rows.iter_mut().for_each(|(kind, row)| key.fill(kind, key_row, row));
                }
                _ => {
                    key.multiply(rows, keys, product, self.width);
                    std::mem::swap(rows, product);
                }
            }
        }
        for (_, row) in rows.iter_mut() {
            self.metadata.iter().for_each(|metadata| metadata.fill(record, row));
        }
        Ok(Decoded::Rows(rows.len()))
    }

    /// The key is a row NULL, and Flink fails with a NullPointerException in the middle of the value's format, which
    /// may pass over it as it passes over all errors.
    #[cold]
    fn null_key_row(&self, record: &ConsumerRecord<'_>) -> Result<Decoded, Error> {
        if self.ignores_later_errors && record.value.is_some() {
            return Ok(Decoded::Skipped(SkipReason::UnreadableKey));
        }
        Err(Error::new(ErrorKind::Data, "the key does not parse, and there is a value to hang on it")
            .with_part(Part::Key))
    }

    /// A key without a row leaves nothing to hang the value on; but a value that does not decode fails all the same.
    fn without_key(
        &self,
        record: &ConsumerRecord<'_>,
        buf: &mut DecodeBuf,
        reason: SkipReason,
    ) -> Result<Decoded, Error> {
        if record.value.is_some() || !self.upsert {
            let mut rows = Rows::new(&mut buf.rows, self.width, NullRow::Skip, &mut buf.scratch);
            self.value.decode(record.value, &mut rows).map_err(|error| error.with_part(Part::Value))?;
        }
        buf.rows.clear();
        Ok(Decoded::Skipped(reason))
    }
}

impl KeyDecoder {
    /// Copies what only the key knows.
    fn fill(&self, kind: RowKind, key_row: &RowBuf, row: &mut RowBuf) {
        let columns = if kind == RowKind::Delete { &self.columns_of_delete } else { &self.columns };
        columns.iter().for_each(|&column| row.set(column, key_row.datum(column)));
    }

    /// Each row with each key, as Flink's collector combines them.
    fn multiply(&self, rows: &ChangelogBuf, keys: &ChangelogBuf, product: &mut ChangelogBuf, width: usize) {
        product.clear();
        for (kind, row) in rows.iter() {
            for (_, key_row) in keys.iter() {
                let combined = product.push(kind, 0);
                combined.copy_from(row, width);
                self.fill(kind, key_row, combined);
            }
        }
    }
}
