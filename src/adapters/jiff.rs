//! Dates and times of the crate `jiff`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};

use super::convert::{as_datum, nanos, timestamp};
use crate::row::Timestamp as DatumTimestamp;
use crate::text::MILLIS_OF_DAY;

as_datum! {
    Date as Date: |date| days(*date);
        |days| date(i64::from(days));
    Time as Time: |time| millis_of_day(*time);
        |millis| time_of_day(i64::from(millis), 0);
    DateTime as Timestamp: |at| civil(*at);
        |at| date(at.millis().div_euclid(MILLIS_OF_DAY)).and_then(|date| {
            let time = time_of_day(at.millis().rem_euclid(MILLIS_OF_DAY), at.nanos_of_millis())?;
            Some(date.to_datetime(time))
        });
    Timestamp as Timestamp: |at| point_in_time(*at);
        |at| Self::from_nanosecond(nanos(at)).ok();
    ZonedDateTime as Timestamp: |at| point_in_time(at.timestamp());
        |at| Timestamp::from_nanosecond(nanos(at)).ok().map(|at| at.to_zoned_datetime(TimeZone::UTC));
}

const EPOCH: Date = jiff::civil::date(1970, 1, 1);

/// All dates of jiff are within some millions of days.
fn days(date: Date) -> i32 {
    i32::try_from(date.duration_since(EPOCH).as_hours() / 24).expect("jiff's years have four digits")
}

fn date(days: i64) -> Option<Date> {
    let since = SignedDuration::try_from_hours(days.checked_mul(24)?)?;
    EPOCH.checked_add(since).ok()
}

fn millis_of_day(time: Time) -> i32 {
    let seconds = (i32::from(time.hour()) * 60 + i32::from(time.minute())) * 60 + i32::from(time.second());
    seconds * 1000 + time.subsec_nanosecond() / 1_000_000
}

fn time_of_day(millis: i64, nanos_of_millis: u32) -> Option<Time> {
    let part = |unit: i64, count: i64| i8::try_from(millis / unit % count).ok();
    let hour = i8::try_from(millis / 3_600_000).ok()?;
    let nanos = i32::try_from(millis % 1000 * 1_000_000 + i64::from(nanos_of_millis)).ok()?;
    Time::new(hour, part(60_000, 60)?, part(1000, 60)?, nanos).ok()
}

fn civil(at: DateTime) -> DatumTimestamp {
    let (time, days) = (at.time(), i64::from(days(at.date())));
    let nanos_of_millis = time.subsec_nanosecond() % 1_000_000;
    DatumTimestamp::new(days * MILLIS_OF_DAY + i64::from(millis_of_day(time)), nanos_of_millis.unsigned_abs())
}

fn point_in_time(at: Timestamp) -> DatumTimestamp {
    timestamp(at.as_nanosecond()).expect("jiff's years have four digits")
}
