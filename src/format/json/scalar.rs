//! One JSON scalar to one value.

use crate::error::{Error, ErrorKind};
use crate::format::{Role, Scratch};
use crate::row::{Decimal, RowBuf, Slot, Timestamp};
use crate::text;
use crate::types::{DataType, LogicalType};

use super::check;
use super::lexer::{Lexer, Token};
use super::options::TimestampFormat;
use super::tree::FloatNodes;

/// A column that is neither array nor map nor row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal { precision: u8, scale: u8 },
    String,
    Bytes,
    Date,
    Time,
    Timestamp(TimestampFormat),
    TimestampLtz(TimestampFormat),
}

impl Scalar {
    /// What Flink's plan of the type decides beforehand.
    ///
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(super) fn new(data_type: &DataType, format: TimestampFormat) -> Result<Self, Error> {
        Ok(match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Self::String,
            LogicalType::Boolean => Self::Boolean,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Self::Bytes,
            &LogicalType::Decimal { precision, scale } => Self::Decimal { precision, scale },
            LogicalType::TinyInt => Self::TinyInt,
            LogicalType::SmallInt => Self::SmallInt,
            LogicalType::Int | LogicalType::YearMonthInterval(_) => Self::Int,
            LogicalType::BigInt | LogicalType::DayTimeInterval(_) => Self::BigInt,
            LogicalType::Float => Self::Float,
            LogicalType::Double => Self::Double,
            LogicalType::Date => Self::Date,
            LogicalType::Time(_) => Self::Time,
            LogicalType::Timestamp(_) => Self::Timestamp(format),
            LogicalType::TimestampLtz(_) => Self::TimestampLtz(format),
            LogicalType::Null
            | LogicalType::TimestampTz(_)
            | LogicalType::Variant
            | LogicalType::Bitmap
            | LogicalType::Array(_)
            | LogicalType::Map(..)
            | LogicalType::Multiset(_)
            | LogicalType::Row(_) => {
                return Err(check::unsupported(data_type, Role::Source));
            }
        })
    }

    /// The value of the token that the lexer stands on, which is not `null`, as the streaming decoder converts it.
    #[inline]
    pub(super) fn read(
        self,
        lexer: &mut Lexer<'_>,
        row: &mut RowBuf,
        scratch: &mut Scratch,
        floats: FloatNodes,
    ) -> Result<Slot, Error> {
        let token = lexer.token();
        let offset = lexer.offset();
        let slot = match (self, token) {
            (Self::String, Token::StartObject | Token::StartArray) => {
                let root = scratch.tree.parse(lexer, &mut scratch.bytes)?;
                Some(row.str_slot(scratch.tree.print_to_str(root, floats, &mut scratch.bytes)))
            }
            (Self::Boolean, Token::True) => Some(Slot::Boolean(true)),
            (Self::Bytes, _) if token != Token::String => None,
            (Self::Int, Token::Float) => float_as_int(lexer.text(&mut scratch.bytes)?).map(Slot::Int),
            (Self::BigInt, Token::Float) => {
                float_as_bigint(lexer.text(&mut scratch.bytes)?).map(Slot::BigInt)
            }
            (Self::Decimal { .. }, _) => self.parse(text::trim_java(lexer.text(&mut scratch.bytes)?), row),
            _ => self.parse(lexer.text(&mut scratch.bytes)?, row),
        };
        slot.ok_or_else(|| {
            if matches!(self, Self::Bytes) && token == Token::String && loses_its_place(lexer.raw()) {
                lexer.give_up();
            }
            self.misfit(token.name()).with_offset(offset)
        })
    }

    /// The value that the text of a string or a number stands for; `None` if it does not convert.
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
            Self::Time => text::parse_time(text).map(Slot::Time),
            Self::Timestamp(TimestampFormat::Sql) => timestamp(text::parse_timestamp_sql(text)),
            Self::Timestamp(TimestampFormat::Iso8601) => timestamp(text::parse_timestamp_iso(text)),
            Self::TimestampLtz(TimestampFormat::Sql) => timestamp(text::parse_timestamp_ltz_sql(text)),
            Self::TimestampLtz(TimestampFormat::Iso8601) => timestamp(text::parse_timestamp_ltz_iso(text)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn misfit(self, found: &str) -> Error {
        let expected = match self {
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
            Self::Time => "TIME",
            Self::Timestamp(_) => "TIMESTAMP",
            Self::TimestampLtz(_) => "TIMESTAMP_LTZ",
        };
        Error::new(ErrorKind::Data, format!("expected {expected}, found {found}"))
    }
}

#[inline]
fn timestamp(parsed: Option<(i64, u32)>) -> Option<Slot> {
    parsed.map(|(millis, nanos)| Slot::Timestamp(Timestamp::new(millis, nanos)))
}

/// Jackson's `getIntValue` of a number with a point or an exponent: truncated, if the double is in range.
pub(in crate::format) fn float_as_int(text: &str) -> Option<i32> {
    let double = text::parse_f64(text)?;
    let in_range = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&double);
    #[expect(clippy::cast_possible_truncation, reason = "toward zero, as Java's cast")]
    in_range.then_some(double as i32)
}

/// Jackson's `getLongValue` of a number with a point or an exponent: truncated and clamped, if the double is in
/// range, both ends included.
pub(in crate::format) fn float_as_bigint(text: &str) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    let double = text::parse_f64(text)?;
    #[expect(clippy::cast_possible_truncation, reason = "toward zero and clamped, as Java's cast")]
    (-END..=END).contains(&double).then_some(double as i64)
}

/// Whether Jackson, which decodes base64 as it reads, has read past the end of the string, or stopped inside a
/// character, when it finds that `text` is none. One sees it where parse errors are ignored.
fn loses_its_place(text: &[u8]) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        rest = match *rest {
            // The quote in the place of the second digit, or of the second padding.
            [a] if is_digit(a) => return true,
            [a, b, b'='] if is_digit(a) && is_digit(b) => return true,
            [a, b, b'=', b'=', ref rest @ ..] if is_digit(a) && is_digit(b) => rest,
            [a, b, c, b'=', ref rest @ ..] if [a, b, c].into_iter().all(is_digit) => rest,
            [a, b, c, d, ref rest @ ..] if [a, b, c, d].into_iter().all(is_digit) => rest,
            _ => return rest.iter().find(|byte| !is_digit(**byte)).is_some_and(|byte| !byte.is_ascii()),
        };
    }
}
