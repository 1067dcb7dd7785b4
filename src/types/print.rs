use std::fmt::{self, Display, Formatter, Write as _};

use super::interval::{DayTimeInterval, YearMonthInterval};
use super::logical_type::{DataType, Field, LogicalType, RowType};

/// Prints the type as Flink's SQL: `asSerializableString()`, or with `{:#}` `asSummaryString()`.
impl Display for DataType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.logical_type.fmt(f)?;
        if self.nullable { Ok(()) } else { f.write_str(" NOT NULL") }
    }
}

/// Prints the type as Flink's SQL: `asSerializableString()`, or with `{:#}` `asSummaryString()`.
impl Display for LogicalType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::VarChar(Self::MAX_LENGTH) if f.alternate() => f.write_str("STRING"),
            Self::VarBinary(Self::MAX_LENGTH) if f.alternate() => f.write_str("BYTES"),
            Self::TimestampLtz(precision) if f.alternate() => write!(f, "TIMESTAMP_LTZ({precision})"),
            Self::Char(length) => write!(f, "CHAR({length})"),
            Self::VarChar(length) => write!(f, "VARCHAR({length})"),
            Self::Boolean => f.write_str("BOOLEAN"),
            Self::Binary(length) => write!(f, "BINARY({length})"),
            Self::VarBinary(length) => write!(f, "VARBINARY({length})"),
            Self::Decimal { precision, scale } => write!(f, "DECIMAL({precision}, {scale})"),
            Self::TinyInt => f.write_str("TINYINT"),
            Self::SmallInt => f.write_str("SMALLINT"),
            Self::Int => f.write_str("INT"),
            Self::BigInt => f.write_str("BIGINT"),
            Self::Float => f.write_str("FLOAT"),
            Self::Double => f.write_str("DOUBLE"),
            Self::Date => f.write_str("DATE"),
            Self::Time(precision) => write!(f, "TIME({precision})"),
            Self::Timestamp(precision) => write!(f, "TIMESTAMP({precision})"),
            Self::TimestampTz(precision) => write!(f, "TIMESTAMP({precision}) WITH TIME ZONE"),
            Self::TimestampLtz(precision) => write!(f, "TIMESTAMP({precision}) WITH LOCAL TIME ZONE"),
            Self::YearMonthInterval(interval) => interval.fmt(f),
            Self::DayTimeInterval(interval) => interval.fmt(f),
            Self::Array(element) => generic(f, "ARRAY<", [element]),
            Self::Map(key, value) => generic(f, "MAP<", [key, value]),
            Self::Multiset(element) => generic(f, "MULTISET<", [element]),
            Self::Row(row_type) => row_type.fmt(f),
            Self::Null => f.write_str("NULL"),
            Self::Variant => f.write_str("VARIANT"),
            Self::Bitmap => f.write_str("BITMAP"),
        }
    }
}

/// Prints `ROW<...>`.
impl Display for RowType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        generic(f, "ROW<", self.fields())
    }
}

/// Prints `` `name` TYPE 'description' ``.
impl Display for Field {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", identifier(&self.name))?;
        self.data_type.fmt(f)?;
        match &self.description {
            Some(_) if f.alternate() => f.write_str(" '...'"),
            Some(description) => write!(f, " {}", string_literal(description)),
            None => Ok(()),
        }
    }
}

impl Display for YearMonthInterval {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Year(years) => write!(f, "INTERVAL YEAR({years})"),
            Self::YearToMonth(years) => write!(f, "INTERVAL YEAR({years}) TO MONTH"),
            Self::Month => f.write_str("INTERVAL MONTH"),
        }
    }
}

impl Display for DayTimeInterval {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(days) => write!(f, "INTERVAL DAY({days})"),
            Self::DayToHour(days) => write!(f, "INTERVAL DAY({days}) TO HOUR"),
            Self::DayToMinute(days) => write!(f, "INTERVAL DAY({days}) TO MINUTE"),
            Self::DayToSecond(days, fraction) => write!(f, "INTERVAL DAY({days}) TO SECOND({fraction})"),
            Self::Hour => f.write_str("INTERVAL HOUR"),
            Self::HourToMinute => f.write_str("INTERVAL HOUR TO MINUTE"),
            Self::HourToSecond(fraction) => write!(f, "INTERVAL HOUR TO SECOND({fraction})"),
            Self::Minute => f.write_str("INTERVAL MINUTE"),
            Self::MinuteToSecond(fraction) => write!(f, "INTERVAL MINUTE TO SECOND({fraction})"),
            Self::Second(fraction) => write!(f, "INTERVAL SECOND({fraction})"),
        }
    }
}

/// A name in backquotes, those inside it doubled.
pub(crate) fn identifier(name: &str) -> impl Display {
    Quoted { text: name, quote: '`' }
}

/// A text in single quotes, those inside it doubled.
pub(crate) fn string_literal(text: &str) -> impl Display {
    Quoted { text, quote: '\'' }
}

struct Quoted<'a> {
    text: &'a str,
    quote: char,
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char(self.quote)?;
        for piece in self.text.split_inclusive(self.quote) {
            f.write_str(piece)?;
            if piece.ends_with(self.quote) {
                f.write_char(self.quote)?;
            }
        }
        f.write_char(self.quote)
    }
}

/// `NAME<a, b>` of what prints itself by the same flags.
fn generic<T: Display>(f: &mut Formatter<'_>, open: &str, parts: impl IntoIterator<Item = T>) -> fmt::Result {
    f.write_str(open)?;
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        part.fmt(f)?;
    }
    f.write_char('>')
}
