//! The texts of `java.sql.Date` and `java.sql.Timestamp`.

use crate::text::calendar::Date;
use crate::text::datetime::MILLIS_OF_DAY;
use crate::text::parse_datetime::{Moment, ResolverStyle, resolve_date};
use crate::text::parse_integer::{digit_value, parse_integer};

/// The days after 1970-01-01 of a date such as `2024-02-29`, whose month and day may have one digit.
///
/// Csv reads a DATE so: days that are not real are counted on, 2023-02-29 is 2023-03-01, and up to 1582 the calendar is
/// the Julian one. Agrees with `java.sql.Date.valueOf` and `toLocalDate`.
pub(crate) fn parse_sql_date(text: &str) -> Option<i32> {
    let moment = UtilDate::of_sql_date(text)?.resolve()?;
    i32::try_from(moment.days).ok()
}

/// The fields of a `java.util.Date`, perhaps out of their range.
pub(super) struct UtilDate {
    date: Date,
    second_of_day: i64,
    nanos: u32,
}

impl UtilDate {
    /// `java.sql.Date.valueOf`.
    pub(super) fn of_sql_date(text: &str) -> Option<Self> {
        let (year, text) = text.split_once('-')?;
        let (month, day) = text.split_once('-')?;
        if year.chars().count() != 4 || month.chars().count() > 2 || day.chars().count() > 2 {
            return None;
        }
        let month = parse_integer(month).filter(|month| (1..=12).contains(month))?;
        let day = parse_integer(day).filter(|day| (1..=31).contains(day))?;
        let date =
            Date { year: parse_integer(year)?, month: month.try_into().ok()?, day: day.try_into().ok()? };
        Some(Self { date, second_of_day: 0, nanos: 0 })
    }

    /// `java.sql.Timestamp.valueOf`, of a text without blanks around it. Hours, minutes and seconds can be any ints.
    pub(super) fn of_sql_timestamp(text: &str) -> Option<Self> {
        let (date, time) = text.split_once(' ')?;
        let (hour, time) = time.split_once(':')?;
        let (minute, time) = time.split_once(':')?;
        let (second, nanos) = match time.split_once('.') {
            Some((second, decimals)) => (second, nanos(decimals)?),
            None => (time, 0),
        };
        let int = |text| parse_integer(text).filter(|&value| i32::try_from(value).is_ok());
        let second_of_day = (int(hour)? * 60 + int(minute)?) * 60 + int(second)?;
        Some(Self { second_of_day, nanos, ..Self::of_sql_date(date)? })
    }

    /// `toLocalDate` or `toLocalDateTime`: the year, month and day that `java.util.Date` shows, in the calendar of
    /// `java.time`. `None` for a day that only the Julian calendar has.
    pub(super) fn resolve(self) -> Option<Moment> {
        const FIRST_GREGORIAN_DAY: i64 = -141_427; // 1582-10-15
        const SECONDS_OF_DAY: i64 = MILLIS_OF_DAY / 1000;
        let further = self.second_of_day.div_euclid(SECONDS_OF_DAY) + i64::from(self.date.day) - 1;
        let first = Date { day: 1, ..self.date };
        let gregorian = first.epoch_day() + further;
        let julian = first.julian_epoch_day() + further;
        // The calendar is that of the year, unless the day turns out to be of the other.
        let is_gregorian =
            if first.year < 1582 { julian >= FIRST_GREGORIAN_DAY } else { gregorian >= FIRST_GREGORIAN_DAY };
        let days = if is_gregorian { gregorian } else { julian };
        let mut shown = if days < FIRST_GREGORIAN_DAY {
            Date::of_julian_epoch_day(days)
        } else {
            Date::of_epoch_day(days)
        };
        if shown.year < 1 {
            shown.year = 1 - shown.year; // the year is shown without its era
        }
        Some(Moment {
            days: resolve_date(shown, ResolverStyle::Strict)?,
            millis_of_day: self.second_of_day.rem_euclid(SECONDS_OF_DAY) * 1000
                + i64::from(self.nanos / 1_000_000),
            nanos_of_millis: self.nanos % 1_000_000,
        })
    }
}

/// One to nine decimals.
fn nanos(decimals: &str) -> Option<u32> {
    let mut nanos = 0;
    let mut unit = 1_000_000_000;
    for decimal in decimals.chars() {
        unit /= 10;
        if unit == 0 {
            return None;
        }
        nanos += u32::from(digit_value(decimal)?) * unit;
    }
    (!decimals.is_empty()).then_some(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::put_date;
    use crate::text::room::text_of;

    fn date(text: &str) -> Option<String> {
        let days = parse_sql_date(text)?;
        Some(text_of(|room| put_date(room, days)))
    }

    /// From `java.sql.Date`.
    #[test]
    fn days_are_counted_on_and_the_calendar_changes_in_1582() {
        let cases = [
            ("2024-02-29", "2024-02-29"),
            ("2024-2-9", "2024-02-09"),
            ("2024-+1-01", "2024-01-01"),
            ("２０２٤-02-29", "2024-02-29"),
            ("+202-01-01", "0202-01-01"),
            ("2023-02-29", "2023-03-01"),
            ("2024-02-31", "2024-03-02"),
            ("2023-04-31", "2023-05-01"),
            ("9999-12-31", "9999-12-31"),
            ("1582-10-04", "1582-10-04"),
            ("1582-10-05", "1582-10-15"),
            ("1582-10-14", "1582-10-24"),
            ("1582-10-15", "1582-10-15"),
            ("1500-02-30", "1500-03-01"),
            ("0000-03-05", "0001-03-05"),
            ("0001-01-01", "0001-01-01"),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_date() {
        for text in [
            "",
            "-",
            "--",
            "2024-02",
            "2024-02-",
            "2024--01",
            "-2024-01-01",
            "24-01-01",
            "12024-01-01",
            "2024-013-01",
            "2024-00-01",
            "2024-13-01",
            "2024-01-00",
            "2024-01-32",
            "2024-01-1-1",
            "2024-1--1",
            " 2024-01-01",
            "2024-01-01 ",
            "2024-1 -01",
            "2024-01-001",
            "2024/01/01",
            "1500-02-29",
            "0000-02-29",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
