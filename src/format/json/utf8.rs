//! The inside of JSON strings: where they end, and what their escapes and Jackson's loose UTF-8 say.
//!
//! Jackson decodes UTF-8 itself and takes what the standard refuses: overlong forms, surrogates (CESU-8 pairs join,
//! a lone one becomes `?` when Java makes bytes of it), code points above U+10FFFF. Agrees with
//! `UTF8StreamJsonParser._finishString2`.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::format::unicode::{Guessed, Wide};
use crate::wire::equal;

/// Where the next quote or backslash is, from `start` on; the end of the input if there is none.
#[inline(always)]
pub(super) fn next_special(input: &[u8], start: usize) -> usize {
    let mut position = start;
    for _ in 0..3 {
        let Some(word) = input.get(position..).and_then(<[u8]>::first_chunk) else { break };
        if let Some(at) = special_in(*word) {
            return position + at;
        }
        position += word.len();
    }
    distant_special(input, position)
}

/// The same, most likely further away.
#[inline(never)]
fn distant_special(input: &[u8], mut position: usize) -> usize {
    // 0 of a quote and of a backslash: in operations that there are for many bytes at once.
    let mark = |byte: &u8| (byte ^ b'"').min(byte ^ b'\\');
    let rest = input.get(position..).unwrap_or_default();
    // No branch within a block, so that it is looked at as a whole.
    let clean = |block: &&[u8; 16]| !block.iter().fold(false, |any, byte| any | (mark(byte) == 0));
    position += 16 * rest.as_chunks().0.iter().take_while(clean).count();
    while let Some(word) = input.get(position..).and_then(<[u8]>::first_chunk) {
        if let Some(at) = special_in(*word) {
            return position + at;
        }
        position += word.len();
    }
    let rest = input.get(position..).unwrap_or_default();
    rest.iter().position(|byte| mark(byte) == 0).map_or(input.len(), |at| position + at)
}

#[inline]
fn special_in(word: [u8; 8]) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    let special = equal(word, b'"') | equal(word, b'\\');
    (special != 0).then(|| special.trailing_zeros() as usize / 8)
}

/// Where the string ends whose text starts at `start`: the position of its closing quote, or past the input if there is
/// none; and whether it has escapes.
#[inline]
pub(super) fn end_of_string(input: &[u8], start: usize) -> (usize, bool) {
    let end = next_special(input, start);
    match input.get(end) {
        Some(b'\\') => (end_of_escaped(input, end), true),
        _ => (end, false),
    }
}

#[inline(never)]
fn end_of_escaped(input: &[u8], mut position: usize) -> usize {
    while let Some(b'\\') = input.get(position) {
        position = next_special(input, position + 2);
    }
    position
}

/// Appends what the string says whose text starts at `start`, and whose first run ends at `end`, run by run; says where
/// its closing quote is. `None` leaves what is wrong with it to [`unescape`]; some of it may then be appended.
pub(super) fn read_string(text: &str, mut start: usize, mut end: usize, out: &mut String) -> Option<usize> {
    let input = text.as_bytes();
    loop {
        out.push_str(text.get(start..end)?);
        if *input.get(end)? == b'"' {
            return Some(end);
        }
        start = read_escapes(input, end, out)?;
        // Texts with escapes are long, and so are most of their runs.
        end = distant_special(input, start);
    }
}

/// Appends what the escapes say that stand one after the other at `position`, and says where they end.
#[inline(never)]
fn read_escapes(input: &[u8], mut position: usize, out: &mut String) -> Option<usize> {
    while let Some(b'\\') = input.get(position) {
        let byte = match *input.get(position + 1)? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 0x08,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            _ => {
                position = read_unit(input, position, out)?;
                continue;
            }
        };
        out.push(char::from(byte));
        position += 2;
    }
    Some(position)
}

/// The same of the escaped UTF-16 unit at `position`, and of a second one that makes a pair with it.
fn read_unit(input: &[u8], position: usize, out: &mut String) -> Option<usize> {
    let unit = unit_at(input, position)?;
    let (code, end) = match (unit, unit_at(input, position + 6)) {
        (0xD800..0xDC00, Some(low @ 0xDC00..0xE000)) => {
            (0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), position + 12)
        }
        _ => (unit, position + 6),
    };
    out.push(char::from_u32(code).unwrap_or('?'));
    Some(end)
}

fn unit_at(input: &[u8], position: usize) -> Option<u32> {
    let [b'\\', b'u', a, b, c, d, ..] = *input.get(position..)? else { return None };
    let [a, b, c, d] = [a, b, c, d].map(|digit| u32::from(HEX_DIGITS[usize::from(digit)]));
    (a | b | c | d < 16).then_some(a << 12 | b << 8 | c << 4 | d)
}

/// What hexadecimal digits say; of other bytes 16.
const HEX_DIGITS: [u8; 256] = {
    let mut digits = [16; 256];
    let mut digit = 0;
    while digit < 16 {
        digits[b"0123456789abcdef"[digit as usize] as usize] = digit;
        digits[b"0123456789ABCDEF"[digit as usize] as usize] = digit;
        digit += 1;
    }
    digits
};

/// Appends the text that `raw` stands for, unit by unit.
///
/// # Errors
///
/// For an escape that JSON does not know and for bytes that even Jackson does not take; the offset is that of the
/// byte after those that Jackson has looked at.
pub(super) fn unescape(raw: &[u8], out: &mut String) -> Result<(), Error> {
    let mut units = Units { out, high: None };
    each_unit(raw, |unit| units.push(unit))?;
    units.finish();
    Ok(())
}

/// What [`unescape`] would find wrong.
pub(super) fn check(raw: &[u8]) -> Result<(), Error> {
    each_unit(raw, |_| ())
}

/// How many bytes the name has that `raw` stands for, as Jackson counts and keeps them: its escapes as UTF-8, the two of a
/// pair on their own.
///
/// # Errors
///
/// For an escape that JSON does not know; the offset is that of [`unescape`].
#[cold]
pub(super) fn name_len(raw: &[u8]) -> Result<usize, Error> {
    let (mut len, mut rest) = (0, raw);
    while let Some((&byte, tail)) = rest.split_first() {
        let (unit, tail) = match byte {
            b'\\' => escape(tail).map_err(|fault| fault.of(raw, tail))?,
            _ => (0, tail),
        };
        len += match unit {
            0..0x80 => 1,
            0x80..0x800 => 2,
            _ => 3,
        };
        rest = tail;
    }
    Ok(len)
}

/// How many of Java's characters the text has that `raw` stands for, up to what is wrong in it.
#[cold]
pub(super) fn java_len(raw: &[u8]) -> usize {
    let mut len = 0;
    let _ = each_unit(raw, |code| len += if code > 0xFFFF { 2 } else { 1 });
    len
}

fn each_unit(raw: &[u8], mut take: impl FnMut(u32)) -> Result<(), Error> {
    let mut rest = raw;
    while let Some((&byte, tail)) = rest.split_first() {
        let (unit, tail) = match byte {
            b'\\' => escape(tail),
            0..0x80 => Ok((byte.into(), tail)),
            _ => sequence(byte, tail),
        }
        .map_err(|fault| fault.of(raw, tail))?;
        take(unit);
        rest = tail;
    }
    Ok(())
}

/// What is wrong, and how many bytes after the first one Jackson has looked at.
struct Fault(&'static str, usize);

impl Fault {
    #[cold]
    fn of(self, raw: &[u8], tail: &[u8]) -> Error {
        Error::new(ErrorKind::Data, self.0).with_offset(raw.len() - tail.len() + self.1)
    }
}

/// Java's string under construction: UTF-16 units that become text when both halves of a pair are there.
struct Units<'a> {
    out: &'a mut String,
    /// A high surrogate that waits for its low one.
    high: Option<u32>,
}

impl Units<'_> {
    fn push(&mut self, code: u32) {
        if let Some(high) = self.high.take() {
            if (0xDC00..0xE000).contains(&code) {
                let joined = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00);
                return self.append(joined);
            }
            self.out.push('?');
        }
        match code {
            0xD800..0xDC00 => self.high = Some(code),
            0xDC00..0xE000 => self.out.push('?'),
            _ => self.append(code),
        }
    }

    fn append(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(char) => self.out.push(char),
            // Above U+10FFFF Jackson makes two units that are no pair.
            None => self.out.push_str("??"),
        }
    }

    fn finish(self) {
        if self.high.is_some() {
            self.out.push('?');
        }
    }
}

/// What stands after a backslash, and the rest.
fn escape(rest: &[u8]) -> Result<(u32, &[u8]), Fault> {
    let Some((&byte, rest)) = rest.split_first() else { return Err(Fault("the text ends in an escape", 0)) };
    let unit = match byte {
        b'"' | b'\\' | b'/' => byte,
        b'b' => 0x08,
        b'f' => 0x0C,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => {
            let mut unit = 0;
            for looked_at in 0..4 {
                let digit = rest.get(looked_at).and_then(|&digit| char::from(digit).to_digit(16));
                let Some(digit) = digit else {
                    return Err(Fault("not a hex digit in an escape", looked_at + 2));
                };
                unit = unit << 4 | digit;
            }
            return Ok((unit, &rest[4..]));
        }
        _ => {
            // Jackson looks at the whole character.
            let more = match byte {
                0..0x80 => 0,
                _ => sequence(byte, rest).map_or_else(|fault| fault.1, |(_, tail)| rest.len() - tail.len()),
            };
            return Err(Fault("an unknown escape", 1 + more));
        }
    };
    Ok((unit.into(), rest))
}

/// The code point of the sequence that `first` starts, and the rest.
fn sequence(first: u8, rest: &[u8]) -> Result<(u32, &[u8]), Fault> {
    let (length, bits) = match first {
        0xC0..=0xDF => (1, first & 0x1F),
        0xE0..=0xEF => (2, first & 0x0F),
        0xF0..=0xF7 => (3, first & 0x07),
        _ => return Err(Fault("an invalid UTF-8 start byte", 0)),
    };
    let mut code = u32::from(bits);
    for looked_at in 0..length {
        match rest.get(looked_at) {
            Some(byte @ 0x80..=0xBF) => code = code << 6 | u32::from(byte & 0x3F),
            _ => return Err(Fault("an invalid UTF-8 middle byte", looked_at + 1)),
        }
    }
    Ok((code, &rest[length..]))
}

/// The character that `bytes` begin with, if it is one, and how many bytes Jackson has looked at to find out.
///
/// Agrees with `UTF8StreamJsonParser._decodeCharForError`.
#[cold]
pub(super) fn first_char(bytes: &[u8]) -> (Option<char>, usize) {
    match bytes.split_first() {
        None => (None, 0),
        Some((&byte @ 0..0x80, _)) => (Some(byte.into()), 1),
        Some((&first, rest)) => match sequence(first, rest) {
            Ok((code, tail)) => (char::from_u32(code), bytes.len() - tail.len()),
            Err(Fault(_, looked_at)) => (None, 1 + looked_at),
        },
    }
}

/// How many bytes of the string at the start of `rest` Jackson has looked at when it finds that they are no base64.
///
/// Agrees with `UTF8StreamJsonParser._decodeBase64`.
#[cold]
pub(super) fn end_of_base64(rest: &[u8]) -> usize {
    // A digit stands before the quote: a backslash there makes it an escape.
    let ends_with_quote =
        |read: Option<&[u8]>| read.is_some_and(|read| read.ends_with(b"\"") && !read.ends_with(b"\\\""));
    let mut at = 0;
    let mut next = |skips_blanks: bool| loop {
        let byte = *rest.get(at).ok_or(rest.len())?;
        at += 1;
        let unit = match byte {
            b'\\' => match escape(&rest[at..]) {
                Ok((unit, tail)) => {
                    at = rest.len() - tail.len();
                    unit
                }
                Err(fault) => return Err(at + fault.1),
            },
            byte => byte.into(),
        };
        match u8::try_from(unit) {
            Ok(..=b' ') if skips_blanks => {}
            Ok(b'=') => return Ok((false, at)),
            Ok(unit) if unit.is_ascii_alphanumeric() || matches!(unit, b'+' | b'/') => return Ok((true, at)),
            // Its own quote, one that is not escaped, it puts back where padding may be missing.
            _ => return Err(at),
        }
    };
    let mut quad = || -> Result<(), usize> {
        for place in 0..4 {
            let (is_digit, at) = match next(place == 0) {
                Err(at) if place > 1 && ends_with_quote(rest.get(..at)) => return Err(at - 1),
                read => read?,
            };
            match (is_digit, place) {
                (true, _) => {}
                (false, 2) => {
                    let (is_digit, at) = next(false)?;
                    return if is_digit { Err(at) } else { Ok(()) };
                }
                (false, 3) => return Ok(()),
                (false, _) => return Err(at),
            }
        }
        Ok(())
    };
    loop {
        if let Err(at) = quad() {
            return at.min(rest.len());
        }
    }
}

/// The document as UTF-8, from the charset that Jackson guesses. What is wrong with it is a byte at its end that no text
/// has: the lexer minds when it gets there, as Jackson does.
#[inline]
pub(in crate::format) fn to_utf8(input: &[u8]) -> Cow<'_, [u8]> {
    match input {
        // Nearly always.
        [b'{' | b'[', 1..=0x7F, ..] => Cow::Borrowed(input),
        _ => match Guessed::of(input) {
            Guessed::Utf8(text) => Cow::Borrowed(text),
            Guessed::Wide(wide) => from_wide(wide),
        },
    }
}

#[cold]
fn from_wide(wide: Wide<'_>) -> Cow<'static, [u8]> {
    let mut text = String::new();
    let fault = wide.decode(&mut text);
    let mut bytes = text.into_bytes();
    bytes.extend(fault.map(|_| 0xFF));
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_as_long_as_javas_string() {
        for (raw, len) in
            [("", 0), ("a", 1), ("\u{e9}", 1), ("\u{1f600}", 2), (r"\n", 1), (r"\ud83d\ude00", 2)]
        {
            assert_eq!(java_len(raw.as_bytes()), len, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn strings_are_read_in_runs_as_unit_by_unit(
            parts in prop::collection::vec(
                prop_oneof![
                    "[ -!#-\\[\\]-~é€😀]{0,40}",
                    "(\\\\[\"\\\\/bfnrt]){1,4}",
                    "(\\\\u[0-9a-fA-F]{4}){1,3}",
                    "(\\\\ud[89abAB][0-9a-f]{2}|\\\\uD[c-fC-F][0-9A-F]{2}){1,4}",
                    "\\\\[a-z]",
                    "\\\\u[0-9a-g]{0,3}",
                ],
                0..8,
            ),
            after in "[ -~é]{0,20}",
        ) {
            let raw = parts.concat();
            let text = format!("\"{raw}\"{after}");
            let (mut fast, mut slow) = (String::from("before"), String::from("before"));
            let end = read_string(&text, 1, next_special(text.as_bytes(), 1), &mut fast);
            match unescape(raw.as_bytes(), &mut slow) {
                Ok(()) => prop_assert_eq!((end, fast), (Some(1 + raw.len()), slow)),
                // What is cut short may go on after the quote, which then is part of it.
                Err(_) => prop_assert!(end.is_none()),
            }
        }

        #[test]
        fn a_string_ends_at_the_first_quote_that_is_not_escaped(text in "([a-zé]{0,70}|\\\\.|\"){0,6}") {
            let mut bytes = text.bytes().enumerate();
            let (mut end, mut has_escapes) = (None, false);
            while let Some((at, byte)) = bytes.next() {
                match byte {
                    b'"' => {
                        end = Some(at);
                        break;
                    }
                    b'\\' => {
                        has_escapes = true;
                        bytes.next();
                    }
                    _ => {}
                }
            }
            let found = end_of_string(text.as_bytes(), 0);
            prop_assert_eq!(found.1, has_escapes);
            match end {
                Some(end) => prop_assert_eq!(found.0, end),
                None => prop_assert!(found.0 >= text.len()),
            }
        }
    }
}
