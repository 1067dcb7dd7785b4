//! Tables: formats, their options, columns.

use std::sync::Arc;

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::{NotNullEnforcer, TableOptions, TableSchema};
use upsert_kafka::types::{Field, LogicalType};
use upsert_kafka::{Jdk, RowKind, Settings, Table, UpdateBefore};

use super::draw::Draw;
use super::value::{Value, fields, row};

/// A table, how it is used, and the columns of the rows that are written into it.
#[derive(Debug)]
pub struct DrawnTable {
    pub table: Table,
    pub settings: Settings,
    /// Metadata columns last.
    pub columns: Vec<Field>,
    /// How many of the columns, from the first on, are the key: of a `kafka` table perhaps none.
    pub key_len: usize,
    /// Whether only rows that are added can be written.
    insert_only: bool,
    /// Whether its records are read back to the rows that they were.
    pub is_lossless: bool,
}

impl DrawnTable {
    /// A table of any connector and format. `None`: Flink refuses it.
    pub fn draw(draw: &mut Draw<'_>) -> Option<Self> {
        let upsert = draw.once_in(2);
        let with_changes = !upsert && draw.once_in(2);
        let with_key = upsert || draw.once_in(2);
        let value_format = draw.one_of(if with_changes { ENVELOPES } else { INSERT_ONLY });
        let key_format = draw.one_of(INSERT_ONLY);
        let mut columns = fields(draw, value_format.nesting.min(key_format.nesting.max(1)), "c");
        let longest_key = if key_format.identifier == "raw" { 1 } else { 2 };
        let key_len = if with_key { (draw.below(longest_key) + 1).min(columns.len()) } else { 0 };
        columns[..key_len].iter_mut().for_each(|key| key.data_type.nullable = false);
        let raw = value_format.identifier == "raw";
        if raw {
            columns.truncate(key_len + 1);
        }
        let key: Vec<_> = columns[..key_len].iter().map(|field| field.name.clone()).collect();

        let mut options = TableOptions::from_iter([
            ("connector", if upsert { "upsert-kafka" } else { "kafka" }),
            ("topic", "t"),
            ("properties.bootstrap.servers", "localhost:9092"),
            ("properties.group.id", "g"),
        ]);
        draw_format(draw, "value", value_format, &mut options);
        if with_key {
            draw_format(draw, "key", key_format, &mut options);
            if raw || draw.once_in(2) {
                options.set("value.fields-include", "EXCEPT_KEY");
            }
            if !upsert {
                options.set("key.fields", key.join(";"));
            }
        }

        let mut schema = columns.iter().fold(TableSchema::builder(), |schema, column| {
            schema.column(column.name.clone(), column.data_type.clone())
        });
        for (key, data_type) in metadata() {
            if draw.once_in(4) {
                let column = Field::new(format!("the {key}"), data_type.clone());
                schema = schema.column_by_metadata(column.name.clone(), data_type, Some(key), false);
                columns.push(column);
            }
        }
        if upsert {
            schema = schema.primary_key(key);
        }
        let table = Table::new(schema.build().ok()?, options).ok()?;
        let insert_only = !upsert && !with_changes;
        let is_lossless = ["key", "value"].iter().all(|part| is_lossless(part, table.options()));
        Some(Self { table, settings: settings(draw), columns, key_len, insert_only, is_lossless })
    }

    /// The kind of a row: now and then one that the table does not take.
    pub fn row_kind(&self, draw: &mut Draw<'_>) -> RowKind {
        if self.insert_only && !draw.once_in(8) {
            return RowKind::Insert;
        }
        draw.one_of(&[RowKind::Insert, RowKind::UpdateAfter, RowKind::Delete, RowKind::UpdateBefore])
    }

    /// A row of the table: now and then with a value of another type.
    pub fn row(&self, draw: &mut Draw<'_>) -> Vec<Value> {
        row(draw, &self.columns)
    }
}

/// What a sink writes beside key and value.
fn metadata() -> [(&'static str, LogicalType); 2] {
    let headers = LogicalType::map(LogicalType::STRING, LogicalType::BYTES);
    [("timestamp", LogicalType::TimestampLtz(3)), ("headers", headers)]
}

/// csv has no way back for empty texts, NULLs and years of more than four digits, Avro's JSON none for NaN.
fn is_lossless(part: &str, options: &TableOptions) -> bool {
    options.get(&format!("{part}.format")) != Some("csv")
        && options.get(&format!("{part}.avro.encoding")) != Some("json")
}

fn settings(draw: &mut Draw<'_>) -> Settings {
    let jdk = draw.one_of(&[Jdk::default(), Jdk::Jdk8To18]);
    let settings = if draw.once_in(4) { Settings::flink(jdk) } else { Settings::default().with_jdk(jdk) };
    settings
        .with_update_before(draw.one_of(&[UpdateBefore::Tombstone, UpdateBefore::Drop]))
        .with_not_null_enforcer(draw.one_of(&[
            NotNullEnforcer::Off,
            NotNullEnforcer::Error,
            NotNullEnforcer::Drop,
        ]))
        .with_unchecked_kinds(draw.once_in(2))
        // All in which records of the same rows differ.
        .with_avro_json_line_feeds(false)
        .with_schema_registry(Arc::new(MemorySchemaRegistry::new()))
}

/// A format with its options.
#[derive(Debug)]
struct Format {
    identifier: &'static str,
    /// How deep its columns nest.
    nesting: usize,
    required: &'static [(&'static str, &'static str)],
    /// Values that an option may take besides its default.
    options: &'static [(&'static str, &'static [&'static str])],
}

fn draw_format(draw: &mut Draw<'_>, part: &str, format: &Format, options: &mut TableOptions) {
    let Format { identifier, required, options: of_format, .. } = format;
    options.set(format!("{part}.format"), *identifier);
    for (name, value) in *required {
        options.set(format!("{part}.{identifier}.{name}"), *value);
    }
    for (name, values) in *of_format {
        if draw.once_in(4) {
            options.set(format!("{part}.{identifier}.{name}"), draw.one_of(values));
        }
    }
}

const MAP_NULL_KEY: (&str, &[&str]) = ("map-null-key.mode", &["DROP", "LITERAL"]);
const TIMESTAMP_FORMAT: (&str, &[&str]) = ("timestamp-format.standard", &["ISO-8601"]);
const IGNORE_PARSE_ERRORS: (&str, &[&str]) = ("ignore-parse-errors", &["true"]);
const PLAIN_NUMBER: (&str, &[&str]) = ("encode.decimal-as-plain-number", &["true"]);
const IGNORE_NULL_FIELDS: (&str, &[&str]) = ("encode.ignore-null-fields", &["true"]);

const JSON: Format = Format {
    identifier: "json",
    nesting: 3,
    required: &[],
    options: &[
        MAP_NULL_KEY,
        ("map-null-key.literal", &["a \"null\"", ""]),
        TIMESTAMP_FORMAT,
        PLAIN_NUMBER,
        IGNORE_NULL_FIELDS,
        IGNORE_PARSE_ERRORS,
        ("decode.json-parser.enabled", &["false"]),
    ],
};

const CSV: Format = Format {
    identifier: "csv",
    nesting: 1,
    required: &[],
    options: &[
        ("field-delimiter", &[";", "\t", "|", "ä"]),
        ("disable-quote-character", &["true"]),
        ("quote-character", &["'", ";"]),
        ("allow-comments", &["true"]),
        ("array-element-delimiter", &["|", ","]),
        ("escape-character", &["\\", "\""]),
        ("null-literal", &["n/a", "", "null"]),
        ("write-bigdecimal-in-scientific-notation", &["false"]),
        IGNORE_PARSE_ERRORS,
    ],
};

const RAW: Format = Format {
    identifier: "raw",
    nesting: 0,
    required: &[],
    options: &[
        ("charset", &["UTF-16", "UTF-16LE", "ISO-8859-1", "US-ASCII", "GBK", "Shift_JIS", "UTF-32"]),
        ("endianness", &["little-endian"]),
    ],
};

const AVRO: Format = Format {
    identifier: "avro",
    nesting: 3,
    required: &[],
    options: &[("encoding", &["json"]), ("timestamp_mapping.legacy", &["false"])],
};

const AVRO_CONFLUENT: Format = confluent("avro-confluent");

const fn confluent(identifier: &'static str) -> Format {
    let required = &[("url", "http://localhost:8081")];
    Format { identifier, nesting: 3, required, options: &[("subject", &["s"])] }
}

const fn envelope(identifier: &'static str) -> Format {
    let options = &[MAP_NULL_KEY, TIMESTAMP_FORMAT, PLAIN_NUMBER, IGNORE_NULL_FIELDS, IGNORE_PARSE_ERRORS];
    Format { identifier, nesting: 3, required: &[], options }
}

/// The formats that know only rows that are added.
const INSERT_ONLY: &[&Format] = &[&JSON, &CSV, &RAW, &AVRO, &AVRO_CONFLUENT];

/// The formats of changelogs.
const ENVELOPES: &[&Format] = &[
    &envelope("debezium-json"),
    &envelope("canal-json"),
    &envelope("maxwell-json"),
    &envelope("ogg-json"),
    &confluent("debezium-avro-confluent"),
];
