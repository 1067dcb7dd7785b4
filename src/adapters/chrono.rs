//! Dates and times of the crate `chrono`.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike, Utc};

use super::convert::{as_datum, misfit};
use crate::error::Error;
use crate::row::{AsDatum, Datum, DatumKind, FromDatum, Shape, Timestamp};
use crate::text::MILLIS_OF_DAY;

/// From 0000-12-31, chrono's day 0, to 1970-01-01.
const DAYS_TO_EPOCH: i32 = 719_163;

as_datum! {
    NaiveDate as Date: |date| date.num_days_from_ce() - DAYS_TO_EPOCH;
        |days| days.checked_add(DAYS_TO_EPOCH).and_then(Self::from_num_days_from_ce_opt);
    NaiveTime as Time: |time| millis_of_day(*time);
        |millis| time_of_day(millis);
    NaiveDateTime as Timestamp: |at| at.and_utc().as_timestamp();
        |at| point_in_time(at).map(|at| at.naive_utc());
}

impl<Z: TimeZone> AsDatum for DateTime<Z> {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::Timestamp);

    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::Timestamp(self.as_timestamp())
    }
}

macro_rules! in_utc {
    ($($type:ty),+) => {
        $(impl<'a> FromDatum<'a> for $type {
            const SHAPE: &'static Shape = &Shape::Of(DatumKind::Timestamp);

            fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
                let at = Timestamp::from_datum(datum)?;
                point_in_time(at).map(Into::into).ok_or_else(|| misfit("DateTime", &at))
            }
        })+
    };
}

in_utc!(DateTime<Utc>, DateTime<FixedOffset>);

trait AsTimestamp {
    fn as_timestamp(&self) -> Timestamp;
}

impl<Z: TimeZone> AsTimestamp for DateTime<Z> {
    #[inline]
    fn as_timestamp(&self) -> Timestamp {
        // A leap second is a second later: its milliseconds go on to 1999.
        Timestamp::new(self.timestamp_millis(), self.timestamp_subsec_nanos() % 1_000_000)
    }
}

fn point_in_time(at: Timestamp) -> Option<DateTime<Utc>> {
    let nanos = u32::try_from(at.millis().rem_euclid(1000)).ok()? * 1_000_000 + at.nanos_of_millis();
    DateTime::from_timestamp(at.millis().div_euclid(1000), nanos)
}

/// A leap second stays on its day, in its last millisecond.
fn millis_of_day(time: NaiveTime) -> i32 {
    let millis =
        i64::from(time.num_seconds_from_midnight()) * 1000 + i64::from(time.nanosecond() / 1_000_000);
    i32::try_from(millis.min(MILLIS_OF_DAY - 1)).expect("a day's milliseconds are an int")
}

fn time_of_day(millis: i32) -> Option<NaiveTime> {
    let millis = u32::try_from(millis).ok()?;
    NaiveTime::from_num_seconds_from_midnight_opt(millis / 1000, millis % 1000 * 1_000_000)
}
