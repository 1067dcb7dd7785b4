//! DATE, TIME and TIMESTAMP. Agrees with `java.time.format.DateTimeFormatter`: `ISO_LOCAL_DATE`, and a time with its
//! seconds and as many decimals as it needs.

use crate::text::calendar::{DAYS_OF_FOUR_DIGIT_YEARS, DAYS_TO_EPOCH, Date};
use crate::text::integer::put_integer_at;
use crate::text::room::{Room, pair, put};

pub(crate) const MILLIS_OF_DAY: i64 = 86_400_000;

/// Writes the date `days` days after 1970-01-01: `2024-02-29`. A year below 0 or above 9999 has a sign.
#[inline]
pub(crate) fn put_date(room: &mut Room, days: i32) -> usize {
    put_days(room, days.into())
}

/// Writes the time `millis_of_day` milliseconds after midnight: `12:34:56.789`. The decimals are those needed; what
/// lies outside of the day is taken modulo the day.
#[inline]
pub(crate) fn put_time(room: &mut Room, millis_of_day: i32) -> usize {
    put_time_at(room, 0, i64::from(millis_of_day).rem_euclid(MILLIS_OF_DAY), 0)
}

/// Writes the date and time `millis` milliseconds and `nanos_of_millis` nanoseconds (below 1,000,000) after
/// 1970-01-01 00:00:00: `2024-02-29 12:34:56.789`, with `separator` in the middle.
#[inline]
pub(crate) fn put_timestamp(room: &mut Room, millis: i64, nanos_of_millis: u32, separator: u8) -> usize {
    let (days, millis_of_day) = (millis.div_euclid(MILLIS_OF_DAY), millis.rem_euclid(MILLIS_OF_DAY));
    let at = put_days(room, days);
    room[at] = separator;
    put_time_at(room, at + 1, millis_of_day, nanos_of_millis)
}

/// Writes the date `days` days after 1970-01-01.
#[inline]
fn put_days(room: &mut Room, days: i64) -> usize {
    match u32::try_from(days + DAYS_TO_EPOCH) {
        Ok(days) if days < DAYS_OF_FOUR_DIGIT_YEARS => {
            let Date { year, month, day } = Date::of_day(days);
            put(room, 0, pair(year / 100));
            put(room, 2, pair(year % 100));
            put_month_and_day(room, 4, month, day)
        }
        _ => put_distant_days(room, days),
    }
}

/// Writes a date whose year has not four digits: they get a sign, and are four at least.
#[cold]
fn put_distant_days(room: &mut Room, days: i64) -> usize {
    let Date { year, month, day } = Date::of_epoch_day(days);
    room[0] = if year < 0 { b'-' } else { b'+' };
    let mut at = 1;
    for least in [1000, 100, 10] {
        if year.unsigned_abs() < least {
            room[at] = b'0';
            at += 1;
        }
    }
    at = put_integer_at(room, at, year.abs());
    put_month_and_day(room, at, month, day)
}

/// Writes `-MM-dd` from `at` on, and says where it ends.
#[inline]
fn put_month_and_day(room: &mut Room, at: usize, month: u32, day: u32) -> usize {
    let ([m0, m1], [d0, d1]) = (pair(month), pair(day));
    put(room, at, [b'-', m0, m1, b'-', d0, d1]);
    at + 6
}

/// Writes `HH:mm:ss` and the decimals but for zeros at their end from `at` on, and says where that is.
#[inline]
fn put_time_at(room: &mut Room, at: usize, millis_of_day: i64, nanos_of_millis: u32) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the day")]
    let millis = millis_of_day as u32;
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let ([h0, h1], [m0, m1], [s0, s1]) = (pair(seconds / 3600), pair(seconds / 60 % 60), pair(seconds % 60));
    put(room, at, [h0, h1, b':', m0, m1, b':', s0, s1]);
    if millis == 0 && nanos_of_millis == 0 {
        return at + 8;
    }
    let ([_, first], [second, third]) = (pair(millis / 100), pair(millis % 100));
    put(room, at + 8, [b'.', first, second, third]);
    let mut end = at + 12;
    if nanos_of_millis != 0 {
        put(room, end, pair(nanos_of_millis / 10_000 % 100));
        put(room, end + 2, pair(nanos_of_millis / 100 % 100));
        put(room, end + 4, pair(nanos_of_millis % 100));
        end += 6;
    }
    while room[end - 1] == b'0' {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::room::text_of;

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
            assert_eq!(text_of(|room| put_date(room, days)), expected);
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
            assert_eq!(text_of(|room| put_time(room, millis)), expected);
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
            assert_eq!(text_of(|room| put_timestamp(room, millis, nanos, b' ')), expected);
        }
        assert_eq!(text_of(|room| put_timestamp(room, 0, 0, b'T')), "1970-01-01T00:00:00");
    }
}
