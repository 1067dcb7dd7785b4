use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::text;

/// A point on the time line, or a date and time without a zone: milliseconds since 1970-01-01 00:00:00 and the
/// nanoseconds inside that millisecond.
///
/// The zone is the column's business: TIMESTAMP counts in its own local time, TIMESTAMP_LTZ in UTC. As text it has none:
/// `2024-02-29T12:34:56.789`, with the decimals that it needs.
///
/// ```
/// use upsert_kafka::Timestamp;
///
/// let noon: Timestamp = "2024-02-29T12:00:00".parse()?;
/// assert_eq!(noon.millis(), 1_709_208_000_000);
/// assert_eq!(noon.to_string(), "2024-02-29T12:00:00");
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
///
/// Agrees with `org.apache.flink.table.data.TimestampData`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    millis: i64,
    nanos_of_millis: u32,
}

impl Timestamp {
    /// The timestamp `millis` milliseconds after the epoch (before it where negative).
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self { millis, nanos_of_millis: 0 }
    }

    /// The timestamp `nanos_of_millis` nanoseconds (0 to 999,999) after `millis`.
    ///
    /// # Panics
    ///
    /// If `nanos_of_millis` is above 999,999.
    #[inline]
    #[must_use]
    pub const fn new(millis: i64, nanos_of_millis: u32) -> Self {
        assert!(nanos_of_millis <= 999_999, "a millisecond has 1,000,000 nanoseconds");
        Self { millis, nanos_of_millis }
    }

    /// Milliseconds since the epoch, rounded down.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.millis
    }

    /// Nanoseconds after [`millis`](Self::millis), 0 to 999,999.
    #[must_use]
    pub const fn nanos_of_millis(self) -> u32 {
        self.nanos_of_millis
    }
}

impl fmt::Display for Timestamp {
    /// As `DateTimeFormatter.ISO_LOCAL_DATE_TIME`: seconds always, decimals as far as they are not zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        text::append(&mut text, |room| text::put_timestamp(room, self.millis, self.nanos_of_millis, b'T'));
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl FromStr for Timestamp {
    type Err = Error;

    /// Reads a date, `T` and a time, perhaps without seconds, as `LocalDateTime.parse`. Flink's days are an int, so a
    /// year beyond 5,881,580 wraps.
    fn from_str(text: &str) -> Result<Self, Error> {
        match text::parse_timestamp_iso(text) {
            Some((millis, nanos_of_millis)) => Ok(Self { millis, nanos_of_millis }),
            None => Err(no_timestamp(text)),
        }
    }
}

#[cold]
fn no_timestamp(text: &str) -> Error {
    let message = format!("expected a timestamp such as 2024-02-29T12:34:56.789, found {text:?}");
    Error::new(ErrorKind::Syntax, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `java.time.LocalDateTime` and `DateTimeFormatter.ISO_LOCAL_DATE_TIME`.
    #[test]
    fn a_timestamp_is_read_and_shown_as_java_does() {
        for (text, millis, nanos) in [
            ("1970-01-01T00:00:00", 0, 0),
            ("1969-12-31T23:59:59.999999999", -1, 999_999),
            ("2024-05-06T12:53:19.01", 1_714_999_999_010, 0),
            ("+10000-01-01T00:00:00", 253_402_300_800_000, 0),
        ] {
            let timestamp = Timestamp::new(millis, nanos);
            assert_eq!((timestamp.to_string().as_str(), text.parse().unwrap()), (text, timestamp));
        }
        for text in ["", "2024-02-30T00:00:00", "2024-02-29 12:00:00", "2024-02-29T12:00:00Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap_err().kind(), ErrorKind::Syntax, "{text}");
        }
    }
}
