//! The options of `avro`, `avro-confluent` and `debezium-avro-confluent`.

use crate::error::Error;
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::format::values::{OptionEnum, ValueType, option_enum};

/// The options of `avro`.
///
/// Agrees with `org.apache.flink.formats.avro.AvroFormatOptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AvroOptions {
    /// `encoding`.
    pub(crate) encoding: AvroEncoding,
    /// `timestamp_mapping.legacy`.
    pub(crate) timestamps: AvroTimestamps,
}

option_enum! {
    /// `encoding`: how a datum becomes bytes.
    pub(crate) enum AvroEncoding = "org.apache.flink.formats.avro.AvroFormatOptions$AvroEncoding" {
        /// Avro's binary encoding.
        Binary = "binary",
        /// Avro's JSON encoding, where the branch of a union is named.
        Json = "json",
    }
}

/// How TIMESTAMP and TIMESTAMP_LTZ are mapped: the option `avro.timestamp_mapping.legacy`, true by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AvroTimestamps {
    /// TIMESTAMP up to precision 3 as `timestamp-millis`; no TIMESTAMP_LTZ. `avro-confluent` knows only this.
    #[default]
    Legacy,
    /// TIMESTAMP as `local-timestamp-millis` or `-micros`, TIMESTAMP_LTZ as `timestamp-millis` or `-micros`, up to
    /// precision 6. Elements of arrays and maps are mapped as [`Legacy`](Self::Legacy).
    Correct,
}

/// The options of `avro-confluent`.
///
/// Agrees with `org.apache.flink.formats.avro.registry.confluent.AvroConfluentFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfluentOptions {
    /// `subject`: under which the schema is registered. A sink always has one.
    pub(crate) subject: Option<String>,
    /// `schema`: instead of the one that is derived.
    pub(crate) schema: Option<String>,
}

const ENCODING: OptionSpec = OptionSpec::new(
    "encoding",
    ValueType::Enum { class: AvroEncoding::CLASS, names: AvroEncoding::NAMES },
    "1.19",
    "Avro's binary or its JSON encoding.",
)
.or("binary");
const TIMESTAMP_MAPPING_LEGACY: OptionSpec = OptionSpec::new(
    "timestamp_mapping.legacy",
    ValueType::Boolean,
    "1.19",
    "Whether TIMESTAMP is written as an instant, which it is not, and TIMESTAMP_LTZ refused. Otherwise TIMESTAMP is \
     a local timestamp and TIMESTAMP_LTZ an instant.",
)
.or("true");

impl FormatOptions for AvroOptions {
    const IDENTIFIER: &'static str = "avro";
    const OPTIONS: &'static [OptionSpec] = &[ENCODING, TIMESTAMP_MAPPING_LEGACY];

    fn read(options: OptionReader<'_>, _role: Role) -> Result<Self, Error> {
        let encoding = options.constant(&ENCODING)?.unwrap_or(AvroEncoding::Binary);
        let timestamps = match options.boolean(&TIMESTAMP_MAPPING_LEGACY)? {
            true => AvroTimestamps::Legacy,
            false => AvroTimestamps::Correct,
        };
        Ok(Self { encoding, timestamps })
    }
}

const URL: OptionSpec = OptionSpec::string("url", "1.13", "The address of the schema registry.")
    .or_key("schema-registry.url")
    .required();
const SUBJECT: OptionSpec = OptionSpec::string(
    "subject",
    "1.13",
    "The subject under which the schema is registered. A sink with one topic takes `<topic>-key` or `<topic>-value` \
     without it.",
)
.or_key("schema-registry.subject");
const SCHEMA: OptionSpec = OptionSpec::string(
    "schema",
    "1.17",
    "The Avro schema, which must fit the columns. Without it the schema is derived from them.",
)
.or_key("schema-registry.schema");
const PROPERTIES: OptionSpec = OptionSpec::new(
    "properties",
    ValueType::Map,
    "1.14",
    "What follows `properties.` is handed to the registry's client without that prefix.",
);

/// An option for the registry's client, which is the caller's.
const fn client(key: &'static str) -> OptionSpec {
    OptionSpec::string(key, "1.14", "For the client of the schema registry.")
}

impl FormatOptions for ConfluentOptions {
    const IDENTIFIER: &'static str = "avro-confluent";
    const OPTIONS: &'static [OptionSpec] = &[
        URL,
        SUBJECT,
        SCHEMA,
        client("ssl.keystore.location"),
        client("ssl.keystore.password"),
        client("ssl.truststore.location"),
        client("ssl.truststore.password"),
        client("basic-auth.credentials-source"),
        client("basic-auth.user-info"),
        client("bearer-auth.credentials-source"),
        client("bearer-auth.token"),
        PROPERTIES,
    ];

    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        Self::read_or(options, role, "Option avro-confluent.subject is required for serialization")
    }
}

impl ConfluentOptions {
    /// `no_subject` is what Flink says to a sink without one.
    fn read_or(options: OptionReader<'_>, role: Role, no_subject: &'static str) -> Result<Self, Error> {
        let subject = options.text(&SUBJECT);
        if role == Role::Sink && subject.is_none() {
            return Err(options.refuse(&SUBJECT, no_subject));
        }
        Ok(Self { subject: subject.map(str::to_owned), schema: options.text(&SCHEMA).map(str::to_owned) })
    }
}

/// The options of `debezium-avro-confluent`, which are those of `avro-confluent`.
///
/// Agrees with `org.apache.flink.formats.avro.registry.confluent.debezium.DebeziumAvroFormatFactory`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DebeziumAvroOptions(pub(super) ConfluentOptions);

impl FormatOptions for DebeziumAvroOptions {
    const IDENTIFIER: &'static str = "debezium-avro-confluent";
    const OPTIONS: &'static [OptionSpec] = ConfluentOptions::OPTIONS;
    const INSERT_ONLY: bool = false;

    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        let no_subject = "Option 'debezium-avro-confluent.subject' is required for serialization";
        ConfluentOptions::read_or(options, role, no_subject).map(Self)
    }
}
