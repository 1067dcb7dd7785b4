//! DATE, TIME and TIMESTAMP. Agrees with `java.time.format.DateTimeFormatter`: `ISO_LOCAL_DATE`, and a time with its
//! seconds and as many decimals as it needs.

use crate::text::calendar::{DAYS_OF_FOUR_DIGIT_YEARS, DAYS_TO_EPOCH, Date};
use crate::text::integer::write_integer;
use crate::text::scratch::{append, pair};

pub(super) const MILLIS_OF_DAY: i64 = 86_400_000;

/// Appends the date `days` days after 1970-01-01: `2024-02-29`. A year below 0 or above 9999 has a sign.
#[inline]
pub(crate) fn write_date(out: &mut Vec<u8>, days: i32) {
    match u32::try_from(i64::from(days) + DAYS_TO_EPOCH) {
        Ok(days) if days < DAYS_OF_FOUR_DIGIT_YEARS => append::<10>(out, |text| put_date(text, days)),
        _ => write_distant_date(out, days.into()),
    }
}

/// Appends the time `millis_of_day` milliseconds after midnight: `12:34:56.789`. The decimals are those needed; what
/// lies outside of the day is taken modulo the day.
#[inline]
pub(crate) fn write_time(out: &mut Vec<u8>, millis_of_day: i32) {
    append::<18>(out, |text| put_time(text, millis_of_day.into(), 0));
}

/// Appends the date and time `millis` milliseconds and `nanos_of_millis` nanoseconds (below 1,000,000) after
/// 1970-01-01 00:00:00: `2024-02-29 12:34:56.789`, with `separator` in the middle.
#[inline]
pub(crate) fn write_timestamp(out: &mut Vec<u8>, millis: i64, nanos_of_millis: u32, separator: u8) {
    let (days, millis_of_day) = (millis.div_euclid(MILLIS_OF_DAY), millis.rem_euclid(MILLIS_OF_DAY));
    match u32::try_from(days + DAYS_TO_EPOCH) {
        Ok(days) if days < DAYS_OF_FOUR_DIGIT_YEARS => append::<29>(out, |text| {
            text[10] = separator;
            put_date(&mut text[..10], days) + 1 + put_time(&mut text[11..], millis_of_day, nanos_of_millis)
        }),
        _ => {
            write_distant_date(out, days);
            out.push(separator);
            append::<18>(out, |text| put_time(text, millis_of_day, nanos_of_millis));
        }
    }
}

/// Writes `uuuu-MM-dd` and says how much that is.
#[inline]
fn put_date(text: &mut [u8], days: u32) -> usize {
    let Date { year, month, day } = Date::of_day(days);
    put_pair(text, 0, year / 100);
    put_pair(text, 2, year % 100);
    text[4] = b'-';
    put_pair(text, 5, month);
    text[7] = b'-';
    put_pair(text, 8, day);
    10
}

/// Writes `HH:mm:ss` and the decimals but for zeros at their end, and says how much that is.
#[inline]
fn put_time(text: &mut [u8], millis: i64, nanos_of_millis: u32) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "below the divisor")]
    let millis = millis.rem_euclid(MILLIS_OF_DAY) as u32;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    put_pair(text, 0, seconds / 3600);
    text[2] = b':';
    put_pair(text, 3, seconds / 60 % 60);
    text[5] = b':';
    put_pair(text, 6, seconds % 60);
    if millis == 0 && nanos_of_millis == 0 {
        return 8;
    }
    text[8] = b'.';
    text[9] = pair(millis / 100)[1];
    put_pair(text, 10, millis % 100);
    let mut len = 12;
    if nanos_of_millis != 0 {
        put_pair(text, 12, nanos_of_millis / 10_000 % 100);
        put_pair(text, 14, nanos_of_millis / 100 % 100);
        put_pair(text, 16, nanos_of_millis % 100);
        len = 18;
    }
    while text[len - 1] == b'0' {
        len -= 1;
    }
    len
}

#[inline]
fn put_pair(text: &mut [u8], start: usize, number: u32) {
    text[start..start + 2].copy_from_slice(&pair(number));
}

/// Appends a date whose year has not four digits: they get a sign, and are four at least.
#[cold]
fn write_distant_date(out: &mut Vec<u8>, days: i64) {
    let Date { year, month, day } = Date::of_epoch_day(days);
    out.push(if year < 0 { b'-' } else { b'+' });
    for least in [1000, 100, 10] {
        if year.unsigned_abs() < least {
            out.push(b'0');
        }
    }
    write_integer(out, year.abs());
    let ([m0, m1], [d0, d1]) = (pair(month), pair(day));
    out.extend_from_slice(&[b'-', m0, m1, b'-', d0, d1]);
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
