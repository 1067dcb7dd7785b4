//! Batches of rows.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, DurationMillisecondType, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, IntervalYearMonthType, Time32MillisecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, ListArray, MapArray, NullArray, PrimitiveArray, RecordBatch,
    RecordBatchOptions, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{
    ArrowError, DataType as ArrowType, Field as ArrowField, Fields, IntervalUnit, SchemaRef, TimeUnit,
};

use super::types::{refuse, unit};
use crate::error::Error;
use crate::row::{Datum, DatumKind, DecimalColumn, Row, RowKind, Timestamp};
use crate::types::{DataType, Field, LogicalType};

/// What makes a batch of Arrow of rows, one after the other.
///
/// Values are copied into columns, which grow; a finished batch takes them along. An error leaves the rows before it.
#[derive(Debug)]
pub struct ArrowBatchBuilder {
    columns: Vec<(Box<str>, Builder)>,
    kinds: Option<Builder>,
    schema: SchemaRef,
    rows: usize,
}

impl ArrowBatchBuilder {
    pub(super) fn new(columns: &[Field], has_kinds: bool, schema: SchemaRef) -> Self {
        let columns =
            columns.iter().map(|field| (field.name.as_str().into(), Builder::new(&field.data_type)));
        let kinds = has_kinds.then(|| Builder::new(&LogicalType::STRING.not_null()));
        Self { columns: columns.collect(), kinds, schema, rows: 0 }
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Adds a row. Its kind goes into the column for kinds, if there is one.
    ///
    /// # Errors
    ///
    /// With the column's name, if a value does not fit: NULL in a NOT NULL column, a value of another type, a timestamp
    /// that its unit cannot count, more than 2 GiB in a column. The builder is as it was.
    pub fn push(&mut self, kind: RowKind, row: &(impl Row + ?Sized)) -> Result<(), Error> {
        let pushed = self.try_push(kind, row);
        match pushed {
            Ok(()) => self.rows += 1,
            Err(_) => self.builders().for_each(|(builder, rows)| builder.truncate(rows)),
        }
        pushed
    }

    fn try_push(&mut self, kind: RowKind, row: &(impl Row + ?Sized)) -> Result<(), Error> {
        for (column, (name, builder)) in self.columns.iter_mut().enumerate() {
            builder.push(row.datum(column)).map_err(|error| error.in_column(name))?;
        }
        match &mut self.kinds {
            Some(kinds) => kinds.push(Datum::String(kind.short_string())),
            None => Ok(()),
        }
    }

    fn builders(&mut self) -> impl Iterator<Item = (&mut Builder, usize)> {
        let (rows, columns) = (self.rows, self.columns.iter_mut().map(|(_, builder)| builder));
        columns.chain(&mut self.kinds).map(move |builder| (builder, rows))
    }

    /// The batch of the rows so far; the builder has none then.
    ///
    /// # Errors
    ///
    /// If Arrow refuses the columns: keys of a map that are NULL.
    pub fn finish(&mut self) -> Result<RecordBatch, Error> {
        let schema = SchemaRef::clone(&self.schema);
        let fields = schema.fields().iter();
        let columns = self.builders().zip(fields).map(|((builder, _), field)| builder.finish(field));
        let columns = columns.collect::<Result<Vec<_>, _>>();
        let rows = std::mem::take(&mut self.rows);
        if columns.is_err() {
            self.builders().for_each(|(builder, none)| builder.truncate(none));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        columns
            .and_then(|columns| RecordBatch::try_new_with_options(schema, columns, &options))
            .map_err(refused)
    }
}

#[cold]
fn refused(error: ArrowError) -> Error {
    refuse("Arrow refuses the batch").with_source(error)
}

/// The values of a column so far.
#[derive(Debug)]
struct Builder {
    nullable: bool,
    valid: Vec<bool>,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    None,
    Boolean(Vec<bool>),
    TinyInt(Vec<i8>),
    SmallInt(Vec<i16>),
    Int(Vec<i32>),
    BigInt(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Decimal(Vec<i128>, DecimalColumn),
    Text(Vec<u8>, Vec<i32>),
    Bytes(Vec<u8>, Vec<i32>),
    Date(Vec<i32>),
    Time(Vec<i32>),
    Timestamp(Vec<i64>, TimeUnit),
    Array(Vec<i32>, Box<Builder>),
    Map(Vec<i32>, Box<(Builder, Builder)>),
    Row(Vec<(Box<str>, Builder)>),
}

impl Builder {
    fn new(data_type: &DataType) -> Self {
        let cells = match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Cells::Text(Vec::new(), vec![0]),
            LogicalType::Boolean => Cells::Boolean(Vec::new()),
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Cells::Bytes(Vec::new(), vec![0]),
            LogicalType::Decimal { precision, scale } => {
                Cells::Decimal(Vec::new(), DecimalColumn::new(*precision, *scale))
            }
            LogicalType::TinyInt => Cells::TinyInt(Vec::new()),
            LogicalType::SmallInt => Cells::SmallInt(Vec::new()),
            LogicalType::Int | LogicalType::YearMonthInterval(_) => Cells::Int(Vec::new()),
            LogicalType::BigInt | LogicalType::DayTimeInterval(_) => Cells::BigInt(Vec::new()),
            LogicalType::Float => Cells::Float(Vec::new()),
            LogicalType::Double => Cells::Double(Vec::new()),
            LogicalType::Date => Cells::Date(Vec::new()),
            LogicalType::Time(_) => Cells::Time(Vec::new()),
            LogicalType::Timestamp(precision) | LogicalType::TimestampLtz(precision) => {
                Cells::Timestamp(Vec::new(), unit(*precision))
            }
            LogicalType::Array(element) => Cells::Array(vec![0], Box::new(Self::new(element))),
            LogicalType::Map(key, value) => Cells::Map(vec![0], Box::new((Self::new(key), Self::new(value)))),
            LogicalType::Multiset(element) => {
                Cells::Map(vec![0], Box::new((Self::new(element), Self::new(&LogicalType::Int.not_null()))))
            }
            LogicalType::Row(row) => {
                let fields = row.fields().iter();
                Cells::Row(
                    fields.map(|field| (field.name.as_str().into(), Self::new(&field.data_type))).collect(),
                )
            }
            LogicalType::TimestampTz(_) | LogicalType::Null | LogicalType::Variant | LogicalType::Bitmap => {
                Cells::None
            }
        };
        Self { nullable: data_type.nullable, valid: Vec::new(), cells }
    }

    fn push(&mut self, datum: Datum<'_>) -> Result<(), Error> {
        if datum.is_null() {
            if !self.nullable {
                return Err(refuse("the column is NOT NULL, found NULL"));
            }
            self.push_null();
            return Ok(());
        }
        match (&mut self.cells, datum) {
            (Cells::Boolean(values), Datum::Boolean(value)) => values.push(value),
            (Cells::TinyInt(values), Datum::TinyInt(value)) => values.push(value),
            (Cells::SmallInt(values), Datum::SmallInt(value)) => values.push(value),
            (Cells::Int(values), Datum::Int(value))
            | (Cells::Date(values), Datum::Date(value))
            | (Cells::Time(values), Datum::Time(value)) => values.push(value),
            (Cells::BigInt(values), Datum::BigInt(value)) => values.push(value),
            (Cells::Float(values), Datum::Float(value)) => values.push(value),
            (Cells::Double(values), Datum::Double(value)) => values.push(value),
            (Cells::Decimal(values, column), Datum::Decimal(value)) => values.push(column.unscaled(value)?),
            (Cells::Text(texts, ends), Datum::String(value)) => push_bytes(texts, ends, value.as_bytes())?,
            (Cells::Bytes(bytes, ends), Datum::Bytes(value)) => push_bytes(bytes, ends, value)?,
            (Cells::Timestamp(values, unit), Datum::Timestamp(at)) => values.push(count(at, *unit)?),
            (Cells::Array(ends, elements), Datum::Array(values)) => {
                for (index, value) in values.iter().enumerate() {
                    elements.push(value).map_err(|error| error.in_element(index))?;
                }
                ends.push(end(elements.valid.len())?);
            }
            (Cells::Map(ends, entry), Datum::Map(entries)) => {
                for (index, (key, value)) in entries.iter().enumerate() {
                    let pushed = entry.0.push(key).and_then(|()| entry.1.push(value));
                    pushed.map_err(|error| error.in_element(index))?;
                }
                ends.push(end(entry.0.valid.len())?);
            }
            (Cells::Row(fields), Datum::Row(values)) => {
                for (index, (name, field)) in fields.iter_mut().enumerate() {
                    field.push(values.value(index)).map_err(|error| error.in_column(name))?;
                }
            }
            (_, found) => return Err(self.kind().mismatch(found.kind())),
        }
        self.valid.push(true);
        Ok(())
    }

    fn push_null(&mut self) {
        match &mut self.cells {
            Cells::None => {}
            Cells::Boolean(values) => values.push(false),
            Cells::TinyInt(values) => values.push(0),
            Cells::SmallInt(values) => values.push(0),
            Cells::Int(values) | Cells::Date(values) | Cells::Time(values) => values.push(0),
            Cells::BigInt(values) | Cells::Timestamp(values, _) => values.push(0),
            Cells::Float(values) => values.push(0.0),
            Cells::Double(values) => values.push(0.0),
            Cells::Decimal(values, _) => values.push(0),
            Cells::Text(_, ends) | Cells::Bytes(_, ends) | Cells::Array(ends, _) | Cells::Map(ends, _) => {
                ends.push(ends.last().copied().unwrap_or_default());
            }
            Cells::Row(fields) => fields.iter_mut().for_each(|(_, field)| field.push_null()),
        }
        self.valid.push(false);
    }

    fn kind(&self) -> DatumKind {
        match &self.cells {
            Cells::None => DatumKind::Null,
            Cells::Boolean(_) => DatumKind::Boolean,
            Cells::TinyInt(_) => DatumKind::TinyInt,
            Cells::SmallInt(_) => DatumKind::SmallInt,
            Cells::Int(_) => DatumKind::Int,
            Cells::BigInt(_) => DatumKind::BigInt,
            Cells::Float(_) => DatumKind::Float,
            Cells::Double(_) => DatumKind::Double,
            Cells::Decimal(..) => DatumKind::Decimal,
            Cells::Text(..) => DatumKind::String,
            Cells::Bytes(..) => DatumKind::Bytes,
            Cells::Date(_) => DatumKind::Date,
            Cells::Time(_) => DatumKind::Time,
            Cells::Timestamp(..) => DatumKind::Timestamp,
            Cells::Array(..) => DatumKind::Array,
            Cells::Map(..) => DatumKind::Map,
            Cells::Row(_) => DatumKind::Row,
        }
    }

    /// Drops what is after the first `len` values, half of one included.
    fn truncate(&mut self, len: usize) {
        let last = |ends: &mut Vec<i32>| {
            ends.truncate(len + 1);
            ends.last().and_then(|end| usize::try_from(*end).ok()).unwrap_or_default()
        };
        match &mut self.cells {
            Cells::None => {}
            Cells::Boolean(values) => values.truncate(len),
            Cells::TinyInt(values) => values.truncate(len),
            Cells::SmallInt(values) => values.truncate(len),
            Cells::Int(values) | Cells::Date(values) | Cells::Time(values) => values.truncate(len),
            Cells::BigInt(values) | Cells::Timestamp(values, _) => values.truncate(len),
            Cells::Float(values) => values.truncate(len),
            Cells::Double(values) => values.truncate(len),
            Cells::Decimal(values, _) => values.truncate(len),
            Cells::Text(bytes, ends) | Cells::Bytes(bytes, ends) => bytes.truncate(last(ends)),
            Cells::Array(ends, elements) => elements.truncate(last(ends)),
            Cells::Map(ends, entry) => {
                let len = last(ends);
                entry.0.truncate(len);
                entry.1.truncate(len);
            }
            Cells::Row(fields) => fields.iter_mut().for_each(|(_, field)| field.truncate(len)),
        }
        self.valid.truncate(len);
    }

    /// The array of a field of that type, and none left here.
    fn finish(&mut self, field: &ArrowField) -> Result<ArrayRef, ArrowError> {
        let valid = std::mem::take(&mut self.valid);
        let len = valid.len();
        let nulls = valid.contains(&false).then(|| NullBuffer::from(valid));
        let take = |ends: &mut Vec<i32>| OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
        Ok(match (&mut self.cells, field.data_type()) {
            (Cells::Boolean(values), _) => {
                Arc::new(BooleanArray::new(BooleanBuffer::from(std::mem::take(values)), nulls))
            }
            (Cells::TinyInt(values), _) => primitive::<Int8Type>(values, nulls, field),
            (Cells::SmallInt(values), _) => primitive::<Int16Type>(values, nulls, field),
            (Cells::Int(values), ArrowType::Interval(IntervalUnit::YearMonth)) => {
                primitive::<IntervalYearMonthType>(values, nulls, field)
            }
            (Cells::Int(values), _) => primitive::<Int32Type>(values, nulls, field),
            (Cells::Date(values), _) => primitive::<Date32Type>(values, nulls, field),
            (Cells::Time(values), _) => primitive::<Time32MillisecondType>(values, nulls, field),
            (Cells::BigInt(values), ArrowType::Duration(_)) => {
                primitive::<DurationMillisecondType>(values, nulls, field)
            }
            (Cells::BigInt(values), _) => primitive::<Int64Type>(values, nulls, field),
            (Cells::Timestamp(values, TimeUnit::Nanosecond), _) => {
                primitive::<TimestampNanosecondType>(values, nulls, field)
            }
            (Cells::Timestamp(values, TimeUnit::Microsecond), _) => {
                primitive::<TimestampMicrosecondType>(values, nulls, field)
            }
            (Cells::Timestamp(values, _), _) => primitive::<TimestampMillisecondType>(values, nulls, field),
            (Cells::Float(values), _) => primitive::<Float32Type>(values, nulls, field),
            (Cells::Double(values), _) => primitive::<Float64Type>(values, nulls, field),
            (Cells::Decimal(values, _), _) => primitive::<Decimal128Type>(values, nulls, field),
            (Cells::Text(texts, ends), _) => {
                Arc::new(StringArray::try_new(take(ends), Buffer::from_vec(std::mem::take(texts)), nulls)?)
            }
            (Cells::Bytes(bytes, ends), _) => {
                Arc::new(BinaryArray::try_new(take(ends), Buffer::from_vec(std::mem::take(bytes)), nulls)?)
            }
            (Cells::Array(ends, elements), ArrowType::List(element)) => {
                let elements = elements.finish(element)?;
                Arc::new(ListArray::try_new(Arc::clone(element), take(ends), elements, nulls)?)
            }
            (Cells::Map(ends, entry), ArrowType::Map(of_entries, _)) => {
                let ArrowType::Struct(fields) = of_entries.data_type() else { return Ok(nothing(len)) };
                let columns = vec![entry.0.finish(&fields[0])?, entry.1.finish(&fields[1])?];
                let entries = StructArray::try_new(Fields::clone(fields), columns, None)?;
                Arc::new(MapArray::try_new(Arc::clone(of_entries), take(ends), entries, nulls, false)?)
            }
            (Cells::Row(builders), ArrowType::Struct(fields)) => {
                let columns =
                    builders.iter_mut().zip(fields).map(|((_, builder), field)| builder.finish(field));
                let columns = columns.collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new_with_length(Fields::clone(fields), columns, nulls, len)?)
            }
            (Cells::None | Cells::Array(..) | Cells::Map(..) | Cells::Row(_), _) => nothing(len),
        })
    }
}

fn nothing(len: usize) -> ArrayRef {
    Arc::new(NullArray::new(len))
}

fn primitive<T: ArrowPrimitiveType>(
    values: &mut Vec<T::Native>,
    nulls: Option<NullBuffer>,
    field: &ArrowField,
) -> ArrayRef {
    let array = PrimitiveArray::<T>::new(ScalarBuffer::from(std::mem::take(values)), nulls);
    Arc::new(array.with_data_type(field.data_type().clone()))
}

fn push_bytes(bytes: &mut Vec<u8>, ends: &mut Vec<i32>, value: &[u8]) -> Result<(), Error> {
    ends.push(end(bytes.len() + value.len())?);
    bytes.extend_from_slice(value);
    Ok(())
}

fn end(len: usize) -> Result<i32, Error> {
    i32::try_from(len).map_err(|_| refuse("a column of a batch takes at most 2 GiB"))
}

fn count(at: Timestamp, unit: TimeUnit) -> Result<i64, Error> {
    let per_milli: u32 = match unit {
        TimeUnit::Nanosecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Millisecond | TimeUnit::Second => 1,
    };
    let within = i64::from(at.nanos_of_millis() / (1_000_000 / per_milli));
    let whole = at.millis().checked_mul(per_milli.into()).and_then(|count| count.checked_add(within));
    whole.ok_or_else(|| refuse(format!("{at} is beyond what a 64-bit count of its unit can hold")))
}
