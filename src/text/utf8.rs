//! UTF-8 of unknown origin. Agrees with `new String(bytes, StandardCharsets.UTF_8)`.

use std::char::REPLACEMENT_CHARACTER;

/// The bytes as text, if they are UTF-8.
#[inline]
pub(crate) fn as_utf8(bytes: &[u8]) -> Option<&str> {
    #[cfg(feature = "simdutf8")]
    let text = simdutf8::basic::from_utf8(bytes).ok();
    #[cfg(not(feature = "simdutf8"))]
    let text = std::str::from_utf8(bytes).ok();
    text
}

/// Appends the text that `bytes` are; what is malformed becomes U+FFFD.
///
/// Java counts malformed bytes as the standard recommends, except for a surrogate: its three bytes are one.
#[inline]
pub(crate) fn decode_utf8(bytes: &[u8], out: &mut String) {
    match as_utf8(bytes) {
        Some(text) => out.push_str(text),
        None => decode_malformed(bytes, out),
    }
}

#[cold]
fn decode_malformed(bytes: &[u8], out: &mut String) {
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        out.push_str(chunk.valid());
        let malformed = &rest[chunk.valid().len()..];
        let length = match malformed {
            [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => 3,
            [0xED, 0xA0..=0xBF, ..] => 2,
            _ => chunk.invalid().len(),
        };
        if length > 0 {
            out.push(REPLACEMENT_CHARACTER);
        }
        rest = &malformed[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Java 17.
    #[test]
    fn malformed_bytes_are_replaced_as_java_counts() {
        for (bytes, text) in [
            (&[0xED, 0xA0, 0x80][..], "\u{FFFD}"),
            (&[0xED, 0xA0, 0x41], "\u{FFFD}A"),
            (&[0xED, 0xA0], "\u{FFFD}"),
            (&[0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], "\u{FFFD}\u{FFFD}"),
            (&[0xED, 0x41], "\u{FFFD}A"),
            (&[0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
            (&[0xC3, 0x28], "\u{FFFD}("),
            (&[0xFF, 0xFE], "\u{FFFD}\u{FFFD}"),
            (&[0xE0, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (&[0xF0, 0x9F, 0x98], "\u{FFFD}"),
            (&[0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            (&[0xE2, 0x82, 0x41], "\u{FFFD}A"),
            (&[0x61, 0x80, 0x62], "a\u{FFFD}b"),
            (&[0xEF, 0xBB, 0xBF, 0x61], "\u{FEFF}a"),
        ] {
            let mut out = String::new();
            decode_utf8(bytes, &mut out);
            assert_eq!(out, text, "{bytes:X?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn text_stays_as_it_is(text: String) {
            let mut out = String::new();
            decode_utf8(text.as_bytes(), &mut out);
            proptest::prop_assert_eq!(out, text);
        }
    }
}
