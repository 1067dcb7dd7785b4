//! What serde deserializes of a row: a tree of whatever is there.

use std::cell::Cell;
use std::fmt;

use serde::de::{Deserialize, Deserializer, EnumAccess, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use upsert_kafka::Datum;

use super::written_tree::{date_text, time_text};

#[derive(Debug)]
pub(super) enum Any {
    Nothing,
    Boolean(bool),
    Integer(i64),
    Float(f32),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Any>),
    Map(Vec<(Any, Any)>),
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor)
    }
}

/// The same, asked for as something else than it may be.
pub(super) struct Hinted;

const HINTS: usize = 23;

// Of the next value: `Deserialize` takes no argument.
thread_local!(static NEXT: Cell<usize> = const { Cell::new(0) });

/// Lets the hints begin with this one, so that the same input meets the same hints in each run.
pub(super) fn hint_from(hint: usize) {
    NEXT.set(hint % HINTS);
}

impl<'de> Deserialize<'de> for Hinted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hint = NEXT.get();
        hint_from(hint + 1);
        let visitor = HintedVisitor;
        match hint {
            0 | 1 => deserializer.deserialize_map(visitor),
            2 => deserializer.deserialize_option(visitor),
            3 => deserializer.deserialize_seq(visitor),
            4 => deserializer.deserialize_tuple(2, visitor),
            5 => deserializer.deserialize_tuple_struct("T", 1, visitor),
            6 => deserializer.deserialize_enum("E", &["a"], visitor),
            7 => deserializer.deserialize_newtype_struct("N", visitor),
            8 => deserializer.deserialize_newtype_struct("$upsert_kafka::Decimal", visitor),
            9 => deserializer.deserialize_newtype_struct("$upsert_kafka::Timestamp", visitor),
            10 => deserializer.deserialize_unit(visitor),
            11 => deserializer.deserialize_str(visitor),
            12 => deserializer.deserialize_byte_buf(visitor),
            13 => deserializer.deserialize_char(visitor),
            14 => deserializer.deserialize_u64(visitor),
            15 => upsert_kafka::Decimal::deserialize(deserializer).map(|_| Self),
            16 => upsert_kafka::Timestamp::deserialize(deserializer).map(|_| Self),
            17 => Option::<u8>::deserialize(deserializer).map(|_| Self),
            18 => String::deserialize(deserializer).map(|_| Self),
            19 => deserializer.deserialize_ignored_any(visitor),
            20 => deserializer.deserialize_identifier(visitor),
            21 => deserializer.deserialize_struct("S", &["f0"], visitor),
            _ => deserializer.deserialize_any(visitor),
        }
    }
}

struct AnyVisitor;

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Any;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Any, E> {
        Ok(Any::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Any, E> {
        Ok(Any::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Any, E> {
        Ok(Any::Integer(value))
    }

    fn visit_f32<E>(self, value: f32) -> Result<Any, E> {
        Ok(Any::Float(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Any, E> {
        Ok(Any::Double(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Any, E> {
        Ok(Any::Text(text.to_owned()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Any, E> {
        Ok(Any::Bytes(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Any, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Any::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Any, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Any::Map(entries))
    }
}

struct HintedVisitor;

impl<'de> Visitor<'de> for HintedVisitor {
    type Value = Hinted;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_none<E>(self) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Hinted, D::Error> {
        Hinted::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Hinted, D::Error> {
        Hinted::deserialize(deserializer)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_str<E>(self, _: &str) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Hinted, E> {
        Ok(Hinted)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Hinted, A::Error> {
        while let Some(Hinted) = seq.next_element()? {}
        Ok(Hinted)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Hinted, A::Error> {
        while let Some((Hinted, Hinted)) = map.next_entry()? {}
        Ok(Hinted)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Hinted, A::Error> {
        access.variant::<IgnoredAny>().map(|_| Hinted)
    }
}

/// A row's columns and a map's entries as a map, lists as sequences: no forms.
impl Serialize for Any {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_unit(),
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f32(*value),
            Self::Double(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Self::List(values) => {
                let mut seq = serializer.serialize_seq(Some(values.len()))?;
                values.iter().try_for_each(|value| seq.serialize_element(value))?;
                seq.end()
            }
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
        }
    }
}

/// Whether that is what serde is told of the value: a text of what it has no number for.
pub(super) fn is_any(any: &Any, datum: Datum<'_>) -> bool {
    match (any, datum) {
        (Any::Nothing, Datum::Null) => true,
        (Any::Boolean(any), Datum::Boolean(value)) => *any == value,
        (Any::Integer(any), Datum::TinyInt(value)) => *any == i64::from(value),
        (Any::Integer(any), Datum::SmallInt(value)) => *any == i64::from(value),
        (Any::Integer(any), Datum::Int(value)) => *any == i64::from(value),
        (Any::Integer(any), Datum::BigInt(value)) => *any == value,
        (Any::Float(any), Datum::Float(value)) => any.to_bits() == value.to_bits(),
        (Any::Double(any), Datum::Double(value)) => any.to_bits() == value.to_bits(),
        (Any::Text(any), Datum::String(text)) => any == text,
        (Any::Bytes(any), Datum::Bytes(bytes)) => any == bytes,
        (Any::Text(any), Datum::Decimal(value)) => *any == value.to_string(),
        (Any::Text(any), Datum::Date(days)) => *any == date_text(days),
        (Any::Text(any), Datum::Time(millis)) => *any == time_text(millis),
        (Any::Text(any), Datum::Timestamp(at)) => any.strip_suffix('Z').unwrap_or(any) == at.to_string(),
        (Any::List(any), Datum::Array(values)) => {
            any.len() == values.len() && any.iter().zip(values.iter()).all(|(any, value)| is_any(any, value))
        }
        (Any::Map(any), Datum::Map(entries)) => {
            any.len() == entries.len()
                && any
                    .iter()
                    .zip(entries.iter())
                    .all(|(any, (key, value))| is_any(&any.0, key) && is_any(&any.1, value))
        }
        (Any::Map(any), Datum::Row(values)) => {
            any.len() == values.len()
                && any.iter().zip(values.iter()).all(|(any, value)| is_any(&any.1, value))
        }
        _ => false,
    }
}
