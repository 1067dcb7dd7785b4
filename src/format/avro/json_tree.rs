//! JSON values whose members stay in the order in which they were read, as `Schema.toString()` gives them back.

use std::fmt::{self, Write as _};

use serde_core::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::text::write_escaped_text;

/// A JSON value; part of a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value, at most 128 levels deep.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The member `name` of an object, the last one if there are several, as Jackson has it.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().rev().find_map(|(member, value)| (member == name).then_some(value))
    }

    /// The members of an object; none of anything else.
    pub(super) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => &[],
        }
    }

    /// The elements, where this is an array.
    pub(super) fn elements(&self) -> Option<&[Self]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    /// The text, where this is a string.
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The number, where this is a whole one.
    pub(super) fn integer(&self) -> Option<i64> {
        if let Self::Number(number) = self { number.as_i64() } else { None }
    }

    /// The number, where this is one, or text that Java's `Double.valueOf` takes.
    pub(super) fn double(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            Self::String(text) => match text.trim() {
                "NaN" => Some(f64::NAN),
                "Infinity" => Some(f64::INFINITY),
                "-Infinity" => Some(f64::NEG_INFINITY),
                text => text.parse().ok().filter(|value: &f64| value.is_finite()),
            },
            Self::Null | Self::Bool(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }
}

/// Writes it without blanks.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => write!(f, "{}", Quoted(text)),
            Self::Array(elements) => {
                f.write_char('[')?;
                for (index, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", comma(index))?;
                }
                f.write_char(']')
            }
            Self::Object(members) => {
                f.write_char('{')?;
                for (index, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{}:{value}", comma(index), Quoted(name))?;
                }
                f.write_char('}')
            }
        }
    }
}

/// What stands before the element at `index`.
pub(super) fn comma(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

/// A JSON string as Jackson writes it into text: only what must be escaped is.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(self.0.len());
        write_escaped_text(&mut text, self.0);
        write!(f, "\"{}\"", String::from_utf8_lossy(&text))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Json, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = array.next_element()? {
            elements.push(element);
        }
        Ok(Json::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_back_in_its_order() {
        let text = r#"{"z":[1,-2,1.5,true,null,"a\"\\\n\u001F😀"],"a":{"b":{}}}"#;
        assert_eq!(Json::parse(text).unwrap().to_string(), text);
    }

    #[test]
    fn the_last_of_equal_members_counts() {
        assert_eq!(Json::parse(r#"{"a":1,"a":2}"#).unwrap().get("a").unwrap().integer(), Some(2));
    }

    #[test]
    fn nesting_is_limited() {
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
