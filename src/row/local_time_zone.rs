use std::fmt;
use std::sync::Arc;

use super::timestamp::Timestamp;

/// The time zone of a session, in which SQL casts between TIMESTAMP and TIMESTAMP_LTZ: UTC by default.
///
/// The crate has no table of time zones: a fixed offset does for many, and for others whoever has the table answers.
///
/// Agrees with Flink's `table.local-time-zone` and with `java.time.ZoneId` in its treatment of times that a zone skips
/// or has twice.
///
/// ```
/// use upsert_kafka::row::{LocalTimeZone, Timestamp};
///
/// let shanghai = LocalTimeZone::fixed(8 * 3600);
/// let local = shanghai.to_local(Timestamp::from_millis(1_700_000_000_123)); // 2023-11-14 22:13:20.123 UTC
/// assert_eq!(local, Timestamp::from_millis(1_700_028_800_123)); // 2023-11-15 06:13:20.123
/// ```
#[derive(Clone, Default)]
pub struct LocalTimeZone(Offsets);

/// Seconds that a zone is ahead of UTC.
#[derive(Clone)]
enum Offsets {
    Fixed(i32),
    /// At a time in milliseconds since the epoch.
    At(Arc<dyn Fn(i64) -> i32 + Send + Sync>),
}

impl Default for Offsets {
    fn default() -> Self {
        Self::Fixed(0)
    }
}

/// Java's zones are no farther than this from UTC, in seconds.
const MAX_OFFSET: i32 = 18 * 3600;

const DAY_MS: i64 = 24 * 3600 * 1000;

impl LocalTimeZone {
    /// UTC.
    pub const UTC: Self = Self(Offsets::Fixed(0));

    /// A zone that is `seconds` ahead of UTC all the time; behind it where negative.
    ///
    /// # Panics
    ///
    /// If that is more than 18 hours, as for Java's `ZoneOffset`.
    #[must_use]
    pub const fn fixed(seconds: i32) -> Self {
        assert!(seconds.unsigned_abs() <= MAX_OFFSET.unsigned_abs(), "a zone is at most 18 hours from UTC");
        Self(Offsets::Fixed(seconds))
    }

    /// A zone whose offset changes: `offset_at` answers the seconds that it is ahead of UTC at a time, in milliseconds
    /// since the epoch. Answers beyond 18 hours are taken for 18 hours.
    ///
    /// It is asked for each timestamp that is read, up to three times for each that is written.
    ///
    /// ```
    /// use upsert_kafka::row::{LocalTimeZone, Timestamp};
    ///
    /// // Berlin in 2024: summer time from March 31 to October 27, 01:00 UTC.
    /// let summer = 1_711_846_800_000..1_729_990_800_000;
    /// let berlin = LocalTimeZone::at(move |millis| if summer.contains(&millis) { 7200 } else { 3600 });
    /// let noon = Timestamp::from_millis(1_717_236_000_000); // 2024-06-01 10:00 UTC
    /// assert_eq!(berlin.to_local(noon).millis() - noon.millis(), 7_200_000);
    /// ```
    #[must_use]
    pub fn at(offset_at: impl Fn(i64) -> i32 + Send + Sync + 'static) -> Self {
        Self(Offsets::At(Arc::new(offset_at)))
    }

    /// Whether it is UTC, known without asking.
    pub(crate) fn is_utc(&self) -> bool {
        matches!(self.0, Offsets::Fixed(0))
    }

    /// The date and time that clocks of the zone show: `CAST(instant AS TIMESTAMP)`.
    #[must_use]
    pub fn to_local(&self, instant: Timestamp) -> Timestamp {
        shifted(instant, self.offset_ms(instant.millis()))
    }

    /// The point in time at which clocks of the zone show `local`: `CAST(local AS TIMESTAMP_LTZ)`.
    ///
    /// Of a time that they show twice, the first; one that they skip is as much later as they skip.
    #[must_use]
    pub fn to_instant(&self, local: Timestamp) -> Timestamp {
        // No zone is a day from UTC: so long before and after, one offset holds that is in force around `local`.
        let before = self.offset_ms(local.millis().saturating_sub(DAY_MS));
        let after = self.offset_ms(local.millis().saturating_add(DAY_MS));
        let is_after = before != after
            && self.offset_ms(local.millis().saturating_sub(before)) != before
            && self.offset_ms(local.millis().saturating_sub(after)) == after;
        shifted(local, if is_after { -after } else { -before })
    }

    fn offset_ms(&self, instant: i64) -> i64 {
        let seconds = match &self.0 {
            Offsets::Fixed(seconds) => *seconds,
            Offsets::At(offset_at) => offset_at(instant).clamp(-MAX_OFFSET, MAX_OFFSET),
        };
        i64::from(seconds) * 1000
    }
}

fn shifted(timestamp: Timestamp, millis: i64) -> Timestamp {
    Timestamp::new(timestamp.millis().saturating_add(millis), timestamp.nanos_of_millis())
}

impl fmt::Debug for LocalTimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Offsets::Fixed(seconds) => write!(f, "LocalTimeZone({seconds})"),
            Offsets::At(_) => f.write_str("LocalTimeZone(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024 in Berlin, and what `LocalDateTime.atZone(ZoneId.of("Europe/Berlin"))` makes of times around its changes.
    #[test]
    fn a_time_that_is_skipped_or_there_twice_is_javas() {
        const TO_SUMMER: i64 = 1_711_846_800_000; // 2024-03-31 01:00 UTC, local 02:00 becomes 03:00
        const TO_WINTER: i64 = 1_729_990_800_000; // 2024-10-27 01:00 UTC, local 03:00 becomes 02:00
        const HOUR: i64 = 3_600_000;
        let berlin =
            LocalTimeZone::at(|millis| if (TO_SUMMER..TO_WINTER).contains(&millis) { 7200 } else { 3600 });
        for (local, instant) in [
            (TO_SUMMER + HOUR - 1, TO_SUMMER - 1),               // 01:59:59.999
            (TO_SUMMER + HOUR, TO_SUMMER),                       // 02:00 is skipped: 03:00
            (TO_SUMMER + HOUR + HOUR / 2, TO_SUMMER + HOUR / 2), // 02:30 is skipped: 03:30
            (TO_SUMMER + 2 * HOUR, TO_SUMMER),                   // 03:00
            (TO_WINTER + HOUR - 1, TO_WINTER - HOUR - 1),        // 01:59:59.999
            (TO_WINTER + HOUR, TO_WINTER - HOUR),                // 02:00 is there twice: the first
            (TO_WINTER + HOUR + HOUR / 2, TO_WINTER - HOUR / 2), // 02:30 likewise
            (TO_WINTER + 2 * HOUR, TO_WINTER + HOUR),            // 03:00
            (TO_SUMMER + 90 * 24 * HOUR, TO_SUMMER + (90 * 24 - 2) * HOUR),
        ] {
            let [local, instant] = [local, instant].map(|millis| Timestamp::new(millis, 7));
            assert_eq!(berlin.to_instant(local), instant, "{local:?}");
        }
    }

    #[test]
    fn the_ends_of_time_do_not_overflow() {
        for zone in [LocalTimeZone::fixed(-MAX_OFFSET), LocalTimeZone::at(|_| i32::MAX)] {
            for millis in [i64::MIN, i64::MAX] {
                let _ = (
                    zone.to_local(Timestamp::from_millis(millis)),
                    zone.to_instant(Timestamp::from_millis(millis)),
                );
            }
        }
    }
}
