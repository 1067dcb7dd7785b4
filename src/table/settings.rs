use std::fmt;
use std::sync::Arc;

use crate::format::{FlinkRelease, FormatSettings, SchemaRegistry};
use crate::partition::Partitioner;
use crate::row::LocalTimeZone;
use crate::text::Jdk;

/// What a `CREATE TABLE` cannot say: choices that Flink leaves to its JVM, its planner or its configuration.
///
/// [`Settings::default`] with the JDK of your Flink is what most people want: Flink's bytes, and errors instead of its
/// oddities. [`Settings::flink`] has the oddities too.
///
/// ```
/// use upsert_kafka::{Jdk, Settings, UpdateBefore};
///
/// // Flink on Java 8, 11 or 17; its planner has withheld the -U.
/// let settings = Settings::default().with_jdk(Jdk::Jdk8To18).with_update_before(UpdateBefore::Drop);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The JDK that Flink runs on, which decides the digits of FLOAT and DOUBLE; 19 or later by default.
    ///
    /// `java -version` on a TaskManager tells it, or the image's tag: `java11` and `java17` are [`Jdk::Jdk8To18`],
    /// `java21` is [`Jdk::Jdk19Plus`].
    pub jdk: Jdk,
    /// The release of Flink whose bytes, options and oddities these are; the newest by default.
    pub flink_release: FlinkRelease,
    /// What `upsert-kafka` writes for `-U`; a tombstone by default, as Flink does.
    pub update_before: UpdateBefore,
    /// What becomes of a row with NULL in a NOT NULL column; an error by default, as in Flink.
    pub not_null_enforcer: NotNullEnforcer,
    /// Whether Avro's micros types hold microseconds, as their name says and as other readers expect. On by default;
    /// Flink writes milliseconds into them.
    pub avro_true_micros: bool,
    /// Whether records in Avro's JSON encoding begin with a line feed, all but the first of an encoder. Flink's do, so
    /// that its first key differs from the same key later on. Off by default.
    pub avro_json_line_feeds: bool,
    /// Whether an `avro-confluent` key of one column is the bare value, with a schema such as `"string"` or `"long"`,
    /// instead of a record of one field. Clients whose keys have a plain type write it so. Keys that are records are
    /// then read too. Off by default: Flink writes records, and refuses the others.
    pub avro_plain_keys: bool,
    /// The schema registry of `avro-confluent` and `debezium-avro-confluent`, for keys and values; none by default: a
    /// table with such a format is then an error. Options such as `avro-confluent.url` are not read: they are for the
    /// client of the registry, which is yours.
    pub schema_registry: Option<Arc<dyn SchemaRegistry>>,
    /// Whether a value that does not parse, under `ignore-parse-errors`, deletes the row of its key. Off by default:
    /// it is skipped, with [`SkipReason::UnreadableValue`](crate::source::SkipReason::UnreadableValue); Flink deletes.
    pub corrupt_value_deletes: bool,
    /// What becomes of a row that is read with NULL in a column of the primary key. A row by default, as in Flink, which
    /// does not look.
    pub null_in_key: NullInKey,
    /// Whether a `kafka` table with an insert-only format accepts `-U` and `-D` and writes them as inserts. Off by
    /// default: they are errors. Flink's planner refuses such a query, its formats do not check.
    pub unchecked_kinds: bool,
    /// Whether metadata of the value's format (`value.*`) is read into the wrong columns, as in Flink, where key and value
    /// share columns: shifted to the right by the number of shared ones, the first ones NULL. Off by default: each goes
    /// into its own column.
    pub shifted_format_metadata: bool,
    /// The session's time zone, in which a metadata column that is declared TIMESTAMP, and whose metadata is a point in
    /// time, is read and written; UTC by default. Flink's `table.local-time-zone`, whose default is the zone of its JVM.
    pub local_time_zone: LocalTimeZone,
    partitioners: Vec<CustomPartitioner>,
}

/// A partitioner of the user's, under the class name that tables know it by.
#[derive(Clone)]
pub(super) struct CustomPartitioner {
    class_name: String,
    make: Arc<dyn Fn() -> Box<dyn Partitioner + Send + Sync> + Send + Sync>,
}

impl CustomPartitioner {
    /// A new one.
    pub(super) fn make(&self) -> Box<dyn Partitioner + Send + Sync> {
        (self.make)()
    }
}

impl fmt::Debug for CustomPartitioner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class_name)
    }
}

impl Settings {
    /// Flink's bytes, as its serializers write them on `jdk`, without the checks of its planner and its enforcer: what
    /// tests against Flink want. For Flink's digits alone, `Settings::default().with_jdk(jdk)`.
    #[must_use]
    pub fn flink(jdk: Jdk) -> Self {
        Self {
            jdk,
            not_null_enforcer: NotNullEnforcer::Off,
            avro_true_micros: false,
            avro_json_line_feeds: true,
            corrupt_value_deletes: true,
            unchecked_kinds: true,
            shifted_format_metadata: true,
            ..Self::default()
        }
    }

    /// The same with the digits of `jdk`.
    #[must_use]
    pub fn with_jdk(self, jdk: Jdk) -> Self {
        Self { jdk, ..self }
    }

    /// The same as that release of Flink does it: it writes and reads what differs, as far as `docs/compatibility.md` says
    /// that is imitated, and refuses options that the release does not know.
    #[must_use]
    pub fn with_flink_release(self, flink_release: FlinkRelease) -> Self {
        Self { flink_release, ..self }
    }

    /// The same with another treatment of `-U`.
    #[must_use]
    pub fn with_update_before(self, update_before: UpdateBefore) -> Self {
        Self { update_before, ..self }
    }

    /// The same with another treatment of NULL in NOT NULL columns.
    #[must_use]
    pub fn with_not_null_enforcer(self, not_null_enforcer: NotNullEnforcer) -> Self {
        Self { not_null_enforcer, ..self }
    }

    /// The same with true microseconds in Avro, or with Flink's.
    #[must_use]
    pub fn with_avro_true_micros(self, avro_true_micros: bool) -> Self {
        Self { avro_true_micros, ..self }
    }

    /// The same with Flink's line feeds before records of Avro's JSON encoding, or without.
    #[must_use]
    pub fn with_avro_json_line_feeds(self, avro_json_line_feeds: bool) -> Self {
        Self { avro_json_line_feeds, ..self }
    }

    /// The same with `avro-confluent` keys of one column as plain values, or as records.
    #[must_use]
    pub fn with_avro_plain_keys(self, avro_plain_keys: bool) -> Self {
        Self { avro_plain_keys, ..self }
    }

    /// The same with a schema registry for `avro-confluent` and `debezium-avro-confluent`.
    #[must_use]
    pub fn with_schema_registry(self, schema_registry: Arc<dyn SchemaRegistry>) -> Self {
        Self { schema_registry: Some(schema_registry), ..self }
    }

    /// The same with corrupt values deleting rows, or not.
    #[must_use]
    pub fn with_corrupt_value_deletes(self, corrupt_value_deletes: bool) -> Self {
        Self { corrupt_value_deletes, ..self }
    }

    /// The same with another treatment of rows that are read with NULL in a column of the primary key.
    #[must_use]
    pub fn with_null_in_key(self, null_in_key: NullInKey) -> Self {
        Self { null_in_key, ..self }
    }

    /// The same with retractions written as inserts where the format knows nothing else, or not.
    #[must_use]
    pub fn with_unchecked_kinds(self, unchecked_kinds: bool) -> Self {
        Self { unchecked_kinds, ..self }
    }

    /// The same with a session's time zone.
    #[must_use]
    pub fn with_local_time_zone(self, local_time_zone: LocalTimeZone) -> Self {
        Self { local_time_zone, ..self }
    }

    /// The same with the format's metadata in Flink's columns, or in its own.
    #[must_use]
    pub fn with_shifted_format_metadata(self, shifted_format_metadata: bool) -> Self {
        Self { shifted_format_metadata, ..self }
    }

    /// The same with a partitioner for tables whose `sink.partitioner` is `class_name`; each accumulator gets a new one.
    ///
    /// ```
    /// use upsert_kafka::{Settings, Table};
    /// use upsert_kafka::partition::PartitionInput;
    ///
    /// let settings = Settings::default()
    ///     .with_partitioner("com.acme.ToTheFirst", || |_: &PartitionInput<'_>| 0);
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE log (line STRING) WITH ('connector' = 'kafka', 'topic' = 'log', 'format' = 'json',
    ///      'sink.partitioner' = 'com.acme.ToTheFirst', 'properties.bootstrap.servers' = 'localhost:9092')",
    /// )?;
    /// assert!(table.sink(&settings).is_ok());
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    #[must_use]
    pub fn with_partitioner<P: Partitioner + Send + Sync + 'static>(
        mut self,
        class_name: impl Into<String>,
        make: impl Fn() -> P + Send + Sync + 'static,
    ) -> Self {
        let make = Arc::new(move || -> Box<dyn Partitioner + Send + Sync> { Box::new(make()) });
        self.partitioners.push(CustomPartitioner { class_name: class_name.into(), make });
        self
    }

    /// The partitioner of that class name; of several the last.
    pub(super) fn custom_partitioner(&self, class_name: &str) -> Option<&CustomPartitioner> {
        self.partitioners.iter().rev().find(|custom| custom.class_name == class_name)
    }

    /// What the format of a key must know of it.
    pub(crate) fn key_format_settings(&self) -> FormatSettings<'_> {
        FormatSettings { avro_plain: self.avro_plain_keys, ..self.format_settings() }
    }

    /// What the format of a value must know of it.
    pub(crate) fn format_settings(&self) -> FormatSettings<'_> {
        FormatSettings {
            jdk: self.jdk,
            release: self.flink_release,
            avro_true_micros: self.avro_true_micros,
            avro_json_line_feeds: self.avro_json_line_feeds,
            avro_plain: false,
            schema_registry: self.schema_registry.as_ref(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            jdk: Jdk::default(),
            flink_release: FlinkRelease::default(),
            update_before: UpdateBefore::Tombstone,
            not_null_enforcer: NotNullEnforcer::Error,
            avro_true_micros: true,
            avro_json_line_feeds: false,
            avro_plain_keys: false,
            schema_registry: None,
            corrupt_value_deletes: false,
            null_in_key: NullInKey::Row,
            unchecked_kinds: false,
            shifted_format_metadata: false,
            local_time_zone: LocalTimeZone::UTC,
            partitioners: Vec::new(),
        }
    }
}

/// What `upsert-kafka` writes for a row of kind `-U`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UpdateBefore {
    /// A tombstone of its key, as Flink does where `-U` reaches the sink.
    #[default]
    Tombstone,
    /// Nothing: you know that a `+U` of the same key follows.
    Drop,
    /// A tombstone, unless the next record has the same key: the encoder writes it, and
    /// [`UpdatePairs`](crate::sink::UpdatePairs) after it holds it back. A table's accumulator has that stage.
    Pairs,
}

/// What becomes of a row with NULL in a NOT NULL column.
///
/// Agrees with Flink's `table.exec.sink.not-null-enforcer`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NotNullEnforcer {
    /// An error.
    #[default]
    Error,
    /// The row is dropped.
    Drop,
    /// The row is written unchecked.
    Off,
}

/// What becomes of a row that is read with NULL in a column of the primary key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NullInKey {
    /// It is a row like others, as in Flink, although it contradicts the NOT NULL of the key.
    #[default]
    Row,
    /// It is skipped; a record without another row, with
    /// [`SkipReason::NullInKey`](crate::source::SkipReason::NullInKey).
    Skip,
    /// The record is an error of kind [`Data`](crate::ErrorKind::Data) that names the column.
    Error,
}
