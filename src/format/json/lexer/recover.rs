//! Where Jackson's streaming parser stands after an error, as one sees where parse errors are ignored.

use crate::error::Error;
use crate::format::json::utf8;

use super::{Lexer, MAX_NAME_LENGTH, Token};

impl Lexer<'_> {
    /// What Jackson stands on where a value was none, as one sees where parse errors are ignored.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(&mut self, error: Error, token: Token) -> Error {
        if self.token != Token::String {
            self.token = token;
            self.end = self.start;
            self.unchecked = true;
        }
        error
    }

    /// Jackson goes on after the bytes it has looked at, as one sees where parse errors are ignored.
    #[cold]
    pub(super) fn resume_after(&mut self, error: Error) -> Error {
        self.position = self.start + error.offset().unwrap_or(0);
        error.with_offset(self.position)
    }

    /// Checks a name that is not plain text. Jackson does so at once, and goes on as after a value where it is none: after
    /// the escape that is none, else after the whole name.
    #[cold]
    #[inline(never)]
    pub(super) fn check_name(&mut self, has_end: bool) -> Result<(), Error> {
        let checked = match utf8::name_len(self.raw()) {
            Err(error) => Err(self.resume_after(error)),
            Ok(_) if !has_end => Err(self.error("the text ends inside a string")),
            Ok(len) if len > MAX_NAME_LENGTH => Err(self.beyond_limit("a name of more than 50,000 bytes")),
            Ok(_) => utf8::check(self.raw()).map_err(|error| {
                let offset = self.start + error.offset().unwrap_or(0);
                error.with_offset(offset)
            }),
        };
        if checked.is_err() {
            self.token = Token::Null;
            self.end = self.start;
            self.unchecked = false;
        }
        checked
    }

    /// Jackson's decoder of base64 has stopped after so many bytes of the string at `start`: the rest is a string still.
    #[cold]
    pub(in crate::format::json) fn resume_inside_of(&mut self, start: usize, looked_at: usize) {
        self.start = (start + looked_at).min(self.input.len());
        let (end, _) = utf8::end_of_string(self.input, self.start);
        self.end = end.min(self.input.len());
        self.position = (self.end + 1).min(self.input.len());
        self.unchecked = true;
    }

    /// No value starts here: Jackson has read the byte, or the word that it begins.
    #[cold]
    #[inline(never)]
    pub(super) fn no_value(&mut self, found: Option<u8>) -> Error {
        let error = self.expected(found, "a value");
        self.position += usize::from(found.is_some());
        match found {
            Some(b'N') => self.skip_word(b"aN"),
            Some(b'I') => self.skip_word(b"nfinity"),
            Some(b'+') => self.skip_byte(),
            // It takes the byte for a character of Latin-1, and looks whether that may begin a word of Java's.
            Some(byte) if char::from(byte).is_alphabetic() || matches!(byte, b'_' | b'$' | 0xA2..=0xA5) => {
                self.skip_word(b"");
            }
            _ => {}
        }
        error
    }

    /// Goes past `word`, or past what stands in its place: a word of at most 256 characters, and the character after it.
    #[cold]
    pub(super) fn skip_word(&mut self, word: &[u8]) {
        let rest = self.input.get(self.position..).unwrap_or_default();
        let same = rest.iter().zip(word).take_while(|(a, b)| a == b).count();
        self.position += same;
        let is_part = |char: char| {
            char.is_alphanumeric()
                || matches!(char, '_' | '$' | '\0'..='\x08' | '\x0E'..='\x1B' | '\x7F'..='\u{9F}')
        };
        let next = |at: usize| utf8::first_char(self.input.get(at..).unwrap_or_default());
        if same == word.len() && !word.is_empty() && !next(self.position).0.is_some_and(is_part) {
            return;
        }
        let mut end = self.position;
        for _ in 0..256 {
            let (char, looked_at) = next(end);
            end += looked_at;
            if !char.is_some_and(is_part) {
                break;
            }
        }
        self.position = end.min(self.input.len());
    }

    #[cold]
    pub(super) fn skip_byte(&mut self) {
        self.position = self.input.len().min(self.position + 1);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn no_colon(&mut self, found: Option<u8>) -> Error {
        let error = self.unexpected(found, "a colon");
        self.token = Token::BadMember;
        self.unchecked = true;
        error
    }

    /// Something else stands here. Jackson has read it, and goes on as after a value, unless it is the end of the other
    /// sort of container, the start of a comment or a control character, which it looks for first.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&mut self, found: Option<u8>, expected: &str) -> Error {
        let error = self.expected(found, expected);
        self.position += usize::from(found.is_some());
        if !matches!(found, Some(b'}' | b']' | b'/' | ..b' ')) {
            self.token = Token::Null;
            self.end = self.start;
        }
        error
    }
}
