//! That nothing shows passwords unless it is asked to.

use std::fmt::Debug;
use std::sync::Arc;

use upsert_kafka::format::{RegisteredSchema, SchemaRegistry};
use upsert_kafka::table::TableOptions;
use upsert_kafka::{Error, Settings, Table};

const SECRET: &str = "hunter2";

/// A registry's client, as people write one.
#[derive(Debug)]
struct Client {
    #[expect(dead_code, reason = "only shown, if at all")]
    password: &'static str,
}

impl SchemaRegistry for Client {
    fn register(&self, _: &str, _: &str) -> Result<i32, Error> {
        Ok(1)
    }

    fn schema(&self, _: i32) -> Result<RegisteredSchema, Error> {
        Ok("\"string\"".into())
    }
}

fn table() -> Table {
    Table::from_ddl(
        "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't',
           'properties.bootstrap.servers' = 'b:1', 'key.format' = 'json', 'value.format' = 'avro-confluent',
           'properties.sasl.jaas.config' = 'PlainLoginModule required username=\"u\" password=\"hunter2\";',
           'properties.ssl.truststore.password' = 'hunter2',
           'properties.sasl.oauthbearer.client.secret' = 'hunter2',
           'properties.basic.auth.credentials' = 'hunter2',
           'properties.proxy' = 'http://u:hunter2@proxy:8080/',
           'value.avro-confluent.basic-auth.user-info' = 'u:hunter2',
           'value.avro-confluent.bearer-auth.token' = 'hunter2',
           'value.avro-confluent.url' = 'https://u:hunter2@registry:8081')",
    )
    .expect("a table")
}

fn settings() -> Settings {
    Settings::default().with_schema_registry(Arc::new(Client { password: SECRET }))
}

#[test]
fn tables_settings_and_configurations_are_shown_without_secrets() {
    let (table, settings) = (table(), settings());
    let (sink, source) = (table.sink(&settings).unwrap(), table.source(&settings).unwrap());
    let older: TableOptions =
        [("connector.type", "kafka"), ("connector.properties.ssl.key.password", SECRET)]
            .into_iter()
            .collect();
    let debugged: [&dyn Debug; 14] = [
        &table,
        &settings,
        table.options(),
        &older,
        &sink,
        &source,
        sink.layout(),
        sink.properties(),
        &sink.producer_config(),
        source.properties(),
        &source.consumer_config(),
        &sink.encoder(),
        &source.decoder(),
        &sink.lints(),
    ];
    for (place, shown) in debugged.into_iter().enumerate() {
        let texts = [format!("{shown:?}"), format!("{shown:#?}")];
        assert!(texts.iter().all(|text| !text.contains(SECRET)), "{place}: {}", texts[0]);
    }
    for text in [table.to_string(), sink.explain(), source.explain()] {
        assert!(!text.contains(SECRET), "{text}");
    }
    assert!(table.to_string().contains("'value.avro-confluent.url' = 'https://******@registry:8081'"));
}

#[test]
fn who_asks_for_secrets_gets_them() {
    let table = table();
    assert_eq!(Table::from_ddl(&table.ddl_with_secrets()).unwrap(), table);
    let config = table.sink(&settings()).unwrap().producer_config();
    assert_eq!(config["ssl.truststore.password"], SECRET);
}
