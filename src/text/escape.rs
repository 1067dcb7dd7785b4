//! The escapes of a JSON string. Agrees with Jackson's `UTF8JsonGenerator` and `WriterBasedJsonGenerator`.

/// Appends `text` as Jackson writes a string into bytes, without the quotes: a character above U+FFFF becomes two
/// escapes.
pub(crate) fn write_escaped(out: &mut Vec<u8>, text: &str) {
    write::<true>(out, text);
}

/// Appends `text` as Jackson writes a string into text, without the quotes: characters above U+FFFF stay themselves.
pub(crate) fn write_escaped_text(out: &mut Vec<u8>, text: &str) {
    write::<false>(out, text);
}

fn write<const ESCAPE_ASTRAL: bool>(out: &mut Vec<u8>, text: &str) {
    const LONGEST_ESCAPE: usize = 6;
    let start = out.len();
    out.resize(start + LONGEST_ESCAPE * text.len() + size_of::<Escape>(), 0);
    let end = put::<ESCAPE_ASTRAL>(out, start, text.as_bytes()).expect("no byte takes more");
    out.truncate(end);
}

/// Writes into `out`, from `at` on, what [`write_escaped`] appends, and says where it ends; `None` if there is not room
/// enough.
#[inline(never)]
pub(crate) fn put_escaped(out: &mut [u8], at: usize, text: &str) -> Option<usize> {
    put::<true>(out, at, text.as_bytes())
}

#[inline]
fn put<const ESCAPE_ASTRAL: bool>(out: &mut [u8], at: usize, bytes: &[u8]) -> Option<usize> {
    let room = out.get_mut(at..)?.get_mut(..bytes.len())?;
    let clean = copy_clean::<ESCAPE_ASTRAL>(room, bytes);
    if clean == bytes.len() {
        Some(at + clean)
    } else {
        put_dirty::<ESCAPE_ASTRAL>(out, at + clean, &bytes[clean..])
    }
}

/// `rest` begins with a character to be escaped.
#[inline(never)]
fn put_dirty<const ESCAPE_ASTRAL: bool>(out: &mut [u8], mut at: usize, mut rest: &[u8]) -> Option<usize> {
    while let [byte, ref after @ ..] = *rest {
        let escape = ESCAPES[usize::from(byte)];
        let len = usize::from(escape[LEN]);
        (at, rest) = match *rest {
            _ if len > 0 => {
                *out.get_mut(at..)?.first_chunk_mut()? = escape;
                (at + len, after)
            }
            [a, b, c, d, ref after @ ..] => (put_surrogates(out, at, [a, b, c, d])?, after),
            // Never: no text ends within a character.
            _ => return None,
        };
        let clean = copy_clean::<ESCAPE_ASTRAL>(out.get_mut(at..)?.get_mut(..rest.len())?, rest);
        (at, rest) = (at + clean, &rest[clean..]);
    }
    Some(at)
}

/// The escape of one byte, and how long it is. All of it is written, whatever its length.
type Escape = [u8; LEN + 1];

/// Where an [`Escape`] has its length.
const LEN: usize = 7;

/// The escapes of control characters, the quote and the backslash; 0 long for all other bytes.
static ESCAPES: [Escape; 256] = {
    let mut escapes = [[0; LEN + 1]; 256];
    let mut byte = 0;
    while byte < b' ' {
        let [a, b, c, d] = hex(byte as u32);
        escapes[byte as usize] = [b'\\', b'u', a, b, c, d, 0, 6];
        byte += 1;
    }
    let short = *b"\"\"\\\\\x08b\tt\nn\x0Cf\rr";
    let mut at = 0;
    while at < short.len() {
        escapes[short[at] as usize] = [b'\\', short[at + 1], 0, 0, 0, 0, 0, 2];
        at += 2;
    }
    escapes
};

/// The two escapes of a character of four bytes.
fn put_surrogates(out: &mut [u8], at: usize, bytes: [u8; 4]) -> Option<usize> {
    let code_point =
        bytes.iter().skip(1).fold(u32::from(bytes[0] & 7), |high, &byte| high << 6 | u32::from(byte & 0x3F));
    let offset = code_point - 0x1_0000;
    let at = put_unit(out, at, 0xD800 + (offset >> 10))?;
    put_unit(out, at, 0xDC00 + (offset & 0x3FF))
}

/// The upper-case hexadecimal digits of a UTF-16 unit.
const fn hex(unit: u32) -> [u8; 4] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [
        DIGITS[(unit >> 12 & 0xF) as usize],
        DIGITS[(unit >> 8 & 0xF) as usize],
        DIGITS[(unit >> 4 & 0xF) as usize],
        DIGITS[(unit & 0xF) as usize],
    ]
}

/// The escape of a UTF-16 unit.
fn put_unit(out: &mut [u8], at: usize, unit: u32) -> Option<usize> {
    let [a, b, c, d] = hex(unit);
    *out.get_mut(at..)?.first_chunk_mut()? = [b'\\', b'u', a, b, c, d];
    Some(at + 6)
}

/// Copies the bytes at the start of `bytes` that need no escape into `out`, which is as long, and says how many. What is
/// in `out` after them is of no account.
#[inline(always)]
fn copy_clean<const ESCAPE_ASTRAL: bool>(out: &mut [u8], bytes: &[u8]) -> usize {
    let mut clean = 0;
    for (block, place) in bytes.as_chunks::<BLOCK>().0.iter().zip(out.as_chunks_mut().0) {
        *place = *block;
        if let Some(at) = first_dirty::<ESCAPE_ASTRAL>(block) {
            return clean + at;
        }
        clean += BLOCK;
    }
    // Ends that overlap cover what is left.
    match (bytes.last_chunk::<BLOCK>(), out.last_chunk_mut()) {
        _ if clean == bytes.len() => clean,
        (Some(block), Some(place)) => {
            *place = *block;
            bytes.len() - BLOCK + first_dirty::<ESCAPE_ASTRAL>(block).unwrap_or(BLOCK)
        }
        _ => copy_clean_of_few::<ESCAPE_ASTRAL>(out, bytes),
    }
}

/// As many bytes as are looked at as a whole.
const BLOCK: usize = 16;

/// As [`copy_clean`], of less than a block.
#[inline(always)]
fn copy_clean_of_few<const ESCAPE_ASTRAL: bool>(out: &mut [u8], bytes: &[u8]) -> usize {
    let any_dirty = if let Some([start, end]) = copy_ends::<8>(out, bytes) {
        let [start, end] = [start, end].map(u64::from_le_bytes);
        dirty_in::<ESCAPE_ASTRAL>(start) | dirty_in::<ESCAPE_ASTRAL>(end) != 0
    } else if let Some(ends) = copy_ends::<4>(out, bytes) {
        let [start, end] = ends.map(|end| u64::from(u32::from_le_bytes(end)));
        dirty_in::<ESCAPE_ASTRAL>(start | end << 32) != 0
    } else if let Some(ends) = copy_ends::<2>(out, bytes) {
        let [start, end] = ends.map(|end| u64::from(u16::from_le_bytes(end)));
        dirty_in::<ESCAPE_ASTRAL>(start | end << 16 | start << 32 | end << 48) != 0
    } else {
        out.copy_from_slice(bytes);
        bytes.iter().any(|&byte| is_dirty::<ESCAPE_ASTRAL>(byte))
    };
    if !any_dirty {
        return bytes.len();
    }
    bytes.iter().copied().position(is_dirty::<ESCAPE_ASTRAL>).unwrap_or(bytes.len())
}

/// Copies the first and the last `N` bytes, which may overlap; `None` of fewer than `N`.
#[inline(always)]
fn copy_ends<const N: usize>(out: &mut [u8], bytes: &[u8]) -> Option<[[u8; N]; 2]> {
    let (start, end) = (*bytes.first_chunk()?, *bytes.last_chunk()?);
    out[..N].copy_from_slice(&start);
    out[bytes.len() - N..bytes.len()].copy_from_slice(&end);
    Some([start, end])
}

/// Where the first dirty byte of the block is. Looks at all of them, which takes a few instructions for all at once.
#[inline(always)]
fn first_dirty<const ESCAPE_ASTRAL: bool>(block: &[u8; BLOCK]) -> Option<usize> {
    if !block.iter().fold(false, |any, &byte| any | (dirty_mark::<ESCAPE_ASTRAL>(byte) == 0)) {
        return None;
    }
    let [low, high] = block.as_chunks().0 else { return None };
    let (dirty, before) = match dirty_in::<ESCAPE_ASTRAL>(u64::from_le_bytes(*low)) {
        0 => (dirty_in::<ESCAPE_ASTRAL>(u64::from_le_bytes(*high)), 8),
        dirty => (dirty, 0),
    };
    Some(before + dirty.trailing_zeros() as usize / 8)
}

/// 0 of a dirty byte, and of no other: the same as [`is_dirty`] in operations that there are for many bytes at once.
#[inline(always)]
fn dirty_mark<const ESCAPE_ASTRAL: bool>(byte: u8) -> u8 {
    // So the quote stands next to the control characters, which stay among themselves.
    let byte_or_quote = byte ^ (b'"' ^ b' ');
    let control_or_quote = if ESCAPE_ASTRAL {
        // What is from 0xF0 on comes round to stand below them.
        byte_or_quote.wrapping_add(0x10).saturating_sub(0x10 + b' ')
    } else {
        byte_or_quote.saturating_sub(b' ')
    };
    control_or_quote.min(byte ^ b'\\')
}

#[inline]
fn is_dirty<const ESCAPE_ASTRAL: bool>(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\') | (ESCAPE_ASTRAL & (byte >= 0xF0))
}

/// The highest bit of each dirty byte of a word; of those after the first, perhaps of others too. It takes fewer
/// instructions than a block in a register of its own kind.
#[inline]
fn dirty_in<const ESCAPE_ASTRAL: bool>(word: u64) -> u64 {
    const fn each(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    // A subtraction borrows the highest bit of the bytes in question, and perhaps of some after one of them.
    let control_or_quote = (word ^ each(b'"' ^ b' ')).wrapping_sub(each(b' ' + 1));
    let backslash = (word ^ each(b'\\')).wrapping_sub(each(1));
    let mut dirty = (control_or_quote | backslash) & !word;
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
            for before in 0..34 {
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
