//! What JSON does not take, in Flink's words.
//!
//! Agrees with `org.apache.flink.formats.json.RowDataToJsonConverters` and `JsonToRowDataConverters`.

use crate::error::{Error, ErrorKind};
use crate::format::options::Role;
use crate::types::{DataType, LogicalType};

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
