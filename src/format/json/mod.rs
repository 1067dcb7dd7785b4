//! `json`: one object a row.
//!
//! Agrees with `org.apache.flink.formats.json.JsonRowDataSerializationSchema` and its deserializers.

mod options;

pub(crate) use options::{JsonOptions, MapNullKey, TimestampFormat};
