use crate::error::Error;
use crate::format::Pattern;
use crate::format::envelope::{self, EnvelopeOptions};
use crate::format::json::{self, JsonOptions};
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::types::DataType;

/// The options of `canal-json`.
///
/// Agrees with `org.apache.flink.formats.json.canal.CanalJsonFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CanalOptions {
    pub(crate) json: JsonOptions,
    /// `database.include`: the databases whose events are read; `None` for all, and for a sink.
    pub(crate) database_include: Option<Pattern>,
    /// `table.include`: the tables whose events are read; `None` for all, and for a sink.
    pub(crate) table_include: Option<Pattern>,
}

const DATABASE_INCLUDE: OptionSpec = OptionSpec::string(
    "database.include",
    "1.11",
    "A Java regular expression: events of databases whose whole name it does not match are passed over.",
);
const TABLE_INCLUDE: OptionSpec = OptionSpec::string(
    "table.include",
    "1.11",
    "A Java regular expression: events of tables whose whole name it does not match are passed over.",
);

impl FormatOptions for CanalOptions {
    const IDENTIFIER: &'static str = "canal-json";
    const OPTIONS: &'static [OptionSpec] = &[
        json::IGNORE_PARSE_ERRORS,
        json::TIMESTAMP_FORMAT,
        DATABASE_INCLUDE,
        TABLE_INCLUDE,
        json::MAP_NULL_KEY_MODE,
        json::MAP_NULL_KEY_LITERAL,
        json::DECIMAL_AS_PLAIN_NUMBER,
        json::IGNORE_NULL_FIELDS,
    ];
    const INSERT_ONLY: bool = false;

    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        let pattern = |spec| match role {
            Role::Source => options.pattern(spec),
            Role::Sink => Ok(None),
        };
        Ok(Self {
            json: JsonOptions::read_shared(options, role)?,
            database_include: pattern(&DATABASE_INCLUDE)?,
            table_include: pattern(&TABLE_INCLUDE)?,
        })
    }

    fn metadata() -> Vec<(&'static str, DataType)> {
        envelope::metadata_types(Self::LAYOUT.metadata)
    }
}
