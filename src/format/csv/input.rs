//! The bytes of a message as text: Jackson guesses the charset, and takes what UTF-8 refuses.

use std::borrow::Cow;

use crate::format::unicode::{ByteOrder, Utf16Units, decode_utf16};

/// The text of a message, as far as it is text.
///
/// Agrees with Jackson's `CsvParserBootstrapper`, `UTF8Reader` and `UTF32Reader`.
#[derive(Debug)]
pub(super) struct Input<'a> {
    pub(super) text: Cow<'a, str>,
    /// What is wrong with the bytes behind the text. Jackson minds when it gets there, and not before.
    pub(super) fault: Option<&'static str>,
    /// How many bytes stand before the text, where it has not been decoded into other bytes.
    pub(super) offset: Option<usize>,
}

impl<'a> Input<'a> {
    /// Tells UTF-16 and UTF-32 by the byte order mark, or by the zeros among the first four bytes.
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        match bytes {
            [0, 0, 0xFE, 0xFF, rest @ ..] => Self::utf32(rest, ByteOrder::Big),
            [0xFF, 0xFE, 0, 0, rest @ ..] => Self::utf32(rest, ByteOrder::Little),
            [0, 0, 0xFF, 0xFE, ..] | [0xFE, 0xFF, 0, 0, ..] => Self::unsupported(),
            [0xFE, 0xFF, rest @ ..] if rest.len() >= 2 => Self::utf16(rest, ByteOrder::Big),
            [0xFF, 0xFE, rest @ ..] if rest.len() >= 2 => Self::utf16(rest, ByteOrder::Little),
            [0xEF, 0xBB, 0xBF, rest @ ..] if !rest.is_empty() => Self::utf8(rest, 3),
            [0, 0, 0, _, ..] => Self::utf32(bytes, ByteOrder::Big),
            [_, 0, 0, 0, ..] => Self::utf32(bytes, ByteOrder::Little),
            [0, _, 0, 0, ..] | [0, 0, _, 0, ..] => Self::unsupported(),
            [0, _, ..] => Self::utf16(bytes, ByteOrder::Big),
            [_, 0, ..] => Self::utf16(bytes, ByteOrder::Little),
            _ => Self::utf8(bytes, 0),
        }
    }

    #[inline]
    fn utf8(bytes: &'a [u8], offset: usize) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { text: Cow::Borrowed(text), fault: None, offset: Some(offset) },
            Err(_) => Self::decoded(|out| loose_utf8(bytes, out)),
        }
    }

    fn utf16(bytes: &[u8], order: ByteOrder) -> Self {
        Self::decoded(|out| {
            decode_utf16(bytes, order, out);
            None
        })
    }

    fn utf32(bytes: &[u8], order: ByteOrder) -> Self {
        Self::decoded(|out| strict_utf32(bytes, order, out))
    }

    fn unsupported() -> Self {
        Self::decoded(|_| Some("UTF-32 with its bytes in an order that is not supported"))
    }

    #[cold]
    fn decoded(decode: impl FnOnce(&mut String) -> Option<&'static str>) -> Self {
        let mut text = String::new();
        let fault = decode(&mut text);
        Self { text: Cow::Owned(text), fault, offset: None }
    }
}

/// Appends what stands before the first fault. Overlong forms and surrogates are none.
fn loose_utf8(bytes: &[u8], out: &mut String) -> Option<&'static str> {
    let mut units = Utf16Units::new(out);
    let mut rest = bytes;
    let fault = loop {
        let Some((&first, behind)) = rest.split_first() else { break None };
        let (length, bits) = match first {
            0..0x80 => (0, first),
            0xC0..0xE0 => (1, first & 0x1F),
            0xE0..0xF0 => (2, first & 0x0F),
            0xF0..0xF8 => (3, first & 0x07),
            0x80..0xC0 | 0xF8.. => break Some("an invalid UTF-8 start byte"),
        };
        let Some((middle, behind)) = behind.split_at_checked(length) else {
            break Some("the end of the input inside of a UTF-8 character");
        };
        if middle.iter().any(|byte| byte & 0xC0 != 0x80) {
            break Some("an invalid UTF-8 middle byte");
        }
        let code = middle.iter().fold(i32::from(bits), |code, byte| code << 6 | i32::from(byte & 0x3F));
        push_code(code, length, &mut units);
        rest = behind;
    };
    units.finish();
    fault
}

/// Four bytes are two units, even where they say no more than one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "Java's cast to char")]
fn push_code(code: i32, length: usize, units: &mut Utf16Units<'_>) {
    if length < 3 {
        return units.push(code as u16);
    }
    let code = code - 0x1_0000;
    units.push((0xD800 + (code >> 10)) as u16);
    units.push((0xDC00 | (code & 0x3FF)) as u16);
}

/// Appends the text. A number that is no code point is a fault from the start, since Jackson looks ahead; bytes that
/// are missing are one at the end.
fn strict_utf32(bytes: &[u8], order: ByteOrder, out: &mut String) -> Option<&'static str> {
    let (codes, rest) = bytes.as_chunks::<4>();
    let mut units = Utf16Units::new(out);
    for &code in codes {
        let code = u32::from_be_bytes(order.arrange(code));
        match (u16::try_from(code), char::from_u32(code)) {
            (Ok(unit), _) => units.push(unit),
            (Err(_), Some(character)) => units.push_char(character),
            (Err(_), None) => {
                units.finish();
                out.clear();
                return Some("an invalid UTF-32 character");
            }
        }
    }
    units.finish();
    (!rest.is_empty()).then_some("the end of the input inside of a UTF-32 character")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The charsets that Jackson knows, each of its ways to tell them, and its loose UTF-8.
    #[test]
    fn the_charset_is_told_by_a_mark_or_by_zeros() {
        for (bytes, text) in [
            (&b"1,\xC3\xA9"[..], "1,é"),
            (b"\xEF\xBB\xBF1", "1"),
            (b"\xEF\xBB\xBF", "\u{FEFF}"),
            (b"\xFE\xFF\x00a", "a"),
            (b"\xFF\xFEa\x00", "a"),
            (b"\x00a", "a"),
            (b"a\x00", "a"),
            (b"\x00\x00\xFE\xFF\x00\x00\x00a", "a"),
            (b"\xFF\xFE\x00\x00a\x00\x00\x00", "a"),
            (b"\x00\x00\x00a", "a"),
            (b"a\x00\x00\x00", "a"),
            (b"\xED\xA0\xBD\xED\xB8\x80", "😀"),
            (b"\xED\xA0\x80a", "?a"),
            (b"\xC0\xAC", ","),
            (b"\xF7\xBF\xBF\xBF", "??"),
        ] {
            let input = Input::new(bytes);
            assert_eq!((&*input.text, input.fault), (text, None), "{bytes:X?}");
        }
    }

    #[test]
    fn a_fault_stands_behind_the_text_before_it() {
        for (bytes, text) in [
            (&b"1,\xFF,y"[..], "1,"),
            (b"1,\xC3,y", "1,"),
            (b"1,\xC3", "1,"),
            (b"\xFF", ""),
            (b"\x00\x00\x00a\x00", "a"),
            (b"\x00\x00\x00a\x00\x11\x00\x00", ""),
            (b"\x00\x00\xFF\xFE", ""),
        ] {
            let input = Input::new(bytes);
            assert_eq!((&*input.text, input.fault.is_some()), (text, true), "{bytes:X?}");
        }
    }
}
