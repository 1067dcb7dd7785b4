//! Base64 with the standard alphabet and padding. Agrees with Jackson's `Base64Variants.MIME_NO_LINEFEEDS`.
//!
//! With the feature `base64-simd` that crate writes, and reads what is strict; the rest is read here.

use crate::text::Malformed;

static ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends `bytes` in base64, on one line.
pub(crate) fn write_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    out.resize(start + text_len(bytes), 0);
    put_base64(out, start, bytes);
}

/// Writes into `out`, from `at` on, what [`write_base64`] appends, and says where it ends; `None` if there is not room
/// enough.
pub(crate) fn put_base64(out: &mut [u8], at: usize, bytes: &[u8]) -> Option<usize> {
    let end = at + text_len(bytes);
    let out = out.get_mut(at..end)?;
    #[cfg(feature = "base64-simd")]
    let _ = base64_simd::STANDARD.encode(bytes, base64_simd::Out::from_slice(out));
    #[cfg(not(feature = "base64-simd"))]
    put_groups(out, bytes);
    Some(end)
}

/// Writes into `out`, which is as long as the text, three bytes at a time.
#[cfg(any(test, not(feature = "base64-simd")))]
#[inline]
fn put_groups(out: &mut [u8], bytes: &[u8]) {
    let (texts, _) = out.as_chunks_mut::<4>();
    let (groups, rest) = bytes.as_chunks::<3>();
    for (group, text) in groups.iter().zip(&mut *texts) {
        *text = encode(*group);
    }
    if let Some(last) = texts.last_mut() {
        match *rest {
            [a, b] => {
                let [a, b, c, _] = encode([a, b, 0]);
                *last = [a, b, c, b'='];
            }
            [a] => {
                let [a, b, ..] = encode([a, 0, 0]);
                *last = [a, b, b'=', b'='];
            }
            _ => {}
        }
    }
}

fn text_len(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(3) * 4
}

/// Appends the bytes that `text` stands for.
///
/// As in Jackson there may be blanks and control characters around each group of four, a padded group may be followed
/// by more, and the bits that padding leaves over may be any.
///
/// # Errors
///
/// If the text is anything else; `out` is then as it was.
pub(crate) fn read_base64(out: &mut Vec<u8>, text: &[u8]) -> Result<(), Malformed> {
    out.reserve(text.len() / 4 * 3);
    #[cfg(feature = "base64-simd")]
    if base64_simd::STANDARD.decode_append(text, out).is_ok() {
        return Ok(());
    }
    read_groups(out, text)
}

/// Does it, four characters at a time.
fn read_groups(out: &mut Vec<u8>, text: &[u8]) -> Result<(), Malformed> {
    let start = out.len();
    let mut rest = text;
    loop {
        rest = match *rest {
            [] => return Ok(()),
            [0..=b' ', ref rest @ ..] => rest,
            [a, b, c, d, ref rest @ ..] => {
                let values = [a, b, c, d].map(|character| VALUES[usize::from(character)]);
                let [_, first, second, third] = group(values).to_be_bytes();
                match values {
                    [0..=63, 0..=63, 0..=63, 0..=63] => out.extend_from_slice(&[first, second, third]),
                    [0..=63, 0..=63, 0..=63, PADDING] => out.extend_from_slice(&[first, second]),
                    [0..=63, 0..=63, PADDING, PADDING] => out.push(first),
                    _ => break,
                }
                rest
            }
            [..] => break,
        };
    }
    out.truncate(start);
    Err(Malformed)
}

const PADDING: u8 = 64;
const INVALID: u8 = 65;

/// What each character stands for.
static VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let mut value = 0_u8;
    while value < 64 {
        values[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    values[b'=' as usize] = PADDING;
    values
};

fn group(values: [u8; 4]) -> u32 {
    values.iter().fold(0, |group, &value| group << 6 | u32::from(value & 63))
}

/// Four characters for three bytes.
#[cfg(any(test, not(feature = "base64-simd")))]
#[inline]
fn encode([a, b, c]: [u8; 3]) -> [u8; 4] {
    let group = u32::from_be_bytes([0, a, b, c]);
    [18, 12, 6, 0].map(|shift| ALPHABET[(group >> shift & 63) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From RFC 4648, section 10.
    #[test]
    fn text_is_padded_to_groups_of_four() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in cases {
            let mut out = Vec::new();
            write_base64(&mut out, bytes.as_bytes());
            assert_eq!(out, text.as_bytes());
        }
    }

    #[test]
    fn a_long_text_stays_on_one_line() {
        let mut out = Vec::new();
        write_base64(&mut out, &[0xFB, 0xFF, 0xBF].repeat(50));
        assert_eq!(out, b"+/+/".repeat(50));
    }
    /// From Jackson's `TextNode.getBinaryValue`.
    #[test]
    fn what_jackson_tolerates_is_read() {
        let cases: [(&str, Option<&[u8]>); 22] = [
            ("", Some(b"")),
            (" \n\0", Some(b"")),
            ("Zg==", Some(b"f")),
            ("Zm8=", Some(b"fo")),
            ("Zm9v", Some(b"foo")),
            ("+/+/", Some(&[0xFB, 0xFF, 0xBF])),
            (" Zm9v\r\n\tZm9v ", Some(b"foofoo")),
            ("AA==AA==", Some(&[0, 0])),
            ("AB==", Some(&[0])),
            ("AAB=", Some(&[0, 0])),
            ("AA==Zm9v", Some(b"\0foo")),
            ("A", None),
            ("AA", None),
            ("AAA", None),
            ("AA=", None),
            ("A===", None),
            ("====", None),
            ("AA=A", None),
            ("-_-_", None),
            ("Zm 9v", None),
            ("Zm9v!", None),
            ("Zm9é", None),
        ];
        for (text, bytes) in cases {
            let mut out = b"before".to_vec();
            let result = read_base64(&mut out, text.as_bytes());
            assert_eq!(result.ok().map(|()| &out[6..]), bytes, "{text}");
            assert!(bytes.is_some() || out == b"before");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(bytes: Vec<u8>) {
            let (mut text, mut read) = (Vec::new(), Vec::new());
            write_base64(&mut text, &bytes);
            read_base64(&mut read, &text).unwrap();
            proptest::prop_assert_eq!(read, bytes);
        }

        /// The feature `base64-simd` changes no byte, nor what is refused.
        #[test]
        fn groups_are_written_and_read_as_all_of_a_text(bytes: Vec<u8>, damage: Option<(usize, u8)>, text in "[A-Za-z0-9+/= ]{0,40}") {
            let (mut written, mut groups) = (Vec::new(), vec![0; text_len(&bytes)]);
            write_base64(&mut written, &bytes);
            put_groups(&mut groups, &bytes);
            proptest::prop_assert_eq!(&written, &groups);
            if let Some((at, byte)) = damage && !written.is_empty() {
                let at = at % written.len();
                written[at] = byte;
            }
            for text in [&written[..], text.as_bytes()] {
                let (mut read, mut groups) = (b"before".to_vec(), b"before".to_vec());
                let result = read_base64(&mut read, text);
                proptest::prop_assert_eq!(result.is_ok(), read_groups(&mut groups, text).is_ok());
                proptest::prop_assert_eq!(read, groups);
            }
        }
    }
}
