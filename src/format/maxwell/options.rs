use crate::error::Error;
use crate::format::envelope::{self, EnvelopeOptions};
use crate::format::json::{self, JsonOptions};
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::types::DataType;

/// The options of `maxwell-json`.
///
/// Agrees with `org.apache.flink.formats.json.maxwell.MaxwellJsonFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MaxwellOptions {
    pub(crate) json: JsonOptions,
}

impl FormatOptions for MaxwellOptions {
    const IDENTIFIER: &'static str = "maxwell-json";
    const OPTIONS: &'static [OptionSpec] = json::ENVELOPE_OPTIONS;
    const INSERT_ONLY: bool = false;

    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        Ok(Self { json: JsonOptions::read_shared(options, role)? })
    }

    fn metadata() -> Vec<(&'static str, DataType)> {
        envelope::metadata_types(Self::LAYOUT.metadata)
    }
}
