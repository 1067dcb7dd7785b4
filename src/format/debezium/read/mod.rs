//! Events as Debezium writes them through Kafka Connect's `JsonConverter`, read into the columns of any table.
//!
//! A schema, where events bring one, is parsed once for each distinct text and joined with the columns; without one the
//! columns' types and [`DebeziumSettings`] say how values are written. Payloads are read token by token.
//!
//! Agrees with `io.debezium.data.Envelope`, `io.debezium.transforms.ExtractNewRecordState` and the semantic types of the
//! packages `io.debezium.data` and `io.debezium.time`.

mod connect_type;
mod decimals;
mod event;
mod iso;
mod members;
mod message;
mod metadata;
mod placeholder;
mod plain;
mod plan;
mod schemas;
mod settings;
mod values;

pub(crate) use self::event::EventSkip;
pub(crate) use self::message::EventReader;
pub(crate) use self::plan::EventTable;
pub(crate) use self::schemas::Schemas;
pub use self::settings::{
    DebeziumBytes, DebeziumDecimals, DebeziumSettings, DebeziumShape, DebeziumTimes, MissingBefore,
    UnavailableValue,
};
