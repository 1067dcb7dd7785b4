//! Integers. Agrees with `Long.parseLong` and `String.trim`.

/// The integer in `text`: a sign or none, and decimal digits of any script of the Basic Multilingual Plane; `None` for
/// anything else and beyond 64 bits.
///
/// Java's narrower types have the same grammar: callers check the range.
#[inline]
pub(crate) fn parse_integer(text: &str) -> Option<i64> {
    // Rust's grammar is Java's, but for its digits.
    text.parse().ok().or_else(|| parse_any_script(text))
}

#[cold]
fn parse_any_script(text: &str) -> Option<i64> {
    let (negative, digits) = match *text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut magnitude = 0_u64;
    for digit in digits.chars() {
        magnitude = magnitude.checked_mul(10)?.checked_add(digit_value(digit)?.into())?;
    }
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { magnitude.try_into().ok() }
}

/// `text` without the blanks and control characters at its ends.
///
/// Java's `String.trim` cuts what is not above U+0020, which leaves a no-break space and the like.
#[inline]
pub(crate) fn trim_java(text: &str) -> &str {
    match text.as_bytes() {
        // Nearly always.
        [first, .., last] if *first > b' ' && *last > b' ' => text,
        _ => text.trim_matches(|character| character <= ' '),
    }
}

/// The value of a decimal digit, as `Character.digit(char, 10)` knows it.
///
/// Java looks at UTF-16 units, so that it knows no digit above U+FFFF.
#[inline]
pub(super) fn digit_value(character: char) -> Option<u8> {
    match character {
        '0'..='9' => Some(character as u8 - b'0'),
        '\0'..='\u{7F}' => None,
        _ => foreign_digit_value(character),
    }
}

#[cold]
fn foreign_digit_value(character: char) -> Option<u8> {
    let code_point = u16::try_from(u32::from(character)).ok()?;
    let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= code_point)].last()?;
    u8::try_from(code_point - zero).ok().filter(|&value| value < 10)
}

/// The zeros of the scripts that have decimal digits, of Unicode's general category Nd.
static ZEROS: [u16; 36] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
    0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
    0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// From `Long.parseLong`.
    #[test]
    fn a_sign_and_digits_of_any_script_make_an_integer() {
        let cases = [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("+7", Some(7)),
            ("007", Some(7)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("-9223372036854775808", Some(i64::MIN)),
            ("-9223372036854775809", None),
            ("18446744073709551616", None),
            ("１２", Some(12)),
            ("-١٢٣", Some(-123)),
            ("1٢", Some(12)),
            ("𝟏", None),
            ("", None),
            ("+", None),
            ("-", None),
            ("+-1", None),
            (" 1", None),
            ("1 ", None),
            ("1.0", None),
            ("1e2", None),
            ("1_000", None),
            ("0x1", None),
            ("½", None),
            ("²", None),
        ];
        for (text, value) in cases {
            assert_eq!(parse_integer(text), value, "{text}");
        }
    }

    /// 370 in all, says `Character.digit` of JDK 17 and 25.
    #[test]
    fn there_are_37_scripts_of_ten_digits() {
        assert_eq!(('\0'..=char::MAX).filter_map(digit_value).map(u32::from).sum::<u32>(), 37 * 45);
        assert_eq!(('\0'..=char::MAX).filter_map(digit_value).count(), 370);
    }

    #[test]
    fn trimming_leaves_what_java_does_not_take_for_a_blank() {
        assert_eq!(trim_java("\0\t 1 2 \r\n\u{1F}"), "1 2");
        assert_eq!(trim_java("\u{A0}1\u{3000}"), "\u{A0}1\u{3000}");
        assert_eq!(trim_java(" "), "");
    }
}
