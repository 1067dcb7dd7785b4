//! JSON values whose members stay in the order in which they were read, as `Schema.toString()` gives them back.

use std::fmt::{self, Write as _};

use crate::error::{Error, ErrorKind};
use crate::format::json::{self, FloatNodes, Kind, NodeId, Tree};
use crate::text::{self, Jdk, write_escaped_text};

/// How deep schema JSON may nest.
const MAX_NESTING: usize = 128;

/// A JSON value; part of a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// As Jackson prints it.
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value, at most [`MAX_NESTING`] levels deep.
    ///
    /// By this crate's own reader: what serde_json makes of numbers depends on the features that others ask of it.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let mut tree = Tree::default();
        let root = json::parse_document(text.as_bytes(), &mut tree)?;
        let root = root.ok_or_else(|| Error::new(ErrorKind::Data, "the text is blank"))?;
        Self::of_node(&tree, root, MAX_NESTING, &mut Vec::new())
    }

    fn of_node(tree: &Tree, node: NodeId, levels: usize, scratch: &mut Vec<u8>) -> Result<Self, Error> {
        let levels =
            levels.checked_sub(1).ok_or_else(|| Error::new(ErrorKind::Limit, "nested too deeply"))?;
        Ok(match tree.kind(node) {
            Kind::Null => Self::Null,
            Kind::True => Self::Bool(true),
            Kind::False => Self::Bool(false),
            Kind::Integer | Kind::Float => {
                let floats = FloatNodes::Double(Jdk::Jdk19Plus);
                Self::Number(tree.print_to_str(node, floats, scratch).to_owned())
            }
            Kind::String | Kind::Name | Kind::RepeatedName => Self::String(tree.text(node).to_owned()),
            Kind::Array => {
                let elements =
                    tree.elements(node).map(|element| Self::of_node(tree, element, levels, scratch));
                Self::Array(elements.collect::<Result<_, _>>()?)
            }
            Kind::Object => {
                let members = tree
                    .members(node)
                    .map(|(name, value)| Ok((name.to_owned(), Self::of_node(tree, value, levels, scratch)?)));
                Self::Object(members.collect::<Result<_, Error>>()?)
            }
        })
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
        if let Self::Number(number) = self { number.parse().ok() } else { None }
    }

    /// The number, where this is one, or text that Java's `Double.valueOf` takes.
    pub(super) fn double(&self) -> Option<f64> {
        match self {
            Self::Number(number) => text::parse_f64(number),
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
            Self::Number(number) => f.write_str(number),
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
