//! `debezium-json`: the change events of Debezium as JSON.
//!
//! Agrees with `org.apache.flink.formats.json.debezium.DebeziumJsonSerializationSchema` and `DebeziumJsonDeserializationSchema`.

mod connect_schema;
mod event;
mod layout;
mod options;

pub(crate) use self::event::EventWriter;
pub use self::event::{DebeziumChange, DebeziumSource};
pub(crate) use self::options::DebeziumOptions;
