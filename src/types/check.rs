use super::interval::{DayTimeInterval, YearMonthInterval};
use super::logical_type::{DataType, LogicalType, RowType};
use crate::error::{Error, ErrorKind};

impl DataType {
    /// Refuses what Flink's types refuse when they are made, with its sentences, and what nests too deep.
    pub(crate) fn check(&self) -> Result<(), Error> {
        check_nested(self, 1)
    }
}

fn check_nested(data_type: &DataType, depth: usize) -> Result<(), Error> {
    if depth > LogicalType::MAX_NESTING {
        return Err(too_deep());
    }
    match &data_type.logical_type {
        LogicalType::Array(element) | LogicalType::Multiset(element) => check_nested(element, depth + 1),
        LogicalType::Map(key, value) => {
            check_nested(key, depth + 1)?;
            check_nested(value, depth + 1)
        }
        LogicalType::Row(row_type) => {
            check_names(row_type)?;
            row_type.fields().iter().try_for_each(|field| {
                check_nested(&field.data_type, depth + 1).map_err(|error| error.in_column(&field.name))
            })
        }
        scalar => check_scalar(scalar),
    }
}

/// The bounds of one type, without those inside it.
pub(super) fn check_scalar(logical_type: &LogicalType) -> Result<(), Error> {
    let precision = |what, precision| between(what, 0, 9, precision);
    match *logical_type {
        LogicalType::Char(length) => between_lengths("Character string", length),
        LogicalType::VarChar(length) => between_lengths("Variable character string", length),
        LogicalType::Binary(length) => between_lengths("Binary string", length),
        LogicalType::VarBinary(length) => between_lengths("Variable binary string", length),
        LogicalType::Decimal { precision, scale } => check_decimal(precision, scale),
        LogicalType::Time(digits) => precision("Time precision", digits),
        LogicalType::Timestamp(digits) => precision("Timestamp precision", digits),
        LogicalType::TimestampTz(digits) => precision("Timestamp with time zone precision", digits),
        LogicalType::TimestampLtz(digits) => precision("Timestamp with local time zone precision", digits),
        LogicalType::YearMonthInterval(interval) => check_years(interval),
        LogicalType::DayTimeInterval(interval) => check_days(interval),
        LogicalType::Boolean
        | LogicalType::TinyInt
        | LogicalType::SmallInt
        | LogicalType::Int
        | LogicalType::BigInt
        | LogicalType::Float
        | LogicalType::Double
        | LogicalType::Date
        | LogicalType::Array(_)
        | LogicalType::Map(..)
        | LogicalType::Multiset(_)
        | LogicalType::Row(_)
        | LogicalType::Null
        | LogicalType::Variant
        | LogicalType::Bitmap => Ok(()),
    }
}

fn check_decimal(precision: u8, scale: u8) -> Result<(), Error> {
    between("Decimal precision", 1, 38, precision)?;
    if scale <= precision {
        return Ok(());
    }
    Err(refused(format!("Decimal scale must be between 0 and the precision {precision} (both inclusive).")))
}

fn check_years(interval: YearMonthInterval) -> Result<(), Error> {
    match interval {
        YearMonthInterval::Year(years) | YearMonthInterval::YearToMonth(years) => {
            between("Year precision of year-month intervals", 1, 4, years)
        }
        YearMonthInterval::Month => Ok(()),
    }
}

fn check_days(interval: DayTimeInterval) -> Result<(), Error> {
    use DayTimeInterval as I;
    let days = |digits| between("Day precision of day-time intervals", 1, 6, digits);
    let fraction = |digits| between("Fractional precision of day-time intervals", 0, 9, digits);
    match interval {
        I::Day(digits) | I::DayToHour(digits) | I::DayToMinute(digits) => days(digits),
        I::DayToSecond(of_days, of_fraction) => days(of_days).and_then(|()| fraction(of_fraction)),
        I::HourToSecond(digits) | I::MinuteToSecond(digits) | I::Second(digits) => fraction(digits),
        I::Hour | I::HourToMinute | I::Minute => Ok(()),
    }
}

/// Names are there and unique.
pub(super) fn check_names(row_type: &RowType) -> Result<(), Error> {
    let names = || row_type.fields().iter().map(|field| &*field.name);
    if names().any(|name| name.trim().is_empty()) {
        return Err(refused("Field names must contain at least one non-whitespace character.".to_owned()));
    }
    let duplicates = duplicates(names());
    if duplicates.is_empty() {
        return Ok(());
    }
    Err(refused(format!("Field names must be unique. Found duplicates: [{}]", duplicates.join(", "))))
}

/// The names that occur more than once, each once, in order of their first place.
pub(crate) fn duplicates<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sorted: Vec<(&str, usize)> = names.enumerate().map(|(place, name)| (name, place)).collect();
    sorted.sort_unstable();
    let mut duplicates: Vec<(usize, &str)> = sorted
        .chunk_by(|(a, _), (b, _)| a == b)
        .filter_map(|same| match same {
            [(name, place), _, ..] => Some((*place, *name)),
            _ => None,
        })
        .collect();
    duplicates.sort_unstable();
    duplicates.into_iter().map(|(_, name)| name).collect()
}

/// That types are inside each other more than [`LogicalType::MAX_NESTING`] deep.
pub(super) fn too_deep() -> Error {
    let message = format!("types are nested more than {} deep", LogicalType::MAX_NESTING);
    Error::new(ErrorKind::Limit, message)
}

fn between_lengths(what: &str, length: u32) -> Result<(), Error> {
    if (1..=LogicalType::MAX_LENGTH).contains(&length) {
        return Ok(());
    }
    let max = LogicalType::MAX_LENGTH;
    Err(refused(format!("{what} length must be between 1 and {max} (both inclusive).")))
}

fn between(what: &str, min: u8, max: u8, value: u8) -> Result<(), Error> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(refused(format!("{what} must be between {min} and {max} (both inclusive).")))
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Table, message)
}
