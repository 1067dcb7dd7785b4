//! DATE, TIME and TIMESTAMP. Agrees with `java.time.format.DateTimeFormatter`, as Flink's `TimeFormats` set it up.

use crate::text::calendar::Date;
use crate::text::datetime::MILLIS_OF_DAY;

/// The days of a date such as `2024-02-29` after 1970-01-01.
///
/// A year of other than four digits has a sign: `+` with more, `-` with four or more. Flink keeps the days in an int,
/// which wraps after the year 5881580.
pub(crate) fn parse_date(text: &str) -> Option<i32> {
    let mut cursor = Cursor::new(text);
    let date = cursor.date()?;
    cursor.end()?;
    #[expect(clippy::cast_possible_truncation, reason = "Flink's int wraps as well")]
    resolve_date(date, ResolverStyle::Strict).map(|days| days as i32)
}

/// The milliseconds of a time such as `12:34:56.789` after midnight; further decimals are cut. `24:00:00` is midnight.
pub(crate) fn parse_time(text: &str) -> Option<i32> {
    time_of_day(text, Seconds::Required, ResolverStyle::Smart)
}

/// As [`parse_time`], by `LocalTime.parse`, which csv uses: the seconds may be left out and there is no `24:00`.
pub(crate) fn parse_time_iso(text: &str) -> Option<i32> {
    time_of_day(text, Seconds::Optional, ResolverStyle::Strict)
}

/// The milliseconds of a TIMESTAMP such as `2024-02-29 12:34:56.789` after 1970-01-01, and the nanoseconds after them.
///
/// Days up to 31 which the month has not are its last, and `24:00:00` is the next day's midnight.
pub(crate) fn parse_timestamp_sql(text: &str) -> Option<(i64, u32)> {
    date_and_time(text, b" ", Seconds::Required, ResolverStyle::Smart, b"").map(Moment::local)
}

/// The same of a TIMESTAMP such as `2024-02-29T12:34:56.789`, with `T` or `t` and perhaps without seconds. Day and hour
/// must be real ones.
pub(crate) fn parse_timestamp_iso(text: &str) -> Option<(i64, u32)> {
    date_and_time(text, b"Tt", Seconds::Optional, ResolverStyle::Strict, b"").map(Moment::local)
}

/// The same of a TIMESTAMP_LTZ such as `2024-02-29 12:34:56.789Z`, as lenient as [`parse_timestamp_sql`].
pub(crate) fn parse_timestamp_ltz_sql(text: &str) -> Option<(i64, u32)> {
    date_and_time(text, b" ", Seconds::Required, ResolverStyle::Smart, b"Z").map(Moment::instant)
}

/// The same of a TIMESTAMP_LTZ such as `2024-02-29T12:34:56.789Z`, perhaps without seconds. Unlike
/// [`parse_timestamp_iso`] it takes days and hours that are not real, and no `t`.
pub(crate) fn parse_timestamp_ltz_iso(text: &str) -> Option<(i64, u32)> {
    date_and_time(text, b"T", Seconds::Optional, ResolverStyle::Smart, b"Z").map(Moment::instant)
}

/// A date, one of the separators, a time and `zone`.
#[inline]
fn date_and_time(
    text: &str,
    separators: &[u8],
    seconds: Seconds,
    style: ResolverStyle,
    zone: &[u8],
) -> Option<Moment> {
    let mut cursor = Cursor::new(text);
    let (date, time) = match cursor.plain_date_and_time(separators) {
        Some(fields) => fields,
        None => cursor.any_date_and_time(separators, seconds)?,
    };
    (cursor.rest() == zone).then_some(())?;
    let time = time.resolve(style)?;
    Some(Moment { days: resolve_date(date, style)? + time.days, ..time })
}

fn time_of_day(text: &str, seconds: Seconds, style: ResolverStyle) -> Option<i32> {
    let mut cursor = Cursor::new(text);
    let time = cursor.time(seconds)?;
    cursor.end()?;
    i32::try_from(time.resolve(style)?.millis_of_day).ok()
}

/// How fields become a value: whether days and hours that are not real are refused or taken for the nearest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResolverStyle {
    Strict,
    Smart,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seconds {
    Required,
    Optional,
}

/// A date and time.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    /// After 1970-01-01.
    pub(super) days: i64,
    pub(super) millis_of_day: i64,
    pub(super) nanos_of_millis: u32,
}

impl Moment {
    /// Milliseconds and the nanoseconds after them, as of an instant. Java's long wraps some 292 million years from
    /// 1970.
    pub(super) fn instant(self) -> (i64, u32) {
        (self.days.wrapping_mul(MILLIS_OF_DAY).wrapping_add(self.millis_of_day), self.nanos_of_millis)
    }

    /// The same of a TIMESTAMP, whose days Flink puts into an int whenever it looks at them
    /// (`TimestampData.toLocalDateTime`).
    fn local(self) -> (i64, u32) {
        let (mut millis, nanos) = self.instant();
        if i32::try_from(self.days).is_err() {
            #[expect(clippy::cast_possible_truncation, reason = "Flink's int wraps as well")]
            let days = millis.div_euclid(MILLIS_OF_DAY) as i32;
            millis = i64::from(days) * MILLIS_OF_DAY + millis.rem_euclid(MILLIS_OF_DAY);
        }
        (millis, nanos)
    }
}

/// Fields as they were read, perhaps out of their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) second: u32,
    pub(super) nanos: u32,
}

impl Time {
    /// The time after midnight, on the day itself or, where it is 24 o'clock, on the next.
    pub(super) fn resolve(self, style: ResolverStyle) -> Option<Moment> {
        let Self { hour, minute, second, nanos } = self;
        if style == ResolverStyle::Smart && (hour, minute, second, nanos) == (24, 0, 0, 0) {
            return Some(Moment { days: 1, millis_of_day: 0, nanos_of_millis: 0 });
        }
        (hour < 24 && minute < 60 && second < 60).then(|| Moment {
            days: 0,
            millis_of_day: (((hour * 60 + minute) * 60 + second) * 1000 + nanos / 1_000_000).into(),
            nanos_of_millis: nanos % 1_000_000,
        })
    }
}

/// The days of a date after 1970-01-01.
pub(super) fn resolve_date(mut date: Date, style: ResolverStyle) -> Option<i64> {
    let length = date.month_length();
    if style == ResolverStyle::Smart && date.day <= 31 {
        date.day = date.day.min(length);
    }
    ((1..=12).contains(&date.month) && (1..=length).contains(&date.day)).then(|| date.epoch_day())
}

/// What is left of a text.
pub(super) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text.as_bytes())
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(super) fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    /// One of these bytes.
    #[inline]
    pub(super) fn one_of(&mut self, bytes: &[u8]) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        bytes.contains(first).then_some(())
    }

    /// As many digits as there are, but for those beyond `most`.
    #[inline]
    pub(super) fn digits(&mut self, most: usize) -> &'a [u8] {
        let len = self.0.iter().take(most).take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(len);
        self.0 = rest;
        digits
    }

    #[inline]
    fn two_digits(&mut self) -> Option<u32> {
        match *self.0 {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ref rest @ ..] => {
                self.0 = rest;
                Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
            }
            _ => None,
        }
    }

    /// A year of at most so many digits: four of them without a sign, four or more with `-`, only more with `+`.
    #[inline]
    pub(super) fn year(&mut self, most_digits: usize) -> Option<i64> {
        match *self.0 {
            [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-', ..] => {
                let century = self.two_digits()?;
                Some((century * 100 + self.two_digits()?).into())
            }
            _ => self.any_year(most_digits),
        }
    }

    #[cold]
    fn any_year(&mut self, most_digits: usize) -> Option<i64> {
        const MAX_YEAR: i64 = 999_999_999;
        let sign = match *self.0 {
            [sign @ (b'+' | b'-'), ref rest @ ..] => {
                self.0 = rest;
                Some(sign)
            }
            _ => None,
        };
        let digits = self.digits(most_digits);
        let year = number_of(digits);
        match (sign, digits.len()) {
            _ if year > MAX_YEAR => None,
            (None, 4) | (Some(b'+'), 5..) => Some(year),
            (Some(b'-'), 4..) if year > 0 => Some(-year),
            _ => None,
        }
    }

    /// A date, one of the separators and a time.
    fn any_date_and_time(&mut self, separators: &[u8], seconds: Seconds) -> Option<(Date, Time)> {
        let date = self.date()?;
        self.one_of(separators)?;
        Some((date, self.time(seconds)?))
    }

    /// The same, if it is as nearly all are: with a year of four digits and with seconds.
    #[inline]
    fn plain_date_and_time(&mut self, separators: &[u8]) -> Option<(Date, Time)> {
        let (text, rest) = self.0.split_first_chunk::<19>()?;
        let mut middle = *text[8..].first_chunk()?;
        separators.contains(&middle[2]).then_some(())?;
        middle[2] = b' ';
        let date = two_digit_numbers(*text.first_chunk()?, b"0000-00-")?;
        let day_and_time = two_digit_numbers(middle, b"00 00:00")?;
        let time = two_digit_numbers(*text.last_chunk()?, b"00:00:00")?;
        self.0 = rest;
        let [century, _, year, _, _, month, ..] = date;
        let [day, _, _, hour, _, _, minute, _] = day_and_time;
        let [.., second, _] = time;
        let year = 100 * i64::from(century) + i64::from(year);
        let date = Date { year, month: month.into(), day: day.into() };
        let time =
            Time { hour: hour.into(), minute: minute.into(), second: second.into(), nanos: self.nanos() };
        Some((date, time))
    }

    /// `ISO_LOCAL_DATE`.
    fn date(&mut self) -> Option<Date> {
        let year = self.year(10)?;
        self.month_and_day(year)
    }

    /// The `-MM-dd` after a year.
    #[inline]
    pub(super) fn month_and_day(&mut self, year: i64) -> Option<Date> {
        self.one_of(b"-")?;
        let month = self.two_digits()?;
        self.one_of(b"-")?;
        let day = self.two_digits()?;
        Some(Date { year, month, day })
    }

    /// `HH:mm`, and `:ss` with or without decimals.
    #[inline]
    pub(super) fn time(&mut self, seconds: Seconds) -> Option<Time> {
        let hour = self.two_digits()?;
        self.one_of(b":")?;
        let minute = self.two_digits()?;
        let mut time = Time { hour, minute, second: 0, nanos: 0 };
        if seconds == Seconds::Required || self.0.first() == Some(&b':') {
            self.one_of(b":")?;
            time.second = self.two_digits()?;
            time.nanos = self.nanos();
        }
        Some(time)
    }

    /// A point and up to nine decimals, even none, or nothing at all.
    #[inline]
    pub(super) fn nanos(&mut self) -> u32 {
        let [b'.', rest @ ..] = self.0 else {
            return 0;
        };
        self.0 = rest;
        // Nearly all there are.
        if let [a @ b'0'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', after @ ..] = rest
            && !after.first().is_some_and(u8::is_ascii_digit)
        {
            self.0 = after;
            let [a, b, c] = [a, b, c].map(|digit| u32::from(digit - b'0'));
            return (100 * a + 10 * b + c) * 1_000_000;
        }
        let places = [100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1];
        self.digits(9).iter().zip(places).map(|(digit, place)| u32::from(digit - b'0') * place).sum()
    }
}

/// The numbers that the digits of `text` make, two by two: the one at each place is that of the digits at it and after
/// it. `None` unless it has digits where `like` has zeros, and otherwise the same.
#[inline]
fn two_digit_numbers(text: [u8; 8], like: &[u8; 8]) -> Option<[u8; 8]> {
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    let digits = u64::from_le_bytes(text) ^ u64::from_le_bytes(*like);
    // What is above 9, or above 0 where no digit is, comes to have its high bit.
    let most = u64::from_le_bytes(like.map(|byte| 0x7F - if byte == b'0' { 9 } else { 0 }));
    if (digits.wrapping_add(most) | digits) & HIGH_BITS != 0 {
        return None;
    }
    Some((digits.wrapping_mul(10).wrapping_add(digits >> 8)).to_le_bytes())
}

/// The number that digits make, or a greater one than any year.
pub(super) fn number_of(digits: &[u8]) -> i64 {
    digits
        .iter()
        .fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::room::text_of;
    use crate::text::{put_date, put_time, put_timestamp};

    fn date(text: &str) -> Option<String> {
        let days = parse_date(text)?;
        Some(text_of(|room| put_date(room, days)))
    }

    fn time(millis: Option<i32>) -> Option<String> {
        millis.map(|millis| text_of(|room| put_time(room, millis)))
    }

    fn timestamp(moment: Option<(i64, u32)>) -> Option<String> {
        let (millis, nanos) = moment?;
        Some(text_of(|room| put_timestamp(room, millis, nanos, b' ')))
    }

    /// From `LocalDate.parse` and Flink's cast of `toEpochDay`.
    #[test]
    fn a_date_is_real_and_its_days_wrap() {
        let cases = [
            ("2024-02-29", "2024-02-29"),
            ("0000-02-29", "0000-02-29"),
            ("9999-12-31", "9999-12-31"),
            ("-0001-12-31", "-0001-12-31"),
            ("-12345-01-01", "-12345-01-01"),
            ("+10000-01-01", "+10000-01-01"),
            ("+0000002024-01-01", "2024-01-01"),
            ("+5881580-07-11", "+5881580-07-11"),
            ("+5881580-07-12", "-5877641-06-23"),
            ("+999999999-12-31", "+466210-05-14"),
        ];
        for (text, expected) in cases {
            assert_eq!(date(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "2024",
            "2024-02",
            "2024-02-30",
            "2023-02-29",
            "2024-04-31",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-01-32",
            "2024-1-01",
            "2024-01-1",
            "24-01-01",
            "12024-01-01",
            "+2024-01-01",
            "-0000-01-01",
            "-202-01-01",
            "+1000000000-01-01",
            "+00000002024-01-01",
            "2024/01/01",
            " 2024-01-01",
            "2024-01-01 ",
            "2024-01-01T00:00",
            "20240101",
            "２０２４-01-01",
            "2024-+1-01",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }

    /// From Flink's `SQL_TIME_FORMAT` and `LocalTime.parse`.
    #[test]
    fn a_time_of_json_has_seconds_and_ends_the_day_with_24_o_clock() {
        let both = [
            ("12:34:56", "12:34:56"),
            ("12:34:56.", "12:34:56"),
            ("00:00:00.1", "00:00:00.1"),
            ("23:59:59.999999999", "23:59:59.999"),
        ];
        for (text, expected) in both {
            assert_eq!(time(parse_time(text)).as_deref(), Some(expected), "{text}");
            assert_eq!(time(parse_time_iso(text)).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(time(parse_time("24:00:00.000")).as_deref(), Some("00:00:00"));
        assert_eq!(time(parse_time_iso("24:00:00")), None);
        assert_eq!(time(parse_time("12:34")), None);
        assert_eq!(time(parse_time_iso("12:34")).as_deref(), Some("12:34:00"));
        for text in [
            "",
            "12",
            "12:34:",
            "12:34:5",
            "1:02:03",
            "24:00:01",
            "25:00:00",
            "12:60:00",
            "23:59:60",
            "12:34:56,5",
            "12:34:56.1234567890",
            "12:34:56Z",
            " 12:34:56",
            "12:34:56 ",
            "123456",
            "-1:00:00",
            "12.34.56",
        ] {
            assert_eq!(time(parse_time(text)), None, "{text}");
            assert_eq!(time(parse_time_iso(text)), None, "{text}");
        }
    }

    /// From Flink's `TimeFormats` and `TimestampData`.
    #[test]
    fn only_an_iso_timestamp_must_be_real() {
        let cases = [
            ("2024-02-29 12:34:56", "2024-02-29 12:34:56"),
            ("2024-02-29 12:34:56.123456789", "2024-02-29 12:34:56.123456789"),
            ("1969-12-31 23:59:59.999999999", "1969-12-31 23:59:59.999999999"),
            ("-0001-12-31 23:59:59", "-0001-12-31 23:59:59"),
            ("+292278-01-01 00:00:00", "+292278-01-01 00:00:00"),
        ];
        for (sql, expected) in cases {
            let iso = sql.replace(' ', "T");
            assert_eq!(timestamp(parse_timestamp_sql(sql)).as_deref(), Some(expected), "{sql}");
            assert_eq!(timestamp(parse_timestamp_iso(&iso)).as_deref(), Some(expected), "{iso}");
            assert_eq!(
                timestamp(parse_timestamp_ltz_sql(&format!("{sql}Z"))).as_deref(),
                Some(expected),
                "{sql}"
            );
            assert_eq!(
                timestamp(parse_timestamp_ltz_iso(&format!("{iso}Z"))).as_deref(),
                Some(expected),
                "{iso}"
            );
        }
        let lenient = [
            ("2024-02-30 12:34:56", "2024-02-29 12:34:56"),
            ("2023-02-31 12:34:56", "2023-02-28 12:34:56"),
            ("2024-04-31 12:34:56", "2024-04-30 12:34:56"),
            ("2024-02-29 24:00:00", "2024-03-01 00:00:00"),
            ("2024-12-31 24:00:00.000000000", "2025-01-01 00:00:00"),
        ];
        for (sql, expected) in lenient {
            let iso = sql.replace(' ', "T");
            assert_eq!(timestamp(parse_timestamp_sql(sql)).as_deref(), Some(expected), "{sql}");
            assert_eq!(timestamp(parse_timestamp_iso(&iso)), None, "{iso}");
            assert_eq!(
                timestamp(parse_timestamp_ltz_sql(&format!("{sql}Z"))).as_deref(),
                Some(expected),
                "{sql}"
            );
            assert_eq!(
                timestamp(parse_timestamp_ltz_iso(&format!("{iso}Z"))).as_deref(),
                Some(expected),
                "{iso}"
            );
        }
        assert_eq!(
            timestamp(parse_timestamp_iso("2024-02-29t12:34")).as_deref(),
            Some("2024-02-29 12:34:00")
        );
        assert_eq!(
            timestamp(parse_timestamp_ltz_iso("2024-02-29T24:00Z")).as_deref(),
            Some("2024-03-01 00:00:00")
        );
        assert_eq!(parse_timestamp_ltz_iso("2024-02-29t12:34Z"), None);
        assert_eq!(parse_timestamp_sql("2024-02-29 12:34"), None);
    }

    #[test]
    fn anything_else_is_no_timestamp() {
        for text in [
            "",
            "2024-02-29",
            "2024-02-29  12:34:56",
            " 2024-02-29 12:34:56",
            "2024-02-29 12:34:56 ",
            "2024-02-32 12:34:56",
            "2024-13-01 12:34:56",
            "2024-00-01 12:34:56",
            "2024-01-00 12:34:56",
            "2024-02-29 12:34:60",
            "2024-02-29 24:00:01",
            "2024-02-29 12:34:56z",
            "2024-02-29 12:34:56+00:00",
            "2024-02-29 12:34:56ZZ",
            "1715000000000",
            "2024-2-29 12:34:56",
        ] {
            let iso = text.replace(' ', "T");
            assert_eq!(parse_timestamp_sql(text), None, "{text}");
            assert_eq!(parse_timestamp_ltz_sql(text), None, "{text}");
            assert_eq!(parse_timestamp_iso(&iso), None, "{iso}");
            assert_eq!(parse_timestamp_ltz_iso(&iso), None, "{iso}");
        }
    }

    /// As golden json/timestamp-3-sql-001 has it.
    #[test]
    fn a_timestamp_too_far_off_wraps_as_it_does_in_flink() {
        let wrapped = timestamp(parse_timestamp_sql("+292278995-01-01 00:00:00"));
        assert_eq!(wrapped.as_deref(), Some("+1705472-02-10 09:34:08.384"));
    }

    proptest::proptest! {
        #[test]
        fn a_plain_date_and_time_reads_like_any_other(
            text in "[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,10})?Z?|[-0-9 :.TZ]{19,24}"
        ) {
            let (mut plain, mut any) = (Cursor::new(&text), Cursor::new(&text));
            if let Some(fields) = plain.plain_date_and_time(b" T") {
                proptest::prop_assert_eq!(any.any_date_and_time(b" T", Seconds::Required), Some(fields));
                proptest::prop_assert_eq!(plain.rest(), any.rest());
            }
        }
    }
}
