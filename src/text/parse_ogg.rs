//! The two timestamps of an ogg message. Agrees with `parseTimestampData` of Flink's `DateTimeUtils`.

use crate::text::Malformed;
use crate::text::calendar::Date;
use crate::text::parse_datetime::{Cursor, Moment, ResolverStyle, Seconds, Time, number_of, resolve_date};
use crate::text::parse_integer::trim_java;
use crate::text::parse_sql::UtilDate;

/// The milliseconds of `op_ts`, such as `2024-2-29 1:02:03.4`, after 1970-01-01; further decimals are cut.
///
/// The time may be missing. Days up to 31 which the month has not are its last, and `24:00:00` is the next day's midnight.
pub(crate) fn parse_ogg_event_timestamp(text: &str) -> Option<i64> {
    let mut cursor = Cursor::new(text);
    let year = year_of_era(&mut cursor)?;
    cursor.one_of(b"-")?;
    let month = field(&mut cursor, 1)?;
    cursor.one_of(b"-")?;
    let day = field(&mut cursor, 1)?;
    let mut time = Time { hour: 0, minute: 0, second: 0, nanos: 0 };
    if !cursor.rest().is_empty() {
        cursor.one_of(b" ")?;
        time.hour = field(&mut cursor, 0)?;
        cursor.one_of(b":")?;
        time.minute = field(&mut cursor, 0)?;
        cursor.one_of(b":")?;
        time.second = field(&mut cursor, 0)?;
        time.nanos = cursor.nanos();
    }
    cursor.end()?;
    millis(Date { year, month, day }, time)
}

/// The moment of `current_ts`, as milliseconds after 1970-01-01 and the nanoseconds after them; `None` is NULL.
///
/// What GoldenGate writes, `2024-02-29T12:34:56.123456`, is cut to milliseconds. Anything else is tried as the text of
/// a `java.sql.Timestamp`, which keeps its nanoseconds, or of a `java.sql.Date`.
///
/// # Errors
///
/// If the day exists in the Julian calendar only.
pub(crate) fn parse_ogg_ingestion_timestamp(text: &str) -> Result<Option<(i64, u32)>, Malformed> {
    if let Some(millis) = parse_micros(text) {
        return Ok(Some((millis, 0)));
    }
    let text = trim_java(text);
    let date =
        if text.contains(' ') { UtilDate::of_sql_timestamp(text) } else { UtilDate::of_sql_date(text) };
    match date {
        Some(date) => date.resolve().map(|moment| Some(moment.instant())).ok_or(Malformed),
        None => Ok(None),
    }
}

/// `yyyy-MM-dd'T'HH:mm:ss.SSSSSS`, as lenient about days and hours as `op_ts`.
fn parse_micros(text: &str) -> Option<i64> {
    let (_, decimals) = text.rsplit_once('.')?;
    if decimals.len() != 6 {
        return None;
    }
    let mut cursor = Cursor::new(text);
    let year = year_of_era(&mut cursor)?;
    let date = cursor.month_and_day(year)?;
    cursor.one_of(b"T")?;
    let time = cursor.time(Seconds::Required)?;
    cursor.end()?;
    millis(date, time)
}

/// A year that is not before 1 AD, of four digits, or of more after a `+`.
fn year_of_era(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.year(19).filter(|&year| year > 0)
}

/// The pattern `[MM][M]`: two digits or one, or none, which stand for `default`.
///
/// Where the first part of it has matched, Java tries the second as well: digits that say the same number again. And
/// where there are none it takes `-` for the sign of a number, which is then out of range.
fn field(cursor: &mut Cursor<'_>, default: u32) -> Option<u32> {
    match *cursor.digits(2 + 19) {
        [] if matches!(*cursor.rest(), [b'-', b'0'..=b'9', ..]) => None,
        [] => Some(default),
        [ones] => Some((ones - b'0').into()),
        [tens, ones, ref again @ ..] => {
            let number = u32::from(tens - b'0') * 10 + u32::from(ones - b'0');
            (again.is_empty() || number_of(again) == i64::from(number)).then_some(number)
        }
    }
}

fn millis(date: Date, time: Time) -> Option<i64> {
    let time = time.resolve(ResolverStyle::Smart)?;
    let days = resolve_date(date, ResolverStyle::Smart)? + time.days;
    let (millis, _) = Moment { days, ..time }.instant();
    Some(millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::put_timestamp;
    use crate::text::room::text_of;

    fn text((millis, nanos): (i64, u32)) -> String {
        text_of(|room| put_timestamp(room, millis, nanos, b' '))
    }

    /// From Flink's pattern, run on JDK 17.
    #[test]
    fn the_fields_of_op_ts_have_one_digit_or_two_and_its_decimals_are_cut() {
        let cases = [
            ("2024-02-29 12:34:56.789999999", "2024-02-29 12:34:56.789"),
            ("2024-2-9 1:2:3.4", "2024-02-09 01:02:03.4"),
            ("2024-02-29", "2024-02-29 00:00:00"),
            ("2024-02-29 12:34:56.", "2024-02-29 12:34:56"),
            ("2024-02-30 12:34:56", "2024-02-29 12:34:56"),
            ("2024-02-29 24:00:00", "2024-03-01 00:00:00"),
            ("+12024-01-01", "+12024-01-01 00:00:00"),
            ("0001-01-01", "0001-01-01 00:00:00"),
            ("2024-011-01", "2024-01-01 00:00:00"),
            ("2024--", "2024-01-01 00:00:00"),
            ("2024-05- ::", "2024-05-01 00:00:00"),
        ];
        for (op_ts, expected) in cases {
            let millis = parse_ogg_event_timestamp(op_ts).expect(op_ts);
            assert_eq!(text((millis, 0)), expected, "{op_ts}");
        }
        for op_ts in [
            "",
            "2024",
            "2024-02",
            "24-02-29",
            "0000-01-01",
            "-0001-01-01",
            "12024-01-01",
            "2024-012-01",
            "2024-13-01",
            "2024-00-01",
            "2024-02-32",
            "2024--05",
            "2024--1-05",
            "2024-02-29T12:34:56",
            "2024-02-29 12:34:56Z",
            "2024-02-29 12:34",
            "2024-02-29 ",
            "2024-02-29  12:34:56",
            "2024-02-29 25:00:00",
            "2024-02-29 24:00:01",
            "2024-02-29 12:60:00",
            "2024-02-29 12:34:60",
            "2024-02-29 12:34:56.1234567890",
            " 2024-02-29",
        ] {
            assert_eq!(parse_ogg_event_timestamp(op_ts), None, "{op_ts}");
        }
    }

    /// From Flink's pattern, `java.sql.Timestamp` and `java.sql.Date` on JDK 17.
    #[test]
    fn current_ts_is_cut_to_milliseconds_in_one_form_only() {
        let cases = [
            ("2024-02-29T12:34:56.123456", Some("2024-02-29 12:34:56.123")),
            ("2024-02-30T24:00:00.000000", Some("2024-03-01 00:00:00")),
            ("2024-02-29T12:34:56.12345", None),
            ("2024-02-29T12:34:56.1234567", None),
            ("2024-02-29T12:34:56", None),
            ("2024-02-29t12:34:56.123456", None),
            ("2024-2-29T12:34:56.123456", None),
            (" 2024-2-9 1:2:3.123456789 ", Some("2024-02-09 01:02:03.123456789")),
            ("2024-02-30 24:00:00", Some("2024-03-02 00:00:00")),
            ("2024-02-29 -1:61:100000.5", Some("2024-03-01 03:47:40.5")),
            ("1582-10-04 24:00:00", Some("1582-10-15 00:00:00")),
            ("2024-02-29 12:34:56.", None),
            ("2024-02-29 12:34:56.1234567890", None),
            ("2024-02-29 12:34", None),
            ("2024-02-29", Some("2024-02-29 00:00:00")),
            ("2023-02-29", Some("2023-03-01 00:00:00")),
            ("20240229", None),
            ("", None),
        ];
        for (current_ts, expected) in cases {
            let moment = parse_ogg_ingestion_timestamp(current_ts).unwrap();
            assert_eq!(moment.map(text).as_deref(), expected, "{current_ts}");
        }
        assert_eq!(parse_ogg_ingestion_timestamp("1500-02-29 00:00:00"), Err(Malformed));
        assert_eq!(parse_ogg_ingestion_timestamp("1500-02-29"), Err(Malformed));
    }
}
