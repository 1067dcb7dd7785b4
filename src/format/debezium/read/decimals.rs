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
    put_decimal(unscaled, scale, out)?;
    str::from_utf8(out).ok()
}

fn put_decimal(unscaled: i128, scale: i32, out: &mut Vec<u8>) -> Option<()> {
    let decimal = fit(unscaled, scale, MAX_PRECISION, u8::try_from(scale.clamp(0, MAX_SCALE)).ok()?)?;
    if scale > MAX_SCALE {
        return None;
    }
    out.clear();
    text::append(out, |room| text::put_decimal_plain(room, decimal.unscaled(), decimal.scale()));
    Some(())
}

/// Puts the number that the bytes are, over 10^`scale`, in their place, written out; `None` beyond [`MAX_DIGITS`].
pub(super) fn write_in_place(bytes: &mut Vec<u8>, scale: i32) -> Option<&str> {
    if of_bytes(bytes).and_then(|unscaled| put_decimal(unscaled, scale, bytes)).is_none() {
        put_long(bytes, scale)?;
    }
    str::from_utf8(bytes).ok()
}

/// The most digits of a number, those of Jackson's `StreamReadConstraints`.
const MAX_DIGITS: usize = 1000;
/// Enough of them: 1000 digits have 3322 bits, and there is a sign.
const MAX_WORDS: usize = 104;

/// The same of a number that no DECIMAL holds. Agrees with `BigDecimal.toPlainString`.
#[cold]
fn put_long(bytes: &mut Vec<u8>, scale: i32) -> Option<()> {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    // Lowest word first.
    let mut words = [0_u32; MAX_WORDS];
    let mut carry = is_negative;
    for (index, byte) in bytes.iter().rev().enumerate() {
        let (byte, overflows) =
            if is_negative { (!byte).overflowing_add(carry.into()) } else { (*byte, false) };
        carry &= overflows;
        *words.get_mut(index / 4)? |= u32::from(byte) << (8 * (index % 4));
    }
    // Lowest digit first, nine at a time.
    let mut digits = [b'0'; MAX_DIGITS];
    let mut len = 0;
    let mut used = words.len();
    while let Some(highest) = words[..used].iter().rposition(|word| *word != 0) {
        used = highest + 1;
        let mut rest = 0;
        for word in words[..used].iter_mut().rev() {
            let dividend = rest << 32 | u64::from(*word);
            *word = u32::try_from(dividend / 1_000_000_000).ok()?;
            rest = dividend % 1_000_000_000;
        }
        for place in len..len + 9 {
            if rest > 0 {
                *digits.get_mut(place)? += u8::try_from(rest % 10).ok()?;
            }
            rest /= 10;
        }
        len += 9;
    }
    let len = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |highest| highest + 1);
    let decimals = usize::try_from(scale.max(0)).ok()?;
    let zeros = usize::try_from(scale.min(0).unsigned_abs()).ok()?;
    let len = len.max(decimals + 1);
    if len + zeros > MAX_DIGITS {
        return None;
    }
    bytes.clear();
    bytes.extend(is_negative.then_some(b'-'));
    for (place, digit) in digits[..len].iter().enumerate().rev() {
        bytes.push(*digit);
        if place == decimals && decimals > 0 {
            bytes.push(b'.');
        }
    }
    bytes.extend(std::iter::repeat_n(b'0', zeros));
    Some(())
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

    /// `new BigDecimal(new BigInteger(bytes), scale).toPlainString()` of Java.
    #[test]
    fn a_number_of_any_length_becomes_a_text() {
        let power = |bytes: usize| [&[1][..], &vec![0; bytes]].concat();
        for (bytes, scale, expected) in [
            (power(17), 0, "87112285931760246646623899502532662132736"),
            (power(17), 2, "871122859317602466466238995025326621327.36"),
            (power(17), -2, "8711228593176024664662389950253266213273600"),
            (power(17), 43, "0.0087112285931760246646623899502532662132736"),
            ([&[0xFF][..], &[0; 17]].concat(), 1, "-8711228593176024664662389950253266213273.6"),
            ([&[0x80][..], &[0; 16]].concat(), 0, "-43556142965880123323311949751266331066368"),
            ([&[0xFF, 0x7F][..], &[0xFF; 16]].concat(), 0, "-43556142965880123323311949751266331066369"),
            (vec![0x7D], 2, "1.25"),
            (vec![0x7D], 45, "0.000000000000000000000000000000000000000000125"),
            (vec![], -3, "0"),
        ] {
            let mut text = bytes.clone();
            assert_eq!(write_in_place(&mut text, scale), Some(expected), "{bytes:?}, {scale}");
        }
        for (bytes, scale) in [(power(416), 0), (power(500), 0), (vec![1], 1000), (vec![1], -1000)] {
            assert_eq!(write_in_place(&mut bytes.clone(), scale), None, "{} bytes, {scale}", bytes.len());
        }
        assert_eq!(write_in_place(&mut power(415), 0).map(str::len), Some(MAX_DIGITS));
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
