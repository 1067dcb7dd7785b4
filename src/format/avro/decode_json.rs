//! Avro's JSON encoding, read token by token.
//!
//! Agrees with `org.apache.avro.io.JsonDecoder` of Avro 1.11, down to how lazy it is: an object is closed when
//! something after it is read, and by going to the next `}` there is.

use std::collections::HashMap;

use super::read_plan::{Branch, FieldRead, OctetsTo, Read, Record, Resolved};
use super::values::{decimal_slot, latin_1};
use crate::error::{Error, ErrorKind};
use crate::format::json::{Lexer, Token, float_as_bigint, float_as_int, to_utf8};
use crate::format::map_slot;
use crate::row::{RowBuf, Slot};
use crate::text;

/// Reads the record of all columns out of the JSON `bytes`; writer and reader have one schema.
pub(super) fn read_row(
    bytes: &[u8],
    resolved: &Resolved,
    columns: &[usize],
    row: &mut RowBuf,
    scratch: &mut String,
) -> Result<(), Error> {
    let bytes = &*to_utf8(bytes);
    let mut tokens = Tokens::new(bytes, 0)?;
    let mut reader = JsonReader { bytes, row, scratch };
    match &resolved.root {
        // Nothing is asked of the JSON where no column is read.
        Read::Row(record) if record.fields.is_empty() => Ok(()),
        Read::Row(record) => {
            let read = reader.record(record, &mut tokens, |position| columns[position]);
            read.and_then(|()| tokens.check_what_was_seen(bytes))
                .map_err(|error| error.with_offset(tokens.start + tokens.lexer.offset()))
        }
        _ => Err(corrupt("no record")),
    }
}

struct JsonReader<'a, 'r> {
    bytes: &'a [u8],
    row: &'r mut RowBuf,
    /// Unescaped text.
    scratch: &'r mut String,
}

impl<'a> JsonReader<'a, '_> {
    /// Members may stand in any order: one that comes before its turn is passed over, and read in its turn.
    fn record(
        &mut self,
        record: &Record,
        tokens: &mut Tokens<'a>,
        place: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        tokens.pass(Token::StartObject, "record-start")?;
        let mut passed_over = HashMap::new();
        for field in &record.fields {
            let FieldRead::Keep { name, position, read } = field else { continue };
            let slot = match passed_over.remove(&**name) {
                Some(start) => {
                    let mut tokens_there = Tokens::new(&self.bytes[start..], start)?;
                    let slot = self.value(read, &mut tokens_there);
                    tokens.has_unknown_members |= tokens_there.has_unknown_members;
                    slot
                }
                None => {
                    self.find(name, tokens, &mut passed_over)?;
                    self.value(read, tokens)
                }
            };
            self.row.store(place(*position), slot.map_err(|error| error.in_column(name))?);
        }
        tokens.has_unknown_members |= !passed_over.is_empty();
        tokens.closing += 1;
        Ok(())
    }

    /// Goes to the value of the member `name`.
    fn find(
        &mut self,
        name: &str,
        tokens: &mut Tokens<'a>,
        passed_over: &mut HashMap<String, usize>,
    ) -> Result<(), Error> {
        while tokens.token()? == Token::Name {
            let found = tokens.lexer.text(self.scratch)?;
            let passed = if found == name { None } else { Some(found.to_owned()) };
            tokens.lexer.advance()?;
            let Some(passed) = passed else {
                return Ok(());
            };
            passed_over.insert(passed, tokens.start_of_value());
            tokens.lexer.skip_children()?;
            tokens.lexer.advance()?;
        }
        Err(Error::new(ErrorKind::Data, format!("Expected field name not found: {name}")))
    }

    fn value(&mut self, read: &Read, tokens: &mut Tokens<'a>) -> Result<Slot, Error> {
        match read {
            Read::Null => tokens.pass(Token::Null, "null").map(|()| Slot::Null),
            Read::Boolean => {
                let value = tokens.token()? == Token::True;
                tokens.pass(if value { Token::True } else { Token::False }, "boolean")?;
                Ok(Slot::Boolean(value))
            }
            Read::Int(to) => {
                let value = tokens.number("int", |lexeme, is_float| {
                    if is_float { float_as_int(lexeme) } else { lexeme.parse().ok() }
                })?;
                Ok(to.slot(value.into()))
            }
            Read::Long(to) => {
                let value = tokens.number("long", |lexeme, is_float| {
                    if is_float { float_as_bigint(lexeme) } else { lexeme.parse().ok() }
                })?;
                Ok(to.slot(value))
            }
            Read::Float => tokens
                .number("float", |lexeme, is_float| text::parse_f32(whole(lexeme, is_float)))
                .map(Slot::Float),
            Read::Double => tokens
                .number("double", |lexeme, is_float| text::parse_f64(whole(lexeme, is_float)))
                .map(Slot::Double),
            Read::Octets(to) => {
                tokens
                    .expect(Token::String, if matches!(to, OctetsTo::String) { "string" } else { "bytes" })?;
                let text = tokens.lexer.text(self.scratch)?;
                let slot = match to {
                    OctetsTo::String => self.row.str_slot(text),
                    OctetsTo::Bytes => self.row.bytes_slot_with(|out| {
                        out.extend(latin_1(text));
                        Ok::<_, Error>(())
                    })?,
                    OctetsTo::Decimal { precision, scale } => {
                        decimal_slot(latin_1(text), *precision, *scale)?
                    }
                };
                tokens.lexer.advance()?;
                Ok(slot)
            }
            Read::Array(element) => self.array(element, tokens),
            Read::Map(value) => self.map(value, tokens),
            Read::Row(record) => {
                let mark = self.row.begin_row(record.width)?;
                self.record(record, tokens, |position| mark + position)?;
                Ok(self.row.row_slot(mark))
            }
            Read::Union(branches) => self.union(branches, tokens),
            // What only a schema of the registry or of an option brings, and those are in binary.
            Read::FloatAsDouble | Read::Fixed(..) | Read::Symbol(_) | Read::Fail(_) => {
                Err(corrupt("no JSON of Flink's"))
            }
        }
    }

    fn array(&mut self, element: &Read, tokens: &mut Tokens<'a>) -> Result<Slot, Error> {
        tokens.pass(Token::StartArray, "array-start")?;
        let mark = self.row.begin();
        while tokens.token()? != Token::EndArray {
            let index = self.row.begin() - mark;
            let slot = self.value(element, tokens).map_err(|error| error.in_element(index))?;
            self.row.push_item(slot)?;
        }
        tokens.lexer.advance()?;
        Ok(self.row.array_slot(mark))
    }

    fn map(&mut self, value: &Read, tokens: &mut Tokens<'a>) -> Result<Slot, Error> {
        tokens.pass(Token::StartObject, "map-start")?;
        let mark = self.row.begin();
        while tokens.token()? != Token::EndObject {
            tokens.expect(Token::Name, "map-key")?;
            let key = tokens.lexer.text(self.scratch)?;
            let slot = self.row.str_slot(key);
            self.row.push_item(slot)?;
            tokens.lexer.advance()?;
            let slot = self.value(value, tokens)?;
            self.row.push_item(slot)?;
        }
        tokens.lexer.advance()?;
        Ok(map_slot(self.row, mark))
    }

    /// `null`, or `{"branch":value}`.
    fn union(&mut self, branches: &[Branch], tokens: &mut Tokens<'a>) -> Result<Slot, Error> {
        let is_object = tokens.token()? == Token::StartObject;
        let label = if is_object {
            tokens.lexer.advance()?;
            tokens.expect(Token::Name, "start-union")?;
            tokens.lexer.text(self.scratch)?
        } else {
            tokens.expect(Token::Null, "start-union")?;
            "null"
        };
        let Some(branch) = branches.iter().find(|branch| *branch.label == *label) else {
            return Err(Error::new(ErrorKind::Data, format!("Unknown union branch {label}")));
        };
        if !is_object {
            return self.value(&branch.read, tokens);
        }
        tokens.lexer.advance()?;
        let slot = self.value(&branch.read, tokens)?;
        tokens.closing += 1;
        Ok(slot)
    }
}

/// The tokens, and the objects that are over as soon as somebody reads on.
struct Tokens<'a> {
    lexer: Lexer<'a>,
    /// Where in the record's bytes the lexer's begin.
    start: usize,
    /// How many objects wait to be closed.
    closing: usize,
    /// A record had members before others that were never asked for. Those after the last that is, nobody sees.
    has_unknown_members: bool,
}

impl<'a> Tokens<'a> {
    fn new(bytes: &'a [u8], start: usize) -> Result<Self, Error> {
        Ok(Self { lexer: Lexer::new(bytes)?, start, closing: 0, has_unknown_members: false })
    }

    /// The token of what is read next.
    #[inline]
    fn token(&mut self) -> Result<Token, Error> {
        if self.closing > 0 || self.has_unknown_members {
            self.close_objects()?;
        }
        Ok(self.lexer.token())
    }

    fn close_objects(&mut self) -> Result<(), Error> {
        if self.has_unknown_members {
            return Err(corrupt("Unknown fields"));
        }
        for _ in 0..std::mem::take(&mut self.closing) {
            while self.lexer.token() != Token::EndObject {
                if self.lexer.advance()? == Token::End {
                    return Err(self.unexpected("union-end"));
                }
            }
            self.lexer.advance()?;
        }
        Ok(())
    }

    /// What Jackson has seen at the end although nobody asked for it: with a name it reads the value, all but the inside
    /// of a string, and no string or name has control characters that are not escaped.
    fn check_what_was_seen(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let seen = self.lexer.offset() + self.lexer.raw().len();
        if self.lexer.token() == Token::Name {
            self.lexer.advance()?;
        }
        let seen = bytes.get(..seen).unwrap_or(bytes);
        if seen.iter().any(|byte| *byte < b' ') && has_control_in_string(seen) {
            return Err(corrupt("a control character that is not escaped"));
        }
        Ok(())
    }

    fn expect(&mut self, token: Token, expected: &str) -> Result<(), Error> {
        if self.token()? == token { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Moves past `token`, which must be there.
    fn pass(&mut self, token: Token, expected: &str) -> Result<(), Error> {
        self.expect(token, expected)?;
        self.lexer.advance().map(drop)
    }

    /// A number by its lexeme, and whether that has a point or an exponent.
    fn number<T>(&mut self, expected: &str, parse: impl FnOnce(&str, bool) -> Option<T>) -> Result<T, Error> {
        let is_float = match self.token()? {
            Token::Integer => false,
            Token::Float => true,
            _ => return Err(self.unexpected(expected)),
        };
        let value = std::str::from_utf8(self.lexer.raw()).ok().and_then(|lexeme| parse(lexeme, is_float));
        let value = value.ok_or_else(|| {
            Error::new(ErrorKind::Data, format!("Numeric value out of range of {expected}"))
        })?;
        self.lexer.advance()?;
        Ok(value)
    }

    /// Where in the record's bytes the token starts that is a value.
    fn start_of_value(&self) -> usize {
        let quote = usize::from(self.lexer.token() == Token::String);
        self.start + self.lexer.offset() - quote
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Error {
        Error::new(ErrorKind::Data, format!("Expected {expected}. Got {}", self.lexer.token().name()))
    }
}

/// Whether a string or name of the JSON has a control character as it is.
#[cold]
fn has_control_in_string(json: &[u8]) -> bool {
    let (mut in_string, mut bytes) = (false, json.iter());
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => {
                bytes.next();
            }
            ..b' ' if in_string => return true,
            _ => {}
        }
    }
    false
}

/// Jackson has a number without a point as an integer, which has no zero below zero.
fn whole(lexeme: &str, is_float: bool) -> &str {
    if !is_float && lexeme == "-0" { "0" } else { lexeme }
}

#[cold]
fn corrupt(message: &'static str) -> Error {
    Error::new(ErrorKind::Data, message)
}
