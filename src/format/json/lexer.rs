//! A pull lexer over the bytes of one JSON document.
//!
//! It hands out the tokens that Jackson's streaming parser does and refuses what that refuses, with Jackson's
//! limits. Nothing is built and nothing is copied; a string is looked at once to find its end, and a second time
//! only when somebody wants its text.
//!
//! Agrees with Jackson's `UTF8StreamJsonParser` and `StreamReadConstraints`.

use crate::error::{Error, ErrorKind};
use crate::text::as_utf8;

use super::utf8;

mod recover;

/// What [`Lexer::advance`] stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Token {
    StartObject,
    EndObject,
    StartArray,
    EndArray,
    /// The name of a member; its colon is read.
    Name,
    String,
    /// A number without point and exponent.
    Integer,
    /// A number with one of them.
    Float,
    True,
    False,
    Null,
    /// A name whose colon or value was none: Jackson, which reads both with the name, goes on with [`Self::End`].
    BadMember,
    /// No token: the document is over, and what follows a complete value is not looked at; or a member was bad.
    End,
}

impl Token {
    /// What it is, for messages.
    pub(in crate::format) fn name(self) -> &'static str {
        match self {
            Self::StartObject | Self::EndObject => "an object",
            Self::StartArray | Self::EndArray => "an array",
            Self::Name | Self::BadMember => "a name",
            Self::String => "a string",
            Self::Integer | Self::Float => "a number",
            Self::True | Self::False => "a boolean",
            Self::Null => "null",
            Self::End => "the end",
        }
    }
}

#[derive(Clone, Debug)]
pub(in crate::format) struct Lexer<'a> {
    input: &'a [u8],
    position: usize,
    token: Token,
    /// The text of the token, without quotes.
    start: usize,
    end: usize,
    /// All of the input, if it is UTF-8.
    text: Option<&'a str>,
    /// The string or name has escapes or no end, or the input is not UTF-8, and nobody has checked what it says; or the
    /// member was bad.
    unchecked: bool,
    depth: usize,
    /// For each open container a bit: whether it is an object.
    objects: [u64; MAX_DEPTH.div_ceil(64)],
}

/// `StreamReadConstraints.getMaxNestingDepth()`.
pub(super) const MAX_DEPTH: usize = 1000;
/// `StreamReadConstraints.getMaxNumberLength()`, in digits.
const MAX_NUMBER_LENGTH: usize = 1000;
/// `StreamReadConstraints.getMaxNameLength()`, which Jackson compares with bytes.
pub(super) const MAX_NAME_LENGTH: usize = 50_000;
/// `StreamReadConstraints.getMaxStringLength()`, in Java's characters.
pub(super) const MAX_STRING_LENGTH: usize = 20_000_000;

impl<'a> Lexer<'a> {
    /// A lexer at the first token of `input`, which is UTF-8, or nearly: see [`utf8`].
    pub(in crate::format) fn new(input: &'a [u8]) -> Result<Self, Error> {
        Self::of_text(input, as_utf8(input))
    }

    /// The same of an input that has been looked at: it is `text`, or no UTF-8.
    pub(super) fn of_text(input: &'a [u8], text: Option<&'a str>) -> Result<Self, Error> {
        let mut lexer = Self {
            input,
            position: 0,
            token: Token::End,
            start: 0,
            end: 0,
            text,
            unchecked: false,
            depth: 0,
            objects: [0; MAX_DEPTH.div_ceil(64)],
        };
        if lexer.skip_blanks().is_some() {
            lexer.value()?;
        }
        Ok(lexer)
    }

    /// The token the lexer stands on.
    #[inline]
    pub(in crate::format) fn token(&self) -> Token {
        self.token
    }

    /// Whether there is no token, and will be none.
    #[inline]
    pub(super) fn is_over(&self) -> bool {
        self.token == Token::End && self.depth == 0
    }

    /// Where the token starts.
    pub(in crate::format) fn offset(&self) -> usize {
        self.start
    }

    /// The token as it is written, a string's or name's without quotes.
    #[inline]
    pub(in crate::format) fn raw(&self) -> &'a [u8] {
        &self.input[self.start..self.end]
    }

    /// The document, and the same as text if it is UTF-8.
    #[inline]
    pub(in crate::format) fn document(&self) -> (&'a [u8], Option<&'a str>) {
        (self.input, self.text)
    }

    /// Where the next member's name is in compact text: after the opening brace or a comma.
    #[inline]
    pub(in crate::format) fn next_member(&self) -> Option<usize> {
        if self.unchecked || !self.in_object() {
            return None;
        }
        match (self.token, self.input.get(self.position)) {
            (Token::StartObject, _) => Some(self.position),
            (_, Some(b',')) => Some(self.position + 1),
            _ => None,
        }
    }

    /// Goes from the start of an object or array to its end, which is in front of `end`.
    pub(in crate::format) fn jump_to_end(&mut self, end: usize) {
        let token = if self.token == Token::StartObject { Token::EndObject } else { Token::EndArray };
        self.position = end - 1;
        self.close(token);
    }

    /// Stands on a scalar that ends at `end`.
    #[inline]
    pub(in crate::format) fn jump_after_value(&mut self, end: usize) {
        self.token = Token::Null;
        self.start = end;
        self.end = end;
        self.position = end;
    }

    /// Goes to the next token.
    #[inline]
    pub(in crate::format) fn advance(&mut self) -> Result<Token, Error> {
        if self.unchecked {
            self.check()?;
        }
        match self.token {
            Token::Name => {
                self.skip_blanks();
                if let Err(error) = self.value() {
                    return Err(self.fail(error, Token::BadMember));
                }
            }
            Token::StartObject => match self.skip_blanks() {
                Some(b'}') => self.close(Token::EndObject),
                Some(b'"') => self.name()?,
                found => return Err(self.unexpected(found, "a name in double quotes")),
            },
            Token::StartArray => match self.skip_blanks() {
                Some(b']') => self.close(Token::EndArray),
                found @ Some(b'}' | b'/' | ..b' ') => return Err(self.unexpected(found, "a value")),
                _ => self.element()?,
            },
            Token::BadMember => self.token = Token::End,
            Token::EndObject
            | Token::EndArray
            | Token::String
            | Token::Integer
            | Token::Float
            | Token::True
            | Token::False
            | Token::Null
            | Token::End => self.after_value()?,
        }
        Ok(self.token)
    }

    #[inline]
    fn after_value(&mut self) -> Result<(), Error> {
        if self.depth == 0 {
            self.token = Token::End;
            return Ok(());
        }
        let in_object = self.in_object();
        match self.skip_blanks() {
            Some(b',') => {
                self.position += 1;
                let next = self.skip_blanks();
                match next {
                    Some(b'"') if in_object => self.name()?,
                    _ if in_object => return Err(self.unexpected(next, "a name in double quotes")),
                    _ => self.element()?,
                }
            }
            Some(b'}') if in_object => self.close(Token::EndObject),
            Some(b']') if !in_object => self.close(Token::EndArray),
            found if in_object => return Err(self.unexpected(found, "a comma or the end of the object")),
            found => return Err(self.unexpected(found, "a comma or the end of the array")),
        }
        Ok(())
    }

    /// The value that is an element of an array.
    #[inline]
    fn element(&mut self) -> Result<(), Error> {
        self.value().map_err(|error| self.fail(error, Token::Null))
    }

    /// Goes from the start of an object or array to its end; elsewhere stays.
    pub(in crate::format) fn skip_children(&mut self) -> Result<(), Error> {
        if !matches!(self.token, Token::StartObject | Token::StartArray) {
            return Ok(());
        }
        let outside = self.depth - 1;
        while self.depth > outside {
            self.advance()?;
        }
        Ok(())
    }

    /// The token's text, a string's or name's without escapes: unescaped into `scratch` where it must be.
    #[inline]
    pub(in crate::format) fn text<'t>(&mut self, scratch: &'t mut String) -> Result<&'t str, Error>
    where
        'a: 't,
    {
        if !self.unchecked
            && let Some(text) = self.plain_text()
        {
            return Ok(text);
        }
        scratch.clear();
        self.append_unescaped(scratch)?;
        Ok(scratch)
    }

    /// Appends the token's text, a string's or name's without escapes.
    #[inline]
    pub(super) fn append_text(&mut self, out: &mut String) -> Result<(), Error> {
        if !self.unchecked
            && let Some(text) = self.plain_text()
        {
            out.push_str(text);
            return Ok(());
        }
        self.append_unescaped(out)
    }

    /// The token as it is written, if it is UTF-8.
    #[inline]
    fn plain_text(&self) -> Option<&'a str> {
        match self.text {
            Some(text) => text.get(self.start..self.end),
            None => str::from_utf8(self.raw()).ok(),
        }
    }

    #[inline(never)]
    fn append_unescaped(&mut self, out: &mut String) -> Result<(), Error> {
        self.unchecked = false;
        let before = out.len();
        if let Some(text) = self.text {
            let end = utf8::next_special(self.input, self.start);
            if utf8::read_string(text, self.start, end, out).is_some() {
                return Ok(());
            }
            out.truncate(before);
        }
        utf8::unescape(self.raw(), out).map_err(|error| self.resume_after(error))?;
        self.check_end()
    }

    /// Checks a string that nobody wants.
    #[cold]
    fn check(&mut self) -> Result<(), Error> {
        self.unchecked = false;
        if self.token == Token::Name {
            return Ok(()); // checked when it was read
        }
        utf8::check(self.raw()).map_err(|error| self.resume_after(error))?;
        self.check_end()
    }

    /// A string that is read must have an end.
    #[cold]
    fn check_end(&self) -> Result<(), Error> {
        if self.token == Token::String && self.end == self.input.len() {
            return Err(self.error("the text ends inside a string"));
        }
        Ok(())
    }

    /// The string that the token is, and all that follows it.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.input.get(self.start..).unwrap_or_default()
    }

    /// Stands on the value that starts here.
    #[inline]
    fn value(&mut self) -> Result<(), Error> {
        match self.input.get(self.position).copied() {
            Some(b'"') => {
                self.token = Token::String;
                if !self.string() {
                    // Jackson looks for its end when the text is asked for, or what follows it.
                    self.unchecked = true;
                } else if self.end - self.start > MAX_STRING_LENGTH
                    && utf8::java_len(self.raw()) > MAX_STRING_LENGTH
                {
                    return Err(self.beyond_limit("a string of more than 20,000,000 characters"));
                }
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'{') => self.open(Token::StartObject)?,
            Some(b'[') => self.open(Token::StartArray)?,
            Some(b't') => self.literal(b"true", Token::True)?,
            Some(b'f') => self.literal(b"false", Token::False)?,
            Some(b'n') => self.literal(b"null", Token::Null)?,
            found => return Err(self.no_value(found)),
        }
        Ok(())
    }

    /// Stands on the name whose quote is here, and reads its colon.
    #[inline]
    fn name(&mut self) -> Result<(), Error> {
        let has_end = self.string();
        if !has_end || self.unchecked || self.end - self.start > MAX_NAME_LENGTH {
            self.check_name(has_end)?;
        }
        self.token = Token::Name;
        match self.skip_blanks() {
            Some(b':') => {
                self.position += 1;
                Ok(())
            }
            found => Err(self.no_colon(found)),
        }
    }

    /// Reads from a quote to the next that is not escaped, which may be missing.
    #[inline]
    fn string(&mut self) -> bool {
        self.start = self.position + 1;
        let (end, has_escapes) = utf8::end_of_string(self.input, self.start);
        self.end = end.min(self.input.len());
        self.position = self.end + 1;
        self.unchecked = has_escapes || self.text.is_none();
        let has_end = end < self.input.len();
        if !has_end {
            self.position = self.input.len();
        }
        has_end
    }

    #[inline]
    fn number(&mut self) -> Result<(), Error> {
        self.start = self.position;
        self.token = Token::Integer;
        let negative = usize::from(self.input[self.position] == b'-');
        self.position += negative;
        let mut digits = self.digits();
        if digits == 0 {
            self.skip_byte();
            return Err(self.error("a number without digits"));
        }
        if digits > 1 && self.input[self.start + negative] == b'0' {
            self.position = self.start + negative + 1;
            return Err(self.error("a number with leading zeros"));
        }
        if self.input.get(self.position) == Some(&b'.') {
            self.token = Token::Float;
            self.position += 1;
            digits += self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.input.get(self.position) {
            self.token = Token::Float;
            self.position += 1;
            if let Some(b'+' | b'-') = self.input.get(self.position) {
                self.position += 1;
            }
            digits += self.some_digits()?;
        }
        self.end = self.position;
        if digits > MAX_NUMBER_LENGTH {
            return Err(self.beyond_limit("a number of more than 1000 digits"));
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) -> usize {
        let start = self.position;
        while self.input.get(self.position).is_some_and(u8::is_ascii_digit) {
            self.position += 1;
        }
        self.position - start
    }

    fn some_digits(&mut self) -> Result<usize, Error> {
        match self.digits() {
            0 => {
                self.skip_byte();
                Err(self.error("a number without digits"))
            }
            digits => Ok(digits),
        }
    }

    fn literal(&mut self, text: &[u8], token: Token) -> Result<(), Error> {
        self.start = self.position;
        let rest = &self.input[self.position..];
        let continues =
            |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$' || *byte >= 0x80;
        if !rest.starts_with(text) || rest.get(text.len()).is_some_and(continues) {
            self.skip_word(text);
            return Err(self.error("an unknown word"));
        }
        self.position += text.len();
        self.end = self.position;
        self.token = token;
        Ok(())
    }

    fn open(&mut self, token: Token) -> Result<(), Error> {
        self.start = self.position;
        if self.depth == MAX_DEPTH {
            return Err(self.beyond_limit("nesting deeper than 1000"));
        }
        let bit = 1 << (self.depth % 64);
        let word = &mut self.objects[self.depth / 64];
        if token == Token::StartObject {
            *word |= bit;
        } else {
            *word &= !bit;
        }
        self.depth += 1;
        self.position += 1;
        self.end = self.position;
        self.token = token;
        Ok(())
    }

    #[inline]
    fn close(&mut self, token: Token) {
        self.start = self.position;
        self.position += 1;
        self.end = self.position;
        self.depth -= 1;
        self.token = token;
    }

    #[inline]
    fn in_object(&self) -> bool {
        let Some(level) = self.depth.checked_sub(1) else { return false };
        self.objects[level / 64] >> (level % 64) & 1 == 1
    }

    /// Skips blanks; answers the byte after them.
    #[inline]
    fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            let byte = self.input.get(self.position).copied()?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.position += 1;
        }
    }

    /// The document ends where a value does not.
    #[cold]
    pub(super) fn ended(&self) -> Error {
        Error::new(ErrorKind::Data, "the text ends inside a value").with_offset(self.position)
    }

    #[cold]
    fn expected(&self, found: Option<u8>, expected: &str) -> Error {
        let message = match found {
            None => format!("expected {expected}, but the text ends"),
            Some(byte) => format!("expected {expected}, found {:?}", char::from(byte)),
        };
        Error::new(ErrorKind::Data, message).with_offset(self.position)
    }

    /// The token that starts at `start` is not well formed.
    #[cold]
    #[inline(never)]
    fn error(&self, message: &'static str) -> Error {
        Error::new(ErrorKind::Data, message).with_offset(self.start)
    }

    /// The token that starts at `start` is more than Jackson takes.
    #[cold]
    #[inline(never)]
    fn beyond_limit(&self, message: &'static str) -> Error {
        Error::new(ErrorKind::Limit, message).with_offset(self.start)
    }
}
