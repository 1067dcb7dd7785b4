//! What stands in the place of values that the database did not send.

use crate::error::{Error, ErrorKind};
use crate::format::json::Lexer;
use crate::text;

use super::settings::{DebeziumSettings, UnavailableValue};

/// The connector's `unavailable.value.placeholder`, as columns of several kinds have it.
#[derive(Debug)]
pub(crate) struct Placeholder {
    pub(super) bytes: Box<[u8]>,
    /// As the text of a JSON string.
    escaped: Box<[u8]>,
    base64: Box<[u8]>,
    /// In hexadecimal digits.
    hex: Box<[u8]>,
    /// What becomes of the value.
    pub(super) becomes: UnavailableValue,
}

impl Placeholder {
    pub(super) fn new(settings: &DebeziumSettings) -> Self {
        let text = settings.unavailable_placeholder.as_deref().unwrap_or("__debezium_unavailable_value");
        let octets = text.strip_prefix("hex:").and_then(|digits| {
            let mut octets = Vec::new();
            read_hex(&mut octets, digits.as_bytes()).map(|()| octets)
        });
        let bytes = octets.unwrap_or_else(|| text.as_bytes().to_vec());
        let (mut escaped, mut base64) = (Vec::new(), Vec::new());
        text::write_escaped_text(&mut escaped, &String::from_utf8_lossy(&bytes));
        text::write_base64(&mut base64, &bytes);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            escaped: escaped.into(),
            base64: base64.into(),
            hex: hex.into_bytes().into(),
            bytes: bytes.into(),
            becomes: settings.unavailable_value,
        }
    }

    /// Whether a string that is written so stands for a value.
    #[inline]
    pub(super) fn is(&self, raw: &[u8]) -> bool {
        // Their lengths differ mostly from a value's, which is seen at once.
        [&self.escaped, &self.base64, &self.hex].iter().any(|placeholder| ***placeholder == *raw)
    }

    /// Whether the name of a map's entry, as it is written, stands for the map.
    pub(super) fn is_name(&self, raw: &[u8]) -> bool {
        *self.escaped == *raw
    }

    /// Whether the elements, as they are written, are the numbers of the placeholder's bytes.
    pub(super) fn is_numbers(&self, array: &[u8]) -> bool {
        let elements = array.strip_prefix(b"[").unwrap_or_default().split(|byte| *byte == b',');
        let numbers = elements.map(|element| str::from_utf8(element.trim_ascii()).ok()?.parse::<u8>().ok());
        numbers.eq(self.bytes.iter().copied().map(Some))
    }
}

/// Appends the bytes of pairs of hexadecimal digits.
pub(super) fn read_hex(out: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, []) = text.as_chunks::<2>() else { return None };
    for [high, low] in pairs {
        out.push(digit(*high)? << 4 | digit(*low)?);
    }
    Some(())
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
