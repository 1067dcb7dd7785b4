use crate::error::{Error, ErrorKind};

/// The text between `quote`s, those doubled inside made single.
pub(super) fn unquote(image: &str, quote: char) -> String {
    let inner = image.strip_prefix(quote).and_then(|image| image.strip_suffix(quote)).unwrap_or(image);
    inner.replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// The character set of a literal, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    /// Of `N'...'` and `_latin1'...'`: Calcite refuses what it does not have.
    Latin1,
    /// One that every text passes.
    Any,
}

impl Charset {
    /// That of the prefix `N` or `_charset`. Agrees with `SqlUtil.translateCharacterSetName`.
    pub(super) fn of_prefix(prefix: &str) -> Result<Self, Error> {
        let Some(name) = prefix.strip_prefix('_') else { return Ok(Self::Latin1) };
        match &*name.to_ascii_uppercase() {
            "LATIN1" | "ISO-8859-1" => Ok(Self::Latin1),
            "UTF8" | "UTF-8" | "UTF16" | "UTF-16" | "UTF-16BE" | "UTF-16LE" | "BIG5" | "GB2312" | "GBK" => {
                Ok(Self::Any)
            }
            _ => Err(malformed(format!("Unknown character set '{name}'"))),
        }
    }

    pub(super) fn check(self, text: &str) -> Result<(), Error> {
        if self == Self::Any || text.chars().all(|c| c <= '\u{FF}') {
            return Ok(());
        }
        Err(malformed(format!("Failed to encode '{text}' in character set 'ISO-8859-1'")))
    }
}

/// The character of `UESCAPE '...'`. Agrees with `SqlParserUtil.checkUnicodeEscapeChar`.
pub(super) fn check_escape_character(text: &str) -> Result<char, Error> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c <= '\u{FFFF}' => {
            if c.is_ascii_hexdigit() || c.is_whitespace() || c == '+' || c == '"' {
                let what = "may not be hex digit, whitespace, plus sign, or double quote";
                return Err(malformed(format!("UESCAPE '{text}' {what}")));
            }
            Ok(c)
        }
        _ => Err(malformed(format!("UESCAPE '{text}' must be exactly one character"))),
    }
}

/// The text with its escapes, four hex digits of UTF-16 after `escape`, resolved; `escape` doubled is itself.
pub(super) fn unescape_unicode(text: &str, escape: char) -> Result<String, Error> {
    let mut units = Vec::with_capacity(text.len());
    let mut encoded = [0; 2];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let before = &text[..text.len() - rest.len()];
        rest = &rest[c.len_utf8()..];
        if c != escape {
            units.extend_from_slice(c.encode_utf16(&mut encoded));
        } else if let Some(after) = rest.strip_prefix(escape) {
            units.extend_from_slice(c.encode_utf16(&mut encoded));
            rest = after;
        } else {
            // A sign passes, as it passes Java's `Integer.parseInt`, and the lower half is taken.
            let digits = rest.get(..4).and_then(|digits| i32::from_str_radix(digits, 16).ok());
            let [.., high, low] =
                digits.ok_or_else(|| no_hex_digits(before.encode_utf16().count()))?.to_be_bytes();
            units.push(u16::from_be_bytes([high, low]));
            rest = &rest[4..];
        }
    }
    from_utf16(&units)
}

/// The text of `E'...'` with its escapes resolved. Agrees with `SqlParserUtil.replaceEscapedChars`.
pub(super) fn unescape_c(text: &str) -> Result<String, Error> {
    let text: Vec<u16> = text.encode_utf16().collect();
    let mut units = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&unit) = text.get(at) {
        let escaped = text.get(at + 1).filter(|_| unit == u16::from(b'\\'));
        let escaped = escaped.and_then(|&escaped| u8::try_from(escaped).ok());
        let digits = |from: usize, most: usize, radix: u32| {
            let digits = text
                .iter()
                .skip(from)
                .take(most)
                .map_while(|&unit| char::from_u32(unit.into()).filter(|c| c.is_digit(radix)));
            digits.collect::<String>()
        };
        at += 2;
        match escaped {
            Some(b'b') => units.push(8),
            Some(b'f') => units.push(12),
            Some(b'n') => units.push(10),
            Some(b'r') => units.push(13),
            Some(b't') => units.push(9),
            Some(escaped @ (b'\\' | b'\'')) => units.push(escaped.into()),
            Some(escaped @ (b'u' | b'U')) => {
                let length = if escaped == b'u' { 4 } else { 8 };
                let digits = digits(at, length, 16);
                if digits.len() < length {
                    return Err(no_hex_digits(at - 2));
                }
                push_code_point(&digits, 16, &mut units)?;
                at += length;
            }
            Some(b'x') => match digits(at, 2, 16) {
                digits if digits.is_empty() => units.push(b'x'.into()),
                digits => {
                    push_code_point(&digits, 16, &mut units)?;
                    at += digits.len();
                }
            },
            Some(b'0'..=b'3') => {
                let digits = digits(at - 1, 3, 8);
                push_code_point(&digits, 8, &mut units)?;
                at += digits.len() - 1;
            }
            // No escape: the backslash stays.
            _ => {
                units.push(unit);
                at -= 1;
            }
        }
    }
    from_utf16(&units)
}

/// The two refusals are Java's.
fn push_code_point(digits: &str, radix: u32, units: &mut Vec<u16>) -> Result<(), Error> {
    let Ok(code) = i32::from_str_radix(digits, radix) else {
        return Err(malformed(format!("For input string: \"{digits}\" under radix {radix}")));
    };
    match (u16::try_from(code), u32::try_from(code).ok().and_then(char::from_u32)) {
        // Half of a surrogate pair, too.
        (Ok(unit), _) => units.push(unit),
        (Err(_), Some(c)) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        (Err(_), None) => return Err(malformed(format!("Not a valid Unicode code point: 0x{code:X}"))),
    }
    Ok(())
}

/// Java's strings hold what ours cannot.
fn from_utf16(units: &[u16]) -> Result<String, Error> {
    String::from_utf16(units).map_err(|_| malformed("the string holds half of a surrogate pair".to_owned()))
}

/// Calcite counts characters from 0, in UTF-16.
fn no_hex_digits(place: usize) -> Error {
    malformed(format!("Unicode escape sequence starting at character {place} is not exactly four hex digits"))
}

#[cold]
fn malformed(message: String) -> Error {
    Error::new(ErrorKind::Syntax, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unicode_escapes_are_utf16_units() {
        assert_eq!(unescape_unicode("\\4E2d\\\\ \\D83D\\DE00!", '\\').unwrap(), "中\\ 😀!");
        assert_eq!(unescape_unicode("#00e9\\", '#').unwrap(), "é\\");
        assert_eq!(
            unescape_unicode("aé\\00", '\\').unwrap_err().message(),
            "Unicode escape sequence starting at character 2 is not exactly four hex digits"
        );
        assert!(unescape_unicode("\\D83D", '\\').is_err());
        assert!(unescape_unicode("\\é12", '\\').is_err());
    }
}
