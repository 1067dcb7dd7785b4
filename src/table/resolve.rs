//! What resolving a table for reading and for writing have in common, in Flink's order of checks.
//!
//! Agrees with `org.apache.flink.table.factories.FactoryUtil`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZeroU32;

use crate::error::{Error, ErrorKind, Part};
use crate::format::{
    FORMATS, FlinkRelease, Format, FormatSpec, OptionReader, OptionSpec, Pattern, Role, ValueType, closest,
};
use crate::types::Field;

use super::changelog_mode::ChangelogMode;
use super::connector_options as option;
use super::layout::RecordLayout;
use super::modes::ValueFieldsInclude;
use super::options::Connector;
use super::projection::{key_projection, project, value_projection};
use super::properties::Properties;
use super::schema::Column;
use super::table::Table;
use super::topics::Topics;
use super::unknown::{TWO_FORMATS, no_factory, refuse_unsupported};

/// The options that begin so are the client's.
const PROPERTIES_PREFIX: &str = "properties.";

/// A table on its way to a [`RecordLayout`] and its role.
pub(super) struct Resolver<'a> {
    pub(super) table: &'a Table,
    role: Role,
    release: FlinkRelease,
    options: Cow<'a, [(String, String)]>,
    /// The keys that formats brought, with their prefixes; whether what follows a point is the user's.
    format_keys: Vec<(String, bool)>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(table: &'a Table, role: Role, release: FlinkRelease) -> Self {
        Self {
            table,
            role,
            release,
            options: Cow::Borrowed(table.todays_options().entries()),
            format_keys: Vec::new(),
        }
    }

    pub(super) fn options(&self) -> OptionReader<'_> {
        OptionReader::new(&self.options, "")
    }

    /// For sinks: a schema registry's subject follows from the one topic, unless the user names another.
    pub(super) fn complete_subjects(&mut self) -> Result<(), Error> {
        let topics = self.options().list(&option::TOPIC)?.unwrap_or_default();
        let [topic] = topics.as_slice() else { return Ok(()) };
        let of_registry = |spec| {
            let format = self.options().text(spec)?;
            ["avro-confluent", "debezium-avro-confluent"]
                .contains(&format)
                .then(|| format_prefix(spec, format))
        };
        let value = [&option::FORMAT, &option::VALUE_FORMAT].into_iter().find_map(of_registry);
        let key = of_registry(&option::KEY_FORMAT);
        for (prefix, part) in [(value, "value"), (key, "key")] {
            let Some(prefix) = prefix else { continue };
            let subject = format!("{prefix}schema-registry.subject");
            if !self.options.iter().any(|(key, _)| *key == subject) {
                self.options.to_mut().push((subject, format!("{topic}-{part}")));
            }
        }
        Ok(())
    }

    /// The formats of the key and of the value.
    pub(super) fn formats(&mut self, connector: Connector) -> Result<(Option<Format>, Format), Error> {
        let key = match connector {
            Connector::Kafka => self.format(&option::KEY_FORMAT)?,
            Connector::UpsertKafka => Some(self.required_format(&option::KEY_FORMAT)?),
        };
        if let Some(key) = key.as_ref().filter(|key| connector == Connector::Kafka && !key.insert_only()) {
            return Err(self.options().refuse(
                &option::KEY_FORMAT,
                format!(
                    "A key format should only deal with INSERT-only records. But {} has a changelog mode of {}.",
                    key.identifier(),
                    ChangelogMode::ALL
                ),
            ));
        }
        let value = match connector {
            Connector::Kafka => self.format(&option::FORMAT)?,
            Connector::UpsertKafka => None,
        };
        let value = match value {
            Some(value) => value,
            None => self.required_format(&option::VALUE_FORMAT)?,
        };
        Ok((key, value))
    }

    fn required_format(&mut self, spec: &OptionSpec) -> Result<Format, Error> {
        let role = match self.role {
            Role::Source => "scan",
            Role::Sink => "sink",
        };
        self.format(spec)?.ok_or_else(|| {
            let options = self.options();
            let error =
                options.refuse(spec, format!("Could not find required {role} format '{}'.", spec.key));
            let has_one = options.text(&option::FORMAT).is_some();
            match self.table.connector() {
                Connector::UpsertKafka if has_one => error.with_help(TWO_FORMATS),
                Connector::UpsertKafka | Connector::Kafka => error,
            }
        })
    }

    /// The format that the option `spec` names, with its options.
    fn format(&mut self, spec: &OptionSpec) -> Result<Option<Format>, Error> {
        let Some(identifier) = self.options().text(spec) else { return Ok(None) };
        let Some(format) = FormatSpec::find(identifier) else {
            let factory = match self.role {
                Role::Source => "DeserializationFormatFactory",
                Role::Sink => "SerializationFormatFactory",
            };
            let available = FORMATS.iter().map(|format| format.identifier);
            return Err(no_factory(identifier, factory, available).in_option(spec.key));
        };
        let prefix = format_prefix(spec, identifier);
        let connector = self.table.connector();
        for option in format.options.iter().filter(|option| option.is_in(self.release, connector.as_str())) {
            let is_map = option.value_type == ValueType::Map;
            self.format_keys.extend(option.keys().map(|key| (format!("{prefix}{key}"), is_map)));
        }
        format.read(OptionReader::new(&self.options, &prefix), self.role).map(Some)
    }

    /// Refuses options that are missing, of another type or not there at all.
    pub(super) fn validate(&self, connector: Connector) -> Result<(), Error> {
        self.options().validate(option::options_of(connector))?;
        let known =
            option::options_of(connector).chain(option::GENERIC_OPTIONS).chain(option::WATERMARK_OPTIONS);
        let known = known.filter(|spec| spec.is_in(self.release, connector.as_str()));
        let mut supported: Vec<&str> = known.map(|spec| spec.key).collect();
        supported.extend(self.format_keys.iter().map(|(key, _)| key.as_str()));
        let is_supported = |key: &str| {
            key.starts_with(PROPERTIES_PREFIX) || supported.contains(&key) || self.is_map_key(key)
        };
        let keys = self.options.iter().map(|(key, _)| key.as_str());
        let unsupported: Vec<_> = keys.filter(|key| !is_supported(key)).collect();
        if !unsupported.is_empty() {
            // Flink lists the properties that were given with what it supports.
            let given = self.options.iter().map(|(key, _)| key.as_str());
            let given = given.filter(|key| key.starts_with(PROPERTIES_PREFIX) && !supported.contains(key));
            let given: Vec<_> = given.collect();
            supported.extend(given);
            return Err(refuse_unsupported(connector, unsupported, supported));
        }
        self.check_watermarks(connector)
    }

    fn check_watermarks(&self, connector: Connector) -> Result<(), Error> {
        let options = self.options();
        options.validate(option::WATERMARK_OPTIONS)?;
        let (group, drift) = (option::WATERMARK_ALIGNMENT_GROUP, option::WATERMARK_ALIGNMENT_MAX_DRIFT);
        let is_set = |spec| options.text(spec).is_some();
        let both = is_set(&group) && is_set(&drift);
        let any = is_set(&group) || is_set(&drift) || is_set(&option::WATERMARK_ALIGNMENT_UPDATE_INTERVAL);
        if both || !any {
            return Ok(());
        }
        Err(options.refuse(
            &group,
            format!(
                "Error configuring watermark for '{}', '{}' and '{}' must be set when configuring watermark alignment",
                connector.as_str(),
                group.key,
                drift.key
            ),
        ))
    }

    fn is_map_key(&self, key: &str) -> bool {
        let after = |(map, is_map): &(String, bool)| is_map.then(|| key.strip_prefix(map.as_str())).flatten();
        self.format_keys.iter().filter_map(after).any(|rest| rest.starts_with('.'))
    }

    /// Refuses both a list of topics and a pattern, and neither: for all but the source of `upsert-kafka`.
    pub(super) fn check_topics(&self) -> Result<(), Error> {
        let options = self.options();
        match (options.list(&option::TOPIC)?, options.text(&option::TOPIC_PATTERN)) {
            (Some(_), Some(_)) => Err(options
                .refuse(&option::TOPIC, "Option 'topic' and 'topic-pattern' shouldn't be set together.")),
            (None, None) => Err(self.no_topic("Either 'topic' or 'topic-pattern' must be set.")),
            (Some(_), None) | (None, Some(_)) => Ok(()),
        }
    }

    /// The refusal of a table without topics, and what was perhaps meant to be one.
    #[cold]
    pub(super) fn no_topic(&self, message: &'static str) -> Error {
        let error = self.options().refuse(&option::TOPIC, message);
        let given = self.options.iter().map(|(key, _)| key.as_str()).take(100);
        match closest(option::TOPIC.key, given) {
            Some(slip) => error.with_help(format!("is '{slip}' meant to be 'topic'?")),
            None => error,
        }
    }

    /// Refuses a changelog format in `upsert-kafka`.
    pub(super) fn check_insert_only(&self, key: Option<&Format>, value: &Format) -> Result<(), Error> {
        let (spec, format, part) = match key {
            Some(key) if !key.insert_only() => (&option::KEY_FORMAT, key, "key"),
            _ if !value.insert_only() => (&option::VALUE_FORMAT, value, "value"),
            _ => return Ok(()),
        };
        Err(self.options().refuse(
            spec,
            format!(
                "'upsert-kafka' connector doesn't support '{0}' as {part} format, because '{0}' is not in insert-only \
                 mode.",
                format.identifier()
            ),
        ))
    }

    /// Refuses a missing primary key of `upsert-kafka`, and one of `kafka` that nobody would heed.
    pub(super) fn check_primary_key(&self, connector: Connector, value: &Format) -> Result<(), Error> {
        match (connector, self.table.schema().primary_key()) {
            (Connector::UpsertKafka, None) => Err(Error::new(
                ErrorKind::Table,
                "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies which \
                 columns should be read from or write to the Kafka message key. The PRIMARY KEY also defines records \
                 in the 'upsert-kafka' table should update or delete on which keys.",
            )),
            (Connector::Kafka, Some(_)) if value.insert_only() => Err(self.options().refuse(
                // `format` and `value.format` are two names of one option.
                match self.options.iter().any(|(key, _)| key == option::FORMAT.key) {
                    true => &option::FORMAT,
                    false => &option::VALUE_FORMAT,
                },
                format!(
                    "The Kafka table '{}' with '{}' format doesn't support defining PRIMARY KEY constraint on the \
                     table, because it can't guarantee the semantic of primary key.",
                    self.table.summary_name(),
                    value.identifier()
                ),
            )
            .with_help(
                "a table whose rows are updated by key is of 'connector' = 'upsert-kafka', with 'key.format' and \
                 'value.format'",
            )),
            _ => Ok(()),
        }
    }

    /// Which physical columns are the key, and which the value.
    pub(super) fn projections(&self, connector: Connector) -> Result<Projections, Error> {
        let options = self.options();
        let physical = self.physical_columns();
        let prefix = options.text(&option::KEY_FIELDS_PREFIX).unwrap_or_default();
        let names = match connector {
            Connector::Kafka => options.list(&option::KEY_FIELDS)?,
            Connector::UpsertKafka => Some(self.primary_key_names().map(str::to_owned).collect()),
        };
        let key = match (options.text(&option::KEY_FORMAT), names) {
            (None, Some(_)) => {
                return Err(options.refuse(
                    &option::KEY_FIELDS,
                    "The option 'key.fields' can only be declared if a key format is defined using 'key.format'.",
                ));
            }
            (None, None) => Vec::new(),
            (Some(_), Some(names)) if !names.is_empty() => key_projection(&physical, &names, prefix)?,
            (Some(_), _) => {
                return Err(options.refuse(
                    &option::KEY_FORMAT,
                    "A key format 'key.format' requires the declaration of one or more of key fields using \
                     'key.fields'.",
                ));
            }
        };
        let include = options.constant(&option::VALUE_FIELDS_INCLUDE)?.unwrap_or(ValueFieldsInclude::All);
        let value = value_projection(&physical, &key, include, prefix)?;
        Ok(Projections { physical, key, value })
    }

    /// The physical columns, and where they are in the row that is written or read.
    fn physical_columns(&self) -> Vec<(usize, Field)> {
        let columns = self.row_columns().enumerate();
        let physical = columns.filter(|(_, column)| column.is_physical());
        physical.filter_map(|(index, column)| Some((index, column_field(column)?))).collect()
    }

    /// The columns of a row that is written or read.
    pub(super) fn row_columns(&self) -> impl Iterator<Item = &'a Column> {
        let role = self.role;
        self.table.schema().columns().iter().filter(move |column| match role {
            Role::Source => column.data_type().is_some(),
            Role::Sink => column.is_persisted(),
        })
    }

    fn primary_key_names(&self) -> impl Iterator<Item = &'a str> {
        let schema = self.table.schema();
        let key = schema.primary_key().map_or(&[][..], |key| key.columns());
        key.iter().map(|&column| schema.columns()[column].name())
    }

    /// `topic` or `topic-pattern`, as they were set.
    pub(super) fn topics(&self) -> Result<(Option<Vec<String>>, Option<Pattern>), Error> {
        let options = self.options();
        let pattern = options.pattern(&option::TOPIC_PATTERN)?;
        Ok((options.list(&option::TOPIC)?, pattern))
    }

    /// The layout, once formats, projections and topics are settled.
    pub(super) fn layout(
        &self,
        connector: Connector,
        (key, value): (Option<Format>, Format),
        projections: Projections,
        topics: Topics,
    ) -> Result<RecordLayout, Error> {
        let Projections { physical, key: key_columns, value: value_columns } = projections;
        let key_prefix = self.options().text(&option::KEY_FIELDS_PREFIX);
        let project = |format, columns, prefix, part| {
            project(format, &physical, columns, prefix).map_err(|error| error.with_part(part))
        };
        let prefix = key_prefix.unwrap_or_default();
        let key = key.map(|key| project(key, key_columns, prefix, Part::Key)).transpose()?;
        let value = project(value, value_columns, "", Part::Value)?;
        let row_columns: Vec<_> = self.row_columns().collect();
        let places: HashMap<&str, usize> =
            (0..).zip(&row_columns).map(|(place, column)| (column.name(), place)).collect();
        Ok(RecordLayout {
            connector,
            columns: row_columns.iter().filter_map(|column| column_field(column)).collect(),
            topics,
            key_prefix: key_prefix.map(str::to_owned),
            key,
            value,
            primary_key: self.primary_key_names().filter_map(|name| places.get(name).copied()).collect(),
        })
    }

    /// What the options say to the client: those after `properties.`, without it.
    pub(super) fn properties(&self) -> Properties {
        let properties = self.options.iter();
        let properties =
            properties.filter_map(|(key, value)| Some((key.strip_prefix(PROPERTIES_PREFIX)?, value)));
        properties.map(|(key, value)| (key.to_owned(), value.clone())).collect()
    }

    /// `sink.parallelism` or `scan.parallelism`, which the planner refuses below one.
    pub(super) fn parallelism(&self, spec: &OptionSpec) -> Result<Option<NonZeroU32>, Error> {
        let Some(parallelism) = self.options().int(spec)? else { return Ok(None) };
        match u32::try_from(parallelism).ok().and_then(NonZeroU32::new) {
            Some(parallelism) => Ok(Some(parallelism)),
            None => Err(self.options().refuse(
                spec,
                format!(
                    "Invalid configured parallelism {parallelism} for table '{}'.",
                    self.table.summary_name()
                ),
            )),
        }
    }
}

/// The physical columns, and the positions among them of the key's and the value's.
pub(super) struct Projections {
    physical: Vec<(usize, Field)>,
    key: Vec<usize>,
    value: Vec<usize>,
}

/// `value.json.` for the option `value.format` and `json`.
fn format_prefix(spec: &OptionSpec, identifier: &str) -> String {
    format!("{}{identifier}.", spec.key.trim_end_matches("format"))
}

fn column_field(column: &Column) -> Option<Field> {
    column.data_type().map(|data_type| Field::new(column.name(), data_type.clone()))
}
