//! What serde deserializes, out of a row.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::scalar::Scalar;
use super::types::{Fields, Type};
use crate::error::Error;
use crate::row::{Datum, Decimal, EntriesIter, Timestamp, ValuesIter};
use crate::text::{Room, put_date, put_decimal_plain, put_time, put_timestamp};

/// Reads the columns that `datum` answers.
pub(super) struct RowReader<'f, F> {
    pub(super) columns: &'f Fields,
    pub(super) datum: F,
}

impl<'f, 'de, F: Fn(usize) -> Datum<'de>> RowReader<'f, F> {
    fn columns(self) -> Columns<'f, F> {
        Columns { columns: self.columns, datum: self.datum, column: 0 }
    }
}

impl<'de, F: Fn(usize) -> Datum<'de>> Deserializer<'de> for RowReader<'_, F> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.columns())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.columns())
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.columns())
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(self.columns())
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct map struct
        enum identifier ignored_any
    }
}

/// The columns one after the other, with their names or without.
struct Columns<'f, F> {
    columns: &'f Fields,
    datum: F,
    column: usize,
}

impl<'de, F: Fn(usize) -> Datum<'de>> Columns<'_, F> {
    #[inline]
    fn next<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (name, of) = &self.columns.fields[self.column];
        let value = ValueReader { of, datum: (self.datum)(self.column) };
        self.column += 1;
        seed.deserialize(value).map_err(|error| error.in_column(name))
    }
}

impl<'de, F: Fn(usize) -> Datum<'de>> MapAccess<'de> for Columns<'_, F> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, _)) = self.columns.fields.get(self.column) else { return Ok(None) };
        seed.deserialize(IntoDeserializer::<Error>::into_deserializer(&**name)).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        self.next(seed)
    }
}

impl<'de, F: Fn(usize) -> Datum<'de>> SeqAccess<'de> for Columns<'_, F> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.column == self.columns.len() { Ok(None) } else { self.next(seed).map(Some) }
    }
}

/// Reads one value.
struct ValueReader<'f, 'de> {
    of: &'f Type,
    datum: Datum<'de>,
}

impl<'de> ValueReader<'_, 'de> {
    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.datum, self.of) {
            (Datum::Bytes(bytes), _) => visitor.visit_seq(Bytes(bytes)),
            (Datum::Row(values), Type::Row(columns)) => {
                visitor.visit_seq(RowReader { columns, datum: |column| values.value(column) }.columns())
            }
            _ => self.deserialize_any(visitor),
        }
    }
}

impl<'de> Deserializer<'de> for ValueReader<'_, 'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.datum {
            Datum::Null => visitor.visit_unit(),
            Datum::Boolean(value) => visitor.visit_bool(value),
            Datum::TinyInt(value) => visitor.visit_i8(value),
            Datum::SmallInt(value) => visitor.visit_i16(value),
            Datum::Int(value) => visitor.visit_i32(value),
            Datum::BigInt(value) => visitor.visit_i64(value),
            Datum::Float(value) => visitor.visit_f32(value),
            Datum::Double(value) => visitor.visit_f64(value),
            Datum::String(value) => visitor.visit_borrowed_str(value),
            Datum::Bytes(value) => visitor.visit_borrowed_bytes(value),
            Datum::Decimal(value) => {
                spelled(visitor, |room| put_decimal_plain(room, value.unscaled(), value.scale()))
            }
            Datum::Date(days) => spelled(visitor, |room| put_date(room, days)),
            Datum::Time(millis) => spelled(visitor, |room| put_time(room, millis)),
            Datum::Timestamp(at) => spelled(visitor, |room| {
                let end = put_timestamp(room, at.millis(), at.nanos_of_millis(), b'T');
                let is_instant = matches!(self.of, Type::TimestampLtz);
                room[end] = b'Z';
                end + usize::from(is_instant)
            }),
            Datum::Array(values) => {
                let Type::Array(of) = self.of else { return visitor.visit_unit() };
                visitor.visit_seq(Elements { of, values: values.iter(), index: 0 })
            }
            Datum::Map(entries) => {
                let Type::Map(of) = self.of else { return visitor.visit_unit() };
                visitor.visit_map(Entries { of, entries: entries.iter(), value: Datum::Null })
            }
            Datum::Row(values) => {
                let Type::Row(columns) = self.of else { return visitor.visit_unit() };
                visitor.visit_map(RowReader { columns, datum: |column| values.value(column) }.columns())
            }
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.datum.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.datum {
            Datum::Decimal(value) if name == Decimal::NAME => visitor.visit_newtype_struct(Exact(value)),
            Datum::Timestamp(value) if name == Timestamp::NAME => visitor.visit_newtype_struct(Exact(value)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.datum {
            Datum::String(variant) => visitor.visit_enum(Variant(variant)),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct map struct
        identifier ignored_any
    }
}

/// Shows a visitor the text that `put` writes.
fn spelled<'de, V: Visitor<'de>>(
    visitor: V,
    put: impl FnOnce(&mut Room) -> usize,
) -> Result<V::Value, Error> {
    let mut room: Room = [0; _];
    let end = put(&mut room);
    visitor.visit_str(std::str::from_utf8(&room[..end]).unwrap_or_default())
}

/// A value of ours, as its bytes.
struct Exact<P>(P);

impl<'de, P: Scalar> Deserializer<'de> for Exact<P> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bytes(self.0.bytes().as_ref())
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// An enum of units.
struct Variant<'de>(&'de str);

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = <BorrowedStrDeserializer<'de, Error> as EnumAccess<'de>>::Variant;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant), Error> {
        BorrowedStrDeserializer::new(self.0).variant_seed(seed)
    }
}

/// The bytes of BYTES as numbers.
struct Bytes<'de>(&'de [u8]);

impl<'de> SeqAccess<'de> for Bytes<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((byte, rest)) = self.0.split_first() else { return Ok(None) };
        self.0 = rest;
        seed.deserialize(IntoDeserializer::<Error>::into_deserializer(*byte)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Elements<'f, 'de> {
    of: &'f Type,
    values: ValuesIter<'de>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(datum) = self.values.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(ValueReader { of: self.of, datum })
            .map(Some)
            .map_err(|error| error.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

struct Entries<'f, 'de> {
    of: &'f (Type, Type),
    entries: EntriesIter<'de>,
    value: Datum<'de>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(ValueReader { of: &self.of.0, datum: key }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(ValueReader { of: &self.of.1, datum: self.value })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}
