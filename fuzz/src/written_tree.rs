//! Rows and values as trees that serde serializes.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, Serializer};
use upsert_kafka::Datum;
use upsert_kafka::types::{DataType, Field, LogicalType};

use super::value::Value;

/// In which of its forms a value is serialized next.
#[derive(Debug)]
pub(super) struct Forms(Cell<u64>);

impl Forms {
    pub(super) fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    fn below(&self, n: usize) -> usize {
        let state =
            self.0.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0.set(state);
        usize::try_from(state >> 33).expect("31 bits") % n
    }
}

/// A name for as long as the program runs: one copy of two, for a field has one address in nearly every program.
fn kept(name: &str, copy: usize) -> &'static str {
    static NAMES: Mutex<Option<HashMap<(String, usize), &'static str>>> = Mutex::new(None);
    let mut names = NAMES.lock().expect("no panic while it is locked");
    let names = names.get_or_insert_default();
    names.entry((name.to_owned(), copy)).or_insert_with(|| String::leak(name.to_owned()))
}

/// A row: a struct whose fields stand in another order, a map, or a tuple.
pub(super) struct Fields<'a> {
    pub(super) fields: &'a [Field],
    pub(super) values: &'a [Value],
    pub(super) forms: &'a Forms,
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let len = self.values.len();
        let node = |column: usize| Node {
            value: &self.values[column],
            of: self.fields.get(column).map(|field| &field.data_type),
            forms: self.forms,
        };
        let name = |column: usize| self.fields.get(column).map_or("", |field| field.name.as_str());
        let form = self.forms.below(4);
        let first = if self.forms.below(4) == 0 { self.forms.below(len) } else { 0 };
        let columns = (0..len).map(|index| (first + index) % len);
        match form {
            0 => {
                let mut tuple = serializer.serialize_tuple(len)?;
                (0..len).try_for_each(|column| tuple.serialize_element(&node(column)))?;
                tuple.end()
            }
            1 => {
                let mut map = serializer.serialize_map(Some(len))?;
                for column in columns {
                    map.serialize_entry(name(column), &node(column))?;
                }
                map.end()
            }
            _ => {
                let copy = usize::from(self.forms.below(16) == 0);
                let mut fields = serializer.serialize_struct("Row", len)?;
                for column in columns {
                    let is_skipped = matches!(self.values[column], Value::Scalar(Datum::Null));
                    let name = kept(name(column), copy);
                    if is_skipped && self.forms.below(2) == 0 {
                        fields.skip_field(name)?;
                    } else {
                        fields.serialize_field(name, &node(column))?;
                    }
                }
                fields.end()
            }
        }
    }
}

/// A value, of a type if it is one of that.
struct Node<'a> {
    value: &'a Value,
    of: Option<&'a DataType>,
    forms: &'a Forms,
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.forms.below(8) {
            0 if !matches!(self.value, Value::Scalar(Datum::Null)) => serializer.serialize_some(&Bare(self)),
            1 => serializer.serialize_newtype_struct("Wrapped", &Bare(self)),
            _ => Bare(self).serialize(serializer),
        }
    }
}

/// The value itself.
struct Bare<'a>(&'a Node<'a>);

impl Serialize for Bare<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Node { value, of, forms } = *self.0;
        let of = of.map(|of| &of.logical_type);
        match value {
            Value::Scalar(datum) => scalar(*datum, forms, serializer),
            Value::Text(text) => match forms.below(4) {
                0 => serializer.collect_str(text),
                1 if text.chars().count() == 1 => {
                    serializer.serialize_char(text.chars().next().unwrap_or_default())
                }
                2 if text == "null" => serializer.serialize_unit_variant("Enum", 0, "null"),
                _ => serializer.serialize_str(text),
            },
            Value::Bytes(bytes) => match forms.below(3) {
                0 => bytes.serialize(serializer),
                _ => serializer.serialize_bytes(bytes),
            },
            Value::Array(values) => {
                let element = match of {
                    Some(LogicalType::Array(element)) => Some(&**element),
                    _ => None,
                };
                let nodes = values.iter().map(|value| Node { value, of: element, forms });
                if forms.below(3) == 0 {
                    let mut tuple = serializer.serialize_tuple(values.len())?;
                    nodes.into_iter().try_for_each(|node| tuple.serialize_element(&node))?;
                    return tuple.end();
                }
                let mut seq = serializer.serialize_seq(None)?;
                nodes.into_iter().try_for_each(|node| seq.serialize_element(&node))?;
                seq.end()
            }
            Value::Map(entries) => {
                let (key, of_key) = match of {
                    Some(LogicalType::Map(key, of_key)) => (Some(&**key), Some(&**of_key)),
                    Some(LogicalType::Multiset(element)) => (Some(&**element), None),
                    _ => (None, None),
                };
                let mut map = serializer.serialize_map(None)?;
                for (k, value) in entries {
                    map.serialize_entry(
                        &Node { value: k, of: key, forms },
                        &Node { value, of: of_key, forms },
                    )?;
                }
                map.end()
            }
            Value::Row(values) => {
                let fields = match of {
                    Some(LogicalType::Row(row)) => row.fields(),
                    _ => &[],
                };
                Fields { fields, values, forms }.serialize(serializer)
            }
        }
    }
}

fn scalar<S: Serializer>(datum: Datum<'_>, forms: &Forms, serializer: S) -> Result<S::Ok, S::Error> {
    match datum {
        Datum::Null => match forms.below(3) {
            0 => serializer.serialize_none(),
            1 => serializer.serialize_unit(),
            _ => serializer.serialize_unit_struct("Nothing"),
        },
        Datum::Boolean(value) => serializer.serialize_bool(value),
        Datum::TinyInt(value) => integer(value.into(), forms, serializer),
        Datum::SmallInt(value) => integer(value.into(), forms, serializer),
        Datum::Int(value) => integer(value.into(), forms, serializer),
        Datum::BigInt(value) => integer(value, forms, serializer),
        Datum::Float(value) => serializer.serialize_f32(value),
        Datum::Double(value) => serializer.serialize_f64(value),
        Datum::String(text) => serializer.serialize_str(text),
        Datum::Bytes(bytes) => serializer.serialize_bytes(bytes),
        Datum::Decimal(value) => match forms.below(3) {
            0 => serializer.collect_str(&value),
            1 if value.scale() == 0 => serializer.serialize_i128(value.unscaled()),
            _ => value.serialize(serializer),
        },
        Datum::Date(days) => serializer.serialize_str(&date_text(days)),
        Datum::Time(millis) => serializer.serialize_str(&time_text(millis)),
        Datum::Timestamp(at) => at.serialize(serializer),
        _ => serializer.serialize_unit(),
    }
}

/// An integer of any width that holds it.
fn integer<S: Serializer>(value: i64, forms: &Forms, serializer: S) -> Result<S::Ok, S::Error> {
    match forms.below(8) {
        0 => serializer.serialize_i128(value.into()),
        1 if value >= 0 => serializer.serialize_u64(value.unsigned_abs()),
        2 if value >= 0 => serializer.serialize_u128(value.unsigned_abs().into()),
        3 => match u16::try_from(value) {
            Ok(value) => serializer.serialize_u16(value),
            Err(_) => serializer.serialize_i64(value),
        },
        4 => match i8::try_from(value) {
            Ok(value) => serializer.serialize_i8(value),
            Err(_) => serializer.serialize_i64(value),
        },
        5 => match i32::try_from(value) {
            Ok(value) => serializer.serialize_i32(value),
            Err(_) => serializer.serialize_i64(value),
        },
        _ => serializer.serialize_i64(value),
    }
}

/// A date has a text in any year.
pub(super) fn date_text(days: i32) -> String {
    let midnight = upsert_kafka::Timestamp::from_millis(i64::from(days) * 86_400_000).to_string();
    midnight.split('T').next().unwrap_or_default().to_owned()
}

/// A time has one within the day.
pub(super) fn time_text(millis: i32) -> String {
    let at = upsert_kafka::Timestamp::from_millis(millis.rem_euclid(86_400_000).into()).to_string();
    at.split('T').nth(1).unwrap_or_default().to_owned()
}
