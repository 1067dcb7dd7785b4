//! Things that are allowed and cost people days.

use std::collections::HashSet;
use std::fmt;

use crate::format::{AvroTimestamps, Format, FormatSpec};
use crate::types::{DataType, Field, LogicalType};

use super::layout::RecordLayout;
use super::options::{Connector, TableOptions};
use super::projection::FormatProjection;

/// Something about a table that is allowed, but rarely intended.
///
/// Shown as ``column `price`: ...``, the column only where there is one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Lint {
    /// What it is.
    pub kind: LintKind,
    /// The column that it is about.
    pub column: Option<String>,
    message: String,
}

/// The sort of [`Lint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LintKind {
    /// FLOAT or DOUBLE in a key: its text depends on the JDK.
    FloatInKey,
    /// DECIMAL in a key: its text depends on the writer.
    DecimalInKey,
    /// MAP or MULTISET in a key: its entries have no order.
    UnorderedKey,
    /// A key that can be NULL.
    NullableKey,
    /// A key with its schema's id in it: the same key under another id is another key.
    SchemaIdInKey,
    /// A key format with options that other writers may not have.
    KeyFormatOptions,
    /// A value that holds the key's columns too, which then hides the key's.
    ValueHidesKey,
    /// A type whose last digits do not reach the reader.
    LostPrecision,
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "column `{column}`: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The lints of a table of that layout and those options.
pub(super) fn lints(layout: &RecordLayout, options: &TableOptions) -> Vec<Lint> {
    let mut lints = Lints::default();
    if let Some(key) = layout.key() {
        lints.check_key(key);
        lints.check_key_options(key, options);
        let of_value: HashSet<usize> = layout.value_columns().iter().copied().collect();
        let in_value = |column: &&usize| of_value.contains(column);
        if let Some(column) =
            key.columns.iter().find(in_value).filter(|_| layout.connector() == Connector::Kafka)
        {
            lints.add(
                LintKind::ValueHidesKey,
                Some(&layout.columns()[*column]),
                "the value is taken to hold it too, and hides what the key says when the table is read; a producer that \
                 writes it into the key alone needs 'value.fields-include' = 'EXCEPT_KEY'",
            );
        }
    }
    for projection in layout.key().into_iter().chain([layout.value()]) {
        for field in &projection.fields {
            lints.check_precision(field, &field.data_type, &projection.format);
        }
    }
    lints.found
}

#[derive(Default)]
struct Lints {
    found: Vec<Lint>,
    seen: HashSet<Lint>,
}

impl Lints {
    fn add(&mut self, kind: LintKind, field: Option<&Field>, message: impl Into<String>) {
        let lint = Lint { kind, column: field.map(|field| field.name.clone()), message: message.into() };
        if self.seen.insert(lint.clone()) {
            self.found.push(lint);
        }
    }

    fn check_key(&mut self, key: &FormatProjection) {
        if key.format.has_schema_id() {
            self.add(
                LintKind::SchemaIdInKey,
                None,
                "the bytes of an avro-confluent key begin with its schema's id in the registry: under another id, as from \
                 another registry or after a change of the schema, the same key goes to another partition, and \
                 compaction keeps both",
            );
        }
        for field in &key.fields {
            self.check_key_type(field, &field.data_type, &key.format);
            if field.data_type.nullable {
                let bytes = match &key.format {
                    Format::Raw(_) => "no key at all, and the record goes to any partition",
                    Format::Csv(_) => {
                        "the empty text, which csv does not tell from '' and does not read back"
                    }
                    _ => "a key of its own",
                };
                self.add(
                    LintKind::NullableKey,
                    Some(field),
                    format!("a key that is NULL is written as {bytes}"),
                );
            }
        }
    }

    /// What in a key has more than one spelling: the same key would be two, on two partitions.
    fn check_key_type(&mut self, field: &Field, data_type: &DataType, format: &Format) {
        let is_text = !matches!(
            format,
            Format::Raw(_) | Format::Avro(_) | Format::AvroConfluent(_) | Format::DebeziumAvro(_)
        );
        match &data_type.logical_type {
            LogicalType::Float | LogicalType::Double => self.add(
                LintKind::FloatInKey,
                Some(field),
                if is_text {
                    "the digits of a floating-point key differ between JDK 18 and JDK 19, and with them its partition"
                } else {
                    "floating-point keys are equal only where their bits are: 0.0 and -0.0 are two keys"
                },
            ),
            LogicalType::Decimal { .. } if is_text => self.add(
                LintKind::DecimalInKey,
                Some(field),
                "Flink writes 100.00 as 1E+2 unless its format's option says otherwise; a writer that does not is on \
                 another partition with the same key",
            ),
            LogicalType::Map(..) | LogicalType::Multiset(_) => self.add(
                LintKind::UnorderedKey,
                Some(field),
                "the entries of a map have no order: the same map can be two keys",
            ),
            LogicalType::Array(element) => self.check_key_type(field, element, format),
            LogicalType::Row(row) => {
                row.fields().iter().for_each(|nested| self.check_key_type(field, &nested.data_type, format));
            }
            _ => {}
        }
    }

    fn check_key_options(&mut self, key: &FormatProjection, options: &TableOptions) {
        let identifier = key.format.identifier();
        let specs = FormatSpec::find(identifier).map_or(&[][..], |format| format.options);
        for spec in specs {
            let option = format!("key.{identifier}.{}", spec.key);
            let set = options.get(&option).filter(|text| Some(*text) != spec.default);
            if let (Some(text), true) = (set, changes_bytes(spec.key)) {
                self.add(
                    LintKind::KeyFormatOptions,
                    None,
                    format!(
                        "'{option}' = '{text}' changes the bytes of keys, and with them their partitions: every writer \
                         of the topic needs it"
                    ),
                );
            }
        }
    }

    fn check_precision(&mut self, field: &Field, data_type: &DataType, format: &Format) {
        match (&data_type.logical_type, format) {
            (LogicalType::Time(precision), _) if *precision > 3 => self.add(
                LintKind::LostPrecision,
                Some(field),
                format!("Flink keeps only the milliseconds of TIME({precision})"),
            ),
            (
                LogicalType::Timestamp(precision) | LogicalType::TimestampLtz(precision),
                Format::Avro(options),
            ) if *precision > 3 && options.timestamps == AvroTimestamps::Correct => self.add(
                LintKind::LostPrecision,
                Some(field),
                "Flink writes milliseconds into Avro's type of microseconds; here they are microseconds, unless \
                 Settings::flink is asked for",
            ),
            (LogicalType::Decimal { precision, .. }, Format::Json(_)) if *precision > 15 => self.add(
                LintKind::LostPrecision,
                Some(field),
                format!(
                    "JSON spells DECIMAL({precision}) as a number, and many readers hold numbers as doubles: digits \
                     after the 15th are lost there"
                ),
            ),
            (LogicalType::Array(element) | LogicalType::Multiset(element), _) => {
                self.check_precision(field, element, format);
            }
            (LogicalType::Map(key, value), _) => {
                self.check_precision(field, key, format);
                self.check_precision(field, value, format);
            }
            (LogicalType::Row(row), _) => {
                row.fields().iter().for_each(|nested| self.check_precision(field, &nested.data_type, format));
            }
            _ => {}
        }
    }
}

/// Whether an option of a format is about what is written; the others are about reading.
fn changes_bytes(key: &str) -> bool {
    const OF_READING: [&str; 9] = [
        "ignore-parse-errors",
        "fail-on-missing-field",
        "decode.json-parser.enabled",
        "allow-comments",
        "trim-spaces",
        "ignore-trailing-unmappable",
        "allow-trailing-comma",
        "fail-on-missing-columns",
        "empty-string-as-null",
    ];
    const OF_THE_REGISTRY: [&str; 6] =
        ["url", "subject", "ssl.", "basic-auth.", "bearer-auth.", "properties"];
    !OF_READING.contains(&key) && !OF_THE_REGISTRY.iter().any(|start| key.starts_with(start))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::format::MemorySchemaRegistry;
    use crate::table::{Settings, Table};

    fn found(columns: &str, options: &str) -> Vec<(LintKind, Option<String>)> {
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t ({columns}) WITH ('topic' = 't', 'properties.bootstrap.servers' = 'b:9092', {options})"
        ))
        .unwrap();
        let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
        let sink = table.sink(&settings).unwrap();
        sink.lints().iter().map(|lint| (lint.kind, lint.column.clone())).collect()
    }

    #[test]
    fn a_lint_is_found_where_it_is() {
        const UPSERT: &str = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'";
        const KAFKA: &str =
            "'connector' = 'kafka', 'key.format' = 'csv', 'key.fields' = 'k', 'value.format' = 'csv'";
        let key = |column: &str| format!("{column}, v STRING, PRIMARY KEY (k) NOT ENFORCED");
        let option = |option: &str| format!("{UPSERT}, {option}");
        for (columns, options, kind, column) in [
            (key("k DOUBLE"), UPSERT.to_owned(), LintKind::FloatInKey, Some("k")),
            (key("k ROW<f ARRAY<FLOAT>>"), UPSERT.to_owned(), LintKind::FloatInKey, Some("k")),
            (key("k DECIMAL(10, 2)"), UPSERT.to_owned(), LintKind::DecimalInKey, Some("k")),
            (key("k MAP<STRING, INT>"), UPSERT.to_owned(), LintKind::UnorderedKey, Some("k")),
            (key("k INT, d DECIMAL(20, 2)"), UPSERT.to_owned(), LintKind::LostPrecision, Some("d")),
            (
                key("k INT"),
                option("'key.json.encode.decimal-as-plain-number' = 'true'"),
                LintKind::KeyFormatOptions,
                None,
            ),
            (
                "k INT, v STRING".to_owned(),
                format!("{KAFKA}, 'value.fields-include' = 'EXCEPT_KEY'"),
                LintKind::NullableKey,
                Some("k"),
            ),
            ("k INT NOT NULL, v STRING".to_owned(), KAFKA.to_owned(), LintKind::ValueHidesKey, Some("k")),
        ] {
            assert_eq!(found(&columns, &options), [(kind, column.map(str::to_owned))], "{columns} {options}");
        }
        let with_registry = |part: &str, other: &str| {
            format!(
                "'connector' = 'upsert-kafka', '{other}.format' = 'json', '{part}.format' = 'avro-confluent', \
                 '{part}.avro-confluent.url' = 'http://localhost'"
            )
        };
        let found_in_key = found(&key("k BIGINT"), &with_registry("key", "value"));
        assert_eq!(found_in_key, [(LintKind::SchemaIdInKey, None)]);
        for (columns, options) in [
            (key("k BIGINT"), with_registry("value", "key")),
            (key("k BIGINT"), UPSERT.to_owned()),
            (key("k STRING, d DECIMAL(10, 2), f DOUBLE, t TIMESTAMP(9)"), UPSERT.to_owned()),
            (key("k INT"), option("'key.json.ignore-parse-errors' = 'true'")),
            (key("k INT"), option("'key.json.map-null-key.mode' = 'FAIL'")),
        ] {
            assert_eq!(found(&columns, &options), [], "{columns} {options}");
        }
    }
}
