//! Numbers as Jackson's nodes hold them: a whole number, a double or, in a table with DECIMAL columns, a BigDecimal.

use crate::text::{self, Jdk};

/// How numbers with a point or an exponent are held.
///
/// Flink asks Jackson for BigDecimals as soon as any column of the row, at any depth, is a DECIMAL; that changes how
/// other columns read. Agrees with `USE_BIG_DECIMAL_FOR_FLOATS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatNodes {
    Double(Jdk),
    BigDecimal,
}

/// A decimal number taken apart: 0.`digits` times 10^`exponent`.
struct Parts<'a> {
    negative: bool,
    /// From the first digit that is not zero to the last one, a point perhaps among them; empty for zero.
    digits: &'a str,
    /// How many digits these are.
    length: usize,
    exponent: i64,
}

impl<'a> Parts<'a> {
    /// `lexeme` is a number by JSON's grammar. `None` beyond the exponents that BigDecimal has.
    fn of(lexeme: &'a str) -> Option<Self> {
        let (number, power) = match lexeme.split_once(['e', 'E']) {
            Some((number, power)) => (number, i64::from(power.parse::<i32>().ok()?)),
            None => (lexeme, 0),
        };
        let (negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number),
        };
        let point = number.find('.').unwrap_or(number.len());
        let digits = number.trim_matches(['0', '.']);
        let start = number.find(|digit| !matches!(digit, '0' | '.')).unwrap_or(0);
        // A zero after the point counts as well as one before it, the point itself does not.
        let leading = start - usize::from(start > point);
        let length = digits.len() - usize::from(digits.contains('.'));
        let exponent = i64::try_from(point).ok()? - i64::try_from(leading).ok()? + power;
        Some(Self { negative, digits, length, exponent })
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.digits.bytes().filter(|byte| *byte != b'.')
    }
}

/// Whether the exponent of a number is an `int`, as that of a BigDecimal is.
pub(super) fn has_exponent_of_big_decimal(lexeme: &str) -> bool {
    lexeme.split_once(['e', 'E']).is_none_or(|(_, power)| power.parse::<i32>().is_ok())
}

/// Appends the text of a number with a point or an exponent: `asText()` of its node.
pub(super) fn write_float(lexeme: &str, nodes: FloatNodes, out: &mut Vec<u8>) {
    match nodes {
        FloatNodes::Double(jdk) => {
            text::append(out, |room| text::put_f64(room, text::parse_f64(lexeme).unwrap_or(f64::NAN), jdk))
        }
        FloatNodes::BigDecimal => write_big_decimal(lexeme, out),
    }
}

/// `new BigDecimal(lexeme).stripTrailingZeros().toString()`, of any length.
fn write_big_decimal(lexeme: &str, out: &mut Vec<u8>) {
    let Some(parts) = Parts::of(lexeme) else { return out.extend_from_slice(lexeme.as_bytes()) };
    if parts.digits.is_empty() {
        return out.push(b'0');
    }
    if parts.negative {
        out.push(b'-');
    }
    let whole = usize::try_from(parts.exponent).ok();
    match whole {
        Some(whole @ 1..) if whole <= parts.length => {
            out.extend(parts.digits().take(whole));
            if whole < parts.length {
                out.push(b'.');
                out.extend(parts.digits().skip(whole));
            }
        }
        // BigDecimal goes over to exponents where the first digit stands below the sixth decimal.
        _ if (-5..=0).contains(&parts.exponent) => {
            out.extend_from_slice(b"0.");
            (parts.exponent..0).for_each(|_| out.push(b'0'));
            out.extend(parts.digits());
        }
        _ => {
            out.extend(parts.digits().take(1));
            if parts.length > 1 {
                out.push(b'.');
                out.extend(parts.digits().skip(1));
            }
            out.extend_from_slice(if parts.exponent > 0 { b"E+" } else { b"E" });
            text::append(out, |room| text::put_integer(room, parts.exponent - 1));
        }
    }
}

/// The BigDecimal without its fraction, if all of it, the fraction too, lies between `least` and `greatest`.
pub(super) fn big_decimal_to_integer(lexeme: &str, least: i64, greatest: i64) -> Option<i64> {
    let parts = Parts::of(lexeme)?;
    let whole = usize::try_from(parts.exponent).unwrap_or(0);
    if parts.digits.is_empty() {
        return Some(0);
    }
    if whole > 19 {
        return None;
    }
    let digits = parts.digits().chain(std::iter::repeat(b'0')).take(whole);
    let magnitude = digits.fold(0_i128, |value, digit| value * 10 + i128::from(digit - b'0'));
    let value = if parts.negative { -magnitude } else { magnitude };
    let fraction = parts.length > whole;
    let (least, greatest) = (i128::from(least), i128::from(greatest));
    let beyond = value > greatest || value < least;
    let beyond_by_fraction =
        fraction && (value == greatest && !parts.negative || value == least && parts.negative);
    i64::try_from(value).ok().filter(|_| !beyond && !beyond_by_fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Flink's decoder, formats.md 1.3.7, and Java's BigDecimal.
    #[test]
    fn big_decimals_print_as_java_prints_them_without_trailing_zeros() {
        for (lexeme, text) in [
            ("1.10", "1.1"),
            ("1e2", "1E+2"),
            ("1e400", "1E+400"),
            ("-0.0", "0"),
            ("0.00001", "0.00001"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1E-7"),
            ("-123.4500", "-123.45"),
            ("12.5e-9", "1.25E-8"),
            ("100.0", "1E+2"),
        ] {
            let mut out = Vec::new();
            write_big_decimal(lexeme, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text, "{lexeme}");
        }
    }

    #[test]
    fn the_exact_value_decides_whether_a_big_decimal_is_in_range() {
        let long = |lexeme| big_decimal_to_integer(lexeme, i64::MIN, i64::MAX);
        assert_eq!(long("1.9"), Some(1));
        assert_eq!(long("-1.9e0"), Some(-1));
        assert_eq!(long("9223372036854775807.0"), Some(i64::MAX));
        assert_eq!(long("9223372036854775807.5"), None);
        assert_eq!(long("-9223372036854775808.5"), None);
        assert_eq!(long("1e30"), None);
        assert_eq!(long("0e2147483647"), Some(0));
        assert_eq!(long("1e-30"), Some(0));
    }
}
