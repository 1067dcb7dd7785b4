//! A column of Arrow that lends its values as data: downcast once, nothing copied.

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray, RunArray,
    StringArray, StringViewArray,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, IntervalDayTime, NullBuffer, i256};
use arrow_schema::TimeUnit;

use crate::row::{Datum, Decimal, Entries, Timestamp, ValueSource, Values};
use crate::text::MILLIS_OF_DAY;

/// A column, as a type of Flink.
pub(super) struct Column<'b> {
    pub(super) nulls: Option<&'b NullBuffer>,
    pub(super) cells: Cells<'b>,
}

/// The values of a column: those of most tables first, each in the array's own slice.
// With a tag of its own, which is read with one move; else it would be packed into that of `Other`.
#[repr(u8)]
pub(super) enum Cells<'b> {
    Boolean(&'b BooleanBuffer),
    Int(&'b [i32]),
    BigInt(&'b [i64]),
    Double(&'b [f64]),
    Decimal(&'b [i128], u8),
    Text(&'b StringArray),
    Date(&'b [i32]),
    Timestamp(&'b [i64], Scale),
    Other(Other<'b>),
}

pub(super) enum Other<'b> {
    Null,
    TinyInt(&'b [i8]),
    SmallInt(Integers<'b>),
    Int(Integers<'b>),
    BigInt(Integers<'b>),
    Whole(Integers<'b>),
    Huge(&'b [u64]),
    Half(&'b [Half]),
    Float(&'b [f32]),
    DoubleOfFloat(&'b [f32]),
    Decimal(Unscaled<'b>, i8),
    Text(Texts<'b>),
    Bytes(ByteStrings<'b>),
    DateOfMillis(&'b [i64]),
    Time(Integers<'b>, Scale),
    Duration(&'b [i64], Scale),
    DayTime(&'b [IntervalDayTime]),
    Array(Ranges<'b>, Box<Column<'b>>),
    Map(&'b [i32], Box<MapEntries<'b>>),
    Row(Box<StructFields<'b>>),
    Dictionary(Integers<'b>, Box<Column<'b>>),
    Runs(Runs<'b>, Box<Column<'b>>),
}

/// Half precision, which `arrow-array` does not name.
pub(super) type Half = <Float16Type as ArrowPrimitiveType>::Native;

#[derive(Clone, Copy)]
pub(super) enum Integers<'b> {
    I8(&'b [i8]),
    I16(&'b [i16]),
    I32(&'b [i32]),
    I64(&'b [i64]),
    U8(&'b [u8]),
    U16(&'b [u16]),
    U32(&'b [u32]),
    U64(&'b [u64]),
}

impl Integers<'_> {
    #[inline]
    fn get(self, index: usize) -> i64 {
        match self {
            Self::I8(values) => values[index].into(),
            Self::I16(values) => values[index].into(),
            Self::I32(values) => values[index].into(),
            Self::I64(values) => values[index],
            Self::U8(values) => values[index].into(),
            Self::U16(values) => values[index].into(),
            Self::U32(values) => values[index].into(),
            // A dictionary's key, which counts its values.
            Self::U64(values) => i64::try_from(values[index]).unwrap_or(i64::MAX),
        }
    }
}

pub(super) enum Unscaled<'b> {
    D32(&'b [i32]),
    D64(&'b [i64]),
    D128(&'b [i128]),
    D256(&'b [i256]),
}

pub(super) enum Texts<'b> {
    Large(&'b LargeStringArray),
    View(&'b StringViewArray),
}

pub(super) enum ByteStrings<'b> {
    Small(&'b BinaryArray),
    Large(&'b LargeBinaryArray),
    View(&'b BinaryViewArray),
    Fixed(&'b FixedSizeBinaryArray),
}

pub(super) enum Ranges<'b> {
    Small(&'b [i32]),
    Large(&'b [i64]),
    Fixed(usize),
    View(&'b [i32], &'b [i32]),
    LargeView(&'b [i64], &'b [i64]),
}

pub(super) enum Runs<'b> {
    I16(&'b RunArray<Int16Type>),
    I32(&'b RunArray<Int32Type>),
    I64(&'b RunArray<Int64Type>),
}

/// What a number of a time counts. Matched, and not divided by, so that the compiler knows the divisor.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Scale {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl Scale {
    pub(super) fn new(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Second => Self::Seconds,
            TimeUnit::Millisecond => Self::Millis,
            TimeUnit::Microsecond => Self::Micros,
            TimeUnit::Nanosecond => Self::Nanos,
        }
    }

    #[inline]
    fn millis(self, value: i64) -> Option<i64> {
        match self {
            Self::Seconds => value.checked_mul(1000),
            Self::Millis => Some(value),
            Self::Micros => Some(value.div_euclid(1000)),
            Self::Nanos => Some(value.div_euclid(1_000_000)),
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "remainders are small")]
    fn timestamp(self, value: i64) -> Option<Timestamp> {
        let nanos = match self {
            Self::Seconds | Self::Millis => 0,
            Self::Micros => value.rem_euclid(1000) as u32 * 1000,
            Self::Nanos => value.rem_euclid(1_000_000) as u32,
        };
        Some(Timestamp::new(self.millis(value)?, nanos))
    }
}

/// Keys and values of a map, by turns.
pub(super) struct MapEntries<'b> {
    pub(super) keys: Column<'b>,
    pub(super) values: Column<'b>,
}

impl ValueSource for MapEntries<'_> {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        let of = if index.is_multiple_of(2) { &self.keys } else { &self.values };
        of.datum(index / 2)
    }
}

/// The fields of nested rows, row by row.
pub(super) struct StructFields<'b> {
    pub(super) columns: Box<[Column<'b>]>,
}

impl ValueSource for StructFields<'_> {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        let width = self.columns.len();
        self.columns[index % width].datum(index / width)
    }
}

impl ValueSource for Column<'_> {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        self.datum(index)
    }
}

impl Column<'_> {
    /// As [`datum`](Self::datum) has it, which for most columns the bits say that mark NULL.
    #[inline]
    pub(super) fn is_null(&self, index: usize) -> bool {
        let marked = self.nulls.is_some_and(|nulls| nulls.is_null(index));
        marked || matches!(&self.cells, Cells::Other(values) if values.datum(index).is_null())
    }

    /// The value at `index`, which the array has.
    ///
    /// Short, so that an encoder has it inlined: what it finds out here it need not ask the datum.
    #[inline(always)]
    pub(super) fn datum(&self, index: usize) -> Datum<'_> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(index)) {
            return Datum::Null;
        }
        match &self.cells {
            Cells::Boolean(values) => Datum::Boolean(values.value(index)),
            Cells::Int(values) => Datum::Int(values[index]),
            Cells::BigInt(values) => Datum::BigInt(values[index]),
            Cells::Double(values) => Datum::Double(values[index]),
            Cells::Decimal(values, scale) => {
                Decimal::try_new(values[index], *scale).map_or(Datum::Null, Datum::Decimal)
            }
            Cells::Text(values) => Datum::String(values.value(index)),
            Cells::Date(values) => Datum::Date(values[index]),
            Cells::Timestamp(values, scale) => {
                scale.timestamp(values[index]).map_or(Datum::Null, Datum::Timestamp)
            }
            Cells::Other(values) => values.datum(index),
        }
    }
}

impl Other<'_> {
    #[inline(never)]
    fn datum(&self, index: usize) -> Datum<'_> {
        match self {
            Self::Null => Datum::Null,
            Self::TinyInt(values) => Datum::TinyInt(values[index]),
            #[expect(clippy::cast_possible_truncation, reason = "integers of at most 15 bits and a sign")]
            Self::SmallInt(values) => Datum::SmallInt(values.get(index) as i16),
            #[expect(clippy::cast_possible_truncation, reason = "integers of at most 31 bits and a sign")]
            Self::Int(values) => Datum::Int(values.get(index) as i32),
            Self::BigInt(values) => Datum::BigInt(values.get(index)),
            Self::Whole(values) => Datum::Decimal(Decimal::new(values.get(index).into(), 0)),
            Self::Huge(values) => Datum::Decimal(Decimal::new(values[index].into(), 0)),
            Self::Half(values) => Datum::Float(values[index].into()),
            Self::Float(values) => Datum::Float(values[index]),
            Self::DoubleOfFloat(values) => Datum::Double(values[index].into()),
            Self::Decimal(values, scale) => values.get(index, *scale).map_or(Datum::Null, Datum::Decimal),
            Self::Text(Texts::Large(values)) => Datum::String(values.value(index)),
            Self::Text(Texts::View(values)) => Datum::String(values.value(index)),
            Self::Bytes(ByteStrings::Small(values)) => Datum::Bytes(values.value(index)),
            Self::Bytes(ByteStrings::Large(values)) => Datum::Bytes(values.value(index)),
            Self::Bytes(ByteStrings::View(values)) => Datum::Bytes(values.value(index)),
            Self::Bytes(ByteStrings::Fixed(values)) => Datum::Bytes(values.value(index)),
            Self::DateOfMillis(values) => {
                i32::try_from(values[index].div_euclid(MILLIS_OF_DAY)).map_or(Datum::Null, Datum::Date)
            }
            Self::Time(values, scale) => {
                let millis = scale.millis(values.get(index)).and_then(|millis| i32::try_from(millis).ok());
                millis
                    .filter(|millis| (0..MILLIS_OF_DAY).contains(&i64::from(*millis)))
                    .map_or(Datum::Null, Datum::Time)
            }
            Self::Duration(values, scale) => scale.millis(values[index]).map_or(Datum::Null, Datum::BigInt),
            Self::DayTime(values) => {
                let IntervalDayTime { days, milliseconds } = values[index];
                Datum::BigInt(i64::from(days) * MILLIS_OF_DAY + i64::from(milliseconds))
            }
            Self::Array(ranges, elements) => {
                let (start, len) = ranges.get(index);
                Datum::Array(Values::range(&**elements, start, len))
            }
            Self::Map(offsets, entries) => {
                let (start, len) = between(offsets[index].as_usize(), offsets[index + 1].as_usize());
                Datum::Map(Entries::from_values(Values::range(&**entries, 2 * start, 2 * len)))
            }
            Self::Row(fields) => {
                let width = fields.columns.len();
                let (start, len) = between(index * width, (index + 1) * width);
                Datum::Row(Values::range(&**fields, start, len))
            }
            Self::Dictionary(keys, values) => {
                values.datum(usize::try_from(keys.get(index)).unwrap_or_default())
            }
            Self::Runs(runs, values) => values.datum(match runs {
                Runs::I16(runs) => runs.get_physical_index(index),
                Runs::I32(runs) => runs.get_physical_index(index),
                Runs::I64(runs) => runs.get_physical_index(index),
            }),
        }
    }
}

/// Start and length, which a column's check has found small enough.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "checked when the column was made")]
fn between(start: usize, end: usize) -> (u32, u32) {
    (start as u32, (end - start) as u32)
}

impl Ranges<'_> {
    #[inline]
    fn get(&self, index: usize) -> (u32, u32) {
        let (start, end) = match self {
            Self::Small(offsets) => (offsets[index].as_usize(), offsets[index + 1].as_usize()),
            Self::Large(offsets) => (offsets[index].as_usize(), offsets[index + 1].as_usize()),
            Self::Fixed(len) => (index * len, (index + 1) * len),
            Self::View(offsets, sizes) => {
                let start = offsets[index].as_usize();
                (start, start + sizes[index].as_usize())
            }
            Self::LargeView(offsets, sizes) => {
                let start = offsets[index].as_usize();
                (start, start + sizes[index].as_usize())
            }
        };
        between(start, end)
    }
}

impl Unscaled<'_> {
    #[inline]
    fn get(&self, index: usize, scale: i8) -> Option<Decimal> {
        let unscaled = match self {
            Self::D32(values) => values[index].into(),
            Self::D64(values) => values[index].into(),
            Self::D128(values) => values[index],
            Self::D256(values) => values[index].to_i128()?,
        };
        Decimal::of_any_scale(unscaled, scale.into())
    }
}
