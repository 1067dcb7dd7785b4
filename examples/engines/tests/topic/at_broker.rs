//! At a real broker a topic is what it is in a folder. Takes Java and Maven, which fetches Kafka.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;
use upsert_kafka::{Limits, RecordBatches};
use upsert_kafka_engines::TopicTable;

use super::kafka::broker::{Broker, free_port};
use super::kafka::programs;
use super::kafka::record::{Sent, assert_same};
use super::{DDL, PARTITIONS, WORDS, changes, engine, files, inserted, run};

fn ddl(topic: &str, address: &str) -> String {
    DDL.replace("'topic' = 'counts'", &format!("'topic' = '{topic}'")).replace("localhost:9092", address)
}

async fn at_broker(ddl: String, partitions: i32) -> datafusion::common::Result<TopicTable> {
    let open = move || TopicTable::at_broker(&ddl, partitions);
    tokio::task::spawn_blocking(open).await.expect("it does not panic")
}

/// Inserts, updates and deletes; answers the rows that are left.
async fn written_and_read(engine: &SessionContext) -> String {
    let insert = format!("INSERT INTO counts (word, n, ts) {} ORDER BY n", changes());
    assert_eq!(inserted(engine, &insert).await, super::ROWS as u64);
    let update = "INSERT INTO counts (word, n, ts) SELECT word, -n, ts FROM counts WHERE n % 3 = 0";
    assert_eq!(inserted(engine, update).await, WORDS as u64 / 3);
    let delete = "INSERT INTO counts (word, n, ts, op) SELECT word, n, ts, '-D' FROM counts WHERE n % 5 = 0";
    assert_eq!(inserted(engine, delete).await, WORDS as u64 / 5);
    let rows = run(engine, "SELECT word, n, ts FROM counts ORDER BY word").await;
    pretty_format_batches(&rows).unwrap().to_string()
}

/// The records of each partition in the order of their keys: only of each key is the order that of the table.
fn by_key(mut records: BTreeMap<i32, Vec<Sent>>) -> BTreeMap<i32, Vec<Sent>> {
    for records in records.values_mut() {
        records.sort_by(|one, other| one.key.cmp(&other.key));
    }
    records
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_at_a_broker_has_the_rows_and_records_of_one_in_a_folder() {
    let broker = Broker::start("engines");
    for target_partitions in [1, 4] {
        let topic = format!("counts-{target_partitions}");
        let ddl = ddl(&topic, &broker.address);
        let kafka = engine(target_partitions);
        let table = at_broker(ddl.clone(), PARTITIONS).await.unwrap().with_kinds("op");
        kafka.register_table("counts", Arc::new(table)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let embedded = engine(target_partitions);
        let table = super::topic(folder.path()).with_kinds("op");
        embedded.register_table("counts", Arc::new(table)).unwrap();

        let rows = written_and_read(&kafka).await;
        assert!(rows == written_and_read(&embedded).await, "{target_partitions} writers");
        assert_eq!(rows.lines().count() as i64, WORDS - WORDS / 5 + 4, "rows and the frame around them");

        // What Java's consumer reads are the records of the folder.
        let arguments = [&*broker.address, "read_committed", &*topic];
        let mut consumed = BTreeMap::<i32, Vec<Sent>>::new();
        for line in programs::BROKER.run("Consume", &arguments).lines() {
            let (_, partition, _, record) = Sent::read(line);
            consumed.entry(partition).or_default().push(record);
        }
        let stored = (0..).zip(files(folder.path())).map(|(partition, file)| {
            let mut batches = RecordBatches::new(&file, Limits::default());
            (partition, batches.records().map(|record| Sent::of(&record.unwrap())).collect())
        });
        assert_same("Java's consumer", &by_key(consumed), &by_key(stored.collect()));

        // Another session finds the topic with the partitions that it has.
        let other = engine(2);
        let table = at_broker(ddl, 99).await.unwrap().with_kinds("op");
        other.register_table("counts", Arc::new(table)).unwrap();
        let again = run(&other, "SELECT word, n, ts FROM counts ORDER BY word").await;
        assert!(rows == pretty_format_batches(&again).unwrap().to_string(), "in another session");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_not_there_is_named() {
    let address = format!("127.0.0.1:{}", free_port());
    let error = at_broker(ddl("counts", &address), PARTITIONS).await.unwrap_err().to_string();
    assert!(error.contains(&address), "{error}");
}
