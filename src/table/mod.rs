//! Tables: declared as in Flink's SQL, checked as Flink checks them, and resolved into what writes and reads them.
//!
//! A [`Table`] becomes a [`TableSink`] or a [`TableSource`] with its [`Settings`]; these make everything that works for it.
//!
//! Agrees with Flink's `org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicTableFactory` and
//! `UpsertKafkaDynamicTableFactory`.

mod cast;
mod changelog_mode;
mod connector_options;
mod consumer;
mod ddl;
mod explain;
mod layout;
mod legacy;
mod librdkafka;
mod lints;
mod metadata;
mod modes;
mod offsets;
mod options;
#[cfg(test)]
mod options_reference;
mod path;
mod projection;
mod properties;
mod resolve;
mod rows;
mod scan;
mod schema;
mod secrets;
mod settings;
mod sink;
mod sink_options;
mod sink_partitioner;
mod source;
#[expect(clippy::module_inception, reason = "the file is named for its type")]
mod table;
mod topics;
mod unknown;

pub(crate) use self::cast::Cast;
pub use self::changelog_mode::ChangelogMode;
pub use self::layout::RecordLayout;
pub use self::librdkafka::LibrdkafkaConfig;
pub use self::lints::{Lint, LintKind};
pub use self::metadata::WritableMetadata;
pub(crate) use self::metadata::{MetadataColumn, ReadableMetadata};
pub use self::modes::{DeliveryGuarantee, TransactionNamingStrategy, ValueFieldsInclude};
pub use self::options::{Connector, TableOptions};
pub use self::properties::Properties;
pub(crate) use self::rows::kind_of;
pub use self::scan::{BoundedMode, StartupMode};
pub use self::schema::{Column, ColumnKind, PrimaryKey, TableSchema, TableSchemaBuilder, Watermark};
pub use self::settings::{NotNullEnforcer, NullInKey, Settings, UpdateBefore};
pub use self::sink::TableSink;
pub use self::sink_options::BufferFlush;
pub use self::sink_partitioner::SinkPartitioner;
pub use self::source::TableSource;
pub use self::table::Table;
pub(crate) use self::topics::Topics;
pub use crate::text::Jdk;
