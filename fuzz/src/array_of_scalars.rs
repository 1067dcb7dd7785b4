use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, DurationMicrosecondType, DurationMillisecondType, DurationSecondType, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalDayTimeType,
    IntervalYearMonthType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray, LargeBinaryArray,
    LargeStringArray, NullArray, PrimitiveArray, StringArray, StringViewArray,
};
use arrow_buffer::{IntervalDayTime, i256};
use upsert_kafka::row::AsDatum;
use upsert_kafka::types::LogicalType;
use upsert_kafka::{Datum, Timestamp};

use super::draw::Draw;
use super::value::Value;

const MILLIS_OF_DAY: i64 = 86_400_000;

/// An array of these values of a type that holds no others.
pub(super) fn scalars(draw: &mut Draw<'_>, of: &LogicalType, values: &[Value]) -> ArrayRef {
    match of {
        LogicalType::Boolean => {
            let values = values.iter().map(|value| match value.as_datum() {
                Datum::Boolean(value) => Some(value),
                _ => None,
            });
            Arc::new(values.collect::<BooleanArray>())
        }
        LogicalType::TinyInt => integers(draw, 0, values).expect("8 bits"),
        LogicalType::SmallInt => integers(draw, 2, values).expect("16 bits"),
        LogicalType::Int => integers(draw, 4, values).expect("32 bits"),
        LogicalType::BigInt => integers(draw, 6, values).expect("64 bits"),
        LogicalType::Decimal { scale, .. } => decimals(draw, *scale, values),
        LogicalType::Float => one_of(draw, &[float32, float16], values),
        LogicalType::Double => one_of(draw, &[float64, double32], values),
        LogicalType::Char(_) | LogicalType::VarChar(_) => texts(draw, values),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => byte_strings(draw, values),
        LogicalType::Date => one_of(draw, &[date32, date64], values),
        LogicalType::Time(_) => one_of(draw, &[time_millis, time_seconds, time_micros, time_nanos], values),
        LogicalType::Timestamp(precision) | LogicalType::TimestampLtz(precision) => {
            let natural = match precision {
                0..=3 => timestamp_millis,
                4..=6 => timestamp_micros,
                _ => timestamp_nanos,
            };
            let units = [natural, timestamp_seconds, timestamp_millis, timestamp_micros, timestamp_nanos];
            one_of(draw, &units, values)
        }
        LogicalType::YearMonthInterval(_) => months(values).expect("32 bits"),
        LogicalType::DayTimeInterval(_) => {
            one_of(draw, &[duration_millis, duration_seconds, duration_micros, day_times], values)
        }
        _ => Arc::new(NullArray::new(values.len())),
    }
}

type Make = fn(&[Value]) -> Option<ArrayRef>;

/// One of these arrays; the first if that one cannot hold the values.
fn one_of(draw: &mut Draw<'_>, makes: &[Make], values: &[Value]) -> ArrayRef {
    let make = draw.one_of(makes);
    make(values).or_else(|| makes[0](values)).expect("an array for every value of the type")
}

fn primitive<T: ArrowPrimitiveType>(
    values: &[Value],
    native: impl Fn(Datum<'_>) -> Option<T::Native>,
) -> Option<PrimitiveArray<T>> {
    let values = values.iter().map(|value| match value.as_datum() {
        Datum::Null => Some(None),
        datum => native(datum).map(Some),
    });
    Some(PrimitiveArray::from_iter(values.collect::<Option<Vec<_>>>()?))
}

fn shared<A: Array + 'static>(array: A) -> ArrayRef {
    Arc::new(array)
}

/// Integers of a width, of 8 bits with a sign, 8 without, 16 with and so on, or of a lesser one.
fn integers(draw: &mut Draw<'_>, width: usize, values: &[Value]) -> Option<ArrayRef> {
    fn of<T: ArrowPrimitiveType<Native: TryFrom<i128>>>(values: &[Value]) -> Option<ArrayRef> {
        let native = |datum: Datum<'_>| {
            let integer = match datum {
                Datum::TinyInt(value) => value.into(),
                Datum::SmallInt(value) => value.into(),
                Datum::Int(value) => value.into(),
                Datum::BigInt(value) => value.into(),
                Datum::Decimal(value) => value.unscaled(),
                _ => return None,
            };
            T::Native::try_from(integer).ok()
        };
        primitive::<T>(values, native).map(shared)
    }
    const WIDTHS: [Make; 8] = [
        of::<Int8Type>,
        of::<UInt8Type>,
        of::<Int16Type>,
        of::<UInt16Type>,
        of::<Int32Type>,
        of::<UInt32Type>,
        of::<Int64Type>,
        of::<UInt64Type>,
    ];
    let lesser = draw.below(width + 1);
    WIDTHS[lesser](values).or_else(|| WIDTHS[width](values))
}

fn decimals(draw: &mut Draw<'_>, scale: u8, values: &[Value]) -> ArrayRef {
    fn of<T: DecimalType>(
        values: &[Value],
        (precision, scale): (u8, i8),
        native: impl Fn(i128) -> Option<T::Native>,
    ) -> Option<ArrayRef> {
        let array = primitive::<T>(values, |datum| match datum {
            Datum::Decimal(decimal) => native(decimal.unscaled()),
            _ => None,
        });
        array?.with_precision_and_scale(precision, scale).ok().map(shared)
    }
    let digits = i8::try_from(scale).expect("at most 38");
    let lesser = match draw.below(6) {
        1 => of::<Decimal32Type>(values, (9, digits), |unscaled| unscaled.try_into().ok()),
        2 => of::<Decimal64Type>(values, (18, digits), |unscaled| unscaled.try_into().ok()),
        3 => of::<Decimal256Type>(values, (76, digits), |unscaled| Some(i256::from_i128(unscaled))),
        4 if scale == 0 => integers(draw, 7, values),
        5 if scale == 0 => {
            of::<Decimal128Type>(values, (38, -1), |unscaled| (unscaled % 10 == 0).then_some(unscaled / 10))
        }
        _ => None,
    };
    lesser.or_else(|| of::<Decimal128Type>(values, (38, digits), Some)).expect("38 digits")
}

fn float32(values: &[Value]) -> Option<ArrayRef> {
    primitive::<Float32Type>(values, float).map(shared)
}

fn float16(values: &[Value]) -> Option<ArrayRef> {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    let half = |datum: Datum<'_>| {
        let value = float(datum)?;
        Some(Half::from_f32(value)).filter(|half| f32::from(*half).to_bits() == value.to_bits())
    };
    primitive::<Float16Type>(values, half).map(shared)
}

fn float(datum: Datum<'_>) -> Option<f32> {
    match datum {
        Datum::Float(value) => Some(value),
        _ => None,
    }
}

fn float64(values: &[Value]) -> Option<ArrayRef> {
    primitive::<Float64Type>(values, double).map(shared)
}

fn double32(values: &[Value]) -> Option<ArrayRef> {
    #[allow(clippy::cast_possible_truncation, reason = "what is lost is seen")]
    let single = |datum: Datum<'_>| {
        let value = double(datum)?;
        Some(value as f32).filter(|single| f64::from(*single).to_bits() == value.to_bits())
    };
    primitive::<Float32Type>(values, single).map(shared)
}

fn double(datum: Datum<'_>) -> Option<f64> {
    match datum {
        Datum::Double(value) => Some(value),
        _ => None,
    }
}

fn texts(draw: &mut Draw<'_>, values: &[Value]) -> ArrayRef {
    let texts: Vec<_> = values
        .iter()
        .map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    match draw.below(3) {
        0 => Arc::new(StringArray::from(texts)),
        1 => Arc::new(LargeStringArray::from(texts)),
        _ => Arc::new(StringViewArray::from(texts)),
    }
}

fn byte_strings(draw: &mut Draw<'_>, values: &[Value]) -> ArrayRef {
    let strings: Vec<_> = values
        .iter()
        .map(|value| match value {
            Value::Bytes(bytes) => Some(bytes.as_slice()),
            _ => None,
        })
        .collect();
    let len = strings.iter().flatten().map(|bytes| bytes.len()).max().unwrap_or_default();
    match draw.below(4) {
        1 => Arc::new(LargeBinaryArray::from(strings)),
        2 => Arc::new(BinaryViewArray::from(strings)),
        3 if strings.iter().flatten().all(|bytes| bytes.len() == len) => {
            let size = i32::try_from(len).expect("a few bytes");
            let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(strings.into_iter(), size);
            Arc::new(fixed.expect("strings of one length"))
        }
        _ => Arc::new(BinaryArray::from(strings)),
    }
}

fn date32(values: &[Value]) -> Option<ArrayRef> {
    primitive::<Date32Type>(values, days).map(shared)
}

fn date64(values: &[Value]) -> Option<ArrayRef> {
    primitive::<Date64Type>(values, |datum| Some(i64::from(days(datum)?) * MILLIS_OF_DAY)).map(shared)
}

fn days(datum: Datum<'_>) -> Option<i32> {
    match datum {
        Datum::Date(days) => Some(days),
        _ => None,
    }
}

fn time_seconds(values: &[Value]) -> Option<ArrayRef> {
    let seconds = |datum: Datum<'_>| {
        millis_of_day(datum).filter(|millis| millis % 1000 == 0).map(|millis| millis / 1000)
    };
    primitive::<Time32SecondType>(values, seconds).map(shared)
}

fn time_millis(values: &[Value]) -> Option<ArrayRef> {
    primitive::<Time32MillisecondType>(values, millis_of_day).map(shared)
}

/// What is finer is dropped.
fn time_micros(values: &[Value]) -> Option<ArrayRef> {
    let micros = |datum: Datum<'_>| Some(i64::from(millis_of_day(datum)?) * 1000 + 999);
    primitive::<Time64MicrosecondType>(values, micros).map(shared)
}

fn time_nanos(values: &[Value]) -> Option<ArrayRef> {
    let nanos = |datum: Datum<'_>| Some(i64::from(millis_of_day(datum)?) * 1_000_000);
    primitive::<Time64NanosecondType>(values, nanos).map(shared)
}

fn millis_of_day(datum: Datum<'_>) -> Option<i32> {
    match datum {
        Datum::Time(millis) => Some(millis),
        _ => None,
    }
}

fn timestamp_seconds(values: &[Value]) -> Option<ArrayRef> {
    let seconds = |datum: Datum<'_>| {
        let at = timestamp(datum)?;
        (at.nanos_of_millis() == 0 && at.millis() % 1000 == 0).then_some(at.millis() / 1000)
    };
    primitive::<TimestampSecondType>(values, seconds).map(shared)
}

fn timestamp_millis(values: &[Value]) -> Option<ArrayRef> {
    let millis =
        |datum: Datum<'_>| timestamp(datum).filter(|at| at.nanos_of_millis() == 0).map(Timestamp::millis);
    Some(shared(primitive::<TimestampMillisecondType>(values, millis)?.with_timezone("Europe/Zurich")))
}

fn timestamp_micros(values: &[Value]) -> Option<ArrayRef> {
    let micros = |datum: Datum<'_>| {
        let at = timestamp(datum).filter(|at| at.nanos_of_millis().is_multiple_of(1000))?;
        at.millis().checked_mul(1000)?.checked_add((at.nanos_of_millis() / 1000).into())
    };
    primitive::<TimestampMicrosecondType>(values, micros).map(shared)
}

fn timestamp_nanos(values: &[Value]) -> Option<ArrayRef> {
    let nanos = |datum: Datum<'_>| {
        let at = timestamp(datum)?;
        at.millis().checked_mul(1_000_000)?.checked_add(at.nanos_of_millis().into())
    };
    primitive::<TimestampNanosecondType>(values, nanos).map(shared)
}

fn timestamp(datum: Datum<'_>) -> Option<Timestamp> {
    match datum {
        Datum::Timestamp(at) => Some(at),
        _ => None,
    }
}

fn months(values: &[Value]) -> Option<ArrayRef> {
    let months = |datum: Datum<'_>| match datum {
        Datum::Int(months) => Some(months),
        _ => None,
    };
    primitive::<IntervalYearMonthType>(values, months).map(shared)
}

fn duration_seconds(values: &[Value]) -> Option<ArrayRef> {
    let seconds =
        |datum: Datum<'_>| millis(datum).filter(|millis| millis % 1000 == 0).map(|millis| millis / 1000);
    primitive::<DurationSecondType>(values, seconds).map(shared)
}

fn duration_millis(values: &[Value]) -> Option<ArrayRef> {
    primitive::<DurationMillisecondType>(values, millis).map(shared)
}

fn duration_micros(values: &[Value]) -> Option<ArrayRef> {
    primitive::<DurationMicrosecondType>(values, |datum| millis(datum)?.checked_mul(1000)).map(shared)
}

fn day_times(values: &[Value]) -> Option<ArrayRef> {
    let day_time = |datum: Datum<'_>| {
        let (days, rest) = (millis(datum)? / MILLIS_OF_DAY, millis(datum)? % MILLIS_OF_DAY);
        Some(IntervalDayTime::new(days.try_into().ok()?, rest.try_into().ok()?))
    };
    primitive::<IntervalDayTimeType>(values, day_time).map(shared)
}

fn millis(datum: Datum<'_>) -> Option<i64> {
    match datum {
        Datum::BigInt(millis) => Some(millis),
        _ => None,
    }
}
