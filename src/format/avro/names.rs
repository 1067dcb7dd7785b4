//! Avro names: what one may consist of, and the namespace it stands in.
//!
//! Agrees with `org.apache.avro.Schema.Name` of Avro 1.11.

use std::sync::LazyLock;

use regex::Regex;

use super::schema_error;
use crate::error::Error;

/// The name of a record, an enum or a fixed, with its namespace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name {
    /// Up to the last dot of the full name; empty where there is none.
    pub(super) space: String,
    pub(super) name: String,
}

impl Name {
    /// `name` in `space`, unless it brings its own namespace before its last dot.
    ///
    /// # Errors
    ///
    /// If the part after the last dot is no Avro name. A namespace may hold anything.
    pub(super) fn new(name: &str, space: &str) -> Result<Self, Error> {
        let (space, name) = name.rsplit_once('.').unwrap_or((space, name));
        check_name(name)?;
        Ok(Self { space: space.to_owned(), name: name.to_owned() })
    }

    /// `space.name`.
    pub(super) fn full(&self) -> String {
        if self.space.is_empty() { self.name.clone() } else { format!("{}.{}", self.space, self.name) }
    }

    /// How a reference inside the namespace `space` calls it. A name that is also a type's is written out.
    pub(super) fn reference(&self, space: &str) -> String {
        if self.space == space && !TYPE_NAMES.contains(&self.name.as_str()) {
            self.name.clone()
        } else {
            self.full()
        }
    }
}

/// The names that mean a type wherever a schema may stand.
const TYPE_NAMES: [&str; 14] = [
    "record", "enum", "array", "map", "union", "fixed", "string", "bytes", "int", "long", "float", "double",
    "boolean", "null",
];

/// Refuses what is no name.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let mut characters = name.chars();
    let Some(first) = characters.next() else {
        return Err(schema_error("Empty name"));
    };
    if !(is_letter(first) || first == '_') {
        return Err(schema_error(format!("Illegal initial character: {name}")));
    }
    if !characters.all(|character| is_letter(character) || is_digit(character) || character == '_') {
        return Err(schema_error(format!("Illegal character in: {name}")));
    }
    Ok(())
}

/// `Character.isLetter` of each of the character's UTF-16 units: half a surrogate pair is no letter.
fn is_letter(character: char) -> bool {
    static LETTER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{L}").expect("a valid expression"));
    character.is_ascii_alphabetic() || is_match(&LETTER, character)
}

/// `Character.isDigit`, of any script.
fn is_digit(character: char) -> bool {
    static DIGIT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\p{Nd}").expect("a valid expression"));
    character.is_ascii_digit() || is_match(&DIGIT, character)
}

fn is_match(class: &Regex, character: char) -> bool {
    !character.is_ascii() && character.len_utf16() == 1 && class.is_match(character.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_digits_and_underscores_of_the_basic_plane() {
        // golden avro/name-*
        for name in ["_a", "a1", "é", "日本", "ａ", "İ", "__proto__", "a٣", "record"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for (name, message) in [
            ("", "Empty name"),
            ("1a", "Illegal initial character: 1a"),
            ("😀", "Illegal initial character: 😀"),
            ("٣", "Illegal initial character: ٣"),
            ("a-b", "Illegal character in: a-b"),
            ("a$b", "Illegal character in: a$b"),
            ("a\u{301}", "Illegal character in: a\u{301}"),
            ("a😀", "Illegal character in: a😀"),
        ] {
            assert_eq!(check_name(name).unwrap_err().message(), message);
        }
    }

    #[test]
    fn a_name_brings_its_namespace_before_its_last_dot() {
        let name = Name::new("com.acme.Order", "org.other").unwrap();
        assert_eq!((name.space.as_str(), name.name.as_str()), ("com.acme", "Order"));
        assert_eq!(name.reference("com.acme"), "Order");
        assert_eq!(name.reference(""), "com.acme.Order");
        assert_eq!(Name::new("record", "com.acme").unwrap().reference("com.acme"), "com.acme.record");
    }
}
