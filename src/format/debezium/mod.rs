//! `debezium-json`: the change events of Debezium as JSON.
//!
//! Agrees with `org.apache.flink.formats.json.debezium.DebeziumJsonSerializationSchema` and `DebeziumJsonDeserializationSchema`.

mod connect_schema;
mod event;
mod layout;
mod options;
mod read;
mod source;

pub use self::event::DebeziumChange;
pub(crate) use self::event::EventWriter;
pub(crate) use self::options::DebeziumOptions;
pub use self::read::{
    DebeziumBytes, DebeziumDecimals, DebeziumSettings, DebeziumShape, DebeziumTimes, MissingBefore,
    UnavailableValue,
};
pub(crate) use self::read::{EventReader, EventSkip, EventTable, Schemas};
pub use self::source::DebeziumSource;
