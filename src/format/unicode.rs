//! UTF-16 and UTF-32 as Java and Jackson decode them, shared by the formats that read other charsets than UTF-8.
//!
//! A Java string is made of UTF-16 units. Where it becomes UTF-8, as every string of Flink's does, a surrogate without
//! its other half is a `?`.

use std::char::REPLACEMENT_CHARACTER;

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    /// The highest.
    Big,
    /// The lowest.
    Little,
}

impl ByteOrder {
    /// Bytes with the highest first, in this order; and the other way round.
    #[inline]
    pub(crate) fn arrange<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        match self {
            Self::Big => {}
            Self::Little => bytes.reverse(),
        }
        bytes
    }
}

/// A message without a declared charset, which Jackson guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guessed<'a> {
    /// UTF-8, after its byte order mark.
    Utf8(&'a [u8]),
    Wide(Wide<'a>),
}

/// A message in units of more than a byte, after its byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide<'a> {
    Utf16(ByteOrder, &'a [u8]),
    Utf32(ByteOrder, &'a [u8]),
    /// UTF-32 in neither order.
    Unsupported,
}

impl<'a> Guessed<'a> {
    /// Tells UTF-16 and UTF-32 by the byte order mark, or by the zeros among the first four bytes.
    ///
    /// Agrees with Jackson's `ByteSourceJsonBootstrapper` and `CsvParserBootstrapper`.
    #[inline]
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        use ByteOrder::{Big, Little};
        use Wide::{Unsupported, Utf16, Utf32};
        let wide = match bytes {
            // Nearly always.
            [1..=0x7F, 1..=0x7F, 1..=0x7F, 1..=0x7F, ..] => return Self::Utf8(bytes),
            [0, 0, 0xFE, 0xFF, rest @ ..] => Utf32(Big, rest),
            [0xFF, 0xFE, 0, 0, rest @ ..] => Utf32(Little, rest),
            [0, 0, 0xFF, 0xFE, ..] | [0xFE, 0xFF, 0, 0, ..] => Unsupported,
            [0xFE, 0xFF, rest @ ..] if rest.len() >= 2 => Utf16(Big, rest),
            [0xFF, 0xFE, rest @ ..] if rest.len() >= 2 => Utf16(Little, rest),
            [0xEF, 0xBB, 0xBF, rest @ ..] if !rest.is_empty() => return Self::Utf8(rest),
            [0, 0, 0, _, ..] => Utf32(Big, bytes),
            [_, 0, 0, 0, ..] => Utf32(Little, bytes),
            [0, _, 0, 0, ..] | [0, 0, _, 0, ..] => Unsupported,
            [0, _, ..] => Utf16(Big, bytes),
            [_, 0, ..] => Utf16(Little, bytes),
            _ => return Self::Utf8(bytes),
        };
        Self::Wide(wide)
    }
}

impl Wide<'_> {
    /// Appends the text, and answers what is wrong with the bytes after it: Jackson minds when it gets there, and not
    /// before.
    #[cold]
    pub(crate) fn decode(self, out: &mut String) -> Option<&'static str> {
        match self {
            Self::Utf16(order, bytes) => {
                decode_utf16(bytes, order, out);
                None
            }
            Self::Utf32(order, bytes) => decode_strict_utf32(bytes, order, out),
            Self::Unsupported => Some("UTF-32 with its bytes in an order that is not supported"),
        }
    }
}

/// Appends the text that `bytes` are in UTF-16, without looking for a byte order mark; what is malformed becomes
/// U+FFFD.
///
/// Agrees with `sun.nio.cs.UnicodeDecoder`: a high surrogate takes the unit after it along, whatever that is.
pub(crate) fn decode_utf16(bytes: &[u8], order: ByteOrder, out: &mut String) {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut units = units.iter().map(|&bytes| u16::from_be_bytes(order.arrange(bytes)));
    let mut is_whole = rest.is_empty();
    while let Some(unit) = units.next() {
        let decoded = match unit {
            0xD800..0xDC00 => match units.next() {
                Some(low) => char::decode_utf16([unit, low]).next().and_then(Result::ok),
                None => {
                    // At the end, together with half a unit, it is malformed once.
                    is_whole = false;
                    break;
                }
            },
            _ => char::from_u32(unit.into()),
        };
        out.push(decoded.unwrap_or(REPLACEMENT_CHARACTER));
    }
    if !is_whole {
        out.push(REPLACEMENT_CHARACTER);
    }
}

/// Appends the text that `bytes` are in UTF-32. A number that is no code point is a fault from the start, since Jackson
/// looks ahead; bytes that are missing are one at the end.
///
/// Agrees with Jackson's `UTF32Reader`.
fn decode_strict_utf32(bytes: &[u8], order: ByteOrder, out: &mut String) -> Option<&'static str> {
    let (codes, rest) = bytes.as_chunks::<4>();
    let start = out.len();
    let mut units = Utf16Units::new(out);
    for &code in codes {
        let code = u32::from_be_bytes(order.arrange(code));
        match (u16::try_from(code), char::from_u32(code)) {
            (Ok(unit), _) => units.push(unit),
            (Err(_), Some(character)) => units.push_char(character),
            (Err(_), None) => {
                out.truncate(start);
                return Some("an invalid UTF-32 character");
            }
        }
    }
    units.finish();
    (!rest.is_empty()).then_some("the end of the input inside of a UTF-32 character")
}

/// A Java string under construction, which becomes UTF-8 as it grows.
#[derive(Debug)]
pub(crate) struct Utf16Units<'a> {
    out: &'a mut String,
    /// A high surrogate that waits for its low one.
    high: Option<u16>,
}

impl<'a> Utf16Units<'a> {
    pub(crate) fn new(out: &'a mut String) -> Self {
        Self { out, high: None }
    }

    pub(crate) fn push(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(pair)) = char::decode_utf16([high, unit]).next() {
                return self.out.push(pair);
            }
            self.out.push('?');
        }
        match unit {
            0xD800..0xDC00 => self.high = Some(unit),
            _ => self.out.push(char::from_u32(unit.into()).unwrap_or('?')),
        }
    }

    /// The units of a character.
    pub(crate) fn push_char(&mut self, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            self.push(*unit);
        }
    }

    pub(crate) fn finish(self) {
        if self.high.is_some() {
            self.out.push('?');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Java 17: `new String(bytes, "UTF-16BE")`.
    #[test]
    fn malformed_utf16_is_replaced_as_java_counts() {
        for (bytes, text) in [
            (&[0x00, 0x61, 0xFE, 0xFF][..], "a\u{FEFF}"),
            (&[0xFF, 0xFE, 0x00, 0x61], "\u{FFFE}a"),
            (&[0xD8, 0x3D, 0xDE, 0x00], "😀"),
            (&[0xD8, 0x3D, 0x00, 0x61, 0x00, 0x62], "\u{FFFD}b"),
            (&[0xDE, 0x00, 0x00, 0x61], "\u{FFFD}a"),
            (&[0x00, 0x61, 0xD8, 0x3D], "a\u{FFFD}"),
            (&[0x00, 0x61, 0xD8, 0x3D, 0xDE], "a\u{FFFD}"),
            (&[0x00, 0x61, 0x00], "a\u{FFFD}"),
        ] {
            let mut out = String::new();
            decode_utf16(bytes, ByteOrder::Big, &mut out);
            assert_eq!(out, text, "{bytes:X?}");
        }
    }

    /// From Jackson: golden decode/json, doc, and decode/csv, line.
    #[test]
    fn the_charset_is_told_by_a_mark_or_by_zeros() {
        for (bytes, text) in [
            (&b"\xFE\xFF\x00a"[..], "a"),
            (b"\xFF\xFEa\x00", "a"),
            (b"\x00a", "a"),
            (b"a\x00", "a"),
            (b"\x00\x00\xFE\xFF\x00\x00\x00a", "a"),
            (b"\xFF\xFE\x00\x00a\x00\x00\x00", "a"),
            (b"\x00\x00\x00a", "a"),
            (b"a\x00\x00\x00", "a"),
            (b"\x00\x00\x00a\x00\x00\xD8\x3D\x00\x00\xDE\x00\x00\x00\xD8\x3D", "a😀?"),
        ] {
            let Guessed::Wide(wide) = Guessed::of(bytes) else { panic!("{bytes:X?}") };
            let mut out = String::new();
            assert_eq!((wide.decode(&mut out), &*out), (None, text), "{bytes:X?}");
        }
        for (bytes, behind_mark) in [
            (&b"a"[..], &b"a"[..]),
            (b"ab", b"ab"),
            (b"\xEF\xBB\xBFa", b"a"),
            // Of fewer than four bytes none is taken for a mark.
            (b"\xEF\xBB\xBF", b"\xEF\xBB\xBF"),
            (b"\xFE\xFFa", b"\xFE\xFFa"),
        ] {
            assert_eq!(Guessed::of(bytes), Guessed::Utf8(behind_mark), "{bytes:X?}");
        }
    }

    #[test]
    fn a_fault_stands_behind_the_text_before_it() {
        for (bytes, text) in [
            (&b"\x00\x00\x00a\x00"[..], "a"),
            (b"\x00\x00\x00a\x00\x11\x00\x00", ""),
            (b"\x00\x00\xFF\xFE", ""),
            (b"\x00a\x00\x00", ""),
        ] {
            let Guessed::Wide(wide) = Guessed::of(bytes) else { panic!("{bytes:X?}") };
            let mut out = String::new();
            assert!(wide.decode(&mut out).is_some(), "{bytes:X?}");
            assert_eq!(out, text, "{bytes:X?}");
        }
    }

    #[test]
    fn a_surrogate_without_its_half_is_a_question_mark() {
        for (units, text) in [
            (&[0xD83D, 0xDE00][..], "😀"),
            (&[0xDE00, 0xD83D], "??"),
            (&[0xD83D, 0xD83D, 0xDE00], "?😀"),
            (&[0xD83D, 0x61], "?a"),
        ] {
            let mut out = String::new();
            let mut string = Utf16Units::new(&mut out);
            units.iter().for_each(|&unit| string.push(unit));
            string.finish();
            assert_eq!(out, text);
        }
    }
}
