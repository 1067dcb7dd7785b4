//! The options of both connectors: one table, from which values are read, refusals list what there is, and the
//! options reference is written.
//!
//! Agrees with `org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptions`.

use crate::format::{OptionEnum, OptionSpec, ValueType};

use super::modes::{
    DeliveryGuarantee, ScanBoundedMode, ScanStartupMode, TransactionNamingStrategy, ValueFieldsInclude,
};
use super::options::Connector;

/// An option and the connectors that have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectorOption {
    pub(crate) spec: OptionSpec,
    pub(crate) connectors: &'static [Connector],
}

const BOTH: &[Connector] = &Connector::ALL;
const KAFKA: &[Connector] = &[Connector::Kafka];
const UPSERT_KAFKA: &[Connector] = &[Connector::UpsertKafka];

/// The options in the order in which Flink reads them: that of a `java.util.HashSet`, but for those whose default is
/// a constant of an enumeration. Their place there is chance; here they come last.
#[rustfmt::skip]
pub(crate) const OPTIONS: &[ConnectorOption] = &[
    ConnectorOption { spec: BOOTSTRAP_SERVERS, connectors: BOTH },
    ConnectorOption { spec: TOPIC, connectors: BOTH },
    ConnectorOption { spec: STARTUP_TIMESTAMP_MILLIS, connectors: KAFKA },
    ConnectorOption { spec: GROUP_ID, connectors: KAFKA },
    ConnectorOption { spec: TRANSACTIONAL_ID_PREFIX, connectors: BOTH },
    ConnectorOption { spec: BUFFER_FLUSH_INTERVAL, connectors: UPSERT_KAFKA },
    ConnectorOption { spec: KEY_FIELDS, connectors: KAFKA },
    ConnectorOption { spec: FORMAT, connectors: KAFKA },
    ConnectorOption { spec: BOUNDED_TIMESTAMP_MILLIS, connectors: BOTH },
    ConnectorOption { spec: DISCOVERY_INTERVAL, connectors: BOTH },
    ConnectorOption { spec: VALUE_FORMAT, connectors: BOTH },
    ConnectorOption { spec: SINK_PARTITIONER, connectors: KAFKA },
    ConnectorOption { spec: BUFFER_FLUSH_MAX_ROWS, connectors: UPSERT_KAFKA },
    ConnectorOption { spec: STARTUP_SPECIFIC_OFFSETS, connectors: KAFKA },
    ConnectorOption { spec: SINK_SEMANTIC, connectors: KAFKA },
    ConnectorOption { spec: KEY_FIELDS_PREFIX, connectors: BOTH },
    ConnectorOption { spec: KEY_FORMAT, connectors: BOTH },
    ConnectorOption { spec: BOUNDED_SPECIFIC_OFFSETS, connectors: BOTH },
    ConnectorOption { spec: SCAN_PARALLELISM, connectors: BOTH },
    ConnectorOption { spec: TOPIC_PATTERN, connectors: BOTH },
    ConnectorOption { spec: SINK_PARALLELISM, connectors: BOTH },
    ConnectorOption { spec: STARTUP_MODE, connectors: KAFKA },
    ConnectorOption { spec: BOUNDED_MODE, connectors: BOTH },
    ConnectorOption { spec: VALUE_FIELDS_INCLUDE, connectors: BOTH },
    ConnectorOption { spec: DELIVERY_GUARANTEE, connectors: BOTH },
    ConnectorOption { spec: TRANSACTION_NAMING_STRATEGY, connectors: BOTH },
];

/// The options of `connector`, in the order in which Flink reads them.
pub(super) fn options_of(connector: Connector) -> impl Iterator<Item = &'static OptionSpec> + Clone {
    OPTIONS.iter().filter(move |option| option.connectors.contains(&connector)).map(|option| &option.spec)
}

/// The options that every table of Flink's has.
pub(crate) const GENERIC_OPTIONS: &[OptionSpec] = &[CONNECTOR, PROPERTY_VERSION];

/// The options of every source of Flink's; a sink takes them too. Read last, and by nobody here.
pub(crate) const WATERMARK_OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "scan.watermark.emit.strategy",
        ValueType::Enum {
            class: "org.apache.flink.table.watermark.WatermarkEmitStrategy",
            names: &["on-event", "on-periodic"],
        },
        "1.18",
        "When a source emits watermarks. Checked, otherwise ignored.",
    )
    .or("on-periodic"),
    WATERMARK_ALIGNMENT_GROUP,
    WATERMARK_ALIGNMENT_MAX_DRIFT,
    WATERMARK_ALIGNMENT_UPDATE_INTERVAL,
    OptionSpec::new(
        "scan.watermark.idle-timeout",
        ValueType::Duration,
        "1.18",
        "When a source counts as idle. Checked, otherwise ignored.",
    ),
];

pub(crate) const CONNECTOR: OptionSpec =
    OptionSpec::string("connector", "1.11", "`kafka` or `upsert-kafka`, in exactly that spelling.")
        .required();
pub(crate) const PROPERTY_VERSION: OptionSpec =
    OptionSpec::new("property-version", ValueType::Int, "1.11", "Accepted and ignored.").or("1");
pub(crate) const BOOTSTRAP_SERVERS: OptionSpec = OptionSpec::string(
    "properties.bootstrap.servers",
    "1.11",
    "The brokers, for the client. Like every option that begins with `properties.`, it is for the client, \
     without that prefix, and otherwise not read.",
)
.required();
pub(crate) const GROUP_ID: OptionSpec = OptionSpec::string(
    "properties.group.id",
    "1.11",
    "The consumer group. Needed only where reading starts or ends at the group's committed offsets; `scan.startup.mode` \
     does so by default. No group is ever made up.",
);
pub(crate) const TOPIC: OptionSpec = OptionSpec::new(
    "topic",
    ValueType::List,
    "1.11; lists for sources 1.12, for sinks 3.3",
    "The topics. With several, a written row names its own in the metadata column `topic`. Either this or \
     `topic-pattern`.",
);
pub(crate) const TOPIC_PATTERN: OptionSpec = OptionSpec::string(
    "topic-pattern",
    "1.12; for sinks and `upsert-kafka` 3.3",
    "A Java regular expression for whole names of topics: of those to read, or of those that a written row may name \
     in the metadata column `topic`. Either this or `topic`.",
);
pub(crate) const FORMAT: OptionSpec = OptionSpec::string(
    "format",
    "1.11",
    "The format of values; wins over `value.format`. Its options begin with the format's name alone.",
);
pub(crate) const VALUE_FORMAT: OptionSpec = OptionSpec::string(
    "value.format",
    "1.12",
    "The format of values. Required, except in a `kafka` table with `format`. Its options begin with `value.` and \
     the format's name.",
);
pub(crate) const KEY_FORMAT: OptionSpec = OptionSpec::string(
    "key.format",
    "1.12",
    "The format of keys. Required by `upsert-kafka`; without it, records of a `kafka` table have no key. Its options \
     begin with `key.` and the format's name.",
);
pub(crate) const KEY_FIELDS: OptionSpec = OptionSpec::new(
    "key.fields",
    ValueType::List,
    "1.12",
    "The columns of the key, in the key's order. `upsert-kafka` takes the PRIMARY KEY, in that clause's order.",
);
pub(crate) const KEY_FIELDS_PREFIX: OptionSpec = OptionSpec::string(
    "key.fields-prefix",
    "1.12",
    "The prefix that the names of key columns have in the table and not in the key. Needs `value.fields-include` = \
     `EXCEPT_KEY`.",
);
pub(crate) const VALUE_FIELDS_INCLUDE: OptionSpec = OptionSpec::new(
    "value.fields-include",
    constants::<ValueFieldsInclude>(),
    "1.12",
    "Whether the value holds the columns of the key too. Where it does, the value's copy wins when it is read.",
)
.or("ALL");
pub(crate) const STARTUP_MODE: OptionSpec = OptionSpec::new(
    "scan.startup.mode",
    constants::<ScanStartupMode>(),
    "1.11",
    "Where reading starts. `upsert-kafka` always reads from the earliest offset.",
)
.or("group-offsets");
pub(crate) const STARTUP_SPECIFIC_OFFSETS: OptionSpec = OptionSpec::string(
    "scan.startup.specific-offsets",
    "1.11",
    "Where the mode `specific-offsets` starts: `partition:0,offset:42;partition:1,offset:300`. One topic only.",
);
pub(crate) const STARTUP_TIMESTAMP_MILLIS: OptionSpec = OptionSpec::new(
    "scan.startup.timestamp-millis",
    ValueType::Long,
    "1.11",
    "Milliseconds since the epoch: where the mode `timestamp` starts.",
);
pub(crate) const BOUNDED_MODE: OptionSpec = OptionSpec::new(
    "scan.bounded.mode",
    constants::<ScanBoundedMode>(),
    "1.17; for `upsert-kafka` 3.1",
    "Where reading ends.",
)
.or("unbounded");
pub(crate) const BOUNDED_SPECIFIC_OFFSETS: OptionSpec = OptionSpec::string(
    "scan.bounded.specific-offsets",
    "1.17; for `upsert-kafka` 3.1",
    "Where the mode `specific-offsets` ends, written as for the start. Partitions not named end at the group's \
     committed offsets.",
);
pub(crate) const BOUNDED_TIMESTAMP_MILLIS: OptionSpec = OptionSpec::new(
    "scan.bounded.timestamp-millis",
    ValueType::Long,
    "1.17; for `upsert-kafka` 3.1",
    "Milliseconds since the epoch: where the mode `timestamp` ends.",
);
pub(crate) const DISCOVERY_INTERVAL: OptionSpec = OptionSpec::new(
    "scan.topic-partition-discovery.interval",
    ValueType::Duration,
    "1.12; for `upsert-kafka` 5.0",
    "How often a reader looks for new partitions; zero or less for never. Replaces the client's \
     `partition.discovery.interval.ms`.",
)
.or("5 min");
pub(crate) const SCAN_PARALLELISM: OptionSpec =
    OptionSpec::new("scan.parallelism", ValueType::Int, "4.0", "How many subtasks read the table.");
pub(crate) const SINK_PARALLELISM: OptionSpec =
    OptionSpec::new("sink.parallelism", ValueType::Int, "1.12", "How many subtasks write the table.");
pub(crate) const SINK_PARTITIONER: OptionSpec = OptionSpec::string(
    "sink.partitioner",
    "1.11",
    "`default` (the producer's: by the hash of the key), `fixed` (each subtask has its partition), `round-robin` \
     (none at all, which the producer makes sticky; not with `key.fields`), or the class name under which a \
     partitioner was registered.",
)
.or("default");
pub(crate) const DELIVERY_GUARANTEE: OptionSpec = OptionSpec::new(
    "sink.delivery-guarantee",
    constants::<DeliveryGuarantee>(),
    "1.14; for `upsert-kafka` 3.1",
    "What a writer promises when it fails and starts again. `exactly-once` needs `sink.transactional-id-prefix`.",
)
.or("at-least-once");
pub(crate) const TRANSACTIONAL_ID_PREFIX: OptionSpec = OptionSpec::string(
    "sink.transactional-id-prefix",
    "1.14; for `upsert-kafka` 3.1",
    "The prefix of the writers' transactional ids; at most 64000 bytes.",
);
pub(crate) const TRANSACTION_NAMING_STRATEGY: OptionSpec = OptionSpec::new(
    "sink.transaction-naming-strategy",
    constants::<TransactionNamingStrategy>(),
    "4.0",
    "How transactional ids are made.",
)
.or("INCREMENTING");
pub(crate) const SINK_SEMANTIC: OptionSpec = OptionSpec::string(
    "sink.semantic",
    "1.12, deprecated since 1.14",
    "The older name of `sink.delivery-guarantee`; wins over it.",
);
pub(crate) const BUFFER_FLUSH_MAX_ROWS: OptionSpec = OptionSpec::new(
    "sink.buffer-flush.max-rows",
    ValueType::Int,
    "1.13",
    "How many distinct keys a writer buffers before it writes the last row of each. Buffering is on if this and \
     `sink.buffer-flush.interval` are both greater than zero.",
)
.or("0");
pub(crate) const BUFFER_FLUSH_INTERVAL: OptionSpec = OptionSpec::new(
    "sink.buffer-flush.interval",
    ValueType::Duration,
    "1.13",
    "How long a writer buffers rows at most.",
)
.or("0 s");
pub(crate) const WATERMARK_ALIGNMENT_GROUP: OptionSpec = OptionSpec::string(
    "scan.watermark.alignment.group",
    "1.18",
    "The group of sources whose watermarks are aligned. Checked, otherwise ignored.",
);
pub(crate) const WATERMARK_ALIGNMENT_MAX_DRIFT: OptionSpec = OptionSpec::new(
    "scan.watermark.alignment.max-drift",
    ValueType::Duration,
    "1.18",
    "How far aligned watermarks may be apart. Checked, otherwise ignored.",
);
pub(crate) const WATERMARK_ALIGNMENT_UPDATE_INTERVAL: OptionSpec = OptionSpec::new(
    "scan.watermark.alignment.update-interval",
    ValueType::Duration,
    "1.18",
    "How often aligned watermarks are compared. Checked, otherwise ignored.",
)
.or("1 s");

const fn constants<E: OptionEnum>() -> ValueType {
    ValueType::Enum { class: E::CLASS, names: E::NAMES }
}
