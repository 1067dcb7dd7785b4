use crate::error::{Error, ErrorKind};
use crate::format::options::Role;
use crate::types::{DataType, Field, LogicalType};

/// Refuses columns that JSON does not take: the first one, depth first.
///
/// Agrees with `org.apache.flink.formats.json.RowDataToJsonConverters` and `JsonToRowDataConverters`.
pub(crate) fn check_fields(fields: &[Field], role: Role) -> Result<(), Error> {
    fields.iter().try_for_each(|field| {
        check_type(&field.data_type, role).map_err(|error| error.in_column(&field.name))
    })
}

fn check_type(data_type: &DataType, role: Role) -> Result<(), Error> {
    match &data_type.logical_type {
        LogicalType::Char(_)
        | LogicalType::VarChar(_)
        | LogicalType::Boolean
        | LogicalType::Binary(_)
        | LogicalType::VarBinary(_)
        | LogicalType::Decimal { .. }
        | LogicalType::TinyInt
        | LogicalType::SmallInt
        | LogicalType::Int
        | LogicalType::BigInt
        | LogicalType::Float
        | LogicalType::Double
        | LogicalType::Date
        | LogicalType::Time(_)
        | LogicalType::Timestamp(_)
        | LogicalType::TimestampLtz(_)
        | LogicalType::YearMonthInterval(_)
        | LogicalType::DayTimeInterval(_) => Ok(()),
        LogicalType::Array(element) => check_type(element, role),
        LogicalType::Map(key, value) => {
            check_map_key(data_type, key)?;
            check_type(value, role)
        }
        LogicalType::Multiset(element) => check_map_key(data_type, element),
        LogicalType::Row(row) => check_fields(row.fields(), role),
        LogicalType::Null | LogicalType::TimestampTz(_) | LogicalType::Variant | LogicalType::Bitmap => {
            Err(unsupported(data_type, role))
        }
    }
}

/// The refusal of a type that JSON does not take.
pub(super) fn unsupported(data_type: &DataType, role: Role) -> Error {
    let refusal = match role {
        Role::Source => "Unsupported type",
        Role::Sink => "Not support to parse type",
    };
    Error::new(ErrorKind::Table, format!("{refusal}: {data_type:#}"))
}

/// The names of a JSON object are text, so the keys of a map must be.
pub(super) fn check_map_key(map: &DataType, key: &DataType) -> Result<(), Error> {
    if matches!(key.logical_type, LogicalType::Char(_) | LogicalType::VarChar(_)) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Table,
        format!("JSON format doesn't support non-string as key type of map. The type is: {map:#}"),
    ))
}
