//! Types and values of them.

use upsert_kafka::row::{AsDatum, Entries, Values};
use upsert_kafka::types::{DataType, DayTimeInterval, Field, LogicalType, YearMonthInterval};
use upsert_kafka::{Datum, Decimal, Timestamp};

use super::draw::Draw;

/// A value of one's own, lent as a user's struct lends its fields.
#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Datum<'static>),
    Text(String),
    Bytes(Vec<u8>),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Row(Vec<Value>),
}

impl AsDatum for Value {
    fn as_datum(&self) -> Datum<'_> {
        match self {
            Self::Scalar(datum) => *datum,
            Self::Text(text) => Datum::String(text),
            Self::Bytes(bytes) => Datum::Bytes(bytes),
            Self::Array(values) => Datum::Array(Values::new(values, values.len())),
            Self::Map(entries) => Datum::Map(Entries::new(entries, entries.len())),
            Self::Row(values) => Datum::Row(Values::new(values, values.len())),
        }
    }
}

/// A type, nested up to `depth` deep. Every variant that a format takes can come.
pub fn data_type(draw: &mut Draw<'_>, depth: usize) -> DataType {
    let nullable = !draw.once_in(4);
    DataType { logical_type: logical_type(draw, depth), nullable }
}

fn logical_type(draw: &mut Draw<'_>, depth: usize) -> LogicalType {
    const SCALARS: usize = 19;
    let digits = |draw: &mut Draw<'_>| draw.one_of(&[3, 3, 3, 0, 6, 9]);
    match draw.below(if depth > 0 { SCALARS + 6 } else { SCALARS }) {
        0 => LogicalType::Int,
        1 => LogicalType::STRING,
        2 => LogicalType::BigInt,
        3 => LogicalType::Boolean,
        4 => LogicalType::TinyInt,
        5 => LogicalType::SmallInt,
        6 => LogicalType::Float,
        7 => LogicalType::Double,
        8 => {
            let precision = draw.below(38) + 1;
            let scale = draw.below(precision + 1);
            LogicalType::decimal(small(precision), small(scale))
        }
        9 => LogicalType::decimal(10, 2),
        10 => LogicalType::Char(3),
        11 | 12 => LogicalType::BYTES,
        13 => LogicalType::Binary(4),
        14 => LogicalType::Date,
        15 => LogicalType::Time(digits(draw)),
        16 => LogicalType::Timestamp(digits(draw)),
        17 => LogicalType::TimestampLtz(digits(draw)),
        18 => match draw.below(8) {
            0 => LogicalType::YearMonthInterval(YearMonthInterval::YearToMonth(2)),
            1 => LogicalType::DayTimeInterval(DayTimeInterval::DayToSecond(2, 3)),
            _ => LogicalType::VarChar(5),
        },
        19 | 20 => LogicalType::array(data_type(draw, depth - 1)),
        // Formats take texts as keys, and most nothing else.
        21 if draw.once_in(8) => LogicalType::map(data_type(draw, depth - 1), data_type(draw, depth - 1)),
        21 => LogicalType::map(LogicalType::STRING, data_type(draw, depth - 1)),
        22 => LogicalType::multiset(LogicalType::STRING),
        _ => LogicalType::row(fields(draw, depth - 1, "f")),
    }
}

/// One to four fields whose names differ, now and then in what has to be escaped.
pub fn fields(draw: &mut Draw<'_>, depth: usize, name: &str) -> Vec<Field> {
    let count = draw.below(4) + 1;
    let fields = (0..count).map(|index| {
        let odd =
            if draw.once_in(8) { draw.one_of(&["\"", "\\", "`", ".", " ", "\n", "é", "😀"]) } else { "" };
        Field::new(format!("{name}{odd}{index}"), data_type(draw, depth))
    });
    fields.collect()
}

/// A row of such fields: now and then with a NULL where there must be none, or with a value of another type.
pub fn row(draw: &mut Draw<'_>, fields: &[Field]) -> Vec<Value> {
    let values = fields.iter().map(|field| {
        if draw.once_in(32) {
            let other = data_type(draw, 1);
            return value(draw, &other);
        }
        value(draw, &field.data_type)
    });
    values.collect()
}

/// A value of the type, or NULL.
pub fn value(draw: &mut Draw<'_>, data_type: &DataType) -> Value {
    if draw.once_in(if data_type.nullable { 8 } else { 64 }) {
        return Value::Scalar(Datum::Null);
    }
    let datum = match &data_type.logical_type {
        LogicalType::Boolean => Datum::Boolean(draw.once_in(2)),
        LogicalType::TinyInt => Datum::TinyInt(i8::from_le_bytes(draw.array())),
        LogicalType::SmallInt => Datum::SmallInt(i16::from_le_bytes(draw.array())),
        LogicalType::Int | LogicalType::YearMonthInterval(_) => Datum::Int(int(draw)),
        LogicalType::BigInt | LogicalType::DayTimeInterval(_) => Datum::BigInt(long(draw)),
        LogicalType::Float => Datum::Float(f32::from_le_bytes(draw.array())),
        LogicalType::Double => Datum::Double(f64::from_le_bytes(draw.array())),
        LogicalType::Decimal { precision, scale } => Datum::Decimal(decimal(draw, *precision, *scale)),
        LogicalType::Date => Datum::Date(int(draw)),
        LogicalType::Time(_) => Datum::Time(int(draw)),
        LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_) => Datum::Timestamp(timestamp(draw)),
        LogicalType::Char(_) | LogicalType::VarChar(_) => return Value::Text(text(draw)),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
            let len = draw.below(9);
            return Value::Bytes(draw.bytes(len).to_vec());
        }
        LogicalType::Array(element) => return Value::Array(values(draw, element)),
        LogicalType::Map(key, of_key) => return Value::Map(entries(draw, key, of_key)),
        LogicalType::Multiset(element) => {
            return Value::Map(entries(draw, element, &LogicalType::Int.not_null()));
        }
        LogicalType::Row(row_type) => {
            return Value::Row(row_type.fields().iter().map(|field| value(draw, &field.data_type)).collect());
        }
        _ => Datum::Null,
    };
    Value::Scalar(datum)
}

fn values(draw: &mut Draw<'_>, element: &DataType) -> Vec<Value> {
    (0..draw.below(4)).map(|_| value(draw, element)).collect()
}

fn entries(draw: &mut Draw<'_>, key: &DataType, of_key: &DataType) -> Vec<(Value, Value)> {
    (0..draw.below(4)).map(|_| (value(draw, key), value(draw, of_key))).collect()
}

fn int(draw: &mut Draw<'_>) -> i32 {
    match draw.below(4) {
        0 => draw.byte().into(),
        1 => draw.one_of(&[i32::MIN, i32::MAX, -1, 86_399_999, -719_528, 2_932_896]),
        _ => i32::from_le_bytes(draw.array()),
    }
}

fn long(draw: &mut Draw<'_>) -> i64 {
    match draw.below(4) {
        0 => draw.byte().into(),
        1 => draw.one_of(&[i64::MIN, i64::MAX, -1, 253_402_300_799_999, -62_167_219_200_000]),
        _ => i64::from_le_bytes(draw.array()),
    }
}

/// Mostly one of the column's precision and scale.
fn decimal(draw: &mut Draw<'_>, precision: u8, scale: u8) -> Decimal {
    let scale = if draw.once_in(8) { small(draw.below(39)) } else { scale };
    let precision = if draw.once_in(8) { 38 } else { precision };
    let unscaled = match draw.below(4) {
        0 => draw.byte().into(),
        1 => draw.one_of(&[Decimal::MAX_UNSCALED, -Decimal::MAX_UNSCALED, -1, 100]),
        _ => i128::from_le_bytes(draw.array()),
    };
    Decimal::new(unscaled % 10_i128.pow(precision.into()), scale)
}

fn timestamp(draw: &mut Draw<'_>) -> Timestamp {
    let millis = if draw.once_in(2) { 1_715_000_000_000 + i64::from(int(draw)) } else { long(draw) };
    let nanos = if draw.once_in(2) { u32::from_le_bytes(draw.array()) % 1_000_000 } else { 0 };
    Timestamp::new(millis, nanos)
}

fn text(draw: &mut Draw<'_>) -> String {
    let mut text = String::new();
    for _ in 0..draw.below(12) {
        match draw.byte() {
            byte @ 0..=0x7f => text.push(byte.into()),
            byte @ 0x80..=0xbf => {
                text.push_str(
                    ["é", "€", "😀", "\u{2028}", "\u{fffd}", "１", "\u{0}", "\r\n"][usize::from(byte % 8)],
                );
            }
            byte => text.push_str(["plain text of some length", "null", "1e3", ""][usize::from(byte % 4)]),
        }
    }
    text
}

fn small(number: usize) -> u8 {
    u8::try_from(number).expect("a small number")
}
