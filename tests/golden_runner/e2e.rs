use std::num::NonZeroU32;

use upsert_kafka::{
    Error, Jdk, JsonRows, NotNullEnforcer, Record, RecordBuf, RowBuf, Settings, UpdateBefore,
    partition_for_key,
};

use super::compare::{check_lists, show_expected_record, show_record};
use super::encode::Encoder;
use super::table::{list, read_sql_table, row_columns};
use super::{Case, Unmet, check, is_not_there, not_there};

/// A whole job of Flink with real topics: `sink-*` from a changelog to a topic, `source-*` from a topic to a changelog.
pub fn run(case: &Case) -> Result<(), Unmet> {
    match case.id().split('-').next() {
        Some("sink") => run_sink(case),
        Some("source") => not_there(case),
        _ => Err(Unmet::mismatch("sink-* or source-*", case.id())),
    }
}

/// `{"table", "options", "changelog", "partitions", "topic_contents", "update_before"?, "error"?}`.
fn run_sink(case: &Case) -> Result<(), Unmet> {
    let update_before = match case.get("update_before").as_str() {
        Some("delivered") => UpdateBefore::Tombstone,
        Some("withheld" | "none") => UpdateBefore::Drop,
        // A constraint enforcer stops the job.
        Some("other") if case.id().starts_with("sink-not-null") => UpdateBefore::Drop,
        // A reduce buffer, a materializer or a normaliser stands before the sink.
        _ => return not_there(case),
    };
    let settings = Settings::flink(Jdk::Jdk8To18).not_null_enforcer(NotNullEnforcer::Error);
    let topic = match write_topic(case, &settings.update_before(update_before)) {
        Ok(topic) => topic,
        Err(error) if is_not_there(&error) => return Err(Unmet::Pending),
        // What the job wrote before it died varies.
        Err(error) => return check("error", &expected_error(case), &Some(error.message())),
    };
    check("error", &expected_error(case), &None)?;
    for (partition, records) in topic.iter().enumerate() {
        let expected = list(&case.get("topic_contents")[partition.to_string()]);
        let expected: Vec<String> = expected.iter().map(show_expected_record).collect();
        // Three writers of one topic: only the records of a key keep their order.
        let by_key = case.get("options").get("sink.parallelism").is_some();
        let order = |mut records: Vec<String>| {
            if by_key {
                records
                    .sort_by(|left, right| left.split(" value ").next().cmp(&right.split(" value ").next()));
            }
            records
        };
        check_lists(&format!("partition {partition}, record"), &order(expected), &order(records.clone()))?;
    }
    Ok(())
}

fn expected_error(case: &Case) -> Option<&str> {
    case.get("error")["message"].as_str()
}

/// The records of each partition.
fn write_topic(case: &Case, settings: &Settings) -> Result<Vec<Vec<String>>, Error> {
    let partitions = case.get("partitions").as_u64().and_then(|count| u32::try_from(count).ok());
    let partitions = partitions.and_then(NonZeroU32::new).expect("a number of partitions");
    let mut topic = vec![Vec::new(); partitions.get() as usize];
    let encoder = Encoder::new(&read_sql_table(case)?, settings)?;
    let rows = JsonRows::new(row_columns(case, false)?);
    let (mut row, mut buf) = (RowBuf::new(), RecordBuf::new());
    for line in list(case.get("changelog")) {
        let kind = rows.read(&line.to_string(), &mut row)?;
        if let Some(Record { key, value, headers, timestamp, .. }) = encoder.encode(kind, &row, &mut buf)? {
            let partition = partition_for_key(key.expect("an upsert has a key"), partitions);
            topic[partition as usize].push(show_record(key, value, headers, timestamp, None));
        }
    }
    Ok(topic)
}
