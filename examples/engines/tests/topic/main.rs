//! That a topic of upsert-kafka is a table of DataFusion.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::prelude::{SessionConfig, SessionContext};
use upsert_kafka::{Datum, Limits, RecordBatches, RowKind, Settings, Table};
use upsert_kafka_engines::TopicTable;

mod at_broker;
#[allow(dead_code, reason = "the tests against the real programs ask more of it")]
mod kafka;

const PARTITIONS: i32 = 6;

/// The time of a record is a column, so that its bytes are the row's alone.
const DDL: &str = "
    CREATE TABLE counts (
      word STRING,
      n BIGINT,
      ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
      PRIMARY KEY (word) NOT ENFORCED
    ) WITH (
      'connector' = 'upsert-kafka',
      'topic' = 'counts',
      'key.format' = 'json',
      'value.format' = 'json',
      'properties.bootstrap.servers' = 'localhost:9092'
    )";

const ROWS: i64 = 100_000;
const WORDS: i64 = 30_000;

/// Each word several times, the greater number later.
fn changes() -> String {
    format!(
        "SELECT 'word-' || CAST(value % {WORDS} AS VARCHAR) AS word, value AS n,
           arrow_cast(value, 'Timestamp(Millisecond, None)') AS ts
         FROM generate_series(0, {})",
        ROWS - 1
    )
}

fn engine(target_partitions: usize) -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_target_partitions(target_partitions))
}

fn topic(folder: &Path) -> TopicTable {
    TopicTable::in_folder(DDL, &folder.join("counts"), PARTITIONS).unwrap()
}

async fn run(engine: &SessionContext, sql: &str) -> Vec<RecordBatch> {
    engine.sql(sql).await.unwrap().collect().await.unwrap()
}

async fn inserted(engine: &SessionContext, sql: &str) -> u64 {
    let answer = run(engine, sql).await;
    assert_eq!(answer.iter().map(RecordBatch::num_rows).sum::<usize>(), 1, "an INSERT answers one row");
    answer[0].column(0).as_primitive::<UInt64Type>().value(0)
}

/// The rows of the topic; no word may be there twice.
async fn counts(engine: &SessionContext) -> HashMap<String, i64> {
    let mut counts = HashMap::new();
    for batch in run(engine, "SELECT n, word FROM counts").await {
        let (n, words) = (batch.column(0).as_primitive::<Int64Type>(), batch.column(1).as_string::<i32>());
        for (n, word) in n.iter().zip(words) {
            let before = counts.insert(word.unwrap().to_owned(), n.unwrap());
            assert_eq!(before, None, "{word:?} is there twice");
        }
    }
    counts
}

/// Of each word the last number.
fn expected() -> HashMap<String, i64> {
    (0..ROWS).map(|n| (format!("word-{}", n % WORDS), n)).collect()
}

/// Key and value of each record of a partition, in order.
type Records = Vec<(Option<Vec<u8>>, Option<Vec<u8>>)>;

fn records(batches: &[u8]) -> Records {
    let mut read = Vec::new();
    for record in RecordBatches::new(batches, Limits::default()).records() {
        let record = record.unwrap();
        read.push((record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec)));
    }
    read
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let file = |partition| folder.join(format!("counts/partition-{partition}"));
    (0..PARTITIONS).map(|partition| std::fs::read(file(partition)).unwrap()).collect()
}

/// What the crate's own accumulator makes of [`changes`], partition by partition.
fn accumulated() -> Vec<Vec<u8>> {
    let mut batches =
        Table::from_ddl(DDL).unwrap().sink(&Settings::default()).unwrap().accumulator(PARTITIONS);
    let mut partitions = vec![Vec::new(); PARTITIONS as usize];
    for n in 0..ROWS {
        let word = format!("word-{}", n % WORDS);
        let at = upsert_kafka::Timestamp::new(n, 0);
        batches
            .append(RowKind::Insert, &[Datum::String(&word), Datum::BigInt(n), Datum::Timestamp(at)], 0)
            .unwrap();
        batches
            .drain()
            .for_each(|(partition, batch)| partitions[partition as usize].extend_from_slice(&batch));
    }
    batches
        .flush()
        .unwrap()
        .for_each(|(partition, batch)| partitions[partition as usize].extend_from_slice(&batch));
    partitions
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insert_in_order_leaves_the_last_row_of_each_key_for_any_number_of_writers() {
    for target_partitions in [1, 4] {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(target_partitions);
        engine.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
        let insert = format!("INSERT INTO counts {} ORDER BY n", changes());
        assert_eq!(inserted(&engine, &insert).await, ROWS as u64);
        assert!(counts(&engine).await == expected(), "{target_partitions} writers");

        let written: usize = files(folder.path()).iter().map(|file| records(file).len()).sum();
        assert_eq!(written as i64, ROWS, "an upsert is a record");
    }
}

/// Flink's connector keeps the last row of each key back until so many keys wait.
#[tokio::test(flavor = "multi_thread")]
async fn a_table_with_a_buffer_writes_a_key_once_a_flush() {
    for (max_rows, expected_records) in [(ROWS, WORDS), (10, ROWS)] {
        let options = format!(
            "WITH ('sink.buffer-flush.max-rows' = '{max_rows}', 'sink.buffer-flush.interval' = '1 h',"
        );
        let folder = tempfile::tempdir().unwrap();
        let ddl = DDL.replace("WITH (", &options);
        let topic = TopicTable::in_folder(&ddl, &folder.path().join("counts"), PARTITIONS).unwrap();
        let engine = engine(2);
        engine.register_table("counts", Arc::new(topic)).unwrap();
        assert_eq!(
            inserted(&engine, &format!("INSERT INTO counts {} ORDER BY n", changes())).await,
            ROWS as u64
        );
        assert!(counts(&engine).await == expected(), "{max_rows} rows may wait");
        let written: usize = files(folder.path()).iter().map(|file| records(file).len()).sum();
        assert_eq!(written as i64, expected_records, "{max_rows} rows may wait");
    }
}

/// With one writer even the batches.
#[tokio::test(flavor = "multi_thread")]
async fn the_bytes_are_those_of_the_accumulator() {
    let expected = accumulated();
    for target_partitions in [1, 4] {
        let folder = tempfile::tempdir().unwrap();
        let engine = engine(target_partitions);
        engine.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
        inserted(&engine, &format!("INSERT INTO counts {} ORDER BY n", changes())).await;
        let written = files(folder.path());
        if target_partitions == 1 {
            assert!(written == expected, "the files are not those of the accumulator");
        }
        for (partition, (written, expected)) in written.iter().zip(&expected).enumerate() {
            // Writers take turns: of each key the order is the same.
            let (mut written, mut expected) = (records(written), records(expected));
            written.sort_by(|one, other| one.0.cmp(&other.0));
            expected.sort_by(|one, other| one.0.cmp(&other.0));
            assert!(written == expected, "partition {partition} of {target_partitions} writers");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_writer_and_reader_is_a_partition_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(4);
    engine.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
    let plan = async |sql: &str| {
        let plan = engine.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
        datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string()
    };
    let insert = plan(&format!("INSERT INTO counts {} ORDER BY n", changes())).await;
    assert!(insert.contains("InsertExec: topic=counts, partitions=6"), "{insert}");
    assert!(insert.contains("RepartitionExec: partitioning=Hash([word@0], 4)"), "{insert}");
    let select = plan("SELECT n FROM counts").await;
    assert!(select.contains("StreamingTableExec: partition_sizes=4"), "{select}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_another_topic_go_into_this_one_and_a_later_insert_updates() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(2);
    engine.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
    inserted(&engine, "INSERT INTO counts (word, n) VALUES ('kafka', 1), ('flink', 2), ('arrow', 3)").await;
    inserted(&engine, "INSERT INTO counts (word, n) SELECT word, n + 10 FROM counts WHERE word <> 'flink'")
        .await;
    let expected = [("kafka", 11), ("flink", 2), ("arrow", 13)];
    assert_eq!(counts(&engine).await, expected.map(|(word, n)| (word.to_owned(), n)).into());

    // Another session finds the same topic.
    let other = self::engine(1);
    other.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
    assert_eq!(counts(&other).await, expected.map(|(word, n)| (word.to_owned(), n)).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_of_kind_delete_is_a_tombstone() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(2);
    engine.register_table("counts", Arc::new(topic(folder.path()).with_kinds("op"))).unwrap();
    inserted(&engine, "INSERT INTO counts (word, n) VALUES ('kafka', 1), ('flink', 2)").await;
    inserted(
        &engine,
        "INSERT INTO counts (word, n, op) SELECT word, n, '-D' FROM counts WHERE word = 'kafka'",
    )
    .await;
    assert_eq!(counts(&engine).await, HashMap::from([("flink".to_owned(), 2)]));
    let mut records: Records = files(folder.path()).iter().flat_map(|file| records(file)).collect();
    records.sort_by_key(|(_, value)| value.is_some());
    assert_eq!(records[0], (Some(br#"{"word":"kafka"}"#.to_vec()), None));
    assert_eq!(records.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_written_is_an_error_of_the_query() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(2);
    engine.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
    let refused = async |sql: &str| {
        let outcome = async { engine.sql(sql).await?.collect().await }.await;
        outcome.unwrap_err().to_string()
    };
    let null_key = refused("INSERT INTO counts (word, n) VALUES (NULL, 1)").await;
    assert!(null_key.contains("non-nullable"), "{null_key}");
    let overwrite = refused("INSERT OVERWRITE counts (word, n) VALUES ('kafka', 1)").await;
    assert!(overwrite.contains("of a topic"), "{overwrite}");
    assert_eq!(counts(&engine).await, HashMap::new());

    let kafka = "
        CREATE TABLE counts (word STRING) WITH (
          'connector' = 'kafka', 'topic' = 'counts', 'format' = 'json', 'scan.startup.mode' = 'earliest-offset',
          'properties.bootstrap.servers' = 'localhost:9092')";
    let error = TopicTable::in_folder(kafka, &folder.path().join("other"), 1).unwrap_err().to_string();
    assert!(error.contains("a table whose connector is not upsert-kafka"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_an_error_with_its_partition_and_offset() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(2);
    engine.register_table("counts", Arc::new(topic(folder.path()))).unwrap();
    // The same topic, to write what is no JSON.
    let texts = "
        CREATE TABLE texts (word STRING, n STRING, PRIMARY KEY (word) NOT ENFORCED) WITH (
          'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'raw',
          'value.fields-include' = 'EXCEPT_KEY', 'properties.bootstrap.servers' = 'localhost:9092')";
    let texts = TopicTable::in_folder(texts, &folder.path().join("counts"), PARTITIONS).unwrap();
    engine.register_table("texts", Arc::new(texts)).unwrap();
    let values = r#"('kafka', '{"word":"kafka","n":1}'), ('kafka', 'one')"#;
    inserted(&engine, &format!("INSERT INTO texts (word, n) VALUES {values}")).await;
    let partition = files(folder.path()).iter().position(|file| !file.is_empty()).unwrap();
    let error = engine.sql("SELECT n FROM counts").await.unwrap().collect().await.unwrap_err().to_string();
    assert!(error.contains(&format!("partition {partition}, offset 1: ")), "{error}");

    std::fs::write(folder.path().join(format!("counts/partition-{partition}")), [0; 100]).unwrap();
    let error = engine.sql("SELECT n FROM counts").await.unwrap().collect().await.unwrap_err().to_string();
    assert!(error.contains(&format!("partition {partition}: ")), "{error}");
}

#[test]
fn a_topic_is_a_folder_with_a_file_of_each_partition() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |path: &Path| TopicTable::in_folder(DDL, path, 3).unwrap_err().to_string();
    let path = folder.path().join("counts");
    TopicTable::in_folder(DDL, &path, 3).unwrap();
    let file = path.join("partition-1");
    let error = refused(&file);
    assert!(error.contains("partition-1: it is not a folder"), "{error}");
    std::fs::remove_file(file).unwrap();
    let error = refused(&path);
    assert!(error.contains("counts: partition 1 is missing"), "{error}");
}
