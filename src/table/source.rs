//! A table to be read.
//!
//! Agrees with `KafkaDynamicTableFactory`, `UpsertKafkaDynamicTableFactory` and `KafkaDynamicSource`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::error::{Error, ErrorKind, Part};
use crate::format::{Format, OptionReader, OptionSpec, Projection, Role, RowDecoder};
use crate::row::{ColumnShape, FromRow};
use crate::types::DataType;

use super::changelog_mode::ChangelogMode;
use super::connector_options as option;
use super::consumer::{DISCOVERY_INTERVAL_MS, check_consumer, consumer_config};
use super::layout::RecordLayout;
use super::lints::{Lint, lints};
use super::metadata::{
    MetadataColumn, ReadableMetadata, format_metadata, readable_columns, readable_metadata,
    refuse_without_cast,
};
use super::modes::{ScanBoundedMode, ScanStartupMode};
use super::offsets::parse_specific_offsets;
use super::options::Connector;
use super::properties::Properties;
use super::resolve::Resolver;
use super::rows::RowOrder;
use super::scan::{BoundedMode, StartupMode};
use super::settings::Settings;
use super::table::Table;
use super::topics::Topics;

/// A table as it is read: checked, its formats compiled; what works for the table comes from here.
///
/// | method | makes |
/// |---|---|
/// | [`decoder`](Self::decoder) | rows of records |
/// | [`debezium_decoder`](Self::debezium_decoder) | rows of Debezium's own events |
/// | [`normalizer`](Self::normalizer) | a changelog of upserts |
/// | [`versioned_table`](Self::versioned_table) | rows as of a time |
///
/// What it makes is independent of it and of what it has made before.
#[derive(Clone, Debug)]
pub struct TableSource {
    /// The whole name, for people.
    table_name: String,
    layout: RecordLayout,
    key_decoder: Option<RowDecoder>,
    value_decoder: RowDecoder,
    settings: Settings,
    lints: Vec<Lint>,
    changelog_mode: ChangelogMode,
    metadata: Vec<MetadataColumn<ReadableMetadata>>,
    startup_mode: StartupMode,
    bounded_mode: BoundedMode,
    parallelism: Option<NonZeroU32>,
    properties: Properties,
}

impl Table {
    /// The table as it is read: checked, and its formats compiled.
    ///
    /// # Errors
    ///
    /// What Flink refuses when such a table is read, in its words and its order. Of our own: `avro-confluent` or
    /// `debezium-avro-confluent` without a registry in the settings, and a metadata column of a type without a cast.
    pub fn source(&self, settings: &Settings) -> Result<TableSource, Error> {
        TableSource::resolve(self, settings, None)
    }

    /// The table as it is read into structs of that type: their columns are held against the table's, by name, once.
    ///
    /// The rows that come of it are in the order of the struct's fields, for [`Row::read`](crate::Row::read).
    ///
    /// ```
    /// use upsert_kafka::{ConsumerRecord, DecodeBuf, Row, Settings, Table, impl_row};
    ///
    /// struct Count<'a> {
    ///     n: Option<i64>,
    ///     text: &'a str,
    /// }
    /// impl_row!(Count<'a> { n, text as "word" });
    ///
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
    ///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
    ///        'properties.bootstrap.servers' = 'localhost:9092')",
    /// )?;
    /// let (decoder, mut buf) = (table.source_of::<Count>(&Settings::default())?.decoder(), DecodeBuf::new());
    /// let record = ConsumerRecord::new(Some(br#"{"word":"kafka"}"#), Some(br#"{"word":"kafka","n":1}"#));
    /// for (_, row) in decoder.decode(&record, &mut buf)?.rows() {
    ///     let count: Count = row.read()?;
    ///     assert_eq!((count.text, count.n), ("kafka", Some(1)));
    /// }
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`source`](Self::source), and those of [`sink_of`](Self::sink_of).
    pub fn source_of<'a, R: FromRow<'a>>(&self, settings: &Settings) -> Result<TableSource, Error> {
        TableSource::resolve(self, settings, Some(R::COLUMNS))
    }
}

impl TableSource {
    fn resolve(table: &Table, settings: &Settings, fields: Option<&[ColumnShape]>) -> Result<Self, Error> {
        let connector = table.connector();
        let mut resolver = Resolver::new(table, Role::Source, settings.flink_release);
        let (key, value) = resolver.formats(connector)?;
        resolver.validate(connector)?;
        let (startup_mode, bounded_mode) = match connector {
            Connector::Kafka => {
                resolver.check_topics()?;
                (read_startup_mode(resolver.options())?, read_bounded_mode(resolver.options())?)
            }
            Connector::UpsertKafka => {
                let bounded_mode = read_bounded_mode(resolver.options())?;
                resolver.check_insert_only(key.as_ref(), &value)?;
                (StartupMode::Earliest, bounded_mode)
            }
        };
        resolver.check_primary_key(connector, &value)?;
        let projections = resolver.projections(connector)?;
        let topics = match resolver.topics()? {
            (Some(topics), None) => Topics::List(topics),
            (None, Some(pattern)) => Topics::Pattern(pattern),
            (Some(_), Some(_)) | (None, None) => {
                return Err(resolver.no_topic("Either Topic or Topic Pattern must be set for source."));
            }
        };
        let mut metadata = readable_columns(table, &value)?;
        let changelog_mode = changelog_mode(connector, &value);
        let mut layout = resolver.layout(connector, (key, value), projections, topics)?;
        let mut of_format = format_metadata(&layout, &metadata, settings.shifted_format_metadata);
        if let Some(fields) = fields {
            let order = RowOrder::new(layout.columns(), fields)?;
            order.arrange(&mut layout);
            order.arrange_metadata(&mut metadata);
            of_format.iter_mut().for_each(|(_, column)| *column = order.place(*column));
        }
        let key_decoder =
            layout.key().map(|key| key.format.decoder(key.projection(), settings.key_format_settings()));
        let key_decoder = key_decoder.transpose().map_err(|error: Error| error.with_part(Part::Key))?;
        let value = layout.value();
        let projection = Projection { metadata: &of_format, ..value.projection() };
        let value_decoder = value.format.decoder(projection, settings.format_settings());
        let value_decoder = value_decoder.map_err(|error| error.with_part(Part::Value))?;
        let mut properties = resolver.properties();
        check_consumer(&properties, layout.topic_choice().single(), &startup_mode, &bounded_mode)?;
        let discovery_interval = resolver.options().millis(&option::DISCOVERY_INTERVAL)?.unwrap_or_default();
        properties.set(DISCOVERY_INTERVAL_MS, discovery_interval.to_string());
        let format_types = layout.value().format.metadata();
        // With `shifted_format_metadata` a column gets another key's value, and that key's type is cast.
        for (index, at) in &of_format {
            let column = metadata.iter_mut().find(|column| column.column == *at);
            if let (Some(column), Some((_, data_type))) = (column, format_types.get(*index)) {
                column.metadata_type = data_type.clone();
            }
        }
        refuse_without_cast(&metadata, layout.columns(), |column| column.cast(settings).is_some())?;
        Ok(Self {
            table_name: table.summary_name(),
            lints: lints(&layout, table.todays_options()),
            layout,
            key_decoder,
            value_decoder,
            settings: settings.clone(),
            changelog_mode,
            metadata,
            startup_mode,
            bounded_mode,
            parallelism: resolver.parallelism(&option::SCAN_PARALLELISM)?,
            properties,
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

    /// What reads the key, where records have one.
    pub(crate) fn key_decoder(&self) -> Option<&RowDecoder> {
        self.key_decoder.as_ref()
    }

    /// What reads the value.
    pub(crate) fn value_decoder(&self) -> &RowDecoder {
        &self.value_decoder
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

    /// The kinds of row that the table announces.
    #[must_use]
    pub fn changelog_mode(&self) -> ChangelogMode {
        self.changelog_mode
    }

    /// Whether Flink's planner is certain to put a `ChangelogNormalize` after the table: it is where metadata columns are
    /// declared.
    #[must_use]
    pub fn is_normalized(&self) -> bool {
        self.layout.connector == Connector::UpsertKafka && !self.metadata.is_empty()
    }

    /// The metadata that such a table can read, with Flink's types and in Flink's order.
    pub fn readable_metadata(&self) -> impl Iterator<Item = (Cow<'static, str>, DataType)> {
        let metadata = readable_metadata(&self.layout.value.format).into_iter();
        metadata.map(|metadata| (metadata.key, metadata.data_type))
    }

    /// The metadata columns: what each holds, and where it is in the row.
    pub(crate) fn metadata_columns(&self) -> &[MetadataColumn<ReadableMetadata>] {
        &self.metadata
    }

    /// Where the reading starts.
    #[must_use]
    pub fn startup_mode(&self) -> &StartupMode {
        &self.startup_mode
    }

    /// Where the reading ends.
    #[must_use]
    pub fn bounded_mode(&self) -> &BoundedMode {
        &self.bounded_mode
    }

    /// `scan.parallelism`.
    #[must_use]
    pub fn parallelism(&self) -> Option<NonZeroU32> {
        self.parallelism
    }

    /// The options after `properties.`, without it, and the interval of partition discovery.
    #[must_use]
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// What Flink configures its consumer with: [`properties`](Self::properties), what it sets by default, and what
    /// it insists on.
    ///
    /// Without a consumer group, Flink also makes up a random `client.id.prefix`.
    #[must_use]
    pub fn consumer_config(&self) -> Properties {
        consumer_config(&self.properties, &self.startup_mode, &self.bounded_mode)
    }
}

fn changelog_mode(connector: Connector, value: &Format) -> ChangelogMode {
    match connector {
        Connector::UpsertKafka => ChangelogMode::UPSERT_SOURCE,
        Connector::Kafka if value.insert_only() => ChangelogMode::INSERT_ONLY,
        Connector::Kafka => ChangelogMode::ALL,
    }
}

fn read_startup_mode(options: OptionReader<'_>) -> Result<StartupMode, Error> {
    let mode = options.constant(&option::STARTUP_MODE)?.unwrap_or(ScanStartupMode::GroupOffsets);
    Ok(match mode {
        ScanStartupMode::EarliestOffset => StartupMode::Earliest,
        ScanStartupMode::LatestOffset => StartupMode::Latest,
        ScanStartupMode::GroupOffsets => StartupMode::GroupOffsets,
        ScanStartupMode::Timestamp => {
            let millis = options.long(&option::STARTUP_TIMESTAMP_MILLIS)?;
            StartupMode::Timestamp(required(
                millis,
                &option::STARTUP_TIMESTAMP_MILLIS,
                "timestamp",
                "startup",
            )?)
        }
        ScanStartupMode::SpecificOffsets => {
            StartupMode::SpecificOffsets(read_offsets(options, &option::STARTUP_SPECIFIC_OFFSETS, "startup")?)
        }
    })
}

fn read_bounded_mode(options: OptionReader<'_>) -> Result<BoundedMode, Error> {
    let mode = options.constant(&option::BOUNDED_MODE)?.unwrap_or(ScanBoundedMode::Unbounded);
    Ok(match mode {
        ScanBoundedMode::Unbounded => BoundedMode::Unbounded,
        ScanBoundedMode::LatestOffset => BoundedMode::Latest,
        ScanBoundedMode::GroupOffsets => BoundedMode::GroupOffsets,
        ScanBoundedMode::Timestamp => {
            let millis = options.long(&option::BOUNDED_TIMESTAMP_MILLIS)?;
            BoundedMode::Timestamp(required(
                millis,
                &option::BOUNDED_TIMESTAMP_MILLIS,
                "timestamp",
                "bounded",
            )?)
        }
        ScanBoundedMode::SpecificOffsets => {
            BoundedMode::SpecificOffsets(read_offsets(options, &option::BOUNDED_SPECIFIC_OFFSETS, "bounded")?)
        }
    })
}

fn read_offsets(
    options: OptionReader<'_>,
    spec: &OptionSpec,
    side: &str,
) -> Result<BTreeMap<i32, i64>, Error> {
    let text = required(options.text(spec), spec, "specific-offsets", side)?;
    if options.list(&option::TOPIC)?.is_none_or(|topics| topics.len() != 1) {
        return Err(
            options.refuse(spec, "Currently Kafka source only supports specific offset for single topic.")
        );
    }
    parse_specific_offsets(text, spec.key)
}

fn required<T>(value: Option<T>, spec: &OptionSpec, mode: &str, side: &str) -> Result<T, Error> {
    value.ok_or_else(|| {
        let message = format!("'{}' is required in '{mode}' {side} mode but missing.", spec.key);
        Error::new(ErrorKind::Table, message)
    })
}
