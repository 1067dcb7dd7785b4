use crate::error::{Error, ErrorKind, Part};
use crate::format::{EncodeRow, Encoded, RowEncoder};
use crate::record::Record;
use crate::row::{Datum, Row, RowKind};
use crate::table::{Connector, TableSink, Topics, UpdateBefore};
use crate::wire::Buffer;

use super::metadata::MetadataColumns;
use super::not_null::NotNullCheck;
use super::record_buf::RecordBuf;

/// Turns the rows of a changelog into the records of a table.
///
/// | kind | `upsert-kafka` | `kafka`, insert-only format | `kafka`, changelog format |
/// |---|---|---|---|
/// | `+I` | key and value | value | insert event |
/// | `+U` | key and value | refused | insert event |
/// | `-U` | what [`Settings::update_before`](crate::Settings::update_before) says | refused | delete event |
/// | `-D` | key and no value: a tombstone | refused | delete event |
///
/// The older dialect's `update-mode` and `connector.sink.ignore-retraction` decide for their tables, and
/// [`Settings::unchecked_kinds`](crate::Settings::unchecked_kinds) asks for the bytes that Flink writes where it does not
/// check. A `kafka` table with `key.fields` has keys too.
///
/// A value longer than its type, `abcdef` in a `VARCHAR(3)`, is written whole, and a short one in a `CHAR(3)` or `BINARY(3)`
/// is not padded, as Flink's formats write them. A Flink session may trim, pad or refuse them in front of the sink: that
/// is `table.exec.sink.type-length-enforcer`, by default `IGNORE`.
///
/// Immutable and `Sync`: threads share one and bring a [`RecordBuf`] each. Agrees with `KafkaDynamicTableFactory`,
/// `UpsertKafkaDynamicTableFactory` and `DynamicKafkaRecordSerializationSchema`.
///
/// ```
/// use upsert_kafka::{Datum, RecordBuf, RowKind, Settings, Table};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT) WITH ('connector' = 'kafka', 'topic' = 'counts',
///        'properties.bootstrap.servers' = 'localhost:9092', 'format' = 'debezium-json')",
/// )?;
/// let encoder = table.sink(&Settings::default())?.encoder();
/// let mut buf = RecordBuf::new();
/// let row = [Datum::String("kafka"), Datum::BigInt(1)];
/// let record = encoder.encode(RowKind::Delete, &row, &mut buf)?.expect("a delete is a record");
/// assert_eq!(record.key, None); // no 'key.fields'
/// assert_eq!(record.value, Some(&br#"{"before":{"word":"kafka","n":1},"after":null,"op":"d"}"#[..]));
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    key: Option<RowEncoder>,
    /// The key's columns in the row.
    key_columns: Box<[usize]>,
    value: RowEncoder,
    /// What becomes of each kind, in Flink's order.
    outcomes: [Outcome; 4],
    metadata: MetadataColumns,
    /// Whether records have metadata, or a format or a list of topics minds what they are.
    has_more: bool,
    not_null: NotNullCheck,
    /// Whether a format may want to know which of its rows are part of a record.
    remembers_records: bool,
    /// `None`: all records go to one topic.
    topics: Option<Topics>,
}

/// What becomes of a row.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// A record with a value.
    Value,
    /// A record without one.
    Tombstone,
    /// No record.
    Dropped,
    /// An error.
    Refused,
}

impl TableSink {
    /// What turns rows into records.
    #[must_use]
    pub fn encoder(&self) -> Encoder {
        let (layout, settings) = (self.layout(), self.settings());
        let topics = layout.topic_choice();
        let (metadata, remembers_records) = (MetadataColumns::new(self), settings.avro_json_line_feeds);
        let has_more = remembers_records || topics.single().is_none() || !metadata.is_empty();
        Encoder {
            key: self.key_encoder().cloned(),
            key_columns: layout.key_columns().into(),
            value: self.value_encoder().clone(),
            outcomes: RowKind::ALL.map(|kind| outcome(self, kind)),
            metadata,
            has_more,
            not_null: NotNullCheck::new(settings.not_null_enforcer, layout.columns()),
            remembers_records,
            topics: topics.single().is_none().then(|| topics.clone()),
        }
    }
}

fn outcome(sink: &TableSink, kind: RowKind) -> Outcome {
    let is_upsert = sink.layout().connector() == Connector::UpsertKafka;
    match kind {
        RowKind::UpdateBefore | RowKind::Delete if sink.ignores_retractions() => Outcome::Dropped,
        RowKind::UpdateBefore if is_upsert && sink.update_before() == UpdateBefore::Drop => Outcome::Dropped,
        // Flink's planner withholds -U from an upsert sink, or does not: it is no kind that the table refuses.
        RowKind::UpdateBefore if is_upsert && sink.changelog_mode().contains(RowKind::Delete) => {
            Outcome::Tombstone
        }
        _ if !sink.changelog_mode().contains(kind) && (is_upsert || !sink.settings().unchecked_kinds) => {
            Outcome::Refused
        }
        RowKind::UpdateBefore | RowKind::Delete if is_upsert => Outcome::Tombstone,
        RowKind::Insert | RowKind::UpdateBefore | RowKind::UpdateAfter | RowKind::Delete => Outcome::Value,
    }
}

impl Encoder {
    /// The record of a change, lent from `buf`; `None` where there is none: for a `-U` that is dropped, or a row that
    /// the NOT NULL enforcer drops.
    ///
    /// One pass over the row and one copy of its values; allocates only while `buf` grows.
    ///
    /// # Errors
    ///
    /// If the row does not fit the table, or is of a kind that the table does not take: the error names part and
    /// column. The encoder stays usable.
    #[inline(always)]
    pub fn encode<'b, R: Row + ?Sized>(
        &self,
        kind: RowKind,
        row: &R,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error> {
        let is_tombstone = match self.outcomes[kind as usize] {
            Outcome::Value => false,
            Outcome::Tombstone => true,
            Outcome::Dropped => return Ok(None),
            Outcome::Refused => return Err(refuse_kind(kind)),
        };
        let record = self.encode_with(row, buf, |out| match is_tombstone {
            true => Ok(Encoded::Null),
            false => self.value.encode(kind, row, out),
        })?;
        if self.remembers_records
            && let Some(Record { value: Some(_), .. }) = record
        {
            self.value.record_written();
        }
        Ok(record)
    }

    /// The bytes of a record's key, lent from `buf`, made of the values of the key columns in the key's order; `None`
    /// where records have no key.
    ///
    /// For a lookup, or for the [`Record::tombstone`] of a key whose row is not at hand.
    ///
    /// ```
    /// use upsert_kafka::{Datum, Record, RecordBuf, Settings, Table};
    ///
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE counts (n BIGINT, word STRING, PRIMARY KEY (word) NOT ENFORCED) WITH (
    ///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
    ///        'properties.bootstrap.servers' = 'localhost:9092')",
    /// )?;
    /// let encoder = table.sink(&Settings::default())?.encoder();
    /// let mut buf = RecordBuf::new();
    /// let key = encoder.encode_key(&[Datum::String("kafka")], &mut buf)?.expect("an upsert has a key");
    /// assert_eq!(Record::tombstone(key).key, Some(&br#"{"word":"kafka"}"#[..]));
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a value does not fit its column.
    pub fn encode_key<'b, K: Row + ?Sized>(
        &self,
        key: &K,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<&'b [u8]>, Error> {
        buf.clear();
        let row = KeyValues { key, columns: &self.key_columns };
        Ok(self.append_key(&row, &mut buf.key)?.then_some(&buf.key))
    }

    /// Encodes key and metadata of the row, with the value that `write_value` appends. `None`: the NOT NULL enforcer
    /// drops the row.
    #[inline(always)]
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
        let has_key = self.append_key(row, &mut buf.key)?;
        let value = write_value(&mut buf.value).map_err(|error| error.with_part(Part::Value))?;
        let timestamp = if self.has_more { self.add_more(row, buf)? } else { None };
        let buf = &*buf;
        Ok(Some(Record {
            key: has_key.then_some(&buf.key),
            value: (value == Encoded::Bytes).then_some(&buf.value),
            timestamp,
            headers: buf.headers.as_headers(),
            topic: self.topics.is_some().then_some(&buf.topic),
        }))
    }

    /// Adds headers and topic, and says the timestamp.
    #[inline(never)]
    fn add_more<R: Row + ?Sized>(&self, row: &R, buf: &mut RecordBuf) -> Result<Option<i64>, Error> {
        let timestamp = self.metadata.timestamp(row, &mut buf.scratch)?;
        self.metadata.headers(row, &mut buf.headers, &mut buf.scratch)?;
        if let Some(topics) = &self.topics {
            let topic = self.metadata.topic(row, &mut buf.scratch)?.ok_or_else(|| topics.refusal(None))?;
            topics.admit(topic)?;
            buf.topic.push_str(topic);
        }
        if self.remembers_records
            && let Some(key) = &self.key
        {
            key.record_written();
        }
        Ok(timestamp)
    }

    /// Appends the key; `false` means that the record has none.
    #[inline]
    fn append_key<R: Row + ?Sized>(&self, row: &R, out: &mut Buffer) -> Result<bool, Error> {
        let Some(key) = &self.key else { return Ok(false) };
        // Flink hands every key to its format as an insert.
        let encoded = key.encode(RowKind::Insert, row, out).map_err(|error| error.with_part(Part::Key))?;
        Ok(encoded == Encoded::Bytes)
    }
}

/// A row of which only the key is known.
struct KeyValues<'a, K: ?Sized> {
    key: &'a K,
    columns: &'a [usize],
}

impl<K: Row + ?Sized> Row for KeyValues<'_, K> {
    fn datum(&self, column: usize) -> Datum<'_> {
        let place = self.columns.iter().position(|of_key| *of_key == column);
        place.map_or(Datum::Null, |place| self.key.datum(place))
    }
}

#[cold]
fn refuse_kind(kind: RowKind) -> Error {
    Error::new(ErrorKind::Row, format!("the table takes inserts only, found {}", kind.name()))
}
