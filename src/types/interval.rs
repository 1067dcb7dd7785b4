/// `INTERVAL YEAR`, `INTERVAL YEAR TO MONTH` or `INTERVAL MONTH`, with the digits of the years, 1 to 4.
///
/// The values are months in all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Exhaustive: the SQL standard's.
pub enum YearMonthInterval {
    /// `INTERVAL YEAR(p)`.
    Year(u8),
    /// `INTERVAL YEAR(p) TO MONTH`.
    YearToMonth(u8),
    /// `INTERVAL MONTH`.
    Month,
}

/// `INTERVAL DAY`, `INTERVAL DAY TO SECOND` and the rest, with the digits of the days, 1 to 6, and then those of
/// the fraction of a second, 0 to 9.
///
/// The values are milliseconds in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Exhaustive: the SQL standard's.
pub enum DayTimeInterval {
    /// `INTERVAL DAY(p)`.
    Day(u8),
    /// `INTERVAL DAY(p) TO HOUR`.
    DayToHour(u8),
    /// `INTERVAL DAY(p) TO MINUTE`.
    DayToMinute(u8),
    /// `INTERVAL DAY(p) TO SECOND(f)`.
    DayToSecond(u8, u8),
    /// `INTERVAL HOUR`.
    Hour,
    /// `INTERVAL HOUR TO MINUTE`.
    HourToMinute,
    /// `INTERVAL HOUR TO SECOND(f)`.
    HourToSecond(u8),
    /// `INTERVAL MINUTE`.
    Minute,
    /// `INTERVAL MINUTE TO SECOND(f)`.
    MinuteToSecond(u8),
    /// `INTERVAL SECOND(f)`.
    Second(u8),
}
