//! `avro` and `avro-confluent`: Apache Avro, bare or behind the id of a registered schema.
//!
//! Agrees with `org.apache.flink.formats.avro.AvroRowDataSerializationSchema` and
//! `org.apache.flink.formats.avro.registry.confluent.RegistryAvroFormatFactory`.

mod options;

pub(crate) use self::options::{AvroOptions, ConfluentOptions};
