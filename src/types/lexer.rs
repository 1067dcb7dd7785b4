use super::keywords::{Dialect, is_reserved};
use super::literal::{Charset, check_escape_character, unescape_c, unescape_unicode, unquote};
use super::token::{Token, TokenKind, token_at};
use crate::error::{Error, ErrorKind};

/// A text, token by token: the current one is seen before it is taken.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    dialect: Dialect,
    current: Token<'a>,
    refused: Option<Error>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self { text, dialect, current: token_at(text, 0, dialect), refused: None }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(crate) fn peek(&self) -> Token<'a> {
        self.current
    }

    /// The token after the current one.
    pub(crate) fn peek_second(&self) -> Token<'a> {
        token_at(self.text, self.current.end(), self.dialect)
    }

    /// Takes the current token.
    pub(crate) fn advance(&mut self) -> Token<'a> {
        let token = self.current;
        self.current = self.peek_second();
        token
    }

    /// Goes back to `token`, which was taken.
    pub(crate) fn rewind(&mut self, token: Token<'a>) {
        self.current = token;
    }

    /// Refuses what is read well and means nothing: at once, but in a statement only after all of it is read.
    pub(crate) fn refuse(&mut self, error: Error) -> Result<(), Error> {
        match self.dialect {
            Dialect::TypeText => Err(error),
            Dialect::Ddl => {
                self.refused.get_or_insert(error);
                Ok(())
            }
        }
    }

    /// The first refusal of the statement, once it is read.
    pub(crate) fn take_refused(&mut self) -> Option<Error> {
        self.refused.take()
    }

    pub(crate) fn eat_keyword(&mut self, keyword: &str) -> bool {
        let found = self.current.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.current.is_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn expect_keyword(&mut self, keyword: &str) -> Result<(), Error> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.unexpected(keyword)) }
    }

    pub(crate) fn expect_symbol(&mut self, symbol: &str) -> Result<(), Error> {
        if self.eat_symbol(symbol) { Ok(()) } else { Err(self.unexpected(symbol)) }
    }

    /// Whether the current token is a name: quoted, or bare and not reserved.
    pub(crate) fn at_name(&self) -> bool {
        is_name(self.current, self.dialect)
    }

    pub(crate) fn expect_name(&mut self) -> Result<String, Error> {
        if !self.at_name() {
            return Err(self.not_a_name());
        }
        let token = self.advance();
        Ok(match token.kind {
            TokenKind::QuotedName => unquote(token.image, '`'),
            _ => token.image.to_owned(),
        })
    }

    /// Names with dots between them, at least one.
    pub(crate) fn expect_path(&mut self) -> Result<Vec<String>, Error> {
        let mut path = vec![self.expect_name()?];
        while self.current.is_symbol(".") {
            path.push(self.expect_dot_and_name()?);
        }
        Ok(path)
    }

    /// The dot is the current token.
    pub(crate) fn expect_dot_and_name(&mut self) -> Result<String, Error> {
        let second = self.peek_second();
        if !is_name(second, self.dialect) {
            return Err(self.unexpected_after_dot(second));
        }
        self.advance();
        self.expect_name()
    }

    /// `'...'`, and no other literal.
    pub(crate) fn expect_plain_string(&mut self) -> Result<String, Error> {
        if self.current.kind != TokenKind::String {
            return Err(self.unexpected("a string in single quotes"));
        }
        Ok(unquote(self.advance().image, '\''))
    }

    /// A string as Calcite reads one: plain, `N'...'`, `_charset'...'` or `U&'...'`, continued by plain ones beside it,
    /// on other lines too; or `E'...'`, which is not continued.
    pub(crate) fn expect_string(&mut self) -> Result<String, Error> {
        let first = self.current;
        let inner = first.image.find('\'').map_or("", |prefix| &first.image[prefix..]);
        let prefix = &first.image[..first.image.len() - inner.len()];
        let string = match first.kind {
            TokenKind::String => self.continued_string(inner, Charset::Any, None),
            TokenKind::UnicodeString => self.continued_string(inner, Charset::Any, Some('\\')),
            TokenKind::CharsetString => {
                Charset::of_prefix(prefix).and_then(|charset| self.continued_string(inner, charset, None))
            }
            TokenKind::EscapedString => {
                self.advance();
                unescape_c(&unquote(inner, '\''))
            }
            TokenKind::BinaryString => Err(no_literal(first.image, inner)),
            TokenKind::Word
            | TokenKind::QuotedName
            | TokenKind::Number
            | TokenKind::Symbol
            | TokenKind::End
            | TokenKind::Invalid => return Err(self.unexpected("a string in single quotes")),
        };
        string.map_err(|error| if error.offset().is_some() { error } else { error.with_offset(first.offset) })
    }

    /// A string whose first piece, in quotes, is the current token; `escape` is that of Unicode strings.
    fn continued_string(
        &mut self,
        first: &str,
        charset: Charset,
        mut escape: Option<char>,
    ) -> Result<String, Error> {
        self.advance();
        let mut pieces = vec![unquote(first, '\'')];
        while self.current.kind == TokenKind::String {
            pieces.push(unquote(self.advance().image, '\''));
        }
        pieces.iter().try_for_each(|piece| charset.check(piece))?;
        let uescape = self.current;
        if self.eat_keyword("UESCAPE") {
            let character = self.expect_plain_string()?;
            if escape.is_none() {
                let message = "UESCAPE cannot be specified without Unicode literal introducer";
                return Err(Error::new(ErrorKind::Syntax, message).with_offset(uescape.offset));
            }
            escape = Some(check_escape_character(&character)?);
        }
        match escape {
            None => Ok(pieces.concat()),
            // Each piece alone: an escape does not reach from one into the next.
            Some(escape) => pieces.iter().map(|piece| unescape_unicode(piece, escape)).collect(),
        }
    }

    /// `"..."`, where its first quote is the current token: a string of older dialects, and none of Flink's. Quotes of
    /// both kinds are doubled inside.
    pub(crate) fn eat_double_quoted(&mut self) -> Option<String> {
        let start = self.current.offset + '"'.len_utf8();
        let mut end = start;
        loop {
            end += self.text[end..].find('"')?;
            if !self.text[end + 1..].starts_with('"') {
                break;
            }
            end += 2;
        }
        self.current = token_at(self.text, end + 1, self.dialect);
        Some(self.text[start..end].replace("\"\"", "\"").replace("''", "'"))
    }

    /// A number without sign, fraction and exponent, as large as a Java int.
    pub(crate) fn expect_int(&mut self) -> Result<u32, Error> {
        let token = self.current;
        if token.kind != TokenKind::Number || !token.image.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.unexpected("an integer"));
        }
        self.advance();
        token.image.parse::<i32>().ok().and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
            let message = format!("Literal '{}' can not be parsed to type 'java.lang.Integer'", token.image);
            Error::new(ErrorKind::Syntax, message).with_offset(token.offset)
        })
    }

    pub(crate) fn expect_end(&self) -> Result<(), Error> {
        if self.current.kind == TokenKind::End { Ok(()) } else { Err(self.unexpected("the end")) }
    }
}

/// Calcite reads `X'...'` where it reads strings, and Flink cannot use it.
fn no_literal(image: &str, inner: &str) -> Error {
    let digits = inner.trim_matches('\'');
    let message = if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        format!("not a literal: {}", image.to_ascii_uppercase())
    } else {
        "Binary literal string must contain only characters '0' - '9', 'A' - 'F'".to_owned()
    };
    Error::new(ErrorKind::Syntax, message)
}

fn is_name(token: Token<'_>, dialect: Dialect) -> bool {
    match token.kind {
        TokenKind::QuotedName => true,
        TokenKind::Word => !is_reserved(token.image, dialect),
        TokenKind::String
        | TokenKind::UnicodeString
        | TokenKind::CharsetString
        | TokenKind::EscapedString
        | TokenKind::BinaryString
        | TokenKind::Number
        | TokenKind::Symbol
        | TokenKind::End
        | TokenKind::Invalid => false,
    }
}
