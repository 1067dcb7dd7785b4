//! DATE, TIME and TIMESTAMP. Agrees with `java.time.format.DateTimeFormatter`: `ISO_LOCAL_DATE`, and a time with its
//! seconds and as many decimals as it needs.

use crate::text::calendar::Date;
use crate::text::scratch::{append, pair};

const MILLIS_OF_DAY: i64 = 86_400_000;

/// Appends the date `days` days after 1970-01-01: `2024-02-29`. A year below 0 or above 9999 has a sign.
#[inline]
pub(crate) fn write_date(out: &mut Vec<u8>, days: i32) {
    let date = Date::from_epoch_day(days.into());
    match date_text(date) {
        Some(text) => out.extend_from_slice(&text),
        None => write_distant_date(out, date),
    }
}

/// Appends the time `millis_of_day` milliseconds after midnight: `12:34:56.789`. The decimals are those needed; what
/// lies outside of the day is taken modulo the day.
#[inline]
pub(crate) fn write_time(out: &mut Vec<u8>, millis_of_day: i32) {
    let (text, len) = time_text(millis_of_day.into(), 0);
    append(out, &text, len);
}

/// Appends the date and time `millis` milliseconds and `nanos_of_millis` nanoseconds (below 1,000,000) after
/// 1970-01-01 00:00:00: `2024-02-29 12:34:56.789`, with `separator` in the middle.
#[inline]
pub(crate) fn write_timestamp(out: &mut Vec<u8>, millis: i64, nanos_of_millis: u32, separator: u8) {
    let date = Date::from_epoch_day(millis.div_euclid(MILLIS_OF_DAY));
    let (time, len) = time_text(millis, nanos_of_millis);
    match date_text(date) {
        Some(date) => {
            let mut text = [separator; 29];
            text[..10].copy_from_slice(&date);
            text[11..].copy_from_slice(&time);
            append(out, &text, 11 + len);
        }
        None => {
            write_distant_date(out, date);
            out.push(separator);
            append(out, &time, len);
        }
    }
}

/// `uuuu-MM-dd`; nothing where the year does not have four digits.
#[inline]
fn date_text(date: Date) -> Option<[u8; 10]> {
    let year = u32::try_from(date.year).ok().filter(|&year| year <= 9999)?;
    let ([y0, y1], [y2, y3], [m0, m1], [d0, d1]) =
        (pair(year / 100), pair(year), pair(date.month), pair(date.day));
    Some([y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1])
}

/// Years of other than four digits: a sign, and four digits at least.
#[cold]
fn write_distant_date(out: &mut Vec<u8>, date: Date) {
    out.push(if date.year < 0 { b'-' } else { b'+' });
    let year = date.year.unsigned_abs();
    for unit in [1000, 100, 10] {
        if year < unit {
            out.push(b'0');
        }
    }
    out.extend_from_slice(itoa::Buffer::new().format(year).as_bytes());
    let ([m0, m1], [d0, d1]) = (pair(date.month), pair(date.day));
    out.extend_from_slice(&[b'-', m0, m1, b'-', d0, d1]);
}

/// `HH:mm:ss.fffffffff` of `millis` modulo the day, and how much of it there is to write: no zeros at the end of the
/// decimals, and no point without decimals.
#[inline]
fn time_text(millis: i64, nanos_of_millis: u32) -> ([u8; 18], usize) {
    #[expect(clippy::cast_possible_truncation, reason = "below the divisor")]
    let millis = millis.rem_euclid(MILLIS_OF_DAY) as u32;
    let seconds = millis / 1000;
    let millis = millis % 1000;
    let ([h0, h1], [m0, m1], [s0, s1]) = (pair(seconds / 3600), pair(seconds / 60 % 60), pair(seconds % 60));
    let ([_, f0], [f1, f2]) = (pair(millis / 100), pair(millis));
    let n = nanos_of_millis;
    let ([f3, f4], [f5, f6], [f7, f8]) = (pair(n / 10_000), pair(n / 100), pair(n));
    let text = [h0, h1, b':', m0, m1, b':', s0, s1, b'.', f0, f1, f2, f3, f4, f5, f6, f7, f8];
    let mut len = match (millis, nanos_of_millis) {
        (0, 0) => return (text, "HH:mm:ss".len()),
        (_, 0) => "HH:mm:ss.fff".len(),
        _ => text.len(),
    };
    while text[len - 1] == b'0' {
        len -= 1;
    }
    (text, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    /// From `java.time.LocalDate`.
    #[test]
    fn years_of_other_than_four_digits_have_a_sign() {
        let cases = [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (i32::MAX, "+5881580-07-11"),
            (i32::MIN, "-5877641-06-23"),
        ];
        for (days, expected) in cases {
            assert_eq!(text(|out| write_date(out, days)), expected);
        }
    }

    #[test]
    fn a_time_has_the_decimals_it_needs() {
        let cases = [
            (0, "00:00:00"),
            (1, "00:00:00.001"),
            (45_296_700, "12:34:56.7"),
            (45_296_780, "12:34:56.78"),
            (86_399_999, "23:59:59.999"),
            (-1, "23:59:59.999"),
            (i32::MAX, "20:31:23.647"),
        ];
        for (millis, expected) in cases {
            assert_eq!(text(|out| write_time(out, millis)), expected);
        }
    }

    /// From `java.time.LocalDateTime`.
    #[test]
    fn a_timestamp_has_up_to_nine_decimals() {
        let cases = [
            (1_714_999_999_000, 0, "2024-05-06 12:53:19"),
            (1_714_999_999_010, 0, "2024-05-06 12:53:19.01"),
            (1_714_999_999_000, 1, "2024-05-06 12:53:19.000000001"),
            (1_714_999_999_123, 456_000, "2024-05-06 12:53:19.123456"),
            (-1, 999_999, "1969-12-31 23:59:59.999999999"),
            (i64::MAX, 0, "+292278994-08-17 07:12:55.807"),
            (i64::MIN, 0, "-292275055-05-16 16:47:04.192"),
        ];
        for (millis, nanos, expected) in cases {
            assert_eq!(text(|out| write_timestamp(out, millis, nanos, b' ')), expected);
        }
        assert_eq!(text(|out| write_timestamp(out, 0, 0, b'T')), "1970-01-01T00:00:00");
    }
}
