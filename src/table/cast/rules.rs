//! Which types SQL casts into which: metadata columns may have any type that their metadata can be cast into.
//!
//! Agrees with `org.apache.flink.table.types.logical.utils.LogicalTypeCasts.supportsExplicitCast`.

use crate::types::{DataType, LogicalType};

/// Whether `CAST(from AS to)` is there. Nullability does not matter.
pub(in crate::table) fn supports_explicit_cast(from: &DataType, to: &DataType) -> bool {
    let (from, to) = (&from.logical_type, &to.logical_type);
    match to {
        _ if from == to => true,
        LogicalType::Char(_) | LogicalType::VarChar(_) => {
            !matches!(from, LogicalType::Variant | LogicalType::Bitmap)
        }
        LogicalType::Boolean => is_character_string(from) || is_integer(from),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
            is_character_string(from) || is_binary_string(from)
        }
        LogicalType::Decimal { .. }
        | LogicalType::TinyInt
        | LogicalType::SmallInt
        | LogicalType::Int
        | LogicalType::BigInt
        | LogicalType::Float
        | LogicalType::Double => {
            is_numeric(from)
                || is_character_string(from)
                || matches!(
                    from,
                    LogicalType::Boolean | LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_)
                )
        }
        LogicalType::Date => is_character_string(from) || is_timestamp(from) || *from == LogicalType::Date,
        LogicalType::Time(_) => {
            is_character_string(from) || is_timestamp(from) || matches!(from, LogicalType::Time(_))
        }
        LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_) => {
            is_character_string(from) || is_datetime(from) || is_numeric(from)
        }
        LogicalType::TimestampTz(_) => is_character_string(from) || is_datetime(from),
        LogicalType::YearMonthInterval(_) => {
            is_character_string(from) || matches!(from, LogicalType::YearMonthInterval(_))
        }
        LogicalType::DayTimeInterval(_) => {
            is_character_string(from) || matches!(from, LogicalType::DayTimeInterval(_))
        }
        LogicalType::Array(to) => {
            matches!(from, LogicalType::Array(from) if supports_explicit_cast(from, to))
        }
        LogicalType::Multiset(to) => {
            matches!(from, LogicalType::Multiset(from) if supports_explicit_cast(from, to))
        }
        LogicalType::Map(to_key, to_value) => matches!(
            from,
            LogicalType::Map(key, value)
                if supports_explicit_cast(key, to_key) && supports_explicit_cast(value, to_value)
        ),
        LogicalType::Row(to) => match from {
            LogicalType::Row(from) if from.fields().len() == to.fields().len() => {
                let mut pairs = from.fields().iter().zip(to.fields());
                pairs.all(|(from, to)| supports_explicit_cast(&from.data_type, &to.data_type))
            }
            _ => false,
        },
        LogicalType::Null | LogicalType::Variant | LogicalType::Bitmap => false,
    }
}

pub(in crate::table) fn is_numeric(logical_type: &LogicalType) -> bool {
    let is_fraction =
        matches!(logical_type, LogicalType::Decimal { .. } | LogicalType::Float | LogicalType::Double);
    is_fraction || is_integer(logical_type)
}

fn is_integer(logical_type: &LogicalType) -> bool {
    matches!(
        logical_type,
        LogicalType::TinyInt | LogicalType::SmallInt | LogicalType::Int | LogicalType::BigInt
    )
}

pub(super) fn is_character_string(logical_type: &LogicalType) -> bool {
    matches!(logical_type, LogicalType::Char(_) | LogicalType::VarChar(_))
}

pub(super) fn is_binary_string(logical_type: &LogicalType) -> bool {
    matches!(logical_type, LogicalType::Binary(_) | LogicalType::VarBinary(_))
}

fn is_timestamp(logical_type: &LogicalType) -> bool {
    matches!(
        logical_type,
        LogicalType::Timestamp(_) | LogicalType::TimestampTz(_) | LogicalType::TimestampLtz(_)
    )
}

fn is_datetime(logical_type: &LogicalType) -> bool {
    matches!(logical_type, LogicalType::Date | LogicalType::Time(_)) || is_timestamp(logical_type)
}
