//! Days since 1970-01-01 and dates, in the calendar of `java.time.LocalDate`: Gregorian, before 1582 as well.

/// The days of 400 years, after which the calendar repeats.
const DAYS_OF_ERA: u32 = 146_097;

/// The days from 0000-01-01 to 1970-01-01.
pub(super) const DAYS_TO_EPOCH: i64 = 719_528;

/// The days from 0000-01-01 to 9999-12-31, and one.
pub(super) const DAYS_OF_FOUR_DIGIT_YEARS: u32 = 25 * DAYS_OF_ERA;

/// A year, a month (1 to 12) and its day (1 to 31). Year 0 is 1 BC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date<Y = u32> {
    pub(super) year: Y,
    pub(super) month: u32,
    pub(super) day: u32,
}

impl Date {
    /// The date `days` days after 0000-01-01, which are below [`DAYS_OF_FOUR_DIGIT_YEARS`].
    ///
    /// The arithmetic is that of C. Neri and L. Schneider, "Euclidean affine functions and their application to
    /// calendar algorithms" (2022): a division becomes a multiplication whose upper half is the quotient and whose
    /// lower half tells the remainder.
    #[inline]
    pub(super) fn of_day(days: u32) -> Self {
        // Years here begin in March, so that the leap day is their last, and 400 of them begin before year 0.
        let quarters = 4 * (days + (DAYS_OF_ERA - 60)) + 3;
        let century = quarters / DAYS_OF_ERA;
        let quarters = (quarters % DAYS_OF_ERA) | 3;
        let product = 2_939_745 * u64::from(quarters);
        let year_of_century = (product >> 32) as u32;
        #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
        let day_of_year = product as u32 / 2_939_745 / 4;
        let product = 2_141 * day_of_year + 197_913;
        let (month, day) = (product >> 16, (product & 0xFFFF) / 2_141 + 1);
        let year = 100 * century + year_of_century;
        // January and February are the 13th and 14th month of the year before.
        let (year, month) = if day_of_year >= 306 { (year + 1, month - 12) } else { (year, month) };
        Self { year: year - 400, month, day }
    }
}

impl Date<i64> {
    /// The date `days` days after 1970-01-01, which any milliseconds of 64 bits make.
    pub(super) fn of_epoch_day(days: i64) -> Self {
        let days = days + DAYS_TO_EPOCH;
        let era = days.div_euclid(DAYS_OF_ERA.into());
        #[expect(clippy::cast_possible_truncation, reason = "below the divisor")]
        let Date { year, month, day } = Date::of_day(days.rem_euclid(DAYS_OF_ERA.into()) as u32);
        Self { year: 400 * era + i64::from(year), month, day }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts on from day to day by the rule of the calendar.
    #[test]
    fn every_day_of_three_eras_follows_the_one_before() {
        let mut date = Date { year: -401_i64, month: 1, day: 1 };
        let first = -719_528 - 146_097 - 365;
        for days in first..first + 3 * 146_097 {
            assert_eq!(Date::of_epoch_day(days), date, "{days}");
            let leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
            let last = match date.month {
                2 if leap => 29,
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
}
