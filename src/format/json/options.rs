use crate::error::{Error, ErrorKind};
use crate::format::FlinkRelease;
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::format::values::ValueType;

/// The options of `json`, and those that the changelog envelopes share with it.
///
/// Agrees with `org.apache.flink.formats.json.JsonFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonOptions {
    /// `fail-on-missing-field`: a column without a member is an error; otherwise it is NULL.
    pub(crate) fail_on_missing_field: bool,
    /// `ignore-parse-errors`: what does not convert is NULL, what does not parse is passed over.
    pub(crate) ignore_parse_errors: bool,
    /// `timestamp-format.standard`.
    pub(crate) timestamp_format: TimestampFormat,
    /// `map-null-key.mode` and `map-null-key.literal`.
    pub(crate) map_null_key: MapNullKey,
    /// `encode.decimal-as-plain-number`: `100.00` and not `1E+2`.
    pub(crate) decimal_as_plain_number: bool,
    /// `encode.ignore-null-fields`: members that are null are left out.
    pub(crate) ignore_null_fields: bool,
    /// `decode.json-parser.enabled`: the streaming decoder; otherwise the tree decoder.
    pub(crate) json_parser: bool,
    /// Whether times lose their fraction, as they do before 2.3.
    pub(crate) whole_seconds: bool,
    /// Whether plain decimals lose trailing zeros of their fraction, as they do before 2.0.
    pub(crate) short_decimals: bool,
}

/// `timestamp-format.standard`: what stands between date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimestampFormat {
    /// `2024-02-29 12:34:56`.
    Sql,
    /// `2024-02-29T12:34:56`.
    Iso8601,
}

/// `map-null-key.mode`: what a null key of a map becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MapNullKey {
    /// An error.
    Fail,
    /// Nothing: the entry is left out.
    Drop,
    /// The text of `map-null-key.literal`.
    Literal(String),
}

impl Default for JsonOptions {
    fn default() -> Self {
        Self {
            fail_on_missing_field: false,
            ignore_parse_errors: false,
            timestamp_format: TimestampFormat::Sql,
            map_null_key: MapNullKey::Fail,
            decimal_as_plain_number: false,
            ignore_null_fields: false,
            json_parser: true,
            whole_seconds: false,
            short_decimals: false,
        }
    }
}

impl JsonOptions {
    /// The same as a release of Flink has them.
    pub(crate) fn of_release(&self, release: FlinkRelease) -> Self {
        Self {
            json_parser: self.json_parser && release >= FlinkRelease::V1_18,
            whole_seconds: release < FlinkRelease::V2_3,
            short_decimals: release < FlinkRelease::V2_0,
            ..self.clone()
        }
    }
}

pub(crate) const FAIL_ON_MISSING_FIELD: OptionSpec = OptionSpec::flag(
    "fail-on-missing-field",
    "1.11",
    "Whether a column without a member in the document is an error. Otherwise it is NULL.",
);
pub(crate) const IGNORE_PARSE_ERRORS: OptionSpec = OptionSpec::flag(
    "ignore-parse-errors",
    "1.11",
    "Whether what does not convert is NULL and what does not parse is passed over, instead of an error.",
);
pub(crate) const TIMESTAMP_FORMAT: OptionSpec = OptionSpec::string(
    "timestamp-format.standard",
    "1.11",
    "`SQL` for `2024-02-29 12:34:56`, `ISO-8601` for `2024-02-29T12:34:56`; in exactly that spelling.",
)
.or("SQL");
pub(crate) const MAP_NULL_KEY_MODE: OptionSpec = OptionSpec::string(
    "map-null-key.mode",
    "1.12",
    "What is written for a map's key that is null: `FAIL` refuses the row, `DROP` leaves the entry out, `LITERAL` \
     writes the text of `map-null-key.literal`. Any case.",
)
.or("FAIL");
pub(crate) const MAP_NULL_KEY_LITERAL: OptionSpec =
    OptionSpec::string("map-null-key.literal", "1.12", "The key that `LITERAL` writes for null.").or("null");
pub(crate) const DECIMAL_AS_PLAIN_NUMBER: OptionSpec = OptionSpec::flag(
    "encode.decimal-as-plain-number",
    "1.13",
    "Whether a DECIMAL is written as `100.00`, and not as Java's `1E+2` where that is shorter.",
);
pub(crate) const IGNORE_NULL_FIELDS: OptionSpec = OptionSpec::flag(
    "encode.ignore-null-fields",
    "1.20",
    "Whether members that are null are left out, nested ones too.",
);
pub(crate) const JSON_PARSER_ENABLED: OptionSpec = OptionSpec::new(
    "decode.json-parser.enabled",
    ValueType::Boolean,
    "2.1",
    "Whether documents are read with the streaming decoder; otherwise with the tree decoder, which takes a little \
     more and a little less.",
)
.or("true");

/// The options that every changelog envelope shares with `json`.
pub(crate) const ENVELOPE_OPTIONS: &[OptionSpec] = &[
    IGNORE_PARSE_ERRORS,
    TIMESTAMP_FORMAT,
    MAP_NULL_KEY_MODE,
    MAP_NULL_KEY_LITERAL,
    DECIMAL_AS_PLAIN_NUMBER,
    IGNORE_NULL_FIELDS,
];

impl FormatOptions for JsonOptions {
    const IDENTIFIER: &'static str = "json";
    const OPTIONS: &'static [OptionSpec] = &[
        FAIL_ON_MISSING_FIELD,
        IGNORE_PARSE_ERRORS,
        TIMESTAMP_FORMAT,
        MAP_NULL_KEY_MODE,
        MAP_NULL_KEY_LITERAL,
        DECIMAL_AS_PLAIN_NUMBER,
        IGNORE_NULL_FIELDS,
        JSON_PARSER_ENABLED,
    ];

    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        let fail_on_missing_field = options.boolean(&FAIL_ON_MISSING_FIELD)?;
        if role == Role::Source && fail_on_missing_field && options.boolean(&IGNORE_PARSE_ERRORS)? {
            return Err(Error::new(
                ErrorKind::Table,
                "fail-on-missing-field and ignore-parse-errors shouldn't both be true.",
            ));
        }
        Ok(Self {
            fail_on_missing_field,
            json_parser: options.boolean(&JSON_PARSER_ENABLED)?,
            ..Self::read_shared(options, role)?
        })
    }

    fn ignores_later_errors(&self) -> bool {
        self.ignore_parse_errors
    }
}

impl JsonOptions {
    /// The options that the changelog envelopes have too; the others at their defaults.
    pub(crate) fn read_shared(options: OptionReader<'_>, role: Role) -> Result<Self, Error> {
        Ok(Self {
            map_null_key: read_map_null_key(options, role)?,
            timestamp_format: read_timestamp_format(options)?,
            ignore_parse_errors: options.boolean(&IGNORE_PARSE_ERRORS)?,
            decimal_as_plain_number: options.boolean(&DECIMAL_AS_PLAIN_NUMBER)?,
            ignore_null_fields: options.boolean(&IGNORE_NULL_FIELDS)?,
            ..Self::default()
        })
    }
}

fn read_timestamp_format(options: OptionReader<'_>) -> Result<TimestampFormat, Error> {
    match options.string(&TIMESTAMP_FORMAT).unwrap_or_default() {
        "SQL" => Ok(TimestampFormat::Sql),
        "ISO-8601" => Ok(TimestampFormat::Iso8601),
        other => Err(options.refuse(
            &TIMESTAMP_FORMAT,
            format!(
                "Unsupported value '{other}' for timestamp-format.standard. Supported values are [SQL, ISO-8601]."
            ),
        )),
    }
}

fn read_map_null_key(options: OptionReader<'_>, role: Role) -> Result<MapNullKey, Error> {
    let mode = options.string(&MAP_NULL_KEY_MODE).unwrap_or_default();
    match &*mode.to_uppercase() {
        "FAIL" => Ok(MapNullKey::Fail),
        "DROP" => Ok(MapNullKey::Drop),
        "LITERAL" => {
            let literal = options.string(&MAP_NULL_KEY_LITERAL).unwrap_or_default();
            Ok(MapNullKey::Literal(literal.to_owned()))
        }
        // Flink looks at the mode only when it is about to write.
        _ if role == Role::Source => Ok(MapNullKey::Fail),
        _ => Err(options.refuse(
            &MAP_NULL_KEY_MODE,
            format!(
                "Unsupported value '{mode}' for option map-null-key.mode. Supported values are [LITERAL, FAIL, DROP]."
            ),
        )),
    }
}
