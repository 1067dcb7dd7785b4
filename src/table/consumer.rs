//! What Flink's source makes of the properties of its Kafka consumer.
//!
//! Agrees with `org.apache.flink.connector.kafka.source.KafkaSourceBuilder`.

use crate::error::{Error, ErrorKind};

use super::properties::Properties;
use super::scan::{BoundedMode, StartupMode};

pub(super) const DISCOVERY_INTERVAL_MS: &str = "partition.discovery.interval.ms";

const GROUP_ID: &str = "group.id";
const AUTO_COMMIT: &str = "enable.auto.commit";
const COMMIT_ON_CHECKPOINT: &str = "commit.offsets.on.checkpoint";
const OFFSET_RESET: &str = "auto.offset.reset";
const KEY_DESERIALIZER: &str = "key.deserializer";
const VALUE_DESERIALIZER: &str = "value.deserializer";
const BYTE_ARRAY_DESERIALIZER: &str = "org.apache.kafka.common.serialization.ByteArrayDeserializer";

/// The offset that stands for what the group committed.
const COMMITTED_OFFSET: i64 = -3;

/// The properties, what Flink sets by default, and what it insists on.
pub(super) fn consumer_config(
    properties: &Properties,
    startup: &StartupMode,
    bounded: &BoundedMode,
) -> Properties {
    let mut config = properties.clone();
    let group = config.get(GROUP_ID).cloned();
    config.set_default(KEY_DESERIALIZER, BYTE_ARRAY_DESERIALIZER);
    config.set_default(VALUE_DESERIALIZER, BYTE_ARRAY_DESERIALIZER);
    config.set_default(AUTO_COMMIT, "false");
    match &group {
        Some(group) => config.set_default("client.id.prefix", group),
        None => config.set_default(COMMIT_ON_CHECKPOINT, "false"),
    }
    let reset = match startup {
        StartupMode::Earliest | StartupMode::SpecificOffsets(_) => "earliest".to_owned(),
        StartupMode::Latest | StartupMode::Timestamp(_) => "latest".to_owned(),
        StartupMode::GroupOffsets => {
            config.get(OFFSET_RESET).map_or_else(|| "none".to_owned(), |reset| reset.to_lowercase())
        }
    };
    config.set(OFFSET_RESET, reset);
    if *bounded != BoundedMode::Unbounded {
        config.set(DISCOVERY_INTERVAL_MS, "-1");
    }
    config
}

/// What Flink refuses when the job starts.
pub(super) fn check_consumer(
    properties: &Properties,
    topic: Option<&str>,
    startup: &StartupMode,
    bounded: &BoundedMode,
) -> Result<(), Error> {
    check_offset_reset(properties, startup)?;
    if !properties.contains_key(GROUP_ID) {
        check_nothing_needs_a_group(properties, topic, startup, bounded)?;
    }
    check_deserializers(properties)
}

fn check_offset_reset(properties: &Properties, startup: &StartupMode) -> Result<(), Error> {
    match properties.get(OFFSET_RESET) {
        Some(reset)
            if *startup == StartupMode::GroupOffsets
                && !["latest", "earliest", "none"].contains(&&*reset.to_lowercase()) =>
        {
            refuse(
                OFFSET_RESET,
                format!("{OFFSET_RESET} can not be set to {reset}. Valid values: [latest,earliest,none]"),
            )
        }
        _ => Ok(()),
    }
}

/// Our hint after the commonest of Flink's refusals.
const NO_GROUP_NEEDED: &str =
    "'scan.startup.mode' is 'group-offsets' unless set; 'earliest-offset' and 'latest-offset' need no group";

fn check_nothing_needs_a_group(
    properties: &Properties,
    topic: Option<&str>,
    startup: &StartupMode,
    bounded: &BoundedMode,
) -> Result<(), Error> {
    let is_true = |key| properties.get(key).is_some_and(|value| value.eq_ignore_ascii_case("true"));
    if is_true(AUTO_COMMIT) || is_true(COMMIT_ON_CHECKPOINT) {
        return refuse(GROUP_ID, format!("Property {GROUP_ID} is required when offset commit is enabled"));
    }
    if *startup == StartupMode::GroupOffsets || *bounded == BoundedMode::GroupOffsets {
        let error = refusal(
            GROUP_ID,
            format!("Property {GROUP_ID} is required when using committed offset for offsets initializer"),
        );
        let needs_one_to_start = *startup == StartupMode::GroupOffsets;
        return Err(if needs_one_to_start { error.with_help(NO_GROUP_NEEDED) } else { error });
    }
    let startup = if let StartupMode::SpecificOffsets(offsets) = startup { Some(offsets) } else { None };
    let bounded = if let BoundedMode::SpecificOffsets(offsets) = bounded { Some(offsets) } else { None };
    let mut offsets = startup.into_iter().chain(bounded).flatten();
    match offsets.find(|(_, offset)| **offset == COMMITTED_OFFSET) {
        None => Ok(()),
        Some((partition, _)) => refuse(
            GROUP_ID,
            format!(
                "Property {GROUP_ID} is required because partition {}-{partition} is initialized with committed \
                 offset",
                topic.unwrap_or_default()
            ),
        ),
    }
}

fn check_deserializers(properties: &Properties) -> Result<(), Error> {
    [KEY_DESERIALIZER, VALUE_DESERIALIZER].into_iter().try_for_each(|key| match properties.get(key) {
        Some(class) if class != BYTE_ARRAY_DESERIALIZER => {
            let what = if is_kafka_deserializer(class) { "does not deserialize byte[]" } else { "not found" };
            refuse(key, format!("Deserializer class {class} {what}"))
        }
        _ => Ok(()),
    })
}

/// Whether the class is one of Kafka's own that gives other things than byte arrays.
fn is_kafka_deserializer(class: &str) -> bool {
    const TYPES: [&str; 12] = [
        "Boolean",
        "ByteBuffer",
        "Bytes",
        "Double",
        "Float",
        "Integer",
        "List",
        "Long",
        "Short",
        "String",
        "UUID",
        "Void",
    ];
    let name = class.strip_prefix("org.apache.kafka.common.serialization.");
    name.and_then(|name| name.strip_suffix("Deserializer")).is_some_and(|name| TYPES.contains(&name))
}

fn refuse(property: &str, message: String) -> Result<(), Error> {
    Err(refusal(property, message))
}

#[cold]
fn refusal(property: &str, message: String) -> Error {
    Error::new(ErrorKind::Table, message).in_option(&format!("properties.{property}"))
}
