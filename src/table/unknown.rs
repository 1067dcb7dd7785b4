//! Refusals of names that nobody knows, and guesses at what was meant.
//!
//! Agrees with `org.apache.flink.table.factories.FactoryUtil`; the guesses are ours.

use crate::error::{Error, ErrorKind};
use crate::format::closest;

use super::connector_options as option;
use super::options::Connector;

/// Flink's refusal of options that nobody knows, and what was probably meant.
#[cold]
pub(super) fn refuse_unsupported(
    connector: Connector,
    mut unsupported: Vec<&str>,
    mut supported: Vec<&str>,
) -> Error {
    unsupported.sort_unstable();
    supported.sort_unstable();
    // Nobody reads more hints than these, and each is a search.
    let explained = unsupported.iter().take(10);
    let help: Vec<_> = explained.filter_map(|key| explain_unsupported(connector, key, &supported)).collect();
    let error = Error::new(
        ErrorKind::Table,
        format!(
            "Unsupported options found for '{}'.\n\nUnsupported options:\n\n{}\n\nSupported options:\n\n{}",
            connector.as_str(),
            unsupported.join("\n"),
            supported.join("\n")
        ),
    );
    if help.is_empty() { error } else { error.with_help(help.join("\n")) }
}

fn explain_unsupported(connector: Connector, key: &str, supported: &[&str]) -> Option<String> {
    if connector == Connector::UpsertKafka && key == option::KEY_FIELDS.key {
        return Some(
            "'key.fields' is an option of 'kafka': the key of 'upsert-kafka' is the PRIMARY KEY".to_owned(),
        );
    }
    if connector == Connector::UpsertKafka && key == option::FORMAT.key {
        return Some(TWO_FORMATS.to_owned());
    }
    if is_property_of_a_client(key) {
        return Some(format!("options for Kafka's client begin with 'properties.': 'properties.{key}'"));
    }
    let mut others = Connector::ALL.into_iter().filter(|other| *other != connector);
    if let Some(other) = others.find(|other| option::options_of(*other).any(|spec| spec.key == key)) {
        return Some(format!("'{key}' is an option of '{}' alone", other.as_str()));
    }
    // `json.x` for `value.json.x`, and the other way round.
    let is_suffix = |whole: &str, part: &str| {
        whole.strip_suffix(part).is_some_and(|prefix| ["key.", "value."].contains(&prefix))
    };
    let prefixed = supported.iter().copied();
    let mut meant: Vec<&str> =
        prefixed.filter(|supported| is_suffix(supported, key) || is_suffix(key, supported)).collect();
    if meant.is_empty() {
        meant.extend(closest(key, supported.iter().copied()));
    }
    match meant.is_empty() {
        true => None,
        false => Some(format!("did you mean '{}' instead of '{key}'?", meant.join("' or '"))),
    }
}

/// The hint for `format` in `upsert-kafka`.
pub(super) const TWO_FORMATS: &str =
    "'format' is an option of 'kafka' alone: 'upsert-kafka' has 'key.format' and 'value.format'";

/// Whether `key` is one of Kafka's client, without the prefix that a table needs.
fn is_property_of_a_client(key: &str) -> bool {
    const NAMES: [&str; 27] = [
        "acks",
        "allow.auto.create.topics",
        "auto.offset.reset",
        "batch.size",
        "bootstrap.servers",
        "buffer.memory",
        "client.id",
        "client.rack",
        "compression.type",
        "delivery.timeout.ms",
        "enable.auto.commit",
        "enable.idempotence",
        "group.id",
        "group.instance.id",
        "heartbeat.interval.ms",
        "isolation.level",
        "linger.ms",
        "max.block.ms",
        "max.in.flight.requests.per.connection",
        "max.request.size",
        "metadata.max.age.ms",
        "request.timeout.ms",
        "retries",
        "security.protocol",
        "session.timeout.ms",
        "transaction.timeout.ms",
        "transactional.id",
    ];
    const FAMILIES: [&str; 5] = ["fetch.", "max.poll.", "max.partition.fetch.", "sasl.", "ssl."];
    NAMES.contains(&key) || FAMILIES.iter().any(|family| key.starts_with(family))
}

/// Formats that Flink reads and writes in Kafka and this crate does not: no slips of the pen.
const FORMATS_OF_FLINK_ALONE: [&str; 1] = ["protobuf"];

/// Flink's refusal of a connector or format that it does not find.
pub(super) fn no_factory(
    identifier: &str,
    factory: &str,
    available: impl Iterator<Item = &'static str>,
) -> Error {
    let available: Vec<_> = available.collect();
    let error = Error::new(
        ErrorKind::Table,
        format!(
            "Could not find any factory for identifier '{identifier}' that implements \
             'org.apache.flink.table.factories.{factory}' in the classpath.\n\nAvailable factory identifiers \
             are:\n\n{}",
            available.join("\n")
        ),
    );
    if FORMATS_OF_FLINK_ALONE.contains(&identifier) {
        return error.with_help(format!("Flink has the format '{identifier}', this crate does not"));
    }
    match closest(identifier, available) {
        Some(meant) => error.with_help(format!("did you mean '{meant}'?")),
        None => error,
    }
}
