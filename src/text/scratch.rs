//! Short texts, written where they belong: at the end of the caller's buffer.

/// Every two-digit number. There are 128 entries so that a masked index needs no check.
static PAIRS: [[u8; 2]; 128] = {
    let mut pairs = [[b'0'; 2]; 128];
    let mut number = 0;
    while number < 100 {
        #[expect(clippy::cast_possible_truncation, reason = "below 10")]
        {
            pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        }
        number += 1;
    }
    pairs
};

/// The two digits of `number`, which is below 100.
#[inline]
pub(super) fn pair(number: u32) -> [u8; 2] {
    PAIRS[(number & 127) as usize]
}

/// Appends as much of `N` bytes as `write` says it wrote.
///
/// The buffer grows by all of them and is cut back. So no text is built elsewhere and copied: a copy of many small
/// writes would wait for them, and one of unknown length would be a call of `memcpy`.
#[inline]
pub(super) fn append<const N: usize>(out: &mut Vec<u8>, write: impl FnOnce(&mut [u8; N]) -> usize) {
    let start = out.len();
    out.extend_from_slice(&[b'0'; N]);
    let len = out[start..].first_chunk_mut().map_or(0, write);
    out.truncate(start + len);
}

/// A text that is known beforehand and appended often, such as a label: a few moves if it is short.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The text, if it fits.
    short: [u8; 24],
    len: usize,
    /// The text, if it does not.
    long: Box<[u8]>,
}

impl Label {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut label = Self { short: [0; 24], len: text.len(), long: Box::default() };
        match label.short.get_mut(..text.len()) {
            Some(short) => short.copy_from_slice(text),
            None => label.long = text.into(),
        }
        label
    }

    /// Appends the text but for its last `cut` bytes.
    #[inline]
    pub(crate) fn append_to(&self, out: &mut Vec<u8>, cut: usize) {
        let end = out.len() + self.len - cut;
        // Two calls, so that the first one's length is known to the compiler.
        if self.long.is_empty() {
            out.extend_from_slice(&self.short);
        } else {
            out.extend_from_slice(&self.long);
        }
        out.truncate(end);
    }
}
