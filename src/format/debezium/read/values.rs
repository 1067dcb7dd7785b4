//! Values of a payload into the columns of a row.

use crate::error::{Error, ErrorKind};
use crate::format::json::{Lexer, Token};
use crate::format::scalar::Scalar;
use crate::format::{Scratch, map_slot};
use crate::row::{RowBuf, Slot};
use crate::text;

use super::connect_type::{Digits, Unit};
use super::members::{Members, Reader, TextOf};
use super::placeholder::{Placeholder, read_hex, unavailable};
use super::settings::{DebeziumBytes, UnavailableValue};
use super::{decimals, iso, plain};

/// A walk over the tokens of an object, and what it fills.
pub(super) struct Walk<'w, 'a> {
    pub(super) lexer: &'w mut Lexer<'a>,
    pub(super) row: &'w mut RowBuf,
    pub(super) scratch: &'w mut Scratch,
    pub(super) placeholder: &'w Placeholder,
    /// The value that is read stands for one that was not sent.
    pub(super) is_unavailable: bool,
}

/// What a flattened event says of its operation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub(super) is_deleted: bool,
    pub(super) operation: Option<u8>,
}

impl Walk<'_, '_> {
    /// Fills columns out of the object that starts here, and leaves the lexer at its end.
    pub(super) fn row(&mut self, members: &Members, mut marks: Option<&mut Marks>) -> Result<(), Error> {
        // Who wants marks looks at each name.
        let read = match marks {
            Some(_) => 0,
            None => plain::read_members(self.lexer, members, self.row, self.scratch, self.placeholder),
        };
        self.members(members, read, |walk, place, reader, marked| {
            if let (Some(marks), Some(mark)) = (&mut marks, marked) {
                marks.note(mark, walk.lexer, walk.scratch)?;
            }
            let Some((place, reader)) = place.zip(reader) else { return walk.lexer.skip_children() };
            let slot = walk.column(reader)?;
            walk.row.store(place, slot);
            Ok(())
        })
    }

    /// Stands on the value of each member in turn. The first `next` have been read; the lexer stands on the value of
    /// the last of them.
    fn members(
        &mut self,
        members: &Members,
        mut next: usize,
        mut take: impl FnMut(&mut Self, Option<usize>, Option<&Reader>, Option<Mark>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if next == 0 && self.lexer.token() != Token::StartObject {
            return Err(misfit("an object", self.lexer));
        }
        while self.lexer.advance()? == Token::Name {
            let name = self.lexer.text(&mut self.scratch.text)?;
            let mark = Mark::of(name);
            let found = members.find(name.as_bytes(), next);
            self.lexer.advance()?;
            match found {
                Some((index, member)) => {
                    next = index + 1;
                    let (place, reader) =
                        member.column.as_ref().map(|(place, reader)| (*place, reader)).unzip();
                    take(self, place, reader, mark).map_err(|error| error.in_column(&member.name))?;
                }
                None => take(self, None, None, mark)?,
            }
        }
        Ok(())
    }

    /// The value that starts here; if it was not sent, what the settings say.
    fn column(&mut self, reader: &Reader) -> Result<Slot, Error> {
        let mark = self.row.begin();
        let slot = self.value(reader)?;
        if !std::mem::take(&mut self.is_unavailable) {
            return Ok(slot);
        }
        match self.placeholder.becomes {
            UnavailableValue::Placeholder if !matches!(slot, Slot::Null) => Ok(slot),
            UnavailableValue::Null => {
                self.row.rewind(mark);
                Ok(Slot::Null)
            }
            UnavailableValue::Error | UnavailableValue::Placeholder => Err(unavailable(self.lexer)),
        }
    }

    fn value(&mut self, reader: &Reader) -> Result<Slot, Error> {
        let token = self.lexer.token();
        match (reader, token) {
            (_, Token::Null) => Ok(Slot::Null),
            (_, Token::String) if self.placeholder.is(self.lexer.raw()) => Ok(self.unavailable(reader)),
            (Reader::Text(of), _) => self.text(*of),
            (Reader::InText(reader), Token::String) => self.value_in_text(reader),
            (Reader::InText(reader), _) => self.value(reader),
            (Reader::Array { element, is_set: true }, Token::String)
                if !self.lexer.raw().starts_with(b"[") =>
            {
                self.set(element)
            }
            (Reader::Array { .. } | Reader::Map(_) | Reader::Row { .. }, Token::String) => {
                self.value_in_text(reader)
            }
            (Reader::Array { element, .. }, Token::StartArray) => self.array(element),
            (Reader::Map(value), Token::StartObject) => self.map(value),
            (Reader::Row { members, width }, Token::StartObject) => self.nested_row(members, *width),
            (_, Token::StartObject) => self.wrapped(reader),
            _ => self.scalar(reader),
        }
    }

    fn scalar(&mut self, reader: &Reader) -> Result<Slot, Error> {
        let (token, offset) = (self.lexer.token(), self.lexer.offset());
        let slot = match reader {
            Reader::Boolean => boolean(token, self.lexer.raw()),
            Reader::Number(scalar, digits) => self.number(*scalar, *digits)?,
            Reader::Decimal { precision, scale, digits } => self.decimal(*precision, *scale, *digits)?,
            Reader::Bytes(bytes) if token == Token::String => self.bytes(*bytes),
            Reader::Date(_)
            | Reader::Time(_)
            | Reader::Timestamp(_)
            | Reader::YearMonth
            | Reader::DayTime(_) => match self.time()? {
                Time::Number(number) => reader.time_of_number(number),
                Time::Text(text) => time_of_text(reader, text),
                Time::None => None,
            },
            Reader::Text(_)
            | Reader::Bytes(_)
            | Reader::Array { .. }
            | Reader::Map(_)
            | Reader::Row { .. }
            | Reader::InText(_) => None,
        };
        slot.ok_or_else(|| misfit(reader.name(), self.lexer).with_offset(offset))
    }

    /// A number, or the text of a time.
    fn time(&mut self) -> Result<Time<'_>, Error> {
        let token = self.lexer.token();
        let text = match token {
            Token::Integer | Token::String => self.lexer.text(&mut self.scratch.text)?,
            _ => return Ok(Time::None),
        };
        Ok(match token {
            Token::Integer => text::parse_integer(text).map_or(Time::None, Time::Number),
            _ => Time::Text(text),
        })
    }

    fn number(&mut self, scalar: Scalar, digits: Digits) -> Result<Option<Slot>, Error> {
        match (digits, self.lexer.token()) {
            (Digits::Unscaled { scale }, Token::String) => {
                if self.base64().is_none() {
                    return Ok(None);
                }
                let text = decimals::write_in_place(&mut self.scratch.bytes, scale);
                Ok(text.and_then(|text| scalar.parse(text, self.row)))
            }
            (Digits::Bits, Token::String) => {
                let bits = self.base64().and_then(decimals::of_bits);
                #[expect(clippy::cast_possible_wrap, reason = "64 bits are 64 bits")]
                let number = bits.map(|bits| i128::from(bits as i64));
                let text = number.and_then(|number| decimals::write(number, 0, &mut self.scratch.bytes));
                Ok(text.and_then(|text| scalar.parse(text, self.row)))
            }
            (_, Token::True | Token::False | Token::StartArray) => Ok(None),
            (_, Token::String) if scalar == Scalar::BigInt && is_interval(self.lexer.raw()) => {
                let text = self.lexer.text(&mut self.scratch.text)?;
                Ok(iso::parse_interval(text).and_then(iso::interval_in_micros).map(Slot::BigInt))
            }
            _ => Ok(scalar.parse(self.lexer.text(&mut self.scratch.text)?, self.row)),
        }
    }

    fn decimal(&mut self, precision: u8, scale: u8, digits: Digits) -> Result<Option<Slot>, Error> {
        let token = self.lexer.token();
        if let (Digits::Unscaled { scale: from }, Token::String) = (digits, token) {
            let decimal =
                self.unscaled().and_then(|unscaled| decimals::fit(unscaled, from, precision, scale));
            return Ok(decimal.map(Slot::Decimal));
        }
        if !matches!(token, Token::String | Token::Integer | Token::Float) {
            return Ok(None);
        }
        let text = self.lexer.text(&mut self.scratch.text)?;
        let scalar = Scalar::Decimal { precision, scale };
        // More digits than the column has are NULL elsewhere, and a lost value here.
        Ok(scalar.parse(text, self.row).filter(|slot| !matches!(slot, Slot::Null)))
    }

    /// The bytes of a text in base64, in the scratch.
    fn base64(&mut self) -> Option<&[u8]> {
        self.scratch.bytes.clear();
        text::read_base64(&mut self.scratch.bytes, self.lexer.raw()).ok()?;
        Some(&self.scratch.bytes)
    }

    fn unscaled(&mut self) -> Option<i128> {
        self.base64().and_then(decimals::of_bytes)
    }

    fn bytes(&mut self, bytes: DebeziumBytes) -> Option<Slot> {
        let raw = self.lexer.raw();
        match bytes {
            DebeziumBytes::Hex => self.row.bytes_slot_with(|out| read_hex(out, raw).ok_or(())).ok(),
            DebeziumBytes::Base64 if raw.iter().any(|byte| matches!(byte, b'-' | b'_')) => {
                let Scratch { bytes, .. } = &mut *self.scratch;
                bytes.clear();
                bytes.extend(raw.iter().map(|byte| match byte {
                    b'-' => b'+',
                    b'_' => b'/',
                    byte => *byte,
                }));
                self.row.bytes_slot_with(|out| text::read_base64(out, bytes)).ok()
            }
            DebeziumBytes::Base64 => self.row.bytes_slot_with(|out| text::read_base64(out, raw)).ok(),
        }
    }

    fn text(&mut self, of: TextOf) -> Result<Slot, Error> {
        match (of, self.lexer.token()) {
            (TextOf::Decimal(Digits::Unscaled { scale }), Token::String) => {
                let is_number = self.base64().is_some();
                let text = is_number.then(|| decimals::write_in_place(&mut self.scratch.bytes, scale));
                let slot = text.flatten().map(|text| self.row.str_slot(text));
                slot.ok_or_else(|| misfit("a number of at most 1000 digits", self.lexer))
            }
            (TextOf::VariableScaleDecimal, Token::StartObject) => self.wrapped(&Reader::Text(of)),
            (_, Token::StartObject) if self.is_extended_json()? => self.wrapped(&Reader::Text(of)),
            (_, Token::StartObject | Token::StartArray) => {
                let start = self.lexer.offset();
                self.lexer.skip_children()?;
                let (input, _) = self.lexer.document();
                let json = input.get(start..=self.lexer.offset()).and_then(|json| str::from_utf8(json).ok());
                let json = json.ok_or_else(|| misfit("UTF-8", self.lexer))?;
                Ok(self.row.str_slot(json))
            }
            _ => {
                let text = self.lexer.text(&mut self.scratch.text)?;
                Ok(self.row.str_slot(text))
            }
        }
    }

    /// The words of a set, with commas between them.
    fn set(&mut self, element: &Reader) -> Result<Slot, Error> {
        let mark = self.row.begin();
        let Reader::Text(_) = element else { return Err(misfit("an array", self.lexer)) };
        let text = self.lexer.text(&mut self.scratch.text)?;
        for word in text.split(',').filter(|_| !text.is_empty()) {
            let slot = self.row.str_slot(word);
            self.row.push_item(slot)?;
        }
        Ok(self.row.array_slot(mark))
    }

    fn array(&mut self, element: &Reader) -> Result<Slot, Error> {
        let mark = self.row.begin();
        let start = self.lexer.offset();
        while self.lexer.advance()? != Token::EndArray {
            let index = self.row.begin() - mark;
            let slot = self.value(element).map_err(|error| error.in_element(index))?;
            self.row.push_item(slot)?;
        }
        if self.row.begin() - mark == self.placeholder.bytes.len() {
            let (input, _) = self.lexer.document();
            let elements = input.get(start..self.lexer.offset());
            self.is_unavailable |= elements.is_some_and(|elements| self.placeholder.is_numbers(elements));
        }
        Ok(self.row.array_slot(mark))
    }

    fn map(&mut self, value: &Reader) -> Result<Slot, Error> {
        let mark = self.row.begin();
        while self.lexer.advance()? == Token::Name {
            self.is_unavailable |= self.placeholder.is_name(self.lexer.raw());
            let name = self.lexer.raw();
            let key = self.lexer.text(&mut self.scratch.text)?;
            let slot = self.row.str_slot(key);
            self.row.push_item(slot)?;
            self.lexer.advance()?;
            let slot = self.value(value).map_err(|error| error.in_key(&String::from_utf8_lossy(name)))?;
            self.row.push_item(slot)?;
        }
        Ok(map_slot(self.row, mark))
    }

    fn nested_row(&mut self, members: &Members, width: usize) -> Result<Slot, Error> {
        let mark = self.row.begin_row(width)?;
        self.members(members, 0, |walk, place, reader, _| {
            let Some((place, reader)) = place.zip(reader) else { return walk.lexer.skip_children() };
            let slot = walk.value(reader)?;
            walk.row.store(mark + place, slot);
            Ok(())
        })?;
        Ok(self.row.row_slot(mark))
    }

    /// A value in JSON that is the content of a text.
    fn value_in_text(&mut self, reader: &Reader) -> Result<Slot, Error> {
        let offset = self.lexer.offset();
        let mut text = self.scratch.documents.pop().unwrap_or_default();
        let result = self.lexer.text(&mut text).and_then(|text| {
            let mut lexer = Lexer::new(text.as_bytes())?;
            let mut walk = Walk {
                lexer: &mut lexer,
                row: &mut *self.row,
                scratch: &mut *self.scratch,
                placeholder: self.placeholder,
                is_unavailable: false,
            };
            let slot = match (reader, walk.lexer.token()) {
                (Reader::Array { .. } | Reader::Map(_) | Reader::Row { .. }, Token::String)
                | (_, Token::End) => Err(misfit(reader.name(), walk.lexer)),
                _ => walk.value(reader),
            };
            self.is_unavailable |= walk.is_unavailable;
            slot
        });
        self.scratch.documents.push(text);
        result.map_err(|error| error.at_offset(offset))
    }

    /// Whether a value of MongoDB's Extended JSON starts here.
    fn is_extended_json(&self) -> Result<bool, Error> {
        let mut ahead = self.lexer.clone();
        Ok(ahead.advance()? == Token::Name && EXTENDED_JSON.contains(&ahead.raw()))
    }

    /// A value in an object that says what it is: a decimal with its scale, or one of MongoDB's Extended JSON.
    #[cold]
    fn wrapped(&mut self, reader: &Reader) -> Result<Slot, Error> {
        let offset = self.lexer.offset();
        if !self.is_extended_json()? {
            return self.variable_scale_decimal(reader).map_err(|error| error.with_offset(offset));
        }
        self.lexer.advance()?;
        let plain = match (reader, self.lexer.raw()) {
            (Reader::Timestamp(_), b"$date") => &Reader::Timestamp(Unit::Millis),
            (Reader::Date(_), b"$date") => &Reader::Date(Unit::Millis),
            (Reader::Decimal { precision, scale, .. }, _) => {
                &Reader::Decimal { precision: *precision, scale: *scale, digits: Digits::Plain }
            }
            _ => reader,
        };
        self.lexer.advance()?;
        let slot = self.value(plain)?;
        while self.lexer.advance()? == Token::Name {
            self.lexer.advance()?;
            self.lexer.skip_children()?;
        }
        Ok(slot)
    }

    fn variable_scale_decimal(&mut self, reader: &Reader) -> Result<Slot, Error> {
        let (mut scale, mut has_value) = (None, false);
        while self.lexer.advance()? == Token::Name {
            let is_scale = self.lexer.raw() == b"scale";
            let is_value = self.lexer.raw() == b"value";
            match (self.lexer.advance()?, is_scale, is_value) {
                (Token::Integer, true, _) => {
                    let text = self.lexer.text(&mut self.scratch.text)?;
                    scale = text::parse_integer(text).and_then(|scale| i32::try_from(scale).ok());
                }
                (Token::String, _, true) => has_value = self.base64().is_some(),
                _ => self.lexer.skip_children()?,
            }
        }
        let bytes = &mut self.scratch.bytes;
        let slot = scale.filter(|_| has_value).and_then(|from| match reader {
            Reader::Decimal { precision, scale, .. } => {
                let unscaled = decimals::of_bytes(bytes)?;
                decimals::fit(unscaled, from, *precision, *scale).map(Slot::Decimal)
            }
            Reader::Number(scalar, _) => scalar.parse(decimals::write_in_place(bytes, from)?, self.row),
            Reader::Text(_) => decimals::write_in_place(bytes, from).map(|text| self.row.str_slot(text)),
            _ => None,
        });
        slot.ok_or_else(|| misfit(reader.name(), self.lexer))
    }

    /// Notes that the value was not sent.
    #[cold]
    fn unavailable(&mut self, reader: &Reader) -> Slot {
        self.is_unavailable = true;
        let bytes = &self.placeholder.bytes;
        match reader {
            Reader::Text(_) => self.row.str_slot_with(|out| text::decode_utf8(bytes, out)),
            Reader::Bytes(_) => self.row.bytes_slot(bytes),
            _ => Slot::Null,
        }
    }
}

fn time_of_text(reader: &Reader, text: &str) -> Option<Slot> {
    match reader {
        Reader::Date(_) => iso::parse_date(text).map(Slot::Date),
        Reader::Time(_) => iso::parse_time(text).map(Slot::Time),
        Reader::Timestamp(_) => iso::parse_timestamp(text).map(Slot::Timestamp),
        Reader::YearMonth => iso::parse_interval(text)
            .and_then(|(months, nanos)| (nanos == 0).then_some(months))
            .and_then(|months| i32::try_from(months).ok().map(Slot::Int)),
        Reader::DayTime(_) => iso::parse_interval(text)
            .and_then(|(months, nanos)| (months == 0).then(|| nanos.div_euclid(1_000_000)))
            .and_then(|millis| i64::try_from(millis).ok().map(Slot::BigInt)),
        _ => None,
    }
}

fn is_interval(raw: &[u8]) -> bool {
    raw.starts_with(b"P") || raw.starts_with(b"-P")
}

enum Time<'t> {
    Number(i64),
    Text(&'t str),
    None,
}

/// A member that a flattened event has beside the row's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Deleted,
    Operation,
}

impl Mark {
    #[inline]
    fn of(name: &str) -> Option<Self> {
        match name {
            "__deleted" => Some(Self::Deleted),
            "__op" => Some(Self::Operation),
            _ => None,
        }
    }
}

impl Marks {
    fn note(&mut self, mark: Mark, lexer: &mut Lexer<'_>, scratch: &mut Scratch) -> Result<(), Error> {
        if !matches!(lexer.token(), Token::String | Token::True) {
            return Ok(());
        }
        let text = lexer.text(&mut scratch.text)?;
        match mark {
            Mark::Deleted => self.is_deleted = text == "true",
            Mark::Operation => self.operation = text.bytes().next(),
        }
        Ok(())
    }
}

/// What the objects of MongoDB's Extended JSON begin with, and one that stands inside of another.
const EXTENDED_JSON: [&[u8]; 10] = [
    b"$oid",
    b"$date",
    b"$numberInt",
    b"$numberLong",
    b"$numberDouble",
    b"$numberDecimal",
    b"$binary",
    b"$symbol",
    b"$uuid",
    b"base64",
];

fn boolean(token: Token, raw: &[u8]) -> Option<Slot> {
    match (token, raw) {
        (Token::True, _) | (Token::Integer, b"1") | (Token::String, b"true") => Some(Slot::Boolean(true)),
        (Token::False, _) | (Token::Integer, b"0") | (Token::String, b"false") => Some(Slot::Boolean(false)),
        _ => None,
    }
}

#[cold]
pub(super) fn misfit(expected: &str, lexer: &Lexer<'_>) -> Error {
    Error::new(ErrorKind::Data, format!("expected {expected}, found {}", lexer.token().name()))
        .with_offset(lexer.offset())
}
