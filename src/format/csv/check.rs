use crate::error::{Error, ErrorKind};
use crate::format::options::Role;
use crate::format::scalar::Scalar;
use crate::types::{DataType, Field, LogicalType};

/// Refuses columns that are neither simple nor a flat list of simple values.
///
/// Agrees with `org.apache.flink.formats.csv.CsvRowSchemaConverter`, and for a source with `CsvToRowDataConverters`.
pub(super) fn check_fields(fields: &[Field], role: Role) -> Result<(), Error> {
    for field in fields {
        check_field(field)?;
    }
    match role {
        Role::Sink => Ok(()),
        Role::Source => {
            fields.iter().try_for_each(|field| check_time(&field.data_type).map_err(in_field(field)))
        }
    }
}

fn check_field(field: &Field) -> Result<(), Error> {
    let data_type = &field.data_type;
    match &data_type.logical_type {
        LogicalType::Array(element) => check_nested(field, element),
        LogicalType::Row(row) => {
            row.fields().iter().try_for_each(|nested| check_nested(field, &nested.data_type))
        }
        simple if is_simple(simple) => Ok(()),
        _ => refuse(field, format!("Unsupported type '{data_type:#}' for field '{}'.", field.name)),
    }
}

fn check_nested(field: &Field, nested: &DataType) -> Result<(), Error> {
    if is_simple(&nested.logical_type) {
        return Ok(());
    }
    refuse(
        field,
        format!(
            "Only simple types are supported in the second level nesting of fields '{}' but was: {nested:#}",
            field.name
        ),
    )
}

fn is_simple(logical_type: &LogicalType) -> bool {
    Scalar::of(logical_type).is_some()
}

/// Times are read in milliseconds at most.
fn check_time(data_type: &DataType) -> Result<(), Error> {
    match &data_type.logical_type {
        LogicalType::Time(precision) if *precision > 3 => Err(Error::new(
            ErrorKind::Table,
            format!(
                "Csv does not support TIME type with precision: {precision}, it only supports precision 0 ~ 3."
            ),
        )),
        LogicalType::Array(element) => check_time(element),
        LogicalType::Row(row) => row.fields().iter().try_for_each(|field| check_time(&field.data_type)),
        _ => Ok(()),
    }
}

/// What the converters say of a type; [`check_fields`] refuses it before they see it.
#[cold]
pub(super) fn unsupported(data_type: &DataType) -> Error {
    Error::new(ErrorKind::Table, format!("Unsupported type: {data_type:#}"))
}

#[cold]
fn refuse(field: &Field, message: String) -> Result<(), Error> {
    Err(in_field(field)(Error::new(ErrorKind::Table, message)))
}

fn in_field(field: &Field) -> impl Fn(Error) -> Error {
    |error| error.in_column(&field.name)
}
