//! The one error type of the crate: what failed, where, and why, in one machine word.
//!
//! A leaf makes an [`Error`] out of a kind and a message in a cold function; the frames above add what only they
//! know: the column, the part of the record, the row. Texts that Flink has are Flink's.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// What went wrong, where, and why.
///
/// One word wide, so that a `Result<(), Error>` costs the row path nothing.
///
/// `{}` shows ``row 7, value, column `address`.`zip`, byte 141: expected INT, found STRING``, with the places that are
/// known, and the [`help`](Self::help) on lines of its own. Where Flink refuses the same table,
/// [`message`](Self::message) is Flink's, word for word.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    help: Option<String>,
    /// The option's key, with its prefixes.
    option: Option<String>,
    part: Option<Part>,
    /// Innermost segment first: that is the order in which frames learn of it.
    path: Vec<PathSegment>,
    offset: Option<usize>,
    row: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

enum PathSegment {
    Column(String),
    Element(usize),
    Key(String),
}

/// The sort of failure, for a `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text of a type or of a `CREATE TABLE` does not parse.
    Syntax,
    /// A table, an option or a combination of them is refused, as Flink refuses it.
    Table,
    /// A row does not fit its table: another datum than the column's type, NULL where it must not be.
    Row,
    /// A key or a value that was read does not decode.
    Data,
    /// The bytes of a record batch are malformed.
    Batch,
    /// A record or a claimed length is larger than the limit set for it.
    Limit,
    /// A schema registry, state store or other service given by the caller failed; see the source.
    Service,
}

/// The part of a Kafka record in which an error was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The record's key.
    Key,
    /// The record's value.
    Value,
    /// The record's headers.
    Headers,
    /// The record's timestamp.
    Timestamp,
    /// The topic the record goes to.
    Topic,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Value => "value",
            Self::Headers => "headers",
            Self::Timestamp => "timestamp",
            Self::Topic => "topic",
        }
    }
}

impl Error {
    /// An error of `kind` that says `message`.
    #[cold]
    #[inline(never)]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            help: None,
            option: None,
            part: None,
            path: Vec::new(),
            offset: None,
            row: None,
            source: None,
        }))
    }

    /// A datum of another type than its column's.
    #[cold]
    #[inline(never)]
    pub(crate) fn mismatch(expected: &str, found: &str) -> Self {
        Self::new(ErrorKind::Row, format!("expected {expected}, found {found}"))
    }

    /// The sort of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What failed, without the place: Flink's sentence where Flink refuses the same thing.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// A hint of ours behind the message, such as the option that was probably meant.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The key of the option, with its prefixes, whose value is refused.
    #[must_use]
    pub fn option(&self) -> Option<&str> {
        self.0.option.as_deref()
    }

    /// The part of the record, if one is at fault.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        self.0.part
    }

    /// The column and the place inside it, such as `` `address`.`zip` `` or `` `items`[3].`sku` ``.
    #[must_use]
    pub fn column_path(&self) -> Option<String> {
        let mut segments = self.0.path.iter().rev();
        let mut path = String::new();
        append_segment(&mut path, segments.next()?);
        for segment in segments {
            if matches!(segment, PathSegment::Column(_)) {
                path.push('.');
            }
            append_segment(&mut path, segment);
        }
        Some(path)
    }

    /// The byte, counted from 0, in the text or the bytes that were read.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The row, record or line, counted from 0, where the caller or a reader of several has set it.
    #[must_use]
    pub fn row(&self) -> Option<u64> {
        self.0.row
    }

    /// The same error, of the row, record or line number `row`, unless it names one.
    #[must_use]
    pub fn with_row(mut self, row: u64) -> Self {
        self.0.row.get_or_insert(row);
        self
    }

    /// The same error, in `part`, unless it names one.
    #[must_use]
    pub fn with_part(mut self, part: Part) -> Self {
        self.0.part.get_or_insert(part);
        self
    }

    /// The same error, at the byte `offset`, unless it names one.
    #[must_use]
    pub fn with_offset(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// The same error, caused by `source`.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same error with a hint behind its message.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The same error, about the value of the option `key`, unless it names one.
    #[cold]
    #[must_use]
    pub(crate) fn in_option(mut self, key: &str) -> Self {
        self.0.option.get_or_insert_with(|| key.to_owned());
        self
    }

    /// The same place, with a message that takes the old one's place; the old one becomes the source.
    #[cold]
    #[must_use]
    pub(crate) fn with_cause(mut self, message: String) -> Self {
        let cause = std::mem::replace(&mut self.0.message, message.into());
        let cause = Self::new(self.0.kind, cause);
        self.with_source(cause)
    }

    /// The same error, inside the column or field `name`. Frames call it from the inside out.
    #[cold]
    #[must_use]
    pub(crate) fn in_column(mut self, name: &str) -> Self {
        self.0.path.push(PathSegment::Column(name.to_owned()));
        self
    }

    /// The same error, inside the element `index` of an array.
    #[cold]
    #[must_use]
    pub(crate) fn in_element(mut self, index: usize) -> Self {
        self.0.path.push(PathSegment::Element(index));
        self
    }

    /// The same error, inside the value that a map holds under `key`.
    #[cold]
    #[must_use]
    pub(crate) fn in_key(mut self, key: &str) -> Self {
        self.0.path.push(PathSegment::Key(key.to_owned()));
        self
    }
}

/// Flink quotes identifiers with backticks and doubles one inside.
fn append_segment(path: &mut String, segment: &PathSegment) {
    match segment {
        PathSegment::Column(name) => {
            path.push('`');
            path.push_str(&name.replace('`', "``"));
            path.push('`');
        }
        PathSegment::Element(index) => {
            let _ = write!(path, "[{index}]");
        }
        PathSegment::Key(key) => {
            let _ = write!(path, "[{key:?}]");
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(row) = self.0.row {
            write!(f, "row {row}")?;
            separator = ", ";
        }
        if let Some(option) = &self.0.option {
            write!(f, "{separator}option '{option}'")?;
            separator = ", ";
        }
        if let Some(part) = self.0.part {
            write!(f, "{separator}{}", part.name())?;
            separator = ", ";
        }
        if let Some(path) = self.column_path() {
            write!(f, "{separator}column {path}")?;
            separator = ", ";
        }
        if let Some(offset) = self.0.offset {
            write!(f, "{separator}byte {offset}")?;
            separator = ", ";
        }
        if !separator.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.0.message)?;
        match &self.0.help {
            Some(help) => write!(f, "\n{help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}: {self})", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_word_wide() {
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }

    #[test]
    fn the_place_is_said_from_the_outside_in() {
        let error = Error::new(ErrorKind::Row, "expected INT, found STRING")
            .in_column("zip")
            .in_element(3)
            .in_column("addr`ess")
            .with_part(Part::Value)
            .with_offset(141)
            .with_row(7);
        assert_eq!(
            error.to_string(),
            "row 7, value, column `addr``ess`[3].`zip`, byte 141: expected INT, found STRING"
        );
    }
}
