//! Charsets beyond Unicode and Latin-1: the tables are those of browsers, the rules Java's.
//!
//! Java takes fewer bytes than a browser does, and counts what is malformed in its own way. Agrees with
//! `sun.nio.cs.SingleByte` and `sun.nio.cs.DoubleByte`, over `encoding_rs`: exactly for all charsets of one byte, GBK,
//! Shift_JIS, EUC-KR and x-windows-949. Big5, EUC-JP, GB18030, GB2312, ISO-2022-JP and windows-31j agree in their
//! letters, and differ in some symbols, characters for private use and malformed bytes.

use std::char::REPLACEMENT_CHARACTER;
use std::ops::RangeInclusive;

use encoding_rs::{DecoderResult, EncoderResult, Encoding};

/// A charset of one or more bytes a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Legacy {
    encoding: &'static Encoding,
    shape: Shape,
    /// Where Java's table is another: the first and the last bytes of a run, and the first of its characters.
    own: &'static [(u16, u16, char)],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// One byte a character. Of the upper half, bytes below this one are nothing unless they are `own`.
    Single(u8),
    /// As [`Single`](Self::Single), but that control characters are only a browser's way to fill its table.
    Windows,
    /// ASCII, and two bytes a character.
    Double(Rows),
    /// ASCII, one byte for each half-width katakana, and two bytes for any other character.
    Japanese(Rows),
    /// As `encoding_rs` has it.
    Browser,
}

/// The first bytes that begin a character of two, and their second bytes.
type Rows = (&'static [RangeInclusive<u8>], &'static [RangeInclusive<u8>]);

impl Legacy {
    /// The charset of that canonical name of Java's.
    pub(super) fn find(name: &str) -> Option<Self> {
        use encoding_rs as browser;
        let (encoding, shape, own): (_, _, &[_]) = match name {
            "Big5" => (browser::BIG5, Shape::Double((&[0xA1..=0xC7, 0xC9..=0xF9], BIG5_TRAILS)), &[]),
            "EUC-JP" => (browser::EUC_JP, Shape::Browser, &[]),
            "EUC-KR" => {
                let rows = (&[0xA1..=0xAC, 0xB0..=0xC8, 0xCA..=0xFD][..], EUC_TRAILS);
                (browser::EUC_KR, Shape::Double(rows), &[(0xA2E8, 0xA2E8, '\u{327E}')])
            }
            "GB18030" => (browser::GB18030, Shape::Browser, &[]),
            "GB2312" => {
                let rows = (&[0xA1..=0xA9, 0xB0..=0xF7][..], EUC_TRAILS);
                let own = &[(0xA1A4, 0xA1A4, '\u{30FB}'), (0xA1AA, 0xA1AA, '\u{2015}')];
                (browser::GB18030, Shape::Double(rows), own)
            }
            // A browser's GBK has the euro sign in a place of its own, its GB18030 where Java has it.
            "GBK" => (browser::GB18030, Shape::Double((&[0x81..=0xFE], GBK_TRAILS)), GBK_OWN),
            "IBM866" => (browser::IBM866, Shape::Single(0x80), &[]),
            "ISO-2022-JP" => (browser::ISO_2022_JP, Shape::Browser, &[]),
            "ISO-8859-2" => (browser::ISO_8859_2, Shape::Single(0x80), &[]),
            "ISO-8859-3" => (browser::ISO_8859_3, Shape::Single(0x80), &[]),
            "ISO-8859-4" => (browser::ISO_8859_4, Shape::Single(0x80), &[]),
            "ISO-8859-5" => (browser::ISO_8859_5, Shape::Single(0x80), &[]),
            "ISO-8859-6" => (browser::ISO_8859_6, Shape::Single(0x80), &[]),
            "ISO-8859-7" => (browser::ISO_8859_7, Shape::Single(0x80), &[]),
            "ISO-8859-8" => (browser::ISO_8859_8, Shape::Single(0x80), &[]),
            // Browsers take it for windows-1254, which has letters in the place of the control characters.
            "ISO-8859-9" => (browser::WINDOWS_1254, Shape::Single(0xA0), &[(0x80, 0x9F, '\u{80}')]),
            "ISO-8859-13" => (browser::ISO_8859_13, Shape::Single(0x80), &[]),
            "ISO-8859-15" => (browser::ISO_8859_15, Shape::Single(0x80), &[]),
            "ISO-8859-16" => (browser::ISO_8859_16, Shape::Single(0x80), &[]),
            "KOI8-R" => (browser::KOI8_R, Shape::Single(0x80), &[]),
            "KOI8-U" => {
                let own = &[(0xAE, 0xAE, '\u{255D}'), (0xBE, 0xBE, '\u{256C}')];
                (browser::KOI8_U, Shape::Single(0x80), own)
            }
            "Shift_JIS" => {
                let rows = (&[0x81..=0x84, 0x88..=0x9F, 0xE0..=0xEA][..], SHIFT_JIS_TRAILS);
                (browser::SHIFT_JIS, Shape::Japanese(rows), SHIFT_JIS_OWN)
            }
            "TIS-620" => (browser::WINDOWS_874, Shape::Single(0xA0), &[]),
            "windows-1250" => (browser::WINDOWS_1250, Shape::Windows, &[]),
            "windows-1251" => (browser::WINDOWS_1251, Shape::Windows, &[]),
            "windows-1252" => (browser::WINDOWS_1252, Shape::Windows, &[]),
            "windows-1253" => (browser::WINDOWS_1253, Shape::Windows, &[]),
            "windows-1254" => (browser::WINDOWS_1254, Shape::Windows, &[]),
            "windows-1255" => (browser::WINDOWS_1255, Shape::Windows, &[]),
            "windows-1256" => (browser::WINDOWS_1256, Shape::Windows, &[]),
            "windows-1257" => (browser::WINDOWS_1257, Shape::Windows, &[]),
            "windows-1258" => (browser::WINDOWS_1258, Shape::Windows, &[]),
            "windows-31j" => {
                let leads = &[0x81..=0x84, 0x87..=0x9F, 0xE0..=0xEA, 0xED..=0xEE, 0xF0..=0xFC];
                (browser::SHIFT_JIS, Shape::Japanese((leads, SHIFT_JIS_TRAILS)), &[])
            }
            "x-MacCyrillic" => {
                let own = &[(0xA2, 0xA2, '¢'), (0xB6, 0xB6, '∂'), (0xFF, 0xFF, '¤')];
                (browser::X_MAC_CYRILLIC, Shape::Single(0x80), own)
            }
            "x-MacRoman" => (browser::MACINTOSH, Shape::Single(0x80), &[]),
            "x-windows-874" => (browser::WINDOWS_874, Shape::Windows, &[]),
            "x-windows-949" => {
                let own = &[(0xC9A1, 0xC9FE, '\u{E000}'), (0xFEA1, 0xFEFE, '\u{E05E}')];
                (browser::EUC_KR, Shape::Double((&[0x81..=0xFE], UHC_TRAILS)), own)
            }
            _ => return None,
        };
        Some(Self { encoding, shape, own })
    }

    /// Appends `text`; for a character that the charset does not have, `?`.
    pub(super) fn encode(self, text: &str, out: &mut Vec<u8>) {
        if let Shape::Browser = self.shape {
            return self.encode_as_browser(text, out);
        }
        for character in text.chars() {
            match u8::try_from(character) {
                Ok(byte) if byte.is_ascii() => out.push(byte),
                _ => self.encode_char(character, out),
            }
        }
    }

    /// Appends the text that `bytes` are; for what they cannot be, U+FFFD.
    pub(super) fn decode(self, bytes: &[u8], out: &mut String) {
        let mut rest = bytes;
        match self.shape {
            Shape::Browser => out.push_str(&self.encoding.decode_without_bom_handling(bytes).0),
            Shape::Single(_) | Shape::Windows => {
                out.extend(bytes.iter().map(|&byte| self.single(byte).unwrap_or(REPLACEMENT_CHARACTER)));
            }
            Shape::Double(rows) | Shape::Japanese(rows) => {
                while let [first, after @ ..] = rest {
                    let (character, length) = match (self.single(*first), after) {
                        (Some(character), _) => (Some(character), 1),
                        (None, []) => (None, 1),
                        (None, [second, ..]) => self.pair(rows, *first, *second),
                    };
                    out.push(character.unwrap_or(REPLACEMENT_CHARACTER));
                    rest = &rest[length..];
                }
            }
        }
    }

    /// The character of one byte.
    fn single(self, byte: u8) -> Option<char> {
        if byte.is_ascii() {
            return Some(byte.into());
        }
        let own = self.own_character(byte.into());
        match self.shape {
            Shape::Single(first) => own.or_else(|| self.browse(&[byte]).filter(|_| byte >= first)),
            // The filling, and the one letter that Java leaves out of windows-1255.
            Shape::Windows => self.browse(&[byte]).filter(|&found| !found.is_control() && found != '\u{5BA}'),
            Shape::Japanese(_) => self.browse(&[byte]).filter(|_| (0xA1..=0xDF).contains(&byte)),
            Shape::Double(_) | Shape::Browser => None,
        }
    }

    /// The character of two bytes; of how many, if they are none, Java makes one U+FFFD.
    fn pair(self, rows: Rows, first: u8, second: u8) -> (Option<char>, usize) {
        let is_in = |ranges: &[RangeInclusive<u8>], byte| ranges.iter().any(|range| range.contains(&byte));
        let (leads, trails) = rows;
        if is_in(leads, first) && is_in(trails, second) {
            let own = self.own_character(u16::from_be_bytes([first, second]));
            if let Some(character) = own.or_else(|| self.browse(&[first, second])) {
                return (Some(character), 2);
            }
        }
        let stands_alone = !is_in(leads, first) || is_in(leads, second) || self.single(second).is_some();
        (None, if stands_alone { 1 } else { 2 })
    }

    fn own_character(self, bytes: u16) -> Option<char> {
        let (first, _, start) =
            *self.own.iter().find(|(first, last, _)| (*first..=*last).contains(&bytes))?;
        char::from_u32(u32::from(start) + u32::from(bytes - first))
    }

    /// The one character that the browsers' table has for `bytes`.
    fn browse(self, bytes: &[u8]) -> Option<char> {
        let mut text = [0; 16];
        let mut decoder = self.encoding.new_decoder_without_bom_handling();
        let (DecoderResult::InputEmpty, _, len) =
            decoder.decode_to_utf8_without_replacement(bytes, &mut text, true)
        else {
            return None;
        };
        let mut characters = std::str::from_utf8(&text[..len]).ok()?.chars();
        let character = characters.next();
        character.filter(|_| characters.next().is_none())
    }

    /// Appends a character beyond ASCII, if what it becomes is what Java reads it from.
    fn encode_char(self, character: char, out: &mut Vec<u8>) {
        match (self.shape, character) {
            // The yen sign and the overline have the places of ASCII's backslash and tilde, but only to be written.
            (Shape::Japanese(_), '¥') => return out.push(b'\\'),
            (Shape::Japanese(_), '‾') => return out.push(b'~'),
            _ => {}
        }
        let bytes = self.own_bytes(character).unwrap_or_else(|| {
            let mut bytes = [0; 8];
            let mut encoder = self.encoding.new_encoder();
            let mut text = [0; 4];
            let text = character.encode_utf8(&mut text);
            match encoder.encode_from_utf8_without_replacement(text, &mut bytes, true) {
                (EncoderResult::InputEmpty, _, 1) => bytes[0].into(),
                (EncoderResult::InputEmpty, _, 2) => u16::from_be_bytes([bytes[0], bytes[1]]),
                _ => 0,
            }
        });
        let read = match (self.shape, bytes.to_be_bytes()) {
            (_, [0, byte]) => self.single(byte),
            (Shape::Double(rows) | Shape::Japanese(rows), [first, second]) => {
                self.pair(rows, first, second).0
            }
            _ => None,
        };
        match bytes.to_be_bytes() {
            _ if read != Some(character) => out.push(b'?'),
            [0, byte] => out.push(byte),
            bytes => out.extend_from_slice(&bytes),
        }
    }

    fn own_bytes(self, character: char) -> Option<u16> {
        self.own.iter().find_map(|(first, last, start)| {
            let distance = u32::from(character).checked_sub(u32::from(*start))?;
            let bytes = first.checked_add(u16::try_from(distance).ok()?)?;
            (bytes <= *last).then_some(bytes)
        })
    }

    fn encode_as_browser(self, text: &str, out: &mut Vec<u8>) {
        let mut encoder = self.encoding.new_encoder();
        let mut rest = text;
        loop {
            let most = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
            out.reserve(most.unwrap_or(rest.len()));
            let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, out, true);
            rest = &rest[read..];
            match result {
                EncoderResult::InputEmpty => return,
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(_) => out.push(b'?'),
            }
        }
    }
}

const BIG5_TRAILS: &[RangeInclusive<u8>] = &[0x40..=0x7E, 0xA1..=0xFE];
const EUC_TRAILS: &[RangeInclusive<u8>] = &[0xA1..=0xFE];
const GBK_TRAILS: &[RangeInclusive<u8>] = &[0x40..=0x7E, 0x80..=0xFE];
const SHIFT_JIS_TRAILS: &[RangeInclusive<u8>] = &[0x40..=0x7E, 0x80..=0xFC];
const UHC_TRAILS: &[RangeInclusive<u8>] = &[0x41..=0x5A, 0x61..=0x7A, 0x81..=0xFE];

/// What GBK had before Unicode knew it: the private use area.
const GBK_OWN: &[(u16, u16, char)] = &[
    (0xA3A0, 0xA3A0, '\u{E5E5}'),
    (0xA6D9, 0xA6DF, '\u{E78D}'),
    (0xA6EC, 0xA6ED, '\u{E794}'),
    (0xA6F3, 0xA6F3, '\u{E796}'),
    (0xA892, 0xA892, '\u{2641}'),
    (0xA8BC, 0xA8BC, '\u{E7C7}'),
    (0xA8BF, 0xA8BF, '\u{E7C8}'),
    (0xA989, 0xA995, '\u{E7E7}'),
    (0xFE50, 0xFE7E, '\u{E815}'),
    (0xFE80, 0xFEA0, '\u{E844}'),
];

/// What Java takes from JIS X 0208, and browsers from Windows.
const SHIFT_JIS_OWN: &[(u16, u16, char)] = &[
    (0x815C, 0x815C, '\u{2014}'),
    (0x8160, 0x8160, '\u{301C}'),
    (0x8161, 0x8161, '\u{2016}'),
    (0x817C, 0x817C, '\u{2212}'),
    (0x8191, 0x8191, '\u{A2}'),
    (0x8192, 0x8192, '\u{A3}'),
    (0x81CA, 0x81CA, '\u{AC}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(name: &str, bytes: &[u8]) -> String {
        let mut out = String::new();
        Legacy::find(name).unwrap().decode(bytes, &mut out);
        out
    }

    fn encoded(name: &str, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        Legacy::find(name).unwrap().encode(text, &mut out);
        out
    }

    /// From Java 17.
    #[test]
    fn bytes_are_what_they_are_in_java() {
        for (name, bytes, text) in [
            ("windows-1252", &[0x80, 0x81, 0xE9][..], "€\u{FFFD}é"),
            ("windows-1255", &[0xCA, 0xD3], "\u{FFFD}\u{5C3}"),
            ("ISO-8859-9", &[0x80, 0xFE], "\u{80}ş"),
            ("TIS-620", &[0x80, 0xA1], "\u{FFFD}ก"),
            ("GBK", &[0xFE, 0x61, 0xA2, 0xE3, 0x80, 0x41], "\u{E826}€\u{FFFD}A"),
            ("GBK", &[0x80, 0xE4, 0xFF], "\u{FFFD}\u{FFFD}"),
            ("GBK", &[0x81, 0x30, 0x81, 0x30], "\u{FFFD}0\u{FFFD}0"),
            ("GBK", &[0xC4, 0xE3, 0xC4], "你\u{FFFD}"),
            ("Shift_JIS", &[0x81, 0x60, 0xB1, 0x5C], "\u{301C}ｱ\\"),
            ("windows-31j", &[0x81, 0x60, 0x87, 0x40], "\u{FF5E}①"),
            (
                "Shift_JIS",
                &[0xC3, 0xA9, 0xE6, 0x97, 0xA5, 0xF0, 0x9F, 0x98, 0x80],
                "ﾃｩ\u{8B4C}･\u{FFFD}\u{6CBD}\u{FFFD}",
            ),
            ("x-windows-949", &[0xC9, 0xA1, 0xB0, 0xA1], "\u{E000}가"),
        ] {
            assert_eq!(decoded(name, bytes), text, "{name} {bytes:X?}");
        }
    }

    /// From Java 17.
    #[test]
    fn what_a_charset_does_not_have_is_a_question_mark() {
        for (name, text, bytes) in [
            ("windows-1252", "€\u{81}日é", &[0x80, b'?', b'?', 0xE9][..]),
            ("GBK", "é€日😀\u{E826}", &[0xA8, 0xA6, 0xA2, 0xE3, 0xC8, 0xD5, b'?', 0xFE, 0x61]),
            ("Shift_JIS", "é日\u{301C}\u{FF5E}¥①", &[b'?', 0x93, 0xFA, 0x81, 0x60, b'?', 0x5C, b'?']),
            ("ISO-8859-9", "\u{80}ş€", &[0x80, 0xFE, b'?']),
        ] {
            assert_eq!(encoded(name, text), bytes, "{name} {text}");
        }
    }
}
