//! The cursor walks over the tokens of an object, and each column takes its value.
//!
//! Agrees with `org.apache.flink.formats.json.JsonParserToRowDataConverters`, wrong turns included: a converter that meets
//! a container where it wants a scalar leaves the cursor inside it, and the walk goes on from there.

use super::compact::{Compact, Progress};
use super::lexer::{Lexer, Token};
use super::plan::{Fields, ValueReader};
use super::scalar;
use super::tree::FloatNodes;
use super::utf8;
use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::format::{Scratch, map_slot};
use crate::row::{RowBuf, Slot};

/// What the options say of values and members.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// How numbers are held in the text of a container that a STRING column takes.
    pub(super) floats: FloatNodes,
    pub(super) ignore_parse_errors: bool,
    pub(super) fail_on_missing_field: bool,
}

/// A walk over the tokens of one object, and what it fills.
pub(super) struct Walk<'w, 'a> {
    pub(super) rules: &'w Rules,
    pub(super) lexer: &'w mut Lexer<'a>,
    pub(super) row: &'w mut RowBuf,
    pub(super) scratch: &'w mut Scratch,
}

impl Walk<'_, '_> {
    /// Fills the places from `base` on out of the object that starts here.
    pub(super) fn object(&mut self, fields: &Fields, base: usize) -> Result<(), Error> {
        if self.lexer.token() != Token::StartObject {
            return Err(self.unexpected("an object"));
        }
        let mut progress = Progress::default();
        self.compact_members(fields, &mut progress, base);
        self.members(fields, base, progress)
    }

    /// The same of the members after those that have been read, of which the next one is no compact one.
    pub(super) fn members(
        &mut self,
        fields: &Fields,
        base: usize,
        mut progress: Progress,
    ) -> Result<(), Error> {
        loop {
            self.step()?;
            if self.lexer.token() == Token::EndObject {
                break;
            }
            self.member(fields, base, &mut progress)?;
            self.compact_members(fields, &mut progress, base);
        }
        if progress.found < fields.len() && self.rules.fail_on_missing_field {
            return Err(Error::new(ErrorKind::Data, "Some field is missing in the JSON data.")
                .with_offset(self.lexer.offset()));
        }
        Ok(())
    }

    /// Reads the member whose name the lexer stands on.
    fn member(&mut self, fields: &Fields, base: usize, progress: &mut Progress) -> Result<(), Error> {
        // Flink counts the members that it knows, and looks at no more than there are columns.
        if progress.found == fields.len() {
            if self.lexer.token() == Token::End {
                return Err(self.lexer.ended());
            }
            return self.lexer.skip_children();
        }
        let index = self.field(fields, progress.next)?;
        let Some((index, field)) = index.and_then(|index| Some((index, fields.get(index)?))) else {
            if self.lexer.advance()? == Token::End {
                return Err(self.lexer.ended());
            }
            return self.lexer.skip_children();
        };
        if let Err(error) = self.lexer.advance() {
            let is_in_value = self.lexer.token() == Token::String;
            return Err(if is_in_value { failed(&field.name, error) } else { error });
        }
        match self.value(&field.converter) {
            Ok(slot) => self.row.store(base + field.position, slot),
            Err(error) => return Err(failed(&field.name, error)),
        }
        (progress.found, progress.next) = (progress.found + 1, index + 1);
        Ok(())
    }

    /// Fills the places of the next fields, as far as the text goes on with members that [`Compact`] reads. The cursor
    /// then stands on the last value.
    #[inline]
    fn compact_members(&mut self, fields: &Fields, progress: &mut Progress, base: usize) {
        let Some(start) = self.lexer.next_member() else { return };
        let (input, text) = self.lexer.document();
        // Nested rows would unlearn what the table's row has learned.
        let order = (base == 0).then_some(&mut self.scratch.members);
        progress.end = None;
        Compact { input, text }.members(fields, start, progress, base, self.row, order);
        if let Some(end) = progress.end {
            self.lexer.jump_after_value(end);
        }
    }

    /// The index of the field that the token, most likely a name, names. It is `likely` if the members are in order.
    #[inline]
    fn field(&mut self, fields: &Fields, likely: usize) -> Result<Option<usize>, Error> {
        if let Some(field) = fields.get(likely)
            && field.name.as_bytes() == self.lexer.raw()
        {
            return Ok(Some(likely));
        }
        if self.lexer.token() == Token::End {
            return Ok(None);
        }
        Ok(fields.find(self.lexer.text(&mut self.scratch.text)?.as_bytes()))
    }

    /// The next token, which there must be.
    #[inline]
    fn step(&mut self) -> Result<(), Error> {
        self.lexer.advance()?;
        if self.lexer.is_over() {
            return Err(self.lexer.ended());
        }
        Ok(())
    }

    /// The value that starts here; where parse errors are ignored, NULL for one that does not convert.
    #[inline]
    fn value(&mut self, converter: &ValueReader) -> Result<Slot, Error> {
        if matches!(self.lexer.token(), Token::Null | Token::End) {
            return Ok(Slot::Null);
        }
        let mark = self.row.begin();
        match self.converted(converter) {
            Err(_) if self.rules.ignore_parse_errors => {
                self.row.rewind(mark);
                Ok(Slot::Null)
            }
            result => result,
        }
    }

    #[inline]
    fn converted(&mut self, converter: &ValueReader) -> Result<Slot, Error> {
        match converter {
            ValueReader::Scalar(scalar) => {
                scalar::read(*scalar, self.lexer, self.row, self.scratch, self.rules.floats)
            }
            ValueReader::Array(element) => self.array(element),
            ValueReader::Map(value) => self.map(value),
            ValueReader::Row(fields) => {
                let mark = self.row.begin_row(fields.len())?;
                self.object(fields, mark)?;
                Ok(self.row.row_slot(mark))
            }
        }
    }

    fn array(&mut self, element: &ValueReader) -> Result<Slot, Error> {
        if self.lexer.token() != Token::StartArray {
            return Err(self.unexpected("an array"));
        }
        let mark = self.row.begin();
        self.step()?;
        while self.lexer.token() != Token::EndArray {
            let index = self.row.begin() - mark;
            let slot = self.value(element).map_err(|error| error.in_element(index))?;
            self.row.push_item(slot)?;
            self.step()?;
        }
        Ok(self.row.array_slot(mark))
    }

    fn map(&mut self, value: &ValueReader) -> Result<Slot, Error> {
        if self.lexer.token() != Token::StartObject {
            return Err(self.unexpected("an object"));
        }
        let mark = self.row.begin();
        self.step()?;
        while self.lexer.token() != Token::EndObject {
            // Most likely a name; else what the cursor has come to, read as a STRING column is.
            let name = self.lexer.raw();
            let key = self.value(&ValueReader::Scalar(Scalar::String))?;
            self.step()?;
            let slot = self.value(value).map_err(|error| error.in_key(&unescaped(name)))?;
            self.row.push_item(key)?;
            self.row.push_item(slot)?;
            self.step()?;
        }
        Ok(map_slot(self.row, mark))
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Error {
        let found = self.lexer.token().name();
        Error::new(ErrorKind::Data, format!("expected {expected}, found {found}"))
            .with_offset(self.lexer.offset())
    }
}

/// A name as it is meant.
#[cold]
fn unescaped(name: &[u8]) -> String {
    let mut out = String::new();
    match utf8::unescape(name, &mut out) {
        Ok(()) => out,
        Err(_) => String::from_utf8_lossy(name).into_owned(),
    }
}

/// Flink tells the outermost field and nothing else; the path and the cause are ours.
#[cold]
fn failed(name: &str, cause: Error) -> Error {
    cause.in_column(name).in_context(format!("Fail to deserialize at field: {name}."))
}
