//! JSON to rows with the streaming decoder: at one go as far as a document is compact, then by a [`Walk`] over its tokens.
//!
//! Agrees with `org.apache.flink.formats.json.JsonParserRowDataDeserializationSchema`.

use super::compact::{Compact, Progress};
use super::lexer::{Lexer, Token};
use super::options::JsonOptions;
use super::plan::Fields;
use super::utf8;
use super::walk::{Rules, Walk};
use crate::error::{Error, ErrorKind};
use crate::format::{NoRow, Projection, Rows, Scratch};
use crate::row::{RowBuf, RowKind};
use crate::text::{Jdk, as_utf8};

/// Reads one JSON object, or an array of them, into rows.
#[derive(Clone, Debug)]
pub(crate) struct StreamingDecoder {
    fields: Fields,
    rules: Rules,
}

impl StreamingDecoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new(projection: Projection<'_>, options: &JsonOptions, jdk: Jdk) -> Result<Self, Error> {
        let fields = Fields::of(projection, options)?;
        let rules = Rules {
            floats: fields.float_nodes(jdk),
            ignore_parse_errors: options.ignore_parse_errors,
            fail_on_missing_field: options.fail_on_missing_field,
        };
        Ok(Self { fields, rules })
    }

    /// Appends the rows that `bytes` hold.
    pub(crate) fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let result = self.document(&utf8::to_utf8(bytes), rows);
        match result {
            Err(_) if self.rules.ignore_parse_errors => {
                rows.skip(NoRow::ParseError);
                Ok(())
            }
            result => result,
        }
    }

    /// As [`decode`](Self::decode), of a value whose key has the members of its first `members` fields and no others. The
    /// key is read only to see that it decodes: the value has all its columns, and Flink keeps those of the value.
    ///
    /// `false`, and no row, of any other key, and where the value is at fault: whoever decodes both finds out what they
    /// say.
    pub(super) fn decode_with_key(
        &self,
        key: &[u8],
        members: usize,
        value: &[u8],
        rows: &mut Rows<'_>,
    ) -> bool {
        let Some(members_of_key) = key.strip_suffix(b"}") else { return false };
        let begins_with_key =
            value.get(members_of_key.len()) == Some(&b',') && value.starts_with(members_of_key);
        let Ok((row, scratch)) = rows.push_with_scratch(RowKind::Insert) else { return false };
        let read = match begins_with_key {
            true => self.object_with_key(members_of_key.len(), members, value, row, scratch),
            false => self.object_beside_key(key, members, value, row, scratch),
        };
        if read.is_none() {
            rows.pop();
        }
        read.is_some()
    }

    fn object_with_key(
        &self,
        end_of_key: usize,
        members: usize,
        value: &[u8],
        row: &mut RowBuf,
        scratch: &mut Scratch,
    ) -> Option<()> {
        let [b'{', b'"', ..] = value else { return None };
        let compact = Compact { input: value, text: as_utf8(value) };
        let end = compact.members_in_order(self.fields.range(0, members), 1, row)?;
        if end != end_of_key {
            return None;
        }
        let progress = Progress { found: members, next: members, end: Some(end) };
        self.object(compact, progress, row, scratch).ok()
    }

    /// The same of a value that says the members in another way than its key.
    #[inline(never)]
    fn object_beside_key(
        &self,
        key: &[u8],
        members: usize,
        value: &[u8],
        row: &mut RowBuf,
        scratch: &mut Scratch,
    ) -> Option<()> {
        // Neither is in UTF-16.
        let ([b'{', b'"', ..], [b'{', b'"', ..]) = (key, value) else { return None };
        let compact = Compact { input: key, text: as_utf8(key) };
        let end = compact.members_in_order(self.fields.range(0, members), 1, row)?;
        if end + 1 != key.len() {
            return None;
        }
        row.reset(row.columns()); // it has shown that the key decodes
        let compact = Compact { input: value, text: as_utf8(value) };
        self.object(compact, Progress::default(), row, scratch).ok()
    }

    /// Reads the object that is the document, whose first members have been read: at one go as far as that goes, then by
    /// its tokens.
    #[inline]
    fn object(
        &self,
        compact: Compact<'_>,
        mut progress: Progress,
        row: &mut RowBuf,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let start = progress.end.unwrap_or(0) + 1;
        compact.members(&self.fields, start, &mut progress, 0, row, Some(&mut scratch.members));
        let is_over = progress.end.is_some_and(|end| compact.byte(end) == Some(b'}'));
        if is_over && (progress.found == self.fields.len() || !self.rules.fail_on_missing_field) {
            return Ok(());
        }
        let mut lexer = Lexer::of_text(compact.input, compact.text)?;
        if let Some(end) = progress.end {
            lexer.jump_after_value(end);
        }
        Walk { rules: &self.rules, lexer: &mut lexer, row, scratch }.members(&self.fields, 0, progress)
    }

    fn document(&self, bytes: &[u8], rows: &mut Rows<'_>) -> Result<(), Error> {
        let text = as_utf8(bytes);
        if let Some(b'{') = bytes.first() {
            let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
            let read = self.object(Compact { input: bytes, text }, Progress::default(), row, scratch);
            return self.end_row(read, rows);
        }
        let mut lexer = Lexer::of_text(bytes, text)?;
        match lexer.token() {
            Token::StartObject => self.element(&mut lexer, rows),
            Token::StartArray => {
                if lexer.advance()? == Token::EndArray {
                    rows.skip(NoRow::Empty);
                }
                while lexer.token() != Token::EndArray {
                    self.element(&mut lexer, rows)?;
                    lexer.advance()?;
                    if lexer.is_over() {
                        return Err(lexer.ended());
                    }
                }
                Ok(())
            }
            _ => Err(Error::new(ErrorKind::Data, "expected a JSON object or an array of them")
                .with_offset(lexer.offset())),
        }
    }

    /// The root object, or one element of the root array; `null` is a row NULL.
    fn element(&self, lexer: &mut Lexer<'_>, rows: &mut Rows<'_>) -> Result<(), Error> {
        if lexer.token() == Token::Null {
            return rows.push_null_row();
        }
        let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
        let read = Walk { rules: &self.rules, lexer, row, scratch }.object(&self.fields, 0);
        self.end_row(read, rows)
    }

    /// Takes the row back that could not be read.
    #[inline]
    fn end_row(&self, read: Result<(), Error>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Err(error) = read else { return Ok(()) };
        rows.pop();
        if self.rules.ignore_parse_errors { rows.push_null_row() } else { Err(error) }
    }
}

#[cfg(test)]
mod tests;
