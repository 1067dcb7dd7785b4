//! `debezium-json`: the change events of Debezium as JSON.
//!
//! Agrees with `org.apache.flink.formats.json.debezium.DebeziumJsonSerializationSchema` and `DebeziumJsonDeserializationSchema`.

mod layout;
mod options;

pub(crate) use self::options::DebeziumOptions;
