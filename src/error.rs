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
/// `{}` says all of it in one line, such as ``row 7, value, column `address`.`zip`, byte 141: expected INT, found
/// STRING``: the known places, the message, the messages of the [sources](std::error::Error::source) and the
/// [`help`](Self::help), which comes first where the message has a list. `{:#}` says the same on several lines, for a
/// terminal. Where Flink refuses the same table, [`message`](Self::message) is Flink's, word for word.
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
    /// A column of which only the position is known.
    Position(usize),
    Element(usize),
    Key(String),
}

/// The sort of failure: one for each thing that can be done about it.
///
/// | kind | is answered by |
/// |---|---|
/// | `Syntax`, `Table` | changing the table |
/// | `Row` | changing the row or the program that made it |
/// | `Data` | a [`DeadLetter`](crate::source::DeadLetter), or changing what writes the topic |
/// | `Batch` | reading the batch again, from another replica |
/// | `State` | another snapshot, or reading the topic anew |
/// | `Limit` | raising the limit, if what exceeds it can be trusted |
/// | `Feature` | building with that feature |
/// | `Unavailable` | trying again: [`is_transient`](Self::is_transient) |
/// | `NoSchema` | the registry that the topic was written with |
/// | `Refused` | the owner of the registry: an incompatible schema, missing rights |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A text does not parse: a type, a `CREATE TABLE`, a row kind, a line of test data. Flink's `SqlParserException`.
    Syntax,
    /// A table, an option, a combination of options or a setting is refused. Flink's `ValidationException`.
    Table,
    /// A row or record does not fit its table or topic: a datum of another type than its column, or NULL in a NOT NULL
    /// column.
    Row,
    /// A key or a value that was read does not decode.
    Data,
    /// The bytes of a record batch are malformed.
    Batch,
    /// The state of a stage is damaged, or that of another stage or of other settings.
    State,
    /// A record, a nesting or a claimed length is larger than its limit.
    Limit,
    /// A Cargo feature of this crate is needed, but is off.
    Feature,
    /// A schema registry, state store or other service given by the caller does not answer.
    Unavailable,
    /// The schema registry has no schema of that id.
    NoSchema,
    /// A schema registry, state store or other service given by the caller refuses, and will refuse again.
    Refused,
}

impl ErrorKind {
    /// Its name in `snake_case`, which never changes: a label for metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Table => "table",
            Self::Row => "row",
            Self::Data => "data",
            Self::Batch => "batch",
            Self::State => "state",
            Self::Limit => "limit",
            Self::Feature => "feature",
            Self::Unavailable => "unavailable",
            Self::NoSchema => "no_schema",
            Self::Refused => "refused",
        }
    }

    /// Whether the same call may succeed later without any change.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::Unavailable)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
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
    /// Its name, such as `key`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Value => "value",
            Self::Headers => "headers",
            Self::Timestamp => "timestamp",
            Self::Topic => "topic",
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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

    /// The sort of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Whether the same call may succeed later although nothing is changed: [`ErrorKind::is_transient`].
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.0.kind.is_transient()
    }

    /// What failed, without the place: Flink's sentence where Flink refuses the same thing.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// A hint of ours after the message, such as the option that was probably meant.
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

    /// The column and the place inside it, such as `` `address`.`zip` `` or `` `items`[3].`sku` ``. Of a row without
    /// names it is the column's position, counted from 0, such as `2`.
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

    /// The same error, at the byte `offset`, whatever it has named: that of the text around the one it was in.
    #[cold]
    #[must_use]
    pub(crate) fn at_offset(mut self, offset: usize) -> Self {
        self.0.offset = Some(offset);
        self
    }

    /// The same error, caused by `source`.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The same error with a hint after its message.
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

    /// The same kind and place with the message of an outer frame; the old message becomes the source.
    #[cold]
    #[must_use]
    pub(crate) fn in_context(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        let mut cause = Self::new(self.0.kind, std::mem::replace(&mut self.0.message, message.into()));
        cause.0.source = self.0.source.take();
        self.with_source(cause)
    }

    /// The same error, inside the column or field `name`. Frames call it from the inside out.
    #[cold]
    #[must_use]
    pub(crate) fn in_column(mut self, name: &str) -> Self {
        self.0.path.push(PathSegment::Column(name.to_owned()));
        self
    }

    /// The same error, inside the column at `position` of a row that knows no names.
    #[cold]
    #[must_use]
    pub(crate) fn in_position(mut self, position: usize) -> Self {
        self.0.path.push(PathSegment::Position(position));
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
        PathSegment::Position(position) => {
            let _ = write!(path, "{position}");
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
        let mut places = Vec::new();
        places.extend(self.0.row.map(|row| format!("row {row}")));
        places.extend(self.0.option.as_ref().map(|option| format!("option '{option}'")));
        places.extend(self.0.part.map(|part| part.to_string()));
        places.extend(self.column_path().map(|path| format!("column {path}")));
        places.extend(self.0.offset.map(|offset| format!("byte {offset}")));
        if !places.is_empty() {
            write!(f, "{}: ", places.join(", "))?;
        }
        if f.alternate() { self.fmt_lines(f) } else { self.fmt_line(f) }
    }
}

impl Error {
    fn fmt_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(help) = self.help_before() {
            writeln!(f, "{help}")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(source) = &self.0.source {
            write!(f, "\ncaused by: {}", in_one_line(&chain(&**source)))?;
        }
        match self.help_after() {
            Some(help) => write!(f, "\n{help}"),
            None => Ok(()),
        }
    }

    fn fmt_line(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(help) = self.help_before() {
            write!(f, "{}: ", in_one_line(help))?;
        }
        let message = in_one_line(&self.0.message);
        match &self.0.source {
            Some(source) => {
                write!(f, "{}: {}", message.trim_end_matches('.'), in_one_line(&chain(&**source)))?
            }
            None => f.write_str(&message)?,
        }
        match self.help_after() {
            Some(help) => write!(f, " ({})", in_one_line(help)),
            None => Ok(()),
        }
    }

    /// The help, where the message has a list of what there is, after which it would be lost.
    fn help_before(&self) -> Option<&str> {
        self.help().filter(|_| self.0.message.contains('\n'))
    }

    fn help_after(&self) -> Option<&str> {
        self.help().filter(|_| !self.0.message.contains('\n'))
    }
}

/// An error with its sources. Some say their sources themselves, as ours do: those are not said twice.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    for source in std::iter::successors(error.source(), |error| error.source()) {
        let source = source.to_string();
        if !said.contains(&source) {
            let _ = write!(said, ": {source}");
        }
    }
    said
}

/// Flink's sentences have lists on lines of their own, and a blank line around them.
fn in_one_line(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| paragraph.trim().replace('\n', ", "));
    paragraphs.collect::<Vec<_>>().join(" ")
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_error_is_one_word_wide() {
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }

    #[test]
    fn a_kind_has_a_name_of_its_own() {
        let kinds = [
            ErrorKind::Syntax,
            ErrorKind::Table,
            ErrorKind::Row,
            ErrorKind::Data,
            ErrorKind::Batch,
            ErrorKind::State,
            ErrorKind::Limit,
            ErrorKind::Feature,
            ErrorKind::Unavailable,
            ErrorKind::NoSchema,
            ErrorKind::Refused,
        ];
        let names: BTreeSet<_> = kinds.iter().map(|kind| kind.to_string()).collect();
        assert_eq!(names.len(), kinds.len());
        let is_label = |name: &String| name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase());
        assert!(names.iter().all(is_label), "{names:?}");
        let transient: Vec<_> = kinds.into_iter().filter(|kind| kind.is_transient()).collect();
        assert_eq!(transient, [ErrorKind::Unavailable]);
    }

    #[test]
    fn an_error_says_its_sources_and_its_help_in_one_line() {
        let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
        let error = Error::new(ErrorKind::Unavailable, "GET /schemas/ids/7")
            .with_source(refused)
            .in_context("Could not find schema with id 7 in registry")
            .with_part(Part::Value)
            .with_help("is it running?\nand reachable?");
        assert_eq!(
            error.to_string(),
            "value: Could not find schema with id 7 in registry: GET /schemas/ids/7: connection refused \
             (is it running?, and reachable?)"
        );
        assert!(error.is_transient());
        let lists = Error::new(ErrorKind::Table, "Unsupported options:\n\na\nb\n\nSupported options:\n\nc");
        assert_eq!(lists.to_string(), "Unsupported options: a, b Supported options: c");
        assert_eq!(
            format!("{:#}", lists.with_help("c?")),
            "c?\nUnsupported options:\n\na\nb\n\nSupported options:\n\nc"
        );
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
