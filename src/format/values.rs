//! How the text of an option's value is read.
//!
//! Agrees with `org.apache.flink.configuration.ConfigurationUtils`, `StructuredOptionsSplitter` and
//! `org.apache.flink.util.TimeUtils`; what fails, fails with the sentence of Java's innermost exception.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::text::{parse_integer, trim_java};

use super::suggest::closest;

/// The type of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    Boolean,
    Int,
    Long,
    Duration,
    String,
    /// `;` between the elements.
    List,
    /// One of Flink's enumerations.
    Enum {
        /// The Java class, which the refusal names.
        class: &'static str,
        /// The constants' names in their order.
        names: &'static [&'static str],
    },
    /// The option is a prefix: what follows it is a key of the user's.
    Map,
}

impl ValueType {
    /// Whether `text` is a value of the type.
    pub(crate) fn check(self, text: &str) -> Result<(), Error> {
        match self {
            Self::Boolean => parse_boolean(text).map(drop),
            Self::Int => parse_int(text).map(drop),
            Self::Long => parse_long(text).map(drop),
            Self::Duration => parse_duration(text).map(drop),
            Self::List => parse_list(text).map(drop),
            Self::Enum { class, names } => enum_index(text, class, names).map(drop),
            Self::String | Self::Map => Ok(()),
        }
    }
}

/// An enumeration of Flink's whose constants are values of an option.
pub(crate) trait OptionEnum: Copy + 'static {
    const CLASS: &'static str;
    const NAMES: &'static [&'static str];
    const CONSTANTS: &'static [Self];
}

/// Declares an enumeration together with the texts of its constants and the Java class that refusals name.
macro_rules! option_enum {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident = $class:literal {
            $($(#[$constant_meta:meta])* $constant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        $visibility enum $name {
            $($(#[$constant_meta])* $constant,)+
        }

        impl $crate::format::OptionEnum for $name {
            const CLASS: &'static str = $class;
            const NAMES: &'static [&'static str] = &[$($text),+];
            const CONSTANTS: &'static [Self] = &[$(Self::$constant),+];
        }

        impl std::fmt::Display for $name {
            /// Writes the value as an option has it.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(match self { $(Self::$constant => $text,)+ })
            }
        }
    };
}
pub(crate) use option_enum;

/// `true` or `false` in any case, nothing around it.
pub(crate) fn parse_boolean(text: &str) -> Result<bool, Error> {
    match text.to_uppercase().as_str() {
        "TRUE" => Ok(true),
        "FALSE" => Ok(false),
        _ => refuse(format!(
            "Unrecognized option for boolean: {text}. Expected either true or false(case insensitive)"
        )),
    }
}

/// `Integer.parseInt`.
pub(crate) fn parse_int(text: &str) -> Result<i32, Error> {
    parse_integer(text).and_then(|number| number.try_into().ok()).map_or_else(|| no_number(text), Ok)
}

/// `Long.parseLong`.
pub(crate) fn parse_long(text: &str) -> Result<i64, Error> {
    parse_integer(text).map_or_else(|| no_number(text), Ok)
}

#[cold]
fn no_number<T>(text: &str) -> Result<T, Error> {
    refuse(format!("For input string: \"{text}\""))
}

/// The constant of that name, in any case.
pub(crate) fn parse_enum<E: OptionEnum>(text: &str) -> Result<E, Error> {
    enum_index(text, E::CLASS, E::NAMES).map(|index| E::CONSTANTS[index])
}

fn enum_index(text: &str, class: &str, names: &[&str]) -> Result<usize, Error> {
    let upper = text.to_uppercase();
    if let Some(index) = names.iter().position(|name| name.to_uppercase() == upper) {
        return Ok(index);
    }
    let error = Error::new(
        ErrorKind::Table,
        format!("Could not parse value for enum class {class}. Expected one of: [[{}]]", names.join(", ")),
    );
    Err(match closest(text, names.iter().copied()) {
        Some(meant) => error.with_help(format!("did you mean '{meant}'?")),
        None => error,
    })
}

/// Milliseconds out of `123 ms`, a number without a unit being milliseconds, or of an ISO-8601 duration such as
/// `PT1.5S`. What is below a millisecond is cut off.
pub(crate) fn parse_duration(text: &str) -> Result<i64, Error> {
    let trimmed = trim_java(text);
    if trimmed.is_empty() {
        return refuse("argument is an empty- or whitespace-only string");
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, label) = trimmed.split_at(digits);
    let nanos = if number.is_empty() {
        let Some(nanos) = parse_iso_duration(trimmed) else {
            return refuse(format!(
                "text does not start with a number, and is not a valid ISO-8601 duration format: {trimmed}"
            ));
        };
        Some(nanos)
    } else {
        let unit = unit_nanos(&trim_java(label).to_lowercase())?;
        number.parse::<i128>().ok().and_then(|number| number.checked_mul(unit))
    };
    let Some(nanos) = nanos.filter(|nanos| i64::try_from(nanos / NANOS_PER_SECOND).is_ok()) else {
        return refuse("BigInteger out of long range");
    };
    i64::try_from(nanos / NANOS_PER_MILLI).or_else(|_| refuse("long overflow"))
}

const NANOS_PER_SECOND: i128 = 1_000_000_000;
const NANOS_PER_MILLI: i128 = 1_000_000;

/// A unit's name, its nanoseconds and its labels.
const UNITS: [(&str, i128, &[&str]); 7] = [
    ("DAYS", 86_400 * NANOS_PER_SECOND, &["d", "day", "days"]),
    ("HOURS", 3_600 * NANOS_PER_SECOND, &["h", "hour", "hours"]),
    ("MINUTES", 60 * NANOS_PER_SECOND, &["min", "m", "minute", "minutes"]),
    ("SECONDS", NANOS_PER_SECOND, &["s", "sec", "secs", "second", "seconds"]),
    ("MILLISECONDS", NANOS_PER_MILLI, &["ms", "milli", "millis", "millisecond", "milliseconds"]),
    ("MICROSECONDS", 1_000, &["µs", "micro", "micros", "microsecond", "microseconds"]),
    ("NANOSECONDS", 1, &["ns", "nano", "nanos", "nanosecond", "nanoseconds"]),
];

fn unit_nanos(label: &str) -> Result<i128, Error> {
    if label.is_empty() {
        return Ok(NANOS_PER_MILLI);
    }
    if let Some((_, nanos, _)) = UNITS.iter().find(|(_, _, labels)| labels.contains(&label)) {
        return Ok(*nanos);
    }
    let units: Vec<_> =
        UNITS.iter().map(|(name, _, labels)| format!("{name}: ({})", labels.join(" | "))).collect();
    let units = units.join(", ");
    refuse(format!("Time interval unit label '{label}' does not match any of the recognized units: {units}"))
}

/// `java.time.Duration.parse`: `P1DT2H3M4.5S`, each part optional and with its own sign.
fn parse_iso_duration(text: &str) -> Option<i128> {
    let text = text.to_ascii_uppercase();
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let rest = rest.strip_prefix('P')?;
    let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
    if time == Some("") || (date.is_empty() && time.is_none()) {
        return None;
    }
    let mut nanos = 0;
    let rest = take_iso_part(date, 'D', 86_400, &mut nanos)?;
    if !rest.is_empty() {
        return None;
    }
    let mut rest = time.unwrap_or_default();
    for (unit, seconds) in [('H', 3_600), ('M', 60), ('S', 1)] {
        rest = take_iso_part(rest, unit, seconds, &mut nanos)?;
    }
    rest.is_empty().then_some(if negative { -nanos } else { nanos })
}

/// Adds the part in front of `unit`, if there is one, and gives what follows it.
fn take_iso_part<'a>(text: &'a str, unit: char, seconds: i128, nanos: &mut i128) -> Option<&'a str> {
    let Some((part, rest)) = text.split_once(unit) else { return Some(text) };
    let (whole, fraction) = match part.split_once(['.', ',']) {
        Some((whole, fraction)) if unit == 'S' && fraction.len() <= 9 => (whole, fraction),
        Some(_) => return None,
        None => (part, ""),
    };
    let whole_nanos = i128::from(whole.parse::<i64>().ok()?) * seconds * NANOS_PER_SECOND;
    let fraction = match fraction {
        "" => 0,
        digits if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            format!("{digits:0<9}").parse().ok()?
        }
        _ => return None,
    };
    *nanos += if whole.starts_with('-') { whole_nanos - fraction } else { whole_nanos + fraction };
    Some(rest)
}

/// `a; 'b;c' ;"d"`, or the same as a YAML list, `[a, 'b;c', "d"]`.
pub(crate) fn parse_list(text: &str) -> Result<Vec<String>, Error> {
    match parse_yaml_list(trim_java(text)) {
        Some(list) => Ok(list),
        None => split_list(text),
    }
}

/// Flink's own list: an element is trimmed, or quoted as a whole with the quote inside doubled. Empty elements
/// vanish at both ends and stay in between.
fn split_list(text: &str) -> Result<Vec<String>, Error> {
    let mut list = Vec::new();
    let mut rest = text;
    let mut after_delimiter = false;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Ok(list) };
        match first {
            ';' => {
                if after_delimiter {
                    list.push(String::new());
                }
                after_delimiter = true;
                rest = &rest[1..];
            }
            '\'' | '"' => {
                let Some((element, after)) = take_quoted(rest, first) else {
                    return refuse("Could not split string. Quoting was not closed properly.");
                };
                list.push(element);
                after_delimiter = false;
                rest = after.trim_start();
                if !rest.is_empty() && !rest.starts_with(';') {
                    let position = text[..text.len() - rest.len()].encode_utf16().count() - 1;
                    return refuse(format!(
                        "Could not split string. Illegal quoting at position: {position}"
                    ));
                }
            }
            _ => {
                let (element, after) = rest.split_at(rest.find(';').unwrap_or(rest.len()));
                list.push(trim_java(element).to_owned());
                after_delimiter = false;
                rest = after;
            }
        }
    }
}

/// What stands between `quote` and the next one that is not doubled, and what is after it.
fn take_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut element = String::new();
    let mut rest = text.strip_prefix(quote)?;
    loop {
        let (part, after) = rest.split_once(quote)?;
        element.push_str(part);
        match after.strip_prefix(quote) {
            Some(after) => {
                element.push(quote);
                rest = after;
            }
            None => return Some((element, after)),
        }
    }
}

/// A YAML flow sequence of scalars; `None` for any other text.
fn parse_yaml_list(text: &str) -> Option<Vec<String>> {
    let mut rest = text.strip_prefix('[')?.trim_start();
    let mut list = Vec::new();
    while !rest.starts_with(']') {
        let (element, after) = take_yaml_scalar(rest)?;
        list.push(element);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.starts_with(']') => {}
            None => return None,
        }
    }
    (rest == "]").then_some(list)
}

fn take_yaml_scalar(text: &str) -> Option<(String, &str)> {
    if text.starts_with('\'') {
        return take_quoted(text, '\'');
    }
    if text.starts_with('"') {
        // JSON's escapes are the ones of YAML that people write.
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let element = values.next()?.ok()?;
        return Some((element, &text[values.byte_offset()..]));
    }
    let end = text.find([',', '[', ']', '{', '}', '#'])?;
    let element = text[..end].trim_end();
    let is_plain = !element.is_empty()
        && !element.starts_with(['&', '*', '!', '|', '>', '%', '@', '`', '?', ':', '-'])
        && !element.contains(": ")
        && !text[end..].starts_with('#');
    is_plain.then(|| (element.to_owned(), &text[end..]))
}

#[cold]
fn refuse<T>(message: impl Into<Cow<'static, str>>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Table, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Flink's `StructuredOptionsSplitterTest` and `ConfigurationUtilsTest`, and from golden `ddl`.
    #[test]
    fn a_list_is_split_as_flink_splits_it() {
        for (text, expected) in [
            ("a;b", &["a", "b"][..]),
            (" a ; b ", &["a", "b"]),
            ("'a;b';c", &["a;b", "c"]),
            ("\"AB'D\";B;C", &["AB'D", "B", "C"]),
            ("\"AB'\"\"D;B\";C", &["AB'\"D;B", "C"]),
            ("AB'\"D:B;C", &["AB'\"D:B", "C"]),
            (";a;", &["a"]),
            ("a;;b", &["a", "", "b"]),
            (";;", &[""]),
            ("a,b", &["a,b"]),
            ("' a '", &[" a "]),
            ("", &[]),
            (";", &[]),
            ("[a, b]", &["a", "b"]),
            ("['a;b', \"c\\td\" ]", &["a;b", "c\td"]),
            ("[]", &[]),
            ("[a", &["[a"]),
            ("[a]b", &["[a]b"]),
        ] {
            assert_eq!(parse_list(text).unwrap(), expected, "{text}");
        }
        for (text, message) in [
            ("'a'b;c", "Could not split string. Illegal quoting at position: 2"),
            ("'ab;c", "Could not split string. Quoting was not closed properly."),
        ] {
            assert_eq!(parse_list(text).unwrap_err().message(), message, "{text}");
        }
    }

    /// From Flink's `TimeUtilsTest` and the documentation of `java.time.Duration.parse`.
    #[test]
    fn a_duration_is_a_number_and_a_unit_or_iso_8601() {
        for (text, millis) in [
            ("1717", 1717),
            (" 10 ms ", 10),
            ("2 Seconds", 2_000),
            ("3min", 180_000),
            ("4h", 14_400_000),
            ("1 day", 86_400_000),
            ("10 µs", 0),
            ("999999 ns", 0),
            ("PT20.345S", 20_345),
            ("pt15m", 900_000),
            ("P2D", 172_800_000),
            ("P2DT3H4M", 183_840_000),
            ("PT-6H+3M", -21_420_000),
            ("-PT6H3M", -21_780_000),
            ("-PT-6H+3M", 21_420_000),
            ("PT-0.5S", -500),
        ] {
            assert_eq!(parse_duration(text).unwrap(), millis, "{text}");
        }
        let not_iso = |text| {
            format!("text does not start with a number, and is not a valid ISO-8601 duration format: {text}")
        };
        for (text, message) in [
            (" ", "argument is an empty- or whitespace-only string".to_owned()),
            ("-1s", not_iso("-1s")),
            ("PT", not_iso("PT")),
            ("PT1M2H", not_iso("PT1M2H")),
            ("P1H", not_iso("P1H")),
            ("9223372036854775807 d", "BigInteger out of long range".to_owned()),
            ("9223372036854775807 s", "long overflow".to_owned()),
        ] {
            assert_eq!(parse_duration(text).unwrap_err().message(), message, "{text}");
        }
    }

    #[test]
    fn a_number_is_what_java_parses() {
        for (text, number) in [("+1", 1), ("01", 1), ("-0", 0), ("2147483647", i32::MAX), ("٣", 3)] {
            assert_eq!(parse_int(text).unwrap(), number, "{text}");
        }
        for text in ["", " 1", "1.0", "0x1", "1_000", "2147483648", "+", "5L"] {
            assert_eq!(parse_int(text).unwrap_err().message(), format!("For input string: \"{text}\""));
        }
    }

    #[test]
    fn a_boolean_is_a_word_in_any_case() {
        assert_eq!((parse_boolean("TRUE").ok(), parse_boolean("False").ok()), (Some(true), Some(false)));
        assert_eq!(
            parse_boolean("yes").unwrap_err().message(),
            "Unrecognized option for boolean: yes. Expected either true or false(case insensitive)"
        );
    }
}
