//! What serde serializes, put into a row.

use std::fmt::{Display, Write};

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
    Serializer,
};

use super::of::Of;
use super::scalar::Scalar;
use super::types::{Fields, Type, refuse};
use crate::error::Error;
use crate::row::{Datum, Decimal, RowBuf, Slot, Timestamp};

/// Puts a value into its place in a row; the outermost struct, map or tuple is the row itself.
pub(super) struct ValueWriter<'r> {
    of: Of<'r>,
    row: &'r mut RowBuf,
    place: usize,
}

impl<'r> ValueWriter<'r> {
    /// For the columns of `row`, whatever is in them.
    pub(super) fn of_row(columns: &'r mut Fields, row: &'r mut RowBuf) -> Self {
        Self { of: Of::Row(columns), row, place: 0 }
    }

    #[inline]
    fn new(of: &'r mut Type, row: &'r mut RowBuf, place: usize) -> Self {
        Self { of: Of::Value(of), row, place }
    }

    /// For one more value after those of the row.
    #[inline]
    fn pushed(of: &'r mut Type, row: &'r mut RowBuf) -> Self {
        let place = row.begin();
        row.push_slot(Slot::Null);
        Self::new(of, row, place)
    }

    #[inline]
    fn put(self, slot: Slot) -> Result<(), Error> {
        self.row.store(self.place, slot);
        Ok(())
    }

    fn integer(self, value: i64) -> Result<(), Error> {
        let slot = self.of.integer(value)?;
        self.put(slot)
    }

    fn large_integer(self, value: Option<i128>) -> Result<(), Error> {
        let slot = self.of.large_integer(value)?;
        self.put(slot)
    }

    fn several(self, found: &'static str, takes: impl Fn(&Type) -> bool) -> Result<Several<'r>, Error> {
        let is_taken = match &self.of {
            Of::Value(of) => takes(of),
            Of::Row(_) => found != "a sequence",
            Of::Decimal | Of::Timestamp => false,
        };
        if !is_taken {
            return Err(self.of.mismatch(found));
        }
        let Self { of, row, place } = self;
        Ok(match of {
            Of::Row(fields) => Several::Row(RowWriter::outermost(fields, row, true)),
            Of::Value(Type::Row(fields)) => Several::Row(RowWriter::nested(fields, row, place)),
            Of::Value(Type::Array(element)) => {
                let mark = row.begin();
                Several::Array { element, row, mark, place }
            }
            Of::Value(Type::Map(entry)) => {
                let mark = row.begin();
                Several::Map { entry, row, mark, place }
            }
            Of::Value(_) | Of::Decimal | Of::Timestamp => {
                let bytes = row.bytes_slot(&[]);
                Several::Bytes { bytes, row, place }
            }
        })
    }
}

impl<'r> Serializer for ValueWriter<'r> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Several<'r>;
    type SerializeTuple = Several<'r>;
    type SerializeTupleStruct = Several<'r>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Several<'r>;
    type SerializeStruct = RowWriter<'r>;
    type SerializeStructVariant = Impossible<(), Error>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::Boolean) => self.put(Slot::Boolean(value)),
            _ => Err(self.of.mismatch("a bool")),
        }
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::Int) => self.put(Slot::Int(value)),
            _ => self.integer(value.into()),
        }
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::BigInt) => self.put(Slot::BigInt(value)),
            _ => self.integer(value),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        self.large_integer(Some(value))
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.integer(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.large_integer(Some(value.into()))
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        self.large_integer(i128::try_from(value).ok())
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::Float) => self.put(Slot::Float(value)),
            Of::Value(Type::Double) => self.put(Slot::Double(value.into())),
            _ => Err(self.of.mismatch("an f32")),
        }
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::Double) => self.put(Slot::Double(value)),
            _ => Err(self.of.mismatch("an f64")),
        }
    }

    /// Written among the row's texts, which are reused, be it to be parsed.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        let mut written = Ok(());
        let slot = self.row.str_slot_with(|text| written = write!(text, "{value}"));
        written.map_err(|_| refuse("a value that cannot be shown"))?;
        self.row.store(self.place, slot);
        if matches!(self.of, Of::Value(Type::String)) {
            return Ok(());
        }
        let parsed = match self.row.at(self.place) {
            Datum::String(text) => self.of.parse(text),
            _ => Err(self.of.mismatch("a text")),
        };
        self.put(parsed?)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::String) => {
                let slot = self.row.str_slot(value);
                self.put(slot)
            }
            _ => {
                let slot = self.of.parse(value)?;
                self.put(slot)
            }
        }
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        let slot = match &self.of {
            Of::Value(Type::Bytes) => Some(self.row.bytes_slot(value)),
            Of::Decimal => value.try_into().ok().and_then(Decimal::of_bytes).map(Slot::Decimal),
            Of::Timestamp => value.try_into().ok().and_then(Timestamp::of_bytes).map(Slot::Timestamp),
            Of::Value(_) | Of::Row(_) => None,
        };
        match slot {
            Some(slot) => self.put(slot),
            None => Err(self.of.mismatch("bytes")),
        }
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        match &self.of {
            Of::Value(_) => self.put(Slot::Null),
            _ => Err(self.of.mismatch("nothing")),
        }
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        match &self.of {
            Of::Value(Type::String) => self.serialize_str(variant),
            _ => Err(self.of.mismatch("an enum")),
        }
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let of = match self.of {
            Of::Value(Type::Decimal) if name == Decimal::NAME => Of::Decimal,
            Of::Value(Type::Timestamp | Type::TimestampLtz) if name == Timestamp::NAME => Of::Timestamp,
            of => of,
        };
        value.serialize(Self { of, ..self })
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        matches!(self.of, Of::Value(_) | Of::Row(_))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(self.of.mismatch("an enum with data"))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Several<'r>, Error> {
        self.several("a sequence", |of| matches!(of, Type::Array(_) | Type::Bytes))
    }

    fn serialize_tuple(self, _: usize) -> Result<Several<'r>, Error> {
        self.several("a tuple", |of| matches!(of, Type::Array(_) | Type::Bytes | Type::Row(_)))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Several<'r>, Error> {
        self.serialize_tuple(len)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        Err(self.of.mismatch("an enum with data"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Several<'r>, Error> {
        self.several("a map", |of| matches!(of, Type::Map(_) | Type::Row(_)))
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<RowWriter<'r>, Error> {
        match self.of {
            Of::Row(fields) => Ok(RowWriter::outermost(fields, self.row, false)),
            Of::Value(Type::Row(fields)) => Ok(RowWriter::nested(fields, self.row, self.place)),
            _ => Err(self.of.mismatch("a struct")),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        Err(self.of.mismatch("an enum with data"))
    }
}

/// Fills the columns of the row itself, or the fields of a nested one.
pub(super) struct RowWriter<'r> {
    fields: &'r mut Fields,
    row: &'r mut RowBuf,
    /// Where the first field goes.
    mark: usize,
    /// Where a nested row goes.
    place: Option<usize>,
    /// How many fields were written.
    count: usize,
    /// That of a map's next value.
    column: usize,
}

impl<'r> RowWriter<'r> {
    /// For the columns of `row`; those that may be left out begin as NULL.
    #[inline]
    fn outermost(fields: &'r mut Fields, row: &'r mut RowBuf, may_lack_some: bool) -> Self {
        if may_lack_some {
            row.reset(0);
        }
        row.reuse(fields.len());
        Self { fields, row, mark: 0, place: None, count: 0, column: 0 }
    }

    fn nested(fields: &'r mut Fields, row: &'r mut RowBuf, place: usize) -> Self {
        let mark = row.begin();
        row.push_nulls(fields.len());
        Self { fields, row, mark, place: Some(place), count: 0, column: 0 }
    }

    /// Puts a value into the column at that position.
    #[inline]
    fn put<T: Serialize + ?Sized>(&mut self, column: usize, value: &T) -> Result<(), Error> {
        let (name, of) = &mut self.fields.fields[column];
        let written = value.serialize(ValueWriter::new(of, self.row, self.mark + column));
        written.map_err(|error| error.in_column(name))
    }

    /// The next one of a tuple.
    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if self.count == self.fields.len() {
            return Err(refuse(format!("expected a tuple of {}, found a longer one", self.count)));
        }
        self.count += 1;
        self.put(self.count - 1, value)
    }

    /// The column of a map's key.
    fn key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let place = self.row.begin();
        key.serialize(ValueWriter::pushed(&mut Type::String, self.row))?;
        let Datum::String(name) = self.row.at(place) else {
            return Err(refuse("expected a name, found NULL"));
        };
        self.column = self.fields.find(name, self.count)?;
        self.count = self.column + 1;
        self.row.rewind(place);
        Ok(())
    }

    #[inline]
    fn finish(self) -> Result<(), Error> {
        if let Some(place) = self.place {
            let slot = self.row.row_slot(self.mark);
            self.row.store(place, slot);
        }
        Ok(())
    }
}

impl SerializeStruct for RowWriter<'_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let column = self.fields.column(name, self.count)?;
        self.count += 1;
        self.put(column, value)
    }

    /// A field that is skipped for its value is NULL.
    #[inline]
    fn skip_field(&mut self, name: &'static str) -> Result<(), Error> {
        self.serialize_field(name, &())
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.fields.check_all(self.count)?;
        self.finish()
    }
}

/// Puts several values into a row.
pub(super) enum Several<'r> {
    Array { element: &'r mut Type, row: &'r mut RowBuf, mark: usize, place: usize },
    Bytes { bytes: Slot, row: &'r mut RowBuf, place: usize },
    Map { entry: &'r mut (Type, Type), row: &'r mut RowBuf, mark: usize, place: usize },
    Row(RowWriter<'r>),
}

impl Several<'_> {
    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        match self {
            Self::Array { element, row, mark, .. } => {
                let index = row.begin() - *mark;
                let written = value.serialize(ValueWriter::pushed(element, row));
                written.map_err(|error| error.in_element(index))
            }
            Self::Bytes { bytes, row, .. } => {
                let place = row.begin();
                value.serialize(ValueWriter::pushed(&mut Type::SmallInt, row))?;
                let Datum::SmallInt(byte) = row.at(place) else {
                    return Err(refuse("expected bytes, found NULL"));
                };
                row.rewind(place);
                let byte =
                    u8::try_from(byte).map_err(|_| refuse(format!("expected a byte, found {byte}")))?;
                row.lengthen(bytes, byte);
                Ok(())
            }
            Self::Row(row) => row.next(value),
            Self::Map { .. } => unreachable!("a map has keys"),
        }
    }

    fn finish(self) -> Result<(), Error> {
        match self {
            Self::Array { row, mark, place, .. } => {
                let slot = row.array_slot(mark);
                row.store(place, slot);
            }
            Self::Bytes { bytes, row, place } => row.store(place, bytes),
            Self::Map { row, mark, place, .. } => {
                let slot = row.map_slot(mark);
                row.store(place, slot);
            }
            Self::Row(row) => return row.finish(),
        }
        Ok(())
    }
}

impl SerializeSeq for Several<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next(value)
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}

impl SerializeTuple for Several<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next(value)
    }

    fn end(self) -> Result<(), Error> {
        match &self {
            Self::Row(RowWriter { fields, count, .. }) if *count != fields.len() => {
                Err(refuse(format!("expected a tuple of {}, found one of {count}", fields.len())))
            }
            _ => self.finish(),
        }
    }
}

impl SerializeTupleStruct for Several<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next(value)
    }

    fn end(self) -> Result<(), Error> {
        SerializeTuple::end(self)
    }
}

impl SerializeMap for Several<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        match self {
            Self::Map { entry, row, .. } => key.serialize(ValueWriter::pushed(&mut entry.0, row)),
            Self::Row(row) => row.key(key),
            Self::Array { .. } | Self::Bytes { .. } => unreachable!("a list has no keys"),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        match self {
            Self::Map { entry, row, .. } => value.serialize(ValueWriter::pushed(&mut entry.1, row)),
            Self::Row(row) => row.put(row.column, value),
            Self::Array { .. } | Self::Bytes { .. } => unreachable!("a list has no keys"),
        }
    }

    fn end(self) -> Result<(), Error> {
        self.finish()
    }
}
