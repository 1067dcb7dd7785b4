//! A failure as a case tells it, and whether ours is the same one: of the same kind, in the same place, in Flink's words.

use serde_json::Value;
use upsert_kafka::error::Part;
use upsert_kafka::types::LogicalType;
use upsert_kafka::{Error, ErrorKind};

use super::bytes::read_bytes;
use super::compare::check_lists;
use super::table::{list, row_columns, text};
use super::words::Words;
use super::{Case, Difference, Unmet, check};

/// What was being done when it failed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// A table was declared and resolved, and its encoder or decoder made.
    Made,
    /// A row was written.
    Written,
    /// A record was read.
    Read,
}

/// Which kinds of ours stand for which exceptions: the first line decides that has the start of `Class: message`.
const KINDS: &[(Stage, &[&str], &[ErrorKind])] = &[
    (
        Stage::Made,
        &[
            "ParseException: ",
            "TokenMgrError: ",
            "SqlParserException: ",
            "IllegalArgumentException: not a literal: ",
        ],
        &[ErrorKind::Syntax],
    ),
    (Stage::Made, ANY, &[ErrorKind::Table]),
    // A job ends with what its table or its query is refused for.
    (Stage::Written, &["ValidationException: ", "TableException: "], &[ErrorKind::Table]),
    (Stage::Written, &["RestClientException: "], &[ErrorKind::Refused]),
    (Stage::Written, ANY, &[ErrorKind::Row]),
    // The runner's own, for the sink after a query.
    (Stage::Read, &["EnforcerException: "], &[ErrorKind::Row]),
    (Stage::Read, &["ValidationException: ", "TableException: "], &[ErrorKind::Table]),
    (Stage::Read, &["RestClientException: Schema "], &[ErrorKind::NoSchema]),
    (Stage::Read, &["RestClientException: "], &[ErrorKind::Refused]),
    (Stage::Read, &["StreamConstraintsException: ", "UnsupportedOperationException: "], &[ErrorKind::Limit]),
    // A claimed length that Java's heap does not hold: ours ends at a limit, or where the bytes do.
    (Stage::Read, &["OutOfMemoryError: "], &[ErrorKind::Limit, ErrorKind::Data]),
    // Flink tells the field and hides the cause.
    (
        Stage::Read,
        &["JsonParseException: Fail to deserialize at field: "],
        &[ErrorKind::Data, ErrorKind::Limit],
    ),
    (Stage::Read, ANY, &[ErrorKind::Data]),
];
const ANY: &[&str] = &[""];

/// A failure of Flink's.
pub struct Failure<'a> {
    case: &'a Case,
    stage: Stage,
    /// The class of the root cause, without its package; `bugs.jsonl` does not tell it.
    class: Option<&'a str>,
    /// What the exceptions say, the root cause first.
    sentences: Vec<&'a str>,
    /// The record that was read.
    record: &'a Value,
}

impl<'a> Failure<'a> {
    /// `{"class", "message", "outer"?: {"class", "message"}, "chain"?: [[class, message], ...]}`, or the message alone.
    pub fn new(case: &'a Case, stage: Stage, json: &'a Value, record: &'a Value) -> Self {
        let message = json.as_str().or(json["message"].as_str()).unwrap_or_default();
        let chain = list(&json["chain"]).iter().map(|exception| &exception[1]);
        let around = chain.chain([&json["outer"]["message"]]).filter_map(Value::as_str);
        Self {
            case,
            stage,
            class: json["class"].as_str().and_then(|class| class.rsplit(['.', '$']).next()),
            sentences: [message].into_iter().chain(around).collect(),
            record,
        }
    }

    /// Passes where `error` is this failure; `what` failed.
    pub fn hold(&self, what: &str, error: &Error) -> Result<(), Unmet> {
        Unmet::all([self.hold_place(what, error), self.hold_words(error)])
    }

    /// The same, whatever it says.
    pub fn hold_place(&self, what: &str, error: &Error) -> Result<(), Unmet> {
        let place = error.column_path().map(|path| segments(&path)).unwrap_or_default();
        Unmet::all([
            match self.kinds() {
                kinds if kinds.contains(&error.kind()) => Ok(()),
                kinds => Err(Unmet::mismatch(
                    format!("{what}, kind of error: {kinds:?}"),
                    format!("{what}, kind of error: {:?}", error.kind()),
                )),
            },
            match self.part() {
                Some(part) => check(&format!("{what}, part"), &Some(part), &error.part()),
                None => Ok(()),
            },
            match self.column() {
                Some(column) if !column.is_named_by(&place) => Err(Unmet::mismatch(
                    format!("{what}, column: {column:?}"),
                    format!("{what}, column: {place:?}"),
                )),
                _ => Ok(()),
            },
            self.hold_type(what, error, &place),
        ])
    }

    /// Where ours says which type it wanted, that is the type of the place it names.
    fn hold_type(&self, what: &str, error: &Error, place: &[String]) -> Result<(), Unmet> {
        let cause = std::error::Error::source(error).map(ToString::to_string);
        let messages = [Some(error.message().to_owned()), cause];
        let wanted = messages
            .iter()
            .flatten()
            .find_map(|message| Some(message.strip_prefix("expected ")?.split_once(", found ")?.0));
        let data_type = type_at(self.case, error.part(), place);
        let (Some(wanted), Some(data_type)) = (wanted, data_type) else { return Ok(()) };
        let has_root = |roots: &[&str]| roots.iter().any(|root| data_type.starts_with(root));
        let is_named = match wanted {
            "an object" => has_root(&["ROW<", "MAP<", "MULTISET<"]),
            "an array" => has_root(&["ARRAY<"]),
            "base64" => has_root(&["BINARY", "VARBINARY", "BYTES"]),
            "TIMESTAMP_LTZ" => data_type.ends_with(" WITH LOCAL TIME ZONE"),
            // Flink reads intervals as their numbers.
            "INT" => has_root(&["INT", "INTERVAL YEAR", "INTERVAL MONTH"]),
            "BIGINT" => {
                has_root(&["BIGINT", "INTERVAL DAY", "INTERVAL HOUR", "INTERVAL MINUTE", "INTERVAL SECOND"])
            }
            // What the syntax wants.
            wanted if wanted.starts_with(char::is_lowercase) => true,
            wanted => data_type.split([' ', '(']).next() == Some(wanted),
        };
        if is_named {
            return Ok(());
        }
        Err(Unmet::mismatch(
            format!("{what}, {place:?}: {data_type}"),
            format!("{what}, {place:?}: {wanted}"),
        ))
    }

    /// Ours is one of Flink's sentences, or it is for a rule of our words.
    fn hold_words(&self, error: &Error) -> Result<(), Unmet> {
        if self.sentences.contains(&error.message()) {
            return Ok(());
        }
        Err(Unmet(vec![Difference::Words(Words {
            class: self.class.map(str::to_owned),
            flink: self.sentences[0].to_owned(),
            ours: error.message().to_owned(),
        })]))
    }

    fn kinds(&self) -> &'static [ErrorKind] {
        let exception = format!("{}: {}", self.class.unwrap_or_default(), self.sentences[0]);
        let mut lines = KINDS.iter().filter(|(stage, ..)| *stage == self.stage);
        let line = lines.find(|(_, starts, _)| starts.iter().any(|start| exception.starts_with(start)));
        line.map(|(.., kinds)| *kinds).expect("each stage ends with a line for any exception")
    }

    /// The part of the record, where the case tells it: a table without a key's format has only one, Flink's message
    /// quotes the part that it could not read, and a column may be in one part alone.
    fn part(&self) -> Option<Part> {
        let says = |text: &str| self.sentences.iter().any(|sentence| sentence.starts_with(text));
        match self.stage {
            Stage::Made => None,
            _ if says("The topic of the sink record") => Some(Part::Topic),
            _ if says("Invalid timestamp: ") => Some(Part::Timestamp),
            // The planner's operator before the sink knows no records.
            _ if says("Column '") => None,
            _ if self.case.option("key.format").is_none() => Some(Part::Value),
            _ => match [Part::Key, Part::Value].map(|part| self.quotes(part)) {
                [true, false] => Some(Part::Key),
                [false, true] => Some(Part::Value),
                _ => self.part_of_column(),
            },
        }
    }

    /// The part that has the named column, if only one has it.
    fn part_of_column(&self) -> Option<Part> {
        let (Column::First(column) | Column::Path(column)) = self.column()? else { return None };
        let name = column.first()?;
        let key_fields = self.case.option("key.fields").map(|fields| fields.split(';').collect());
        let primary_key = || list(&self.case.get("table")["primary_key"]).iter().map(text).collect();
        let key: Vec<&str> = key_fields.unwrap_or_else(primary_key);
        match key.contains(&name.as_str()) {
            false if self.case.option("key.fields-prefix").is_none() => Some(Part::Value),
            true if self.case.option("value.fields-include") == Some("EXCEPT_KEY") => Some(Part::Key),
            _ => None,
        }
    }

    /// Whether a sentence ends with the part, as Java makes a String of it.
    fn quotes(&self, part: Part) -> bool {
        let name = if part == Part::Key { "key" } else { "value" };
        let Some(bytes) = read_bytes(&self.record[name]) else { return false };
        let quoted = format!("'{}'.", String::from_utf8_lossy(&bytes));
        self.sentences.iter().any(|sentence| sentence.ends_with(&quoted))
    }

    /// The column, where a sentence names it.
    fn column(&self) -> Option<Column> {
        if self.stage == Stage::Read && self.class == Some("EnforcerException") {
            // That is the runner's own: it stands for the sink after a query.
            return None;
        }
        const NAMED: [(&str, &str); 5] = [
            ("Fail to deserialize at field: ", "."),
            ("Fail to serialize at field: ", "."),
            ("Unsupported type '", "'."),
            ("Column '", "' is NOT NULL"),
            ("Could not find field with name '", "'."),
        ];
        self.sentences.iter().rev().find_map(|sentence| {
            if let Some((_, path)) = sentence.split_once(" at record.") {
                return Some(Column::Path(segments(path)));
            }
            if let Some((_, path)) = sentence.split_once(" at [null, record][record].") {
                // The first one is the image that an event has of the row.
                return Some(Column::Path(segments(path).split_off(1)));
            }
            let (index, name) = NAMED.iter().enumerate().find_map(|(index, (before, after))| {
                Some((index, sentence.strip_prefix(before)?.split_once(after)?.0))
            })?;
            match index {
                2 => Some(Column::First(vec![name.rsplit_once("' for field '")?.1.to_owned()])),
                4 => Some(Column::Last(name.to_owned())),
                _ => Some(Column::First(vec![name.to_owned()])),
            }
        })
    }
}

/// How Flink names a column.
#[derive(Debug)]
enum Column {
    /// The table's column, and nothing of what is in it.
    First(Vec<String>),
    /// The field, and nothing of what it is in.
    Last(String),
    /// All of it.
    Path(Vec<String>),
}

impl Column {
    fn is_named_by(&self, place: &[String]) -> bool {
        match self {
            Self::First(column) => place.first() == column.first(),
            Self::Last(name) => place.last() == Some(name),
            Self::Path(path) => place == path,
        }
    }
}

/// The type at a place of the case's table; a key's columns are named without their prefix.
fn type_at(case: &Case, part: Option<Part>, place: &[String]) -> Option<String> {
    let (column, inside) = place.split_first()?;
    let prefix = case.option("key.fields-prefix").filter(|_| part == Some(Part::Key)).unwrap_or_default();
    let fields = row_columns(case, true).ok()?;
    let field = fields.iter().find(|field| field.name.strip_prefix(prefix) == Some(column))?;
    let data_type =
        inside.iter().try_fold(&field.data_type, |data_type, segment| match &data_type.logical_type {
            LogicalType::Array(element) => Some(&**element),
            LogicalType::Map(_, value) => Some(&**value),
            LogicalType::Row(row) => {
                row.fields().iter().find(|field| field.name == *segment).map(|field| &field.data_type)
            }
            _ => None,
        })?;
    Some(data_type.logical_type.clone().nullable().to_string())
}

/// The names, indexes and keys of `` `v`[1].`a` `` or, as Avro writes it, `v[array][1].a`.
fn segments(path: &str) -> Vec<String> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (segment, after) = match rest.strip_prefix(['`', '[']) {
            Some(inside) if rest.starts_with('`') => inside.split_once('`').unwrap_or((inside, "")),
            Some(inside) => inside.split_once(']').unwrap_or((inside, "")),
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        // Avro names the branch of a union and the type of an array too.
        let is_type = rest.starts_with('[') && segment.starts_with(char::is_alphabetic);
        segments.extend((!is_type).then(|| segment.trim_matches('"').to_owned()));
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    segments
}

/// What a row or a record comes to.
pub enum Expected<'a> {
    Shown(String),
    Failed(Failure<'a>),
}

/// What it came to.
pub enum Outcome {
    Shown(String),
    Failed(Error),
}

/// Passes where all came to what they should; only the first that did not is shown, the others may follow from it.
pub fn check_outcomes(what: &str, expected: &[Expected<'_>], got: &[Outcome]) -> Result<(), Unmet> {
    let show_expected = expected.iter().map(|expected| match expected {
        Expected::Shown(text) => text.clone(),
        Expected::Failed(_) => AN_ERROR.to_owned(),
    });
    let show_got = got.iter().map(|got| match got {
        Outcome::Shown(text) => text.clone(),
        Outcome::Failed(_) => AN_ERROR.to_owned(),
    });
    check_lists(what, &show_expected.collect::<Vec<_>>(), &show_got.collect::<Vec<_>>())?;
    Unmet::all(expected.iter().zip(got).enumerate().map(|(index, pair)| match pair {
        (Expected::Failed(failure), Outcome::Failed(error)) => {
            failure.hold(&format!("{what} {index}"), error)
        }
        _ => Ok(()),
    }))
}

const AN_ERROR: &str = "an error";
