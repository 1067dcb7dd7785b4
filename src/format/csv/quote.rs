//! When Jackson puts a text in quotes, and what it doubles inside them.

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

    /// Appends `text`, in quotes where it needs them.
    #[inline]
    pub(super) fn write(&self, text: &[u8], out: &mut Vec<u8>) {
        if self.needs_quotes(text) {
            self.write_quoted(out, |out| out.extend_from_slice(text));
        } else {
            out.extend_from_slice(text);
        }
    }

    /// Appends what `write` appends, in quotes.
    #[inline]
    pub(super) fn write_quoted(&self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(self.quote());
        let start = out.len();
        write(out);
        self.double_marks(start, out);
        out.extend_from_slice(self.quote());
    }

    /// Puts the text at the end of `out`, from `start` on, in quotes where it needs them.
    #[inline]
    pub(super) fn quote_from(&self, start: usize, out: &mut Vec<u8>) {
        if self.needs_quotes(&out[start..]) {
            let quote = self.quote();
            out.extend_from_slice(quote);
            out[start..].rotate_right(quote.len());
            self.double_marks(start + quote.len(), out);
            out.extend_from_slice(quote);
        }
    }

    /// Whether every text that has `always` in it, and otherwise characters of `alphabet`, is in quotes with nothing
    /// doubled inside.
    pub(super) fn surely_quotes(&self, always: u8, alphabet: &[u8]) -> bool {
        self.needs_quotes(&[always])
            && self.find_mark(&[always]).is_none()
            && self.find_mark(alphabet).is_none()
    }

    pub(super) fn quote(&self) -> &[u8] {
        self.quote.as_bytes()
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
    fn double_marks(&self, start: usize, out: &mut Vec<u8>) {
        if let Some((first, _)) = self.find_mark(&out[start..]) {
            self.double_marks_from(start + first, out);
        }
    }

    /// Writes the doubled text behind the one that there is, which then goes.
    fn double_marks_from(&self, start: usize, out: &mut Vec<u8>) {
        let end = out.len();
        let mut from = start;
        while let Some((at, len)) = self.find_mark(&out[from..end]) {
            let mark = from + at;
            out.extend_from_within(from..mark + len);
            out.extend_from_within(mark..mark + len);
            from = mark + len;
        }
        out.extend_from_within(from..end);
        out.drain(start..end);
    }
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

/// A character of the basic plane in UTF-8.
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

    #[inline]
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
            None => text.iter().any(|&byte| byte < self.least_safe || byte == self.suspect),
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

const HIGH_BITS: u64 = each(0x80);

const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The high bit of each byte of `word` that is below `limit`, at most 0x80; of bytes behind the first, perhaps too.
#[inline]
fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(each(limit)) & !word & HIGH_BITS
}

/// The high bit of each byte of `word` that is `byte`; of bytes behind the first, perhaps too.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ each(byte), 1)
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
        let (mut out, mut in_place) = (b"..".to_vec(), format!("..{text}").into_bytes());
        quoter.write(text.as_bytes(), &mut out);
        quoter.quote_from(2, &mut in_place);
        assert_eq!(out, in_place);
        String::from_utf8(out.split_off(2)).unwrap()
    }

    /// From Flink: golden encode/csv, quote-length, ascii and string.
    #[test]
    fn a_text_is_quoted_for_its_length_or_for_a_unit() {
        let options = CsvOptions::default();
        for (text, expected) in [
            ("", ""),
            ("XXXXXXXXXXXXXXXXXXXXXXXX", "XXXXXXXXXXXXXXXXXXXXXXXX"),
            ("XXXXXXXXXXXXXXXXXXXXXXXXX", "\"XXXXXXXXXXXXXXXXXXXXXXXXX\""),
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
