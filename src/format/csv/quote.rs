//! When Jackson puts a text in quotes, and what it doubles inside them.

use std::ops::Range;

use crate::format::in_place::{End, Stop, put, put_bytes};
use crate::wire::{below, equal};

use super::options::CsvOptions;

/// A text of more UTF-16 units than this is always put in quotes.
const MOST_UNQUOTED_UNITS: usize = 24;

/// Puts texts in quotes.
///
/// Jackson looks at each UTF-16 unit, and quotes where one is not above the delimiter and the quote character, or is
/// the escape character; without an escape character, a backslash. Agrees with Jackson's `CsvEncoder` in its loose
/// way of checking.
#[derive(Clone, Debug)]
pub(super) struct Quoter {
    quote: Mark,
    search: Search,
}

#[derive(Clone, Debug)]
enum Search {
    /// All characters that matter are ASCII: bytes are looked at, eight at a time.
    Bytes(ByteSearch),
    Units(UnitSearch),
}

impl Quoter {
    /// `None` where quotes are disabled.
    pub(super) fn new(options: &CsvOptions) -> Option<Self> {
        let quote = options.quote?;
        // Jackson's encoder takes NUL for no escape character; its decoder does not.
        let escape = options.escape.filter(|&escape| escape != '\0');
        let greatest_unsafe = quote.max(options.field_delimiter);
        let search = UnitSearch { greatest_unsafe, suspect: escape.unwrap_or('\\'), quote, escape };
        Some(Self {
            quote: Mark::new(quote),
            search: ByteSearch::new(&search).map_or(Search::Units(search), Search::Bytes),
        })
    }

    /// Writes `text`, in quotes where it needs them.
    #[inline(never)]
    pub(super) fn put(&self, out: &mut [u8], at: usize, text: &[u8]) -> End {
        if !self.needs_quotes(text) {
            return put_bytes(out, at, text);
        }
        let start = self.put_quote(out, at)?;
        let end = put_bytes(out, start, text)?;
        let end = self.double_marks(out, start, end)?;
        self.put_quote(out, end)
    }

    /// Puts the text from `start` to `end` in quotes where it needs them.
    #[inline(never)]
    pub(super) fn quote(&self, out: &mut [u8], start: usize, end: usize) -> End {
        if !self.needs_quotes(&out[start..end]) {
            return Ok(end);
        }
        let quote = self.quote.as_bytes();
        let inside = start + quote.len();
        let end = copy(out, start..end, inside)?;
        out[start..inside].copy_from_slice(quote);
        let end = self.double_marks(out, inside, end)?;
        self.put_quote(out, end)
    }

    /// Writes the quote character.
    #[inline]
    pub(super) fn put_quote(&self, out: &mut [u8], at: usize) -> End {
        // What follows takes the place of what is too much.
        put(out, at, &self.quote.bytes)?;
        Ok(at + usize::from(self.quote.len))
    }

    /// Whether every text that has `always` in it, and otherwise characters of `alphabet`, is in quotes with nothing
    /// doubled inside.
    pub(super) fn surely_quotes(&self, always: u8, alphabet: &[u8]) -> bool {
        self.needs_quotes(&[always])
            && self.find_mark(&[always]).is_none()
            && self.find_mark(alphabet).is_none()
    }

    #[inline]
    fn needs_quotes(&self, text: &[u8]) -> bool {
        exceeds_unquoted(text)
            || match &self.search {
                Search::Bytes(search) => search.needs_quotes(text),
                Search::Units(search) => search.needs_quotes(text),
            }
    }

    /// Where the first quote or escape character is, and its length.
    #[inline]
    fn find_mark(&self, text: &[u8]) -> Option<(usize, usize)> {
        match &self.search {
            Search::Bytes(search) => search.find_mark(text).map(|at| (at, 1)),
            Search::Units(search) => search.find_mark(text),
        }
    }

    #[inline]
    fn double_marks(&self, out: &mut [u8], start: usize, end: usize) -> End {
        match self.find_mark(&out[start..end]) {
            Some((first, _)) => self.double_marks_from(out, start + first, end),
            None => Ok(end),
        }
    }

    /// Writes the doubled text after the one that there is, and moves it there.
    fn double_marks_from(&self, out: &mut [u8], start: usize, end: usize) -> End {
        let (mut from, mut to) = (start, end);
        while let Some((at, len)) = self.find_mark(&out[from..end]) {
            let mark = from + at;
            to = copy(out, from..mark + len, to)?;
            to = copy(out, mark..mark + len, to)?;
            from = mark + len;
        }
        to = copy(out, from..end, to)?;
        copy(out, end..to, start)
    }
}

/// Copies a part of `out` to another place of it.
fn copy(out: &mut [u8], part: Range<usize>, at: usize) -> End {
    let end = at + part.len();
    if end > out.len() {
        return Err(Stop::Full);
    }
    out.copy_within(part, at);
    Ok(end)
}

/// Whether `text` is too long to be without quotes.
#[inline]
fn exceeds_unquoted(text: &[u8]) -> bool {
    /// A unit has up to three bytes.
    const MOST_UNQUOTED_BYTES: usize = 3 * MOST_UNQUOTED_UNITS;
    match text.len() {
        0..=MOST_UNQUOTED_UNITS => false,
        len => len > MOST_UNQUOTED_BYTES || utf16_len(text) > MOST_UNQUOTED_UNITS,
    }
}

/// A character of four bytes has two units, any other one.
fn utf16_len(text: &[u8]) -> usize {
    let units = |&byte: &u8| match byte {
        0x80..0xC0 => 0,
        0..0x80 | 0xC0..0xF0 => 1,
        0xF0.. => 2,
    };
    text.iter().map(units).sum()
}

/// The quote character, of the basic plane, in UTF-8.
#[derive(Clone, Copy, Debug)]
struct Mark {
    bytes: [u8; 4],
    len: u8,
}

impl Mark {
    fn new(mark: char) -> Self {
        let mut bytes = [0; 4];
        let len = mark.encode_utf8(&mut bytes).len();
        Self { bytes, len: u8::try_from(len).expect("at most 4") }
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// The fast search: eight bytes at a time.
#[derive(Clone, Debug)]
struct ByteSearch {
    least_safe: u8,
    suspect: u8,
    quote: u8,
    /// The quote character once more where there is no escape character.
    escape: u8,
}

impl ByteSearch {
    fn new(search: &UnitSearch) -> Option<Self> {
        let ascii = |mark: char| u8::try_from(mark).ok().filter(u8::is_ascii);
        Some(Self {
            least_safe: ascii(search.greatest_unsafe)? + 1,
            suspect: ascii(search.suspect)?,
            quote: ascii(search.quote)?,
            escape: ascii(search.escape.unwrap_or(search.quote))?,
        })
    }

    #[inline]
    fn needs_quotes(&self, text: &[u8]) -> bool {
        let is_suspect = |&word: &[u8; 8]| {
            let word = u64::from_le_bytes(word);
            (below(word, self.least_safe) | equal(word, self.suspect)) != 0
        };
        match text.last_chunk() {
            // The last word may overlap the one before it.
            Some(last) => is_suspect(last) || text.as_chunks().0.iter().any(is_suspect),
            None => short_word(text).is_some_and(|word| is_suspect(&word)),
        }
    }

    #[inline]
    fn find_mark(&self, text: &[u8]) -> Option<usize> {
        let (words, rest) = text.as_chunks::<8>();
        for (index, &word) in words.iter().enumerate() {
            let word = u64::from_le_bytes(word);
            let marks = equal(word, self.quote) | equal(word, self.escape);
            if marks != 0 {
                return Some(8 * index + marks.trailing_zeros() as usize / 8);
            }
        }
        let at = rest.iter().position(|&byte| byte == self.quote || byte == self.escape)?;
        Some(8 * words.len() + at)
    }
}

/// A word of the bytes of a text that has fewer, each at least once; `None` of the empty text.
#[inline]
fn short_word(text: &[u8]) -> Option<[u8; 8]> {
    Some(match (text.first_chunk(), text.last_chunk()) {
        (Some(&[a, b, c, d]), Some(&[e, f, g, h])) => [a, b, c, d, e, f, g, h],
        _ => {
            let (a, b, c) = (*text.first()?, *text.get(text.len() / 2)?, *text.last()?);
            [a, b, c, c, c, c, c, c]
        }
    })
}

/// The plain search, unit by unit.
#[derive(Clone, Debug)]
struct UnitSearch {
    greatest_unsafe: char,
    suspect: char,
    quote: char,
    escape: Option<char>,
}

impl UnitSearch {
    fn needs_quotes(&self, text: &[u8]) -> bool {
        let units = as_text(text).encode_utf16();
        units
            .map(u32::from)
            .any(|unit| unit <= u32::from(self.greatest_unsafe) || unit == u32::from(self.suspect))
    }

    fn find_mark(&self, text: &[u8]) -> Option<(usize, usize)> {
        let is_mark =
            |&(_, character): &(usize, char)| character == self.quote || Some(character) == self.escape;
        as_text(text).char_indices().find(is_mark).map(|(at, mark)| (at, mark.len_utf8()))
    }
}

fn as_text(text: &[u8]) -> &str {
    std::str::from_utf8(text).expect("cells are made of texts")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(options: &CsvOptions, text: &str) -> String {
        let quoter = Quoter::new(options).unwrap();
        let written = |room| {
            let mut out = vec![b'.'; room];
            let end = quoter.put(&mut out, 2, text.as_bytes()).ok()?;
            Some(out[2..end].to_vec())
        };
        // Written and then put in quotes.
        let in_place = |room| {
            let mut out = vec![b'.'; room];
            let end = put_bytes(&mut out, 2, text.as_bytes())
                .and_then(|end| quoter.quote(&mut out, 2, end))
                .ok()?;
            Some(out[2..end].to_vec())
        };
        let enough = 6 * text.len() + 20;
        let found = written(enough);
        assert_eq!(in_place(enough), found);
        for room in 2..enough {
            assert!([None, found.clone()].contains(&written(room)));
            assert!([None, found.clone()].contains(&in_place(room)));
        }
        String::from_utf8(found.unwrap()).unwrap()
    }

    /// From Flink: golden encode/csv, quote-length, ascii and string.
    #[test]
    fn a_text_is_quoted_for_its_length_or_for_a_unit() {
        let options = CsvOptions::default();
        for (text, expected) in [
            ("", ""),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa"),
            ("aaaaaaaaaaaaaaaaaaaaaaaaa", "\"aaaaaaaaaaaaaaaaaaaaaaaaa\""),
            (
                "日日日日日日日日日日日日日日日日日日日日日日日日",
                "日日日日日日日日日日日日日日日日日日日日日日日日",
            ),
            ("😀😀😀😀😀😀😀😀😀😀😀😀", "😀😀😀😀😀😀😀😀😀😀😀😀"),
            ("😀😀😀😀😀😀😀😀😀😀😀😀😀", "\"😀😀😀😀😀😀😀😀😀😀😀😀😀\""),
            ("X+X", "\"X+X\""),
            ("X-X", "X-X"),
            ("a\\b", "\"a\\b\""),
            ("a\"b", "\"a\"\"b\""),
        ] {
            assert_eq!(quoted(&options, text), expected);
        }
        let options = CsvOptions { escape: Some('e'), ..CsvOptions::default() };
        assert_eq!(quoted(&options, "1e5\\"), "\"1ee5\\\"");
        assert_eq!(quoted(&options, "a\\b"), "a\\b");
    }

    /// As Jackson goes about it: unit by unit, into a new text.
    fn naive(options: &CsvOptions, text: &str) -> String {
        let (quote, delimiter) = (options.quote.unwrap(), options.field_delimiter);
        let units: Vec<u16> = text.encode_utf16().collect();
        let is_unsafe = |&unit: &u16| {
            let unit = u32::from(unit);
            unit < u32::from(quote.max(delimiter)) + 1 || unit == u32::from(options.escape.unwrap_or('\\'))
        };
        if units.len() <= 24 && !units.iter().any(is_unsafe) {
            return text.to_owned();
        }
        let mut out = String::from(quote);
        for character in text.chars() {
            if character == quote || Some(character) == options.escape {
                out.push(character);
            }
            out.push(character);
        }
        out.push(quote);
        out
    }

    fn character() -> impl Strategy<Value = char> {
        prop_oneof![proptest::char::range('\u{1}', '\u{7F}'), Just('é'), Just('。'), Just('，')]
    }

    proptest! {
        #[test]
        fn any_text_is_quoted_as_unit_by_unit(
            field_delimiter in character(),
            quote in character(),
            escape in proptest::option::of(character()),
            text in "[ -~é。，😀\u{E000}]{0,40}",
        ) {
            let options =
                CsvOptions { field_delimiter, quote: Some(quote), escape, ..CsvOptions::default() };
            prop_assert_eq!(quoted(&options, &text), naive(&options, &text));
        }
    }
}
