use super::keywords::{Dialect, is_reserved};
use super::literal::{unescape_unicode, unquote};
use crate::error::{Error, ErrorKind};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A bare name or a keyword.
    Word,
    /// A name in backquotes.
    QuotedName,
    /// `'...'`
    String,
    /// `U&'...'`
    UnicodeString,
    /// Digits, and in a statement perhaps a fraction and an exponent.
    Number,
    /// A character of punctuation.
    Symbol,
    /// The end of the text.
    End,
    /// The beginning of something that does not go on as it must; perhaps nothing.
    Invalid,
}

/// A piece of the text, and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    /// As written, with its quotes.
    pub(crate) image: &'a str,
    /// Its first byte.
    pub(crate) offset: usize,
}

impl Token<'_> {
    /// The byte behind the token.
    pub(crate) fn end(&self) -> usize {
        self.offset + self.image.len()
    }

    pub(crate) fn is_symbol(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.image == symbol
    }

    /// Whether it is `keyword`, in any case.
    pub(crate) fn is_keyword(&self, keyword: &str) -> bool {
        self.kind == TokenKind::Word && self.image.eq_ignore_ascii_case(keyword)
    }
}

/// A text, token by token: the current one is seen before it is taken.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    dialect: Dialect,
    current: Token<'a>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self { text, dialect, current: token_at(text, 0, dialect) }
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

    /// The token behind the current one.
    pub(crate) fn peek_second(&self) -> Token<'a> {
        token_at(self.text, self.current.end(), self.dialect)
    }

    /// Takes the current token.
    pub(crate) fn advance(&mut self) -> Token<'a> {
        let token = self.current;
        self.current = self.peek_second();
        token
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
            let second = self.peek_second();
            if !is_name(second, self.dialect) {
                return Err(self.unexpected_after_dot(second));
            }
            self.advance();
            path.push(self.expect_name()?);
        }
        Ok(path)
    }

    pub(crate) fn expect_string(&mut self) -> Result<String, Error> {
        match self.current.kind {
            TokenKind::String => Ok(unquote(self.advance().image, '\'')),
            TokenKind::UnicodeString => self.unicode_string(),
            _ => Err(self.unexpected("a string")),
        }
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

    /// `U&'...'`, perhaps with `UESCAPE 'c'` behind it.
    fn unicode_string(&mut self) -> Result<String, Error> {
        let token = self.advance();
        let text = unquote(&token.image["U&".len()..], '\'');
        let mut escape = '\\';
        if self.eat_keyword("UESCAPE") {
            let offset = self.current.offset;
            let literal = self.expect_string()?;
            let mut chars = literal.chars();
            escape = match (chars.next(), chars.next()) {
                (Some(escape), None) => escape,
                _ => {
                    let message = "UESCAPE must be followed by a string of one character";
                    return Err(Error::new(ErrorKind::Syntax, message).with_offset(offset));
                }
            };
        }
        unescape_unicode(&text, escape).map_err(|error| error.with_offset(token.offset))
    }
}

fn is_name(token: Token<'_>, dialect: Dialect) -> bool {
    match token.kind {
        TokenKind::QuotedName => true,
        TokenKind::Word => !is_reserved(token.image, dialect),
        TokenKind::String
        | TokenKind::UnicodeString
        | TokenKind::Number
        | TokenKind::Symbol
        | TokenKind::End
        | TokenKind::Invalid => false,
    }
}

/// The first token at or behind `position`, which is a character's boundary.
fn token_at(text: &str, position: usize, dialect: Dialect) -> Token<'_> {
    let skipped = match dialect {
        Dialect::TypeText => Ok(text[position..].trim_start()),
        Dialect::Ddl => skip_comments(&text[position..]),
    };
    let (rest, (kind, length)) = match skipped {
        Ok(rest) => (rest, scan(rest, dialect)),
        Err(comment) => (comment, (TokenKind::Invalid, comment.len())),
    };
    Token { kind, image: &rest[..length], offset: text.len() - rest.len() }
}

/// The text behind blanks and comments, or the comment that does not end.
fn skip_comments(text: &str) -> Result<&str, &str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0C']);
        if rest.starts_with("--") || rest.starts_with("//") {
            rest = rest.find(['\n', '\r']).map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") && !rest.starts_with("/*+") {
            let body = &rest["/*".len()..];
            rest = body.find("*/").map(|end| &body[end + "*/".len()..]).ok_or(rest)?;
        } else {
            return Ok(rest);
        }
    }
}

/// The kind and the length of the token that `rest` begins with.
fn scan(rest: &str, dialect: Dialect) -> (TokenKind, usize) {
    let Some(first) = rest.chars().next() else {
        return (TokenKind::End, 0);
    };
    match first {
        '`' => scan_quoted_name(rest),
        '\'' => match quoted_length(rest) {
            Some(length) => (TokenKind::String, length),
            None => (TokenKind::Symbol, 1),
        },
        '0'..='9' => (TokenKind::Number, number_length(rest, dialect)),
        'U' | 'u' if dialect == Dialect::Ddl && rest[1..].starts_with("&'") => {
            match quoted_length(&rest["U&".len()..]) {
                Some(length) => (TokenKind::UnicodeString, "U&".len() + length),
                None => (TokenKind::Word, 1),
            }
        }
        _ if is_word_character(first, dialect) => {
            let end = rest.find(|c: char| !is_word_character(c, dialect) && !c.is_ascii_digit());
            (TokenKind::Word, end.unwrap_or(rest.len()))
        }
        _ if "()<>[]{},.;=?:!+-*/%|^\"".contains(first) => (TokenKind::Symbol, 1),
        _ => (TokenKind::Invalid, 0),
    }
}

/// A name in backquotes: at least one character, and no line break.
fn scan_quoted_name(rest: &str) -> (TokenKind, usize) {
    let bytes = rest.as_bytes();
    let mut end = 1;
    loop {
        match (bytes.get(end), bytes.get(end + 1)) {
            (Some(b'`'), Some(b'`')) => end += 2,
            (Some(b'`'), _) if end > 1 => return (TokenKind::QuotedName, end + 1),
            (Some(b'`'), _) => return (TokenKind::Invalid, end + 1),
            (None | Some(b'\n' | b'\r'), _) => return (TokenKind::Invalid, end),
            (Some(_), _) => end += 1,
        }
    }
}

/// The length of the string that `rest` begins with, quotes included; `None` where it does not end.
fn quoted_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut end = 1;
    loop {
        match (bytes.get(end)?, bytes.get(end + 1)) {
            (b'\'', Some(b'\'')) => end += 2,
            (b'\'', _) => return Some(end + 1),
            _ => end += 1,
        }
    }
}

fn number_length(rest: &str, dialect: Dialect) -> usize {
    let digits = |from: usize| from + rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if dialect == Dialect::TypeText {
        return end;
    }
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

/// Flink's type text ends a word at its own punctuation only; SQL has Calcite's letters.
fn is_word_character(c: char, dialect: Dialect) -> bool {
    match dialect {
        Dialect::TypeText => !c.is_whitespace() && !"<>(),.'`".contains(c),
        Dialect::Ddl => matches!(c,
            '$' | '_' | 'A'..='Z' | 'a'..='z'
            | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{1FFF}'
            | '\u{3040}'..='\u{318F}' | '\u{3300}'..='\u{3D2D}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'),
    }
}
