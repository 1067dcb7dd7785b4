use std::fmt::Write as _;

use super::keywords::{Dialect, is_reserved};
use super::lexer::Tokens;
use super::token::{Token, TokenKind};
use crate::error::{Error, ErrorKind};

/// What is said where a token does not fit. In a statement in Calcite's words, without its list of every token that
/// would have fitted: ours is a hint after the message.
impl Tokens<'_> {
    /// The error that the current token is not what was expected.
    #[cold]
    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        self.unfit(&escaped(self.peek().image), expected)
    }

    /// The same where a name would have fitted: then Calcite says that a reserved word is one, if it is in capitals.
    #[cold]
    pub(crate) fn unexpected_name(&self, expected: &str) -> Error {
        let Token { image, offset, .. } = self.peek();
        if !self.at_reserved_word() || image.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return self.unexpected(expected);
        }
        let place = self.place(offset);
        self.error(format!("Incorrect syntax near the keyword '{image}' at {place}."), offset, expected)
    }

    /// The error that the current token is no name; of a reserved word our hint says how to make it one.
    #[cold]
    pub(super) fn not_a_name(&self) -> Error {
        let word = self.peek().image;
        if self.at_reserved_word() {
            self.unexpected_name(&format!("a name, and {word} is a reserved word: write `{word}`"))
        } else {
            self.unexpected_name("a name")
        }
    }

    /// Whether the current token is a word that a statement reserves.
    fn at_reserved_word(&self) -> bool {
        let Token { kind, image, .. } = self.peek();
        self.dialect() == Dialect::Ddl && kind == TokenKind::Word && is_reserved(image, Dialect::Ddl)
    }

    /// The error that no name follows the dot at hand: Calcite has looked at both, and shows both.
    #[cold]
    pub(super) fn unexpected_after_dot(&self, second: Token<'_>) -> Error {
        let found = if second.kind == TokenKind::End { "<EOF>".to_owned() } else { escaped(second.image) };
        self.unfit(&format!(". {found}"), "a name")
    }

    fn unfit(&self, found: &str, expected: &str) -> Error {
        let Token { kind, offset, .. } = self.peek();
        match (self.dialect(), kind) {
            (Dialect::TypeText, TokenKind::End) => {
                Error::new(ErrorKind::Syntax, format!("expected {expected}, found the end"))
                    .with_offset(offset)
            }
            (Dialect::TypeText, _) => {
                Error::new(ErrorKind::Syntax, format!("expected {expected}, found {}", self.peek().image))
                    .with_offset(offset)
            }
            (Dialect::Ddl, TokenKind::Invalid) => self.lexical_error(expected),
            (Dialect::Ddl, TokenKind::End) => {
                // JavaCC has the end at the last character it has read, if it has read one.
                let place = match self.text().char_indices().next_back() {
                    Some((last, _)) => self.place(last),
                    None => "line 0, column 0".to_owned(),
                };
                let message = format!("Encountered \"<EOF>\" at {place}.");
                self.error(message, self.text().len(), expected)
            }
            (Dialect::Ddl, _) => {
                let message = format!("Encountered \"{found}\" at {}.", self.place(offset));
                self.error(message, offset, expected)
            }
        }
    }

    /// The token at hand is none, or one that breaks off.
    fn lexical_error(&self, expected: &str) -> Error {
        let token = self.peek();
        let place = self.place(token.end());
        let found = match self.text()[token.end()..].chars().next() {
            // Of a character above U+FFFF JavaCC has seen the first half.
            Some(c) => {
                let unit = c.encode_utf16(&mut [0; 2])[0];
                format!("\"{}\" ({unit}), ", escaped_units([unit]))
            }
            None => "<EOF> ".to_owned(),
        };
        let message =
            format!("Lexical error at {place}.  Encountered: {found}after : \"{}\"", escaped(token.image));
        self.error(message, token.end(), expected)
    }

    fn error(&self, message: String, offset: usize, expected: &str) -> Error {
        Error::new(ErrorKind::Syntax, message)
            .with_offset(offset)
            .with_help(format!("Was expecting {expected}"))
    }

    /// `line 1, column 21`, as Calcite counts: from 1, and columns in UTF-16.
    pub(crate) fn place(&self, offset: usize) -> String {
        let before = &self.text()[..offset];
        let lines = before.replace("\r\n", "\n");
        let (lines_before, last_line) = match lines.rfind(['\n', '\r']) {
            Some(end) => (lines[..=end].matches(['\n', '\r']).count(), &lines[end + 1..]),
            None => (0, &*lines),
        };
        format!("line {}, column {}", lines_before + 1, last_line.encode_utf16().count() + 1)
    }
}

/// As JavaCC shows tokens: with Java's escapes, everything but ASCII as UTF-16 in hex, and of U+0000 nothing.
fn escaped(image: &str) -> String {
    escaped_units(image.encode_utf16())
}

fn escaped_units(units: impl IntoIterator<Item = u16>) -> String {
    let mut escaped = String::new();
    for unit in units {
        match char::from_u32(unit.into()) {
            Some('\0') => {}
            Some('\u{8}') => escaped.push_str("\\b"),
            Some('\t') => escaped.push_str("\\t"),
            Some('\n') => escaped.push_str("\\n"),
            Some('\u{C}') => escaped.push_str("\\f"),
            Some('\r') => escaped.push_str("\\r"),
            Some(c @ ('"' | '\'' | '\\')) => escaped.extend(['\\', c]),
            Some(c @ ' '..='~') => escaped.push(c),
            _ => {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}
