//! The digits of a floating point number, however they were found, in Java's notation.

use crate::text::integer::put_integer_at;
use crate::text::room::{Room, put_text};

/// The number 0.d₁d₂d₃… × 10^`point`, its digits in ASCII; no digits and `point` 1 for zero.
#[derive(Debug)]
pub(super) struct Digits {
    digits: [u8; Self::CAPACITY],
    pub(super) len: usize,
    pub(super) point: i32,
}

impl Digits {
    /// What an `i64` needs; no double has as many.
    pub(super) const CAPACITY: usize = 19;

    /// No digits yet.
    pub(super) fn none(point: i32) -> Self {
        Self { digits: [b'0'; Self::CAPACITY], len: 0, point }
    }

    /// The digits of `number`, and the number of them as the `point`.
    pub(super) fn of(number: u64) -> Self {
        let mut digits = Self::none(0);
        for digit in itoa::Buffer::new().format(number).bytes() {
            digits.push(digit);
            digits.point += 1;
        }
        digits
    }

    /// The digits of a text such as `-12.5`, `0.00001` or `1e-7`, without zeros at either end.
    pub(super) fn of_text(text: &str) -> Self {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent: i32 = exponent.parse().expect("zmij's exponents are numbers");
        let mut digits = Self::none(exponent);
        digits.point += i32::try_from(whole.len()).expect("zmij writes few digits");
        for digit in whole.bytes().chain(fraction.bytes()) {
            if digits.len == 0 && digit == b'0' {
                digits.point -= 1;
            } else {
                digits.push(digit);
            }
        }
        digits.trim_end();
        digits
    }

    /// The two digits that come nearest to `times` × `least` × 10^`exponent`.
    pub(super) fn two_of(times: u64, (least, exponent): (u64, i32)) -> Self {
        let exact = u128::from(times) * u128::from(least);
        let dropped = exact.ilog10() - 1;
        let unit = 10_u128.pow(dropped);
        #[expect(clippy::cast_possible_truncation, reason = "two digits")]
        let mut digits = Self::of(((exact + unit / 2) / unit) as u64);
        digits.point += dropped.cast_signed() + exponent;
        digits.trim_end();
        digits
    }

    /// Appends an ASCII digit; one too many is dropped.
    pub(super) fn push(&mut self, digit: u8) {
        if let Some(place) = self.digits.get_mut(self.len) {
            *place = digit;
            self.len += 1;
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == Self::CAPACITY
    }

    pub(super) fn last(&self) -> u8 {
        self.digits[self.len.saturating_sub(1)]
    }

    /// Drops zeros at the end.
    pub(super) fn trim_end(&mut self) {
        while self.len > 1 && self.last() == b'0' {
            self.len -= 1;
        }
    }

    /// Adds one to the last digit. Nines become zeros and stay.
    pub(super) fn round_up(&mut self) {
        for digit in self.digits[..self.len].iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits[0] = b'1';
        self.point += 1;
    }

    /// Writes the number in Java's notation: plain from 10^-3 up to 10^7, else with one digit before the point and an
    /// exponent; at least one digit stands on either side of the point.
    pub(super) fn put(&self, room: &mut Room, negative: bool) -> usize {
        let (zeros, whole, exponent) = match self.point {
            point @ -2..=0 => (1 + point.unsigned_abs() as usize, 1, None),
            point @ 1..=7 => (0, point.unsigned_abs() as usize, None),
            point => (0, 1, Some(point - 1)),
        };
        let mut digits = [b'0'; 24];
        digits[zeros..zeros + self.len].copy_from_slice(&self.digits[..self.len]);
        let (whole, fraction) = digits[..(zeros + self.len).max(whole + 1)].split_at(whole);
        room[0] = b'-';
        let point = put_text(room, usize::from(negative), whole);
        room[point] = b'.';
        let at = put_text(room, point + 1, fraction);
        match exponent {
            None => at,
            Some(exponent) => {
                room[at] = b'E';
                put_integer_at(room, at + 1, exponent.into())
            }
        }
    }
}
