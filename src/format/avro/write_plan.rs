//! What writes a datum, compiled once; it drives an [`Emit`] value by value.

use super::hash_order::HashOrder;
use crate::error::{Error, ErrorKind};
use crate::format::in_place::{End, Stop};
use crate::row::{Datum, DatumKind, DecimalColumn, Entries, Row, Timestamp, Values};
use crate::text::{Label, Room};

/// How a row is written: what `avro`, `avro-confluent` and `debezium-avro-confluent` share.
#[derive(Clone, Debug)]
pub(super) struct RowWriter {
    /// Where the row's record is a branch of a union.
    pub(super) wrapper: Wrapper,
    pub(super) record: RecordWriter,
}

/// How a datum's parts are written, as bytes or as JSON, and where they end. What goes into a room is short: its length is
/// told.
pub(super) trait Emit: Copy {
    /// Writes what stands in front of a value that is not NULL, and says where the value begins, and the room there.
    fn begin<'o>(
        self,
        wrapper: &Wrapper,
        out: &'o mut [u8],
        at: usize,
    ) -> Result<(usize, &'o mut Room), Stop>;
    /// Writes what stands after it.
    fn end(self, wrapper: &Wrapper, out: &mut [u8], at: usize) -> End;
    /// Writes the branch null of a union, and what stands in front of it.
    fn null(self, wrapper: &Wrapper, out: &mut [u8], at: usize) -> End;
    fn boolean(self, value: bool, room: &mut Room) -> usize;
    fn int(self, value: i32, room: &mut Room) -> usize;
    fn long(self, value: i64, room: &mut Room) -> usize;
    fn float(self, value: f32, room: &mut Room) -> usize;
    fn double(self, value: f64, room: &mut Room) -> usize;
    fn decimal(self, unscaled: i128, out: &mut [u8], at: usize) -> End;
    fn string(self, value: &str, out: &mut [u8], at: usize) -> End;
    fn bytes(self, value: &[u8], out: &mut [u8], at: usize) -> End;
    fn symbol(self, index: i32, symbol: &str, out: &mut [u8], at: usize) -> End;
    fn end_record(self, out: &mut [u8], start: usize, end: usize) -> End;
    /// An array or a map.
    fn begin_list(self, len: usize, out: &mut [u8], at: usize) -> End;
    fn end_array(self, out: &mut [u8], start: usize, end: usize) -> End;
    fn key(self, key: &str, out: &mut [u8], at: usize) -> End;
    fn end_map(self, out: &mut [u8], start: usize, end: usize) -> End;
}

/// What stands around a value.
#[derive(Clone, Debug)]
pub(super) struct Wrapper {
    /// Whether the value is a branch of a union, beside null.
    pub(super) in_union: bool,
    /// The index of that branch as a varint: of 0 and 1, null has the other one.
    pub(super) branch: u8,
    /// Avro's name of the type.
    pub(super) type_name: Box<str>,
    /// The JSON in front of the value: `,"name":` in a record, `,` in an array, `:` in a map; and for a union the branch,
    /// `{"int":`.
    pub(super) label: Label,
    /// How much of it is in front of null.
    pub(super) null_at: usize,
}

/// The fields of a record.
#[derive(Clone, Debug)]
pub(super) struct RecordWriter {
    pub(super) fields: Box<[FieldWriter]>,
}

#[derive(Clone, Debug)]
pub(super) struct FieldWriter {
    pub(super) name: Box<str>,
    pub(super) column: usize,
    pub(super) value: ValueWriter,
}

/// How a value of one type is written.
#[derive(Clone, Debug)]
pub(super) struct ValueWriter {
    pub(super) wrapper: Wrapper,
    pub(super) shape: Shape,
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
    pub(super) fn is_empty(&self) -> bool {
        self.record.fields.is_empty()
    }

    #[inline(always)]
    pub(super) fn write<R: Row + ?Sized, E: Emit>(&self, row: &R, emit: E, out: &mut [u8], at: usize) -> End {
        let (at, _) = emit.begin(&self.wrapper, out, at)?;
        let at = self.record.write(|column| row.datum(column), emit, out, at)?;
        emit.end(&self.wrapper, out, at)
    }
}

impl RecordWriter {
    #[inline(always)]
    pub(super) fn write<'a, E: Emit>(
        &self,
        datum: impl Fn(usize) -> Datum<'a>,
        emit: E,
        out: &mut [u8],
        start: usize,
    ) -> End {
        let mut at = start;
        for field in &self.fields {
            let written = field.value.write(|| datum(field.column), emit, out, at);
            at = written.map_err(|stop| stop.at(|error| error.in_column(&field.name)))?;
        }
        emit.end_record(out, start, at)
    }

    fn write_nested<E: Emit>(&self, values: Values<'_>, emit: E, out: &mut [u8], start: usize) -> End {
        self.write(|field| values.value(field), emit, out, start)
    }
}

impl ValueWriter {
    /// Writes the value and what stands around it.
    ///
    /// The datum comes last, and its kind decides first: so what the compiler sees of a row's columns leads straight to
    /// the arms of their types.
    #[inline(always)]
    fn write<'a, E: Emit>(
        &self,
        datum: impl FnOnce() -> Datum<'a>,
        emit: E,
        out: &mut [u8],
        start: usize,
    ) -> End {
        let (at, room) = emit.begin(&self.wrapper, out, start)?;
        let end = match (datum(), &self.shape) {
            (Datum::Null, _) => return self.write_null(emit, out, start),
            (Datum::Boolean(value), Shape::Boolean) => at + emit.boolean(value, room),
            (Datum::TinyInt(value), Shape::TinyInt) => at + emit.int(value.into(), room),
            (Datum::SmallInt(value), Shape::SmallInt) => at + emit.int(value.into(), room),
            (Datum::Int(value), Shape::Int)
            | (Datum::Date(value), Shape::Date)
            | (Datum::Time(value), Shape::Time) => at + emit.int(value, room),
            (Datum::BigInt(value), Shape::BigInt) => at + emit.long(value, room),
            (Datum::Float(value), Shape::Float) => at + emit.float(value, room),
            (Datum::Double(value), Shape::Double) => at + emit.double(value, room),
            (Datum::Decimal(value), Shape::Decimal(column)) => {
                emit.decimal(column.unscaled(value)?, out, at)?
            }
            (Datum::String(value), Shape::String) => emit.string(value, out, at)?,
            (Datum::String(value), Shape::Symbol(symbols)) => {
                emit.symbol(symbol(symbols, value)?, value, out, at)?
            }
            (Datum::Bytes(value), Shape::Bytes) => emit.bytes(value, out, at)?,
            (Datum::Timestamp(value), Shape::TimestampMillis) => at + emit.long(value.millis(), room),
            (Datum::Timestamp(value), Shape::TimestampMicros) => at + emit.long(micros(value)?, room),
            (Datum::Array(values), Shape::Array(element)) => write_array(element, values, emit, out, at)?,
            (Datum::Map(entries), Shape::Map(value)) => write_map(value, entries, emit, out, at)?,
            (Datum::Row(values), Shape::Row(record)) => record.write_nested(values, emit, out, at)?,
            (found, shape) => return Err(shape.mismatch(found.kind()).into()),
        };
        emit.end(&self.wrapper, out, end)
    }

    #[inline]
    fn write_null<E: Emit>(&self, emit: E, out: &mut [u8], at: usize) -> End {
        match self.wrapper.in_union {
            true => emit.null(&self.wrapper, out, at),
            false => Err(null_error(&self.wrapper.type_name).into()),
        }
    }
}

fn write_array<E: Emit>(
    element: &ValueWriter,
    values: Values<'_>,
    emit: E,
    out: &mut [u8],
    start: usize,
) -> End {
    let mut at = emit.begin_list(values.len(), out, start)?;
    for (index, value) in values.iter().enumerate() {
        let written = element.write(|| value, emit, out, at);
        at = written.map_err(|stop| stop.at(|error| error.in_element(index)))?;
    }
    emit.end_array(out, start, at)
}

fn write_map<E: Emit>(
    value: &ValueWriter,
    entries: Entries<'_>,
    emit: E,
    out: &mut [u8],
    start: usize,
) -> End {
    let (entries, out) = HashOrder::new(entries, out, start)?;
    let mut at = emit.begin_list(entries.len(), out, start)?;
    for (key, datum) in entries.iter() {
        at = emit.key(key, out, at)?;
        let written = value.write(|| datum, emit, out, at);
        at = written.map_err(|stop| stop.at(|error| error.in_key(key)))?;
    }
    emit.end_map(out, start, at)
}

fn symbol(symbols: &[Box<str>], value: &str) -> Result<i32, Error> {
    let index = symbols.iter().position(|symbol| **symbol == *value);
    index.and_then(|index| i32::try_from(index).ok()).ok_or_else(unknown_symbol)
}

/// Not inlined: the compiler would compute it for every row, ahead of the loop over its columns.
#[inline(never)]
fn micros(value: Timestamp) -> Result<i64, Error> {
    let micros = value.millis().checked_mul(1000);
    let micros = micros.and_then(|micros| micros.checked_add((value.nanos_of_millis() / 1000).into()));
    micros.ok_or_else(too_far)
}

impl Shape {
    #[cold]
    fn mismatch(&self, found: DatumKind) -> Error {
        let expected = match self {
            Self::Boolean => DatumKind::Boolean,
            Self::TinyInt => DatumKind::TinyInt,
            Self::SmallInt => DatumKind::SmallInt,
            Self::Int => DatumKind::Int,
            Self::BigInt => DatumKind::BigInt,
            Self::Float => DatumKind::Float,
            Self::Double => DatumKind::Double,
            Self::Decimal(_) => DatumKind::Decimal,
            Self::String | Self::Symbol(_) => DatumKind::String,
            Self::Bytes => DatumKind::Bytes,
            Self::Date => DatumKind::Date,
            Self::Time => DatumKind::Time,
            Self::TimestampMillis | Self::TimestampMicros => DatumKind::Timestamp,
            Self::Array(_) => DatumKind::Array,
            Self::Map(_) => DatumKind::Map,
            Self::Row(_) => DatumKind::Row,
            Self::Unwritable(message) => return Error::new(ErrorKind::Row, message.to_string()),
        };
        expected.mismatch(found)
    }
}

/// The shortest two's complement, as `BigInteger.toByteArray` gives it, and how many bytes it has: at least one.
#[inline]
pub(super) fn minimal(value: i128) -> ([u8; 16], usize) {
    let repeated_signs = (value ^ value >> 127).leading_zeros() - 1;
    let needless = repeated_signs / 8;
    ((value << (8 * needless)).to_be_bytes(), 16 - needless as usize)
}

#[cold]
fn null_error(type_name: &str) -> Error {
    Error::new(ErrorKind::Row, format!("null value for (non-nullable) {type_name}"))
}

#[cold]
pub(super) fn unknown_symbol() -> Error {
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
            (i128::MAX, &i128::MAX.to_be_bytes()),
            (i128::MIN, &i128::MIN.to_be_bytes()),
        ] {
            let (found, len) = minimal(unscaled);
            assert_eq!(&found[..len], bytes, "{unscaled}");
        }
    }
}
