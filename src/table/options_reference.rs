//! `docs/options.md`, written from the tables that options are read by.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use crate::format::{FORMATS, OptionReader, OptionSpec, Role, ValueType};

use super::connector_options::{GENERIC_OPTIONS, OPTIONS, WATERMARK_OPTIONS};
use super::legacy;
use super::options::Connector;

const PATH: &str = "docs/options.md";

/// Fails where an option changed and the reference did not; with `UPDATE_DOCS=1` it writes the reference.
#[test]
fn the_options_reference_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let reference = reference();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &reference).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == reference, "{PATH} is not what the options are: run the tests with UPDATE_DOCS=1");
}

fn reference() -> String {
    let mut text = HEAD.to_owned();
    let mut options: Vec<_> = OPTIONS.iter().map(|option| (option.spec, option.connectors)).collect();
    options.extend(GENERIC_OPTIONS.iter().chain(WATERMARK_OPTIONS).map(|spec| (*spec, &Connector::ALL[..])));
    options.sort_unstable_by_key(|(spec, _)| spec.key);
    text.push_str("| option | type | default | kafka | upsert-kafka | since | meaning |\n|---|---|---|---|---|---|---|\n");
    for (spec, connectors) in options {
        let has = |connector| match connectors.contains(&connector) {
            true if is_required(&spec, connector) => "required",
            true => "yes",
            false => "no",
        };
        let (kafka, upsert) = (has(Connector::Kafka), has(Connector::UpsertKafka));
        let (head, tail) = (head(&spec), tail(&spec));
        let _ = writeln!(text, "{head} {kafka} | {upsert} | {tail}");
    }
    text.push_str(LEGACY_HEAD);
    text.push_str("| option | type | default | since | meaning |\n|---|---|---|---|---|\n");
    for spec in legacy::OPTIONS {
        let _ = writeln!(text, "{} {}", head(spec), tail(spec));
    }
    text.push_str(FORMATS_HEAD);
    // What a format cannot be without; nobody looks at the values here.
    let required = ["url", "subject"].map(|key| (key.to_owned(), String::new()));
    for format in FORMATS {
        let read = format.read(OptionReader::new(&required, ""), Role::Sink).unwrap();
        let kind = if read.insert_only() { "Insert-only." } else { "A changelog format, for `kafka` alone." };
        let _ = write!(text, "\n### `{}`\n\n{kind}\n\n", format.identifier);
        text.push_str("| option | type | default | since | meaning |\n|---|---|---|---|---|\n");
        for spec in format.options {
            let _ = writeln!(text, "{} {}", head(spec), tail(spec));
        }
    }
    text
}

/// Both formats of `upsert-kafka` are missed before its options are looked through.
fn is_required(spec: &OptionSpec, connector: Connector) -> bool {
    spec.required
        || (connector == Connector::UpsertKafka && ["key.format", "value.format"].contains(&spec.key))
}

/// The columns up to the default.
fn head(spec: &OptionSpec) -> String {
    let value_type = match spec.value_type {
        ValueType::Boolean => "boolean".to_owned(),
        ValueType::Int => "int".to_owned(),
        ValueType::Long => "long".to_owned(),
        ValueType::Duration => "duration".to_owned(),
        ValueType::String => "string".to_owned(),
        ValueType::List => "list".to_owned(),
        ValueType::Map => "map".to_owned(),
        ValueType::Enum { names, .. } => {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        }
    };
    let key = if spec.value_type == ValueType::Map { format!("{}.*", spec.key) } else { spec.key.to_owned() };
    let default = spec.default.map_or_else(|| "–".to_owned(), |default| format!("`{default}`"));
    format!("| `{key}` | {value_type} | {default} |")
}

/// The columns from the version on.
fn tail(spec: &OptionSpec) -> String {
    let older = spec.fallback_key.map(|key| format!(" Older spelling: `{key}`.")).unwrap_or_default();
    format!("{} | {}{older} |", spec.since, spec.doc.replace('|', "\\|"))
}

const HEAD: &str = "\
# Options

The options of `WITH (...)`, generated from those that the crate reads. Names, defaults and values are Flink's. *Since*
is the version of Flink that brought an option; 3.0 and above are versions of its Kafka connector.

How values are written:

| type | value |
|---|---|
| boolean | `true` or `false`, in any case |
| int, long | digits, with or without a sign |
| duration | `10 s`: a whole number and a unit (`d`, `h`, `min`, `s`, `ms`, `µs`, `ns` and their long names, in any case; without one, milliseconds), or ISO-8601 such as `PT10S` |
| list | elements separated by `;`; one that contains a `;` is quoted, `'...'` or `\"...\"`. Also a YAML list, `[a, b]` |
| names | one of those listed, in any case |

## Connectors

An option that is neither here, for the table's connector, nor one of its formats' is refused. Whatever begins with
`properties.` is for the Kafka client, without that prefix.

";

const LEGACY_HEAD: &str = "
## Connectors, in the dialect of DLI

Tables with `connector.type` are those of Flink 1.10 and of Huawei's DLI (Data Lake Insight). Current versions of Flink
refuse them; the crate translates them into today's options.

";

const FORMATS_HEAD: &str = "
## Formats

A format's options are prefixed with its name and, if it was chosen by `value.format` or `key.format`, with `value.` or
`key.` in front of that: `json.timestamp-format.standard` with `format`, `value.json.timestamp-format.standard` with
`value.format`, `key.json.timestamp-format.standard` with `key.format`.
";
