use crate::error::Error;
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection};
use crate::row::{Datum, Row, RowKind};
use crate::wire::Buffer;

use super::column::{RawColumn, RawType};
use super::options::RawOptions;

/// Writes the bytes of the one column, and no byte string at all for NULL.
///
/// Agrees with `org.apache.flink.formats.raw.RawFormatSerializationSchema`.
#[derive(Clone, Debug)]
pub(crate) struct RawEncoder {
    column: RawColumn,
}

impl RawEncoder {
    /// # Errors
    ///
    /// Flink's, for another number of columns than one and for a type that the format does not take.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &RawOptions,
        _settings: FormatSettings,
    ) -> Result<Self, Error> {
        Ok(Self { column: RawColumn::new(projection, options)? })
    }
}

impl EncodeRow for RawEncoder {
    #[inline(never)]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        let column = &self.column;
        let order = column.byte_order;
        match (column.raw_type, row.datum(column.position)) {
            (_, Datum::Null) => return Ok(Encoded::Null),
            (RawType::Boolean, Datum::Boolean(value)) => out.extend_from_slice(&[value.into()]),
            (RawType::TinyInt, Datum::TinyInt(value)) => out.extend_from_slice(&value.to_be_bytes()),
            (RawType::SmallInt, Datum::SmallInt(value)) => {
                out.extend_from_slice(&order.arrange(value.to_be_bytes()))
            }
            (RawType::Int, Datum::Int(value)) => out.extend_from_slice(&order.arrange(value.to_be_bytes())),
            (RawType::BigInt, Datum::BigInt(value)) => {
                out.extend_from_slice(&order.arrange(value.to_be_bytes()))
            }
            (RawType::Float, Datum::Float(value)) => {
                out.extend_from_slice(&order.arrange(float_bits(value).to_be_bytes()));
            }
            (RawType::Double, Datum::Double(value)) => {
                out.extend_from_slice(&order.arrange(double_bits(value).to_be_bytes()));
            }
            (RawType::String(charset), Datum::String(value)) => {
                out.append_with(|out| charset.encode(value, out));
            }
            (RawType::Bytes, Datum::Bytes(value)) => out.extend_from_slice(value),
            (expected, found) => {
                return Err(expected.kind().mismatch(found.kind()).in_column(&column.name));
            }
        }
        Ok(Encoded::Bytes)
    }
}

/// `Float.floatToIntBits`: all NaN are one.
fn float_bits(value: f32) -> u32 {
    if value.is_nan() { 0x7FC0_0000 } else { value.to_bits() }
}

/// `Double.doubleToLongBits`: all NaN are one.
fn double_bits(value: f64) -> u64 {
    if value.is_nan() { 0x7FF8_0000_0000_0000 } else { value.to_bits() }
}
