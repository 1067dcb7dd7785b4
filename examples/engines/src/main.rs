//! How `INSERT INTO topic SELECT ..` and `SELECT .. FROM topic` grow with the engine's target partitions.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use datafusion::arrow::array::{ArrowPrimitiveType, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use upsert_kafka_engines::TopicTable;

const HELP: &str = "\
Writes rows into a topic of 12 partitions by a query, reads them back by another, and prints rows a second.

    cargo run --release -- [--rows N] [--partitions N] [--bootstrap HOST:PORT]

--rows N                 1000000 by default
--partitions N           up to that many target partitions of the engine: as many as there are cores by default
--bootstrap HOST:PORT    topics at this broker, without TLS, and not in a folder for temporary files
";

/// The partitions of the topic.
const PARTITIONS: i32 = 12;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut rows, mut most, mut bootstrap) =
        (1_000_000_u64, std::thread::available_parallelism()?.get(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--rows", Some(value)) => rows = value.parse()?,
            ("--partitions", Some(value)) => most = value.parse()?,
            ("--bootstrap", Some(value)) => bootstrap = Some(value),
            _ => {
                print!("{HELP}");
                return Ok(());
            }
        }
    }
    let folder = tempfile::tempdir()?;
    println!("| target partitions | `INSERT`, rows a second | `SELECT`, rows a second |\n|---|---|---|");
    for target in (0..).map(|power| 1 << power).take_while(|target| *target <= most) {
        let engine = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(target));
        engine.register_table("orders", Arc::new(orders(&engine, rows).await?))?;
        let name = format!("orders-{}-{target}", std::process::id());
        let ddl = ddl(&name, bootstrap.as_deref().unwrap_or("localhost:9092"));
        let topic = match &bootstrap {
            Some(_) => tokio::task::spawn_blocking(move || TopicTable::at_broker(&ddl, PARTITIONS)).await??,
            None => TopicTable::in_folder(&ddl, &folder.path().join(&name), PARTITIONS)?,
        };
        engine.register_table("topic", Arc::new(topic))?;

        let start = Instant::now();
        let answer = engine.sql("INSERT INTO topic SELECT * FROM orders").await?.collect().await?;
        let written = count::<UInt64Type>(&answer)?;
        let inserted = start.elapsed();
        let start = Instant::now();
        let sums = "SELECT count(*), sum(quantity), max(updated_at) FROM topic";
        let answer = engine.sql(sums).await?.collect().await?;
        let read = u64::try_from(count::<Int64Type>(&answer)?)?;
        let selected = start.elapsed();
        if (written, read) != (rows, rows) {
            return Err(format!("of {rows} rows {written} were written and {read} read").into());
        }
        let a_second = |elapsed: std::time::Duration| rows as f64 / elapsed.as_secs_f64();
        println!("| {target} | {:.0} | {:.0} |", a_second(inserted), a_second(selected));
    }
    Ok(())
}

/// Rows in memory, as many partitions as the engine has.
async fn orders(engine: &SessionContext, rows: u64) -> Result<MemTable, Box<dyn Error>> {
    let query = format!(
        "SELECT value AS order_id, 'customer-' || CAST(value % 10007 AS VARCHAR) AS customer,
           CAST(value % 100000 AS DECIMAL(12, 2)) / 7 AS amount, CASE value % 3 WHEN 0 THEN 'PAID' ELSE 'SHIPPED' END AS status,
           arrow_cast(1717200000000 + value, 'Timestamp(Millisecond, None)') AS updated_at, CAST(value % 17 AS INT) AS quantity,
           CAST(value AS DOUBLE) / 3 AS price, value % 2 = 0 AS active
         FROM generate_series(1, {rows})"
    );
    let query = engine.sql(&query).await?;
    let schema = Arc::clone(query.schema().inner());
    Ok(MemTable::try_new(schema, query.collect_partitioned().await?)?)
}

fn ddl(topic: &str, bootstrap: &str) -> String {
    format!(
        "CREATE TABLE orders (order_id BIGINT, customer STRING, amount DECIMAL(12, 2), status STRING,
           updated_at TIMESTAMP(3), quantity INT, price DOUBLE, active BOOLEAN, PRIMARY KEY (order_id) NOT ENFORCED) WITH (
           'connector' = 'upsert-kafka', 'topic' = '{topic}', 'key.format' = 'json', 'value.format' = 'json',
           'properties.bootstrap.servers' = '{bootstrap}')"
    )
}

/// The number that a query answers first.
fn count<T: ArrowPrimitiveType>(answer: &[RecordBatch]) -> Result<T::Native, Box<dyn Error>> {
    let counts = answer.first().and_then(|batch| batch.column(0).as_primitive_opt::<T>());
    Ok(counts.ok_or("a query that counts answers a count")?.value(0))
}
