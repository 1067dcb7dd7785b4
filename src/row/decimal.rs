use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::text;

/// A DECIMAL value: an unscaled integer of at most 38 digits, and the number of decimals, 0 to 38.
///
/// 24 bytes, because the integer is kept in two words: an `i128` would align [`Datum`](crate::Datum) to 16.
/// Equality and order are those of the numbers: 1.50 equals 1.5. As text it has all of its decimals, zeros included.
///
/// ```
/// use upsert_kafka::Decimal;
///
/// let price: Decimal = "1.50".parse()?;
/// assert_eq!((price.unscaled(), price.scale()), (150, 2));
/// assert_eq!(price.to_string(), "1.50");
/// assert!(price > Decimal::new(149, 2));
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
///
/// Agrees with `org.apache.flink.table.data.DecimalData`.
#[derive(Clone, Copy)]
pub struct Decimal {
    high: i64,
    low: u64,
    scale: u8,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Decimal>() == 24);

impl Decimal {
    /// The greatest precision, and so the greatest scale, that Flink has.
    pub const MAX_PRECISION: u8 = 38;

    /// The greatest unscaled value: 38 nines.
    pub const MAX_UNSCALED: i128 = 10_i128.pow(38) - 1;

    /// The number `unscaled` / 10^`scale`.
    ///
    /// # Panics
    ///
    /// If `scale` is above 38 or `unscaled` has more than 38 digits; see [`try_new`](Self::try_new).
    #[must_use]
    pub const fn new(unscaled: i128, scale: u8) -> Self {
        match Self::try_new(unscaled, scale) {
            Some(decimal) => decimal,
            None => panic!("a DECIMAL has at most 38 digits and a scale of at most 38"),
        }
    }

    /// The number `unscaled` / 10^`scale`; `None` beyond 38 digits or a scale of 38.
    #[inline]
    #[must_use]
    pub const fn try_new(unscaled: i128, scale: u8) -> Option<Self> {
        if scale > Self::MAX_PRECISION || unscaled > Self::MAX_UNSCALED || unscaled < -Self::MAX_UNSCALED {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the two halves of the word"
        )]
        let (high, low) = ((unscaled >> 64) as i64, unscaled as u64);
        Some(Self { high, low, scale })
    }

    /// The number `unscaled` / 10^`scale`, one of a scale below 0 with zeros at its end; `None` beyond 38 digits.
    #[cfg(any(feature = "arrow", feature = "bigdecimal"))]
    #[inline]
    pub(crate) fn of_any_scale(unscaled: i128, scale: i64) -> Option<Self> {
        if let Ok(scale) = u8::try_from(scale) {
            return Self::try_new(unscaled, scale);
        }
        Self::of_scale_below_zero(unscaled, scale)
    }

    #[cfg(any(feature = "arrow", feature = "bigdecimal"))]
    #[cold]
    fn of_scale_below_zero(unscaled: i128, scale: i64) -> Option<Self> {
        let zeros = u32::try_from(scale.checked_neg()?).ok()?;
        Self::try_new(unscaled.checked_mul(10_i128.checked_pow(zeros)?)?, 0)
    }

    /// The number times 10^[`scale`](Self::scale).
    #[inline]
    #[must_use]
    pub const fn unscaled(self) -> i128 {
        (self.high as i128) << 64 | self.low as i128
    }

    /// How many decimals the number has, trailing zeros included.
    #[inline]
    #[must_use]
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// The same number with `scale` decimals; `None` where digits would be lost or 38 do not suffice.
    #[must_use]
    pub fn rescale(self, scale: u8) -> Option<Self> {
        let unscaled = match scale.cmp(&self.scale) {
            Ordering::Equal => return Some(self),
            Ordering::Greater => {
                let factor = 10_i128.checked_pow(u32::from(scale - self.scale))?;
                self.unscaled().checked_mul(factor)?
            }
            Ordering::Less => {
                let factor = 10_i128.checked_pow(u32::from(self.scale - scale))?;
                if self.unscaled() % factor != 0 {
                    return None;
                }
                self.unscaled() / factor
            }
        };
        Self::try_new(unscaled, scale)
    }

    /// How many digits the unscaled value has; 1 for zero, as `BigDecimal.precision()`.
    #[expect(clippy::missing_panics_doc, reason = "an i128 has 39 digits at most")]
    #[must_use]
    pub fn precision(self) -> u8 {
        let digits = self.unscaled().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
        u8::try_from(digits).expect("at most 38")
    }

    /// The number without trailing zeros after the point, for a hash and for state.
    pub(crate) fn normalized(self) -> (i128, u8) {
        let (mut unscaled, mut scale) = (self.unscaled(), self.scale);
        while scale > 0 && unscaled % 10 == 0 {
            unscaled /= 10;
            scale -= 1;
        }
        (unscaled, scale)
    }
}

impl PartialEq for Decimal {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        if self.scale == other.scale { self.unscaled() == other.unscaled() } else { self.cmp(other).is_eq() }
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.scale == other.scale {
            return self.unscaled().cmp(&other.unscaled());
        }
        // Whole numbers and decimals apart: at a common scale the unscaled value may not fit.
        let parts = |decimal: &Self| {
            let unit = 10_i128.pow(decimal.scale.into());
            let missing = 10_i128.pow((Self::MAX_PRECISION - decimal.scale).into());
            (decimal.unscaled() / unit, decimal.unscaled() % unit * missing)
        };
        parts(self).cmp(&parts(other))
    }
}

impl std::hash::Hash for Decimal {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.normalized().hash(state);
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Decimal {
    /// Plain notation with exactly [`scale`](Self::scale) decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        text::append(&mut text, |room| text::put_decimal_plain(room, self.unscaled(), self.scale));
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl FromStr for Decimal {
    type Err = Error;

    /// Reads plain notation: a sign or none, digits, and perhaps a point and the decimals, which make up the scale.
    fn from_str(text: &str) -> Result<Self, Error> {
        let is_plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-'));
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let parse = |scale| text::parse_decimal(text, Self::MAX_PRECISION, scale).ok()?;
        let scale = u8::try_from(decimals).ok().filter(|scale| is_plain && *scale <= Self::MAX_PRECISION);
        scale.and_then(|scale| Self::try_new(parse(scale)?, scale)).ok_or_else(|| no_decimal(text))
    }
}

#[cold]
fn no_decimal(text: &str) -> Error {
    let message = format!("expected a number of at most 38 digits such as -1.50, found {text:?}");
    Error::new(ErrorKind::Syntax, message)
}

/// What a DECIMAL(precision, scale) column holds, compiled for the row path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecimalColumn {
    precision: u8,
    scale: u8,
    /// The greatest unscaled value: `precision` nines.
    greatest: Decimal,
}

impl DecimalColumn {
    pub(crate) fn new(precision: u8, scale: u8) -> Self {
        let greatest = 10_i128.checked_pow(precision.into()).map_or(Decimal::MAX_UNSCALED, |limit| limit - 1);
        let greatest = greatest.min(Decimal::MAX_UNSCALED);
        Self { precision, scale, greatest: Decimal::new(greatest, 0) }
    }

    pub(crate) fn precision(&self) -> u8 {
        self.precision
    }

    pub(crate) fn scale(&self) -> u8 {
        self.scale
    }

    /// The unscaled value of `decimal` at the column's scale.
    ///
    /// # Errors
    ///
    /// If digits would be lost, after the point or before it.
    #[inline]
    pub(crate) fn unscaled(&self, decimal: Decimal) -> Result<i128, Error> {
        let unscaled = if decimal.scale == self.scale {
            decimal.unscaled()
        } else {
            decimal.rescale(self.scale).ok_or_else(|| self.misfit(decimal))?.unscaled()
        };
        if unscaled.unsigned_abs() > self.greatest.unscaled().unsigned_abs() {
            return Err(self.misfit(decimal));
        }
        Ok(unscaled)
    }

    #[cold]
    fn misfit(&self, decimal: Decimal) -> Error {
        let (precision, scale) = (self.precision, self.scale);
        Error::new(ErrorKind::Row, format!("{decimal} does not fit DECIMAL({precision}, {scale})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rescaling_is_exact_or_nothing() {
        assert_eq!(Decimal::new(150, 2).rescale(1).unwrap().unscaled(), 15);
        assert_eq!(Decimal::new(155, 2).rescale(1), None);
        assert_eq!(Decimal::new(-1, 0).rescale(38), None);
        assert_eq!(Decimal::new(-1, 1).rescale(38).unwrap().unscaled(), -10_i128.pow(37));
        assert_eq!(Decimal::try_new(Decimal::MAX_UNSCALED + 1, 0), None);
    }

    #[test]
    fn equality_is_of_numbers() {
        assert_eq!(Decimal::new(150, 2), Decimal::new(15, 1));
        assert_ne!(Decimal::new(150, 2), Decimal::new(150, 1));
    }

    #[test]
    fn order_is_that_of_numbers_whatever_their_scales() {
        let ascending = [
            Decimal::new(-Decimal::MAX_UNSCALED, 0),
            Decimal::new(-15, 1),
            Decimal::new(-149, 2),
            Decimal::new(-1, 38),
            Decimal::new(0, 38),
            Decimal::new(1, 38),
            Decimal::new(5, 1),
            Decimal::new(51, 2),
            Decimal::new(1, 0),
            Decimal::new(Decimal::MAX_UNSCALED, 0),
        ];
        for pair in ascending.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
        }
    }

    /// From `java.math.BigDecimal`.
    #[test]
    fn a_number_is_read_with_the_scale_that_it_is_written_with() {
        for (text, unscaled, scale) in [
            ("0", 0, 0),
            ("-0.005", -5, 3),
            ("1.50", 150, 2),
            ("99999999999999999999999999999999999999", Decimal::MAX_UNSCALED, 0),
            ("0.00000000000000000000000000000000000001", 1, 38),
        ] {
            let decimal: Decimal = text.parse().unwrap();
            assert_eq!((decimal.unscaled(), decimal.scale()), (unscaled, scale));
            assert_eq!(decimal.to_string(), text);
        }
        assert_eq!("+7.5".parse::<Decimal>().unwrap(), Decimal::new(75, 1));
        let beyond = ["100000000000000000000000000000000000000", "0.000000000000000000000000000000000000001"];
        for text in ["", ".", "-", "1e3", "1,5", " 1", "1.2.3", beyond[0], beyond[1]] {
            assert_eq!(text.parse::<Decimal>().unwrap_err().kind(), ErrorKind::Syntax, "{text}");
        }
    }
}
