use serde_json::Value;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::table::NotNullEnforcer;
use upsert_kafka::{Error, Record, RecordBuf, RowBuf, UpdateBefore, partition_for_key};

use super::before_sink::before_sink;
use super::compare::{check_lists, show_expected_record, show_record};
use super::failure::{Failure, Stage};
use super::table::{list, read_sql_table, row_columns, text};
use super::{Case, Unmet, check, source};

/// A whole job of Flink with real topics: from a changelog to a topic, or from a topic to a changelog.
pub fn run(case: &Case) -> Result<(), Unmet> {
    if case.get("changelog").is_null() { source::run(case) } else { run_sink(case) }
}

/// `{"table", "options", "settings", "sql", "changelog", "partitions", "topic_contents", "update_before"?, "error"?}`.
fn run_sink(case: &Case) -> Result<(), Unmet> {
    let written = write_topic(case);
    let (topic, flush_sizes) = match (written, case.get("error")) {
        (Ok(written), Value::Null) => written,
        (Err(error), Value::Null) => return Err(Unmet::mismatch(NO_ERROR, error.to_string())),
        (Ok(_), error) => return Err(Unmet::mismatch(text(&error["message"]), NO_ERROR)),
        // What the job wrote before it died varies.
        (Err(got), error) => {
            return Failure::new(case, Stage::Written, error, &Value::Null).hold("job", &got);
        }
    };
    if !case.get("flush_sizes").is_null() {
        check("flush sizes", case.get("flush_sizes"), &flush_sizes.clone().into())?;
    }
    // A flush is in the order of a hash map, and its size is known where a case says it. Elsewhere, and where a topic has
    // several writers, only the records of a key keep their order.
    let order = |records| match &flush_sizes[..] {
        [] if case.option("sink.parallelism").is_none() => records,
        sizes if !case.get("flush_sizes").is_null() => sorted_in_flushes(records, sizes),
        _ => in_order_by_key(records),
    };
    Unmet::all(topic.iter().enumerate().map(|(partition, records)| {
        let expected = list(&case.get("topic_contents")[partition.to_string()]);
        let expected: Vec<String> = expected.iter().map(show_expected_record).collect();
        check_lists(&format!("partition {partition}, record"), &order(expected), &order(records.clone()))
    }))
}

pub const NO_ERROR: &str = "no error";

/// What Flink's planner does or refuses for the query that writes the table, which is written all the same here.
pub fn the_planner_sees_the_query(_: &Case, expected: &str, got: &str) -> bool {
    const REFUSALS: [&str; 5] = [
        "Column types of query result and sink for '",
        "ON CONFLICT DO ",
        "INSERT OVERWRITE requires that ",
        "The query has an upsert key that differs from the primary key of the sink table '",
        "Column '",
    ];
    let is_refusal = REFUSALS.iter().any(|start| expected.starts_with(start));
    let is_of_a_query = !expected.starts_with("Column '")
        || expected.ends_with("' has no default value and does not allow NULLs");
    (is_refusal && is_of_a_query && got == NO_ERROR)
        || (expected == "upsert_materialize: true" && got == "upsert_materialize: null")
}

fn in_order_by_key(mut records: Vec<String>) -> Vec<String> {
    records.sort_by(|left, right| left.split(" value ").next().cmp(&right.split(" value ").next()));
    records
}

fn sorted_in_flushes(mut records: Vec<String>, flush_sizes: &[usize]) -> Vec<String> {
    let mut rest = &mut records[..];
    for size in flush_sizes {
        let (flush, after) = rest.split_at_mut(rest.len().min(*size));
        flush.sort();
        rest = after;
    }
    records
}

/// The records of each partition, and how many of them each flush wrote.
fn write_topic(case: &Case) -> Result<(Vec<Vec<String>>, Vec<usize>), Error> {
    let settings = case
        .settings()
        .with_not_null_enforcer(match case.setting("table.exec.sink.not-null-enforcer") {
            Some("DROP") => NotNullEnforcer::Drop,
            _ => NotNullEnforcer::Error,
        })
        .with_update_before(match case.get("update_before").as_str() {
            Some("delivered") => UpdateBefore::Tombstone,
            // Withheld, or an operator before the sink leaves none.
            _ => UpdateBefore::Drop,
        });
    let partitions = case.get("partitions").as_i64().expect("a number of partitions");
    let partitions = i32::try_from(partitions).expect("not many");
    let mut topic = vec![Vec::new(); usize::try_from(partitions).expect("above 0")];
    let sink = read_sql_table(case)?.sink(&settings)?;
    let encoder = sink.encoder();
    let rows = JsonRows::new(row_columns(case, false)?);
    let mut changes = Vec::new();
    for line in list(case.get("changelog")) {
        let mut row = RowBuf::new();
        changes.push((rows.read(&line.to_string(), &mut row)?, row));
    }
    let arrivals = before_sink(case, &sink, changes)?;
    let mut buf = RecordBuf::new();
    for (kind, row) in &arrivals.changes {
        if let Some(Record { key, value, headers, timestamp, .. }) = encoder.encode(*kind, row, &mut buf)? {
            let partition = partition_for_key(key.expect("an upsert has a key"), partitions);
            topic[usize::try_from(partition).expect("a partition")]
                .push(show_record(key, value, headers, timestamp, None));
        }
    }
    Ok((topic, arrivals.flush_sizes))
}
