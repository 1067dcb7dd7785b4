//! FLOAT and DOUBLE. Agrees with `Float.toString` and `Double.toString`.
//!
//! Java's notation is one and the same everywhere, its digits are not: JDK 19 began to print the shortest ones
//! (JDK-4511638). Those come from `zmij`; the older ones from [`float_jdk8`].

use crate::text::digits::put_fixed;
use crate::text::float_digits::Digits;
use crate::text::float_jdk8;
use crate::text::room::{Room, put_text};

/// The Java whose digits FLOAT and DOUBLE are written with.
///
/// The text of a floating point number differs between JDKs, and with it the bytes of a key and its partition:
/// 2E23 is `1.9999999999999998E23` up to JDK 18 and `2.0E23` from JDK 19 on
/// ([JDK-4511638](https://bugs.openjdk.org/browse/JDK-4511638)). Most values have the same digits on both. Choose
/// the JDK of the Flink cluster that shares the topic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jdk {
    /// JDK 8 to 18: digits that are not always the shortest, nor always the nearest. Numbers of at most two decimals,
    /// such as prices, cost as much as with the default, others two to six times as much.
    Jdk8To18,
    /// JDK 19 and later: the shortest digits that read back as the same number.
    #[default]
    Jdk19Plus,
}

/// Writes `value` as `Double.toString` gives it; `NaN`, `Infinity` and `-Infinity` are bare words.
#[inline]
pub(crate) fn put_f64(room: &mut Room, value: f64, jdk: Jdk) -> usize {
    match hundredths(value) {
        // A price or an amount, whose digits are the same in every JDK.
        Some(hundredths) => {
            room[0] = b'-';
            let at = usize::from(value.is_sign_negative());
            put_fixed(room, at, hundredths, 2, 2 - usize::from(hundredths.is_multiple_of(10)))
        }
        None => put_float(room, value, jdk),
    }
}

/// Writes `value` as `Float.toString` gives it; `NaN`, `Infinity` and `-Infinity` are bare words.
#[inline]
pub(crate) fn put_f32(room: &mut Room, value: f32, jdk: Jdk) -> usize {
    put_float(room, value, jdk)
}

/// The magnitude of `value` in hundredths, where it is the double nearest to such a number and below 10^6.
///
/// Of so few digits at most one number is as near, hence those are the shortest. The older JDKs find them too: that
/// was tried out for every one of these doubles.
#[inline]
fn hundredths(value: f64) -> Option<u64> {
    let magnitude = value.abs();
    if magnitude < 999_999.0 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 10^8")]
        let hundredths = (magnitude * 100.0 + 0.5) as u32;
        (f64::from(hundredths) / 100.0 == magnitude).then_some(hundredths.into())
    } else {
        None
    }
}

/// What the two types differ in.
trait JavaFloat: zmij::Float + Copy + Into<f64> {
    /// Bits of the significand of a normal number.
    const PRECISION: u32;
    /// The least positive number: 18 digits, and the exponent of the last of them.
    const LEAST: (u64, i32);

    /// How many times the least positive number a subnormal one is.
    fn subnormal(self) -> Option<u64>;
}

impl JavaFloat for f64 {
    const PRECISION: u32 = 53;
    const LEAST: (u64, i32) = (494_065_645_841_246_544, -341);

    fn subnormal(self) -> Option<u64> {
        self.is_subnormal().then_some(self.abs().to_bits())
    }
}

impl JavaFloat for f32 {
    const PRECISION: u32 = 24;
    const LEAST: (u64, i32) = (140_129_846_432_481_707, -62);

    fn subnormal(self) -> Option<u64> {
        self.is_subnormal().then_some(self.abs().to_bits().into())
    }
}

fn put_float<F: JavaFloat>(room: &mut Room, value: F, jdk: Jdk) -> usize {
    let magnitude = value.into().abs();
    // In Java's plain range zmij's layout is Java's.
    if jdk == Jdk::Jdk19Plus && (magnitude == 0.0 || (1e-3..1e7).contains(&magnitude)) {
        put_text(room, 0, zmij::Buffer::new().format_finite(value).as_bytes())
    } else {
        put_digits(room, value, jdk)
    }
}

fn put_digits<F: JavaFloat>(room: &mut Room, value: F, jdk: Jdk) -> usize {
    let wide: f64 = value.into();
    if !wide.is_finite() {
        let word: &[u8] = if wide.is_nan() {
            b"NaN"
        } else if wide > 0.0 {
            b"Infinity"
        } else {
            b"-Infinity"
        };
        return put_text(room, 0, word);
    }
    let digits = match jdk {
        Jdk::Jdk8To18 => {
            let precision = value.subnormal().map_or(F::PRECISION, |times| u64::BITS - times.leading_zeros());
            float_jdk8::digits(wide.abs(), precision)
        }
        Jdk::Jdk19Plus => {
            let shortest = Digits::of_text(zmij::Buffer::new().format_finite(value));
            match value.subnormal() {
                // Java wants two digits and takes the nearest two, not the shortest one and a zero.
                Some(times) if shortest.len == 1 => Digits::two_of(times, F::LEAST),
                Some(_) | None => shortest,
            }
        }
    };
    digits.put(room, wide.is_sign_negative())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::room::text_of;

    fn double(value: f64, jdk: Jdk) -> String {
        text_of(|room| put_f64(room, value, jdk))
    }

    fn float(value: f32, jdk: Jdk) -> String {
        text_of(|room| put_f32(room, value, jdk))
    }

    #[test]
    fn every_text_that_java_gave_is_ours() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/float_text.jsonl");
        let lines = std::fs::read_to_string(path).unwrap();
        for line in lines.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let bits = u64::from_str_radix(case["bits"].as_str().unwrap(), 16).unwrap();
            let text = |jdk| match case["type"].as_str().unwrap() {
                "DOUBLE" => double(f64::from_bits(bits), jdk),
                _ => float(f32::from_bits(bits.try_into().unwrap()), jdk),
            };
            assert_eq!(text(Jdk::Jdk8To18), case["jdk17"].as_str().unwrap(), "{line}");
            assert_eq!(text(Jdk::Jdk19Plus), case["jdk25"].as_str().unwrap(), "{line}");
        }
    }

    #[test]
    fn what_is_no_number_is_a_word() {
        for jdk in [Jdk::Jdk8To18, Jdk::Jdk19Plus] {
            assert_eq!(double(f64::NAN, jdk), "NaN");
            assert_eq!(double(-f64::NAN, jdk), "NaN");
            assert_eq!(float(f32::INFINITY, jdk), "Infinity");
            assert_eq!(double(f64::NEG_INFINITY, jdk), "-Infinity");
            assert_eq!(double(-0.0, jdk), "-0.0");
            assert_eq!(float(0.0, jdk), "0.0");
        }
    }

    /// From JDK 17.
    #[test]
    fn java_8_to_18_wraps_and_rounds_in_its_own_way() {
        let floats = [
            (0x6900_0000, "9.6714065E24"),
            (0xEA5F_946F, "-6.7572853E25"),
            (0x3D34_8000, "0.044067383"),
            (0x0000_0002, "2.8E-45"),
        ];
        for (bits, text) in floats {
            assert_eq!(float(f32::from_bits(bits), Jdk::Jdk8To18), text);
        }
        let doubles = [
            (0x44AF_5718_9876_64B4, "7.3999999999999996E22"),
            (0x1D70_0000_0000_0000, "6.7833213790438156E-167"),
            (0x43D0_0000_0000_0000, "4.6116860184273879E18"),
            (1e23_f64.to_bits(), "9.999999999999999E22"),
            (2e23_f64.to_bits(), "1.9999999999999998E23"),
        ];
        for (bits, text) in doubles {
            assert_eq!(double(f64::from_bits(bits), Jdk::Jdk8To18), text);
        }
    }

    /// From JDK 25.
    #[test]
    fn java_19_takes_the_nearest_of_two_digits_where_one_would_do() {
        assert_eq!(double(f64::from_bits(1), Jdk::Jdk19Plus), "4.9E-324");
        assert_eq!(double(f64::from_bits(20), Jdk::Jdk19Plus), "9.9E-323");
        assert_eq!(float(f32::from_bits(1), Jdk::Jdk19Plus), "1.4E-45");
        assert_eq!(double(2e23, Jdk::Jdk19Plus), "2.0E23");
        assert_eq!(double(1e7, Jdk::Jdk19Plus), "1.0E7");
        assert_eq!(double(9_999_999.0, Jdk::Jdk19Plus), "9999999.0");
        assert_eq!(double(1e-3, Jdk::Jdk19Plus), "0.001");
        assert_eq!(double(9.99e-4, Jdk::Jdk19Plus), "9.99E-4");
    }

    proptest::proptest! {
        #[test]
        fn hundredths_are_written_like_any_other_number(number in 0..99_999_900_u32, negative: bool) {
            let value = f64::from(number) / if negative { -100.0 } else { 100.0 };
            for jdk in [Jdk::Jdk8To18, Jdk::Jdk19Plus] {
                proptest::prop_assert_eq!(hundredths(value), Some(number.into()));
                proptest::prop_assert_eq!(double(value, jdk), text_of(|room| put_float(room, value, jdk)));
            }
        }
    }
}
