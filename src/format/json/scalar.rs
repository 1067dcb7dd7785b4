//! One JSON scalar to one value.

use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::format::{Role, Scratch};
use crate::row::{RowBuf, Slot};
use crate::text;
use crate::types::{DataType, LogicalType};

use super::check;
use super::lexer::{Lexer, Token};
use super::options::{JsonOptions, TimestampFormat};
use super::tree::FloatNodes;
use super::utf8;

/// How values of the type are read.
///
/// # Errors
///
/// Flink's, for a type that JSON does not take.
pub(super) fn scalar_of(data_type: &DataType, options: &JsonOptions) -> Result<Scalar, Error> {
    let scalar = match (&data_type.logical_type, options.timestamp_format) {
        (LogicalType::Time(_), _) if options.whole_seconds => Some(Scalar::TimeInSeconds),
        (LogicalType::YearMonthInterval(_), _) => Some(Scalar::Int),
        (LogicalType::DayTimeInterval(_), _) => Some(Scalar::BigInt),
        (LogicalType::Timestamp(_), TimestampFormat::Iso8601) => Some(Scalar::IsoTimestamp),
        (LogicalType::TimestampLtz(_), TimestampFormat::Iso8601) => Some(Scalar::IsoTimestampLtz),
        (logical_type, _) => Scalar::of(logical_type),
    };
    scalar.ok_or_else(|| check::unsupported(data_type, Role::Source))
}

/// The value of the token that the lexer stands on, which is not `null`, as the streaming decoder converts it.
#[inline]
pub(super) fn read(
    scalar: Scalar,
    lexer: &mut Lexer<'_>,
    row: &mut RowBuf,
    scratch: &mut Scratch,
    floats: FloatNodes,
) -> Result<Slot, Error> {
    let token = lexer.token();
    let offset = lexer.offset();
    let slot = match (scalar, token) {
        (Scalar::String, Token::StartObject | Token::StartArray) => {
            let root = scratch.tree.parse(lexer)?;
            scratch.tree.check_floats(floats)?;
            Some(row.str_slot(scratch.tree.print_to_str(root, floats, &mut scratch.bytes)))
        }
        (Scalar::Boolean, Token::True) => Some(Slot::Boolean(true)),
        (Scalar::Bytes, _) if token != Token::String => None,
        (Scalar::Bytes, _) => return read_bytes(lexer, row, scratch),
        (Scalar::Int, Token::Float) => float_as_int(lexer.text(&mut scratch.text)?).map(Slot::Int),
        (Scalar::BigInt, Token::Float) => float_as_bigint(lexer.text(&mut scratch.text)?).map(Slot::BigInt),
        (Scalar::Decimal { .. }, _) => scalar.parse(text::trim_java(lexer.text(&mut scratch.text)?), row),
        _ => scalar.parse(lexer.text(&mut scratch.text)?, row),
    };
    slot.ok_or_else(|| misfit(scalar, token.name()).with_offset(offset))
}

/// The bytes of a string. Jackson decodes base64 as it reads: what is none leaves it inside the string, or past its end,
/// as one sees where parse errors are ignored.
fn read_bytes(lexer: &mut Lexer<'_>, row: &mut RowBuf, scratch: &mut Scratch) -> Result<Slot, Error> {
    let (offset, rest) = (lexer.offset(), lexer.rest());
    let slot = match lexer.text(&mut scratch.text) {
        Ok(text) => Scalar::Bytes.parse(text, row),
        Err(error) => {
            lexer.resume_inside_of(offset, utf8::end_of_base64(rest));
            return Err(error);
        }
    };
    slot.ok_or_else(|| {
        lexer.resume_inside_of(offset, utf8::end_of_base64(rest));
        misfit(Scalar::Bytes, Token::String.name()).with_offset(offset)
    })
}

#[cold]
#[inline(never)]
pub(super) fn misfit(scalar: Scalar, found: &str) -> Error {
    Error::new(ErrorKind::Data, format!("expected {}, found {found}", scalar.name()))
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
