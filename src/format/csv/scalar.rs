use crate::error::Error;
use crate::row::{Decimal, RowBuf, Slot, Timestamp};
use crate::text;
use crate::types::{DataType, LogicalType};

use super::check;

/// A cell, or a part of one, that is neither array nor row.
///
/// Agrees with the converters of `org.apache.flink.formats.csv.CsvToRowDataConverters`, to which all cells are text.
#[derive(Clone, Copy, Debug)]
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
    Bytes,
    Date,
    /// Cut to so many milliseconds.
    Time {
        unit: i32,
    },
    Timestamp,
    TimestampLtz,
}

impl Scalar {
    /// # Errors
    ///
    /// Flink's, for a type that a cell cannot be.
    pub(super) fn new(data_type: &DataType) -> Result<Self, Error> {
        Ok(match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Self::String,
            LogicalType::Boolean => Self::Boolean,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Self::Bytes,
            &LogicalType::Decimal { precision, scale } => Self::Decimal { precision, scale },
            LogicalType::TinyInt => Self::TinyInt,
            LogicalType::SmallInt => Self::SmallInt,
            LogicalType::Int => Self::Int,
            LogicalType::BigInt => Self::BigInt,
            LogicalType::Float => Self::Float,
            LogicalType::Double => Self::Double,
            LogicalType::Date => Self::Date,
            LogicalType::Time(0) => Self::Time { unit: 1000 },
            LogicalType::Time(1) => Self::Time { unit: 100 },
            LogicalType::Time(2) => Self::Time { unit: 10 },
            LogicalType::Time(_) => Self::Time { unit: 1 },
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
            | LogicalType::Bitmap => return Err(check::unsupported(data_type)),
        })
    }

    /// The value of `cell`, long ones in the arenas of `row`; `None` if it has none.
    #[inline]
    pub(super) fn read(self, cell: &str, row: &mut RowBuf) -> Option<Slot> {
        match self {
            // Boolean.parseBoolean never fails: what is not "true" is false.
            Self::Boolean => Some(Slot::Boolean(text::trim_java(cell).eq_ignore_ascii_case("true"))),
            Self::TinyInt => integer(cell)?.try_into().ok().map(Slot::TinyInt),
            Self::SmallInt => integer(cell)?.try_into().ok().map(Slot::SmallInt),
            Self::Int => integer(cell)?.try_into().ok().map(Slot::Int),
            Self::BigInt => integer(cell).map(Slot::BigInt),
            Self::Float => text::parse_f32(cell).map(Slot::Float),
            Self::Double => text::parse_f64(cell).map(Slot::Double),
            // More digits than the column has are NULL, not an error: DecimalData.fromBigDecimal.
            Self::Decimal { precision, scale } => {
                let unscaled = text::parse_decimal(cell, precision, scale).ok()?;
                let decimal = unscaled.and_then(|unscaled| Decimal::try_new(unscaled, scale));
                Some(decimal.map_or(Slot::Null, Slot::Decimal))
            }
            Self::String => Some(row.str_slot(cell)),
            Self::Bytes => row.bytes_slot_with(|out| text::read_base64(out, cell.as_bytes())).ok(),
            Self::Date => text::parse_sql_date(cell).map(Slot::Date),
            Self::Time { unit } => {
                text::parse_time_iso(cell).map(|millis| Slot::Time(millis - millis % unit))
            }
            Self::Timestamp => timestamp(text::parse_timestamp_sql(text::trim_java(cell))),
            Self::TimestampLtz => timestamp(text::parse_timestamp_ltz_sql(text::trim_java(cell))),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::Decimal { .. } => "DECIMAL",
            Self::String => "STRING",
            Self::Bytes => "base64",
            Self::Date => "DATE",
            Self::Time { .. } => "TIME",
            Self::Timestamp => "TIMESTAMP",
            Self::TimestampLtz => "TIMESTAMP_LTZ",
        }
    }
}

#[inline]
fn integer(cell: &str) -> Option<i64> {
    text::parse_integer(text::trim_java(cell))
}

fn timestamp(parsed: Option<(i64, u32)>) -> Option<Slot> {
    parsed.map(|(millis, nanos)| Slot::Timestamp(Timestamp::new(millis, nanos)))
}
