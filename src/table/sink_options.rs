//! What a sink's options mean, and which of them Flink refuses.
//!
//! Agrees with `KafkaDynamicTableFactory`, `UpsertKafkaDynamicTableFactory` and `KafkaSinkBuilder`.

use crate::error::{Error, ErrorKind};
use crate::format::{Format, OptionSpec, Pattern};

use super::connector_options as option;
use super::layout::RecordLayout;
use super::modes::DeliveryGuarantee;
use super::options::Connector;
use super::resolve::Resolver;
use super::settings::{CustomPartitioner, Settings};
use super::sink_partitioner::{FIXED_PARTITIONER, SinkPartitioner};

/// `sink.buffer-flush.*`: the last row of a key is kept back for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Exhaustive: callers make it, of the two options that there are.
pub struct BufferFlush {
    /// How many distinct keys are kept before they are written.
    pub max_rows: u32,
    /// How many milliseconds they are kept before they are written.
    pub interval_ms: u64,
}

/// The connector that brought several topics to sinks.
pub(super) const MANY_TOPICS: &str = "3.3";

/// What connectors before that refuse.
pub(super) fn check_one_topic(topics: Option<&[String]>, pattern: Option<&Pattern>) -> Result<(), Error> {
    let found = match (topics, pattern) {
        (Some([_]) | None, None) => return Ok(()),
        (_, Some(pattern)) => format!("'topic-pattern': {}", pattern.as_str()),
        (Some(topics), None) => format!("'topic': [{}]", topics.join(", ")),
    };
    let message = format!("Flink Kafka sink currently only supports single topic, but got {found}.");
    Err(Error::new(ErrorKind::Table, message).in_option(option::TOPIC.key))
}

pub(super) fn check_kafka(resolver: &Resolver<'_>, value: &Format) -> Result<DeliveryGuarantee, Error> {
    let options = resolver.options();
    let semantic = options.text(&option::SINK_SEMANTIC).map(|semantic| {
        let name = semantic.to_uppercase().replace('-', "_");
        match &*name {
            "EXACTLY_ONCE" => Ok(DeliveryGuarantee::ExactlyOnce),
            "AT_LEAST_ONCE" => Ok(DeliveryGuarantee::AtLeastOnce),
            "NONE" => Ok(DeliveryGuarantee::None),
            _ => Err(options.refuse(
                &option::SINK_SEMANTIC,
                format!("No enum constant org.apache.flink.connector.base.DeliveryGuarantee.{name}"),
            )),
        }
    });
    let semantic = semantic.transpose()?;
    match options.text(&option::SINK_PARTITIONER) {
        Some("round-robin") if options.text(&option::KEY_FIELDS).is_some() => {
            return Err(options.refuse(
                &option::SINK_PARTITIONER,
                "Currently 'round-robin' partitioner only works when option 'key.fields' is not specified.",
            ));
        }
        Some("") => {
            return Err(options.refuse(
                &option::SINK_PARTITIONER,
                "Option 'sink.partitioner' should be a non-empty string.",
            ));
        }
        _ => {}
    }
    let guarantee = check_delivery_guarantee(resolver)?;
    resolver.check_primary_key(Connector::Kafka, value)?;
    Ok(semantic.unwrap_or(guarantee))
}

pub(super) fn check_upsert(
    resolver: &Resolver<'_>,
    key: Option<&Format>,
    value: &Format,
) -> Result<(DeliveryGuarantee, Option<(i32, i64)>), Error> {
    resolver.check_insert_only(key, value)?;
    resolver.check_primary_key(Connector::UpsertKafka, value)?;
    let options = resolver.options();
    let max_rows = options.int(&option::BUFFER_FLUSH_MAX_ROWS)?.unwrap_or_default();
    let interval_ms = options.millis(&option::BUFFER_FLUSH_INTERVAL)?.unwrap_or_default();
    if (max_rows > 0) != (interval_ms > 0) {
        return Err(options.refuse(
            &option::BUFFER_FLUSH_MAX_ROWS,
            "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must be set to be greater than zero \
             together to enable sink buffer flushing.",
        ));
    }
    Ok((check_delivery_guarantee(resolver)?, Some((max_rows, interval_ms))))
}

/// Refuses transactions without names; `sink.semantic` is not asked.
fn check_delivery_guarantee(resolver: &Resolver<'_>) -> Result<DeliveryGuarantee, Error> {
    let options = resolver.options();
    let guarantee = options.constant(&option::DELIVERY_GUARANTEE)?.unwrap_or(DeliveryGuarantee::AtLeastOnce);
    if guarantee == DeliveryGuarantee::ExactlyOnce && options.text(&option::TRANSACTIONAL_ID_PREFIX).is_none()
    {
        return Err(options.refuse(
            &option::DELIVERY_GUARANTEE,
            "sink.transactional-id-prefix must be specified when using DeliveryGuarantee.EXACTLY_ONCE.",
        ));
    }
    Ok(guarantee)
}

/// Agrees with the constructor of `SinkBufferFlushMode`: both are zero, or both are greater.
pub(super) fn read_buffer_flush((max_rows, interval_ms): (i32, i64)) -> Result<Option<BufferFlush>, Error> {
    if (max_rows, interval_ms) == (0, 0) {
        return Ok(None);
    }
    match (u32::try_from(max_rows), u64::try_from(interval_ms)) {
        (Ok(max_rows), Ok(interval_ms)) if max_rows > 0 && interval_ms > 0 => {
            Ok(Some(BufferFlush { max_rows, interval_ms }))
        }
        _ => Err(Error::new(
            ErrorKind::Table,
            format!(
                "batchSize and batchInterval must greater than zero if buffer flush is enabled, but got \
                 batchSize={max_rows} and batchIntervalMs={interval_ms}"
            ),
        )
        .in_option(option::BUFFER_FLUSH_MAX_ROWS.key)),
    }
}

pub(super) fn read_partitioner(resolver: &Resolver<'_>) -> SinkPartitioner {
    match resolver.options().text(&option::SINK_PARTITIONER) {
        None | Some("default" | "round-robin") => SinkPartitioner::Default,
        Some("fixed" | FIXED_PARTITIONER) => SinkPartitioner::Fixed,
        Some(class) => SinkPartitioner::Custom(class.to_owned()),
    }
}

/// The user's partitioner, if the table names one; refuses a class name that the settings do not have.
pub(super) fn find_partitioner(
    resolver: &Resolver<'_>,
    partitioner: &SinkPartitioner,
    settings: &Settings,
) -> Result<Option<CustomPartitioner>, Error> {
    let SinkPartitioner::Custom(class) = partitioner else { return Ok(None) };
    match settings.custom_partitioner(class) {
        Some(custom) => Ok(Some(custom.clone())),
        None => {
            let message = format!("Could not find and instantiate partitioner class '{class}'");
            Err(resolver.options().refuse(&option::SINK_PARTITIONER, message))
        }
    }
}

/// What Flink's sink and its record serializer refuse when the job starts.
pub(super) fn check_producer(
    layout: &RecordLayout,
    guarantee: DeliveryGuarantee,
    transactional_id_prefix: Option<&str>,
) -> Result<(), Error> {
    let refuse = |spec: &OptionSpec, message: &'static str| {
        Err(Error::new(ErrorKind::Table, message).in_option(spec.key))
    };
    if transactional_id_prefix.is_some_and(|prefix| prefix.len() > 64_000) {
        return refuse(
            &option::TRANSACTIONAL_ID_PREFIX,
            "The configured prefix is too long and the resulting transactionalIdPrefix might exceed Kafka's \
             transactionalIdPrefix size.",
        );
    }
    if layout.topics().is_some_and(<[_]>::is_empty) {
        return refuse(&option::TOPIC, "Either Topic or Topic Pattern must be set.");
    }
    if guarantee == DeliveryGuarantee::ExactlyOnce && transactional_id_prefix.is_none() {
        return refuse(
            &option::SINK_SEMANTIC,
            "EXACTLY_ONCE delivery guarantee requires a transactionalIdPrefix to be set to provide unique \
             transaction names across multiple KafkaSinks writing to the same Kafka cluster.",
        );
    }
    Ok(())
}
