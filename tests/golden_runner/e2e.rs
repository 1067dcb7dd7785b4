use upsert_kafka::fixture::JsonRows;
use upsert_kafka::table::NotNullEnforcer;
use upsert_kafka::{Error, Jdk, Record, RecordBuf, RowBuf, Settings, UpdateBefore, partition_for_key};

use super::before_sink::before_sink;
use super::compare::{check_lists, show_expected_record, show_record};
use super::table::{list, read_sql_table, row_columns};
use super::{Case, Unmet, check, is_not_there, source};

/// A whole job of Flink with real topics: `sink-*` from a changelog to a topic, `source-*` from a topic to a changelog.
pub fn run(case: &Case) -> Result<(), Unmet> {
    match case.id().split('-').next() {
        Some("sink") => run_sink(case),
        Some("source") => source::run(case),
        _ => Err(Unmet::mismatch("sink-* or source-*", case.id())),
    }
}

/// `{"table", "options", "changelog", "partitions", "topic_contents", "update_before"?, "error"?}`.
fn run_sink(case: &Case) -> Result<(), Unmet> {
    let update_before = match case.get("update_before").as_str() {
        Some("delivered") => UpdateBefore::Tombstone,
        Some("withheld" | "none") => UpdateBefore::Drop,
        // A constraint enforcer or the planner stops the job, or an operator before the sink leaves no -U.
        _ => UpdateBefore::Drop,
    };
    let settings = Settings::flink(Jdk::Jdk8To18).with_not_null_enforcer(NotNullEnforcer::Error);
    let (topic, flush_sizes) = match write_topic(case, &settings.with_update_before(update_before)) {
        Ok(topic) => topic,
        Err(error) if is_not_there(&error) => return Err(Unmet::Pending),
        // What the job wrote before it died varies.
        Err(error) => return check_error(case, error.message()),
    };
    check_error(case, NO_ERROR)?;
    if !case.get("flush_sizes").is_null() {
        check("flush sizes", case.get("flush_sizes"), &flush_sizes.clone().into())?;
    }
    for (partition, records) in topic.iter().enumerate() {
        let expected = list(&case.get("topic_contents")[partition.to_string()]);
        let expected: Vec<String> = expected.iter().map(show_expected_record).collect();
        let order = |records| match (topic.len(), &flush_sizes[..]) {
            // Three writers of one topic: only the records of a key keep their order.
            (_, []) if case.get("options").get("sink.parallelism").is_some() => in_order_by_key(records),
            (_, []) => records,
            // A flush is in the order of a hash map.
            (1, flush_sizes) => sorted_in_flushes(records, flush_sizes),
            (_, _) => in_order_by_key(records),
        };
        check_lists(&format!("partition {partition}, record"), &order(expected), &order(records.clone()))?;
    }
    Ok(())
}

const NO_ERROR: &str = "no error";

fn check_error(case: &Case, got: &str) -> Result<(), Unmet> {
    let expected = case.get("error")["message"].as_str().unwrap_or(NO_ERROR);
    if expected == got { Ok(()) } else { Err(Unmet::mismatch(expected, got)) }
}

fn in_order_by_key(mut records: Vec<String>) -> Vec<String> {
    records.sort_by(|left, right| left.split(" value ").next().cmp(&right.split(" value ").next()));
    records
}

fn sorted_in_flushes(mut records: Vec<String>, flush_sizes: &[usize]) -> Vec<String> {
    let mut rest = &mut records[..];
    for size in flush_sizes {
        let (flush, behind) = rest.split_at_mut(rest.len().min(*size));
        flush.sort();
        rest = behind;
    }
    records
}

/// The records of each partition, and how many of them each flush wrote.
fn write_topic(case: &Case, settings: &Settings) -> Result<(Vec<Vec<String>>, Vec<usize>), Error> {
    let partitions = case.get("partitions").as_i64().expect("a number of partitions");
    let partitions = i32::try_from(partitions).expect("not many");
    let mut topic = vec![Vec::new(); usize::try_from(partitions).expect("above 0")];
    let sink = read_sql_table(case)?.sink(settings)?;
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
