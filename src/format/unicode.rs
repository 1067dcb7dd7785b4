//! UTF-16 and UTF-32 as Java decodes them, shared by the formats that read other charsets than UTF-8.
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

/// Appends the text that `bytes` are in UTF-16, without looking for a byte order mark; what is malformed becomes
/// U+FFFD.
///
/// Agrees with `sun.nio.cs.UnicodeDecoder`: a high surrogate takes the unit behind it along, whatever that is.
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
