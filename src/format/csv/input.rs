//! The bytes of a message as text: Jackson guesses the charset, and takes what UTF-8 refuses.

use std::borrow::Cow;

use crate::format::unicode::{Guessed, Utf16Units};
use crate::text::as_utf8;

/// The text of a message, as far as it is text.
///
/// Agrees with Jackson's `CsvParserBootstrapper` and `UTF8Reader`.
#[derive(Debug)]
pub(super) struct Input<'a> {
    pub(super) text: Cow<'a, str>,
    /// What is wrong with the bytes after the text. Jackson minds when it gets there, and not before.
    pub(super) fault: Option<&'static str>,
    /// How many bytes stand before the text, where it has not been decoded into other bytes.
    pub(super) offset: Option<usize>,
}

impl<'a> Input<'a> {
    /// In the charset that Jackson guesses.
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        match Guessed::of(bytes) {
            Guessed::Utf8(text) => match as_utf8(text) {
                Some(valid) => {
                    let mark = bytes.len() - text.len();
                    Self { text: Cow::Borrowed(valid), fault: None, offset: Some(mark) }
                }
                None => Self::decoded(|out| loose_utf8(text, out)),
            },
            Guessed::Wide(wide) => Self::decoded(|out| wide.decode(out)),
        }
    }

    /// Whether the text is the bytes of the message, all of them.
    #[inline]
    pub(super) fn is_as_it_stands(&self) -> bool {
        self.offset == Some(0)
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
        let Some((&first, after)) = rest.split_first() else { break None };
        let (length, bits) = match first {
            0..0x80 => (0, first),
            0xC0..0xE0 => (1, first & 0x1F),
            0xE0..0xF0 => (2, first & 0x0F),
            0xF0..0xF8 => (3, first & 0x07),
            0x80..0xC0 | 0xF8.. => break Some("an invalid UTF-8 start byte"),
        };
        let Some((middle, after)) = after.split_at_checked(length) else {
            break Some("the end of the input inside of a UTF-8 character");
        };
        if middle.iter().any(|byte| byte & 0xC0 != 0x80) {
            break Some("an invalid UTF-8 middle byte");
        }
        let code = middle.iter().fold(i32::from(bits), |code, byte| code << 6 | i32::from(byte & 0x3F));
        push_code(code, length, &mut units);
        rest = after;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Jackson's loose UTF-8, and one of the other charsets.
    #[test]
    fn bytes_are_text_in_whatever_charset() {
        for (bytes, text) in [
            (&b"1,\xC3\xA9"[..], "1,é"),
            (b"\xEF\xBB\xBF1", "1"),
            (b"\xEF\xBB\xBF", "\u{FEFF}"),
            (b"\xFE\xFF\x00a", "a"),
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
        ] {
            let input = Input::new(bytes);
            assert_eq!((&*input.text, input.fault.is_some()), (text, true), "{bytes:X?}");
        }
    }
}
