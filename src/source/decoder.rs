use std::collections::HashSet;

use crate::error::{Error, ErrorKind, Part};
use crate::format::{DecodeRow, FlinkRelease, NoRow, NullRow, RowDecoder, Rows};
use crate::record::{ConsumerRecord, Limits};
use crate::row::{ChangelogBuf, ROW_BYTES, Row, RowBudget, RowBuf, RowKind};
use crate::table::{Connector, TableSource};

use super::decode_buf::DecodeBuf;
use super::decoded::{Decoded, SkipReason};
use super::metadata::RecordMetadata;
use super::null_in_key::NullInKeyCheck;

/// Turns the records of a table into rows.
///
/// | table | rows |
/// |---|---|
/// | `upsert-kafka` | `+I` for a value, `-D` with the key's columns for a tombstone |
/// | `kafka`, insert-only format (`json`, `csv`, ...) | `+I` |
/// | `kafka`, changelog format (`debezium-json`, `canal-json`, ...) | all four kinds |
///
/// A record of `upsert-kafka` holds the new row and not the old one: a
/// [`ChangelogNormalizer`](super::ChangelogNormalizer) after the decoder turns its rows into `+I`, `-U`, `+U` and `-D`.
///
/// Immutable and `Sync`: threads share one and bring a [`DecodeBuf`] each. Agrees with `KafkaDynamicTableFactory`,
/// `UpsertKafkaDynamicTableFactory`, whose source announces `+U` and `-D` and delivers `+I` and `-D`, and
/// `DynamicKafkaDeserializationSchema`.
///
/// ```
/// use upsert_kafka::{ConsumerRecord, Datum, DecodeBuf, Row, RowKind, Settings, Table};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
///        'properties.bootstrap.servers' = 'localhost:9092')",
/// )?;
/// let decoder = table.source(&Settings::default())?.decoder();
/// let mut buf = DecodeBuf::new();
/// let (key, value) = (br#"{"word":"kafka"}"#, br#"{"word":"kafka","n":1}"#);
///
/// for (kind, row) in decoder.decode(&ConsumerRecord::new(Some(key), Some(value)), &mut buf)?.rows() {
///     assert_eq!(kind, RowKind::Insert);
///     assert!(matches!((row.datum(0), row.datum(1)), (Datum::String("kafka"), Datum::BigInt(1))));
/// }
/// for (kind, row) in decoder.decode(&ConsumerRecord::new(Some(key), None), &mut buf)?.rows() {
///     assert_eq!(kind, RowKind::Delete);
///     assert!(matches!((row.datum(0), row.datum(1)), (Datum::String("kafka"), Datum::Null)));
/// }
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    /// `None`: nobody asks what the key says.
    key: Option<KeyDecoder>,
    value: RowDecoder,
    /// How many columns the key has, if the value begins with them in the same format: then most values say all that
    /// their keys do.
    columns_in_common: Option<usize>,
    metadata: Box<[RecordMetadata]>,
    /// How many columns a row has.
    width: usize,
    /// Whether a null value is a delete.
    upsert: bool,
    /// What becomes of rows that a format makes NULL.
    null_row: NullRow,
    /// Whether the value's format passes over what fails after it: a key that is a row NULL.
    ignores_later_errors: bool,
    null_in_key: NullInKeyCheck,
    budget: RowBudget,
}

#[derive(Clone, Debug)]
struct KeyDecoder {
    decoder: RowDecoder,
    /// The columns that the value does not hold. It overwrites the others, with NULL if need be.
    columns: Box<[usize]>,
    /// The columns of a delete: all of them where it has no value.
    columns_of_delete: Box<[usize]>,
}

impl TableSource {
    /// What turns records into rows.
    #[must_use]
    pub fn decoder(&self) -> Decoder {
        let layout = self.layout();
        let upsert = layout.connector() == Connector::UpsertKafka;
        let key = self.key_decoder().map(|decoder| {
            let of_key = layout.key_columns();
            let of_value: HashSet<usize> = layout.value_columns().iter().copied().collect();
            let alone = of_key.iter().copied().filter(|column| !of_value.contains(column));
            let alone: Box<[usize]> = alone.collect();
            let of_delete = if upsert { of_key.into() } else { alone.clone() };
            KeyDecoder { decoder: decoder.clone(), columns: alone, columns_of_delete: of_delete }
        });
        let columns_in_common = layout.key().and_then(|key| {
            let value = layout.value();
            let begins_with_key = key.format == value.format
                && value.columns.starts_with(&key.columns)
                && value.fields.starts_with(&key.fields);
            (begins_with_key && !key.columns.is_empty()).then_some(key.columns.len())
        });
        let metadata = RecordMetadata::of(self);
        // Before 2.1 what does not parse is passed over; and where nothing is added to the value, a row NULL is handed on.
        let null_row = match self.settings().flink_release >= FlinkRelease::V2_1 {
            true if upsert && self.settings().corrupt_value_deletes => NullRow::Delete,
            true if !upsert && (key.is_some() || !metadata.is_empty()) => NullRow::Refuse,
            _ => NullRow::Skip,
        };
        Decoder {
            key,
            value: self.value_decoder().clone(),
            columns_in_common,
            metadata,
            width: layout.columns().len(),
            upsert,
            null_row,
            ignores_later_errors: layout.value().format.ignores_later_errors(),
            null_in_key: NullInKeyCheck::new(self.settings().null_in_key, layout),
            budget: Limits::default().row_budget(),
        }
    }
}

impl Decoder {
    /// The same with other limits on what a record may become: [`Limits::max_rows`] and [`Limits::max_row_bytes`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.budget = limits.row_budget();
        self
    }

    /// The rows of a record, lent from `buf`, as wide as the table's columns, VIRTUAL metadata included.
    ///
    /// Allocates only while `buf` grows.
    ///
    /// # Errors
    ///
    /// If key or value do not decode: the error names part, column and byte. [`ErrorKind::Limit`] if the record holds more
    /// rows, or larger ones, than the [limits](Self::with_limits) allow. Decoder and buffer stay usable.
    ///
    /// An error that [is transient](Error::is_transient), such as that of a registry which does not answer, wants the same
    /// record to be decoded again, later, and none after it before that. Any other one comes again with the record: set it
    /// aside as a [`DeadLetter`](super::DeadLetter), or stop.
    pub fn decode<'b>(
        &self,
        record: &ConsumerRecord<'_>,
        buf: &'b mut DecodeBuf,
    ) -> Result<Decoded<'b>, Error> {
        buf.clear();
        let mut skipped = self.assemble(record, buf)?;
        if skipped.is_none() {
            self.null_in_key.apply(&mut buf.rows)?;
            skipped = buf.rows.is_empty().then_some(SkipReason::NullInKey);
        }
        Ok(skipped.map_or(Decoded::Rows(&buf.rows), Decoded::Skipped))
    }

    /// The id of a schema that the record needs and the registry does not answer: that of its key, then that of its value.
    ///
    /// For registries that are asked asynchronously. The [`SchemaRegistry`](crate::format::SchemaRegistry) of the table's
    /// settings is then a cache that answers at once, with [`ErrorKind::NoSchema`] for what it does not hold. Fetch the id,
    /// and with it what the schema [refers to](crate::format::RegisteredSchema::references), put it into the cache, and ask
    /// again until the answer is `None`; then `decode` does not wait. A schema of an id that was answered once is known for
    /// good, and asking for it costs nothing. `None` for formats without a registry. The example `async_registry` has all of
    /// it.
    #[must_use]
    pub fn missing_schema(&self, record: &ConsumerRecord<'_>) -> Option<i32> {
        let of_key = self.key.as_ref().and_then(|key| key.decoder.missing_schema(record.key));
        of_key.or_else(|| self.value.missing_schema(record.value))
    }

    /// Decodes a record into the rows of `buf`, or says why there are none.
    fn assemble(
        &self,
        record: &ConsumerRecord<'_>,
        buf: &mut DecodeBuf,
    ) -> Result<Option<SkipReason>, Error> {
        let DecodeBuf { rows, keys, product, scratch, .. } = buf;
        if let (Some(columns), Some(key), Some(value)) = (self.columns_in_common, record.key, record.value) {
            let mut value_rows = Rows::new(rows, self.width, self.null_row, self.budget, scratch);
            if self.value.decode_with_key(key, columns, value, &mut value_rows) {
                value_rows.finish(Ok(())).map_err(|error| error.with_part(Part::Value))?;
                RecordMetadata::fill(&self.metadata, record, rows, &mut scratch.row)?;
                return Ok(None);
            }
        }
        let mut null_key = false;
        if let Some(key) = &self.key {
            let mut key_rows = Rows::new(keys, self.width, NullRow::Skip, self.budget, scratch);
            let decoded = key.decoder.decode(record.key, &mut key_rows);
            let skipped = key_rows.finish(decoded).map_err(|error| error.with_part(Part::Key))?;
            null_key = skipped == Some(NoRow::NullRow);
            if keys.is_empty() && !null_key {
                return self.without_key(record, buf, SkipReason::of_key(skipped));
            }
        }
        let mut skipped = None;
        if record.value.is_none() && self.upsert {
            rows.push(RowKind::Delete, self.width);
        } else {
            let mut value_rows = Rows::new(rows, self.width, self.null_row, self.budget, scratch);
            let decoded = self.value.decode(record.value, &mut value_rows);
            skipped = value_rows.finish(decoded).map_err(|error| error.with_part(Part::Value))?;
        }
        if rows.is_empty() {
            return Ok(Some(SkipReason::of_value(skipped)));
        }
        if null_key {
            rows.clear();
            return self.null_key_row(record);
        }
        if let Some(key) = &self.key {
            let mut key_rows = keys.iter();
            match (key_rows.next(), key_rows.next()) {
                // Of more rows each has a copy of the key that counts.
                (Some((_, key_row)), None) if rows.len() <= 2 => {
                    rows.iter_mut().for_each(|(kind, row)| key.fill(kind, key_row, row));
                }
                _ => {
                    key.multiply(rows, keys, product, self.width, self.budget)?;
                    std::mem::swap(rows, product);
                }
            }
        }
        RecordMetadata::fill(&self.metadata, record, rows, &mut scratch.row)?;
        Ok(None)
    }

    /// The key is a row NULL, and Flink fails with a NullPointerException in the middle of the value's format, which
    /// may pass over it as it passes over all errors.
    #[cold]
    fn null_key_row(&self, record: &ConsumerRecord<'_>) -> Result<Option<SkipReason>, Error> {
        if self.ignores_later_errors && record.value.is_some() {
            return Ok(Some(SkipReason::UnreadableKey));
        }
        Err(Error::new(ErrorKind::Data, "the key does not parse, and the value needs it")
            .with_part(Part::Key))
    }

    /// A key without a row leaves nothing to hang the value on; but a value that does not decode fails all the same.
    fn without_key(
        &self,
        record: &ConsumerRecord<'_>,
        buf: &mut DecodeBuf,
        reason: SkipReason,
    ) -> Result<Option<SkipReason>, Error> {
        if record.value.is_some() || !self.upsert {
            let mut rows = Rows::new(&mut buf.rows, self.width, NullRow::Skip, self.budget, &mut buf.scratch);
            let decoded = self.value.decode(record.value, &mut rows);
            rows.finish(decoded).map_err(|error| error.with_part(Part::Value))?;
        }
        buf.rows.clear();
        Ok(Some(reason))
    }
}

impl KeyDecoder {
    /// Copies what only the key knows.
    fn fill(&self, kind: RowKind, key_row: &RowBuf, row: &mut RowBuf) {
        let columns = if kind == RowKind::Delete { &self.columns_of_delete } else { &self.columns };
        columns.iter().for_each(|&column| row.set(column, key_row.datum(column)));
    }

    /// Each row with each key, as Flink's collector combines them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if they are beyond the budget.
    fn multiply(
        &self,
        rows: &ChangelogBuf,
        keys: &ChangelogBuf,
        product: &mut ChangelogBuf,
        width: usize,
        mut budget: RowBudget,
    ) -> Result<(), Error> {
        budget.take_rows(rows.len().saturating_mul(keys.len()))?;
        for (kind, row) in rows.iter() {
            for (_, key_row) in keys.iter() {
                let combined = product.push(kind, 0);
                combined.copy_from(row, width);
                self.fill(kind, key_row, combined);
                budget.take_bytes(ROW_BYTES + combined.size_in_bytes())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
