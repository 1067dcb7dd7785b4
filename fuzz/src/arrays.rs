//! Arrays of Arrow for values of any type, in each of the ways in which Arrow holds them.

use std::sync::Arc;

use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, FixedSizeListArray, LargeListArray, LargeListViewArray, ListArray,
    ListViewArray, MapArray, NullArray, PrimitiveArray, RunArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, FieldRef};
use upsert_kafka::row::AsDatum;
use upsert_kafka::types::{DataType, Field, LogicalType};
use upsert_kafka::{Datum, Decimal, Timestamp};

use super::array_of_scalars::scalars;
use super::draw::Draw;
use super::value::{Value, value};

/// A value as a column of Arrow of that type can hold it, to the last digit.
pub(super) fn held(value: Value, of: &DataType) -> Value {
    match (value, &of.logical_type) {
        (Value::Scalar(Datum::Decimal(decimal)), LogicalType::Decimal { precision, scale }) => {
            let unscaled = decimal.unscaled() % 10_i128.pow((*precision).into());
            Value::Scalar(Datum::Decimal(Decimal::new(unscaled, *scale)))
        }
        (Value::Scalar(Datum::Time(millis)), _) => Value::Scalar(Datum::Time(millis.rem_euclid(86_400_000))),
        (
            Value::Scalar(Datum::Timestamp(at)),
            LogicalType::Timestamp(precision) | LogicalType::TimestampLtz(precision),
        ) => {
            let (per_milli, nanos) = match precision {
                0..=3 => (1, 1_000_000),
                4..=6 => (1000, 1000),
                _ => (1_000_000, 1),
            };
            let millis = at.millis() % (i64::MAX / per_milli - 1);
            Value::Scalar(Datum::Timestamp(Timestamp::new(millis, at.nanos_of_millis() / nanos * nanos)))
        }
        (Value::Array(values), LogicalType::Array(element)) => {
            Value::Array(values.into_iter().map(|value| held(value, element)).collect())
        }
        (Value::Map(entries), LogicalType::Map(key, of_key)) => held_entries(entries, key, of_key),
        (Value::Map(entries), LogicalType::Multiset(element)) => {
            held_entries(entries, element, &LogicalType::Int.not_null())
        }
        (Value::Row(values), LogicalType::Row(row)) => Value::Row(
            values.into_iter().zip(row.fields()).map(|(value, f)| held(value, &f.data_type)).collect(),
        ),
        (value, _) => value,
    }
}

/// Arrow has no NULL for a key.
fn held_entries(mut entries: Vec<(Value, Value)>, key: &DataType, of_key: &DataType) -> Value {
    entries.retain(|(key, _)| !key.as_datum().is_null());
    Value::Map(entries.into_iter().map(|(k, value)| (held(k, key), held(value, of_key))).collect())
}

/// An array of these values, or a slice of a longer one.
pub(super) fn array(draw: &mut Draw<'_>, of: &DataType, values: &[Value]) -> ArrayRef {
    if !draw.once_in(3) {
        return whole(draw, of, values);
    }
    let (before, after) = (draw.below(3), draw.below(3));
    let mut more = |count| (0..count).map(|_| held(value(draw, of), of)).collect::<Vec<_>>();
    let padded = [more(before), values.to_vec(), more(after)].concat();
    whole(draw, of, &padded).slice(before, values.len())
}

fn whole(draw: &mut Draw<'_>, of: &DataType, values: &[Value]) -> ArrayRef {
    match draw.below(8) {
        1 => match draw.below(8) {
            0 => dictionary::<Int8Type>(draw, of, values),
            1 => dictionary::<Int16Type>(draw, of, values),
            2 => dictionary::<Int32Type>(draw, of, values),
            3 => dictionary::<Int64Type>(draw, of, values),
            4 => dictionary::<UInt8Type>(draw, of, values),
            5 => dictionary::<UInt16Type>(draw, of, values),
            6 => dictionary::<UInt32Type>(draw, of, values),
            _ => dictionary::<UInt64Type>(draw, of, values),
        },
        2 if !values.is_empty() => match draw.below(3) {
            0 => runs::<Int16Type>(draw, of, values),
            1 => runs::<Int32Type>(draw, of, values),
            _ => runs::<Int64Type>(draw, of, values),
        },
        3 if values.iter().all(|value| value.as_datum().is_null()) => Arc::new(NullArray::new(values.len())),
        _ => plain(draw, of, values),
    }
}

/// The values stand in reverse; the key of a NULL leads to it, or nowhere.
fn dictionary<K: ArrowDictionaryKeyType>(draw: &mut Draw<'_>, of: &DataType, values: &[Value]) -> ArrayRef {
    let reversed: Vec<_> = values.iter().rev().cloned().collect();
    let is_nowhere: Vec<_> =
        values.iter().map(|value| value.as_datum().is_null() && draw.once_in(2)).collect();
    let key = |(index, is_nowhere): (usize, &bool)| {
        let place = if *is_nowhere { 99 } else { values.len() - 1 - index };
        <K::Native as arrow_buffer::ArrowNativeType>::usize_as(place)
    };
    let keys: Vec<_> = is_nowhere.iter().enumerate().map(key).collect();
    let nulls = NullBuffer::from(is_nowhere.iter().map(|is_nowhere| !is_nowhere).collect::<Vec<_>>());
    let keys = PrimitiveArray::<K>::new(keys.into(), Some(nulls));
    Arc::new(DictionaryArray::<K>::new(keys, plain(draw, of, &reversed)))
}

/// Neighbours of the same value are one run, or several.
fn runs<E: RunEndIndexType>(draw: &mut Draw<'_>, of: &DataType, values: &[Value]) -> ArrayRef {
    let shown = |value: &Value| format!("{:?}", value.as_datum());
    let (mut ends, mut of_runs) = (Vec::new(), Vec::new());
    for (index, value) in values.iter().enumerate() {
        let is_last = values.get(index + 1).is_none_or(|next| shown(next) != shown(value));
        if is_last || draw.once_in(2) {
            ends.push(<E::Native as arrow_buffer::ArrowNativeType>::usize_as(index + 1));
            of_runs.push(value.clone());
        }
    }
    let ends = PrimitiveArray::<E>::from_iter_values(ends);
    Arc::new(RunArray::<E>::try_new(&ends, &plain(draw, of, &of_runs)).expect("ends that grow"))
}

fn plain(draw: &mut Draw<'_>, of: &DataType, values: &[Value]) -> ArrayRef {
    match &of.logical_type {
        LogicalType::Array(element) => lists(draw, element, values),
        LogicalType::Map(key, of_key) => maps(draw, key, of_key, values),
        LogicalType::Multiset(element) => maps(draw, element, &LogicalType::Int.not_null(), values),
        LogicalType::Row(row) => structs(draw, row.fields(), values),
        scalar => scalars(draw, scalar, values),
    }
}

fn nulls(values: &[Value]) -> Option<NullBuffer> {
    let is_valid: Vec<_> = values.iter().map(|value| !value.as_datum().is_null()).collect();
    is_valid.contains(&false).then(|| NullBuffer::from(is_valid))
}

fn nullable(name: &str, array: &ArrayRef) -> FieldRef {
    Arc::new(ArrowField::new(name, array.data_type().clone(), true))
}

fn lists(draw: &mut Draw<'_>, element: &DataType, values: &[Value]) -> ArrayRef {
    let lists: Vec<&[Value]> = values
        .iter()
        .map(|value| match value {
            Value::Array(values) => values.as_slice(),
            // What is there in place of NULL is not seen.
            _ => &[Value::Scalar(Datum::Null)][..draw.below(2)],
        })
        .collect();
    let lens = || lists.iter().map(|list| list.len());
    let kind = draw.below(5);
    let is_view = kind >= 3;
    // Views may overlap, and stand in any order.
    let elements =
        if is_view { lists.iter().rev().copied().collect::<Vec<_>>().concat() } else { lists.concat() };
    let elements = array(draw, element, &elements);
    let (item, nulls) = (nullable("item", &elements), nulls(values));
    let ends = lens().scan(0, |end, len| {
        *end += len;
        Some(elements.len() - *end)
    });
    let starts: Vec<_> = ends.collect();
    let small =
        |numbers: Vec<usize>| numbers.iter().map(|n| i32::try_from(*n).expect("few")).collect::<Vec<_>>();
    let large =
        |numbers: Vec<usize>| numbers.iter().map(|n| i64::try_from(*n).expect("few")).collect::<Vec<_>>();
    let sizes = lens().collect::<Vec<_>>();
    match kind {
        1 => Arc::new(LargeListArray::new(item, OffsetBuffer::from_lengths(lens()), elements, nulls)),
        2 if !sizes.is_empty() && sizes.iter().all(|size| *size == sizes[0]) => {
            let size = i32::try_from(sizes[0]).expect("few");
            let list = FixedSizeListArray::try_new_with_length(item, size, elements, nulls, values.len());
            Arc::new(list.expect("lists of one length"))
        }
        3 => Arc::new(ListViewArray::new(item, small(starts).into(), small(sizes).into(), elements, nulls)),
        4 => Arc::new(LargeListViewArray::new(
            item,
            large(starts).into(),
            large(sizes).into(),
            elements,
            nulls,
        )),
        _ => Arc::new(ListArray::new(item, OffsetBuffer::from_lengths(lens()), elements, nulls)),
    }
}

fn maps(draw: &mut Draw<'_>, key: &DataType, of_key: &DataType, values: &[Value]) -> ArrayRef {
    let maps: Vec<&[(Value, Value)]> = values
        .iter()
        .map(|value| match value {
            Value::Map(entries) => entries.as_slice(),
            _ => &[],
        })
        .collect();
    let (keys, values_of_keys): (Vec<_>, Vec<_>) = maps.concat().into_iter().unzip();
    let (keys, values_of_keys) = (array(draw, key, &keys), array(draw, of_key, &values_of_keys));
    let fields = vec![
        Arc::new(ArrowField::new("keys", keys.data_type().clone(), false)),
        nullable("values", &values_of_keys),
    ];
    let entries = StructArray::new(fields.into(), vec![keys, values_of_keys], None);
    let field = ArrowField::new("entries", ArrowType::Struct(entries.fields().clone()), false);
    let offsets = OffsetBuffer::from_lengths(maps.iter().map(|entries| entries.len()));
    Arc::new(MapArray::new(field.into(), offsets, entries, nulls(values), false))
}

/// The fields stand in another order than the row's.
fn structs(draw: &mut Draw<'_>, fields: &[Field], values: &[Value]) -> ArrayRef {
    let first = draw.below(fields.len());
    let columns = (0..fields.len()).map(|index| {
        let column = (first + index) % fields.len();
        let field = &fields[column];
        let of_field: Vec<_> = values
            .iter()
            .map(|row| match row {
                Value::Row(values) => values[column].clone(),
                // What is there in place of NULL is not seen.
                _ => held(value(draw, &field.data_type), &field.data_type),
            })
            .collect();
        let array = array(draw, &field.data_type, &of_field);
        (nullable(&field.name, &array), array)
    });
    let (arrow_fields, arrays): (Vec<_>, Vec<_>) = columns.unzip();
    Arc::new(StructArray::new(arrow_fields.into(), arrays, nulls(values)))
}
