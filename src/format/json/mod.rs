//! `json`: one object a row.
//!
//! Agrees with `org.apache.flink.formats.json.JsonRowDataSerializationSchema` and its deserializers.

mod encode;
mod options;

pub(crate) use encode::JsonEncoder;
pub(crate) use options::JsonOptions;

use crate::error::{Error, ErrorKind};
use crate::types::{DataType, LogicalType};

/// A JSON object's names are text, so a map's keys must be.
fn check_map_key(map: &DataType, key: &DataType) -> Result<(), Error> {
    if matches!(key.logical_type, LogicalType::Char(_) | LogicalType::VarChar(_)) {
        return Ok(());
    }
    let message = format!(
        "JSON format doesn't support non-string as key type of map. The type is: {}",
        map.logical_type
    );
    Err(Error::new(ErrorKind::Table, message))
}
