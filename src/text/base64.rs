//! Base64 with the standard alphabet and padding. Agrees with Jackson's `Base64Variants.MIME_NO_LINEFEEDS`.

static ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends `bytes` in base64, on one line.
pub(crate) fn write_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    let (blocks, rest) = bytes.as_chunks::<24>();
    for block in blocks {
        let mut text = [0; 32];
        for (group, text) in block.as_chunks::<3>().0.iter().zip(text.as_chunks_mut::<4>().0) {
            *text = encode(*group);
        }
        out.extend_from_slice(&text);
    }
    let (groups, rest) = rest.as_chunks::<3>();
    for &group in groups {
        out.extend_from_slice(&encode(group));
    }
    match *rest {
        [a, b] => {
            let [a, b, c, _] = encode([a, b, 0]);
            out.extend_from_slice(&[a, b, c, b'=']);
        }
        [a] => {
            let [a, b, ..] = encode([a, 0, 0]);
            out.extend_from_slice(&[a, b, b'=', b'=']);
        }
        _ => {}
    }
}

/// Four characters for three bytes.
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
}
