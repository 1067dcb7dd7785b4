use crate::error::Error;
use crate::format::envelope::{self, EnvelopeOptions};
use crate::format::json::{self, JsonOptions};
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::types::DataType;

/// The options of `debezium-json`.
///
/// Agrees with `org.apache.flink.formats.json.debezium.DebeziumJsonFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DebeziumOptions {
    pub(crate) json: JsonOptions,
    /// `schema-include`: the event is the member `payload` beside a `schema`.
    pub(crate) schema_include: bool,
}

const SCHEMA_INCLUDE: OptionSpec = OptionSpec::flag(
    "schema-include",
    "1.11",
    "Whether the event is the member `payload` beside its `schema`. Read so; never written.",
);

impl FormatOptions for DebeziumOptions {
    const IDENTIFIER: &'static str = "debezium-json";
    const OPTIONS: &'static [OptionSpec] = &[
        SCHEMA_INCLUDE,
        json::IGNORE_PARSE_ERRORS,
        json::TIMESTAMP_FORMAT,
        json::MAP_NULL_KEY_MODE,
        json::MAP_NULL_KEY_LITERAL,
        json::DECIMAL_AS_PLAIN_NUMBER,
        json::IGNORE_NULL_FIELDS,
    ];
    const INSERT_ONLY: bool = false;

    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        let json = JsonOptions::read_shared(options, role)?;
        let schema_include = options.boolean(&SCHEMA_INCLUDE)?;
        if role == Role::Sink && schema_include {
            return Err(options.refuse(
                &SCHEMA_INCLUDE,
                "Debezium JSON serialization doesn't support 'debezium-json.schema-include' option been set to true.",
            ));
        }
        Ok(Self { json, schema_include })
    }

    fn metadata() -> Vec<(&'static str, DataType)> {
        envelope::metadata_types(Self::LAYOUT.metadata)
    }
}
