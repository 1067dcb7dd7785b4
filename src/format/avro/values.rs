//! Avro's values as Flink's: numbers to their columns, octets to text, bytes and decimals.
//!
//! Agrees with `org.apache.flink.formats.avro.AvroToRowDataConverters`.

use super::read_plan::{NumberTo, OctetsTo};
use crate::error::{Error, ErrorKind};
use crate::row::{Decimal, RowBuf, Slot, Timestamp};
use crate::text;

impl NumberTo {
    /// An int or a long; TINYINT and SMALLINT take its lowest bits.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "Java's casts")]
    #[inline]
    pub(super) fn slot(self, value: i64) -> Slot {
        match self {
            Self::TinyInt => Slot::TinyInt(value as i8),
            Self::SmallInt => Slot::SmallInt(value as i16),
            Self::Int => Slot::Int(value as i32),
            Self::BigInt => Slot::BigInt(value),
            Self::Float => Slot::Float(value as f32),
            Self::Double => Slot::Double(value as f64),
            Self::Date => Slot::Date(value as i32),
            Self::Time => Slot::Time(value as i32),
            Self::TimestampMillis => Slot::Timestamp(Timestamp::from_millis(value)),
            Self::TimestampMicros { whole_millis } => {
                let micros = if whole_millis { 0 } else { value.rem_euclid(1000) as u32 };
                Slot::Timestamp(Timestamp::new(value.div_euclid(1000), micros * 1000))
            }
        }
    }
}

impl OctetsTo {
    /// # Errors
    ///
    /// For a decimal without bytes.
    #[inline]
    pub(super) fn slot(self, octets: &[u8], row: &mut RowBuf) -> Result<Slot, Error> {
        match self {
            Self::String => Ok(string_slot(octets, row)),
            Self::Bytes => Ok(row.bytes_slot(octets)),
            Self::Decimal { precision, scale } => decimal_slot(octets.iter().copied(), precision, scale),
        }
    }

    /// What Avro says of a length that no Java array has.
    pub(super) fn too_long(self) -> &'static str {
        match self {
            Self::String => "Cannot read strings longer than 2147483639 bytes",
            Self::Bytes | Self::Decimal { .. } => {
                "Cannot read arrays longer than 2147483639 bytes in Java library"
            }
        }
    }
}

/// Text as Java decodes it.
#[inline]
pub(super) fn string_slot(octets: &[u8], row: &mut RowBuf) -> Slot {
    row.str_slot_with(|out| text::decode_utf8(octets, out))
}

/// `String.getBytes(ISO_8859_1)`: a question mark for what the charset lacks.
pub(super) fn latin_1(text: &str) -> impl Iterator<Item = u8> {
    text.chars().map(|character| u8::try_from(character).unwrap_or(b'?'))
}

/// `DecimalData.fromUnscaledBytes`: big-endian two's complement of any length; NULL beyond the precision.
///
/// # Errors
///
/// Without any byte.
pub(super) fn decimal_slot(
    mut octets: impl Iterator<Item = u8>,
    precision: u8,
    scale: u8,
) -> Result<Slot, Error> {
    let Some(first) = octets.next() else {
        return Err(Error::new(ErrorKind::Data, "Zero length BigInteger"));
    };
    let unscaled = octets.try_fold(i128::from(first.cast_signed()), |unscaled, octet| {
        // Octets that only repeat the sign are no overflow.
        Some(unscaled.checked_mul(256)? | i128::from(octet))
    });
    let limit = 10_u128.checked_pow(precision.into());
    let fits = |unscaled: &i128| limit.is_none_or(|limit| unscaled.unsigned_abs() < limit);
    let decimal = unscaled.filter(fits).and_then(|unscaled| Decimal::try_new(unscaled, scale));
    Ok(decimal.map_or(Slot::Null, Slot::Decimal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Datum;

    #[test]
    fn decimals_are_read_from_any_number_of_bytes() {
        // golden avro/decimal-*
        for (octets, text) in [
            (&[0x00][..], Some("0.00")),
            (&[0x80], Some("-1.28")),
            (&[0x00, 0x80], Some("1.28")),
            (&[0x00, 0x00, 0x00, 0x00, 0x00, 0x01], Some("0.01")),
            (&[0xff; 40], Some("-0.01")),
            (&[0x01, 0x86, 0x9f], Some("999.99")),
            (&[0x01, 0x86, 0xa0], None),
            (&[0x7f; 16], None),
            (&[0x7f; 17], None),
        ] {
            let mut row = RowBuf::with_columns(1);
            row.store(0, decimal_slot(octets.iter().copied(), 5, 2).unwrap());
            match (row.iter().next().unwrap(), text) {
                (Datum::Decimal(decimal), Some(text)) => assert_eq!(decimal.to_string(), text),
                (datum, text) => assert!(datum.is_null() && text.is_none(), "{octets:x?}: {datum:?}"),
            }
        }
        assert!(decimal_slot([].into_iter(), 5, 2).is_err());
    }
}
