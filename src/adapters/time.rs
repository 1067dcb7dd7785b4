//! Dates and times of the crate `time`.

use time::{Date, OffsetDateTime, PrimitiveDateTime, Time};

use super::convert::{as_datum, nanos, timestamp};
use crate::row::Timestamp;

/// The Julian day of 1970-01-01.
const JULIAN_EPOCH: i32 = 2_440_588;

as_datum! {
    Date as Date: |date| date.to_julian_day() - JULIAN_EPOCH;
        |days| days.checked_add(JULIAN_EPOCH).and_then(|day| Self::from_julian_day(day).ok());
    Time as Time: |time| millis_of_day(*time);
        |millis| time_of_day(millis);
    PrimitiveDateTime as Timestamp: |at| point_in_time(at.assume_utc());
        |at| OffsetDateTime::from_unix_timestamp_nanos(nanos(at)).ok().map(|at| Self::new(at.date(), at.time()));
    OffsetDateTime as Timestamp: |at| point_in_time(*at);
        |at| Self::from_unix_timestamp_nanos(nanos(at)).ok();
}

fn millis_of_day(time: Time) -> i32 {
    let (hour, minute, second, milli) = time.as_hms_milli();
    ((i32::from(hour) * 60 + i32::from(minute)) * 60 + i32::from(second)) * 1000 + i32::from(milli)
}

fn time_of_day(millis: i32) -> Option<Time> {
    let part = |unit: i32, count: i32| u8::try_from(millis / unit % count).ok();
    let hour = u8::try_from(millis / 3_600_000).ok()?;
    Time::from_hms_milli(hour, part(60_000, 60)?, part(1000, 60)?, u16::try_from(millis % 1000).ok()?).ok()
}

fn point_in_time(at: OffsetDateTime) -> Timestamp {
    timestamp(at.unix_timestamp_nanos()).expect("the years of time have at most six digits")
}
