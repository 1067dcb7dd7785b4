//! The inside of JSON strings: where they end, and what their escapes and Jackson's loose UTF-8 say.
//!
//! Jackson decodes UTF-8 itself and takes what the standard refuses: overlong forms, surrogates (CESU-8 pairs join,
//! a lone one becomes `?` when Java makes bytes of it), code points above U+10FFFF. Agrees with
//! `UTF8StreamJsonParser._finishString2`.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::format::unicode::{Guessed, Wide};

const LOW_BITS: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH_BITS: u64 = u64::from_le_bytes([0x80; 8]);

/// Where the string that starts at `start` ends: the position of its closing quote, or past the input if there is
/// none; and whether all of it is ASCII without escapes.
#[inline]
pub(super) fn end_of_string(input: &[u8], start: usize) -> (usize, bool) {
    let mut position = start;
    while let Some(word) = input.get(position..position + 8) {
        let word = u64::from_le_bytes(word.try_into().expect("8 bytes"));
        // A byte that equals the pattern becomes 0, and 0 is the only byte (but for false alarms above a true
        // one) whose high bit this raises.
        let equals = |byte: u8| {
            let difference = word ^ (LOW_BITS * u64::from(byte));
            difference.wrapping_sub(LOW_BITS) & !difference & HIGH_BITS
        };
        let special = equals(b'"') | equals(b'\\') | word & HIGH_BITS;
        if special != 0 {
            position += special.trailing_zeros() as usize / 8;
            break;
        }
        position += 8;
    }
    while let Some(&byte) = input.get(position) {
        match byte {
            b'"' => return (position, true),
            b'\\' | 0x80.. => return (end_of_escaped(input, position), false),
            _ => position += 1,
        }
    }
    (input.len(), true)
}

fn end_of_escaped(input: &[u8], mut position: usize) -> usize {
    while let Some(&byte) = input.get(position) {
        match byte {
            b'"' => return position,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    input.len()
}

/// Appends the text that `raw` stands for, as UTF-8.
///
/// # Errors
///
/// For an escape that JSON does not know and for bytes that even Jackson does not take; the offset is that of the
/// byte behind those that Jackson has looked at.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let mut units = Units { out, high: None };
    each_unit(raw, |unit| units.push(unit))?;
    units.finish();
    Ok(())
}

/// What [`unescape`] would find wrong.
pub(super) fn check(raw: &[u8]) -> Result<(), Error> {
    each_unit(raw, |_| ())
}

fn each_unit(raw: &[u8], mut take: impl FnMut(u32)) -> Result<(), Error> {
    let mut rest = raw;
    while let Some((&byte, tail)) = rest.split_first() {
        let (unit, tail) = match byte {
            b'\\' => escape(tail),
            0..0x80 => Ok((byte.into(), tail)),
            _ => sequence(byte, tail),
        }
        .map_err(|fault| {
            Error::new(ErrorKind::Data, fault.0).with_offset(raw.len() - tail.len() + fault.1)
        })?;
        take(unit);
        rest = tail;
    }
    Ok(())
}

/// What is wrong, and how many bytes behind the first one Jackson has looked at.
struct Fault(&'static str, usize);

/// Java's string under construction: UTF-16 units that become bytes when both halves of a pair are there.
struct Units<'a> {
    out: &'a mut Vec<u8>,
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
            self.out.push(b'?');
        }
        match code {
            0xD800..0xDC00 => self.high = Some(code),
            0xDC00..0xE000 => self.out.push(b'?'),
            _ => self.append(code),
        }
    }

    fn append(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(char) => self.out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            // Above U+10FFFF Jackson makes two units that are no pair.
            None => self.out.extend_from_slice(b"??"),
        }
    }

    fn finish(self) {
        if self.high.is_some() {
            self.out.push(b'?');
        }
    }
}

/// What stands behind a backslash, and the rest.
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
        _ => return Err(Fault("an unknown escape", 1)),
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

/// The document as UTF-8, from the charset that Jackson guesses. What is wrong with it is a byte at its end that no text
/// has: the lexer minds when it gets there, as Jackson does.
#[inline]
pub(super) fn to_utf8(input: &[u8]) -> Cow<'_, [u8]> {
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
