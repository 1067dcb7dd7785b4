//! The numbers that most texts hold, read eight digits at a time.

use super::scalar::Scalar;
use crate::row::{Decimal, RowBuf, Slot};
use crate::wire::{HIGH_BITS, each};

/// A number without an exponent and of at most 18 digits, which fit a word.
#[derive(Clone, Copy)]
pub(super) struct PlainNumber {
    negative: bool,
    digits: u64,
    /// How many of the digits stand after the point.
    decimals: usize,
    pub(super) len: usize,
}

/// Powers of ten that a double holds exactly, as far as [`PlainNumber`] has use for them.
const POWERS_OF_TEN: [f64; 19] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18];

/// Powers of ten that a word holds; every word has fewer digits than the next.
const WORD_POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = 10 * powers[exponent - 1];
        exponent += 1;
    }
    powers
};

impl PlainNumber {
    /// The number at the start of `text`; `None` of any other, and of one that is spelled in another way.
    #[inline(always)]
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let negative = text.first() == Some(&b'-');
        let start = usize::from(negative);
        let (digits, whole) = digits_at(text, start)?;
        let mut position = start + whole;
        if whole == 0 || whole > 1 && text[start] == b'0' {
            return None;
        }
        if text.get(position) != Some(&b'.') {
            return (position <= MAX_LEN).then_some(Self { negative, digits, decimals: 0, len: position });
        }
        let (fraction, decimals) = digits_at(text, position + 1)?;
        position += 1 + decimals;
        if decimals == 0 || position > MAX_LEN {
            return None;
        }
        let digits = digits * WORD_POWERS_OF_TEN[decimals] + fraction;
        Some(Self { negative, digits, decimals, len: position })
    }

    /// The nearest double: that of two exact ones, divided, is rounded once. A negative zero is left to others: not all
    /// readers see its sign.
    #[inline]
    pub(super) fn double(self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let digits = (self.digits <= 1 << 53).then_some(self.digits as f64)?;
        let magnitude = digits / POWERS_OF_TEN[self.decimals];
        match self.negative {
            true if self.digits == 0 => None,
            true => Some(-magnitude),
            false => Some(magnitude),
        }
    }

    /// The decimal, where no digit is rounded off and it surely fits the column.
    #[inline]
    pub(super) fn decimal(self, precision: u8, scale: u8) -> Option<Decimal> {
        let zeros = usize::from(scale).checked_sub(self.decimals)?;
        let magnitude = self.digits.checked_mul(*WORD_POWERS_OF_TEN.get(zeros)?)?;
        if WORD_POWERS_OF_TEN.get(usize::from(precision)).is_some_and(|limit| magnitude >= *limit) {
            return None;
        }
        let unscaled = i128::from(magnitude);
        Decimal::try_new(if self.negative { -unscaled } else { unscaled }, scale)
    }
}

/// The integer at the start of `text`, and how long it is; `None` as with [`PlainNumber::read`].
#[inline(always)]
pub(super) fn read_integer(text: &[u8]) -> Option<(i64, usize)> {
    let start = usize::from(text.first() == Some(&b'-'));
    let (digits, count) = digits_at(text, start)?;
    if count == 0 || count > 1 && text[start] == b'0' {
        return None;
    }
    let magnitude = digits.cast_signed();
    Some((if start == 0 { magnitude } else { -magnitude }, start + count))
}

/// Stores the integer at the start of `text` into `place`, one that a column of `scalar` holds, and says how long it is.
///
/// Each type stores its own value: one store for all would take all of them through memory.
#[inline(always)]
pub(super) fn store_integer(scalar: Scalar, text: &[u8], place: usize, row: &mut RowBuf) -> Option<usize> {
    let (value, len) = read_integer(text)?;
    match scalar {
        Scalar::TinyInt => row.store(place, Slot::TinyInt(value.try_into().ok()?)),
        Scalar::SmallInt => row.store(place, Slot::SmallInt(value.try_into().ok()?)),
        Scalar::Int => row.store(place, Slot::Int(value.try_into().ok()?)),
        _ => row.store(place, Slot::BigInt(value)),
    }
    Some(len)
}

/// How long the number at the start of `text` is, which has no exponent; of one with more than 40 digits in a row, less.
pub(super) fn len_of_number(text: &[u8]) -> Option<usize> {
    let digits = |start: usize| {
        let rest = text.get(start..).unwrap_or_default();
        rest.iter().take(40).take_while(|byte| byte.is_ascii_digit()).count()
    };
    let start = usize::from(text.first() == Some(&b'-'));
    let whole = digits(start);
    if whole == 0 || whole > 1 && text[start] == b'0' {
        return None;
    }
    let end = start + whole;
    if text.get(end) != Some(&b'.') {
        return Some(end);
    }
    let decimals = digits(end + 1);
    (decimals > 0).then_some(end + 1 + decimals)
}

/// The most bytes that a number has here: its digits, 18 at most, fit a word.
const MAX_LEN: usize = 18;

/// The number that the digits make which stand at `position`, and how many they are; `None` if they are more than a word
/// holds.
#[inline]
fn digits_at(text: &[u8], position: usize) -> Option<(u64, usize)> {
    let rest = text.get(position..)?;
    let Some(word) = rest.first_chunk::<8>() else { return few_digits(rest) };
    let (digits, count) = word_of_digits(*word);
    if count < 8 {
        return Some((digits, count));
    }
    many_digits(digits, rest)
}

#[inline(never)]
fn many_digits(mut digits: u64, rest: &[u8]) -> Option<(u64, usize)> {
    let mut len = 8;
    while len <= MAX_LEN {
        let rest = &rest[len..];
        let (next, count) = match rest.first_chunk::<8>() {
            Some(word) => word_of_digits(*word),
            None => few_digits(rest)?,
        };
        len += count;
        if len > MAX_LEN {
            return None;
        }
        digits = digits * WORD_POWERS_OF_TEN[count] + next;
        if count < 8 {
            return Some((digits, len));
        }
    }
    None
}

#[cold]
#[inline(never)]
fn few_digits(rest: &[u8]) -> Option<(u64, usize)> {
    let mut word = [0; 8];
    let len = rest.len().min(7);
    word[..len].copy_from_slice(&rest[..len]);
    Some(word_of_digits(word))
}

/// The number that the digits at the start of the word make, and how many they are.
#[inline]
fn word_of_digits(word: [u8; 8]) -> (u64, usize) {
    let word = u64::from_le_bytes(word) ^ each(b'0');
    // The lowest byte above 9 gets its high bit; a carry reaches only those after it.
    let others = (word.wrapping_add(each(0x7F - 9)) | word) & HIGH_BITS;
    let count = others.trailing_zeros() / 8;
    // The digits to the upper end, zeros in front of them.
    let digits = if count == 8 { word } else { word << 7 << ((56 - 8 * count) & 63) << 1 };
    // Eight digits to four pairs, to two fours, to one number.
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let odd = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(100 + (1_000_000 << 32));
    let even = (pairs >> 16 & 0x0000_00FF_0000_00FF).wrapping_mul(1 + (10_000 << 32));
    (odd.wrapping_add(even) >> 32, count as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_are_counted_and_read_as_one_reads_them(
            digits in "[0-9]{1,20}",
            after in "([^0-9].{0,9})?",
        ) {
            let expected = (digits.len() <= MAX_LEN).then(|| (digits.parse().unwrap(), digits.len()));
            prop_assert_eq!(digits_at(format!("-{digits}{after}").as_bytes(), 1), expected);
        }

        #[test]
        fn a_plain_number_is_what_the_standard_library_reads(text in "-?(0|[1-9][0-9]{0,11})(\\.[0-9]{1,5})?") {
            let number = PlainNumber::read(text.as_bytes()).filter(|number| number.len == text.len());
            if let Some(double) = number.and_then(PlainNumber::double) {
                prop_assert_eq!(double.to_bits(), text.parse::<f64>().unwrap().to_bits());
                prop_assert_ne!(double.to_bits(), (-0.0_f64).to_bits());
            }
            prop_assert_eq!(number.is_some(), text.len() <= MAX_LEN);
        }

        #[test]
        fn an_integer_is_what_the_standard_library_reads(
            text in "-?(0|[1-9][0-9]{0,20})",
            after in "([^0-9].{0,9})?",
        ) {
            let expected = text.parse().ok().map(|integer: i64| (integer, text.len()));
            let digits = text.trim_start_matches('-').len();
            let read = read_integer(format!("{text}{after}").as_bytes());
            prop_assert_eq!(read, expected.filter(|_| digits <= MAX_LEN));
        }
    }
}
