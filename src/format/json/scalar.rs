//! One JSON scalar to one value.

use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::format::{Role, Scratch};
use crate::row::{RowBuf, Slot};
use crate::text;
use crate::types::{DataType, LogicalType};

use super::check;
use super::lexer::{Lexer, Token};
use super::options::TimestampFormat;
use super::tree::FloatNodes;

/// How values of the type are read.
///
/// # Errors
///
/// Flink's, for a type that JSON does not take.
pub(super) fn scalar_of(data_type: &DataType, format: TimestampFormat) -> Result<Scalar, Error> {
    let scalar = match (&data_type.logical_type, format) {
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
            Some(row.str_slot(scratch.tree.print_to_str(root, floats, &mut scratch.bytes)))
        }
        (Scalar::Boolean, Token::True) => Some(Slot::Boolean(true)),
        (Scalar::Bytes, _) if token != Token::String => None,
        (Scalar::Int, Token::Float) => float_as_int(lexer.text(&mut scratch.text)?).map(Slot::Int),
        (Scalar::BigInt, Token::Float) => float_as_bigint(lexer.text(&mut scratch.text)?).map(Slot::BigInt),
        (Scalar::Decimal { .. }, _) => scalar.parse(text::trim_java(lexer.text(&mut scratch.text)?), row),
        _ => scalar.parse(lexer.text(&mut scratch.text)?, row),
    };
    slot.ok_or_else(|| {
        if scalar == Scalar::Bytes && token == Token::String && loses_its_place(lexer.raw()) {
            lexer.give_up();
        }
        misfit(scalar, token.name()).with_offset(offset)
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
