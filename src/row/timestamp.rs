/// A point on the time line, or a date and time without a zone: milliseconds since 1970-01-01 00:00:00 and the
/// nanoseconds inside that millisecond.
///
/// The zone is the column's business: TIMESTAMP counts in its own local time, TIMESTAMP_LTZ in UTC.
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

    /// The timestamp `nanos_of_millis` nanoseconds (0 to 999,999) behind `millis`.
    ///
    /// # Panics
    ///
    /// If `nanos_of_millis` is above 999,999.
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

    /// Nanoseconds behind [`millis`](Self::millis), 0 to 999,999.
    #[must_use]
    pub const fn nanos_of_millis(self) -> u32 {
        self.nanos_of_millis
    }
}
