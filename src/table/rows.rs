//! The rows of a table as structs: held against its columns, once.

use crate::error::{Error, ErrorKind};
use crate::format::closest;
use crate::row::{ColumnShape, DatumKind, Shape};
use crate::types::{DataType, Field, LogicalType};

use super::layout::RecordLayout;
use super::metadata::MetadataColumn;

/// Where the columns of a table are in the rows that are written or read, if these are structs.
pub(super) struct RowOrder {
    /// For each column its field.
    fields: Vec<usize>,
}

impl RowOrder {
    /// The order of a struct's fields.
    ///
    /// # Errors
    ///
    /// If a column has no field, a field no column, or one does not fit the other.
    pub(super) fn new(columns: &[Field], fields: &[ColumnShape]) -> Result<Self, Error> {
        let of_column = |column: &Field| {
            let mut found = (0..).zip(fields).filter(|(_, field)| field.name == column.name);
            let Some((place, field)) = found.next() else {
                return Err(no_field(&column.name, columns, fields));
            };
            if found.next().is_some() {
                return Err(refuse("two fields of the struct have this name").in_column(&column.name));
            }
            check(field.shape, &column.data_type).map_err(|error| error.in_column(&column.name))?;
            Ok(place)
        };
        let order = columns.iter().map(of_column).collect::<Result<_, _>>()?;
        match fields.iter().find(|field| columns.iter().all(|column| column.name != field.name)) {
            None => Ok(Self { fields: order }),
            Some(field) => Err(refuse("the table has no such column").in_column(field.name)),
        }
    }

    /// Gives the columns of a layout the places of the fields.
    pub(super) fn arrange(&self, layout: &mut RecordLayout) {
        let mut columns: Vec<_> = self.fields.iter().zip(std::mem::take(&mut layout.columns)).collect();
        columns.sort_by_key(|(place, _)| **place);
        layout.columns = columns.into_iter().map(|(_, column)| column).collect();
        let key = layout.key.iter_mut().flat_map(|key| &mut key.columns);
        let places = key.chain(&mut layout.value.columns).chain(&mut layout.primary_key);
        places.for_each(|place| *place = self.fields[*place]);
    }

    /// The same with columns of metadata.
    pub(super) fn arrange_metadata<M>(&self, metadata: &mut [MetadataColumn<M>]) {
        metadata.iter_mut().for_each(|column| column.column = self.fields[column.column]);
    }

    /// The place of a column.
    pub(super) fn place(&self, column: usize) -> usize {
        self.fields[column]
    }
}

/// Refuses a field that does not fit its column.
fn check(shape: &Shape, data_type: &DataType) -> Result<(), Error> {
    let logical_type = &data_type.logical_type;
    let fits = match (shape, logical_type) {
        (Shape::Array(shape), LogicalType::Array(element)) => return check(shape, element),
        (Shape::Map(key, value), LogicalType::Map(key_type, value_type)) => {
            return check(key, key_type).and_then(|()| check(value, value_type));
        }
        (Shape::Map(element, count), LogicalType::Multiset(element_type)) => {
            return check(element, element_type).and_then(|()| check(count, &LogicalType::Int.not_null()));
        }
        (Shape::Row(fields), LogicalType::Row(row)) => return check_nested(fields, row.fields()),
        (Shape::Tuple(shapes), LogicalType::Row(row)) if shapes.len() == row.fields().len() => {
            let in_order = |(shape, field): (&&Shape, &Field)| {
                check(shape, &field.data_type).map_err(|error| error.in_column(&field.name))
            };
            return shapes.iter().zip(row.fields()).try_for_each(in_order);
        }
        (Shape::Any, _) => true,
        (Shape::Of(kind), _) => kind_of(logical_type) == Some(*kind),
        (Shape::OneOf(kinds), _) => kind_of(logical_type).is_some_and(|kind| kinds.contains(&kind)),
        _ => false,
    };
    if fits { Ok(()) } else { Err(refuse(format!("the column is {logical_type:#}, the field {shape}"))) }
}

/// The fields of a nested row are taken by position, so that they have to stand in the table's order.
fn check_nested(fields: &[ColumnShape], columns: &[Field]) -> Result<(), Error> {
    let order = RowOrder::new(columns, fields)?;
    match order.fields.iter().zip(columns).enumerate().find(|(place, (field, _))| place != *field) {
        None => Ok(()),
        Some((_, (_, column))) => {
            let error = refuse("a nested struct has its fields in the order of the ROW");
            Err(error.in_column(&column.name))
        }
    }
}

/// Of what kind the data of a type are; `None` of types without data.
pub(crate) fn kind_of(logical_type: &LogicalType) -> Option<DatumKind> {
    Some(match logical_type {
        LogicalType::Char(_) | LogicalType::VarChar(_) => DatumKind::String,
        LogicalType::Boolean => DatumKind::Boolean,
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => DatumKind::Bytes,
        LogicalType::Decimal { .. } => DatumKind::Decimal,
        LogicalType::TinyInt => DatumKind::TinyInt,
        LogicalType::SmallInt => DatumKind::SmallInt,
        LogicalType::Int | LogicalType::YearMonthInterval(_) => DatumKind::Int,
        LogicalType::BigInt | LogicalType::DayTimeInterval(_) => DatumKind::BigInt,
        LogicalType::Float => DatumKind::Float,
        LogicalType::Double => DatumKind::Double,
        LogicalType::Date => DatumKind::Date,
        LogicalType::Time(_) => DatumKind::Time,
        LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_) => DatumKind::Timestamp,
        LogicalType::Array(_) => DatumKind::Array,
        LogicalType::Map(..) | LogicalType::Multiset(_) => DatumKind::Map,
        LogicalType::Row(_) => DatumKind::Row,
        LogicalType::TimestampTz(_) | LogicalType::Null | LogicalType::Variant | LogicalType::Bitmap => {
            return None;
        }
    })
}

#[cold]
fn refuse(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Row, message.into())
}

#[cold]
fn no_field(column: &str, columns: &[Field], fields: &[ColumnShape]) -> Error {
    let error = refuse("the struct has no field for this column").in_column(column);
    let left = fields
        .iter()
        .map(|field| field.name)
        .filter(|name| columns.iter().all(|column| column.name != *name));
    match closest(column, left) {
        Some(field) => {
            error.with_help(format!("if `{field}` is meant: `{field} as \"{column}\"` in impl_row!"))
        }
        None => error,
    }
}
