//! What Flink's planner puts between metadata and a column of another type: a CAST. Agrees with the rules of
//! `org.apache.flink.table.planner.functions.casting`, for the types that metadata have.

use crate::row::{Datum, Decimal, DecimalColumn, LocalTimeZone, RowBuf, Timestamp};
use crate::text::{MILLIS_OF_DAY, put_integer, put_timestamp};
use crate::types::LogicalType;

/// A cast to the type that a column declares.
#[derive(Clone, Debug)]
pub(super) enum Cast {
    /// The value as it is.
    AsItIs,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Boolean,
    Decimal(DecimalColumn),
    /// Text of so many characters at most, and of no fewer where the type is CHAR; of points in time in the zone.
    Text {
        len: usize,
        fills: bool,
        zone: LocalTimeZone,
    },
    /// What clocks of the zone show, with so many decimals.
    Timestamp {
        zone: LocalTimeZone,
        decimals: u8,
    },
    /// The point in time with so many decimals.
    TimestampLtz {
        decimals: u8,
    },
    /// The day that it is in the zone.
    Date(LocalTimeZone),
}

impl Cast {
    pub(super) fn new(to: &LogicalType, zone: &LocalTimeZone) -> Self {
        let text = |len: u32, fills| Self::Text {
            len: usize::try_from(len).unwrap_or(usize::MAX),
            fills,
            zone: zone.clone(),
        };
        match to {
            LogicalType::TinyInt => Self::TinyInt,
            LogicalType::SmallInt => Self::SmallInt,
            LogicalType::Int => Self::Int,
            LogicalType::BigInt => Self::BigInt,
            LogicalType::Float => Self::Float,
            LogicalType::Double => Self::Double,
            LogicalType::Boolean => Self::Boolean,
            LogicalType::Decimal { precision, scale } => {
                Self::Decimal(DecimalColumn::new(*precision, *scale))
            }
            LogicalType::Char(len) => text(*len, true),
            LogicalType::VarChar(len) => text(*len, false),
            LogicalType::Timestamp(decimals) => Self::Timestamp { zone: zone.clone(), decimals: *decimals },
            LogicalType::TimestampLtz(decimals) => Self::TimestampLtz { decimals: *decimals },
            LogicalType::Date => Self::Date(zone.clone()),
            // A table with such a column was refused, but for types that are the metadata's own.
            _ => Self::AsItIs,
        }
    }

    /// Sets the column to the value, cast. No allocation but for what the row keeps.
    pub(super) fn set(&self, value: Datum<'_>, row: &mut RowBuf, column: usize) {
        match value {
            Datum::Int(value) => self.set_integer(value.into(), row, column),
            Datum::BigInt(value) => self.set_integer(value, row, column),
            Datum::Timestamp(instant) => self.set_instant(instant, row, column),
            Datum::String(text) => match self {
                Self::Text { len, fills, .. } => set_text(text, *len, *fills, row, column),
                _ => row.set(column, value),
            },
            _ => row.set(column, value),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "Flink's cast keeps the low bits")]
    #[expect(clippy::cast_precision_loss, reason = "as Java's")]
    fn set_integer(&self, value: i64, row: &mut RowBuf, column: usize) {
        let datum = match self {
            Self::TinyInt => Datum::TinyInt(value as i8),
            Self::SmallInt => Datum::SmallInt(value as i16),
            Self::Int => Datum::Int(value as i32),
            Self::Float => Datum::Float(value as f32),
            Self::Double => Datum::Double(value as f64),
            Self::Boolean => Datum::Boolean(value != 0),
            // One that does not fit is NULL.
            Self::Decimal(to) => match to.unscaled(Decimal::new(value.into(), 0)) {
                Ok(unscaled) => Datum::Decimal(Decimal::new(unscaled, to.scale())),
                Err(_) => Datum::Null,
            },
            Self::Text { len, fills, .. } => {
                let mut room = [0; 64];
                let end = put_integer(&mut room, value);
                return set_text(ascii(&room[..end]), *len, *fills, row, column);
            }
            _ => Datum::BigInt(value),
        };
        row.set(column, datum);
    }

    fn set_instant(&self, instant: Timestamp, row: &mut RowBuf, column: usize) {
        let datum = match self {
            Self::Timestamp { zone, decimals } => {
                Datum::Timestamp(truncated(zone.to_local(instant), *decimals))
            }
            Self::TimestampLtz { decimals } => Datum::Timestamp(truncated(instant, *decimals)),
            Self::Date(zone) => {
                let days = zone.to_local(instant).millis().div_euclid(MILLIS_OF_DAY);
                i32::try_from(days).map_or(Datum::Null, Datum::Date)
            }
            Self::Text { len, fills, zone } => {
                let (mut room, local) = ([0; 64], zone.to_local(instant));
                let end = put_timestamp(&mut room, local.millis(), 0, b' ');
                // The metadata's type has three decimals, which the text has too.
                let end = put_decimals(&mut room, end, local.millis().rem_euclid(1000));
                return set_text(ascii(&room[..end]), *len, *fills, row, column);
            }
            _ => Datum::Timestamp(instant),
        };
        row.set(column, datum);
    }
}

/// Without the milliseconds beyond so many decimals.
fn truncated(timestamp: Timestamp, decimals: u8) -> Timestamp {
    let unit = match decimals {
        0 => 1000,
        1 => 100,
        2 => 10,
        _ => return timestamp,
    };
    // Towards 1970, as Flink's `DateTimeUtils.truncate`.
    Timestamp::from_millis(timestamp.millis() / unit * unit)
}

/// Puts the three decimals after a time, which has those that it needs, and answers where they end.
fn put_decimals(room: &mut [u8; 64], end: usize, millis: i64) -> usize {
    let needed = match millis {
        0 => 0,
        _ if millis % 100 == 0 => 2,
        _ if millis % 10 == 0 => 3,
        _ => 4,
    };
    let whole = &b".000"[needed..];
    room[end..end + whole.len()].copy_from_slice(whole);
    end + whole.len()
}

fn ascii(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

/// Text cut to `len` characters, or filled up to them with blanks.
fn set_text(text: &str, len: usize, fills: bool, row: &mut RowBuf, column: usize) {
    match text.char_indices().nth(len) {
        Some((end, _)) => row.set(column, Datum::String(&text[..end])),
        None if fills => {
            let missing = len - text.chars().count();
            let slot = row.str_slot_with(|out| {
                out.push_str(text);
                out.extend(std::iter::repeat_n(' ', missing));
            });
            row.store(column, slot);
        }
        None => row.set(column, Datum::String(text)),
    }
}
