//! An array of Arrow as a column: its type held against the column's and downcast, once a batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalDayTimeType, IntervalYearMonthType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RunArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType as ArrowType, IntervalUnit, TimeUnit};

use super::column::{
    ByteStrings, Cells, Column, Integers, MapEntries, Other, Ranges, Runs, Scale, StructFields, Texts,
    Unscaled,
};
use super::types::refuse;
use crate::error::{Error, ErrorKind};
use crate::row::Decimal;
use crate::types::{DataType, Field, LogicalType};

impl<'b> Column<'b> {
    /// The values of `array` as those of a column of that type.
    ///
    /// # Errors
    ///
    /// If Arrow's type is none of those that fit, or a value does not.
    pub(super) fn new(array: &'b ArrayRef, of: &DataType) -> Result<Self, Error> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let cells = cells(array, &of.logical_type)?;
        let column = Self { nulls, cells };
        let width = match &column.cells {
            Cells::Other(Other::Row(fields)) => fields.columns.len(),
            _ => 2,
        };
        if array.len().saturating_mul(width) > u32::MAX as usize {
            return Err(Error::new(ErrorKind::Limit, "a batch of so many values is better split"));
        }
        if column.may_lack_values() {
            let lacking =
                (0..array.len()).find(|index| !array.is_null(*index) && column.datum(*index).is_null());
            if let Some(row) = lacking {
                let error = refuse(format!("a value that {:#} cannot hold", of.logical_type));
                return Err(error.with_row(row as u64));
            }
        }
        Ok(column)
    }

    /// Whether there may be values that the datum cannot hold, and which it has as NULL.
    fn may_lack_values(&self) -> bool {
        match &self.cells {
            // Arrow does not hold the values to the precision.
            Cells::Decimal(values, _) => {
                let least_and_greatest = -Decimal::MAX_UNSCALED..=Decimal::MAX_UNSCALED;
                !values.iter().all(|value| least_and_greatest.contains(value))
            }
            Cells::Timestamp(_, scale) | Cells::Other(Other::Duration(_, scale)) => *scale == Scale::Seconds,
            Cells::Other(Other::Decimal(..) | Other::DateOfMillis(_) | Other::Time(..)) => true,
            _ => false,
        }
    }
}

/// The values of a primitive array.
fn values<T: ArrowPrimitiveType>(array: &ArrayRef) -> &[T::Native] {
    array.as_primitive::<T>().values()
}

fn integers(array: &ArrayRef) -> Option<Integers<'_>> {
    Some(match array.data_type() {
        ArrowType::Int8 => Integers::I8(values::<Int8Type>(array)),
        ArrowType::Int16 => Integers::I16(values::<Int16Type>(array)),
        ArrowType::Int32 => Integers::I32(values::<Int32Type>(array)),
        ArrowType::Int64 => Integers::I64(values::<Int64Type>(array)),
        ArrowType::UInt8 => Integers::U8(values::<UInt8Type>(array)),
        ArrowType::UInt16 => Integers::U16(values::<UInt16Type>(array)),
        ArrowType::UInt32 => Integers::U32(values::<UInt32Type>(array)),
        ArrowType::UInt64 => Integers::U64(values::<UInt64Type>(array)),
        _ => return None,
    })
}

/// The array downcast, if its type fits.
fn cells<'b>(array: &'b ArrayRef, of: &LogicalType) -> Result<Cells<'b>, Error> {
    Ok(match (of, array.data_type()) {
        (LogicalType::Boolean, ArrowType::Boolean) => Cells::Boolean(array.as_boolean().values()),
        (LogicalType::Int, ArrowType::Int32) => Cells::Int(values::<Int32Type>(array)),
        (LogicalType::YearMonthInterval(_), ArrowType::Interval(IntervalUnit::YearMonth)) => {
            Cells::Int(values::<IntervalYearMonthType>(array))
        }
        (LogicalType::BigInt, ArrowType::Int64) => Cells::BigInt(values::<Int64Type>(array)),
        (LogicalType::Double, ArrowType::Float64) => Cells::Double(values::<Float64Type>(array)),
        (LogicalType::Decimal { .. }, ArrowType::Decimal128(_, scale @ 0..=38)) => {
            Cells::Decimal(values::<Decimal128Type>(array), scale.unsigned_abs())
        }
        (LogicalType::Char(_) | LogicalType::VarChar(_), ArrowType::Utf8) => Cells::Text(array.as_string()),
        (LogicalType::Date, ArrowType::Date32) => Cells::Date(values::<Date32Type>(array)),
        (LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_), ArrowType::Timestamp(unit, _)) => {
            let values = match unit {
                TimeUnit::Second => values::<TimestampSecondType>(array),
                TimeUnit::Millisecond => values::<TimestampMillisecondType>(array),
                TimeUnit::Microsecond => values::<TimestampMicrosecondType>(array),
                TimeUnit::Nanosecond => values::<TimestampNanosecondType>(array),
            };
            Cells::Timestamp(values, Scale::new(*unit))
        }
        _ => Cells::Other(other(array, of)?),
    })
}

fn other<'b>(array: &'b ArrayRef, of: &LogicalType) -> Result<Other<'b>, Error> {
    match array.data_type() {
        ArrowType::Null => return Ok(Other::Null),
        ArrowType::Dictionary(key, _) => return dictionary(array, key, of),
        ArrowType::RunEndEncoded(..) => return runs(array, of),
        _ => {}
    }
    if let Some(integers) = integers(array)
        && let Some(cells) = of_integers(integers, of)
    {
        return Ok(cells);
    }
    let cells = match (of, array.data_type()) {
        (LogicalType::Float, ArrowType::Float16) => Other::Half(values::<Float16Type>(array)),
        (LogicalType::Float, ArrowType::Float32) => Other::Float(values::<Float32Type>(array)),
        (LogicalType::Double, ArrowType::Float32) => Other::DoubleOfFloat(values::<Float32Type>(array)),
        (LogicalType::Decimal { .. }, ArrowType::Decimal32(_, scale)) => {
            Other::Decimal(Unscaled::D32(values::<Decimal32Type>(array)), *scale)
        }
        (LogicalType::Decimal { .. }, ArrowType::Decimal64(_, scale)) => {
            Other::Decimal(Unscaled::D64(values::<Decimal64Type>(array)), *scale)
        }
        (LogicalType::Decimal { .. }, ArrowType::Decimal128(_, scale)) => {
            Other::Decimal(Unscaled::D128(values::<Decimal128Type>(array)), *scale)
        }
        (LogicalType::Decimal { .. }, ArrowType::Decimal256(_, scale)) => {
            Other::Decimal(Unscaled::D256(values::<Decimal256Type>(array)), *scale)
        }
        (LogicalType::Char(_) | LogicalType::VarChar(_), ArrowType::LargeUtf8) => {
            Other::Text(Texts::Large(array.as_string()))
        }
        (LogicalType::Char(_) | LogicalType::VarChar(_), ArrowType::Utf8View) => {
            Other::Text(Texts::View(array.as_string_view()))
        }
        (LogicalType::Binary(_) | LogicalType::VarBinary(_), ArrowType::Binary) => {
            Other::Bytes(ByteStrings::Small(array.as_binary()))
        }
        (LogicalType::Binary(_) | LogicalType::VarBinary(_), ArrowType::LargeBinary) => {
            Other::Bytes(ByteStrings::Large(array.as_binary()))
        }
        (LogicalType::Binary(_) | LogicalType::VarBinary(_), ArrowType::BinaryView) => {
            Other::Bytes(ByteStrings::View(array.as_binary_view()))
        }
        (LogicalType::Binary(_) | LogicalType::VarBinary(_), ArrowType::FixedSizeBinary(_)) => {
            Other::Bytes(ByteStrings::Fixed(array.as_fixed_size_binary()))
        }
        (LogicalType::Date, ArrowType::Date64) => Other::DateOfMillis(values::<Date64Type>(array)),
        (LogicalType::Time(_), ArrowType::Time32(unit)) => {
            let values = match unit {
                TimeUnit::Second => values::<Time32SecondType>(array),
                _ => values::<Time32MillisecondType>(array),
            };
            Other::Time(Integers::I32(values), Scale::new(*unit))
        }
        (LogicalType::Time(_), ArrowType::Time64(unit)) => {
            let values = match unit {
                TimeUnit::Microsecond => values::<Time64MicrosecondType>(array),
                _ => values::<Time64NanosecondType>(array),
            };
            Other::Time(Integers::I64(values), Scale::new(*unit))
        }
        (LogicalType::DayTimeInterval(_), ArrowType::Interval(IntervalUnit::DayTime)) => {
            Other::DayTime(values::<IntervalDayTimeType>(array))
        }
        (LogicalType::DayTimeInterval(_), ArrowType::Duration(unit)) => {
            let values = match unit {
                TimeUnit::Second => values::<DurationSecondType>(array),
                TimeUnit::Millisecond => values::<DurationMillisecondType>(array),
                TimeUnit::Microsecond => values::<DurationMicrosecondType>(array),
                TimeUnit::Nanosecond => values::<DurationNanosecondType>(array),
            };
            Other::Duration(values, Scale::new(*unit))
        }
        (LogicalType::Array(element), _) => return list(array, of, element),
        (LogicalType::Map(key, value), ArrowType::Map(..)) => return map(array, key, value),
        (LogicalType::Multiset(element), ArrowType::Map(..)) => {
            return map(array, element, &LogicalType::Int.not_null());
        }
        (LogicalType::Row(row), ArrowType::Struct(_)) => return structs(array, row.fields()),
        _ => return Err(mismatch(array, of)),
    };
    Ok(cells)
}

fn of_integers<'b>(integers: Integers<'b>, of: &LogicalType) -> Option<Other<'b>> {
    // Bits of a value, its sign apart.
    let bits = match integers {
        Integers::I8(_) => 7,
        Integers::U8(_) => 8,
        Integers::I16(_) => 15,
        Integers::U16(_) => 16,
        Integers::I32(_) => 31,
        Integers::U32(_) => 32,
        Integers::I64(_) => 63,
        Integers::U64(_) => 64,
    };
    match (of, integers) {
        (LogicalType::TinyInt, Integers::I8(values)) => Some(Other::TinyInt(values)),
        (LogicalType::SmallInt, _) if bits <= 15 => Some(Other::SmallInt(integers)),
        (LogicalType::Int, _) if bits <= 31 => Some(Other::Int(integers)),
        (LogicalType::BigInt, _) if bits <= 63 => Some(Other::BigInt(integers)),
        (LogicalType::Decimal { .. }, Integers::U64(values)) => Some(Other::Huge(values)),
        (LogicalType::Decimal { .. }, _) => Some(Other::Whole(integers)),
        _ => None,
    }
}

fn dictionary<'b>(array: &'b ArrayRef, key: &ArrowType, of: &LogicalType) -> Result<Other<'b>, Error> {
    fn keys<K: ArrowDictionaryKeyType>(array: &ArrayRef) -> &[K::Native] {
        array.as_dictionary::<K>().keys().values()
    }
    let keys = match key {
        ArrowType::Int8 => Integers::I8(keys::<Int8Type>(array)),
        ArrowType::Int16 => Integers::I16(keys::<Int16Type>(array)),
        ArrowType::Int32 => Integers::I32(keys::<Int32Type>(array)),
        ArrowType::Int64 => Integers::I64(keys::<Int64Type>(array)),
        ArrowType::UInt8 => Integers::U8(keys::<UInt8Type>(array)),
        ArrowType::UInt16 => Integers::U16(keys::<UInt16Type>(array)),
        ArrowType::UInt32 => Integers::U32(keys::<UInt32Type>(array)),
        _ => Integers::U64(keys::<UInt64Type>(array)),
    };
    let values = array.as_any_dictionary_opt().ok_or_else(|| mismatch(array, of))?.values();
    Ok(Other::Dictionary(keys, Box::new(Column::new(values, &of.clone().nullable())?)))
}

fn runs<'b>(array: &'b ArrayRef, of: &LogicalType) -> Result<Other<'b>, Error> {
    let column = |values: &'b ArrayRef| Column::new(values, &of.clone().nullable()).map(Box::new);
    let any = array.as_any();
    if let Some(runs) = any.downcast_ref::<RunArray<Int16Type>>() {
        return Ok(Other::Runs(Runs::I16(runs), column(runs.values())?));
    }
    if let Some(runs) = any.downcast_ref::<RunArray<Int32Type>>() {
        return Ok(Other::Runs(Runs::I32(runs), column(runs.values())?));
    }
    let runs = any.downcast_ref::<RunArray<Int64Type>>().ok_or_else(|| mismatch(array, of))?;
    Ok(Other::Runs(Runs::I64(runs), column(runs.values())?))
}

fn list<'b>(array: &'b ArrayRef, of: &LogicalType, element: &DataType) -> Result<Other<'b>, Error> {
    let (ranges, elements) = match array.data_type() {
        ArrowType::List(_) => {
            let list = array.as_list::<i32>();
            (Ranges::Small(list.value_offsets()), list.values())
        }
        ArrowType::LargeList(_) => {
            let list = array.as_list::<i64>();
            (Ranges::Large(list.value_offsets()), list.values())
        }
        ArrowType::FixedSizeList(..) => {
            let list = array.as_fixed_size_list();
            (Ranges::Fixed(list.value_length().as_usize()), list.values())
        }
        ArrowType::ListView(_) => {
            let list = array.as_list_view::<i32>();
            (Ranges::View(list.value_offsets(), list.value_sizes()), list.values())
        }
        ArrowType::LargeListView(_) => {
            let list = array.as_list_view::<i64>();
            (Ranges::LargeView(list.value_offsets(), list.value_sizes()), list.values())
        }
        _ => return Err(mismatch(array, of)),
    };
    Ok(Other::Array(ranges, Box::new(Column::new(elements, element)?)))
}

fn map<'b>(array: &'b ArrayRef, key: &DataType, value: &DataType) -> Result<Other<'b>, Error> {
    let map = array.as_map();
    let entries =
        MapEntries { keys: Column::new(map.keys(), key)?, values: Column::new(map.values(), value)? };
    Ok(Other::Map(map.value_offsets(), Box::new(entries)))
}

/// The fields of a nested row stand in any order, as the columns do.
fn structs<'b>(array: &'b ArrayRef, fields: &[Field]) -> Result<Other<'b>, Error> {
    let structs = array.as_struct();
    let arrays: Vec<_> = structs.column_names().into_iter().zip(structs.columns()).collect();
    Ok(Other::Row(Box::new(StructFields { columns: by_name(fields, &arrays)?.into() })))
}

/// The columns of these fields, each found by its name.
///
/// # Errors
///
/// With the name: one that is not there, or that is no field, or that does not fit.
pub(super) fn by_name<'b>(
    fields: &[Field],
    arrays: &[(&str, &'b ArrayRef)],
) -> Result<Vec<Column<'b>>, Error> {
    if let Some((name, _)) = arrays.iter().find(|(name, _)| fields.iter().all(|field| field.name != *name)) {
        return Err(refuse("the table has no such column").in_column(name));
    }
    let column = |field: &Field| {
        let mut named = arrays.iter().filter(|(name, _)| field.name == *name);
        let column = match (named.next(), named.next()) {
            (Some((_, array)), None) => Column::new(array, &field.data_type),
            (None, _) => Err(refuse("the batch has no such column")),
            (Some(_), Some(_)) => Err(refuse("the batch has two columns of this name")),
        };
        column.map_err(|error| error.in_column(&field.name))
    };
    fields.iter().map(column).collect()
}

#[cold]
fn mismatch(array: &ArrayRef, of: &LogicalType) -> Error {
    refuse(format!("the column is {of:#}, the array {}", array.data_type()))
}
