//! The escapes of a JSON string. Agrees with Jackson's `UTF8JsonGenerator` and `WriterBasedJsonGenerator`.

/// Appends `text` as Jackson writes a string into bytes, without the quotes: a character above U+FFFF becomes two
/// escapes.
#[inline]
pub(crate) fn write_escaped(out: &mut Vec<u8>, text: &str) {
    write::<true>(out, text);
}

/// Appends `text` as Jackson writes a string into text, without the quotes: characters above U+FFFF stay themselves.
#[inline]
pub(crate) fn write_escaped_text(out: &mut Vec<u8>, text: &str) {
    write::<false>(out, text);
}

#[inline]
fn write<const ESCAPE_ASTRAL: bool>(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let clean = clean_run::<ESCAPE_ASTRAL>(bytes);
    out.extend_from_slice(&bytes[..clean]);
    if clean < bytes.len() {
        write_dirty::<ESCAPE_ASTRAL>(out, &bytes[clean..]);
    }
}

/// `rest` begins with a character to be escaped.
#[inline(never)]
fn write_dirty<const ESCAPE_ASTRAL: bool>(out: &mut Vec<u8>, mut rest: &[u8]) {
    loop {
        rest = match *rest {
            [] => return,
            [a @ 0xF0..=0xFF, b, c, d, ref rest @ ..] => {
                write_surrogates(out, [a, b, c, d]);
                rest
            }
            [byte, ref rest @ ..] => {
                write_escape(out, byte);
                rest
            }
        };
        let clean = clean_run::<ESCAPE_ASTRAL>(rest);
        out.extend_from_slice(&rest[..clean]);
        rest = &rest[clean..];
    }
}

/// The escape of a control character, a quote or a backslash.
fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        _ => {
            let [.., high, low] = hex(byte.into());
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// The two escapes of a character of four bytes.
fn write_surrogates(out: &mut Vec<u8>, bytes: [u8; 4]) {
    let code_point =
        bytes.iter().skip(1).fold(u32::from(bytes[0] & 7), |high, &byte| high << 6 | u32::from(byte & 0x3F));
    let offset = code_point - 0x1_0000;
    for unit in [0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF)] {
        let [a, b, c, d] = hex(unit);
        out.extend_from_slice(&[b'\\', b'u', a, b, c, d]);
    }
}

/// The four upper-case hexadecimal digits of a UTF-16 unit.
fn hex(unit: u32) -> [u8; 4] {
    [12, 8, 4, 0].map(|shift| b"0123456789ABCDEF"[(unit >> shift & 0xF) as usize])
}

/// How many bytes at the start of `bytes` need no escape.
#[inline]
fn clean_run<const ESCAPE_ASTRAL: bool>(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    let (pairs, _) = words.as_chunks::<2>();
    for (index, &[start, end]) in pairs.iter().enumerate() {
        let (start, end) = (dirty::<ESCAPE_ASTRAL>(start), dirty::<ESCAPE_ASTRAL>(end));
        if start | end != 0 {
            let first = if start != 0 { start.trailing_zeros() } else { 64 + end.trailing_zeros() };
            return 16 * index + first as usize / 8;
        }
    }
    let clean = 16 * pairs.len();
    let rest = &bytes[clean..];
    // Words that overlap cover the rest, if need be with what was seen before.
    let all_clean = if rest.is_empty() {
        true
    } else if let Some(&[a, b, c, d, e, f, g, h, ref end @ ..]) = bytes.last_chunk::<16>() {
        dirty::<ESCAPE_ASTRAL>([a, b, c, d, e, f, g, h]) | dirty::<ESCAPE_ASTRAL>(*end) == 0
    } else if let (Some(&start), Some(&end)) = (rest.first_chunk(), rest.last_chunk()) {
        dirty::<ESCAPE_ASTRAL>(start) | dirty::<ESCAPE_ASTRAL>(end) == 0
    } else if let (Some(&[a, b, c, d]), Some(&[e, f, g, h])) = (rest.first_chunk(), rest.last_chunk()) {
        dirty::<ESCAPE_ASTRAL>([a, b, c, d, e, f, g, h]) == 0
    } else {
        false
    };
    if all_clean {
        return bytes.len();
    }
    let is_dirty =
        |&byte: &u8| byte < b' ' || byte == b'"' || byte == b'\\' || (ESCAPE_ASTRAL && byte >= 0xF0);
    clean + rest.iter().position(is_dirty).unwrap_or(rest.len())
}

/// The highest bit of the first byte that needs an escape, and perhaps of some behind it.
#[inline]
fn dirty<const ESCAPE_ASTRAL: bool>(word: [u8; 8]) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    let word = u64::from_le_bytes(word);
    // A subtraction borrows the highest bit of the bytes in question, and perhaps of some behind the first of them.
    let control = word.wrapping_sub(each(b' '));
    let quote = (word ^ each(b'"')).wrapping_sub(each(1));
    let backslash = (word ^ each(b'\\')).wrapping_sub(each(1));
    let mut dirty = (control | quote | backslash) & !word;
    if ESCAPE_ASTRAL {
        // The first of four bytes has all of the upper four bits set: what is in the lower three of them overflows.
        dirty |= ((word & each(0x7F)) + each(0x10)) & word;
    }
    dirty & each(0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> (String, String) {
        let (mut bytes, mut chars) = (Vec::new(), Vec::new());
        write_escaped(&mut bytes, text);
        write_escaped_text(&mut chars, text);
        (String::from_utf8(bytes).unwrap(), String::from_utf8(chars).unwrap())
    }

    /// Character by character, by Jackson's table.
    fn naive(text: &str, escape_astral: bool) -> String {
        let mut out = String::new();
        for character in text.chars() {
            match character {
                '"' => out += "\\\"",
                '\\' => out += "\\\\",
                '\u{8}' => out += "\\b",
                '\t' => out += "\\t",
                '\n' => out += "\\n",
                '\u{C}' => out += "\\f",
                '\r' => out += "\\r",
                '\0'..' ' => out += &format!("\\u{:04X}", u32::from(character)),
                '\u{10000}'.. if escape_astral => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        out += &format!("\\u{unit:04X}");
                    }
                }
                _ => out.push(character),
            }
        }
        out
    }

    #[test]
    fn what_html_or_javascript_would_mind_stays() {
        let text = "/<>&'\u{7F}\u{80}\u{9F}\u{2028}\u{2029}\u{FEFF}\u{E000}\u{FFFF}é日";
        assert_eq!(escaped(text), (text.to_owned(), text.to_owned()));
    }

    #[test]
    fn an_emoji_is_a_surrogate_pair_in_bytes_and_itself_in_text() {
        assert_eq!(escaped("a😀b"), ("a\\uD83D\\uDE00b".to_owned(), "a😀b".to_owned()));
        assert_eq!(escaped("\u{10FFFF}").0, "\\uDBFF\\uDFFF");
    }

    #[test]
    fn a_character_to_be_escaped_is_found_wherever_it_stands() {
        for character in
            ('\0'..='\u{82}').chain(['é', '日', '\u{D7FF}', '\u{E000}', '\u{10000}', '\u{10FFFF}'])
        {
            for before in 0..18 {
                for after in 0..10 {
                    let text = format!("{}{character}{}", "x".repeat(before), "é".repeat(after));
                    assert_eq!(escaped(&text), (naive(&text, true), naive(&text, false)));
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_escaped_as_character_by_character(text: String) {
            proptest::prop_assert_eq!(escaped(&text), (naive(&text, true), naive(&text, false)));
        }
    }
}
