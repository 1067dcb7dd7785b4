use std::cmp::Ordering;
use std::fmt;

use crate::error::{Error, ErrorKind};

/// A DECIMAL value: an unscaled integer of at most 38 digits and the number of decimals, 0 to 38.
///
/// 24 bytes, because the integer is kept in two words: an `i128` would align [`Datum`](crate::Datum) to 16.
/// Equality is of the numbers: 1.50 equals 1.5. Agrees with `org.apache.flink.table.data.DecimalData`.
#[derive(Clone, Copy)]
pub struct Decimal {
    high: i64,
    low: u64,
    scale: u8,
}

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
    #[must_use]
    pub fn precision(self) -> u8 {
        let digits = self.unscaled().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
        u8::try_from(digits).expect("at most 38")
    }

    /// The number without trailing zeros behind the point, for comparison.
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
    fn eq(&self, other: &Self) -> bool {
        if self.scale == other.scale {
            self.unscaled() == other.unscaled()
        } else {
            self.normalized() == other.normalized()
        }
    }
}

impl Eq for Decimal {}

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
        let sign = if self.unscaled() < 0 { "-" } else { "" };
        let magnitude = self.unscaled().unsigned_abs();
        if self.scale == 0 {
            return write!(f, "{sign}{magnitude}");
        }
        let unit = 10_u128.pow(u32::from(self.scale));
        let width = usize::from(self.scale);
        write!(f, "{sign}{}.{:0width$}", magnitude / unit, magnitude % unit)
    }
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

    pub(crate) fn scale(&self) -> u8 {
        self.scale
    }

    /// The unscaled value of `decimal` at the column's scale.
    ///
    /// # Errors
    ///
    /// If digits would be lost, behind the point or before it.
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
        assert_eq!(Decimal::new(-5, 3).to_string(), "-0.005");
    }
}
