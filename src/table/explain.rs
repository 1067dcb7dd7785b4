//! A table, explained to people.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::fixture::JsonRows;
use crate::format::{EncodeRow, Encoded, FormatSettings, MemorySchemaRegistry, SchemaRegistry};
use crate::row::{RowBuf, RowKind};
use crate::types::{DataType, Field, LogicalType};
use crate::wire::Buffer;

use super::layout::RecordLayout;
use super::lints::Lint;
use super::options::Connector;
use super::projection::FormatProjection;
use super::scan::{BoundedMode, StartupMode};
use super::settings::Settings;
use super::sink::TableSink;
use super::sink_partitioner::SinkPartitioner;
use super::source::TableSource;

impl TableSink {
    /// The table, for people: key and value, formats and partitions, the records of a sample row, and the
    /// [`lints`](Self::lints).
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = Explanation(String::new());
        text.layout(self.table_name(), self.layout());
        text.sink(self);
        text.lints(self.lints());
        text.0
    }
}

impl TableSource {
    /// The table, for people: key and value, formats, where the reading starts and ends, and the
    /// [`lints`](Self::lints).
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = Explanation(String::new());
        text.layout(self.table_name(), self.layout());
        text.source(self);
        text.lints(self.lints());
        text.0
    }
}

struct Explanation(String);

impl Explanation {
    fn line(&mut self, head: &str, tail: &str) {
        let _ = writeln!(self.0, "{head:<9} {tail}");
    }

    fn layout(&mut self, table_name: &str, layout: &RecordLayout) {
        self.line(table_name, &format!("is a table of '{}'", layout.connector().as_str()));
        match (layout.topics(), layout.topic_pattern()) {
            (Some([topic]), _) => self.line("topic", topic),
            (Some(topics), _) => self.line("topics", &topics.join(", ")),
            (None, Some(pattern)) => self.line("topics", &format!("whose whole name matches {pattern}")),
            (None, None) => {}
        }
        self.line("row", &fields(layout.columns()));
        match layout.key() {
            None => self.line("key", "none"),
            Some(key) => {
                let order = match layout.connector() {
                    Connector::Kafka => "in the order of 'key.fields'",
                    Connector::UpsertKafka => "in the order of the PRIMARY KEY",
                };
                self.line("key", &format!("{} of {}, {order}", key.format.identifier(), fields(&key.fields)));
            }
        }
        let value = layout.value();
        self.line("value", &format!("{} of {}", value.format.identifier(), fields(&value.fields)));
    }

    fn sink(&mut self, sink: &TableSink) {
        let partition = match sink.partitioner() {
            SinkPartitioner::Default if sink.layout().key().is_some_and(|key| key.format.has_schema_id()) => {
                "murmur2 of the key's bytes, the id of its schema among them, modulo the partitions"
                    .to_owned()
            }
            SinkPartitioner::Default if sink.layout().key().is_some() => {
                "murmur2 of the key's bytes, modulo the partitions, as Java's producer does".to_owned()
            }
            SinkPartitioner::Default => "any: without a key the producer chooses".to_owned(),
            SinkPartitioner::Fixed => "one for each subtask".to_owned(),
            SinkPartitioner::RoundRobin => "one after the other, whatever the key".to_owned(),
            SinkPartitioner::Custom(class) => format!("what {class} says"),
        };
        self.line("partition", &partition);
        self.line("takes", &sink.changelog_mode().to_string());
        if let Some(flush) = sink.buffer_flush() {
            let (rows, interval) = (flush.max_rows, flush.interval_ms);
            self.line("flush", &format!("the last row of each key, after {rows} keys or {interval} ms"));
        }
        self.sample(sink.layout(), sink.settings());
    }

    fn lints(&mut self, lints: &[Lint]) {
        if !lints.is_empty() {
            self.0.push_str("\nlook out\n");
            lints.iter().for_each(|lint| self.0.push_str(&format!("- {lint}\n")));
        }
    }

    /// A row, and the records of its insert and its delete.
    fn sample(&mut self, layout: &RecordLayout, settings: &Settings) {
        let values: Vec<Value> = layout.columns().iter().map(|field| sample(&field.data_type)).collect();
        let mut row = RowBuf::new();
        if JsonRows::new(layout.columns()).read(&json!(["+I", values]).to_string(), &mut row).is_err() {
            return;
        }
        self.line("a row", &Value::from(values).to_string());
        if let Some(key) = layout.key() {
            self.line("its key", &encoded(key, settings.key_format_settings(), RowKind::Insert, &row));
        }
        self.line("its value", &encoded(layout.value(), settings.format_settings(), RowKind::Insert, &row));
        match (layout.connector(), layout.value().format.insert_only()) {
            (Connector::UpsertKafka, _) => self.line("deleted", "the key and no value: a tombstone"),
            (Connector::Kafka, false) => self
                .line("deleted", &encoded(layout.value(), settings.format_settings(), RowKind::Delete, &row)),
            (Connector::Kafka, true) => {}
        }
    }

    fn source(&mut self, source: &TableSource) {
        let from = match source.startup_mode() {
            StartupMode::Earliest => "the first record".to_owned(),
            StartupMode::Latest => "the end".to_owned(),
            StartupMode::GroupOffsets => "what the consumer group committed".to_owned(),
            StartupMode::Timestamp(millis) => format!("the time {millis}"),
            StartupMode::SpecificOffsets(offsets) => format!("the offsets {offsets:?}"),
        };
        let to = match source.bounded_mode() {
            BoundedMode::Unbounded => "without end".to_owned(),
            BoundedMode::Latest => "up to what is there at the start".to_owned(),
            BoundedMode::GroupOffsets => "up to what the consumer group had committed".to_owned(),
            BoundedMode::Timestamp(millis) => format!("up to the time {millis}"),
            BoundedMode::SpecificOffsets(offsets) => format!("up to the offsets {offsets:?}"),
        };
        self.line("from", &format!("{from}, {to}"));
        self.line("gives", &source.changelog_mode().to_string());
        if source.layout().connector() == Connector::UpsertKafka {
            self.line(
                "",
                "a value is +I or +U of its key, no value is -D: a ChangelogNormalizer tells which",
            );
        }
    }
}

/// `id BIGINT NOT NULL, name STRING`
fn fields(fields: &[Field]) -> String {
    let fields: Vec<_> = fields.iter().map(|field| format!("{} {:#}", field.name, field.data_type)).collect();
    if fields.is_empty() { "no columns".to_owned() } else { fields.join(", ") }
}

/// What the format makes of the row, as text, or as hexadecimal digits where it is none.
///
/// It is asked of a codec of its own: an explanation registers no schema.
fn encoded(
    projection: &FormatProjection,
    settings: FormatSettings<'_>,
    kind: RowKind,
    row: &RowBuf,
) -> String {
    let registry: Arc<dyn SchemaRegistry> = Arc::new(MemorySchemaRegistry::new());
    let settings = FormatSettings { schema_registry: Some(&registry), ..settings };
    let mut bytes = Buffer::default();
    let encoder = projection.format.encoder(projection.projection(), settings);
    match encoder.and_then(|encoder| encoder.encode(kind, row, &mut bytes)) {
        Ok(Encoded::Bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
            _ => bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" "),
        },
        Ok(Encoded::Null) => "none".to_owned(),
        Err(error) => format!("({})", error.message()),
    }
}

/// A value of the type, in the form that [`JsonRows`] reads.
fn sample(data_type: &DataType) -> Value {
    match &data_type.logical_type {
        LogicalType::Char(_) | LogicalType::VarChar(_) => json!("a"),
        LogicalType::Boolean => json!(true),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => json!("YQ=="),
        LogicalType::Decimal { precision, scale } => {
            let whole = if precision == scale { "0" } else { "1" };
            let places = usize::from(*scale);
            if places == 0 { json!(whole) } else { json!(format!("{whole}.{:0<places$}", 5)) }
        }
        LogicalType::TinyInt
        | LogicalType::SmallInt
        | LogicalType::Int
        | LogicalType::BigInt
        | LogicalType::YearMonthInterval(_)
        | LogicalType::DayTimeInterval(_) => json!(1),
        LogicalType::Float | LogicalType::Double => json!("1.5"),
        LogicalType::Date => json!("2024-02-29"),
        LogicalType::Time(_) => json!("12:34:56"),
        LogicalType::Timestamp(_) => json!("2024-02-29 12:34:56"),
        LogicalType::TimestampLtz(_) => json!("2024-02-29 12:34:56Z"),
        LogicalType::Array(element) => json!([sample(element)]),
        LogicalType::Map(key, value) => json!([[sample(key), sample(value)]]),
        LogicalType::Multiset(element) => json!([[sample(element), 1]]),
        LogicalType::Row(row) => row.fields().iter().map(|field| sample(&field.data_type)).collect(),
        // No format takes the others.
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    /// The records are those of golden `ddl-up-seed001` and of the vectors of `json`.
    #[test]
    fn an_explanation_shows_what_a_row_becomes() {
        let table = Table::from_ddl(
            "CREATE TABLE versions (valueKey INT, countNumber BIGINT, PRIMARY KEY (valueKey) NOT ENFORCED) WITH (
             'connector' = 'upsert-kafka', 'topic' = 'versioned_topic', 'properties.bootstrap.servers' = 'b:9092',
             'key.format' = 'json', 'value.format' = 'json')",
        )
        .unwrap();
        let written = table.sink(&Settings::default()).unwrap().explain();
        let read = table.source(&Settings::default()).unwrap().explain();
        for line in [
            "default_catalog.default_database.versions is a table of 'upsert-kafka'",
            "topic     versioned_topic",
            "row       valueKey INT NOT NULL, countNumber BIGINT",
            "key       json of valueKey INT NOT NULL, in the order of the PRIMARY KEY",
        ] {
            for explanation in [&written, &read] {
                assert!(explanation.lines().any(|found| found == line), "{line}\n{explanation}");
            }
        }
        for line in [
            "takes     [INSERT, UPDATE_AFTER, DELETE]",
            r#"its key   {"valueKey":1}"#,
            r#"its value {"valueKey":1,"countNumber":1}"#,
        ] {
            assert!(written.lines().any(|found| found == line), "{line}\n{written}");
        }
        let line = "from      the first record, without end";
        assert!(read.lines().any(|found| found == line), "{line}\n{read}");
    }

    #[test]
    fn the_id_of_a_schema_is_part_of_a_key_and_said_to_be() {
        let table = Table::from_ddl(
            "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', \
             'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'value.format' = 'json', \
             'key.format' = 'avro-confluent', 'key.avro-confluent.url' = 'http://b:8081')",
        )
        .unwrap();
        let registry = Arc::new(MemorySchemaRegistry::new());
        let sink = table.sink(&Settings::default().with_schema_registry(registry)).unwrap();
        let explanation = sink.explain();
        for part in
            ["murmur2 of the key's bytes, the id of its schema among them", "look out\n- the bytes of an"]
        {
            assert!(explanation.contains(part), "{explanation}");
        }
    }

    #[test]
    fn an_explanation_registers_no_schema() {
        let registry = Arc::new(MemorySchemaRegistry::new());
        let table = Table::from_ddl(
            "CREATE TABLE t (id BIGINT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'avro-confluent',
             'avro-confluent.url' = 'http://localhost', 'properties.bootstrap.servers' = 'b:9092')",
        )
        .unwrap();
        let sink = table.sink(&Settings::default().with_schema_registry(registry.clone())).unwrap();
        assert!(sink.explain().contains("its value 00 00 00 00 01 02 02"), "{}", sink.explain());
        assert!(registry.versions("t-value").is_empty());
    }
}
