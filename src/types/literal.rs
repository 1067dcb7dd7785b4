use crate::error::{Error, ErrorKind};

/// The text between `quote`s, those doubled inside made single.
pub(super) fn unquote(image: &str, quote: char) -> String {
    let inner = image.strip_prefix(quote).and_then(|image| image.strip_suffix(quote)).unwrap_or(image);
    inner.replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// The text with its escapes, four hex digits of UTF-16 behind `escape`, resolved; `escape` doubled is itself.
pub(super) fn unescape_unicode(text: &str, escape: char) -> Result<String, Error> {
    let mut units = Vec::with_capacity(text.len());
    let mut encoded = [0; 2];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c != escape {
            units.extend_from_slice(c.encode_utf16(&mut encoded));
        } else if let Some(behind) = rest.strip_prefix(escape) {
            units.extend_from_slice(c.encode_utf16(&mut encoded));
            rest = behind;
        } else {
            let digits = rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            units.push(unit.ok_or_else(|| malformed(text, rest, escape))?);
            rest = &rest[4..];
        }
    }
    String::from_utf16(&units)
        .map_err(|_| Error::new(ErrorKind::Syntax, "the string holds half of a surrogate pair"))
}

/// Calcite counts characters from 0, in UTF-16.
fn malformed(text: &str, behind_escape: &str, escape: char) -> Error {
    let before = &text[..text.len() - behind_escape.len() - escape.len_utf8()];
    let message = format!(
        "Unicode escape sequence starting at character {} is not exactly four hex digits",
        before.encode_utf16().count()
    );
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
