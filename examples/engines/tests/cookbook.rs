//! The query of the cookbook's page about DataFusion.

use std::error::Error;
use std::sync::Arc;

use datafusion::assert_batches_eq;
use datafusion::prelude::{SessionConfig, SessionContext};
use upsert_kafka_engines::TopicTable;

#[tokio::test(flavor = "multi_thread")]
async fn totals_go_into_a_topic_and_are_queried() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let totals = "
        CREATE TABLE totals (customer STRING, orders BIGINT, amount BIGINT, PRIMARY KEY (customer) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'totals', 'key.format' = 'json', 'value.format' = 'json',
          'properties.bootstrap.servers' = 'localhost:9092')";

    let engine = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(4));
    let topic = TopicTable::in_folder(totals, &folder.path().join("totals"), 6)?; // or at_broker(totals, 6)
    engine.register_table("totals", Arc::new(topic))?;
    let orders = "SELECT 'customer ' || CAST(value % 3 AS VARCHAR) AS customer, value AS amount
                  FROM generate_series(1, 1000)";
    let insert = format!(
        "INSERT INTO totals SELECT customer, count(*), sum(amount) FROM ({orders}) AS orders GROUP BY customer"
    );
    engine.sql(&insert).await?.collect().await?;
    let select = "SELECT customer, amount FROM totals WHERE amount < 167000 ORDER BY customer";
    let rows = engine.sql(select).await?.collect().await?;

    let expected = [
        "+------------+--------+",
        "| customer   | amount |",
        "+------------+--------+",
        "| customer 0 | 166833 |",
        "| customer 2 | 166500 |",
        "+------------+--------+",
    ];
    assert_batches_eq!(expected, &rows);
    Ok(())
}
