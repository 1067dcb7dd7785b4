//! Numbers that are written as their bytes.

use crate::row::Decimal;
use crate::text;

/// The number that the bytes are, highest first, the sign in the highest bit; `None` of one that a DECIMAL cannot hold.
///
/// Agrees with `BigInteger.toByteArray`.
pub(super) fn of_bytes(bytes: &[u8]) -> Option<i128> {
    let fill = if bytes.first().is_some_and(|first| *first >= 0x80) { 0xFF } else { 0 };
    let (head, tail) = bytes.split_at(bytes.len().saturating_sub(size_of::<i128>()));
    let mut whole = [fill; size_of::<i128>()];
    whole[size_of::<i128>() - tail.len()..].copy_from_slice(tail);
    let fits = head.iter().all(|byte| *byte == fill) && (head.is_empty() || (whole[0] ^ fill) < 0x80);
    fits.then(|| i128::from_be_bytes(whole))
}

/// The number that bits make, lowest byte first; `None` beyond 64 of them.
pub(super) fn of_bits(bytes: &[u8]) -> Option<u64> {
    let (low, high) = bytes.split_at(bytes.len().min(size_of::<u64>()));
    let mut whole = [0; size_of::<u64>()];
    whole[..low.len()].copy_from_slice(low);
    high.iter().all(|byte| *byte == 0).then(|| u64::from_le_bytes(whole))
}

/// `unscaled` / 10^`from` as a DECIMAL(`precision`, `scale`), digits beyond the scale rounded half away from zero, as
/// Flink's DECIMAL does; `None` if it has more digits.
pub(super) fn fit(unscaled: i128, from: i32, precision: u8, scale: u8) -> Option<Decimal> {
    let shift = i32::from(scale).checked_sub(from)?;
    let power = power_of_ten(shift.unsigned_abs());
    let unscaled = match (shift, power) {
        _ if unscaled == 0 => 0,
        (0, _) => unscaled,
        (1.., Some(power)) => unscaled.checked_mul(power)?,
        (1.., None) => return None,
        (_, None) => 0,
        (_, Some(power)) => {
            let (quotient, rest) = (unscaled / power, unscaled % power);
            let is_half = rest.unsigned_abs() >= power.unsigned_abs().div_ceil(2);
            quotient + if is_half { unscaled.signum() } else { 0 }
        }
    };
    let is_in_range =
        power_of_ten(precision.into()).is_none_or(|end| unscaled.unsigned_abs() < end.unsigned_abs());
    is_in_range.then_some(unscaled).and_then(|unscaled| Decimal::try_new(unscaled, scale))
}

/// Puts the number, written out, in place of what `out` holds; `None` of one that a DECIMAL cannot hold.
pub(super) fn write(unscaled: i128, scale: i32, out: &mut Vec<u8>) -> Option<&str> {
    let decimal = fit(unscaled, scale, MAX_PRECISION, u8::try_from(scale.clamp(0, MAX_SCALE)).ok()?)?;
    if scale > MAX_SCALE {
        return None;
    }
    out.clear();
    text::append(out, |room| text::put_decimal_plain(room, decimal.unscaled(), decimal.scale()));
    str::from_utf8(out).ok()
}

const MAX_PRECISION: u8 = 38;
const MAX_SCALE: i32 = 38;

fn power_of_ten(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `new BigInteger(bytes)` of Java's documentation: two's complement, highest byte first.
    #[test]
    fn bytes_are_the_number_in_twos_complement() {
        for (bytes, number) in [
            (&[][..], Some(0)),
            (&[0x7F], Some(127)),
            (&[0xFF], Some(-1)),
            (&[0x00, 0x80], Some(128)),
            (&[0xFF, 0x7F], Some(-129)),
            (&[0xFF; 40], Some(-1)),
            (&[0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], None),
            (&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], None),
        ] {
            assert_eq!(of_bytes(bytes), number, "{bytes:?}");
        }
    }

    #[test]
    fn a_number_is_rounded_to_the_columns_scale_and_refused_beyond_its_precision() {
        for (unscaled, from, precision, scale, expected) in [
            (125, 2, 5, 1, Some("1.3")),
            (-125, 2, 5, 1, Some("-1.3")),
            (124, 2, 5, 1, Some("1.2")),
            (5, -2, 5, 1, Some("500.0")),
            (99_999, 0, 5, 0, Some("99999")),
            (100_000, 0, 5, 0, None),
            (i128::MIN, 0, 38, 0, None),
            (9, 60, 5, 2, Some("0.00")),
            (0, -60, 5, 2, Some("0.00")),
            (1, -60, 38, 0, None),
        ] {
            let decimal = fit(unscaled, from, precision, scale).map(|decimal| decimal.to_string());
            assert_eq!(decimal.as_deref(), expected, "{unscaled} / 10^{from}");
        }
    }
}
