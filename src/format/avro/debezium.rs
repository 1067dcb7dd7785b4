//! `debezium-avro-confluent`: the change events of Debezium as Avro, after the id of their schema.
//!
//! An event is a record of `before`, `after` and `op`, be it among other fields. The rows in it are read from and written
//! into its bytes at once.
//!
//! Agrees with `DebeziumAvroSerializationSchema` and `DebeziumAvroDeserializationSchema` of
//! `org.apache.flink.formats.avro.registry.confluent.debezium`.

use std::sync::Arc;

use super::compile::{branch_beside_null, compile_record};
use super::decode_binary::BinaryReader;
use super::encode_binary::BinaryEmit;
use super::options::{AvroTimestamps, DebeziumAvroOptions};
use super::read_plan::{FieldRead, OctetsTo, Read, Record, Resolved};
use super::registration::{Registration, split};
use super::schema::{AvroSchema, Node};
use super::write_plan::{RecordWriter, unknown_symbol};
use super::writers::Writers;
use crate::error::{Error, ErrorKind};
use crate::format::envelope::{missing, no_before};
use crate::format::in_place::{put, put_bytes, write_in_place};
use crate::format::options::FormatOptions;
use crate::format::{DecodeRow, EncodeRow, Encoded, FormatSettings, NoRow, Projection, Rows};
use crate::row::{Row, RowKind};
use crate::text;
use crate::types::{Field, LogicalType};
use crate::wire::{Buffer, append_varint};

/// The fields of an event, by their place in it.
const FIELDS: [&str; 3] = ["before", "after", "op"];
const BEFORE: usize = 0;
const AFTER: usize = 1;
const OP: usize = 2;

/// Writes a row as an event: `+I` and `+U` as the creation of a row, `-U` and `-D` as its deletion, as Flink does.
#[derive(Clone, Debug)]
pub(crate) struct DebeziumAvroEncoder {
    registration: Registration,
    create: Event,
    delete: Event,
}

/// An event, and what stands around its row.
#[derive(Clone, Debug)]
struct Event {
    head: Box<[u8]>,
    row: RecordWriter,
    /// None where the schema has an enum without the operation.
    tail: Option<Box<[u8]>>,
}

impl DebeziumAvroEncoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema or do not fit the one given; and without a registry.
    pub(crate) fn new(
        projection: Projection<'_>,
        DebeziumAvroOptions(options): &DebeziumAvroOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let fields = event_fields(projection.fields);
        let schema = schema_of(&fields, options.schema.as_deref())?;
        let registration =
            Registration::new(schema.to_string(), options, settings, DebeziumAvroOptions::IDENTIFIER)?;
        let event = |image, op| Event::new(&schema, image, op, projection, settings);
        Ok(Self { registration, create: event(AFTER, "c"), delete: event(BEFORE, "d") })
    }
}

impl Event {
    fn new(
        schema: &AvroSchema,
        image: usize,
        op: &str,
        projection: Projection<'_>,
        settings: FormatSettings<'_>,
    ) -> Self {
        // The event, its images and its operation are all nullable.
        let (event, root) = branch_beside_null(&schema.root).expect("the schema of an event");
        let Node::Named(event) = event else { unreachable!("an event is a record") };
        let fields = schema.named(*event).fields();
        let (mut head, mut tail) = (vec![root], Vec::new());
        for (place, field) in fields[..OP].iter().enumerate() {
            let (_, branch) = branch_beside_null(&field.schema).expect("an image of an event");
            let part = if place <= image { &mut head } else { &mut tail };
            part.push(if place == image { branch } else { 2 - branch });
        }
        let (node, branch) = branch_beside_null(&fields[OP].schema).expect("the operation of an event");
        tail.push(branch);
        let index = match node {
            Node::Named(symbols) => schema.named(*symbols).symbols().iter().position(|symbol| symbol == op),
            _ => Some(op.len()),
        };
        let index = index.and_then(|index| i32::try_from(index).ok());
        let tail = index.map(|index| {
            append_varint(&mut tail, index);
            if !matches!(node, Node::Named(_)) {
                tail.extend_from_slice(op.as_bytes());
            }
            tail.into()
        });
        let row = compile_record(schema, &fields[image].schema, projection, settings);
        Self { head: head.into(), row, tail }
    }
}

impl EncodeRow for DebeziumAvroEncoder {
    #[inline(never)]
    fn encode<R: Row + ?Sized>(&self, kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        let event = if kind.is_retraction() { &self.delete } else { &self.create };
        let head = self.registration.head()?;
        write_in_place(out, |out| {
            let at = put(out, 0, &head)?;
            let at = put_bytes(out, at, &event.head)?;
            let at = event.row.write(|column| row.datum(column), BinaryEmit, out, at)?;
            put_bytes(out, at, event.tail.as_deref().ok_or_else(unknown_symbol)?)
        })?;
        Ok(Encoded::Bytes)
    }
}

/// Reads events: `-U` and `+U` out of an update.
#[derive(Clone, Debug)]
pub(crate) struct DebeziumAvroDecoder {
    writers: Arc<Writers>,
    columns: Box<[usize]>,
}

impl DebeziumAvroDecoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema or do not fit the one given; and without a registry.
    pub(crate) fn new(
        projection: Projection<'_>,
        DebeziumAvroOptions(options): &DebeziumAvroOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let fields = event_fields(projection.fields);
        let reader = schema_of(&fields, options.schema.as_deref())?;
        let writers = Writers::new(reader, &fields, settings, DebeziumAvroOptions::IDENTIFIER)?;
        Ok(Self { writers: Arc::new(writers), columns: projection.columns.into() })
    }

    /// The id of the schema that `bytes` need and the registry does not answer, or not yet.
    pub(crate) fn missing_schema(&self, bytes: Option<&[u8]>) -> Option<i32> {
        self.writers.missing(bytes?)
    }
}

impl DecodeRow for DebeziumAvroDecoder {
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let (id, datum) = split(bytes)?;
        self.writers.read(id, |resolved| {
            let mut event = EventReader { columns: &self.columns, images: Images::default(), op: None };
            let mut reader = BinaryReader::new(datum, resolved);
            event.read(&mut reader, resolved, rows).map_err(|error| error.with_offset(reader.position()))?;
            event.finish(bytes, rows)
        })
    }
}

/// An event on its way to rows.
struct EventReader<'a> {
    columns: &'a [usize],
    images: Images,
    op: Option<&'a [u8]>,
}

/// Which rows have been pushed.
#[derive(Clone, Copy, Default)]
struct Images {
    before: bool,
    after: bool,
}

impl<'a> EventReader<'a> {
    fn read(
        &mut self,
        reader: &mut BinaryReader<'a>,
        resolved: &'a Resolved,
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        let Read::Row(Record { fields, defaults, .. }) = reader.branch(&resolved.root)? else {
            return Err(Error::new(ErrorKind::Data, "expected an event, found null"));
        };
        for field in fields {
            match field {
                FieldRead::Keep { position, read, .. } => self.field(*position, read, reader, rows)?,
                FieldRead::Skip(node) => reader.skip_field(node)?,
            }
        }
        for default in defaults {
            let mut reader = BinaryReader::new(&default.bytes, resolved);
            self.field(default.position, &default.read, &mut reader, rows)?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        position: usize,
        read: &'a Read,
        reader: &mut BinaryReader<'a>,
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        let in_field = |error: Error| error.in_column(FIELDS[position]);
        match (position, reader.branch(read).map_err(in_field)?) {
            (OP, Read::Octets(_)) => {
                let op = reader.octets(|| OctetsTo::String.too_long());
                self.op = Some(op.map_err(in_field)?);
            }
            (OP, Read::Symbol(symbols)) => {
                let op = reader.symbol(symbols).map_err(in_field)?;
                self.op = Some(op.as_bytes());
            }
            (BEFORE, Read::Row(record)) => {
                let row = rows.push(RowKind::UpdateBefore)?;
                reader.record(record, row, |position| self.columns[position])?;
                // The row before the change is the first one, whatever comes first.
                if self.images.after {
                    rows.swap_last_two();
                }
                self.images.before = true;
            }
            (AFTER, Read::Row(record)) => {
                let row = rows.push(RowKind::UpdateAfter)?;
                reader.record(record, row, |position| self.columns[position])?;
                self.images.after = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// Makes the rows those of the operation.
    fn finish(&self, bytes: &[u8], rows: &mut Rows<'_>) -> Result<(), Error> {
        let Images { before, after } = self.images;
        match self.op.ok_or_else(|| missing("op"))? {
            b"c" | b"r" if !after => Err(missing("after")),
            b"c" | b"r" => {
                if before {
                    rows.swap_last_two();
                    rows.pop();
                }
                rows.set_kind_of_last(RowKind::Insert);
                Ok(())
            }
            b"u" if !before => Err(no_before("Debezium", "UPDATE")),
            b"u" if !after => Err(missing("after")),
            b"u" => Ok(()),
            b"d" if !before => Err(no_before("Debezium", "DELETE")),
            b"d" => {
                if after {
                    rows.pop();
                }
                rows.set_kind_of_last(RowKind::Delete);
                Ok(())
            }
            unknown => Err(unknown_op(unknown, bytes)),
        }
    }
}

/// The columns of an event: a nullable row of them is what Flink reads and writes.
fn event_fields(columns: &[Field]) -> [Field; 3] {
    let image = LogicalType::row(columns.to_vec()).nullable();
    let op = LogicalType::VarChar(LogicalType::MAX_LENGTH).nullable();
    let [before, after, operation] = FIELDS;
    [Field::new(before, image.clone()), Field::new(after, image), Field::new(operation, op)]
}

/// The schema of the option, which must be one of an event; without it the one that is derived.
fn schema_of(fields: &[Field], given: Option<&str>) -> Result<AvroSchema, Error> {
    let Some(text) = given else {
        return AvroSchema::of_nullable_fields(fields, AvroTimestamps::Legacy);
    };
    let refusal = "Schema provided for 'debezium-avro-confluent' format must be a nullable record type with fields \
                   'before', 'after', 'op' and schema of fields 'before' and 'after' must match the table schema";
    AvroSchema::of_option(text, |schema| schema.is_nullable_of(fields), refusal)
}

#[cold]
fn unknown_op(op: &[u8], bytes: &[u8]) -> Error {
    let mut message = "Unknown \"op\" value \"".to_owned();
    text::decode_utf8(op, &mut message);
    message.push_str("\". The Debezium Avro message is '");
    text::decode_utf8(bytes, &mut message);
    message.push('\'');
    Error::new(ErrorKind::Data, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::avro::options::ConfluentOptions;
    use crate::format::avro::{MemorySchemaRegistry, SchemaRegistry};
    use crate::format::{NullRow, Scratch};
    use crate::row::{ChangelogBuf, RowBudget};

    /// Flink's sentence of a field that does not fit tells two types alone, and three fields have the same ones.
    #[test]
    fn an_error_names_the_field_of_the_event() {
        let memory = MemorySchemaRegistry::new();
        let row = r#"{"type":"record","name":"Value","fields":[{"name":"id","type":"int"}]}"#;
        let columns = [["int", row, "string"], [row, "int", "string"], [row, "Value", "int"]];
        for (id, types) in (1..).zip(columns) {
            let [before, after, op] =
                types.map(|of| if of.starts_with('{') { of.into() } else { format!("{of:?}") });
            let schema = format!(
                r#"{{"type":"record","name":"Envelope","fields":[{{"name":"before","type":["null",{before}]}},
                {{"name":"after","type":["null",{after}]}},{{"name":"op","type":["null",{op}]}}]}}"#
            );
            memory.insert(id, schema);
        }
        let registry: Arc<dyn SchemaRegistry> = Arc::new(memory);
        let fields = [Field::new("id", LogicalType::Int.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let settings = FormatSettings { schema_registry: Some(&registry), ..FormatSettings::default() };
        let options = DebeziumAvroOptions(ConfluentOptions { subject: None, schema: None });
        let decoder = DebeziumAvroDecoder::new(projection, &options, settings).unwrap();
        // The fields before the wrong one are null.
        let events: [&[u8]; 3] = [&[0, 0, 0, 0, 1, 2], &[0, 0, 0, 0, 2, 0, 2], &[0, 0, 0, 0, 3, 0, 0, 2]];
        let errors = events.map(|event| {
            let (mut out, mut scratch) = (ChangelogBuf::new(), Scratch::default());
            let mut rows = Rows::new(&mut out, 1, NullRow::Skip, RowBudget::default(), &mut scratch);
            decoder.decode(Some(event), &mut rows).unwrap_err().to_string()
        });
        assert_eq!(
            errors,
            [
                "column `before`, byte 1: Found int, expecting union",
                "column `after`, byte 2: Found int, expecting union",
                "column `op`, byte 3: Found int, expecting union",
            ]
        );
    }
}
