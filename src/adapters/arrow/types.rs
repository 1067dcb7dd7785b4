//! Flink's types in Arrow, and back.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType as ArrowType, Field as ArrowField, Fields, IntervalUnit, Schema, TimeUnit};

use crate::error::{Error, ErrorKind};
use crate::types::{DataType, DayTimeInterval, Field, LogicalType, YearMonthInterval};

/// The key of a field's metadata that says its type in Flink's SQL, where Arrow's does not.
pub const FLINK_TYPE: &str = "flink.type";

/// The names of what is in lists and maps, those that Arrow's own builders give.
const ELEMENT: &str = "item";
const ENTRIES: &str = "entries";
const KEY: &str = "keys";
const VALUE: &str = "values";

const UTC: &str = "UTC";

/// The schema of these columns, with one more for kinds.
pub(super) fn schema(columns: &[Field], kinds: Option<&str>) -> Schema {
    let columns = columns.iter().map(|column| field(&column.name, &column.data_type));
    let kinds = kinds.map(|kinds| ArrowField::new(kinds, ArrowType::Utf8, false));
    Schema::new(columns.chain(kinds).collect::<Vec<_>>())
}

fn field(name: &str, data_type: &DataType) -> ArrowField {
    let arrow_type = arrow_type(&data_type.logical_type);
    let field = ArrowField::new(name, arrow_type, data_type.nullable);
    // What comes back without it is another type.
    let is_told = column(&field).is_ok_and(|column| column.data_type.logical_type == data_type.logical_type);
    if is_told {
        return field;
    }
    let sql = format!("{:#}", data_type.logical_type);
    field.with_metadata(HashMap::from([(FLINK_TYPE.to_owned(), sql)]))
}

fn arrow_type(logical_type: &LogicalType) -> ArrowType {
    match logical_type {
        LogicalType::Char(_) | LogicalType::VarChar(_) => ArrowType::Utf8,
        LogicalType::Boolean => ArrowType::Boolean,
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => ArrowType::Binary,
        LogicalType::Decimal { precision, scale } => {
            ArrowType::Decimal128(*precision, i8::try_from(*scale).unwrap_or(i8::MAX))
        }
        LogicalType::TinyInt => ArrowType::Int8,
        LogicalType::SmallInt => ArrowType::Int16,
        LogicalType::Int => ArrowType::Int32,
        LogicalType::BigInt => ArrowType::Int64,
        LogicalType::Float => ArrowType::Float32,
        LogicalType::Double => ArrowType::Float64,
        LogicalType::Date => ArrowType::Date32,
        LogicalType::Time(_) => ArrowType::Time32(TimeUnit::Millisecond),
        LogicalType::Timestamp(precision) => ArrowType::Timestamp(unit(*precision), None),
        LogicalType::TimestampLtz(precision) | LogicalType::TimestampTz(precision) => {
            ArrowType::Timestamp(unit(*precision), Some(UTC.into()))
        }
        LogicalType::YearMonthInterval(_) => ArrowType::Interval(IntervalUnit::YearMonth),
        LogicalType::DayTimeInterval(_) => ArrowType::Duration(TimeUnit::Millisecond),
        LogicalType::Array(element) => ArrowType::List(Arc::new(field(ELEMENT, element))),
        LogicalType::Map(key, value) => map(key, value),
        LogicalType::Multiset(element) => map(element, &LogicalType::Int.not_null()),
        LogicalType::Row(row) => ArrowType::Struct(fields(row.fields())),
        LogicalType::Null | LogicalType::Variant | LogicalType::Bitmap => ArrowType::Null,
    }
}

fn map(key: &DataType, value: &DataType) -> ArrowType {
    let fields = Fields::from(map_fields(key, value).to_vec());
    ArrowType::Map(Arc::new(ArrowField::new(ENTRIES, ArrowType::Struct(fields), false)), false)
}

/// The fields of a map's entries. Arrow's keys are never NULL.
fn map_fields(key: &DataType, value: &DataType) -> [ArrowField; 2] {
    [field(KEY, key).with_nullable(false), field(VALUE, value)]
}

fn fields(fields: &[Field]) -> Fields {
    fields.iter().map(|of_row| field(&of_row.name, &of_row.data_type)).collect()
}

/// The unit that holds so many decimals of a second.
pub(super) fn unit(precision: u8) -> TimeUnit {
    match precision {
        0..=3 => TimeUnit::Millisecond,
        4..=6 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

/// The columns of these fields.
pub(super) fn columns(fields: &Fields) -> Result<Vec<Field>, Error> {
    fields.iter().map(|field| column(field).map_err(|error| error.in_column(field.name()))).collect()
}

fn column(field: &ArrowField) -> Result<Field, Error> {
    let data_type = match field.metadata().get(FLINK_TYPE) {
        Some(sql) => sql.parse::<DataType>()?.logical_type,
        None => logical_type(field.data_type())?,
    };
    Ok(Field::new(field.name(), DataType { logical_type: data_type, nullable: field.is_nullable() }))
}

fn logical_type(arrow_type: &ArrowType) -> Result<LogicalType, Error> {
    let of = |field: &ArrowField| column(field).map(|column| column.data_type);
    let decimals = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    };
    Ok(match arrow_type {
        ArrowType::Boolean => LogicalType::Boolean,
        ArrowType::Int8 => LogicalType::TinyInt,
        ArrowType::Int16 | ArrowType::UInt8 => LogicalType::SmallInt,
        ArrowType::Int32 | ArrowType::UInt16 => LogicalType::Int,
        ArrowType::Int64 | ArrowType::UInt32 => LogicalType::BigInt,
        ArrowType::UInt64 => LogicalType::decimal(20, 0),
        ArrowType::Float16 | ArrowType::Float32 => LogicalType::Float,
        ArrowType::Float64 => LogicalType::Double,
        ArrowType::Decimal32(precision, scale)
        | ArrowType::Decimal64(precision, scale)
        | ArrowType::Decimal128(precision, scale)
        | ArrowType::Decimal256(precision, scale) => decimal(*precision, *scale)?,
        ArrowType::Utf8 | ArrowType::LargeUtf8 | ArrowType::Utf8View => LogicalType::STRING,
        ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView => LogicalType::BYTES,
        ArrowType::FixedSizeBinary(len) => LogicalType::Binary(u32::try_from(*len).unwrap_or_default()),
        ArrowType::Date32 | ArrowType::Date64 => LogicalType::Date,
        ArrowType::Time32(TimeUnit::Second) => LogicalType::Time(0),
        ArrowType::Time32(_) | ArrowType::Time64(_) => LogicalType::Time(3),
        ArrowType::Timestamp(unit, None) => LogicalType::Timestamp(decimals(unit)),
        ArrowType::Timestamp(unit, Some(_)) => LogicalType::TimestampLtz(decimals(unit)),
        ArrowType::Interval(IntervalUnit::YearMonth) => {
            LogicalType::YearMonthInterval(YearMonthInterval::YearToMonth(4))
        }
        ArrowType::Interval(IntervalUnit::DayTime) | ArrowType::Duration(_) => {
            LogicalType::DayTimeInterval(DayTimeInterval::DayToSecond(6, 3))
        }
        ArrowType::List(element)
        | ArrowType::LargeList(element)
        | ArrowType::FixedSizeList(element, _)
        | ArrowType::ListView(element)
        | ArrowType::LargeListView(element) => LogicalType::array(of(element)?),
        ArrowType::Map(entries, _) => match entries.data_type() {
            ArrowType::Struct(entry) if entry.len() == 2 => LogicalType::map(of(&entry[0])?, of(&entry[1])?),
            _ => return Err(unknown(arrow_type)),
        },
        ArrowType::Struct(fields) => LogicalType::row(columns(fields)?),
        ArrowType::Dictionary(_, values) => logical_type(values)?,
        ArrowType::RunEndEncoded(_, values) => logical_type(values.data_type())?,
        ArrowType::Null | ArrowType::Union(..) | ArrowType::Interval(IntervalUnit::MonthDayNano) => {
            return Err(unknown(arrow_type));
        }
    })
}

fn decimal(precision: u8, scale: i8) -> Result<LogicalType, Error> {
    // A scale below 0 is zeros before the point.
    let (precision, scale) = match u8::try_from(scale) {
        Ok(scale) => (precision, scale),
        Err(_) => (precision.saturating_add(scale.unsigned_abs()), 0),
    };
    // Of more digits than Flink has, those that fit; the values are checked.
    let precision = precision.min(38);
    if scale <= precision {
        Ok(LogicalType::decimal(precision, scale))
    } else {
        Err(refuse(format!("DECIMAL has at most {precision} decimals, found {scale}")))
    }
}

#[cold]
fn unknown(arrow_type: &ArrowType) -> Error {
    refuse(format!("no type of a table is {arrow_type}"))
}

#[cold]
pub(super) fn refuse(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Row, message.into())
}
