//! Times as ISO 8601 has them, with an offset or with `Z`.

use crate::row::Timestamp;
use crate::text;

/// The days of `2024-02-29`, perhaps with an offset, which says nothing about a date.
pub(super) fn parse_date(text: &str) -> Option<i32> {
    text::parse_date(without_offset(text, 0)?.0)
}

/// The milliseconds of the day, in UTC, of `12:34:56.789`, perhaps with an offset.
pub(super) fn parse_time(text: &str) -> Option<i32> {
    let (local, offset) = without_offset(text, 0)?;
    Some((text::parse_time_iso(local)? - 1000 * offset).rem_euclid(86_400_000))
}

/// The point in time of `2024-02-29T12:34:56.789+02:00`; without an offset it is in UTC.
pub(super) fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let (local, offset) = without_offset(text, text.find(['T', 't', ' '])?)?;
    let parsed = text::parse_timestamp_iso(local).or_else(|| text::parse_timestamp_sql(local))?;
    Some(Timestamp::new(parsed.0 - 1000 * i64::from(offset), parsed.1))
}

/// The months, and the nanoseconds beside them, of `P1Y2M3DT4H5M6.7S`; each part may be missing or negative.
pub(super) fn parse_interval(text: &str) -> Option<(i64, i128)> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (date, time) = match rest.strip_prefix('P')?.split_once('T') {
        Some((date, time)) => (date, time),
        None => (rest.strip_prefix('P')?, ""),
    };
    let (mut months, mut nanos) = (0_i64, 0_i128);
    let mut rest = date;
    for (unit, of_month, of_nano) in [('Y', 12, 0), ('M', 1, 0), ('W', 0, 7 * DAY), ('D', 0, DAY)] {
        let Some((number, after)) = rest.split_once(unit) else { continue };
        let number: i32 = number.parse().ok()?;
        months += of_month * i64::from(number);
        nanos += of_nano * i128::from(number);
        rest = after;
    }
    if !rest.is_empty() {
        return None;
    }
    rest = time;
    for (unit, of_nano) in [('H', 3600 * SECOND), ('M', 60 * SECOND), ('S', SECOND)] {
        let Some((number, after)) = rest.split_once(unit) else { continue };
        let scaled = text::parse_decimal(number, 27, 9).ok()??;
        nanos += scaled * (of_nano / SECOND);
        rest = after;
    }
    let sign = if negative { -1 } else { 1 };
    rest.is_empty().then_some((sign * months, i128::from(sign) * nanos))
}

/// The microseconds of an interval as `interval.handling.mode=numeric` counts them: a month is the twelfth part of 365.25
/// days.
pub(super) fn interval_in_micros((months, nanos): (i64, i128)) -> Option<i64> {
    const MICROS_OF_MONTH: i128 = 2_629_800_000_000;
    i64::try_from(i128::from(months) * MICROS_OF_MONTH + nanos.div_euclid(1_000)).ok()
}

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// The text in front of its offset, which is looked for from `start` on, and the offset in seconds.
fn without_offset(text: &str, start: usize) -> Option<(&str, i32)> {
    if let Some(local) = text.strip_suffix(['Z', 'z']) {
        return Some((local, 0));
    }
    let colon = text.get(start..)?.find(':').map(|colon| start + colon);
    let Some(at) = colon.and_then(|colon| text[colon..].find(['+', '-']).map(|sign| colon + sign)) else {
        return Some((text, 0));
    };
    let (local, offset) = text.split_at(at);
    let mut parts = offset[1..].split(':').map(|part| {
        let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<i32>().ok()).flatten()
    });
    let mut seconds = 3600 * parts.next()??;
    seconds += 60 * parts.next().unwrap_or(Some(0))?;
    seconds += parts.next().unwrap_or(Some(0))?;
    let is_offset = parts.next().is_none() && seconds <= 18 * 3600;
    is_offset
        .then_some((local.trim_end_matches(' '), if offset.starts_with('-') { -seconds } else { seconds }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of `java.time.OffsetDateTime`, `OffsetTime` and ISO 8601.
    #[test]
    fn a_time_with_an_offset_is_that_time_in_utc() {
        let millis =
            |text| parse_timestamp(text).map(|timestamp| (timestamp.millis(), timestamp.nanos_of_millis()));
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some((0, 0))),
            ("1970-01-01T02:00:00.000001+02:00", Some((0, 1_000))),
            ("1969-12-31T13:00-11", Some((0, 0))),
            ("1970-01-01T05:53:28+05:53:28", Some((0, 0))),
            ("1970-01-01 00:00:00.5", Some((500, 0))),
            ("-0001-01-01T00:00:00Z", Some((-62_198_755_200_000, 0))),
            ("1970-01-01T00:00:00+19:00", None),
            ("1970-01-01T00:00:00+1:00", None),
            ("1970-01-01", None),
        ] {
            assert_eq!(millis(text), expected, "{text}");
        }
        for (text, expected) in [
            ("12:34:56.5Z", Some(45_296_500)),
            ("01:00:00+02:00", Some(82_800_000)),
            ("01:00:00-23:00", None),
        ] {
            assert_eq!(parse_time(text), expected, "{text}");
        }
        assert_eq!((parse_date("1970-01-02Z"), parse_date("1970-01-02")), (Some(1), Some(1)));
    }

    /// The form is that of Debezium's documentation: P<years>Y<months>M<days>DT<hours>H<minutes>M<seconds>S.
    #[test]
    fn an_interval_is_months_and_a_length() {
        for (text, expected) in [
            ("P1Y2M3DT4H5M6.78S", Some((14, 3 * DAY + 4 * 3600 * SECOND + 306_780_000_000))),
            ("P0Y0M-1DT0H0M-0.5S", Some((0, -DAY - SECOND / 2))),
            ("PT0S", Some((0, 0))),
            ("-P1M", Some((-1, 0))),
            ("P1H", None),
            ("1Y", None),
            ("P1Y2", None),
        ] {
            assert_eq!(parse_interval(text), expected, "{text}");
        }
    }
}
