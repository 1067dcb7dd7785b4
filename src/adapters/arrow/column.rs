//! A column of Arrow that lends its values as data: downcast once, nothing copied.

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray,
    RunArray, StringArray, StringViewArray,
};
use arrow_buffer::{ArrowNativeType, IntervalDayTime, NullBuffer, i256};
use arrow_schema::TimeUnit;

use crate::row::{Datum, Decimal, Entries, Timestamp, ValueSource, Values};
use crate::text::MILLIS_OF_DAY;

/// A column, as a type of Flink.
pub(super) struct Column<'b> {
    pub(super) nulls: Option<&'b NullBuffer>,
    pub(super) cells: Cells<'b>,
}

pub(super) enum Cells<'b> {
    Null,
    Boolean(&'b BooleanArray),
    TinyInt(&'b [i8]),
    SmallInt(Integers<'b>),
    Int(Integers<'b>),
    BigInt(Integers<'b>),
    Whole(Integers<'b>),
    Huge(&'b [u64]),
    Half(&'b [Half]),
    Float(&'b [f32]),
    Double(&'b [f64]),
    DoubleOfFloat(&'b [f32]),
    Decimal(Unscaled<'b>, i8),
    Text(Texts<'b>),
    Bytes(ByteStrings<'b>),
    Date(&'b [i32]),
    DateOfMillis(&'b [i64]),
    Time(Integers<'b>, Scale),
    Timestamp(&'b [i64], Scale),
    Months(&'b [i32]),
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
    Small(&'b StringArray),
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

/// What a unit of time is in milliseconds.
#[derive(Clone, Copy)]
pub(super) enum Scale {
    /// So many milliseconds a unit.
    Times(i64),
    /// So many units a millisecond.
    Per(i64),
}

impl Scale {
    pub(super) fn new(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Second => Self::Times(1000),
            TimeUnit::Millisecond => Self::Times(1),
            TimeUnit::Microsecond => Self::Per(1000),
            TimeUnit::Nanosecond => Self::Per(1_000_000),
        }
    }

    #[inline]
    fn millis(self, value: i64) -> Option<i64> {
        match self {
            Self::Times(millis) => value.checked_mul(millis),
            Self::Per(units) => Some(value.div_euclid(units)),
        }
    }

    #[inline]
    fn timestamp(self, value: i64) -> Option<Timestamp> {
        let nanos = match self {
            Self::Times(_) => 0,
            Self::Per(units) => u32::try_from(value.rem_euclid(units) * (1_000_000 / units)).ok()?,
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
    /// The value at `index`, which the array has.
    #[inline]
    pub(super) fn datum(&self, index: usize) -> Datum<'_> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(index)) {
            return Datum::Null;
        }
        match &self.cells {
            Cells::Null => Datum::Null,
            Cells::Boolean(values) => Datum::Boolean(values.value(index)),
            Cells::TinyInt(values) => Datum::TinyInt(values[index]),
            #[expect(clippy::cast_possible_truncation, reason = "integers of at most 15 bits and a sign")]
            Cells::SmallInt(values) => Datum::SmallInt(values.get(index) as i16),
            #[expect(clippy::cast_possible_truncation, reason = "integers of at most 31 bits and a sign")]
            Cells::Int(values) => Datum::Int(values.get(index) as i32),
            Cells::BigInt(values) => Datum::BigInt(values.get(index)),
            Cells::Whole(values) => Datum::Decimal(Decimal::new(values.get(index).into(), 0)),
            Cells::Huge(values) => Datum::Decimal(Decimal::new(values[index].into(), 0)),
            Cells::Half(values) => Datum::Float(values[index].into()),
            Cells::Float(values) => Datum::Float(values[index]),
            Cells::Double(values) => Datum::Double(values[index]),
            Cells::DoubleOfFloat(values) => Datum::Double(values[index].into()),
            Cells::Decimal(values, scale) => values.get(index, *scale).map_or(Datum::Null, Datum::Decimal),
            Cells::Text(Texts::Small(values)) => Datum::String(values.value(index)),
            Cells::Text(Texts::Large(values)) => Datum::String(values.value(index)),
            Cells::Text(Texts::View(values)) => Datum::String(values.value(index)),
            Cells::Bytes(ByteStrings::Small(values)) => Datum::Bytes(values.value(index)),
            Cells::Bytes(ByteStrings::Large(values)) => Datum::Bytes(values.value(index)),
            Cells::Bytes(ByteStrings::View(values)) => Datum::Bytes(values.value(index)),
            Cells::Bytes(ByteStrings::Fixed(values)) => Datum::Bytes(values.value(index)),
            Cells::Date(values) => Datum::Date(values[index]),
            Cells::DateOfMillis(values) => {
                i32::try_from(values[index].div_euclid(MILLIS_OF_DAY)).map_or(Datum::Null, Datum::Date)
            }
            Cells::Time(values, scale) => {
                let millis = scale.millis(values.get(index)).and_then(|millis| i32::try_from(millis).ok());
                millis
                    .filter(|millis| (0..MILLIS_OF_DAY).contains(&i64::from(*millis)))
                    .map_or(Datum::Null, Datum::Time)
            }
            Cells::Timestamp(values, scale) => {
                scale.timestamp(values[index]).map_or(Datum::Null, Datum::Timestamp)
            }
            Cells::Months(values) => Datum::Int(values[index]),
            Cells::Duration(values, scale) => scale.millis(values[index]).map_or(Datum::Null, Datum::BigInt),
            Cells::DayTime(values) => {
                let IntervalDayTime { days, milliseconds } = values[index];
                Datum::BigInt(i64::from(days) * MILLIS_OF_DAY + i64::from(milliseconds))
            }
            Cells::Array(ranges, elements) => {
                let (start, len) = ranges.get(index);
                Datum::Array(Values::range(&**elements, start, len))
            }
            Cells::Map(offsets, entries) => {
                let (start, len) = between(offsets[index].as_usize(), offsets[index + 1].as_usize());
                Datum::Map(Entries::from_values(Values::range(&**entries, 2 * start, 2 * len)))
            }
            Cells::Row(fields) => {
                let width = fields.columns.len();
                let (start, len) = between(index * width, (index + 1) * width);
                Datum::Row(Values::range(&**fields, start, len))
            }
            Cells::Dictionary(keys, values) => {
                values.datum(usize::try_from(keys.get(index)).unwrap_or_default())
            }
            Cells::Runs(runs, values) => values.datum(match runs {
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
