use super::connector_options::CONNECTOR;
use super::ddl::{Clauses, CreateTable, parse_create_table};
use super::legacy::{LegacyTable, LegacyWrites};
use super::options::{Connector, TableOptions};
use super::path::whole_path;
use super::schema::TableSchema;
use super::unknown::no_factory;
use crate::error::{Error, ErrorKind};

/// A table of the connectors `kafka` or `upsert-kafka`: its columns and its options.
///
/// What its other options mean, and whether they are allowed, depends on its use: see [`sink`](Self::sink) and
/// [`source`](Self::source).
///
/// ```
/// use upsert_kafka::{Settings, Table};
/// use upsert_kafka::table::{TableOptions, TableSchema};
/// use upsert_kafka::types::LogicalType;
///
/// let schema = TableSchema::builder()
///     .column("id", LogicalType::BigInt.not_null())
///     .column("name", LogicalType::STRING)
///     .primary_key(["id"])
///     .build()?;
/// let options = TableOptions::from_iter([
///     ("connector", "upsert-kafka"),
///     ("topic", "people"),
///     ("properties.bootstrap.servers", "localhost:9092"),
///     ("key.format", "json"),
///     ("value.format", "json"),
/// ]);
/// let sink = Table::new(schema, options)?.sink(&Settings::default())?;
/// assert_eq!(sink.layout().key_fields()[0].name, "id");
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One to three parts: the table, its database, its catalog.
    path: Vec<String>,
    schema: TableSchema,
    options: TableOptions,
    /// What the options say where they are of the older dialect.
    legacy: Option<LegacyTable>,
    connector: Connector,
    pub(super) clauses: Clauses,
}

impl Table {
    /// The table `t` of these columns and options.
    ///
    /// # Errors
    ///
    /// Flink's, of kind [`ErrorKind::Table`], if the table names no connector or another one; and if its options are of
    /// the older dialect of `connector.type` and are invalid there.
    pub fn new(schema: TableSchema, options: TableOptions) -> Result<Self, Error> {
        let legacy = LegacyTable::translate(&options)?;
        let connector = find_connector(legacy.as_ref().map_or(&options, |legacy| &legacy.options))?;
        Ok(Self {
            path: vec!["t".to_owned()],
            schema,
            options,
            legacy,
            connector,
            clauses: Clauses::default(),
        })
    }

    /// The table of a `CREATE TABLE` statement, as Flink's SQL reads it; a table prints itself back as one.
    ///
    /// The expressions of computed columns and watermarks are kept as text and not checked: an invalid expression, or
    /// one that names no column, passes here and is refused by Flink. `LIKE` and `AS SELECT` are refused: there is no
    /// catalog and no query.
    ///
    /// ```
    /// use upsert_kafka::Table;
    ///
    /// let table = Table::from_ddl(
    ///     "create table people ( -- keywords in any case
    ///        id bigint,
    ///        `name` string comment 'as in the passport',
    ///        primary key (id) not enforced
    ///      ) with (
    ///        'connector' = 'upsert-kafka', 'topic' = 'people', 'properties.bootstrap.servers' = 'localhost:9092',
    ///        'key.format' = 'json', 'value.format' = 'json'
    ///      );",
    /// )?;
    /// assert!(table.to_string().starts_with("CREATE TABLE `people` (\n  `id` BIGINT NOT NULL,"));
    /// assert_eq!(Table::from_ddl(&table.to_string())?, table);
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] where the text is no single `CREATE TABLE`, [`ErrorKind::Table`] where Flink's catalog
    /// refuses it: both in Flink's words with its line and column, and with the byte. Also those of
    /// [`new`](Self::new).
    pub fn from_ddl(text: &str) -> Result<Self, Error> {
        let CreateTable { path, schema, clauses, options } = parse_create_table(text)?;
        Ok(Self { path, clauses, ..Self::new(schema, options)? })
    }

    /// The same table with another name: `[table]`, `[database, table]` or `[catalog, database, table]`.
    #[must_use]
    pub fn with_name<I: IntoIterator<Item: Into<String>>>(self, path: I) -> Self {
        Self { path: path.into_iter().map(Into::into).collect(), ..self }
    }

    /// The same table with these options over its own, as the hint `/*+ OPTIONS(...) */` sets them for a query.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn with_options<K: Into<String>, V: Into<String>>(
        self,
        options: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, Error> {
        let Self { path, schema, options: mut own, clauses, .. } = self;
        own.extend(options);
        Ok(Self { path, clauses, ..Self::new(schema, own)? })
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> &TableSchema {
        &self.schema
    }

    /// The options, as they were set.
    #[must_use]
    pub fn options(&self) -> &TableOptions {
        &self.options
    }

    /// The options in today's spelling, whatever dialect they were written in.
    pub(super) fn todays_options(&self) -> &TableOptions {
        self.legacy.as_ref().map_or(&self.options, |legacy| &legacy.options)
    }

    pub(super) fn legacy_writes(&self) -> Option<&LegacyWrites> {
        self.legacy.as_ref().map(|legacy| &legacy.writes)
    }

    /// The connector.
    #[must_use]
    pub fn connector(&self) -> Connector {
        self.connector
    }

    /// The parts of the name as they were given: the table's own, in front of it its database and its catalog.
    #[must_use]
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The comment.
    #[must_use]
    pub fn comment(&self) -> Option<&str> {
        self.clauses.comment.as_deref()
    }

    /// The columns of `PARTITIONED BY`, which keep both connectors from writing the table.
    #[must_use]
    pub fn partition_keys(&self) -> &[String] {
        &self.clauses.partition_keys
    }

    /// The clause after `DISTRIBUTED`, which keeps both connectors from writing the table.
    #[must_use]
    pub fn distribution(&self) -> Option<String> {
        self.clauses.distribution.as_ref().map(ToString::to_string)
    }

    /// The whole name, as Flink's sentences have it: `default_catalog.default_database.t`.
    pub(super) fn summary_name(&self) -> String {
        whole_path(&self.path).collect::<Vec<_>>().join(".")
    }
}

fn find_connector(options: &TableOptions) -> Result<Connector, Error> {
    let Some(identifier) = options.get(CONNECTOR.key) else {
        return Err(Error::new(
            ErrorKind::Table,
            "Table options do not contain an option key 'connector' for discovering a connector.",
        ));
    };
    let mut connectors = Connector::ALL.into_iter();
    connectors.find(|connector| connector.as_str() == identifier).ok_or_else(|| {
        let available = Connector::ALL.into_iter().map(Connector::as_str);
        no_factory(identifier, "DynamicTableFactory", available).in_option(CONNECTOR.key)
    })
}
