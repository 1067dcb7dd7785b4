//! `avro`, `avro-confluent` and `debezium-avro-confluent`: Apache Avro, bare or after the id of a registered schema, a row
//! or what happened to it.
//!
//! A row becomes a datum without a tree of values between: [`compile`] makes a plan of a schema and the columns' types
//! ([`write_plan`]), which drives an emitter, binary or JSON. Reading makes one plan of a writer's and a reader's schema
//! ([`resolve`], [`read_plan`]), which is run over bytes or JSON.
//!
//! Agrees with `org.apache.flink.formats.avro.AvroRowDataSerializationSchema`,
//! `org.apache.flink.formats.avro.registry.confluent.RegistryAvroFormatFactory`, the package `debezium` beside it, and
//! Avro 1.11.

mod aliases;
mod backoff;
mod compatibility;
mod compile;
mod confluent;
mod conform;
mod debezium;
mod decode;
mod decode_binary;
mod decode_json;
mod default_value;
mod derive;
mod encode;
mod encode_binary;
mod encode_json;
mod hash_order;
mod json_tree;
mod kept_error;
mod names;
mod options;
mod parse;
mod plain;
mod read_plan;
mod references;
mod registration;
mod registry;
mod resolve;
mod schema;
mod values;
mod write_plan;
mod writers;

pub use self::backoff::BackoffRegistry;
pub(crate) use self::confluent::{ConfluentDecoder, ConfluentEncoder};
pub(crate) use self::debezium::{DebeziumAvroDecoder, DebeziumAvroEncoder};
pub(crate) use self::decode::AvroDecoder;
pub(crate) use self::encode::AvroEncoder;
pub use self::options::AvroTimestamps;
pub(crate) use self::options::{AvroOptions, ConfluentOptions, DebeziumAvroOptions};
pub use self::references::{RegisteredSchema, SchemaReference};
pub use self::registry::{MemorySchemaRegistry, SchemaRegistry};
pub use self::schema::AvroSchema;

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};

/// What is wrong with a schema.
#[cold]
fn schema_error(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Table, message)
}
