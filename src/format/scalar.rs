//! One text to one value, as `json` and `csv` read alike.

use crate::row::{DatumKind, Decimal, RowBuf, Slot, Timestamp};
use crate::text;
use crate::types::LogicalType;

/// A type whose values are spelled as one text, and how its text is read: what the formats know of the types that have
/// no others in them.
///
/// Agrees with the converters of `org.apache.flink.formats.json.JsonToRowDataConverters` and
/// `org.apache.flink.formats.csv.CsvToRowDataConverters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal {
        precision: u8,
        scale: u8,
    },
    String,
    /// In base64.
    Bytes,
    Date,
    /// By `java.sql.Date`.
    SqlDate,
    Time,
    /// Cut to seconds.
    TimeInSeconds,
    /// By `java.time.LocalTime`, cut to so many milliseconds.
    LocalTime {
        unit: i32,
    },
    Timestamp,
    TimestampLtz,
    /// With a `T`.
    IsoTimestamp,
    IsoTimestampLtz,
}

impl Scalar {
    /// How values of the type are read where a format does not say otherwise; `None` for a type that is no scalar, or
    /// that not every format takes.
    pub(super) fn of(logical_type: &LogicalType) -> Option<Self> {
        Some(match *logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Self::String,
            LogicalType::Boolean => Self::Boolean,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Self::Bytes,
            LogicalType::Decimal { precision, scale } => Self::Decimal { precision, scale },
            LogicalType::TinyInt => Self::TinyInt,
            LogicalType::SmallInt => Self::SmallInt,
            LogicalType::Int => Self::Int,
            LogicalType::BigInt => Self::BigInt,
            LogicalType::Float => Self::Float,
            LogicalType::Double => Self::Double,
            LogicalType::Date => Self::Date,
            LogicalType::Time(_) => Self::Time,
            LogicalType::Timestamp(_) => Self::Timestamp,
            LogicalType::TimestampLtz(_) => Self::TimestampLtz,
            LogicalType::TimestampTz(_)
            | LogicalType::YearMonthInterval(_)
            | LogicalType::DayTimeInterval(_)
            | LogicalType::Array(_)
            | LogicalType::Map(..)
            | LogicalType::Multiset(_)
            | LogicalType::Row(_)
            | LogicalType::Null
            | LogicalType::Variant
            | LogicalType::Bitmap => return None,
        })
    }

    /// The value that `text` stands for, a long one in the arenas of `row`; `None` if it does not convert.
    #[inline]
    pub(super) fn parse(self, text: &str, row: &mut RowBuf) -> Option<Slot> {
        let integer = || text::parse_integer(text::trim_java(text));
        match self {
            // Boolean.parseBoolean never fails: what is not "true" is false.
            Self::Boolean => Some(Slot::Boolean(text::trim_java(text).eq_ignore_ascii_case("true"))),
            Self::TinyInt => integer()?.try_into().ok().map(Slot::TinyInt),
            Self::SmallInt => integer()?.try_into().ok().map(Slot::SmallInt),
            Self::Int => integer()?.try_into().ok().map(Slot::Int),
            Self::BigInt => integer().map(Slot::BigInt),
            Self::Float => text::parse_f32(text).map(Slot::Float),
            Self::Double => text::parse_f64(text).map(Slot::Double),
            // More digits than the column has are NULL, not an error: DecimalData.fromBigDecimal.
            Self::Decimal { precision, scale } => {
                let unscaled = text::parse_decimal(text, precision, scale).ok()?;
                let decimal = unscaled.and_then(|unscaled| Decimal::try_new(unscaled, scale));
                Some(decimal.map_or(Slot::Null, Slot::Decimal))
            }
            Self::String => Some(row.str_slot(text)),
            Self::Bytes => row.bytes_slot_with(|out| text::read_base64(out, text.as_bytes())).ok(),
            Self::Date => text::parse_date(text).map(Slot::Date),
            Self::SqlDate => text::parse_sql_date(text).map(Slot::Date),
            Self::Time => text::parse_time(text).map(Slot::Time),
            Self::TimeInSeconds => text::parse_time(text).map(|millis| Slot::Time(millis - millis % 1000)),
            Self::LocalTime { unit } => {
                text::parse_time_iso(text).map(|millis| Slot::Time(millis - millis % unit))
            }
            Self::Timestamp => timestamp(text::parse_timestamp_sql(text)),
            Self::TimestampLtz => timestamp(text::parse_timestamp_ltz_sql(text)),
            Self::IsoTimestamp => timestamp(text::parse_timestamp_iso(text)),
            Self::IsoTimestampLtz => timestamp(text::parse_timestamp_ltz_iso(text)),
        }
    }

    /// What is expected, for messages.
    pub(super) fn name(self) -> &'static str {
        let kind = match self {
            Self::Boolean => DatumKind::Boolean,
            Self::TinyInt => DatumKind::TinyInt,
            Self::SmallInt => DatumKind::SmallInt,
            Self::Int => DatumKind::Int,
            Self::BigInt => DatumKind::BigInt,
            Self::Float => DatumKind::Float,
            Self::Double => DatumKind::Double,
            Self::Decimal { .. } => DatumKind::Decimal,
            Self::String => DatumKind::String,
            Self::Bytes => return "base64",
            Self::Date | Self::SqlDate => DatumKind::Date,
            Self::Time | Self::TimeInSeconds | Self::LocalTime { .. } => DatumKind::Time,
            Self::Timestamp | Self::IsoTimestamp => DatumKind::Timestamp,
            Self::TimestampLtz | Self::IsoTimestampLtz => return "TIMESTAMP_LTZ",
        };
        kind.as_str()
    }
}

#[inline]
fn timestamp(parsed: Option<(i64, u32)>) -> Option<Slot> {
    parsed.map(|(millis, nanos)| Slot::Timestamp(Timestamp::new(millis, nanos)))
}
