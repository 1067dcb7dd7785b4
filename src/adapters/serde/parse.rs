//! Dates and times as other crates serialize them.

use crate::text;

const NANOS_OF_MILLI: u32 = 1_000_000;

pub(super) use text::{parse_date, parse_time_iso as parse_time};

/// The milliseconds and nanoseconds of `2024-02-29T12:34:56.789`, perhaps with a blank for the `T`; of one with `Z` or an
/// offset in UTC.
pub(super) fn parse_timestamp(text: &str) -> Option<(i64, u32)> {
    local(text).or_else(|| parse_instant(text))
}

/// The same, with `Z` or an offset, and perhaps the name of a zone after it: `2024-02-29T14:34:56+02:00[Africa/Cairo]`.
pub(super) fn parse_instant(text: &str) -> Option<(i64, u32)> {
    let text = text.split('[').next()?;
    if let Some(utc) = text.strip_suffix(['Z', 'z']) {
        return local(utc);
    }
    let time = text.find(['T', 't', ' '])? + 1;
    let sign = time + text.get(time..)?.find(['+', '-'])?;
    let (millis, nanos) = local(text[..sign].trim_end())?;
    let mut seconds = 0;
    let mut parts = text[sign + 1..].split(':');
    for unit in [3600, 60, 1] {
        let Some(part) = parts.next() else { continue };
        let is_number = part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_digit());
        seconds += if is_number { unit * part.parse::<i64>().ok()? } else { return None };
    }
    let offset = if text[sign..].starts_with('-') { -1000 * seconds } else { 1000 * seconds };
    parts.next().is_none().then_some((millis.checked_sub(offset)?, nanos))
}

fn local(text: &str) -> Option<(i64, u32)> {
    let parsed = text::parse_timestamp_iso(text).or_else(|| text::parse_timestamp_sql(text));
    parsed.filter(|(_, nanos)| *nanos < NANOS_OF_MILLI)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What chrono, jiff and time serialize.
    #[test]
    fn an_instant_has_any_offset() {
        for text in [
            "2024-05-06T12:53:19.01Z",
            "2024-05-06T14:53:19.010+02:00",
            "2024-05-06T14:53:19.010+02:00[Africa/Cairo]",
            "2024-05-06 07:23:19.010000000 -05:30:00",
        ] {
            assert_eq!(parse_instant(text), Some((1_714_999_999_010, 0)), "{text}");
            assert_eq!(parse_timestamp(text), Some((1_714_999_999_010, 0)), "{text}");
        }
        assert_eq!(parse_timestamp("2024-05-06T12:53:19.01"), Some((1_714_999_999_010, 0)));
        for text in
            ["", "2024-05-06T12:53:19", "2024-05-06T12:53:19+2", "2024-05-06", "T+02:00", "x T+02:00:00:00"]
        {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }
}
