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
    pub(super) time: Option<&'m [u8]>,
    pub(super) source: Option<&'m [u8]>,
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
        match self {
            Self::Schema => {
                let schema = places.schema.and_then(|schema| str::from_utf8(schema).ok());
                Ok(schema.map_or(Slot::Null, |schema| row.str_slot(schema)))
            }
            Self::Time => millis(places.time, scratch),
            Self::SourceTime => match places.source {
                Some(source) => millis(member(source, "ts_ms", scratch)?, scratch),
                None => Ok(Slot::Null),
            },
            Self::SourceText(name) => match places.source {
                Some(source) => match member(source, name, scratch)? {
                    Some(value) => text(&mut Lexer::new(value)?, row, scratch),
                    None => Ok(Slot::Null),
                },
                None => Ok(Slot::Null),
            },
            Self::Source => properties(places.source, row, scratch),
        }
    }
}

/// The text of the object from the member's value on.
fn member<'m>(object: &'m [u8], name: &str, scratch: &mut Scratch) -> Result<Option<&'m [u8]>, Error> {
    let mut lexer = Lexer::new(object)?;
    if lexer.token() != Token::StartObject {
        return Ok(None);
    }
    while lexer.advance()? == Token::Name {
        let is_it = lexer.text(&mut scratch.text)? == name;
        let token = lexer.advance()?;
        if is_it {
            // A string starts after its quote.
            let start = lexer.offset() - usize::from(token == Token::String);
            return Ok(object.get(start..));
        }
        lexer.skip_children()?;
    }
    Ok(None)
}

fn millis(value: Option<&[u8]>, scratch: &mut Scratch) -> Result<Slot, Error> {
    let Some(value) = value else { return Ok(Slot::Null) };
    let mut lexer = Lexer::new(value)?;
    match lexer.token() {
        Token::Null => Ok(Slot::Null),
        Token::Integer => {
            let millis = text::parse_integer(lexer.text(&mut scratch.text)?);
            millis
                .map(|millis| Slot::Timestamp(Timestamp::from_millis(millis)))
                .ok_or_else(|| Error::new(ErrorKind::Data, "expected milliseconds, found a larger number"))
        }
        _ => Err(misfit("milliseconds", &lexer)),
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

fn properties(source: Option<&[u8]>, row: &mut RowBuf, scratch: &mut Scratch) -> Result<Slot, Error> {
    let Some(source) = source else { return Ok(Slot::Null) };
    let mut lexer = Lexer::new(source)?;
    if lexer.token() != Token::StartObject {
        return Ok(Slot::Null);
    }
    let mark = row.begin();
    while lexer.advance()? == Token::Name {
        let name = row.str_slot(lexer.text(&mut scratch.text)?);
        row.push_item(name)?;
        lexer.advance()?;
        let value = text(&mut lexer, row, scratch)?;
        row.push_item(value)?;
    }
    Ok(map_slot(row, mark))
}
