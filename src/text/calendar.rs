//! Days since 1970-01-01 and dates: in the calendar of `java.time.LocalDate`, which is Gregorian before 1582 as well,
//! and in the Julian one, which `java.util.Date` has before.
//!
//! Years begin in March in here, so that the leap day is their last.

/// The days of 400 Gregorian years, after which that calendar repeats.
const DAYS_OF_ERA: u32 = 146_097;

/// The days of four Julian years.
const DAYS_OF_FOUR_YEARS: i64 = 1461;

/// The days from 0000-01-01 to 1970-01-01.
pub(super) const DAYS_TO_EPOCH: i64 = 719_528;

/// The days from 0000-03-01 to 1970-01-01, in either calendar.
const MARCH_TO_EPOCH: i64 = DAYS_TO_EPOCH - 60;
const JULIAN_MARCH_TO_EPOCH: i64 = MARCH_TO_EPOCH + 2;

/// The days from 0000-01-01 to 9999-12-31, and one.
pub(super) const DAYS_OF_FOUR_DIGIT_YEARS: u32 = 25 * DAYS_OF_ERA;

/// A year, a month (1 to 12) and its day (1 to 31). Year 0 is 1 BC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date<Y = i64> {
    pub(super) year: Y,
    pub(super) month: u32,
    pub(super) day: u32,
}

impl Date<u32> {
    /// The date `days` days after 0000-01-01, which are below [`DAYS_OF_FOUR_DIGIT_YEARS`].
    ///
    /// The arithmetic is that of C. Neri and L. Schneider, "Euclidean affine functions and their application to
    /// calendar algorithms" (2022): a division becomes a multiplication whose upper half is the quotient and whose
    /// lower half tells the remainder.
    #[inline]
    pub(super) fn of_day(days: u32) -> Self {
        // From a March on that is before year 0.
        let quarters = 4 * (days + (DAYS_OF_ERA - 60)) + 3;
        let century = quarters / DAYS_OF_ERA;
        let quarters = (quarters % DAYS_OF_ERA) | 3;
        let product = 2_939_745 * u64::from(quarters);
        let year_of_century = (product >> 32) as u32;
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        let day_of_year = product as u32 / 2_939_745 / 4;
        let (next_year, month, day) = month_and_day(day_of_year);
        Self { year: 100 * century + year_of_century + u32::from(next_year) - 400, month, day }
    }
}

impl Date {
    /// The date `days` days after 1970-01-01, which any milliseconds of 64 bits make.
    pub(super) fn of_epoch_day(days: i64) -> Self {
        let days = days + DAYS_TO_EPOCH;
        let era = days.div_euclid(DAYS_OF_ERA.into());
        #[expect(clippy::cast_possible_truncation, reason = "below the divisor")]
        let Date { year, month, day } = Date::of_day(days.rem_euclid(DAYS_OF_ERA.into()) as u32);
        Self { year: 400 * era + i64::from(year), month, day }
    }

    /// The Julian date of the same day as [`of_epoch_day`](Self::of_epoch_day).
    pub(super) fn of_julian_epoch_day(days: i64) -> Self {
        let days = days + JULIAN_MARCH_TO_EPOCH;
        let day_of_four_years = days.rem_euclid(DAYS_OF_FOUR_YEARS);
        let year = (day_of_four_years / 365).min(3);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 365")]
        let (next_year, month, day) = month_and_day((day_of_four_years - 365 * year) as u32);
        Self { year: 4 * days.div_euclid(DAYS_OF_FOUR_YEARS) + year + i64::from(next_year), month, day }
    }

    /// How many days the date is after 1970-01-01.
    #[inline]
    pub(super) fn epoch_day(self) -> i64 {
        let year = self.year_from_march();
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        365 * year + leap_days + self.day_from_march() - MARCH_TO_EPOCH
    }

    /// How many days the Julian date is after the Gregorian 1970-01-01.
    pub(super) fn julian_epoch_day(self) -> i64 {
        let year = self.year_from_march();
        365 * year + year.div_euclid(4) + self.day_from_march() - JULIAN_MARCH_TO_EPOCH
    }

    /// How many days the month has in the Gregorian calendar.
    #[inline]
    pub(super) fn month_length(self) -> u32 {
        match self.month {
            4 | 6 | 9 | 11 => 30,
            2 if self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0) => 29,
            2 => 28,
            _ => 31,
        }
    }

    fn year_from_march(self) -> i64 {
        self.year - i64::from(self.month < 3)
    }

    fn day_from_march(self) -> i64 {
        let month = i64::from((self.month + 9) % 12);
        (153 * month + 2) / 5 + i64::from(self.day) - 1
    }
}

/// Whether the day of a year from March on is in the calendar's next year, the month and the day.
#[inline]
fn month_and_day(day_of_year: u32) -> (bool, u32, u32) {
    let product = 2_141 * day_of_year + 197_913;
    let (month, day) = (product >> 16, (product & 0xFFFF) / 2_141 + 1);
    if month > 12 { (true, month - 12, day) } else { (false, month, day) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts on from day to day by the rule of the calendar.
    fn assert_days_follow_each_other(
        first: i64,
        mut date: Date,
        is_leap: fn(i64) -> bool,
        of: fn(i64) -> Date,
        back: fn(Date) -> i64,
    ) {
        for days in first..first + 3 * 146_097 {
            assert_eq!(of(days), date, "{days}");
            assert_eq!(back(date), days);
            let last = match date.month {
                2 if is_leap(date.year) => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            date = match date {
                Date { year, month: 12, day: 31 } => Date { year: year + 1, month: 1, day: 1 },
                Date { year, month, day } if day == last => Date { year, month: month + 1, day: 1 },
                Date { year, month, day } => Date { year, month, day: day + 1 },
            };
        }
    }

    #[test]
    fn every_gregorian_day_of_three_eras_follows_the_one_before() {
        let is_leap = |year| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let first = Date { year: -401, month: 1, day: 1 };
        assert_days_follow_each_other(
            -719_528 - 146_097 - 365,
            first,
            is_leap,
            Date::of_epoch_day,
            Date::epoch_day,
        );
    }

    /// 1582-10-05 would have been the Julian date of the first Gregorian day, 1582-10-15.
    #[test]
    fn every_julian_day_follows_the_one_before() {
        let first = Date { year: 1582, month: 10, day: 5 };
        let epoch_day = Date { day: 15, ..first }.epoch_day();
        assert_eq!(first.julian_epoch_day(), epoch_day);
        let (years, days) = (1600, 1600 / 4 * 1461);
        let first = Date { year: 1582 - years, ..first };
        assert_days_follow_each_other(
            epoch_day - days,
            first,
            |year| year % 4 == 0,
            Date::of_julian_epoch_day,
            Date::julian_epoch_day,
        );
    }
}
