//! The digits that JDK 8 to 18 give a floating point number, in integers on the stack.
//!
//! The old algorithm divides digit by digit and stops as soon as the digits are within half an ulp. It stops too
//! late where it works in `long` and lets it overflow, takes the narrower gap of a power of two for both sides, and
//! drops digits of large whole numbers by a rule of its own. All of it shows, so all of it is here.
//!
//! Agrees with `jdk.internal.math.FloatingDecimal.BinaryToASCIIBuffer` of JDK 17.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "exponents of a double, and digits"
)]

use std::cmp::Ordering;

use crate::text::float_digits::Digits;

/// The digits of `magnitude`, which is finite, not negative and has `precision` bits of significand.
pub(super) fn digits(magnitude: f64, precision: u32) -> Digits {
    if magnitude == 0.0 {
        return Digits::none(1);
    }
    let binary = Binary::new(magnitude, precision);
    if binary.fraction_bits == 0 && binary.exponent <= 62 {
        whole_number(&binary)
    } else {
        let scaled = Scaled::new(&binary);
        if scaled.fits_i64(&binary) {
            generate(Small::new(&binary, &scaled), scaled.decimal_exponent)
        } else {
            generate(Big::new(&binary, &scaled), scaled.decimal_exponent)
        }
    }
}

/// `significand` × 2^(`exponent` - 52).
struct Binary {
    /// 53 bits, the highest of them set.
    significand: u64,
    exponent: i32,
    precision: i32,
    /// The significand without zeros at its end.
    odd: u64,
    /// How many bits that is.
    odd_bits: i32,
    /// How many of them stand after the binary point.
    fraction_bits: i32,
}

impl Binary {
    fn new(magnitude: f64, precision: u32) -> Self {
        const IMPLICIT: u64 = 1 << 52;
        let bits = magnitude.to_bits();
        let (biased, fraction) = ((bits >> 52) as i32, bits & (IMPLICIT - 1));
        let (significand, exponent) = if biased > 0 {
            (fraction | IMPLICIT, biased - 1023)
        } else {
            let shift = fraction.leading_zeros() - 11;
            (fraction << shift, -1022 - shift as i32)
        };
        let odd = significand >> significand.trailing_zeros();
        let odd_bits = 53 - significand.trailing_zeros() as i32;
        let fraction_bits = (odd_bits - exponent - 1).max(0);
        Self { significand, exponent, precision: precision as i32, odd, odd_bits, fraction_bits }
    }
}

/// Digits of a whole number below 2^63: those beyond the precision are rounded away, few enough to lose nothing.
fn whole_number(binary: &Binary) -> Digits {
    let number = match binary.exponent - 52 {
        left @ 0.. => binary.significand << left,
        right => binary.significand >> -right,
    };
    let spare = binary.exponent - binary.precision - 1;
    // 1233 / 4096 is log10 2.
    let dropped = if spare > 1 { (spare as u32 * 1233) >> 12 } else { 0 };
    let unit = 10_u64.pow(dropped);
    let mut digits = Digits::of(number / unit + u64::from(number % unit * 2 >= unit));
    digits.point += dropped as i32;
    digits.trim_end();
    digits
}

/// The number as b / s × 10^`decimal_exponent`, and half of its distance to the next number as m / s × the same:
/// the powers of two and five that b, s and m are made of (m and b share those of five).
struct Scaled {
    decimal_exponent: i32,
    b2: u32,
    b5: u32,
    s2: u32,
    s5: u32,
    m2: u32,
}

impl Scaled {
    fn new(binary: &Binary) -> Self {
        let decimal_exponent = estimate_decimal_exponent(binary);
        let b5 = (-decimal_exponent).max(0);
        let s5 = decimal_exponent.max(0);
        let mut b2 = b5 + binary.fraction_bits + binary.exponent;
        let mut s2 = s5 + binary.fraction_bits;
        let mut m2 = b2 - binary.precision;
        b2 -= binary.odd_bits - 1;
        let common = b2.min(s2);
        b2 -= common;
        s2 -= common;
        m2 -= common;
        if binary.odd_bits == 1 {
            // The gap below a power of two is half as wide as the one above it.
            m2 -= 1;
        }
        if m2 < 0 {
            b2 -= m2;
            s2 -= m2;
            m2 = 0;
        }
        Self { decimal_exponent, b2: b2 as u32, b5: b5 as u32, s2: s2 as u32, s5: s5 as u32, m2: m2 as u32 }
    }

    fn fits_i64(&self, binary: &Binary) -> bool {
        let b = binary.odd_bits as u32 + self.b2 + bits_of_power_of_five(self.b5);
        let ten_s = self.s2 + 1 + bits_of_power_of_five(self.s5 + 1);
        b < 64 && ten_s < 64
    }
}

/// Right or one too high.
#[expect(clippy::approx_constant, reason = "Java writes log10 2 with so many digits")]
fn estimate_decimal_exponent(binary: &Binary) -> i32 {
    let significand = f64::from_bits(binary.significand & ((1 << 52) - 1) | 1.0_f64.to_bits());
    let estimate = (significand - 1.5) * 0.289_529_654
        + 0.176_091_259
        + f64::from(binary.exponent) * 0.301_029_995_663_981;
    estimate.floor() as i32
}

/// Java's estimate: exact below 5^27, generous above.
fn bits_of_power_of_five(exponent: u32) -> u32 {
    match exponent {
        0 => 0,
        1..=26 => u64::BITS - 5_u64.pow(exponent).leading_zeros(),
        _ => exponent * 3,
    }
}

/// A division b / s that gives a digit at a time, and the half gap m it may stop at.
trait Division {
    /// The next digit, 0 to 9; b becomes ten times the remainder, m ten times itself.
    fn digit(&mut self) -> u8;
    /// Whether m has overflown.
    fn is_exhausted(&self) -> bool;
    /// Whether what is left is within m of the digits so far.
    fn is_low(&self) -> bool;
    /// Whether what is left is within m of the digits so far and one more.
    fn is_high(&self) -> bool;
    /// What is left, compared with one half.
    fn compare_half(&self) -> Ordering;
}

fn generate(mut division: impl Division, decimal_exponent: i32) -> Digits {
    let mut digits = Digits::none(decimal_exponent + 1);
    let first = division.digit();
    let mut low = division.is_low();
    let mut high = division.is_high();
    if first == 0 && !high {
        digits.point -= 1; // the estimate was one too high
    } else {
        digits.push(b'0' + first);
    }
    // E notation has two digits at least.
    if digits.point < -2 || digits.point > 8 {
        low = false;
        high = false;
    }
    while !low && !high && !digits.is_full() {
        digits.push(b'0' + division.digit());
        let exhausted = division.is_exhausted();
        low = exhausted || division.is_low();
        high = exhausted || division.is_high();
    }
    let up = high
        && (!low
            || match division.compare_half() {
                Ordering::Greater => true,
                Ordering::Equal => digits.last() % 2 == 1,
                Ordering::Less => false,
            });
    if up {
        digits.round_up();
    }
    digits
}

/// Java's `long` arithmetic; what wraps there wraps here.
struct Small {
    b: i64,
    s: i64,
    m: i64,
}

impl Small {
    fn new(binary: &Binary, scaled: &Scaled) -> Self {
        Self {
            b: (binary.odd as i64 * 5_i64.pow(scaled.b5)) << scaled.b2,
            s: 5_i64.pow(scaled.s5) << scaled.s2,
            m: 5_i64.pow(scaled.b5) << scaled.m2,
        }
    }
}

impl Division for Small {
    fn digit(&mut self) -> u8 {
        let digit = self.b / self.s;
        self.b = (self.b % self.s).wrapping_mul(10);
        self.m = self.m.wrapping_mul(10);
        digit as u8
    }

    fn is_exhausted(&self) -> bool {
        self.m <= 0
    }

    fn is_low(&self) -> bool {
        self.b < self.m
    }

    fn is_high(&self) -> bool {
        self.b.wrapping_add(self.m) > self.s * 10
    }

    fn compare_half(&self) -> Ordering {
        self.b.wrapping_mul(2).wrapping_sub(self.s * 10).cmp(&0)
    }
}

/// The same in exact integers.
///
/// All of them are multiplied by a power of two that leaves s 54 bits of its last limb: then a digit is to be had from
/// the last limbs alone, and none of the others needs one more. Of at most 774 bits they become 837.
struct Big {
    b: Limbs,
    s: Limbs,
    ten_s: Limbs,
    m: Limbs,
    /// How many limbs s has.
    len: usize,
}

/// The least significant first.
type Limbs = [u64; 14];

impl Big {
    fn new(binary: &Binary, scaled: &Scaled) -> Self {
        let fives_of_s = power_of_five(scaled.s5);
        let bits = bit_length(&fives_of_s) + scaled.s2;
        let spare = (54 + u64::BITS - bits % u64::BITS) % u64::BITS;
        let s = product(&fives_of_s, 1, scaled.s2 + spare);
        let fives_of_b = power_of_five(scaled.b5);
        Self {
            b: product(&fives_of_b, binary.odd, scaled.b2 + spare),
            s,
            ten_s: product(&s, 10, 0),
            m: product(&fives_of_b, 1, scaled.m2 + spare),
            len: (bits + spare).div_ceil(u64::BITS) as usize,
        }
    }
}

impl Division for Big {
    fn digit(&mut self) -> u8 {
        let (b, s) = (&mut self.b[..self.len], &self.s[..self.len]);
        let mut digit = b[b.len() - 1] / (s[s.len() - 1] + 1);
        subtract_multiple(b, s, digit);
        if compare(b, s).is_ge() {
            subtract_multiple(b, s, 1);
            digit += 1;
        }
        multiply(b, 10);
        multiply(&mut self.m[..self.len], 10);
        digit as u8
    }

    fn is_exhausted(&self) -> bool {
        false
    }

    fn is_low(&self) -> bool {
        compare(&self.b[..self.len], &self.m[..self.len]).is_lt()
    }

    fn is_high(&self) -> bool {
        let last = self.len - 1;
        if self.b[last] + self.m[last] + 1 < self.ten_s[last] {
            return false;
        }
        let mut sum = self.b;
        add(&mut sum[..self.len], &self.m[..self.len]);
        compare(&sum[..self.len], &self.ten_s[..self.len]).is_ge()
    }

    fn compare_half(&self) -> Ordering {
        compare(&product(&self.b, 2, 0), &self.ten_s)
    }
}

fn power_of_five(exponent: u32) -> Limbs {
    /// The greatest power of five in a limb is the 27th.
    const STEP: u32 = 27;
    let mut limbs = Limbs::default();
    limbs[0] = 5_u64.pow(exponent % STEP);
    for step in 0..exponent / STEP {
        multiply(&mut limbs[..step as usize + 2], 5_u64.pow(STEP));
    }
    limbs
}

/// `limbs` × `factor` × 2^`twos`.
fn product(limbs: &Limbs, factor: u64, twos: u32) -> Limbs {
    let mut product = Limbs::default();
    let shift = (twos / u64::BITS) as usize;
    product[shift..].copy_from_slice(&limbs[..limbs.len() - shift]);
    multiply(&mut product[shift..], factor);
    multiply(&mut product[shift..], 1 << (twos % u64::BITS));
    product
}

fn bit_length(limbs: &Limbs) -> u32 {
    let last = limbs.iter().rposition(|&limb| limb != 0).unwrap_or(0);
    u64::BITS * (last as u32 + 1) - limbs[last].leading_zeros()
}

fn multiply(limbs: &mut [u64], factor: u64) {
    let mut carry = 0;
    for limb in limbs {
        (*limb, carry) = split(u128::from(*limb) * u128::from(factor) + u128::from(carry));
    }
}

fn add(limbs: &mut [u64], other: &[u64]) {
    let mut carry = 0;
    for (limb, &other) in limbs.iter_mut().zip(other) {
        (*limb, carry) = split(u128::from(*limb) + u128::from(other) + u128::from(carry));
    }
}

/// Subtracts `other` × `factor`, which is not greater.
fn subtract_multiple(limbs: &mut [u64], other: &[u64], factor: u64) {
    let mut borrow = 0;
    for (limb, &other) in limbs.iter_mut().zip(other) {
        let (low, high) = split(u128::from(other) * u128::from(factor) + u128::from(borrow));
        let (difference, borrowed) = limb.overflowing_sub(low);
        *limb = difference;
        borrow = high + u64::from(borrowed);
    }
}

fn compare(limbs: &[u64], other: &[u64]) -> Ordering {
    limbs.iter().rev().cmp(other.iter().rev())
}

/// The two halves of the word.
fn split(wide: u128) -> (u64, u64) {
    (wide as u64, (wide >> 64) as u64)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_factor_of_log10_2_is_right_as_far_as_it_is_asked() {
        for spare in 2..=37_u32 {
            assert_eq!((spare * 1233) >> 12, 2_u64.pow(spare).ilog10());
        }
    }
}
