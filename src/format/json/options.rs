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
        }
    }
}
