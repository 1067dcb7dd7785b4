//! What serde serializes, put into a row.

use std::fmt::{Display, Write};

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
    Serializer,
};

use super::parse::{parse_date, parse_instant, parse_time, parse_timestamp};
use super::scalar::Scalar;
use super::types::{Fields, Type, refuse};
use crate::error::Error;
use crate::row::{Datum, Decimal, RowBuf, Slot, Timestamp};

/// Makes a slot of a value; of the outermost struct, map or tuple the row itself.
pub(super) struct ValueWriter<'r> {
    of: Of<'r>,
    row: &'r mut RowBuf,
}

enum Of<'r> {
    Value(&'r mut Type),
    Row(&'r mut Fields),
    /// Those of ours, as bytes.
    Decimal,
    Timestamp,
}

impl<'r> ValueWriter<'r> {
    /// For the columns of `row`, which has none yet.
    pub(super) fn of_row(columns: &'r mut Fields, row: &'r mut RowBuf) -> Self {
        Self { of: Of::Row(columns), row }
    }

    #[inline]
    fn new(of: &'r mut Type, row: &'r mut RowBuf) -> Self {
        Self { of: Of::Value(of), row }
    }

    #[cold]
    fn mismatch(&self, found: &str) -> Error {
        match &self.of {
            Of::Value(of) => refuse(format!("expected {}, found {found}", of.as_str())),
            Of::Row(_) => refuse(format!("expected a struct, a map or a tuple, found {found}")),
            Of::Decimal | Of::Timestamp => refuse(format!("expected bytes, found {found}")),
        }
    }

    #[inline]
    fn integer(self, value: i64) -> Result<Slot, Error> {
        let slot = match &self.of {
            Of::Value(Type::BigInt) => Some(Slot::BigInt(value)),
            Of::Value(Type::Int) => i32::try_from(value).ok().map(Slot::Int),
            Of::Value(Type::SmallInt) => i16::try_from(value).ok().map(Slot::SmallInt),
            Of::Value(Type::TinyInt) => i8::try_from(value).ok().map(Slot::TinyInt),
            Of::Value(Type::Decimal) => Some(Slot::Decimal(Decimal::new(value.into(), 0))),
            _ => return Err(self.mismatch("an integer")),
        };
        slot.ok_or_else(|| self.mismatch(&value.to_string()))
    }

    fn large_integer(self, value: Option<i128>) -> Result<Slot, Error> {
        if let Some(value) = value.and_then(|value| i64::try_from(value).ok()) {
            return self.integer(value);
        }
        match (&self.of, value.and_then(|value| Decimal::try_new(value, 0))) {
            (Of::Value(Type::Decimal), Some(value)) => Ok(Slot::Decimal(value)),
            _ => Err(self.mismatch("a larger integer")),
        }
    }

    /// The value that a text spells.
    fn parse(&self, text: &str) -> Result<Slot, Error> {
        let timestamp = |(millis, nanos)| Slot::Timestamp(Timestamp::new(millis, nanos));
        let slot = match &self.of {
            Of::Value(Type::Decimal) => text.parse().ok().map(Slot::Decimal),
            Of::Value(Type::Date) => parse_date(text).map(Slot::Date),
            Of::Value(Type::Time) => parse_time(text).map(Slot::Time),
            Of::Value(Type::Timestamp) => parse_timestamp(text).map(timestamp),
            Of::Value(Type::TimestampLtz) => parse_instant(text).map(timestamp),
            _ => return Err(self.mismatch("a text")),
        };
        slot.ok_or_else(|| self.mismatch(&format!("{text:?}")))
    }

    fn several(self, found: &'static str, takes: impl Fn(&Type) -> bool) -> Result<Several<'r>, Error> {
        let is_row = match &self.of {
            Of::Value(of) => takes(of),
            Of::Row(_) => found != "a sequence",
            Of::Decimal | Of::Timestamp => false,
        };
        if !is_row {
            return Err(self.mismatch(found));
        }
        let mark = self.row.begin();
        let (fields, is_outermost) = match self.of {
            Of::Row(fields) => (fields, true),
            Of::Value(Type::Row(fields)) => (fields, false),
            Of::Value(Type::Array(element)) => {
                return Ok(Several { row: self.row, mark, into: Into::Array(element) });
            }
            Of::Value(Type::Map(entry)) => {
                return Ok(Several { row: self.row, mark, into: Into::Map(entry) });
            }
            Of::Value(_) | Of::Decimal | Of::Timestamp => {
                let bytes = self.row.bytes_slot(&[]);
                return Ok(Several { row: self.row, mark, into: Into::Bytes(bytes) });
            }
        };
        self.row.push_nulls(fields.len());
        Ok(Several { row: self.row, mark, into: Into::Row { fields, count: 0, column: 0, is_outermost } })
    }
}

impl<'r> Serializer for ValueWriter<'r> {
    type Ok = Slot;
    type Error = Error;
    type SerializeSeq = Several<'r>;
    type SerializeTuple = Several<'r>;
    type SerializeTupleStruct = Several<'r>;
    type SerializeTupleVariant = Impossible<Slot, Error>;
    type SerializeMap = Several<'r>;
    type SerializeStruct = Several<'r>;
    type SerializeStructVariant = Impossible<Slot, Error>;

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<Slot, Error> {
        match &self.of {
            Of::Value(Type::Boolean) => Ok(Slot::Boolean(value)),
            _ => Err(self.mismatch("a bool")),
        }
    }

    #[inline]
    fn serialize_i8(self, value: i8) -> Result<Slot, Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i16(self, value: i16) -> Result<Slot, Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<Slot, Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<Slot, Error> {
        self.integer(value)
    }

    fn serialize_i128(self, value: i128) -> Result<Slot, Error> {
        self.large_integer(Some(value))
    }

    #[inline]
    fn serialize_u8(self, value: u8) -> Result<Slot, Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_u16(self, value: u16) -> Result<Slot, Error> {
        self.integer(value.into())
    }

    #[inline]
    fn serialize_u32(self, value: u32) -> Result<Slot, Error> {
        self.integer(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<Slot, Error> {
        self.large_integer(Some(value.into()))
    }

    fn serialize_u128(self, value: u128) -> Result<Slot, Error> {
        self.large_integer(i128::try_from(value).ok())
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<Slot, Error> {
        match &self.of {
            Of::Value(Type::Float) => Ok(Slot::Float(value)),
            Of::Value(Type::Double) => Ok(Slot::Double(value.into())),
            _ => Err(self.mismatch("an f32")),
        }
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<Slot, Error> {
        match &self.of {
            Of::Value(Type::Double) => Ok(Slot::Double(value)),
            _ => Err(self.mismatch("an f64")),
        }
    }

    /// Written among the row's texts, which are reused, be it to be parsed.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<Slot, Error> {
        let mut written = Ok(());
        let slot = self.row.str_slot_with(|text| written = write!(text, "{value}"));
        written.map_err(|_| refuse("a value that cannot be shown"))?;
        if matches!(self.of, Of::Value(Type::String)) {
            return Ok(slot);
        }
        let place = self.row.begin();
        self.row.push_slot(slot);
        let parsed = match self.row.at(place) {
            Datum::String(text) => self.parse(text),
            _ => Err(self.mismatch("a text")),
        };
        self.row.rewind(place);
        parsed
    }

    fn serialize_char(self, value: char) -> Result<Slot, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<Slot, Error> {
        match &self.of {
            Of::Value(Type::String) => Ok(self.row.str_slot(value)),
            _ => self.parse(value),
        }
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<Slot, Error> {
        let slot = match &self.of {
            Of::Value(Type::Bytes) => Some(self.row.bytes_slot(value)),
            Of::Decimal => value.try_into().ok().and_then(Decimal::of_bytes).map(Slot::Decimal),
            Of::Timestamp => value.try_into().ok().and_then(Timestamp::of_bytes).map(Slot::Timestamp),
            Of::Value(_) | Of::Row(_) => None,
        };
        slot.ok_or_else(|| self.mismatch("bytes"))
    }

    fn serialize_none(self) -> Result<Slot, Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Slot, Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Slot, Error> {
        match &self.of {
            Of::Value(_) => Ok(Slot::Null),
            _ => Err(self.mismatch("nothing")),
        }
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Slot, Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Slot, Error> {
        match &self.of {
            Of::Value(Type::String) => Ok(self.row.str_slot(variant)),
            _ => Err(self.mismatch("an enum")),
        }
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Slot, Error> {
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
    ) -> Result<Slot, Error> {
        Err(self.mismatch("an enum with data"))
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
    ) -> Result<Impossible<Slot, Error>, Error> {
        Err(self.mismatch("an enum with data"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Several<'r>, Error> {
        self.several("a map", |of| matches!(of, Type::Map(_) | Type::Row(_)))
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Several<'r>, Error> {
        self.several("a struct", |of| matches!(of, Type::Row(_)))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<Slot, Error>, Error> {
        Err(self.mismatch("an enum with data"))
    }
}

/// Makes a slot, or the row itself, of several values.
pub(super) struct Several<'r> {
    row: &'r mut RowBuf,
    mark: usize,
    into: Into<'r>,
}

enum Into<'r> {
    Array(&'r mut Type),
    Bytes(Slot),
    Map(&'r mut (Type, Type)),
    /// `count` fields were written, and `column` is that of a map's next value.
    Row {
        fields: &'r mut Fields,
        count: usize,
        column: usize,
        is_outermost: bool,
    },
}

impl Several<'_> {
    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        match &mut self.into {
            Into::Array(element) => {
                let index = self.row.begin() - self.mark;
                let slot = value.serialize(ValueWriter::new(element, self.row));
                self.row.push_slot(slot.map_err(|error| error.in_element(index))?);
                Ok(())
            }
            Into::Bytes(bytes) => {
                let byte = value.serialize(ValueWriter::new(&mut Type::SmallInt, self.row))?;
                let Slot::SmallInt(byte) = byte else { return Err(refuse("expected bytes, found NULL")) };
                let byte =
                    u8::try_from(byte).map_err(|_| refuse(format!("expected a byte, found {byte}")))?;
                self.row.lengthen(bytes, byte);
                Ok(())
            }
            Into::Row { count, column, fields, .. } => {
                if *count == fields.len() {
                    return Err(refuse(format!("expected a tuple of {count}, found a longer one")));
                }
                (*column, *count) = (*count, *count + 1);
                self.column(value)
            }
            Into::Map(_) => unreachable!("a map has keys"),
        }
    }

    /// Puts a value into the column that is next.
    #[inline]
    fn column<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Into::Row { fields, column, .. } = &mut self.into else { return Ok(()) };
        let (name, of) = &mut fields.fields[*column];
        let slot = value.serialize(ValueWriter::new(of, self.row)).map_err(|error| error.in_column(name))?;
        self.row.store(self.mark + *column, slot);
        Ok(())
    }

    fn finish(self, is_whole: bool) -> Result<Slot, Error> {
        Ok(match self.into {
            Into::Array(_) => self.row.array_slot(self.mark),
            Into::Bytes(bytes) => bytes,
            Into::Map(_) => self.row.map_slot(self.mark),
            Into::Row { fields, count, is_outermost, .. } => {
                if is_whole {
                    fields.check_all(count)?;
                }
                if is_outermost { Slot::Null } else { self.row.row_slot(self.mark) }
            }
        })
    }
}

impl SerializeSeq for Several<'_> {
    type Ok = Slot;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next(value)
    }

    fn end(self) -> Result<Slot, Error> {
        self.finish(false)
    }
}

impl SerializeTuple for Several<'_> {
    type Ok = Slot;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next(value)
    }

    fn end(self) -> Result<Slot, Error> {
        match &self.into {
            Into::Row { fields, count, .. } if *count != fields.len() => {
                Err(refuse(format!("expected a tuple of {}, found one of {count}", fields.len())))
            }
            _ => self.finish(false),
        }
    }
}

impl SerializeTupleStruct for Several<'_> {
    type Ok = Slot;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next(value)
    }

    fn end(self) -> Result<Slot, Error> {
        SerializeTuple::end(self)
    }
}

impl SerializeMap for Several<'_> {
    type Ok = Slot;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        match &mut self.into {
            Into::Map(entry) => {
                let slot = key.serialize(ValueWriter::new(&mut entry.0, self.row))?;
                self.row.push_slot(slot);
            }
            Into::Row { fields, count, column, .. } => {
                let place = self.row.begin();
                let slot = key.serialize(ValueWriter::new(&mut Type::String, self.row))?;
                self.row.push_slot(slot);
                let Datum::String(name) = self.row.at(place) else {
                    return Err(refuse("expected a name, found NULL"));
                };
                *column = fields.find(name, *count)?;
                *count = *column + 1;
                self.row.rewind(place);
            }
            Into::Array(_) | Into::Bytes(_) => unreachable!("a list has no keys"),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        match &mut self.into {
            Into::Map(entry) => {
                let slot = value.serialize(ValueWriter::new(&mut entry.1, self.row))?;
                self.row.push_slot(slot);
                Ok(())
            }
            _ => self.column(value),
        }
    }

    fn end(self) -> Result<Slot, Error> {
        self.finish(false)
    }
}

impl SerializeStruct for Several<'_> {
    type Ok = Slot;
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        self.skip_field(name)?;
        self.column(value)
    }

    /// A field that is skipped for its value is NULL.
    #[inline]
    fn skip_field(&mut self, name: &'static str) -> Result<(), Error> {
        let Into::Row { fields, count, column, .. } = &mut self.into else { return Ok(()) };
        *column = fields.column(name, *count)?;
        *count += 1;
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<Slot, Error> {
        self.finish(true)
    }
}
