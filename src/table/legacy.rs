//! The dialect of Flink 1.10 and of Huawei's DLI: `connector.type` and its fellows, translated into the options of
//! today.
//!
//! DLI's sink is closed, and its pages say little, so this is what they say, and where they are silent:
//!
//! * `format.type` is the format of the value and, for `upsert-kafka`, of the key. `format.*` is for the value alone.
//! * `connector.sink-partitioner` = `fixed` and `round-robin` partition so, even where that tears the records of a key
//!   apart. Without the option, records go where their key's hash says.
//! * `update-mode`: `append` takes inserts only. `upsert` writes nothing for `-U` and a tombstone for `-D`. `retract`
//!   writes a tombstone for either. Without it, `-U` is the caller's choice, as for every table.
//! * `connector.sink.ignore-retraction` = `true` writes no record for `-U` and `-D`.
//!
//! Agrees with the documentation of DLI's Upsert Kafka result table, and with `KafkaValidator` of Flink 1.10.

use std::collections::{BTreeMap, HashMap};

use crate::error::Error;
use crate::format::{FormatSpec, OptionReader, OptionSpec, ValueType};

use super::options::{Connector, TableOptions};
use super::sink_partitioner::SinkPartitioner;
use super::unknown::refuse_unsupported;

/// What a table of the older dialect says, in today's options and beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LegacyTable {
    pub(super) options: TableOptions,
    pub(super) writes: LegacyWrites,
}

/// What the older dialect says about writing and today's has no option for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LegacyWrites {
    /// `connector.sink-partitioner`.
    pub(super) partitioner: SinkPartitioner,
    /// `update-mode`.
    pub(super) update_mode: Option<UpdateMode>,
    /// `connector.sink.ignore-retraction`.
    pub(super) ignore_retraction: bool,
}

/// `update-mode`: which changes reach the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateMode {
    /// `+I`.
    Append,
    /// `+I`, `-U`, `+U` and `-D`.
    Retract,
    /// `+I`, `+U` and `-D`.
    Upsert,
}

impl LegacyTable {
    /// The translation of options that have `connector.type`, and not `connector`.
    ///
    /// # Errors
    ///
    /// In the manner of Flink's, for options that are missing, unknown or none of their values.
    pub(super) fn translate(options: &TableOptions) -> Result<Option<Self>, Error> {
        if !is_of_older_dialect(options) {
            return Ok(None);
        }
        let reader = OptionReader::new(options.entries(), "");
        let has_pattern = reader.text(&TOPIC_PATTERN).is_some();
        reader.validate(OPTIONS.iter().filter(|spec| !has_pattern || spec.key != TOPIC.key))?;
        if has_pattern && reader.text(&TOPIC).is_some() {
            return Err(reader.refuse(
                &TOPIC,
                "Option 'connector.topic' and 'connector.topic-pattern' shouldn't be set together.",
            ));
        }
        let connector = read_connector(reader)?;
        check_version(reader, connector)?;
        let format = reader.text(&FORMAT_TYPE).unwrap_or_default();
        let mut translated = vec![("connector".to_owned(), connector.as_str().to_owned())];
        if connector == Connector::UpsertKafka {
            translated.push(("key.format".to_owned(), format.to_owned()));
        }
        translated.push(("value.format".to_owned(), format.to_owned()));
        let by_key: HashMap<&str, &str> = options.iter().collect();
        let mut offsets = BTreeMap::new();
        let mut unknown = Vec::new();
        for (key, value) in options.iter() {
            match translate_key(key, format, &by_key) {
                Translation::Today(today) => translated.push((today, translate_value(key, value))),
                Translation::Offset { index, partition, offset } => {
                    offsets.insert(index, format!("partition:{partition},offset:{offset}"));
                }
                Translation::SaidOtherwise => {}
                Translation::Unknown => unknown.push(key),
            }
        }
        if !offsets.is_empty() {
            if reader.text(&SPECIFIC_OFFSETS).is_some() {
                return Err(reader.refuse(
                    &SPECIFIC_OFFSETS,
                    "'connector.specific-offsets' is one text or indexed keys, and here it is both.",
                ));
            }
            let offsets = offsets.into_values().collect::<Vec<_>>().join(";");
            translated.push(("scan.startup.specific-offsets".to_owned(), offsets));
        }
        if !unknown.is_empty() {
            let supported = OPTIONS.iter().map(|spec| spec.key).collect();
            return Err(refuse_unsupported(connector, unknown, supported));
        }
        let writes = LegacyWrites {
            partitioner: read_partitioner(reader)?,
            update_mode: read_update_mode(reader, connector)?,
            ignore_retraction: reader.boolean(&IGNORE_RETRACTION)?,
        };
        Ok(Some(Self { options: translated.into_iter().collect(), writes }))
    }
}

/// Whether the options have `connector.type`, and not `connector`.
pub(super) fn is_of_older_dialect(options: &TableOptions) -> bool {
    options.get("connector").is_none() && options.get(TYPE.key).is_some()
}

/// What becomes of an option.
enum Translation<'a> {
    /// An option of today, of that key.
    Today(String),
    /// One of the indexed offsets.
    Offset {
        index: u32,
        partition: &'a str,
        offset: &'a str,
    },
    /// Read by itself, or without meaning today.
    SaidOtherwise,
    Unknown,
}

fn translate_key<'a>(key: &str, format: &str, options: &HashMap<&str, &'a str>) -> Translation<'a> {
    const TODAY: [(&str, &str); 5] = [
        ("connector.topic", "topic"),
        ("connector.topic-pattern", "topic-pattern"),
        ("connector.startup-mode", "scan.startup.mode"),
        ("connector.specific-offsets", "scan.startup.specific-offsets"),
        ("connector.startup-timestamp-millis", "scan.startup.timestamp-millis"),
    ];
    const SAID_OTHERWISE: [&str; 10] = [
        "connector.type",
        "connector.version",
        "connector.property-version",
        "connector.sink-partitioner",
        "connector.sink-partitioner-class",
        "connector.sink.ignore-retraction",
        "update-mode",
        "format.type",
        "format.property-version",
        "format.derive-schema",
    ];
    if let Some((_, today)) = TODAY.iter().find(|(older, _)| *older == key) {
        return Translation::Today((*today).to_owned());
    }
    if SAID_OTHERWISE.contains(&key) {
        return Translation::SaidOtherwise;
    }
    if let Some(property) = key.strip_prefix("connector.properties.") {
        return translate_property(property, options);
    }
    if let Some(offset) = key.strip_prefix("connector.specific-offsets.") {
        return translate_offset(offset, options);
    }
    let option = key.strip_prefix("format.").unwrap_or_default();
    let has_option = |spec: &FormatSpec| spec.options.iter().any(|spec| spec.key == option);
    match FormatSpec::find(format).is_some_and(has_option) {
        true => Translation::Today(format!("value.{format}.{option}")),
        false => Translation::Unknown,
    }
}

/// `bootstrap.servers`, or in the indexed spelling `0.key` beside `0.value`.
fn translate_property<'a>(property: &str, options: &HashMap<&str, &'a str>) -> Translation<'a> {
    let Some((index, part)) = property.split_once('.').filter(|(index, _)| is_index(index)) else {
        return Translation::Today(format!("properties.{property}"));
    };
    let other = |part| options.get(&*format!("connector.properties.{index}.{part}"));
    match part {
        "key" if other("value").is_some() => Translation::SaidOtherwise,
        "value" => match other("key") {
            Some(key) => Translation::Today(format!("properties.{key}")),
            None => Translation::Unknown,
        },
        "key" => Translation::Unknown,
        _ => Translation::Today(format!("properties.{property}")),
    }
}

/// `0.partition` beside `0.offset`.
fn translate_offset<'a>(offset: &str, options: &HashMap<&str, &'a str>) -> Translation<'a> {
    let Some((index, part)) = offset.split_once('.').filter(|(index, _)| is_index(index)) else {
        return Translation::Unknown;
    };
    let both = ["partition", "offset"]
        .map(|part| options.get(&*format!("connector.specific-offsets.{index}.{part}")).copied());
    match (part, both, index.parse()) {
        ("partition", [Some(partition), Some(offset)], Ok(index)) => {
            Translation::Offset { index, partition, offset }
        }
        ("offset", [Some(_), Some(_)], Ok(_)) => Translation::SaidOtherwise,
        _ => Translation::Unknown,
    }
}

fn is_index(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A topic was a name and not a list.
fn translate_value(key: &str, value: &str) -> String {
    let is_plain = |topic: &str| !topic.contains([';', '\'', '"', '[']);
    if key != TOPIC.key || is_plain(value) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', "''"))
}

fn read_connector(options: OptionReader<'_>) -> Result<Connector, Error> {
    let name = options.text(&TYPE).unwrap_or_default();
    Connector::ALL
        .into_iter()
        .find(|connector| connector.as_str() == name)
        .ok_or_else(|| refuse_value(options, &TYPE, name, &Connector::ALL.map(Connector::as_str)))
}

/// DLI's pages name the versions of Kafka; nothing depends on them.
fn check_version(options: OptionReader<'_>, connector: Connector) -> Result<(), Error> {
    let supported: &[&str] = match connector {
        Connector::Kafka => &["0.10", "0.11", "universal"],
        Connector::UpsertKafka => &["0.11"],
    };
    match options.text(&VERSION) {
        Some(version) if !supported.contains(&version) => {
            Err(refuse_value(options, &VERSION, version, supported))
        }
        _ => Ok(()),
    }
}

fn read_partitioner(options: OptionReader<'_>) -> Result<SinkPartitioner, Error> {
    match options.text(&SINK_PARTITIONER) {
        None => Ok(SinkPartitioner::Default),
        Some("fixed") => Ok(SinkPartitioner::Fixed),
        Some("round-robin") => Ok(SinkPartitioner::RoundRobin),
        Some("custom") => match options.text(&SINK_PARTITIONER_CLASS) {
            Some(class) => Ok(SinkPartitioner::Custom(class.to_owned())),
            None => Err(options.refuse(
                &SINK_PARTITIONER_CLASS,
                "'connector.sink-partitioner-class' is required where 'connector.sink-partitioner' is 'custom'.",
            )),
        },
        Some(other) => {
            Err(refuse_value(options, &SINK_PARTITIONER, other, &["fixed", "round-robin", "custom"]))
        }
    }
}

fn read_update_mode(options: OptionReader<'_>, connector: Connector) -> Result<Option<UpdateMode>, Error> {
    let mode = match options.text(&UPDATE_MODE) {
        None => return Ok(None),
        Some("append") => UpdateMode::Append,
        Some("retract") => UpdateMode::Retract,
        Some("upsert") => UpdateMode::Upsert,
        Some(other) => {
            return Err(refuse_value(options, &UPDATE_MODE, other, &["append", "retract", "upsert"]));
        }
    };
    if connector == Connector::Kafka && mode != UpdateMode::Append {
        return Err(options.refuse(
            &UPDATE_MODE,
            "A 'kafka' table takes no updates and deletes: 'update-mode' must be 'append', or 'connector.type' \
             'upsert-kafka'.",
        ));
    }
    Ok(Some(mode))
}

#[cold]
fn refuse_value(options: OptionReader<'_>, spec: &OptionSpec, value: &str, supported: &[&str]) -> Error {
    options.refuse(
        spec,
        format!(
            "Unsupported value '{value}' for '{}'. Supported values are [{}].",
            spec.key,
            supported.join(", ")
        ),
    )
}

/// The options of the older dialect.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    TYPE,
    VERSION,
    TOPIC,
    TOPIC_PATTERN,
    OptionSpec::new(
        "connector.properties",
        ValueType::Map,
        "1.9",
        "For the Kafka client: `properties.*` of today. Also as pairs, `connector.properties.0.key` and \
         `connector.properties.0.value`.",
    ),
    OptionSpec::string("connector.startup-mode", "1.9", "`scan.startup.mode` of today."),
    SPECIFIC_OFFSETS,
    OptionSpec::string(
        "connector.startup-timestamp-millis",
        "1.10",
        "`scan.startup.timestamp-millis` of today.",
    ),
    SINK_PARTITIONER,
    SINK_PARTITIONER_CLASS,
    IGNORE_RETRACTION,
    UPDATE_MODE,
    FORMAT_TYPE,
    OptionSpec::new("format", ValueType::Map, "1.9", "Options of the format: `value.<format>.*` of today."),
];

const TYPE: OptionSpec = OptionSpec::string(
    "connector.type",
    "1.9",
    "`kafka` or `upsert-kafka`; DLI's tables have it instead of `connector`.",
)
.required();
const VERSION: OptionSpec = OptionSpec::string(
    "connector.version",
    "1.9",
    "`0.11`; for `kafka` also `0.10` and `universal`. Nothing depends on it.",
);
const TOPIC: OptionSpec =
    OptionSpec::string("connector.topic", "1.9", "The topic: one name, no list. Either this or a pattern.")
        .required();
const TOPIC_PATTERN: OptionSpec =
    OptionSpec::string("connector.topic-pattern", "DLI", "`topic-pattern` of today.");
const SPECIFIC_OFFSETS: OptionSpec = OptionSpec::string(
    "connector.specific-offsets",
    "1.9",
    "`scan.startup.specific-offsets` of today. Also as pairs, `connector.specific-offsets.0.partition` and \
     `connector.specific-offsets.0.offset`.",
);
const SINK_PARTITIONER: OptionSpec = OptionSpec::string(
    "connector.sink-partitioner",
    "1.9",
    "`fixed`, `round-robin` or `custom`. Here they partition so, keys or not; without it, by the hash of the key.",
);
const SINK_PARTITIONER_CLASS: OptionSpec = OptionSpec::string(
    "connector.sink-partitioner-class",
    "1.9",
    "For `custom`: the class name under which a partitioner was registered.",
);
const IGNORE_RETRACTION: OptionSpec = OptionSpec::flag(
    "connector.sink.ignore-retraction",
    "DLI",
    "Whether `-U` and `-D` write no record. Otherwise they write a tombstone.",
);
const UPDATE_MODE: OptionSpec = OptionSpec::string(
    "update-mode",
    "1.9",
    "`append`: inserts only. `upsert`: nothing for `-U`, a tombstone for `-D`. `retract`: a tombstone for either.",
);
const FORMAT_TYPE: OptionSpec = OptionSpec::string(
    "format.type",
    "1.9",
    "The format of the value and, for `upsert-kafka`, of the key: `csv`, `json`, `avro` or any other.",
)
.required();

#[cfg(test)]
mod tests {
    use super::*;

    fn translate(options: &[(&str, &str)]) -> Result<LegacyTable, Error> {
        let kafka = [("connector.type", "kafka"), ("connector.topic", "t"), ("format.type", "json")];
        let options = kafka.iter().chain(options).copied().collect();
        LegacyTable::translate(&options).map(|table| table.expect("the options are of the dialect"))
    }

    #[test]
    fn a_kafka_table_has_no_key_and_starts_where_it_says() {
        let table = translate(&[
            ("connector.version", "0.10"),
            ("connector.topic", "a;b"),
            ("connector.startup-mode", "specific-offsets"),
            ("connector.specific-offsets", "partition:0,offset:42"),
            ("format.fail-on-missing-field", "true"),
            ("format.derive-schema", "true"),
            ("update-mode", "append"),
        ])
        .unwrap();
        let expected = TableOptions::from_iter([
            ("connector", "kafka"),
            ("value.format", "json"),
            ("topic", "'a;b'"),
            ("scan.startup.mode", "specific-offsets"),
            ("scan.startup.specific-offsets", "partition:0,offset:42"),
            ("value.json.fail-on-missing-field", "true"),
        ]);
        assert_eq!(table.options, expected);
        assert_eq!(table.writes.update_mode, Some(UpdateMode::Append));
    }

    #[test]
    fn what_a_kafka_table_cannot_do_is_refused() {
        for (key, value, message) in [
            (
                "update-mode",
                "retract",
                "A 'kafka' table takes no updates and deletes: 'update-mode' must be 'append', or 'connector.type' \
                 'upsert-kafka'.",
            ),
            (
                "connector.type",
                "jdbc",
                "Unsupported value 'jdbc' for 'connector.type'. Supported values are [kafka, upsert-kafka].",
            ),
        ] {
            assert_eq!(translate(&[(key, value)]).unwrap_err().message(), message);
        }
        let error = translate(&[("connector.startup.mode", "earliest-offset")]).unwrap_err();
        assert!(error.message().starts_with("Unsupported options found for 'kafka'."));
        assert_eq!(
            error.help(),
            Some("did you mean 'connector.startup-mode' instead of 'connector.startup.mode'?")
        );
    }

    /// The vendor's page "Kafka Source Stream", and Flink 1.9's `KafkaValidator`.
    #[test]
    fn a_source_by_pattern_starts_at_offsets_of_indexed_keys() {
        let options = TableOptions::from_iter([
            ("connector.type", "kafka"),
            ("connector.topic-pattern", "(topic-a|topic-[0-9]*)"),
            ("connector.properties.bootstrap.servers", "h:1"),
            ("connector.startup-mode", "specific-offsets"),
            ("connector.specific-offsets.10.offset", "7"),
            ("connector.specific-offsets.10.partition", "3"),
            ("connector.specific-offsets.2.partition", "0"),
            ("connector.specific-offsets.2.offset", "42"),
            ("format.type", "json"),
        ]);
        let expected = TableOptions::from_iter([
            ("connector", "kafka"),
            ("value.format", "json"),
            ("topic-pattern", "(topic-a|topic-[0-9]*)"),
            ("properties.bootstrap.servers", "h:1"),
            ("scan.startup.mode", "specific-offsets"),
            ("scan.startup.specific-offsets", "partition:0,offset:42;partition:3,offset:7"),
        ]);
        assert_eq!(LegacyTable::translate(&options).unwrap().unwrap().options, expected);
    }

    #[test]
    fn topics_and_offsets_are_said_once_and_whole() {
        let pair =
            [("connector.specific-offsets.0.partition", "0"), ("connector.specific-offsets.0.offset", "1")];
        let both = [pair[0], pair[1], ("connector.specific-offsets", "partition:0,offset:1")];
        for (options, message) in [
            (
                &[("connector.topic-pattern", "a.*")][..],
                "Option 'connector.topic' and 'connector.topic-pattern' shouldn't be set together.",
            ),
            (&both, "'connector.specific-offsets' is one text or indexed keys, and here it is both."),
            (&pair[..1], "Unsupported options found for 'kafka'."),
            (&pair[1..], "Unsupported options found for 'kafka'."),
            (&[("connector.specific-offsets.a.offset", "1")], "Unsupported options found for 'kafka'."),
        ] {
            let error = translate(options).unwrap_err();
            assert_eq!(error.message().lines().next(), Some(message), "{options:?}");
        }
    }

    #[test]
    fn todays_options_are_not_touched() {
        let options = TableOptions::from_iter([("connector", "kafka"), ("connector.type", "kafka")]);
        assert_eq!(LegacyTable::translate(&options).unwrap(), None);
    }
}
