//! `avro-confluent`: a zero byte, the id of a schema in a registry, and a datum of that schema.

use std::sync::Arc;

use super::compile::compile;
use super::decode_binary::BinaryReader;
use super::encode_binary::BinaryEmit;
use super::options::{AvroTimestamps, ConfluentOptions};
use super::registration::{Registration, split};
use super::schema::AvroSchema;
use super::write_plan::RowWriter;
use super::writers::Writers;
use crate::error::Error;
use crate::format::in_place::{put, write_in_place};
use crate::format::options::FormatOptions;
use crate::format::{DecodeRow, EncodeRow, Encoded, FormatSettings, NoRow, Projection, Rows};
use crate::row::{Row, RowKind};
use crate::types::Field;
use crate::wire::Buffer;

/// Writes the projected columns of a row as one Avro datum after the id of its schema, which is registered with the
/// first row.
///
/// Agrees with `org.apache.flink.formats.avro.RegistryAvroSerializationSchema` and `ConfluentSchemaRegistryCoder`.
#[derive(Clone, Debug)]
pub(crate) struct ConfluentEncoder {
    rows: RowWriter,
    registration: Registration,
}

impl ConfluentEncoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema or do not fit the one given; and without a registry.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &ConfluentOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let schema = schema_of(projection.fields, options)?;
        // A record is its fields one after the other: that of one column has the bytes of that column's value.
        let plain = plain_column(projection, settings).and_then(|_| schema.text_of_only_field());
        let text = plain.unwrap_or_else(|| schema.to_string());
        let registration = Registration::new(text, options, settings, ConfluentOptions::IDENTIFIER)?;
        Ok(Self { rows: compile(&schema, projection, settings), registration })
    }
}

impl EncodeRow for ConfluentEncoder {
    #[inline(never)]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        let head = self.registration.head()?;
        write_in_place(out, |out| {
            let at = put(out, 0, &head)?;
            self.rows.write(row, BinaryEmit, out, at)
        })?;
        Ok(Encoded::Bytes)
    }
}

/// Reads Avro datums after the ids of their schemas, each of which is asked for once.
///
/// Agrees with `org.apache.flink.formats.avro.RegistryAvroDeserializationSchema` and `ConfluentSchemaRegistryCoder`.
#[derive(Clone, Debug)]
pub(crate) struct ConfluentDecoder {
    writers: Arc<Writers>,
    columns: Box<[usize]>,
}

impl ConfluentDecoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema or do not fit the one given; and without a registry.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &ConfluentOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let reader = schema_of(projection.fields, options)?;
        let writers = Writers::new(reader, projection.fields, settings, ConfluentOptions::IDENTIFIER)?
            .or_plain(plain_column(projection, settings));
        Ok(Self { writers: Arc::new(writers), columns: projection.columns.into() })
    }

    /// The id of the schema that `bytes` need and the registry does not answer, or not yet.
    pub(crate) fn missing_schema(&self, bytes: Option<&[u8]>) -> Option<i32> {
        self.writers.missing(bytes?)
    }
}

impl DecodeRow for ConfluentDecoder {
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let (id, datum) = split(bytes)?;
        let row = rows.push(RowKind::Insert)?;
        self.writers.read(id, |resolved| BinaryReader::new(datum, resolved).read_row(&self.columns, row))
    }
}

/// The schema of the option, which must be one of the columns; otherwise the one that is derived from them. Flink
/// derives it in any case, so that columns without one are refused in any case.
fn schema_of(fields: &[Field], options: &ConfluentOptions) -> Result<AvroSchema, Error> {
    let given = options.schema.as_deref().map(|text| {
        let refusal = "Schema provided for 'avro-confluent' format does not match the table schema";
        AvroSchema::of_option(text, |schema| schema.is_of(fields), refusal)
    });
    let given = given.transpose()?;
    let derived = AvroSchema::of_fields(fields, AvroTimestamps::Legacy)?;
    Ok(given.unwrap_or(derived))
}

/// The single column that is the datum itself, if that is asked for.
fn plain_column<'a>(projection: Projection<'a>, settings: FormatSettings<'_>) -> Option<&'a str> {
    match projection.fields {
        [column] if settings.avro_plain => Some(&column.name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::error::ErrorKind;
    use crate::format::avro::{MemorySchemaRegistry, RegisteredSchema, SchemaRegistry};
    use crate::format::{NullRow, Scratch};
    use crate::row::{ChangelogBuf, Datum, RowBudget};
    use crate::types::LogicalType;

    /// Fails the first time, and counts what it is asked.
    #[derive(Debug)]
    struct Reluctant {
        registry: MemorySchemaRegistry,
        asked: AtomicU32,
    }

    impl Reluctant {
        fn new() -> Arc<Self> {
            Arc::new(Self { registry: MemorySchemaRegistry::with_first_id(7), asked: AtomicU32::new(0) })
        }

        fn answer<T>(&self, answer: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
            match self.asked.fetch_add(1, Ordering::Relaxed) {
                0 => Err(Error::new(ErrorKind::Unavailable, "the registry is away")),
                _ => answer(),
            }
        }
    }

    impl SchemaRegistry for Reluctant {
        fn register(&self, subject: &str, schema: &str) -> Result<i32, Error> {
            self.answer(|| self.registry.register(subject, schema))
        }

        fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
            self.answer(|| self.registry.schema(id))
        }
    }

    fn settings(registry: &Arc<dyn SchemaRegistry>) -> FormatSettings<'_> {
        FormatSettings { schema_registry: Some(registry), ..FormatSettings::default() }
    }

    fn options() -> ConfluentOptions {
        ConfluentOptions { subject: Some("t-value".to_owned()), schema: None }
    }

    #[test]
    fn a_schema_is_registered_once_and_again_after_a_failure() {
        let registry = Reluctant::new();
        let shared: Arc<dyn SchemaRegistry> = registry.clone();
        let fields = [Field::new("k", LogicalType::Int.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let encoder = ConfluentEncoder::new(projection, &options(), settings(&shared)).unwrap();
        assert_eq!(registry.asked.load(Ordering::Relaxed), 0, "before the first row nothing is registered");

        let mut out = Buffer::default();
        let error = encoder.encode(RowKind::Insert, &[Datum::Int(1)], &mut out).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Unavailable, "Could not register schema in registry")
        );
        assert_eq!(error.source().unwrap().to_string(), "the registry is away");
        for _ in 0..3 {
            out.clear();
            encoder.encode(RowKind::Insert, &[Datum::Int(1)], &mut out).unwrap();
            assert_eq!(*out, [0, 0, 0, 0, 7, 2]);
        }
        assert_eq!(registry.asked.load(Ordering::Relaxed), 2);
    }

    fn decode(decoder: &ConfluentDecoder, bytes: &[u8]) -> Result<ChangelogBuf, Error> {
        let (mut out, mut scratch) = (ChangelogBuf::new(), Scratch::default());
        let mut rows =
            Rows::new(&mut out, decoder.columns.len(), NullRow::Skip, RowBudget::default(), &mut scratch);
        decoder.decode(Some(bytes), &mut rows)?;
        Ok(out)
    }

    /// A decoder of one column `a STRING` of what `writer` wrote under the id 1.
    fn decoder_of(writer: &str) -> ConfluentDecoder {
        let memory = MemorySchemaRegistry::new();
        memory.insert(1, writer);
        let registry: Arc<dyn SchemaRegistry> = Arc::new(memory);
        let fields = [Field::new("a", LogicalType::VarChar(LogicalType::MAX_LENGTH))];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        ConfluentDecoder::new(projection, &options(), settings(&registry)).unwrap()
    }

    #[test]
    fn a_schema_is_missing_until_the_registry_has_it_and_not_where_none_helps() {
        let memory = Arc::new(MemorySchemaRegistry::new());
        let registry: Arc<dyn SchemaRegistry> = memory.clone();
        let fields = [Field::new("k", LogicalType::Int.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let decoder = ConfluentDecoder::new(projection, &options(), settings(&registry)).unwrap();
        for id in [1, 2] {
            let bytes = [0, 0, 0, 0, id, 2];
            assert_eq!(decoder.missing_schema(Some(&bytes)), Some(id.into()));
            memory.insert(id.into(), r#"{"type":"record","name":"r","fields":[{"name":"k","type":"int"}]}"#);
            assert_eq!(decoder.missing_schema(Some(&bytes)), None);
            assert_eq!(decode(&decoder, &bytes).unwrap().len(), 1);
        }
        memory.insert(3, "no schema");
        for bytes in [None, Some(&[0, 0, 0, 0, 3, 2][..]), Some(&[0, 0, 0]), Some(&[1, 0, 0, 0, 9, 2])] {
            assert_eq!(decoder.missing_schema(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_schema_is_asked_for_once_an_id_and_again_after_a_failure() {
        let registry = Reluctant::new();
        let int = r#"{"type":"record","name":"r","fields":[{"name":"k","type":"int"}]}"#;
        registry.registry.insert(1, int);
        registry.registry.insert(2, int);
        let shared: Arc<dyn SchemaRegistry> = registry.clone();
        let fields = [Field::new("k", LogicalType::Int.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let decoder = ConfluentDecoder::new(projection, &options(), settings(&shared)).unwrap();

        let error = decode(&decoder, &[0, 0, 0, 0, 1, 2]).unwrap_err();
        let expected = (ErrorKind::Unavailable, "Could not find schema with id 1 in registry");
        assert_eq!((error.kind(), error.message()), expected);
        for id in [1, 2, 1, 2, 2] {
            assert_eq!(decode(&decoder.clone(), &[0, 0, 0, 0, id, 2]).unwrap().len(), 1);
        }
        assert_eq!(registry.asked.load(Ordering::Relaxed), 3);
    }

    /// The bytes are those of Confluent's wire format and Avro's specification: a zero, the id, the datum.
    #[test]
    fn a_plain_key_is_read_and_written_where_that_is_asked_for() {
        let fields = [Field::new("k", LogicalType::BigInt.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let memory = Arc::new(MemorySchemaRegistry::with_first_id(7));
        memory.insert(1, r#"{"type":"record","name":"r","fields":[{"name":"k","type":"long"}]}"#);
        memory.insert(2, "\"int\"");
        memory.insert(3, r#"["null","long"]"#);
        let registry: Arc<dyn SchemaRegistry> = memory.clone();
        let settings = FormatSettings { avro_plain: true, ..settings(&registry) };

        let encoder = ConfluentEncoder::new(projection, &options(), settings).unwrap();
        let mut out = Buffer::default();
        encoder.encode(RowKind::Insert, &[Datum::BigInt(-1)], &mut out).unwrap();
        assert_eq!(*out, [0, 0, 0, 0, 7, 1]);
        assert_eq!(memory.schema(7).unwrap().text, "\"long\"");

        let decoder = ConfluentDecoder::new(projection, &options(), settings).unwrap();
        for datum in [&[7, 1][..], &[1, 1], &[2, 1], &[3, 2, 1]] {
            let rows = decode(&decoder, &[&[0, 0, 0, 0], datum].concat()).unwrap();
            assert!(rows.iter().all(|(_, row)| matches!(row.datum(0), Datum::BigInt(-1))), "{datum:?}");
            assert_eq!(rows.len(), 1);
        }
        let records = FormatSettings { avro_plain: false, ..settings };
        let decoder = ConfluentDecoder::new(projection, &options(), records).unwrap();
        assert_eq!(decode(&decoder, &[0, 0, 0, 0, 7, 1]).unwrap_err().kind(), ErrorKind::Data);
    }

    #[test]
    fn a_writers_list_of_a_million_in_itself_is_refused() {
        let list = r#"{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}"#;
        let decoder = decoder_of(list);
        let nested = |depth| [&[0, 0, 0, 0, 1][..], &vec![2; depth], &[0]].concat();
        assert!(decode(&decoder, &nested(100)).is_ok());
        assert_eq!(decode(&decoder, &nested(1_000_000)).unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn items_that_take_no_bytes_are_limited() {
        let nulls =
            r#"{"type":"record","name":"R","fields":[{"name":"n","type":{"type":"array","items":"null"}}]}"#;
        let decoder = decoder_of(nulls);
        assert!(decode(&decoder, &[0, 0, 0, 0, 1, 20, 0]).is_ok());
        let two_billion = [0, 0, 0, 0, 1, 0xee, 0xff, 0xff, 0xff, 0x0f, 0];
        assert_eq!(decode(&decoder, &two_billion).unwrap_err().kind(), ErrorKind::Limit);
    }

    /// `BinaryDecoder.skipString` passes over any length; Flink's answer is an EOFException.
    #[test]
    fn a_text_that_nobody_reads_may_have_any_length_and_ends_with_the_datum() {
        let decoder = decoder_of(r#"{"type":"record","name":"R","fields":[{"name":"s","type":"string"}]}"#);
        let of_14_billion = [0, 0, 0, 0, 1, 0xF0, 0x9F, 0x98, 0x80, 0x69];
        assert_eq!(decode(&decoder, &of_14_billion).unwrap_err().kind(), ErrorKind::Data);
    }

    #[test]
    fn records_that_hold_nothing_in_the_end_are_skipped_up_to_a_limit() {
        let mut schema = r#"{"type":"record","name":"R0","fields":[]}"#.to_owned();
        for level in 1..=40 {
            schema = format!(
                r#"{{"type":"record","name":"R{level}","fields":[{{"name":"a","type":{schema}}},{{"name":"b","type":"R{}"}}]}}"#,
                level - 1
            );
        }
        let decoder = decoder_of(&format!(
            r#"{{"type":"record","name":"W","fields":[{{"name":"w","type":{schema}}}]}}"#
        ));
        assert_eq!(decode(&decoder, &[0, 0, 0, 0, 1]).unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_asked_for_once() {
        let registry = Reluctant::new();
        registry.asked.store(1, Ordering::Relaxed);
        registry.registry.insert(1, "no schema");
        registry.registry.insert(2, r#"{"type":"record","name":"W","fields":[]}"#);
        let shared: Arc<dyn SchemaRegistry> = registry.clone();
        let fields = [Field::new("a", LogicalType::Int.nullable())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let decoder = ConfluentDecoder::new(projection, &options(), settings(&shared)).unwrap();
        for _ in 0..3 {
            let error = decode(&decoder, &[0, 0, 0, 0, 1]).unwrap_err();
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::Data, "the registry's schema with id 1 cannot be used")
            );
            assert!(error.source().unwrap().to_string().contains("not JSON"), "{error}");
        }
        assert_eq!(registry.asked.load(Ordering::Relaxed), 2);
        assert!(decode(&decoder, &[0, 0, 0, 0, 2]).is_ok(), "another one may be used");
    }

    #[test]
    fn a_writers_schema_that_unfolds_without_end_is_refused() {
        // At each of 24 levels two records, both with a field that is either record of the level below.
        let mut below = r#""int""#.to_owned();
        let mut names_below = r#""int""#.to_owned();
        let mut row = LogicalType::Int.nullable();
        for level in 0..24 {
            below = format!(
                r#"[{{"type":"record","name":"A{level}","fields":[{{"name":"a","type":{below}}}]}},
                    {{"type":"record","name":"B{level}","fields":[{{"name":"a","type":{names_below}}}]}}]"#
            );
            names_below = format!(r#"["A{level}","B{level}"]"#);
            row = LogicalType::row([Field::new("a", row)]).nullable();
        }
        let memory = MemorySchemaRegistry::new();
        memory
            .insert(1, format!(r#"{{"type":"record","name":"R","fields":[{{"name":"a","type":{below}}}]}}"#));
        let registry: Arc<dyn SchemaRegistry> = Arc::new(memory);
        let fields = [Field::new("a", row)];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let decoder = ConfluentDecoder::new(projection, &options(), settings(&registry)).unwrap();
        let error = decode(&decoder, &[0, 0, 0, 0, 1, 0]).unwrap_err();
        assert_eq!(
            error.source().unwrap().to_string(),
            "the writer's schema unfolds to more than 65,536 steps"
        );
    }
}
