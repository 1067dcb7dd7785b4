//! The tables of `orders`, in each format as far as it can hold them.

use std::sync::Arc;

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::{Datum, Decoder, Encoder, RowKind, Settings, Table, TableSink, TableSource};

use super::orders::Order;

/// Formats of inserts, beside json and raw.
pub const OF_INSERTS: [&str; 3] = ["csv", "avro", "avro-confluent"];

/// Formats of changes, which only a `kafka` table takes.
pub const OF_CHANGES: [&str; 5] =
    ["debezium-json", "debezium-avro-confluent", "canal-json", "maxwell-json", "ogg-json"];

const COLUMNS: &str = "order_id BIGINT, customer STRING, amount DECIMAL(10, 2), status STRING, \
    updated_at TIMESTAMP(3), quantity INT, price DOUBLE, active BOOLEAN";

/// An `upsert-kafka` table with a format of inserts for its key and its value.
pub fn upsert(format: &str) -> (Encoder, Decoder) {
    codecs(&upsert_table(format))
}

/// The sink of such a table.
pub fn upsert_sink(format: &str) -> TableSink {
    upsert_table(format).sink(&settings()).unwrap()
}

/// The table of both.
pub fn upsert_table(format: &str) -> Table {
    let option = |part: &str| match format {
        "avro-confluent" => {
            format!("'{part}.format' = '{format}', '{part}.{format}.url' = 'http://localhost:8081'")
        }
        _ => format!("'{part}.format' = '{format}'"),
    };
    keyed_table(COLUMNS, &format!("{}, {}", option("key"), option("value")))
}

/// An `upsert-kafka` table in `raw`, which takes one column for the key and one for the value.
pub fn raw() -> (Encoder, Decoder) {
    codecs(&keyed_table(
        "order_id BIGINT, customer STRING",
        "'key.format' = 'raw', 'value.format' = 'raw', 'value.fields-include' = 'EXCEPT_KEY'",
    ))
}

/// What the table of [`raw`] holds of the orders.
pub fn raw_rows(orders: &[(RowKind, Order)]) -> Vec<(RowKind, [Datum<'_>; 2])> {
    let raw = orders.iter().map(|(kind, order)| {
        let columns = [Datum::BigInt(order.order_id), Datum::String(&order.customer)];
        (*kind, columns)
    });
    raw.collect()
}

/// A `kafka` table without keys.
pub fn changelog(format: &str) -> (Encoder, Decoder) {
    codecs(&changelog_table(format))
}

/// The source of such a table.
pub fn changelog_source(format: &str) -> TableSource {
    changelog_table(format).source(&settings()).unwrap()
}

fn changelog_table(format: &str) -> Table {
    let mut options = format!("'format' = '{format}', 'scan.startup.mode' = 'earliest-offset'");
    if format == "debezium-avro-confluent" {
        options += &format!(", '{format}.url' = 'http://localhost:8081'");
    }
    table("kafka", COLUMNS, &options)
}

fn codecs(table: &Table) -> (Encoder, Decoder) {
    let settings = settings();
    (table.sink(&settings).unwrap().encoder(), table.source(&settings).unwrap().decoder())
}

fn settings() -> Settings {
    Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()))
}

fn keyed_table(columns: &str, options: &str) -> Table {
    table("upsert-kafka", &format!("{columns}, PRIMARY KEY (order_id) NOT ENFORCED"), options)
}

fn table(connector: &str, columns: &str, options: &str) -> Table {
    let ddl = format!(
        "CREATE TABLE orders ({columns}) WITH ('connector' = '{connector}', 'topic' = 'orders', \
         'properties.bootstrap.servers' = 'localhost:9092', {options})"
    );
    Table::from_ddl(&ddl).unwrap()
}
