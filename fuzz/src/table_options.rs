use std::sync::{Arc, LazyLock};

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::types::LogicalType;
use upsert_kafka::{ErrorKind, Settings, Table};

use super::draw::Draw;

/// The keys of the options that the documentation lists, with the prefixes that they can have, and the values that it
/// names.
static WORDS: LazyLock<(Vec<String>, Vec<String>)> = LazyLock::new(|| {
    let mut keys = Vec::new();
    let mut values: Vec<String> = VALUES.iter().map(|value| (*value).to_owned()).collect();
    let mut format = None;
    for line in include_str!("../../docs/options.md").lines() {
        if let Some(title) = line.strip_prefix("##") {
            format = title.strip_prefix("# `").and_then(|title| title.strip_suffix('`'));
            values.extend(format.map(str::to_owned));
        }
        let mut cells = line.split(" | ");
        let Some(key) =
            cells.next().and_then(|cell| cell.strip_prefix("| `")).map(|key| key.trim_end_matches('`'))
        else {
            continue;
        };
        let key = key.replace('*', "x");
        match format {
            None => keys.push(key),
            Some(format) => {
                ["", "key.", "value."].iter().for_each(|part| keys.push(format!("{part}{format}.{key}")))
            }
        }
        let named = cells.take(2).flat_map(|cell| cell.split('`').skip(1).step_by(2));
        values.extend(named.map(str::to_owned));
    }
    (keys, values)
});

/// Values of each type, right and wrong.
const VALUES: &[&str] = &[
    "",
    " ",
    "true",
    "FALSE",
    "0",
    "-1",
    "1",
    "2147483648",
    "9223372036854775807",
    "10 s",
    "PT1.5S",
    "1 parsec",
    "a;b",
    "'a;b';c",
    "[a, b]",
    "partition:0,offset:42;partition:1,offset:300",
    "partition:0",
    "k",
    "v",
    "k;v",
    "\\",
    "\"",
    "ä",
    "\u{1F600}",
    "t.*",
    "(",
    "[a-z&&[^b]]",
    "http://localhost:8081",
    "localhost:9092",
    "UTF-16",
    "no-such-charset",
    r#"{"type":"record","name":"r","fields":[{"name":"k","type":"int"},{"name":"v","type":["null","string"]}]}"#,
];

/// Any options are a table with its sink and its source, or an error that is the table's; and what is printed of a table is
/// read back as the same.
pub fn table_options(data: &[u8]) {
    let (keys, values) = &*WORDS;
    let mut draw = Draw::new(data);
    let key = draw.once_in(2);
    let mut options = TableOptions::from_iter([
        ("connector", if key { "upsert-kafka" } else { "kafka" }),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        (
            "value.format",
            draw.one_of(&["json", "csv", "raw", "avro", "avro-confluent", "debezium-json", "canal-json"]),
        ),
    ]);
    if key {
        options.set("key.format", draw.one_of(&["json", "csv", "raw", "avro", "avro-confluent"]));
    }
    for _ in 0..8 {
        if draw.is_empty() {
            break;
        }
        let of = |words: &[String], draw: &mut Draw<'_>| {
            words[usize::from(u16::from_le_bytes(draw.array())) % words.len()].clone()
        };
        let option = of(keys, &mut draw);
        let value = if draw.once_in(8) {
            let len = draw.below(12);
            String::from_utf8_lossy(draw.bytes(len)).into_owned()
        } else {
            of(values, &mut draw)
        };
        options.set(option, value);
    }
    let schema =
        TableSchema::builder().column("k", LogicalType::Int.not_null()).column("v", LogicalType::STRING);
    let schema = if key { schema.primary_key(["k"]) } else { schema };
    let table = Table::new(schema.build().expect("a schema"), options);
    let Ok(table) = table.inspect_err(assert_is_of_table) else { return };
    let printed = table.ddl_with_secrets();
    assert_eq!(Table::from_ddl(&printed).expect("a table that was printed"), table, "{printed}");
    let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
    match table.sink(&settings) {
        Ok(sink) => {
            assert!(sink.explain().ends_with('\n'));
            let _ = (sink.lints(), sink.encoder());
        }
        Err(error) => assert_is_of_table(&error),
    }
    match table.source(&settings) {
        Ok(source) => {
            assert!(source.explain().ends_with('\n'));
            let _ = (source.lints(), source.decoder());
        }
        Err(error) => assert_is_of_table(&error),
    }
}

fn assert_is_of_table(error: &upsert_kafka::Error) {
    let kind = error.kind();
    assert!(
        matches!(kind, ErrorKind::Table | ErrorKind::Syntax | ErrorKind::Limit | ErrorKind::Feature),
        "{kind:?}: {error}"
    );
    // Java's message for a charset without a name is that name, so only the whole line is never empty.
    assert!(!error.to_string().is_empty());
}
