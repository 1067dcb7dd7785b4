//! What serde's values are to become.

use super::parse::{parse_date, parse_instant, parse_time, parse_timestamp};
use super::types::{Fields, Type, refuse};
use crate::error::Error;
use crate::row::{Decimal, Slot, Timestamp};

/// What a value is to become.
pub(super) enum Of<'r> {
    Value(&'r mut Type),
    Row(&'r mut Fields),
    /// Those of ours, as bytes.
    Decimal,
    Timestamp,
}

impl Of<'_> {
    #[cold]
    pub(super) fn mismatch(&self, found: &str) -> Error {
        match self {
            Self::Value(of) => refuse(format!("expected {}, found {found}", of.as_str())),
            Self::Row(_) => refuse(format!("expected a struct, a map or a tuple, found {found}")),
            Self::Decimal | Self::Timestamp => refuse(format!("expected bytes, found {found}")),
        }
    }

    pub(super) fn integer(&self, value: i64) -> Result<Slot, Error> {
        let slot = match self {
            Self::Value(Type::BigInt) => Some(Slot::BigInt(value)),
            Self::Value(Type::Int) => i32::try_from(value).ok().map(Slot::Int),
            Self::Value(Type::SmallInt) => i16::try_from(value).ok().map(Slot::SmallInt),
            Self::Value(Type::TinyInt) => i8::try_from(value).ok().map(Slot::TinyInt),
            Self::Value(Type::Decimal) => Some(Slot::Decimal(Decimal::new(value.into(), 0))),
            _ => return Err(self.mismatch("an integer")),
        };
        slot.ok_or_else(|| self.mismatch(&value.to_string()))
    }

    pub(super) fn large_integer(&self, value: Option<i128>) -> Result<Slot, Error> {
        if let Some(value) = value.and_then(|value| i64::try_from(value).ok()) {
            return self.integer(value);
        }
        match (self, value.and_then(|value| Decimal::try_new(value, 0))) {
            (Self::Value(Type::Decimal), Some(value)) => Ok(Slot::Decimal(value)),
            _ => Err(self.mismatch("a larger integer")),
        }
    }

    /// The value that a text spells.
    pub(super) fn parse(&self, text: &str) -> Result<Slot, Error> {
        let timestamp = |(millis, nanos)| Slot::Timestamp(Timestamp::new(millis, nanos));
        let slot = match self {
            Self::Value(Type::Decimal) => text.parse().ok().map(Slot::Decimal),
            Self::Value(Type::Date) => parse_date(text).map(Slot::Date),
            Self::Value(Type::Time) => parse_time(text).map(Slot::Time),
            Self::Value(Type::Timestamp) => parse_timestamp(text).map(timestamp),
            Self::Value(Type::TimestampLtz) => parse_instant(text).map(timestamp),
            _ => return Err(self.mismatch("a text")),
        };
        slot.ok_or_else(|| self.mismatch(&format!("{text:?}")))
    }
}
