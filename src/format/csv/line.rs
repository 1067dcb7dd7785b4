//! One line of a message, cell by cell.

use crate::error::{Error, ErrorKind};
use crate::wire::equal;

use super::input::Input;
use super::options::CsvOptions;

/// What separates, encloses and escapes.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    separator: char,
    quote: Option<char>,
    escape: Option<char>,
    trims: bool,
    has_comments: bool,
    plain: Option<Plain>,
    /// What ends a run of an unquoted cell.
    stops: Stops,
    /// What ends a run inside quotes.
    quoted_stops: Stops,
}

impl Dialect {
    pub(super) fn new(options: &CsvOptions) -> Self {
        let unquoted = [Some(options.field_delimiter), Some('\r'), Some('\n'), options.escape];
        Self {
            separator: options.field_delimiter,
            quote: options.quote,
            escape: options.escape,
            trims: options.trim_spaces,
            has_comments: options.allow_comments,
            plain: Plain::of(options),
            stops: Stops::new(unquoted.into_iter().flatten()),
            quoted_stops: Stops::new([options.quote, options.escape].into_iter().flatten()),
        }
    }
}

/// Where there are no escapes and no blanks to trim: a cell that begins with no quote then goes on to the separator or to
/// the end of the line, and no number has either of them in it.
#[derive(Clone, Copy, Debug)]
struct Plain {
    separator: u8,
    quote: Option<u8>,
}

impl Plain {
    fn of(options: &CsvOptions) -> Option<Self> {
        let byte = |character: char| {
            let byte = u8::try_from(character).ok().filter(u8::is_ascii)?;
            (!byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'\r' | b'\n')).then_some(byte)
        };
        let quote = match options.quote {
            Some(quote) => Some(byte(quote)?),
            None => None,
        };
        let separator = byte(options.field_delimiter).filter(|separator| Some(*separator) != quote)?;
        (options.escape.is_none() && !options.trim_spaces).then_some(Self { separator, quote })
    }
}

/// Characters to stop at, by their first bytes.
#[derive(Clone, Debug)]
struct Stops(Box<[bool; 256]>);

impl Stops {
    fn new(characters: impl Iterator<Item = char>) -> Self {
        let mut stops = Box::new([false; 256]);
        for character in characters {
            stops[usize::from(character.encode_utf8(&mut [0; 4]).as_bytes()[0])] = true;
        }
        Self(stops)
    }

    /// The first byte from `from` on that a character to stop at begins with.
    #[inline]
    fn find(&self, text: &str, from: usize) -> usize {
        let bytes = &text.as_bytes()[from..];
        from + bytes.iter().position(|&byte| self.0[usize::from(byte)]).unwrap_or(bytes.len())
    }
}

/// Reads the cells of one line.
///
/// Agrees with Jackson's `CsvDecoder`, in which the checks come in this order.
#[derive(Debug)]
pub(super) struct Line<'t> {
    dialect: &'t Dialect,
    text: &'t str,
    /// The end of the input or the line break, where the line has ended.
    position: usize,
    has_ended: bool,
    fault: Option<&'static str>,
    offset: Option<usize>,
}

impl<'t> Line<'t> {
    /// The first line of `input`, after the comments that the dialect allows.
    ///
    /// # Errors
    ///
    /// If there is none.
    #[inline]
    pub(super) fn start(dialect: &'t Dialect, input: &'t Input<'_>) -> Result<Self, Error> {
        let mut line = Self {
            dialect,
            text: &input.text,
            position: 0,
            has_ended: false,
            fault: input.fault,
            offset: input.offset,
        };
        line.skip_comments();
        if line.is_at_end()? {
            return Err(line.error("no content, neither a line nor an empty one"));
        }
        Ok(line)
    }

    /// The text from the next cell on, if that may be plain.
    #[inline]
    pub(super) fn plain_rest(&self) -> Option<&'t [u8]> {
        let is_plain = self.dialect.plain.is_some() && !self.has_ended;
        is_plain.then(|| &self.text.as_bytes()[self.position..])
    }

    /// The next cell, if nothing in it is doubled and nothing stands around its quotes. `None` leaves it to
    /// [`next_cell`](Self::next_cell).
    #[inline]
    pub(super) fn plain_cell(&mut self) -> Option<&'t str> {
        let Plain { separator, quote } = self.dialect.plain?;
        let (rest, start) = (self.plain_rest()?, self.position);
        let first = *rest.first()?;
        if Some(first) == quote {
            let len = run(&rest[1..], [first; 3]);
            self.text.as_bytes().get(start + 1 + len)?;
            self.pass_plain(len + 2)?;
            return Some(&self.text[start + 1..][..len]);
        }
        if matches!(first, b'\r' | b'\n') {
            return None;
        }
        let len = run(rest, [separator, b'\r', b'\n']);
        self.pass_plain(len)?;
        Some(&self.text[start..][..len])
    }

    /// Passes a plain cell of `len` bytes and the separator after it. `None`, and nothing, if it does not end there.
    #[inline]
    pub(super) fn pass_plain(&mut self, len: usize) -> Option<()> {
        let Plain { separator, .. } = self.dialect.plain?;
        let end = self.position + len;
        match self.text.as_bytes().get(end) {
            Some(&byte) if byte == separator => self.position = end + 1,
            Some(b'\r' | b'\n') => (self.position, self.has_ended) = (end, true),
            None if self.fault.is_none() => (self.position, self.has_ended) = (end, true),
            _ => return None,
        }
        Some(())
    }

    /// Whether the cells that have been read end at `end`, and others follow.
    #[inline]
    pub(super) fn has_separator_at(&self, end: usize) -> bool {
        !self.has_ended && self.position == end + self.dialect.separator.len_utf8()
    }

    /// The next cell, without its quotes and escapes; `None` after the last. A line has one cell at least.
    #[inline]
    pub(super) fn next_cell<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<Option<&'s str>, Error>
    where
        't: 's,
    {
        if self.has_ended {
            return Ok(None);
        }
        if self.dialect.trims {
            self.skip_leading_blanks();
        }
        let first = self.peek();
        if matches!(first, Some('\r' | '\n')) {
            self.has_ended = true;
            return Ok(Some(""));
        }
        match first {
            Some(quote) if Some(quote) == self.dialect.quote => self.quoted(quote, scratch).map(Some),
            _ => self.unquoted(scratch).map(Some),
        }
    }

    /// Passes the line break and the comments after it, since Jackson looks whether another line follows.
    ///
    /// # Errors
    ///
    /// If there is a fault.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        let rest = &self.text[self.position..];
        if let Some(after) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix(['\r', '\n'])) {
            self.position = self.text.len() - after.len();
            self.skip_comments();
            self.is_at_end()?;
        }
        Ok(())
    }

    #[inline]
    fn unquoted<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<&'s str, Error>
    where
        't: 's,
    {
        let dialect = self.dialect;
        let mut run = Run::new(self.position);
        let end = loop {
            self.position = dialect.stops.find(self.text, self.position);
            let end = self.position;
            match self.peek() {
                None => {
                    self.is_at_end()?;
                    self.has_ended = true;
                    break end;
                }
                Some(separator) if separator == dialect.separator => {
                    self.position += separator.len_utf8();
                    break end;
                }
                Some('\r' | '\n') => {
                    self.has_ended = true;
                    break end;
                }
                Some(escape) if Some(escape) == dialect.escape => {
                    run.take(self.text, end, scratch);
                    self.unescape(escape, scratch)?;
                    run.start = self.position;
                }
                Some(other) => self.position += other.len_utf8(),
            }
        };
        let cell = run.finish(self.text, end, scratch);
        Ok(if dialect.trims { cell.trim_end_matches(|character| character <= ' ') } else { cell })
    }

    fn quoted<'s>(&mut self, quote: char, scratch: &'s mut Vec<u8>) -> Result<&'s str, Error>
    where
        't: 's,
    {
        let dialect = self.dialect;
        self.position += quote.len_utf8();
        let mut run = Run::new(self.position);
        let end = loop {
            self.position = dialect.quoted_stops.find(self.text, self.position);
            let end = self.position;
            match self.peek() {
                None => {
                    self.is_at_end()?;
                    return Err(self.error("missing closing quote"));
                }
                Some(character) if character == quote => {
                    self.position += quote.len_utf8();
                    if self.is_at_end()? || self.peek() != Some(quote) {
                        break end;
                    }
                    run.take(self.text, self.position, scratch);
                    self.position += quote.len_utf8();
                    run.start = self.position;
                }
                Some(escape) if Some(escape) == dialect.escape => {
                    run.take(self.text, end, scratch);
                    self.unescape(escape, scratch)?;
                    run.start = self.position;
                }
                Some(other) => self.position += other.len_utf8(),
            }
        };
        self.skip_to_separator()?;
        Ok(run.finish(self.text, end, scratch))
    }

    /// Passes the blanks after a closing quote, and the separator.
    fn skip_to_separator(&mut self) -> Result<(), Error> {
        while !self.is_at_end()? {
            match self.peek() {
                Some(separator) if separator == self.dialect.separator => {
                    self.position += separator.len_utf8();
                    return Ok(());
                }
                Some('\r' | '\n') => break,
                Some('\0'..=' ') => self.position += 1,
                _ => return Err(self.error("a closing quote is followed by more than blanks")),
            }
        }
        self.has_ended = true;
        Ok(())
    }

    /// Appends the character that is escaped.
    fn unescape(&mut self, escape: char, scratch: &mut Vec<u8>) -> Result<(), Error> {
        self.position += escape.len_utf8();
        self.is_at_end()?;
        let Some(character) = self.peek() else { return Err(self.error("the text ends in an escape")) };
        self.position += character.len_utf8();
        let unescaped = match character {
            '0' => '\0',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            other => other,
        };
        scratch.extend_from_slice(unescaped.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn skip_leading_blanks(&mut self) {
        while let Some(blank @ '\0'..=' ') = self.peek()
            && blank != self.dialect.separator
            && !matches!(blank, '\r' | '\n')
        {
            self.position += 1;
        }
    }

    /// Passes lines that begin with `#`, empty lines and blanks, where comments are allowed.
    fn skip_comments(&mut self) {
        if !self.dialect.has_comments {
            return;
        }
        loop {
            match self.peek() {
                Some('#') => {
                    let rest = &self.text[self.position..];
                    self.position += rest.find(['\r', '\n']).unwrap_or(rest.len());
                }
                Some(' ' | '\r' | '\n') => self.position += 1,
                _ => return,
            }
        }
    }

    #[inline]
    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    /// Whether the input ends here.
    ///
    /// # Errors
    ///
    /// If there is a fault instead.
    #[inline]
    fn is_at_end(&self) -> Result<bool, Error> {
        match self.fault {
            _ if self.position < self.text.len() => Ok(false),
            None => Ok(true),
            Some(fault) => Err(self.error(fault)),
        }
    }

    #[cold]
    fn error(&self, message: &'static str) -> Error {
        let error = Error::new(ErrorKind::Data, message);
        match self.offset {
            Some(offset) => error.with_offset(offset + self.position),
            None => error,
        }
    }
}

/// How many bytes stand before the first of the stops.
#[inline]
fn run(bytes: &[u8], stops: [u8; 3]) -> usize {
    let mut len = 0;
    while let Some(word) = bytes.get(len..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*word);
        let found = stops.into_iter().fold(0, |found, stop| found | equal(word, stop));
        if found != 0 {
            return len + found.trailing_zeros() as usize / 8;
        }
        len += size_of_val(&word);
    }
    let rest = bytes.get(len..).unwrap_or_default();
    len + rest.iter().position(|byte| stops.contains(byte)).unwrap_or(rest.len())
}

/// The part of a cell that is as it stands in the text; what came before it is in the scratch buffer.
struct Run {
    start: usize,
    is_copied: bool,
}

impl Run {
    fn new(start: usize) -> Self {
        Self { start, is_copied: false }
    }

    /// Moves the run up to `end` to the scratch buffer.
    fn take(&mut self, text: &str, end: usize, scratch: &mut Vec<u8>) {
        if !self.is_copied {
            scratch.clear();
            self.is_copied = true;
        }
        scratch.extend_from_slice(&text.as_bytes()[self.start..end]);
    }

    /// The whole cell.
    #[inline]
    fn finish<'s, 't: 's>(mut self, text: &'t str, end: usize, scratch: &'s mut Vec<u8>) -> &'s str {
        if !self.is_copied {
            return &text[self.start..end];
        }
        self.take(text, end, scratch);
        std::str::from_utf8(scratch).expect("made of whole characters")
    }
}

#[cfg(test)]
mod tests;
