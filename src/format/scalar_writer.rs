//! One value to one short text, as `json` and `csv` write alike.

use crate::error::Error;
use crate::row::{Datum, DatumKind, DecimalColumn, Timestamp};
use crate::text::{self, Jdk, Room};
use crate::types::LogicalType;

use super::scalar::Scalar;

/// A type whose values are short texts, and how they are written.
///
/// Agrees with the converters of `org.apache.flink.formats.json.RowDataToJsonConverters` and
/// `org.apache.flink.formats.csv.RowDataToCsvConverters`, and the numbers of Jackson's generators.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScalarWriter {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float(Jdk),
    Double(Jdk),
    DecimalPlain(DecimalColumn),
    /// Plain, without zeros at the end of the fraction.
    DecimalShort(DecimalColumn),
    DecimalScientific(DecimalColumn),
    Date,
    Time,
    /// Without its fraction.
    TimeInSeconds,
    Timestamp {
        separator: u8,
    },
    TimestampLtz {
        separator: u8,
    },
}

/// What the options and settings decide of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarStyle {
    pub(super) jdk: Jdk,
    /// Whether decimals have all of their places, and no exponent.
    pub(super) plain_decimals: bool,
    /// Whether these lose zeros at the end of the fraction.
    pub(super) short_decimals: bool,
    /// Whether times lose their fraction.
    pub(super) whole_seconds: bool,
    /// What stands between date and time.
    pub(super) separator: u8,
}

impl ScalarStyle {
    /// How values of the type are written; `None` for a type whose values are not short texts, or that not every format
    /// takes.
    pub(super) fn writer(self, logical_type: &LogicalType) -> Option<ScalarWriter> {
        let separator = self.separator;
        Some(match Scalar::of(logical_type)? {
            Scalar::Boolean => ScalarWriter::Boolean,
            Scalar::Decimal { precision, scale } => {
                let column = DecimalColumn::new(precision, scale);
                match (self.plain_decimals, self.short_decimals) {
                    (true, false) => ScalarWriter::DecimalPlain(column),
                    (true, true) => ScalarWriter::DecimalShort(column),
                    (false, _) => ScalarWriter::DecimalScientific(column),
                }
            }
            Scalar::TinyInt => ScalarWriter::TinyInt,
            Scalar::SmallInt => ScalarWriter::SmallInt,
            Scalar::Int => ScalarWriter::Int,
            Scalar::BigInt => ScalarWriter::BigInt,
            Scalar::Float => ScalarWriter::Float(self.jdk),
            Scalar::Double => ScalarWriter::Double(self.jdk),
            Scalar::Date | Scalar::SqlDate => ScalarWriter::Date,
            Scalar::Time if self.whole_seconds => ScalarWriter::TimeInSeconds,
            Scalar::Time | Scalar::TimeInSeconds | Scalar::LocalTime { .. } => ScalarWriter::Time,
            Scalar::Timestamp | Scalar::IsoTimestamp => ScalarWriter::Timestamp { separator },
            Scalar::TimestampLtz | Scalar::IsoTimestampLtz => ScalarWriter::TimestampLtz { separator },
            Scalar::String | Scalar::Bytes => return None,
        })
    }
}

impl ScalarWriter {
    /// Writes the value and says how long it is. In JSON, dates and times end with their closing quote, and NaN and the
    /// infinities, bare words otherwise, stand in quotes.
    ///
    /// `None` is the answer where there is no writer, or one of another type. The datum's kind decides first: so what the
    /// compiler sees of a row's columns leads straight to the arms of their types.
    ///
    /// # Errors
    ///
    /// For a decimal that does not fit.
    #[inline(always)]
    pub(super) fn put<const IN_JSON: bool>(
        writer: Option<&Self>,
        datum: Datum<'_>,
        room: &mut Room,
    ) -> Result<Option<usize>, Error> {
        Ok(Some(match (datum, writer) {
            (Datum::Boolean(value), Some(Self::Boolean)) => text::put_boolean(room, value),
            (Datum::TinyInt(value), Some(Self::TinyInt)) => text::put_integer(room, value.into()),
            (Datum::SmallInt(value), Some(Self::SmallInt)) => text::put_integer(room, value.into()),
            (Datum::Int(value), Some(Self::Int)) => text::put_integer(room, value.into()),
            (Datum::BigInt(value), Some(Self::BigInt)) => text::put_integer(room, value),
            (Datum::Float(value), Some(Self::Float(jdk))) => {
                let len = text::put_f32(room, value, *jdk);
                if IN_JSON && !value.is_finite() { quote(room, len) } else { len }
            }
            (Datum::Double(value), Some(Self::Double(jdk))) => {
                let len = text::put_f64(room, value, *jdk);
                if IN_JSON && !value.is_finite() { quote(room, len) } else { len }
            }
            (Datum::Decimal(value), Some(Self::DecimalPlain(column))) => {
                text::put_decimal_plain(room, column.unscaled(value)?, column.scale())
            }
            (Datum::Decimal(value), Some(Self::DecimalShort(column))) => {
                let len = text::put_decimal_plain(room, column.unscaled(value)?, column.scale());
                without_zeros(room, len, column.scale())
            }
            (Datum::Decimal(value), Some(Self::DecimalScientific(column))) => {
                text::put_decimal_scientific(room, column.unscaled(value)?, column.scale())
            }
            (Datum::Date(value), Some(Self::Date)) => {
                let len = text::put_date(room, value);
                end::<IN_JSON>(room, len)
            }
            (Datum::Time(value), Some(Self::Time)) => {
                let len = text::put_time(room, value);
                end::<IN_JSON>(room, len)
            }
            (Datum::Time(value), Some(Self::TimeInSeconds)) => {
                let len = text::put_time(room, value - value % 1000);
                end::<IN_JSON>(room, len)
            }
            (Datum::Timestamp(value), Some(Self::Timestamp { separator })) => {
                let len = put_timestamp(room, value, *separator);
                end::<IN_JSON>(room, len)
            }
            (Datum::Timestamp(value), Some(Self::TimestampLtz { separator })) => {
                let len = put_timestamp(room, value, *separator);
                room[len] = b'Z';
                end::<IN_JSON>(room, len + 1)
            }
            _ => return Ok(None),
        }))
    }

    /// What datum it takes.
    pub(super) fn kind(&self) -> DatumKind {
        match self {
            Self::Boolean => DatumKind::Boolean,
            Self::TinyInt => DatumKind::TinyInt,
            Self::SmallInt => DatumKind::SmallInt,
            Self::Int => DatumKind::Int,
            Self::BigInt => DatumKind::BigInt,
            Self::Float(_) => DatumKind::Float,
            Self::Double(_) => DatumKind::Double,
            Self::DecimalPlain(_) | Self::DecimalShort(_) | Self::DecimalScientific(_) => DatumKind::Decimal,
            Self::Date => DatumKind::Date,
            Self::Time | Self::TimeInSeconds => DatumKind::Time,
            Self::Timestamp { .. } | Self::TimestampLtz { .. } => DatumKind::Timestamp,
        }
    }

    /// Whether the texts are numbers, or like `true` words that stand for one value.
    pub(super) fn is_bare(&self) -> bool {
        match self {
            Self::Boolean
            | Self::TinyInt
            | Self::SmallInt
            | Self::Int
            | Self::BigInt
            | Self::Float(_)
            | Self::Double(_)
            | Self::DecimalPlain(_)
            | Self::DecimalShort(_)
            | Self::DecimalScientific(_) => true,
            Self::Date
            | Self::Time
            | Self::TimeInSeconds
            | Self::Timestamp { .. }
            | Self::TimestampLtz { .. } => false,
        }
    }
}

#[inline]
fn put_timestamp(room: &mut Room, value: Timestamp, separator: u8) -> usize {
    text::put_timestamp(room, value.millis(), value.nanos_of_millis(), separator)
}

/// How much of a plain decimal is left without zeros at the end of its fraction.
#[cold]
fn without_zeros(room: &Room, len: usize, scale: u8) -> usize {
    if scale == 0 {
        return len;
    }
    let zeros = room[..len].iter().rev().take_while(|byte| **byte == b'0').count();
    let len = len - zeros;
    len - usize::from(room[..len].ends_with(b"."))
}

/// Writes the closing quote of JSON after `len` bytes.
#[inline]
fn end<const IN_JSON: bool>(room: &mut Room, len: usize) -> usize {
    if !IN_JSON {
        return len;
    }
    room[len] = b'"';
    len + 1
}

/// Puts quotes around the first `len` bytes.
#[cold]
pub(super) fn quote(room: &mut Room, len: usize) -> usize {
    room.copy_within(..len, 1);
    room[0] = b'"';
    room[len + 1] = b'"';
    len + 2
}
