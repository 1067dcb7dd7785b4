//! A small text that is built on the stack and appended with one copy.

/// Every two-digit number, `00` to `99`.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
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

/// The last two digits of `number`.
#[inline]
pub(super) fn pair(number: u32) -> [u8; 2] {
    PAIRS[(number % 100) as usize]
}

/// Appends the first `len` bytes of `text`.
///
/// All of it is copied and the rest cut off: a copy of known length is a few moves, any other a call of `memcpy`.
#[inline]
pub(super) fn append<const N: usize>(out: &mut Vec<u8>, text: &[u8; N], len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(text);
    out.truncate(end);
}

/// A text of at most 24 bytes that grows from its end.
pub(super) struct Backward {
    text: [u8; 2 * Self::WIDTH],
    start: usize,
}

impl Backward {
    const WIDTH: usize = 24;

    /// The text ends in the middle, so that a copy of constant length can start at its first byte.
    #[inline]
    pub(super) fn new() -> Self {
        Self { text: [0; 2 * Self::WIDTH], start: Self::WIDTH }
    }

    /// Puts `byte` in front of the text.
    #[inline]
    pub(super) fn push(&mut self, byte: u8) {
        self.start -= 1;
        self.text[self.start] = byte;
    }

    /// Puts the last digit of `number` in front of the text.
    #[inline]
    pub(super) fn push_digit(&mut self, number: u64) {
        self.push(PAIRS[(number % 10) as usize][1]);
    }

    /// Puts the last two digits of `number` in front of the text.
    #[inline]
    pub(super) fn push_pair(&mut self, number: u64) {
        let [tens, ones] = PAIRS[(number % 100) as usize];
        self.push(ones);
        self.push(tens);
    }

    #[inline]
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        let end = out.len() + Self::WIDTH - self.start;
        if let Some(text) = self.text[self.start..].first_chunk::<{ Self::WIDTH }>() {
            out.extend_from_slice(text);
        }
        out.truncate(end);
    }
}
