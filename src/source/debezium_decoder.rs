use crate::error::{Error, ErrorKind, Part};
use crate::format::{DebeziumSettings, EventReader, EventSkip, EventTable, Format, NullRow, Rows};
use crate::record::{ConsumerRecord, Limits};
use crate::row::RowBudget;
use crate::table::{ReadableMetadata, TableSource};

use super::decode_buf::DecodeBuf;
use super::decoded::{Decoded, SkipReason};
use super::metadata::RecordMetadata;
use super::null_in_key::NullInKeyCheck;

/// Turns the events of Debezium's connectors, as Kafka Connect's `JsonConverter` writes them, into rows of any table.
///
/// The table's columns are found by name in `before` and `after`, and are read as their types say: a DECIMAL from the
/// base64 of `precise`, a text or a number, a TIMESTAMP from milliseconds, microseconds, nanoseconds or a text. An
/// event's schema (`schemas.enable`) says which; without one [`DebeziumSettings`] do. Of the formats that the table
/// names only `debezium-json` is of account: its metadata columns are filled, and with its `ignore-parse-errors` events
/// that do not decode are [skipped](SkipReason::UnreadableValue). Flink's own reading of such events, with times as
/// texts, is the table's [`Decoder`](super::Decoder).
///
/// | event | rows |
/// |---|---|
/// | `c`, `r` | `+I` |
/// | `u` | `-U`, `+U` |
/// | `d` | `-D` |
/// | `t`, `m`, a tombstone, transaction metadata, schema changes, heartbeats | none: [`SkipReason`] |
///
/// A truncated table has lost its rows: [`SkipReason::Truncated`] is for whoever keeps them. What `u` and `d` without
/// `before` become, and events that are their rows alone, is up to [`DebeziumSettings`].
///
/// | column | what it takes |
/// |---|---|
/// | BOOLEAN | `true`, `false`, 0, 1 |
/// | TINYINT to DOUBLE | numbers, texts of numbers, `Decimal`, `VariableScaleDecimal`, `Bits` up to 64 |
/// | DECIMAL | the same; digits beyond the scale are rounded as in Flink, beyond the precision refused |
/// | STRING | texts; numbers, objects and arrays as they are written; `Decimal` and `VariableScaleDecimal` as a number |
/// | BYTES | base64, hexadecimal digits |
/// | DATE, TIME, TIMESTAMP, TIMESTAMP_LTZ | numbers of any unit; texts in ISO 8601, with an offset taken to UTC |
/// | INTERVAL DAY TO SECOND, YEAR TO MONTH | `MicroDuration`, `MicroTime`, `Interval` |
/// | ARRAY | arrays, `EnumSet`; as all nested columns the text of JSON |
/// | MAP with STRING keys, ROW | objects: `Point`, `Geometry`, hstore, documents |
///
/// MongoDB's documents, which are texts of Extended JSON, are read with [`MissingBefore::Upsert`]; the `id` of their keys is
/// the column `_id`.
///
/// Immutable and `Sync`: threads share one and bring a [`DecodeBuf`] each, which also keeps the schemas met. Agrees with
/// `io.debezium.data.Envelope` and `io.debezium.transforms.ExtractNewRecordState`.
///
/// [`MissingBefore::Upsert`]: crate::format::MissingBefore::Upsert
///
/// ```
/// use upsert_kafka::format::DebeziumSettings;
/// use upsert_kafka::{ConsumerRecord, DecodeBuf, Decimal, Row, Settings, Table};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE orders (id INT NOT NULL, price DECIMAL(8, 2), paid TIMESTAMP(6), PRIMARY KEY (id) NOT ENFORCED)
///      WITH ('connector' = 'kafka', 'topic' = 'orders', 'value.format' = 'debezium-json',
///        'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset')",
/// )?;
/// let source = table.source(&Settings::default())?;
/// let decoder = source.debezium_decoder(&DebeziumSettings::default())?;
/// let event = br#"{"before":null,"after":{"id":1,"price":"fQ==","paid":1704067200000001},"source":{},"op":"c","ts_ms":0}"#;
/// let mut buf = DecodeBuf::new();
/// for (kind, row) in decoder.decode(&ConsumerRecord::new(None, Some(event)), &mut buf)?.rows() {
///     let (price, paid): (Decimal, upsert_kafka::Timestamp) = (row.get(1)?, row.get(2)?);
///     assert_eq!(format!("{kind} {price} {paid}"), "+I 1.25 2024-01-01T00:00:00.000001");
/// }
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DebeziumDecoder {
    events: EventReader,
    ignore_parse_errors: bool,
    metadata: Box<[RecordMetadata]>,
    /// How many columns a row has.
    width: usize,
    null_in_key: NullInKeyCheck,
    budget: RowBudget,
}

impl TableSource {
    /// What turns Debezium's own events into rows.
    ///
    /// # Errors
    ///
    /// For a column of a type that no event holds: MULTISET, a MAP whose keys are no texts. For metadata columns of a
    /// format that is not `debezium-json`.
    pub fn debezium_decoder(&self, settings: &DebeziumSettings) -> Result<DebeziumDecoder, Error> {
        let layout = self.layout();
        let metadata = self.metadata_columns();
        let is_metadata = |column: usize| metadata.iter().any(|metadata| metadata.column == column);
        let columns: Box<[usize]> =
            (0..layout.columns().len()).filter(|column| !is_metadata(*column)).collect();
        let fields = columns.iter().map(|column| layout.columns()[*column].clone()).collect();
        let table = EventTable::new(fields, columns, settings);
        let format = &layout.value().format;
        let keys = format.metadata();
        let of_format = metadata.iter().filter_map(|column| match column.metadata {
            ReadableMetadata::Format(index) => keys
                .get(index)
                .map(|(key, _)| (*key, column.column, layout.columns()[column.column].name.as_str())),
            _ => None,
        });
        let of_format: Vec<(&str, usize, &str)> = of_format.collect();
        if !of_format.is_empty() && !matches!(format, Format::DebeziumJson(_)) {
            return Err(Error::new(
                ErrorKind::Table,
                "a DebeziumDecoder knows the metadata of 'debezium-json' and of no other format",
            ));
        }
        Ok(DebeziumDecoder {
            events: EventReader::new(table, &of_format)?,
            ignore_parse_errors: matches!(format, Format::DebeziumJson(json) if json.json.ignore_parse_errors),
            metadata: RecordMetadata::of(self),
            width: layout.columns().len(),
            null_in_key: NullInKeyCheck::new(self.settings().null_in_key, layout),
            budget: Limits::default().row_budget(),
        })
    }
}

impl DebeziumDecoder {
    /// The same with other limits of what a record may become: [`Limits::max_rows`] and [`Limits::max_row_bytes`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.budget = limits.row_budget();
        self
    }

    /// The rows of a record, lent from `buf`, as wide as the table's columns, VIRTUAL metadata included.
    ///
    /// Allocates only while `buf` grows, and for a schema that `buf` has not met.
    ///
    /// # Errors
    ///
    /// If the event does not decode: the error names part, column and byte. [`ErrorKind::Limit`] if the record holds more
    /// rows, or larger ones, than the [limits](Self::with_limits) allow. Decoder and buffer stay usable.
    pub fn decode<'b>(
        &self,
        record: &ConsumerRecord<'_>,
        buf: &'b mut DecodeBuf,
    ) -> Result<Decoded<'b>, Error> {
        buf.clear();
        let DecodeBuf { rows, scratch, schemas, .. } = buf;
        let mut events = Rows::new(rows, self.width, NullRow::Skip, self.budget, scratch);
        let read = self.events.read(record.key, record.value, schemas, &mut events);
        let (skip, read) = match read {
            Ok(skip) => (skip.map(SkipReason::of_event), Ok(())),
            Err(error) if self.ignore_parse_errors && error.kind() == ErrorKind::Data => {
                (Some(SkipReason::unreadable(error.part())), Ok(()))
            }
            Err(error) => (None, Err(error)),
        };
        events.finish(read)?;
        if let Some(skip) = skip {
            rows.truncate(0);
            return Ok(Decoded::Skipped(skip));
        }
        RecordMetadata::fill(&self.metadata, record, rows, &mut scratch.row)?;
        self.null_in_key.apply(rows)?;
        Ok(if rows.is_empty() { Decoded::Skipped(SkipReason::NullInKey) } else { Decoded::Rows(rows) })
    }
}

impl SkipReason {
    fn unreadable(part: Option<Part>) -> Self {
        if part == Some(Part::Key) { Self::UnreadableKey } else { Self::UnreadableValue }
    }

    fn of_event(skip: EventSkip) -> Self {
        match skip {
            EventSkip::Tombstone => Self::NoValue,
            EventSkip::Truncate => Self::Truncated,
            EventSkip::Message => Self::Message,
            EventSkip::Transaction => Self::Transaction,
            EventSkip::SchemaChange => Self::SchemaChange,
            EventSkip::Heartbeat => Self::Heartbeat,
        }
    }
}
