//! What stands in the place of values that the database did not send.

use crate::error::{Error, ErrorKind};
use crate::format::json::Lexer;

/// `unavailable.value.placeholder`, and the same in base64 and in hexadecimal digits.
pub(super) const PLACEHOLDER: &[u8] = b"__debezium_unavailable_value";
const PLACEHOLDER_BASE64: &[u8] = b"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==";
const PLACEHOLDER_HEX: &[u8] = b"5f5f646562657a69756d5f756e617661696c61626c655f76616c7565";

#[inline]
pub(super) fn is_placeholder(raw: &[u8]) -> bool {
    match raw.len() {
        28 => raw == PLACEHOLDER,
        40 => raw == PLACEHOLDER_BASE64,
        56 => raw == PLACEHOLDER_HEX,
        _ => false,
    }
}

/// Whether the elements, as they are written, are the numbers of the placeholder's bytes.
pub(super) fn is_placeholder_of_numbers(array: &[u8]) -> bool {
    let elements = array.strip_prefix(b"[").unwrap_or_default().split(|byte| *byte == b',');
    let numbers = elements.map(|element| str::from_utf8(element.trim_ascii()).ok()?.parse::<u8>().ok());
    numbers.eq(PLACEHOLDER.iter().copied().map(Some))
}

#[cold]
pub(super) fn unavailable(lexer: &Lexer<'_>) -> Error {
    Error::new(ErrorKind::Data, "the database did not send this value, because it has not changed")
        .with_offset(lexer.offset())
        .with_help(
            "`ALTER TABLE .. REPLICA IDENTITY FULL` makes PostgreSQL send it; `DebeziumSettings::unavailable_value` \
             says what becomes of it",
        )
}
