use super::keywords::Dialect;

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
    /// `N'...'` or `_charset'...'`
    CharsetString,
    /// `E'...'`, with the escapes of C.
    EscapedString,
    /// `X'...'`
    BinaryString,
    /// Digits, and in a statement perhaps a fraction and an exponent.
    Number,
    /// A character of punctuation; in a statement perhaps several.
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
    /// The byte after the token.
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

/// The first token at or after `position`, which is a character's boundary.
pub(super) fn token_at(text: &str, position: usize, dialect: Dialect) -> Token<'_> {
    let rest = match dialect {
        Dialect::TypeText => Some(text[position..].trim_start()),
        Dialect::Ddl => skip_comments(&text[position..]),
    };
    // Of a comment that does not end, JavaCC forgets the beginning.
    let (rest, (kind, length)) =
        rest.map_or(("", (TokenKind::Invalid, 0)), |rest| (rest, scan(rest, dialect)));
    Token { kind, image: &rest[..length], offset: text.len() - rest.len() }
}

/// The text after blanks and comments; `None` where a comment does not end.
fn skip_comments(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0C']);
        if rest.starts_with("--") || rest.starts_with("//") {
            rest = rest.find(['\n', '\r']).map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") && !rest.starts_with(HINT) {
            let body = comment_body(&rest["/*".len()..]);
            rest = &body[body.find("*/")? + "*/".len()..];
        } else {
            return Some(rest);
        }
    }
}

/// What may end a comment, after its `/*`. Calcite takes the character after `/**` for the first of the text, and so
/// does not see that `/***/` ends.
fn comment_body(comment: &str) -> &str {
    let mut body = comment.chars();
    match (body.next(), body.next()) {
        (Some('*'), Some(first)) if first != '/' => body.as_str(),
        _ => comment,
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
        _ if dialect == Dialect::TypeText => scan_of_type_text(rest, first),
        _ => scan_of_ddl(rest, first),
    }
}

/// What only the text of a type has, or what it has otherwise.
fn scan_of_type_text(rest: &str, first: char) -> (TokenKind, usize) {
    // It ends a word at its own punctuation only.
    let is_letter = |c: char| !c.is_whitespace() && !"<>(),.'`".contains(c);
    if is_letter(first) {
        (TokenKind::Word, rest.find(|c| !is_letter(c)).unwrap_or(rest.len()))
    } else {
        (TokenKind::Symbol, first.len_utf8())
    }
}

/// What only a statement has, or what it has otherwise.
fn scan_of_ddl(rest: &str, first: char) -> (TokenKind, usize) {
    if let Some(literal) = scan_literal(rest) {
        return literal;
    }
    if is_letter(first) {
        let end = rest.find(|c: char| !is_letter(c) && !c.is_ascii_digit());
        return match end.unwrap_or(rest.len()) {
            1 if first == '$' => (TokenKind::Symbol, 1),
            length => (TokenKind::Word, length),
        };
    }
    if first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        return (TokenKind::Number, number_length(rest, Dialect::Ddl));
    }
    if let Some(symbol) = LONG_SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
        return (TokenKind::Symbol, symbol.len());
    }
    // Calcite has a token of the bell.
    if "()<>[]{},.;=?:!+-*/%|^\"\u{7}".contains(first) {
        (TokenKind::Symbol, 1)
    } else {
        (TokenKind::Invalid, 0)
    }
}

/// The beginning of a planner's hint, which is no comment.
const HINT: &str = "/*+";

/// Punctuation of more than one character: whole, where it does not fit.
const LONG_SYMBOLS: [&str; 9] = [HINT, "*/", "..", "<>", "<=", ">=", "=>", "!=", "||"];

/// A string that something stands in front of; `None` where `rest` begins with no such string.
fn scan_literal(rest: &str) -> Option<(TokenKind, usize)> {
    let (kind, prefix) = match rest.as_bytes() {
        [b'U' | b'u', b'&', ..] => (TokenKind::UnicodeString, 2),
        [b'N' | b'n', ..] => (TokenKind::CharsetString, 1),
        [b'E' | b'e', ..] => (TokenKind::EscapedString, 1),
        [b'X' | b'x', ..] => (TokenKind::BinaryString, 1),
        [b'_', name @ ..] if name.first().is_some_and(u8::is_ascii_alphanumeric) => {
            let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b":.-_".contains(byte);
            (TokenKind::CharsetString, 1 + name.iter().take_while(is_of_name).count())
        }
        _ => return None,
    };
    let quoted = rest[prefix..].starts_with('\'').then_some(&rest[prefix..])?;
    let length = match kind {
        TokenKind::EscapedString => escaped_length(quoted),
        TokenKind::BinaryString => quoted[1..].find('\'').map(|end| end + 2),
        _ => quoted_length(quoted),
    };
    Some((kind, prefix + length?))
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

/// The length of the string with C's escapes that `rest` begins with, quotes included; `None` where it does not end.
fn escaped_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut end = 1;
    loop {
        match (bytes.get(end)?, bytes.get(end + 1)) {
            (b'\\', _) | (b'\'', Some(b'\'')) => end += 2,
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

/// The letters of names: the table of Calcite's lexer. Digits are ASCII's.
fn is_letter(c: char) -> bool {
    matches!(c,
        '$' | '_' | 'A'..='Z' | 'a'..='z'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{1FFF}' | '\u{2D00}'..='\u{2D25}'
        | '\u{3040}'..='\u{318F}' | '\u{3300}'..='\u{337F}' | '\u{3400}'..='\u{3D2D}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}')
}
