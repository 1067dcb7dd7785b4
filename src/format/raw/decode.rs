use crate::error::{Error, ErrorKind};
use crate::format::unicode::ByteOrder;
use crate::format::{DecodeRow, FormatSettings, Projection, Rows};
use crate::row::{RowBuf, RowKind, Slot};

use super::column::{RawColumn, RawType};
use super::options::RawOptions;

/// Reads the one column from its bytes, and NULL from no byte string at all.
///
/// Agrees with `org.apache.flink.formats.raw.RawFormatDeserializationSchema`.
#[derive(Clone, Debug)]
pub(crate) struct RawDecoder {
    column: RawColumn,
}

impl RawDecoder {
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

impl DecodeRow for RawDecoder {
    #[inline]
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let column = &self.column;
        let row = rows.push(RowKind::Insert)?;
        if let Some(bytes) = bytes {
            let slot = read(column.raw_type, column.byte_order, bytes, row);
            row.store(column.position, slot.map_err(|expected| wrong_size(column, expected))?);
        }
        Ok(())
    }
}

/// # Errors
///
/// The size that the type has, where `bytes` have another.
#[inline]
fn read(raw_type: RawType, order: ByteOrder, bytes: &[u8], row: &mut RowBuf) -> Result<Slot, usize> {
    Ok(match raw_type {
        RawType::Boolean => Slot::Boolean(number::<1>(order, bytes)? != [0]),
        RawType::TinyInt => Slot::TinyInt(i8::from_be_bytes(number(order, bytes)?)),
        RawType::SmallInt => Slot::SmallInt(i16::from_be_bytes(number(order, bytes)?)),
        RawType::Int => Slot::Int(i32::from_be_bytes(number(order, bytes)?)),
        RawType::BigInt => Slot::BigInt(i64::from_be_bytes(number(order, bytes)?)),
        RawType::Float => Slot::Float(f32::from_be_bytes(number(order, bytes)?)),
        RawType::Double => Slot::Double(f64::from_be_bytes(number(order, bytes)?)),
        RawType::String(charset) => row.str_slot_with(|text| charset.decode(bytes, text)),
        RawType::Bytes => row.bytes_slot(bytes),
    })
}

/// The bytes of a number, the highest first.
#[inline]
fn number<const N: usize>(order: ByteOrder, bytes: &[u8]) -> Result<[u8; N], usize> {
    bytes.try_into().map(|bytes| order.arrange(bytes)).map_err(|_| N)
}

#[cold]
fn wrong_size(column: &RawColumn, expected: usize) -> Error {
    let name = column.raw_type.kind();
    let message = format!("Size of data received for deserializing {name} type is not {expected}.");
    Error::new(ErrorKind::Data, message).in_column(&column.name)
}
