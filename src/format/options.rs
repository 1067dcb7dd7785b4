//! Options: what a table may say about its connector and its formats, and how that is read.
//!
//! Options are looked up while a table is resolved and never afterwards.
//!
//! Agrees with `org.apache.flink.configuration.ConfigOption` and `org.apache.flink.table.factories.FactoryUtil`.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};
use crate::types::DataType;

use super::pattern::Pattern;
use super::release::FlinkRelease;
use super::suggest::closest;
use super::values::{self, OptionEnum, ValueType};

/// What a table is resolved for. Flink refuses different things for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Source,
    Sink,
}

/// An option: its key without the prefix of its format, and what the documentation says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OptionSpec {
    pub(crate) key: &'static str,
    pub(crate) value_type: ValueType,
    /// The value that absence stands for, as the option would have it.
    pub(crate) default: Option<&'static str>,
    pub(crate) required: bool,
    /// An older spelling of the key, read where the key is absent.
    pub(crate) fallback_key: Option<&'static str>,
    /// The version of Flink that brought it, from 3.0 on the version of the connector.
    pub(crate) since: &'static str,
    pub(crate) doc: &'static str,
}

impl OptionSpec {
    pub(crate) const fn new(
        key: &'static str,
        value_type: ValueType,
        since: &'static str,
        doc: &'static str,
    ) -> Self {
        Self { key, value_type, default: None, required: false, fallback_key: None, since, doc }
    }

    /// A boolean that is `false` unless set.
    pub(crate) const fn flag(key: &'static str, since: &'static str, doc: &'static str) -> Self {
        Self::new(key, ValueType::Boolean, since, doc).or("false")
    }

    pub(crate) const fn string(key: &'static str, since: &'static str, doc: &'static str) -> Self {
        Self::new(key, ValueType::String, since, doc)
    }

    pub(crate) const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(crate) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    pub(crate) const fn or_key(self, fallback_key: &'static str) -> Self {
        Self { fallback_key: Some(fallback_key), ..self }
    }

    /// Whether `release` has it, in a table of that connector, which may have come to it later.
    pub(crate) fn is_in(&self, release: FlinkRelease, connector: &str) -> bool {
        let later = self.since.split_once(&format!("`{connector}` "));
        release.has(later.map_or(self.since, |(_, since)| since))
    }

    /// The key and its older spelling.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.key), self.fallback_key].into_iter().flatten()
    }
}

/// What a format says before it sees a row: its options, and the columns it takes.
///
/// Agrees with a `SerializationFormatFactory` and `DeserializationFormatFactory` of Flink's.
pub(crate) trait FormatOptions: Sized {
    /// The name that `format` gives it.
    const IDENTIFIER: &'static str;
    /// Its options, in the order in which Flink reads them.
    const OPTIONS: &'static [OptionSpec];
    /// Whether it knows only rows that are added, and neither updates nor deletes.
    const INSERT_ONLY: bool = true;

    /// Reads options that are known to be there where required and to be of their type.
    ///
    /// # Errors
    ///
    /// Flink's, for a value or a combination of them that the format refuses in that role.
    fn read(options: OptionReader<'_>, role: Role) -> Result<Self, Error>;

    /// Whether what fails after the format, as it hands a row on, is passed over like what does not parse. Flink's
    /// `json` does so with `ignore-parse-errors`; the others hand their rows on when they are through.
    fn ignores_later_errors(&self) -> bool {
        false
    }

    /// The metadata that the format reads from a value besides the columns, with their types.
    fn metadata() -> Vec<(&'static str, DataType)> {
        Vec::new()
    }
}

/// The options of a table as one reader of them sees them: those after `prefix`, without it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionReader<'a> {
    options: &'a [(String, String)],
    /// `value.json.`; empty for the connector's own.
    prefix: &'a str,
}

impl<'a> OptionReader<'a> {
    pub(crate) fn new(options: &'a [(String, String)], prefix: &'a str) -> Self {
        Self { options, prefix }
    }

    /// Refuses missing options, then values that are none of their type, in the order of `specs`.
    pub(crate) fn validate<'s>(
        self,
        specs: impl IntoIterator<Item = &'s OptionSpec, IntoIter: Clone>,
    ) -> Result<(), Error> {
        let specs = specs.into_iter();
        let required = specs.clone().filter(|spec| spec.required);
        let missing: Vec<_> =
            required.filter(|spec| self.text(spec).is_none()).map(|spec| spec.key).collect();
        if !missing.is_empty() {
            return Err(self.refuse_missing(missing));
        }
        specs.into_iter().try_for_each(|spec| self.read(spec, |text| spec.value_type.check(text)).map(drop))
    }

    #[cold]
    fn refuse_missing(self, mut missing: Vec<&str>) -> Error {
        missing.sort_unstable();
        let error = Error::new(
            ErrorKind::Table,
            format!(
                "One or more required options are missing.\n\nMissing required options are:\n\n{}",
                missing.join("\n")
            ),
        );
        let error =
            missing.iter().fold(error, |error, key| error.in_option(&format!("{}{key}", self.prefix)));
        let given = || self.options.iter().filter_map(|(key, _)| key.strip_prefix(self.prefix));
        let slip = |key: &str| {
            // `bootstrap.servers` for `properties.bootstrap.servers`.
            let is_without_prefix =
                |given: &&str| key.strip_suffix(given).is_some_and(|prefix| prefix.ends_with('.'));
            given().find(is_without_prefix).or_else(|| closest(key, given().take(100)))
        };
        let slips = missing.iter().filter_map(|key| Some((key, slip(key)?)));
        let help: Vec<_> = slips.map(|(key, slip)| format!("is '{slip}' meant to be '{key}'?")).collect();
        if help.is_empty() { error } else { error.with_help(help.join("\n")) }
    }

    /// The text of the option, where it is set.
    pub(crate) fn text(self, spec: &OptionSpec) -> Option<&'a str> {
        spec.keys().find_map(|key| self.find(key)).map(|(_, text)| text)
    }

    /// The option's text; its default where it is not set.
    pub(crate) fn string(self, spec: &OptionSpec) -> Option<&'a str> {
        self.text(spec).or(spec.default)
    }

    /// The option as a boolean; an option without a default is false.
    pub(crate) fn boolean(self, spec: &OptionSpec) -> Result<bool, Error> {
        self.read(spec, values::parse_boolean).map(Option::unwrap_or_default)
    }

    pub(crate) fn int(self, spec: &OptionSpec) -> Result<Option<i32>, Error> {
        self.read(spec, values::parse_int)
    }

    pub(crate) fn long(self, spec: &OptionSpec) -> Result<Option<i64>, Error> {
        self.read(spec, values::parse_long)
    }

    /// The option in whole milliseconds.
    pub(crate) fn millis(self, spec: &OptionSpec) -> Result<Option<i64>, Error> {
        self.read(spec, values::parse_duration)
    }

    pub(crate) fn list(self, spec: &OptionSpec) -> Result<Option<Vec<String>>, Error> {
        self.read(spec, values::parse_list)
    }

    pub(crate) fn constant<E: OptionEnum>(self, spec: &OptionSpec) -> Result<Option<E>, Error> {
        self.read(spec, values::parse_enum)
    }

    /// The option as a regular expression that a whole text matches.
    pub(crate) fn pattern(self, spec: &OptionSpec) -> Result<Option<Pattern>, Error> {
        self.read(spec, Pattern::new)
    }

    /// Refuses the value of an option with a sentence of Flink's.
    #[cold]
    pub(crate) fn refuse(self, spec: &OptionSpec, message: impl Into<Cow<'static, str>>) -> Error {
        self.in_option(spec, Error::new(ErrorKind::Table, message))
    }

    /// The error, about the value of an option.
    #[cold]
    pub(crate) fn in_option(self, spec: &OptionSpec, error: Error) -> Error {
        error.in_option(&format!("{}{}", self.prefix, spec.key))
    }

    fn read<T>(
        self,
        spec: &OptionSpec,
        parse: impl Fn(&'a str) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some((key, text)) = spec.keys().find_map(|key| self.find(key)) else {
            return spec.default.map(parse).transpose();
        };
        parse(text).map(Some).map_err(|error| error.in_option(key))
    }

    /// The whole key, and the text.
    fn find(self, key: &str) -> Option<(&'a str, &'a str)> {
        let found = self.options.iter().find(|(whole, _)| whole.strip_prefix(self.prefix) == Some(key));
        found.map(|(key, text)| (key.as_str(), text.as_str()))
    }
}
