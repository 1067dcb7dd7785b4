use crate::error::{Error, ErrorKind};
use crate::format::json::{Lexer, Token};
use crate::format::{Scratch, map_slot};
use crate::row::{RowBuf, Slot, Timestamp};
use crate::text;

use super::values::misfit;

/// What an event says beside its rows, where a table asks for it: the metadata of Flink's `debezium-json`, under its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// `schema`.
    Schema,
    /// `ingestion-timestamp`.
    Time,
    /// `source.timestamp`.
    SourceTime,
    /// `source.database`, `source.schema` and `source.table`.
    SourceText(&'static str),
    /// `source.properties`.
    Source,
}

/// Where in a message these are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places<'m> {
    pub(super) schema: Option<&'m [u8]>,
    pub(super) time: Option<Place<'m>>,
    pub(super) source: Option<Place<'m>>,
}

/// A value of the payload: its text, and where it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'m> {
    text: &'m [u8],
    start: usize,
}

impl<'m> Place<'m> {
    /// The value that starts at `start` with `token`, and on whose end the lexer stands.
    pub(super) fn new(lexer: &Lexer<'m>, token: Token, start: usize) -> Self {
        let end = match token {
            Token::StartObject | Token::StartArray => lexer.offset() + 1,
            Token::String => start + lexer.raw().len() + 2,
            _ => start + lexer.raw().len(),
        };
        let (input, _) = lexer.document();
        Self { text: input.get(start..end.min(input.len())).unwrap_or_default(), start }
    }

    /// What `read` finds in the value; its errors are of the payload's bytes.
    fn read<T>(self, read: impl FnOnce(&mut Lexer<'m>) -> Result<T, Error>) -> Result<T, Error> {
        Lexer::new(self.text).and_then(|mut lexer| read(&mut lexer)).map_err(|error| {
            let offset = self.start + error.offset().unwrap_or(0);
            error.at_offset(offset)
        })
    }

    /// The value of the object's member; `None` if there is none, or no object.
    fn member(self, name: &str, scratch: &mut Scratch) -> Result<Option<Self>, Error> {
        self.read(|lexer| {
            if lexer.token() != Token::StartObject {
                return Ok(None);
            }
            while lexer.advance()? == Token::Name {
                let is_it = lexer.text(&mut scratch.text)? == name;
                let token = lexer.advance()?;
                // A string starts after its quote.
                let start = lexer.offset() - usize::from(token == Token::String);
                lexer.skip_children()?;
                if is_it {
                    let value = Self::new(lexer, token, start);
                    return Ok(Some(Self { start: self.start + start, ..value }));
                }
            }
            Ok(None)
        })
    }
}

impl Content {
    /// The content of a metadata column.
    pub(super) fn of(key: &str) -> Option<Self> {
        Some(match key {
            "schema" => Self::Schema,
            "ingestion-timestamp" => Self::Time,
            "source.timestamp" => Self::SourceTime,
            "source.database" => Self::SourceText("db"),
            "source.schema" => Self::SourceText("schema"),
            "source.table" => Self::SourceText("table"),
            "source.properties" => Self::Source,
            _ => return None,
        })
    }

    /// The value, in `row`.
    pub(super) fn read(
        self,
        places: &Places<'_>,
        row: &mut RowBuf,
        scratch: &mut Scratch,
    ) -> Result<Slot, Error> {
        let in_source = |name, scratch: &mut Scratch| match places.source {
            Some(source) => source.member(name, scratch),
            None => Ok(None),
        };
        match self {
            Self::Schema => {
                let schema = places.schema.and_then(|schema| str::from_utf8(schema).ok());
                Ok(schema.map_or(Slot::Null, |schema| row.str_slot(schema)))
            }
            Self::Time => {
                places.time.map_or(Ok(Slot::Null), |time| time.read(|lexer| millis(lexer, scratch)))
            }
            Self::SourceTime => match in_source("ts_ms", scratch)? {
                Some(time) => time.read(|lexer| millis(lexer, scratch)),
                None => Ok(Slot::Null),
            },
            Self::SourceText(name) => match in_source(name, scratch)? {
                Some(value) => value.read(|lexer| text(lexer, row, scratch)),
                None => Ok(Slot::Null),
            },
            Self::Source => places
                .source
                .map_or(Ok(Slot::Null), |source| source.read(|lexer| properties(lexer, row, scratch))),
        }
    }
}

fn millis(lexer: &mut Lexer<'_>, scratch: &mut Scratch) -> Result<Slot, Error> {
    match lexer.token() {
        Token::Null => Ok(Slot::Null),
        Token::Integer => {
            let millis = text::parse_integer(lexer.text(&mut scratch.text)?);
            millis
                .map(|millis| Slot::Timestamp(Timestamp::from_millis(millis)))
                .ok_or_else(|| Error::new(ErrorKind::Data, "expected milliseconds, found a larger number"))
        }
        _ => Err(misfit("milliseconds", lexer)),
    }
}

/// A scalar as a text; NULL of an object or an array.
fn text(lexer: &mut Lexer<'_>, row: &mut RowBuf, scratch: &mut Scratch) -> Result<Slot, Error> {
    match lexer.token() {
        Token::Null => Ok(Slot::Null),
        Token::StartObject | Token::StartArray => {
            lexer.skip_children()?;
            Ok(Slot::Null)
        }
        _ => Ok(row.str_slot(lexer.text(&mut scratch.text)?)),
    }
}

fn properties(lexer: &mut Lexer<'_>, row: &mut RowBuf, scratch: &mut Scratch) -> Result<Slot, Error> {
    if lexer.token() != Token::StartObject {
        return Ok(Slot::Null);
    }
    let mark = row.begin();
    while lexer.advance()? == Token::Name {
        let name = row.str_slot(lexer.text(&mut scratch.text)?);
        row.push_item(name)?;
        lexer.advance()?;
        let value = text(lexer, row, scratch)?;
        row.push_item(value)?;
    }
    Ok(map_slot(row, mark))
}
