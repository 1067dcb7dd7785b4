//! Eight digits at a time, in one word, without a table and without a loop.
//!
//! How many of them are written is found beside the computation and not from its result: where the next text goes
//! would else have to wait for the digits of this one.

use crate::text::room::{Room, put};

/// 10^8: what one word of digits counts up to.
pub(super) const WORD: u64 = 100_000_000;

/// The eight digits of `number`, which is below [`WORD`], one a byte and the first in the lowest: values, not ASCII.
#[inline]
fn digits(number: u64) -> u64 {
    // Halves, quarters and eighths side by side; 10486 / 2^20 is a hundredth and 103 / 2^10 a tenth, exact enough.
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = (fours * 10_486) >> 20 & 0x0000_007F_0000_007F;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = (twos * 103) >> 10 & 0x000F_000F_000F_000F;
    tens | (twos - 10 * tens) << 8
}

const ASCII: u64 = u64::from_le_bytes([b'0'; 8]);

/// By the length of a number in bits, less one: what its count of digits and a carry are read from.
///
/// Numbers of one length have as many digits, or one more from a power of ten on: that power carries into the upper
/// half.
static COUNTS: [u64; 32] = {
    let mut counts = [0; 32];
    let mut length = 0;
    while length < 32 {
        let digits = (1_u64 << length).ilog10() + 1;
        let power = 10_u64.pow(digits);
        let digits = (digits as u64) << 32;
        counts[length] = if power >> length == 1 { digits + (1 << 32) - power } else { digits };
        length += 1;
    }
    counts
};

/// How many digits `number` has, which is below 2^32.
#[inline]
fn count(number: u64) -> usize {
    let length = (number | 1).ilog2() & 31;
    ((number + COUNTS[length as usize]) >> 32) as usize
}

/// Writes `number` in decimal from `at` on, and says where it ends.
#[inline]
pub(super) fn put_unsigned(room: &mut Room, at: usize, number: u64) -> usize {
    if number < WORD { put_head(room, at, number) } else { put_long(room, at, number) }
}

/// The same of a number below [`WORD`].
#[inline]
fn put_head(room: &mut Room, at: usize, number: u64) -> usize {
    let count = count(number);
    put(room, at, ((digits(number) | ASCII) >> (8 * (8 - count))).to_le_bytes());
    at + count
}

/// The same of a number that is not below [`WORD`].
#[inline(never)]
fn put_long(room: &mut Room, mut at: usize, number: u64) -> usize {
    let head = number / WORD;
    if head < WORD {
        at = put_head(room, at, head);
    } else {
        at = put_head(room, at, head / WORD);
        at = put_eight(room, at, head % WORD);
    }
    put_eight(room, at, number % WORD)
}

/// Writes the eight digits of `number`, which is below [`WORD`], from `at` on, and says where they end.
#[inline]
pub(super) fn put_eight(room: &mut Room, at: usize, number: u64) -> usize {
    put(room, at, (digits(number) | ASCII).to_le_bytes());
    at + 8
}

/// Writes `number` / 10^`scale`, a number below [`WORD`] with one to seven decimals, of which the first `places`, from
/// `at` on, and says where it ends.
///
/// All of its digits come from one word, which is written twice: up to the point, and from there on.
#[inline]
pub(super) fn put_fixed(room: &mut Room, at: usize, number: u64, scale: usize, places: usize) -> usize {
    let whole = count(number).saturating_sub(scale).max(1);
    let before_point = 8 - scale;
    let digits = digits(number) | ASCII;
    put(room, at, (digits >> (8 * (before_point - whole))).to_le_bytes());
    let point = at + whole;
    put(room, point, (digits >> (8 * before_point) << 8 | u64::from(b'.')).to_le_bytes());
    point + 1 + places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::room::text_of;

    #[test]
    fn words_of_digits_are_those_of_the_standard_library() {
        let mut number = 0;
        while number < WORD {
            let expected = format!("{number:08}").bytes().map(|digit| digit - b'0').collect::<Vec<_>>();
            assert_eq!(digits(number).to_le_bytes(), *expected);
            number += 1 + number / 997;
        }
        for number in [0, 7, WORD - 1, WORD, WORD * WORD - 1, WORD * WORD, u64::MAX] {
            assert_eq!(text_of(|room| put_unsigned(room, 0, number)), number.to_string());
        }
    }

    #[test]
    fn numbers_have_as_many_digits_as_they_are_written_with() {
        let powers = (0..10).map(|exponent| 10_u64.pow(exponent));
        let lengths = (0..32).map(|length| 1_u64 << length);
        for number in powers.chain(lengths).flat_map(|number| [number - 1, number, number + 1]) {
            assert_eq!(count(number), number.to_string().len(), "{number}");
        }
        assert_eq!(count(u32::MAX.into()), 10);
    }

    #[test]
    fn every_pair_of_digits_is_right_in_each_place() {
        for pair in 0..10_000 {
            let number = pair * 10_001;
            let text = format!("{number:08}");
            let found: String =
                digits(number).to_le_bytes().map(|digit| char::from(b'0' + digit)).iter().collect();
            assert_eq!(found, text);
        }
    }
}
