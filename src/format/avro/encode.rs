//! Rows to Avro: converters compiled once, which drive an [`Emit`] value by value.

use std::sync::atomic::{AtomicBool, Ordering};

use super::compile::Compiler;
use super::conform::nullable_branch;
use super::encode_binary::BinaryEmit;
use super::encode_json::JsonEmit;
use super::hash_order::HashOrder;
use super::options::{AvroEncoding, AvroOptions};
use super::schema::AvroSchema;
use crate::error::{Error, ErrorKind};
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection};
use crate::row::{Datum, DecimalColumn, Row, RowKind};
use crate::text::Jdk;
use crate::wire::Buffer;

/// Writes the projected columns of a row as one Avro datum, of the schema that Flink derives from them.
///
/// Agrees with `org.apache.flink.formats.avro.AvroRowDataSerializationSchema`.
#[derive(Clone, Debug)]
pub(crate) struct AvroEncoder {
    rows: RowWriter,
    encoding: Encoding,
}

#[derive(Clone, Debug)]
enum Encoding {
    Binary,
    Json { jdk: Jdk, separator: Separator },
}

impl AvroEncoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &AvroOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let schema = AvroSchema::of_fields(projection.fields, options.timestamps)?;
        let encoding = match options.encoding {
            AvroEncoding::Binary => Encoding::Binary,
            AvroEncoding::Json => {
                Encoding::Json { jdk: settings.jdk, separator: Separator::new(settings.avro_json_line_feeds) }
            }
        };
        Ok(Self { rows: RowWriter::new(&schema, projection, settings), encoding })
    }
}

impl EncodeRow for AvroEncoder {
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        out.append_with(|out| match &self.encoding {
            Encoding::Binary => self.rows.write(row, &mut BinaryEmit { out }),
            Encoding::Json { jdk, separator } => {
                if separator.is_due() {
                    out.push(b'\n');
                }
                self.rows.write(row, &mut JsonEmit { out, jdk: *jdk })?;
                separator.record_written();
                Ok(())
            }
        })?;
        Ok(Encoded::Bytes)
    }
}

/// The line feed that Flink's one JSON generator puts between its records: all but the first start with one, keys
/// too. That a record was written is all that an encoder remembers.
#[derive(Debug)]
struct Separator {
    wanted: bool,
    due: AtomicBool,
}

impl Separator {
    fn new(wanted: bool) -> Self {
        Self { wanted, due: AtomicBool::new(false) }
    }

    fn is_due(&self) -> bool {
        self.due.load(Ordering::Relaxed)
    }

    fn record_written(&self) {
        if self.wanted {
            self.due.store(true, Ordering::Relaxed);
        }
    }
}

impl Clone for Separator {
    /// A clone starts like a new encoder.
    fn clone(&self) -> Self {
        Self::new(self.wanted)
    }
}

/// The compiled converters of a row: what `avro` and `avro-confluent` share.
#[derive(Clone, Debug)]
pub(super) struct RowWriter {
    /// Where the row's record is a branch of a union.
    branches: Option<Branches>,
    record: RecordWriter,
    columns: Box<[usize]>,
}

/// Where a datum's parts go: bytes or JSON.
pub(super) trait Emit {
    fn begin_record(&mut self);
    fn field(&mut self, field: &FieldWriter);
    fn end_record(&mut self);
    /// The branch null of a union.
    fn null(&mut self, branches: &Branches);
    /// The other branch of a union: its value comes next.
    fn begin_branch(&mut self, branches: &Branches);
    fn end_branch(&mut self);
    fn boolean(&mut self, value: bool);
    fn int(&mut self, value: i32);
    fn long(&mut self, value: i64);
    fn float(&mut self, value: f32);
    fn double(&mut self, value: f64);
    fn string(&mut self, value: &str);
    fn bytes(&mut self, value: &[u8]);
    fn symbol(&mut self, index: i32, symbol: &str);
    fn begin_array(&mut self, len: usize);
    fn item(&mut self, index: usize);
    fn end_array(&mut self);
    fn begin_map(&mut self, len: usize);
    fn key(&mut self, index: usize, key: &str);
    fn end_map(&mut self);
}

/// The two branches of a union of null and a type.
#[derive(Clone, Debug)]
pub(super) struct Branches {
    /// The index of null as a varint.
    pub(super) null: u8,
    /// The index of the other branch as a varint.
    pub(super) value: u8,
    /// The JSON before a value of the other branch: `{"int":`.
    pub(super) label: Box<[u8]>,
}

/// The fields of a record.
#[derive(Clone, Debug)]
pub(super) struct RecordWriter {
    pub(super) fields: Box<[FieldWriter]>,
}

#[derive(Clone, Debug)]
pub(super) struct FieldWriter {
    pub(super) name: Box<str>,
    /// The JSON before the value: `,"name":`; the first field's has no comma.
    pub(super) label: Box<[u8]>,
    pub(super) value: ValueWriter,
}

/// How a value of one type is written.
#[derive(Clone, Debug)]
pub(super) struct ValueWriter {
    pub(super) nullability: Nullability,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Nullability {
    Nullable(Branches),
    /// With Avro's name of the type.
    Required(Box<str>),
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal(DecimalColumn),
    String,
    Symbol(Box<[Box<str>]>),
    Bytes,
    Date,
    Time,
    TimestampMillis,
    TimestampMicros,
    Array(Box<ValueWriter>),
    Map(Box<ValueWriter>),
    Row(RecordWriter),
    /// What a schema given by option may ask for, and Flink then cannot write.
    Unwritable(Box<str>),
}

impl RowWriter {
    /// `schema` must be one of the projection's fields: derived from them, or [`AvroSchema::is_of`] them.
    pub(super) fn new(schema: &AvroSchema, projection: Projection<'_>, settings: FormatSettings<'_>) -> Self {
        let compiler = Compiler { schema, true_micros: settings.avro_true_micros };
        let record = nullable_branch(&schema.root).map_or(&schema.root, |(record, _)| record);
        Self {
            branches: compiler.branches(&schema.root),
            record: compiler.record(record, projection.fields),
            columns: projection.columns.into(),
        }
    }

    #[inline]
    pub(super) fn write<R: Row + ?Sized, E: Emit>(&self, row: &R, emit: &mut E) -> Result<(), Error> {
        if let Some(branches) = &self.branches {
            emit.begin_branch(branches);
        }
        self.record.write(|field| row.datum(self.columns[field]), emit)?;
        if self.branches.is_some() {
            emit.end_branch();
        }
        Ok(())
    }
}

impl RecordWriter {
    #[inline]
    fn write<'a, E: Emit>(&self, datum: impl Fn(usize) -> Datum<'a>, emit: &mut E) -> Result<(), Error> {
        emit.begin_record();
        for (index, field) in self.fields.iter().enumerate() {
            emit.field(field);
            field.value.write(datum(index), emit).map_err(|error| error.in_column(&field.name))?;
        }
        emit.end_record();
        Ok(())
    }
}

impl ValueWriter {
    fn write<E: Emit>(&self, datum: Datum<'_>, emit: &mut E) -> Result<(), Error> {
        match (&self.nullability, datum) {
            (Nullability::Nullable(branches), Datum::Null) => emit.null(branches),
            (Nullability::Required(type_name), Datum::Null) => return Err(null_error(type_name)),
            (Nullability::Nullable(branches), datum) => {
                emit.begin_branch(branches);
                self.write_value(datum, emit)?;
                emit.end_branch();
            }
            (Nullability::Required(_), datum) => self.write_value(datum, emit)?,
        }
        Ok(())
    }

    #[inline]
    fn write_value<E: Emit>(&self, datum: Datum<'_>, emit: &mut E) -> Result<(), Error> {
        match (&self.shape, datum) {
            (Shape::Boolean, Datum::Boolean(value)) => emit.boolean(value),
            (Shape::TinyInt, Datum::TinyInt(value)) => emit.int(value.into()),
            (Shape::SmallInt, Datum::SmallInt(value)) => emit.int(value.into()),
            (Shape::Int, Datum::Int(value))
            | (Shape::Date, Datum::Date(value))
            | (Shape::Time, Datum::Time(value)) => emit.int(value),
            (Shape::BigInt, Datum::BigInt(value)) => emit.long(value),
            (Shape::Float, Datum::Float(value)) => emit.float(value),
            (Shape::Double, Datum::Double(value)) => emit.double(value),
            (Shape::Decimal(column), Datum::Decimal(value)) => {
                let bytes = column.unscaled(value)?.to_be_bytes();
                emit.bytes(minimal(&bytes));
            }
            (Shape::String, Datum::String(value)) => emit.string(value),
            (Shape::Symbol(symbols), Datum::String(value)) => {
                let index = symbols.iter().position(|symbol| **symbol == *value);
                let index = index.and_then(|index| i32::try_from(index).ok()).ok_or_else(unknown_symbol)?;
                emit.symbol(index, value);
            }
            (Shape::Bytes, Datum::Bytes(value)) => emit.bytes(value),
            (Shape::TimestampMillis, Datum::Timestamp(value)) => emit.long(value.millis()),
            (Shape::TimestampMicros, Datum::Timestamp(value)) => {
                let micros = value.millis().checked_mul(1000);
                let micros =
                    micros.and_then(|micros| micros.checked_add((value.nanos_of_millis() / 1000).into()));
                emit.long(micros.ok_or_else(too_far)?);
            }
            (Shape::Array(element), Datum::Array(values)) => {
                emit.begin_array(values.len());
                for (index, value) in values.iter().enumerate() {
                    emit.item(index);
                    element.write(value, emit).map_err(|error| error.in_element(index))?;
                }
                emit.end_array();
            }
            (Shape::Map(value), Datum::Map(entries)) => {
                let entries = HashOrder::new(entries)?;
                emit.begin_map(entries.len());
                for (index, (key, datum)) in entries.iter().enumerate() {
                    emit.key(index, key);
                    value.write(datum, emit).map_err(|error| error.in_key(key))?;
                }
                emit.end_map();
            }
            (Shape::Row(record), Datum::Row(values)) => record.write(|field| values.value(field), emit)?,
            (Shape::Unwritable(message), _) => return Err(Error::new(ErrorKind::Row, message.to_string())),
            (shape, datum) => return Err(Error::mismatch(shape.type_name(), datum.type_name())),
        }
        Ok(())
    }
}

impl Shape {
    /// The type of the datum that it takes.
    fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::Decimal(_) => "DECIMAL",
            Self::String | Self::Symbol(_) => "STRING",
            Self::Bytes => "BYTES",
            Self::Date => "DATE",
            Self::Time => "TIME",
            Self::TimestampMillis | Self::TimestampMicros => "TIMESTAMP",
            Self::Array(_) => "ARRAY",
            Self::Map(_) => "MAP",
            Self::Row(_) => "ROW",
            Self::Unwritable(_) => "nothing",
        }
    }
}

/// The shortest two's complement, as `BigInteger.toByteArray` gives it: at least one byte.
fn minimal(bytes: &[u8; 16]) -> &[u8] {
    let sign = if bytes[0] < 0x80 { 0 } else { 0xff };
    let mut rest = bytes.as_slice();
    while let [first, second, ..] = rest
        && *first == sign
        && (second ^ sign) < 0x80
    {
        rest = &rest[1..];
    }
    rest
}

#[cold]
fn null_error(type_name: &str) -> Error {
    Error::new(ErrorKind::Row, format!("null value for (non-nullable) {type_name}"))
}

#[cold]
fn unknown_symbol() -> Error {
    Error::new(ErrorKind::Row, "no symbol of the enum")
}

#[cold]
fn too_far() -> Error {
    Error::new(ErrorKind::Row, "a timestamp beyond 64 bits of microseconds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_takes_as_few_bytes_as_big_integer() {
        // golden avro/json-decimal-002
        for (unscaled, bytes) in [
            (0_i128, &[0x00][..]),
            (127, &[0x7f]),
            (128, &[0x00, 0x80]),
            (-128, &[0x80]),
            (-129, &[0xff, 0x7f]),
            (255, &[0x00, 0xff]),
            (256, &[0x01, 0x00]),
            (-32768, &[0x80, 0x00]),
            (-32769, &[0xff, 0x7f, 0xff]),
        ] {
            assert_eq!(minimal(&unscaled.to_be_bytes()), bytes, "{unscaled}");
        }
    }
}
