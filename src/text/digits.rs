//! Eight digits at a time, in one word, without a table and without a loop.
//!
//! How many of them are appended is found beside the computation and not from its result: where the next text goes
//! would else have to wait for the digits of this one.

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

/// The powers of ten between 1 and [`WORD`].
const POWERS: [u64; 7] = [10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

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

/// Appends `number`, which is below [`WORD`], without zeros in front. Not inlined: the numbers of a row come through the
/// same few instructions.
#[inline(never)]
fn append_head(out: &mut Vec<u8>, number: u64) {
    let count = count(number);
    let end = out.len() + count;
    out.extend_from_slice(&((digits(number) | ASCII) >> (8 * (8 - count))).to_le_bytes());
    out.truncate(end);
}

/// Appends `number` in decimal.
#[inline]
pub(super) fn append_unsigned(out: &mut Vec<u8>, number: u64) {
    if number < WORD { append_head(out, number) } else { append_long(out, number) }
}

/// Appends `number`, which is not below [`WORD`].
#[inline(never)]
fn append_long(out: &mut Vec<u8>, number: u64) {
    let head = number / WORD;
    if head < WORD {
        append_head(out, head);
    } else {
        append_head(out, head / WORD);
        out.extend_from_slice(&(digits(head % WORD) | ASCII).to_le_bytes());
    }
    out.extend_from_slice(&(digits(number % WORD) | ASCII).to_le_bytes());
}

/// Appends the first `places` of the eight digits of `number`, which is below [`WORD`]; `None` stands for as many as
/// there are up to the last one that is not zero, or one.
#[inline]
pub(super) fn append_decimals(out: &mut Vec<u8>, number: u64, places: Option<usize>) {
    let zeros = || POWERS.map(|power| usize::from(number.is_multiple_of(power))).iter().sum::<usize>();
    let end = out.len() + places.unwrap_or_else(|| 8 - zeros());
    out.extend_from_slice(&(digits(number) | ASCII).to_le_bytes());
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_digits_are_those_of_the_standard_library() {
        let mut number = 0;
        while number < WORD {
            let expected = format!("{number:08}").bytes().map(|digit| digit - b'0').collect::<Vec<_>>();
            assert_eq!(digits(number).to_le_bytes(), *expected);
            number += 1 + number / 997;
        }
        for number in [0, 7, WORD - 1, WORD, WORD * WORD - 1, WORD * WORD, u64::MAX] {
            let mut out = Vec::new();
            append_unsigned(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
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
