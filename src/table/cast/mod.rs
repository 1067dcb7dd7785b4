//! What Flink's planner puts between metadata and a column of another type: a CAST.
//!
//! Agrees with the rules of `org.apache.flink.table.planner.functions.casting`, for the types that metadata have.

mod rules;
mod to_text;

use crate::error::{Error, ErrorKind};
use crate::format::map_slot;
use crate::row::{Datum, Decimal, DecimalColumn, LocalTimeZone, RowBuf, Slot, Timestamp};
use crate::text::{self, Jdk, MILLIS_OF_DAY};
use crate::types::{Field, LogicalType};

use self::rules::{is_binary_string, is_character_string};
pub(super) use self::rules::{is_numeric, supports_explicit_cast};
pub(crate) use self::to_text::ToText;

/// A cast to another type.
#[derive(Clone, Debug)]
pub(crate) enum Cast {
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
    /// Text of so many characters at most, and of no fewer where the type is CHAR.
    Text {
        of: ToText,
        len: usize,
        fills: bool,
    },
    /// So many bytes at most, and no fewer where the type is BINARY.
    Bytes {
        len: usize,
        fills: bool,
    },
    /// What clocks show, of a point in time those of the zone, with so many decimals.
    Timestamp {
        zone: LocalTimeZone,
        decimals: u8,
    },
    /// The point in time, of what clocks of the zone show if it is none, with so many decimals.
    TimestampLtz {
        zone: LocalTimeZone,
        is_local: bool,
        decimals: u8,
    },
    /// The day that it is in the zone.
    Date(LocalTimeZone),
    /// What clocks of the zone show, with so many decimals.
    Time {
        zone: LocalTimeZone,
        decimals: u8,
    },
    Array(Box<Cast>),
    Map(Box<[Cast; 2]>),
    /// The fields' names are those of the type that it is cast to.
    Row(Box<[(Box<str>, Cast)]>),
}

impl Cast {
    /// The cast of values of `from`; `None` where there is none, or none that metadata could need.
    pub(crate) fn new(from: &LogicalType, to: &LogicalType, zone: &LocalTimeZone, jdk: Jdk) -> Option<Self> {
        let length = |len: u32| usize::try_from(len).unwrap_or(usize::MAX);
        let text = |len: u32, fills| {
            let of = ToText { from: from.clone(), zone: zone.clone(), jdk };
            Some(Self::Text { of, len: length(len), fills })
        };
        let nested = |from: &LogicalType, to: &LogicalType| Self::new(from, to, zone, jdk);
        Some(match (from, to) {
            (LogicalType::Char(has) | LogicalType::VarChar(has), LogicalType::VarChar(len)) if has <= len => {
                Self::AsItIs
            }
            (LogicalType::Binary(has) | LogicalType::VarBinary(has), LogicalType::VarBinary(len))
                if has <= len =>
            {
                Self::AsItIs
            }
            (LogicalType::Map(from_key, from_value), LogicalType::Map(to_key, to_value)) => {
                let key = nested(&from_key.logical_type, &to_key.logical_type)?;
                let value = nested(&from_value.logical_type, &to_value.logical_type)?;
                match (&key, &value) {
                    (Self::AsItIs, Self::AsItIs) => Self::AsItIs,
                    _ => Self::Map(Box::new([key, value])),
                }
            }
            (LogicalType::Array(from), LogicalType::Array(to)) => {
                match nested(&from.logical_type, &to.logical_type)? {
                    Self::AsItIs => Self::AsItIs,
                    element => Self::Array(Box::new(element)),
                }
            }
            (LogicalType::Row(from), LogicalType::Row(to)) if from.fields().len() == to.fields().len() => {
                let pairs = from.fields().iter().zip(to.fields());
                let field = |(from, to): (&Field, &Field)| {
                    let cast = nested(&from.data_type.logical_type, &to.data_type.logical_type)?;
                    Some((to.name.as_str().into(), cast))
                };
                let fields = pairs.map(field).collect::<Option<Box<[(Box<str>, Self)]>>>()?;
                match fields.iter().all(|(_, cast)| matches!(cast, Self::AsItIs)) {
                    true => Self::AsItIs,
                    false => Self::Row(fields),
                }
            }
            (from, to) if from == to => Self::AsItIs,
            (_, LogicalType::Char(len)) => return text(*len, true),
            (_, LogicalType::VarChar(len)) => return text(*len, false),
            (_, LogicalType::Binary(len)) if is_character_string(from) || is_binary_string(from) => {
                Self::Bytes { len: length(*len), fills: true }
            }
            (_, LogicalType::VarBinary(len)) if is_character_string(from) || is_binary_string(from) => {
                Self::Bytes { len: length(*len), fills: false }
            }
            (LogicalType::Int | LogicalType::BigInt | LogicalType::Char(_) | LogicalType::VarChar(_), to) => {
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
                    LogicalType::Timestamp(decimals) if is_character_string(from) => {
                        Self::Timestamp { zone: zone.clone(), decimals: *decimals }
                    }
                    LogicalType::Date if is_character_string(from) => Self::Date(zone.clone()),
                    LogicalType::Time(decimals) if is_character_string(from) => {
                        Self::Time { zone: zone.clone(), decimals: *decimals }
                    }
                    LogicalType::TimestampLtz(decimals) if is_character_string(from) => {
                        Self::TimestampLtz { zone: zone.clone(), is_local: true, decimals: *decimals }
                    }
                    _ => return None,
                }
            }
            (
                LogicalType::Timestamp(has) | LogicalType::TimestampLtz(has),
                LogicalType::Timestamp(decimals) | LogicalType::TimestampLtz(decimals),
            ) if has <= decimals
                && (zone.is_utc() || std::mem::discriminant(from) == std::mem::discriminant(to)) =>
            {
                Self::AsItIs
            }
            (LogicalType::TimestampLtz(_), LogicalType::Timestamp(decimals)) => {
                Self::Timestamp { zone: zone.clone(), decimals: *decimals }
            }
            (LogicalType::TimestampLtz(_), LogicalType::Date) => Self::Date(zone.clone()),
            (LogicalType::TimestampLtz(_), LogicalType::Time(decimals)) => {
                Self::Time { zone: zone.clone(), decimals: *decimals }
            }
            (LogicalType::TimestampLtz(_), LogicalType::TimestampLtz(decimals)) => {
                Self::TimestampLtz { zone: zone.clone(), is_local: false, decimals: *decimals }
            }
            (
                LogicalType::Timestamp(_) | LogicalType::Date | LogicalType::Time(_),
                LogicalType::TimestampLtz(decimals),
            ) => Self::TimestampLtz { zone: zone.clone(), is_local: true, decimals: *decimals },
            _ => return None,
        })
    }

    /// The value, cast, kept by the row. No allocation but for what the row grows by.
    ///
    /// # Errors
    ///
    /// For a text that is not of the type.
    pub(crate) fn slot(&self, value: Datum<'_>, row: &mut RowBuf) -> Result<Slot, Error> {
        Ok(match (self, value) {
            (Self::AsItIs, value) => row.slot_of(value),
            (_, Datum::Null) => Slot::Null,
            (Self::Text { of, len, fills }, value) => row.str_slot_with(|out| {
                let start = out.len();
                of.write(value, out);
                match out[start..].char_indices().nth(*len) {
                    Some((end, _)) => out.truncate(start + end),
                    None if *fills => {
                        let missing = len - out[start..].chars().count();
                        out.extend(std::iter::repeat_n(' ', missing));
                    }
                    None => {}
                }
            }),
            (Self::Bytes { len, fills }, Datum::String(text)) => {
                bytes_slot(text.as_bytes(), *len, *fills, row)?
            }
            (Self::Bytes { len, fills }, Datum::Bytes(bytes)) => bytes_slot(bytes, *len, *fills, row)?,
            (Self::Array(element), Datum::Array(values)) => {
                let mark = row.begin();
                for (index, value) in values.iter().enumerate() {
                    let slot = element.slot(value, row).map_err(|error| error.in_element(index))?;
                    row.push_slot(slot);
                }
                row.array_slot(mark)
            }
            (Self::Map(casts), Datum::Map(entries)) => {
                let [of_key, of_value] = &**casts;
                let mark = row.begin();
                for (key, value) in entries.iter() {
                    let slot = of_key.slot(key, row).map_err(|error| in_entry(error, key))?;
                    row.push_slot(slot);
                    let slot = of_value.slot(value, row).map_err(|error| in_entry(error, key))?;
                    row.push_slot(slot);
                }
                map_slot(row, mark)
            }
            (Self::Row(fields), Datum::Row(values)) => {
                let mark = row.begin();
                for ((name, cast), value) in fields.iter().zip(values.iter()) {
                    let slot = cast.slot(value, row).map_err(|error| error.in_column(name))?;
                    row.push_slot(slot);
                }
                row.row_slot(mark)
            }
            (_, value) => {
                let value = self.scalar(value)?;
                row.slot_of(value)
            }
        })
    }

    /// The value, cast, of a cast to a type that is neither text nor nested.
    ///
    /// # Errors
    ///
    /// For a text that is not of the type.
    fn scalar<'a>(&self, value: Datum<'a>) -> Result<Datum<'a>, Error> {
        match value {
            Datum::Int(value) => Ok(self.integer(value.into())),
            Datum::BigInt(value) => Ok(self.integer(value)),
            Datum::String(text) => self.parsed(text).ok_or_else(|| self.misfit(text)),
            Datum::Timestamp(value) => Ok(self.timestamp(value)),
            Datum::Date(days) => {
                let local = Timestamp::from_millis(i64::from(days) * MILLIS_OF_DAY);
                Ok(self.timestamp(local))
            }
            Datum::Time(millis) => Ok(self.timestamp(Timestamp::from_millis(millis.into()))),
            _ => Ok(value),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "Flink's cast keeps the low bits")]
    #[expect(clippy::cast_precision_loss, reason = "as Java's")]
    fn integer(&self, value: i64) -> Datum<'static> {
        match self {
            Self::TinyInt => Datum::TinyInt(value as i8),
            Self::SmallInt => Datum::SmallInt(value as i16),
            Self::Int => Datum::Int(value as i32),
            Self::Float => Datum::Float(value as f32),
            Self::Double => Datum::Double(value as f64),
            Self::Boolean => Datum::Boolean(value != 0),
            // One that does not fit is NULL.
            Self::Decimal(column) => match column.unscaled(Decimal::new(value.into(), 0)) {
                Ok(unscaled) => Datum::Decimal(Decimal::new(unscaled, column.scale())),
                Err(_) => Datum::Null,
            },
            _ => Datum::BigInt(value),
        }
    }

    fn parsed<'a>(&self, value: &'a str) -> Option<Datum<'a>> {
        Some(match self {
            Self::TinyInt => Datum::TinyInt(text::cast_integer(value)?.try_into().ok()?),
            Self::SmallInt => Datum::SmallInt(text::cast_integer(value)?.try_into().ok()?),
            Self::Int => Datum::Int(text::cast_integer(value)?.try_into().ok()?),
            Self::BigInt => Datum::BigInt(text::cast_integer(value)?),
            Self::Float => Datum::Float(text::cast_f32(value)?),
            Self::Double => Datum::Double(text::cast_f64(value)?),
            Self::Boolean => Datum::Boolean(text::cast_boolean(value)?),
            Self::Decimal(column) => {
                let unscaled =
                    text::parse_decimal(value.trim_matches(' '), column.precision(), column.scale());
                Datum::Decimal(Decimal::try_new(unscaled.ok()??, column.scale())?)
            }
            Self::Date(_) => Datum::Date(text::cast_date(value)?),
            Self::Time { decimals, .. } => Datum::Time(time(text::cast_time(value)?.into(), *decimals)?),
            Self::Timestamp { decimals, .. } => {
                let (millis, nanos) = text::cast_timestamp(value)?;
                Datum::Timestamp(truncated(Timestamp::new(millis, nanos), *decimals))
            }
            Self::TimestampLtz { zone, decimals, .. } => {
                let (millis, nanos) = text::cast_timestamp(value)?;
                Datum::Timestamp(truncated(zone.to_instant(Timestamp::new(millis, nanos)), *decimals))
            }
            _ => Datum::String(value),
        })
    }

    #[cold]
    fn misfit(&self, text: &str) -> Error {
        let expected = match self {
            Self::TinyInt => LogicalType::TinyInt,
            Self::SmallInt => LogicalType::SmallInt,
            Self::Int => LogicalType::Int,
            Self::BigInt => LogicalType::BigInt,
            Self::Float => LogicalType::Float,
            Self::Double => LogicalType::Double,
            Self::Boolean => LogicalType::Boolean,
            Self::Decimal(column) => {
                LogicalType::Decimal { precision: column.precision(), scale: column.scale() }
            }
            Self::Timestamp { decimals, .. } => LogicalType::Timestamp(*decimals),
            Self::TimestampLtz { decimals, .. } => LogicalType::TimestampLtz(*decimals),
            Self::Date(_) => LogicalType::Date,
            Self::Time { decimals, .. } => LogicalType::Time(*decimals),
            // These refuse no text.
            Self::AsItIs
            | Self::Text { .. }
            | Self::Bytes { .. }
            | Self::Array(_)
            | Self::Map(_)
            | Self::Row(_) => LogicalType::STRING,
        };
        Error::new(ErrorKind::Data, format!("expected {expected}, found {}", text::shown(text)))
    }

    fn timestamp(&self, value: Timestamp) -> Datum<'static> {
        match self {
            Self::Timestamp { zone, decimals } => {
                Datum::Timestamp(truncated(zone.to_local(value), *decimals))
            }
            Self::TimestampLtz { zone, is_local: true, decimals } => {
                Datum::Timestamp(truncated(zone.to_instant(value), *decimals))
            }
            Self::TimestampLtz { is_local: false, decimals, .. } => {
                Datum::Timestamp(truncated(value, *decimals))
            }
            Self::Date(zone) => {
                let days = zone.to_local(value).millis().div_euclid(MILLIS_OF_DAY);
                i32::try_from(days).map_or(Datum::Null, Datum::Date)
            }
            Self::Time { zone, decimals } => {
                let millis = zone.to_local(value).millis().rem_euclid(MILLIS_OF_DAY);
                time(millis, *decimals).map_or(Datum::Null, Datum::Time)
            }
            _ => Datum::Timestamp(value),
        }
    }
}

/// So many of the bytes at most, with zeros after them if they are to be no fewer.
fn bytes_slot(bytes: &[u8], len: usize, fills: bool, row: &mut RowBuf) -> Result<Slot, Error> {
    row.bytes_slot_with(|out| {
        let kept = &bytes[..bytes.len().min(len)];
        out.extend_from_slice(kept);
        if fills {
            out.extend(std::iter::repeat_n(0, len - kept.len()));
        }
        Ok(())
    })
}

/// The error of the entry that a map holds under `key`.
#[cold]
fn in_entry(error: Error, key: Datum<'_>) -> Error {
    match key {
        Datum::String(key) => error.in_key(key),
        key => error.in_key(&format!("{key:?}")),
    }
}

/// The time of a day without what is beyond so many decimals.
fn time(millis: i64, decimals: u8) -> Option<i32> {
    i32::try_from(truncated(Timestamp::from_millis(millis), decimals).millis()).ok()
}

/// Without what is beyond so many decimals.
fn truncated(timestamp: Timestamp, decimals: u8) -> Timestamp {
    // Towards 1970, as Flink's `DateTimeUtils.truncate`.
    let unit = match decimals {
        0 => 1000,
        1 => 100,
        2 => 10,
        3 => 1,
        _ => {
            let unit = 10_u32.pow(9 - u32::from(decimals.min(9)));
            return Timestamp::new(timestamp.millis(), timestamp.nanos_of_millis() / unit * unit);
        }
    };
    Timestamp::from_millis(timestamp.millis() / unit * unit)
}
