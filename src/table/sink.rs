//! A table to be written.
//!
//! Agrees with `KafkaDynamicTableFactory`, `UpsertKafkaDynamicTableFactory` and `KafkaDynamicSink`.

use std::borrow::Cow;
use std::num::NonZeroU32;

use crate::error::{Error, ErrorKind, Part};
use crate::format::{Format, Role, RowEncoder};
use crate::partition::{DefaultPartitioner, FixedPartitioner, Partitioner, RoundRobinPartitioner};
use crate::row::{ColumnShape, NamedRow, RowKind};
use crate::types::DataType;

use super::changelog_mode::ChangelogMode;
use super::connector_options as option;
use super::layout::RecordLayout;
use super::legacy::UpdateMode;
use super::lints::{Lint, lints};
use super::metadata::{
    MetadataColumn, WritableMetadata, refuse_numbers_as_times, refuse_without_cast, writable_columns,
    writable_metadata,
};
use super::modes::{DeliveryGuarantee, TransactionNamingStrategy};
use super::options::Connector;
use super::projection::FormatProjection;
use super::properties::Properties;
use super::resolve::Resolver;
use super::rows::RowOrder;
use super::settings::{CustomPartitioner, Settings, UpdateBefore};
use super::sink_options::{
    BufferFlush, MANY_TOPICS, check_kafka, check_one_topic, check_producer, check_upsert, find_partitioner,
    read_buffer_flush, read_partitioner,
};
use super::sink_partitioner::SinkPartitioner;
use super::table::Table;
use super::topics::Topics;

/// A table as it is written: checked, its formats compiled; what works for the table comes from here.
///
/// | method | makes |
/// |---|---|
/// | [`encoder`](Self::encoder) | records of rows |
/// | [`accumulator`](Self::accumulator) | batches of rows |
/// | [`reduce_buffer`](Self::reduce_buffer), [`materializer`](Self::materializer) | the changes that are to be written |
/// | [`update_pairs`](Self::update_pairs) | fewer tombstones of the records |
/// | [`debezium_encoder`](Self::debezium_encoder) | events in Debezium's own shape |
///
/// What it makes is independent of it and of what it has made before.
#[derive(Clone, Debug)]
pub struct TableSink {
    /// The whole name, for refusals.
    table_name: String,
    layout: RecordLayout,
    key_encoder: Option<RowEncoder>,
    value_encoder: RowEncoder,
    settings: Settings,
    lints: Vec<Lint>,
    changelog_mode: ChangelogMode,
    update_before: UpdateBefore,
    ignores_retractions: bool,
    metadata: Vec<MetadataColumn<WritableMetadata>>,
    partitioner: SinkPartitioner,
    custom_partitioner: Option<CustomPartitioner>,
    delivery_guarantee: DeliveryGuarantee,
    transactional_id_prefix: Option<String>,
    transaction_naming_strategy: TransactionNamingStrategy,
    buffer_flush: Option<BufferFlush>,
    parallelism: Option<NonZeroU32>,
    properties: Properties,
}

impl Table {
    /// The table as it is written: checked, and its formats compiled.
    ///
    /// # Errors
    ///
    /// What Flink refuses when such a table is written, in its words and its order. Of our own: `avro-confluent`
    /// or `debezium-avro-confluent` without a registry in the settings, and a metadata column of a type without a cast.
    pub fn sink(&self, settings: &Settings) -> Result<TableSink, Error> {
        TableSink::resolve(self, settings, None)
    }

    /// The table as it is written with structs of that type: their columns are held against the table's, by name, once.
    ///
    /// What the sink makes takes the columns where the struct has them, in whatever order, which costs a row nothing. Other
    /// rows that it is given are taken by position, in the order of the struct's fields.
    ///
    /// ```
    /// use upsert_kafka::{RecordBuf, RowKind, Settings, Table, impl_row};
    ///
    /// struct Count {
    ///     n: i64,
    ///     text: String,
    /// }
    /// impl_row!(Count { n, text as "word" });
    ///
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
    ///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
    ///        'properties.bootstrap.servers' = 'localhost:9092')",
    /// )?;
    /// let encoder = table.sink_of::<Count>(&Settings::default())?.encoder();
    /// let (count, mut buf) = (Count { n: 1, text: "kafka".to_owned() }, RecordBuf::new());
    /// let record = encoder.encode(RowKind::Insert, &count, &mut buf)?.expect("an insert is a record");
    /// assert_eq!(record.value, Some(&br#"{"word":"kafka","n":1}"#[..]));
    ///
    /// struct Total {
    ///     word: String,
    ///     n: i32,
    /// }
    /// impl_row!(Total { word, n });
    /// let error = table.sink_of::<Total>(&Settings::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "column `n`: the column is BIGINT, the field INT");
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`sink`](Self::sink). [`ErrorKind::Row`] with the column's name where the struct has no field for it, one
    /// that the table lacks, or one of another type; a nested struct has its fields in the order of the ROW.
    pub fn sink_of<R: NamedRow>(&self, settings: &Settings) -> Result<TableSink, Error> {
        TableSink::resolve(self, settings, Some(R::COLUMNS))
    }
}

impl TableSink {
    fn resolve(table: &Table, settings: &Settings, fields: Option<&[ColumnShape]>) -> Result<Self, Error> {
        let connector = table.connector();
        let mut resolver = Resolver::new(table, Role::Sink, settings.flink_release);
        resolver.check_topics()?;
        resolver.complete_subjects()?;
        let (key, value) = resolver.formats(connector)?;
        resolver.validate(connector)?;
        let (delivery_guarantee, buffer_flush) = match connector {
            Connector::Kafka => (check_kafka(&resolver, &value)?, None),
            Connector::UpsertKafka => check_upsert(&resolver, key.as_ref(), &value)?,
        };
        let projections = resolver.projections(connector)?;
        let buffer_flush = buffer_flush.map(read_buffer_flush).transpose()?.flatten();
        let (topics, pattern) = resolver.topics()?;
        if !settings.flink_release.has(MANY_TOPICS) {
            check_one_topic(topics.as_deref(), pattern.as_ref())?;
        }
        let legacy = table.legacy_writes();
        let partitioner = match legacy {
            Some(legacy) => legacy.partitioner.clone(),
            None => read_partitioner(&resolver),
        };
        let custom_partitioner = find_partitioner(&resolver, &partitioner, settings)?;
        let update_mode = legacy.and_then(|legacy| legacy.update_mode);
        let changelog_mode = changelog_mode(connector, &value, update_mode);
        let topics = match pattern {
            Some(pattern) => Topics::Pattern(pattern),
            None => Topics::List(topics.unwrap_or_default()),
        };
        table.clauses.check_sink(&table.summary_name())?;
        let mut metadata = writable_columns(table, &topics, &value)?;
        let mut layout = resolver.layout(connector, (key, value), projections, topics)?;
        if let Some(fields) = fields {
            let order = RowOrder::new(layout.columns(), fields)?;
            order.arrange(&mut layout);
            order.arrange_metadata(&mut metadata);
        }
        let compile = |part: &FormatProjection, format_settings, name| {
            let encoder = part.format.encoder(part.projection(), format_settings);
            encoder.map_err(|error: Error| error.with_part(name))
        };
        let key_encoder = layout.key().map(|key| compile(key, settings.key_format_settings(), Part::Key));
        let key_encoder = key_encoder.transpose()?;
        let value_encoder = compile(layout.value(), settings.format_settings(), Part::Value)?;
        let options = resolver.options();
        let transactional_id_prefix = options.text(&option::TRANSACTIONAL_ID_PREFIX).map(str::to_owned);
        check_producer(&layout, delivery_guarantee, transactional_id_prefix.as_deref())?;
        refuse_numbers_as_times(&metadata, layout.columns())?;
        refuse_without_cast(&metadata, layout.columns(), |column| column.cast(settings).is_some())?;
        Ok(Self {
            table_name: table.summary_name(),
            lints: lints(&layout, table.todays_options()),
            layout,
            key_encoder,
            value_encoder,
            settings: settings.clone(),
            changelog_mode,
            update_before: match update_mode {
                Some(UpdateMode::Retract) => UpdateBefore::Tombstone,
                Some(UpdateMode::Upsert) => UpdateBefore::Drop,
                Some(UpdateMode::Append) | None => settings.update_before,
            },
            ignores_retractions: legacy.is_some_and(|legacy| legacy.ignore_retraction),
            metadata,
            partitioner,
            custom_partitioner,
            delivery_guarantee,
            transactional_id_prefix,
            transaction_naming_strategy: options
                .constant(&option::TRANSACTION_NAMING_STRATEGY)?
                .unwrap_or(TransactionNamingStrategy::Incrementing),
            buffer_flush,
            parallelism: resolver.parallelism(&option::SINK_PARALLELISM)?,
            properties: resolver.properties(),
        })
    }

    /// What is allowed, but rarely intended.
    #[must_use]
    pub fn lints(&self) -> &[Lint] {
        &self.lints
    }

    /// The whole name: `default_catalog.default_database.t`.
    pub(crate) fn table_name(&self) -> &str {
        &self.table_name
    }

    /// What writes the key, where records have one.
    pub(crate) fn key_encoder(&self) -> Option<&RowEncoder> {
        self.key_encoder.as_ref()
    }

    /// What writes the value.
    pub(crate) fn value_encoder(&self) -> &RowEncoder {
        &self.value_encoder
    }

    /// What the table was resolved with.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How rows and records correspond.
    #[must_use]
    pub fn layout(&self) -> &RecordLayout {
        &self.layout
    }

    /// The kinds of row that the table takes.
    #[must_use]
    pub fn changelog_mode(&self) -> ChangelogMode {
        self.changelog_mode
    }

    /// What `upsert-kafka` writes for `-U`: what the `update-mode` of the older dialect says, else the settings.
    #[must_use]
    pub fn update_before(&self) -> UpdateBefore {
        self.update_before
    }

    /// Whether `-U` and `-D` write no record: with `connector.sink.ignore-retraction` of the older dialect.
    #[must_use]
    pub fn ignores_retractions(&self) -> bool {
        self.ignores_retractions
    }

    /// Refuses a query whose rows have kinds that the table does not take; `node` names where they come from.
    ///
    /// ```
    /// use upsert_kafka::{Settings, Table};
    /// use upsert_kafka::table::ChangelogMode;
    ///
    /// let log = Table::from_ddl(
    ///     "CREATE TABLE log (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 'log', 'format' = 'json',
    ///      'properties.bootstrap.servers' = 'localhost:9092')",
    /// )?;
    /// let sink = log.sink(&Settings::default())?;
    /// let error = sink.check_changelog(ChangelogMode::ALL, "Join(joinType=[LeftOuterJoin])").unwrap_err();
    /// assert!(error.message().ends_with(
    ///     "doesn't support consuming update and delete changes which is produced by node Join(joinType=[LeftOuterJoin])"
    /// ));
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The sentence of Flink's planner.
    pub fn check_changelog(&self, changes: ChangelogMode, node: &str) -> Result<(), Error> {
        let refuses = |kind| changes.contains(kind) && !self.changelog_mode.contains(kind);
        // An upsert sink does not mind that -U reaches it.
        let updates = refuses(RowKind::UpdateAfter);
        let what = match (updates, refuses(RowKind::Delete)) {
            (true, true) => "update and delete changes",
            (true, false) => "update changes",
            (false, true) => "delete changes",
            (false, false) => return Ok(()),
        };
        Err(Error::new(
            ErrorKind::Table,
            format!(
                "Table sink '{}' doesn't support consuming {what} which is produced by node {node}",
                self.table_name
            ),
        ))
    }

    /// The column of the row, metadata included, that `metadata` is taken from; `None` where the table has none.
    #[must_use]
    pub fn metadata_column(&self, metadata: WritableMetadata) -> Option<usize> {
        let mut columns = self.metadata.iter();
        columns.find(|column| column.metadata == metadata).map(|column| column.column)
    }

    pub(crate) fn metadata_columns(&self) -> &[MetadataColumn<WritableMetadata>] {
        &self.metadata
    }

    /// The metadata that rows of such a table can set, with Flink's types and in Flink's order.
    pub fn writable_metadata(&self) -> impl Iterator<Item = (Cow<'static, str>, DataType)> {
        let metadata = writable_metadata(self.layout.topic_choice()).into_iter();
        metadata.map(|metadata| (metadata.key, metadata.data_type))
    }

    /// Who chooses a record's partition.
    #[must_use]
    pub fn partitioner(&self) -> &SinkPartitioner {
        &self.partitioner
    }

    /// A partitioner that does so, as the [`accumulator`](Self::accumulator) has one.
    #[must_use]
    pub fn new_partitioner(&self) -> Box<dyn Partitioner + Send + Sync> {
        match (&self.partitioner, &self.custom_partitioner) {
            (_, Some(custom)) => custom.make(),
            (SinkPartitioner::Fixed, _) => Box::new(FixedPartitioner),
            (SinkPartitioner::RoundRobin, _) => Box::new(RoundRobinPartitioner::new()),
            (SinkPartitioner::Default | SinkPartitioner::Custom(_), _) => Box::new(DefaultPartitioner::new()),
        }
    }

    /// `sink.delivery-guarantee`, or the older `sink.semantic`.
    #[must_use]
    pub fn delivery_guarantee(&self) -> DeliveryGuarantee {
        self.delivery_guarantee
    }

    /// `sink.transactional-id-prefix`.
    #[must_use]
    pub fn transactional_id_prefix(&self) -> Option<&str> {
        self.transactional_id_prefix.as_deref()
    }

    /// `sink.transaction-naming-strategy`.
    #[must_use]
    pub fn transaction_naming_strategy(&self) -> TransactionNamingStrategy {
        self.transaction_naming_strategy
    }

    /// `sink.buffer-flush.*`, where it is on.
    #[must_use]
    pub fn buffer_flush(&self) -> Option<BufferFlush> {
        self.buffer_flush
    }

    /// `sink.parallelism`.
    #[must_use]
    pub fn parallelism(&self) -> Option<NonZeroU32> {
        self.parallelism
    }

    /// The options after `properties.`, without it.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// What Flink configures its producer with: [`properties`](Self::properties) and what it sets by default.
    #[must_use]
    pub fn producer_config(&self) -> Properties {
        const BYTE_ARRAY_SERIALIZER: &str = "org.apache.kafka.common.serialization.ByteArraySerializer";
        let mut config = self.properties.clone();
        for (key, default) in [
            ("key.serializer", BYTE_ARRAY_SERIALIZER),
            ("value.serializer", BYTE_ARRAY_SERIALIZER),
            ("transaction.timeout.ms", "3600000"),
        ] {
            config.set_default(key, default);
        }
        config
    }
}

/// The kinds of row that a table of that connector takes.
fn changelog_mode(connector: Connector, value: &Format, update_mode: Option<UpdateMode>) -> ChangelogMode {
    match (connector, update_mode) {
        (Connector::UpsertKafka, Some(UpdateMode::Append)) => ChangelogMode::INSERT_ONLY,
        (Connector::UpsertKafka, Some(UpdateMode::Retract)) => ChangelogMode::ALL,
        (Connector::UpsertKafka, Some(UpdateMode::Upsert) | None) => ChangelogMode::UPSERT,
        (Connector::Kafka, _) if value.insert_only() => ChangelogMode::INSERT_ONLY,
        (Connector::Kafka, _) => ChangelogMode::ALL,
    }
}
