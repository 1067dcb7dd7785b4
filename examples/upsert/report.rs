//! What is printed, for people.

use std::io::{self, Write};
use std::time::Duration;

use upsert_kafka::source::SkipReason;

use super::arguments::Updates;
use super::encode::{Job, Totals};
use super::kafka_topic::KafkaTopic;
use super::progress::per_second;
use super::read_back;
use super::topic::{StoredRecord, Topic};

/// All records of the topic, and then those that compaction leaves.
pub fn records(out: &mut dyn Write, job: &Job, topic: &Topic) -> io::Result<()> {
    writeln!(
        out,
        "Table {}, topic {} of {} partitions\n",
        job.table.path().join("."),
        job.topic,
        job.partitions
    )?;
    table(out, topic.records())?;
    writeln!(out, "\nWhat compaction leaves, the last record of each key\n")?;
    table(out, topic.compacted().into_iter())?;
    writeln!(out)
}

pub fn totals(out: &mut dyn Write, job: &Job, totals: &Totals) -> io::Result<()> {
    let Totals { rows, records, batches, bytes, .. } = totals;
    let updates = match job.updates {
        Updates::Tombstone => "a -U writes a tombstone",
        Updates::Drop => "a -U writes nothing",
        Updates::Pairs => "a -U writes a tombstone unless the same key follows",
    };
    writeln!(out, "Rows: {rows}, {updates}. Records: {records}. Batches: {batches}, {bytes} bytes.")
}

/// Where the records went.
pub fn sent(out: &mut dyn Write, job: &Job, kafka: &KafkaTopic) -> io::Result<()> {
    let (topic, partitions, bootstrap, retries) =
        (&job.topic, job.partitions, kafka.bootstrap(), kafka.retries());
    writeln!(
        out,
        "All are acknowledged by topic {topic} at {bootstrap}, {partitions} partitions. Requests sent again: {retries}."
    )
}

/// How fast `count` rows or records went.
pub fn speed(out: &mut dyn Write, count: u64, what: &str, elapsed: Duration) -> io::Result<()> {
    let rate = per_second(count, elapsed);
    writeln!(out, "{:.3} s, {rate} {what}/s", elapsed.as_secs_f64())
}

/// What there was in a topic that was read, and what of it gave no row.
pub fn read_back(out: &mut dyn Write, totals: &read_back::Totals) -> io::Result<()> {
    let read_back::Totals { batches, damaged_batches, bytes, records, changes, .. } = totals;
    write!(out, "Batches: {batches}, {damaged_batches} of them damaged, {bytes} bytes. ")?;
    write!(
        out,
        "Records: {}, {} of them failed, {} skipped",
        records.records(),
        records.failed(),
        records.skipped()
    )?;
    for reason in [
        SkipReason::NoKey,
        SkipReason::UnreadableKey,
        SkipReason::NoValue,
        SkipReason::UnreadableValue,
        SkipReason::Filtered,
    ] {
        let count = records.skipped_for(reason);
        if count > 0 {
            write!(out, " ({count}: {})", reason.message())?;
        }
    }
    writeln!(out, ". Changes: {changes}.")
}

/// Says whether the topic is the one that Flink made, and answers it too.
///
/// With as many partitions, all is compared in order; with more or less, the records of each key are.
pub fn comparison(out: &mut dyn Write, job: &Job, topic: &Topic, flinks: &Topic) -> io::Result<bool> {
    let by_key = job.sample.is_some_and(|sample| sample.partitions != job.partitions);
    let [got, expected] = [topic, flinks].map(|topic| comparable(topic, by_key));
    let unequal = (0..got.len().max(expected.len())).find(|&index| got.get(index) != expected.get(index));
    if let Some(index) = unequal {
        writeln!(out, "NOT EQUAL to what Flink and Kafka put on this topic, first here:")?;
        for (whose, record) in [("theirs", expected.get(index)), ("ours  ", got.get(index))] {
            writeln!(out, "  {whose}  {}", record.map_or("no more records".to_owned(), one_line))?;
        }
        return Ok(false);
    }
    let how = if by_key {
        "key by key, in order (Flink's topic had another number of partitions)"
    } else {
        "partition by partition, in order"
    };
    let count = got.len();
    writeln!(
        out,
        "Equal: all {count} records are what Flink and Kafka put on this topic, byte for byte, {how}."
    )?;
    Ok(true)
}

fn comparable(topic: &Topic, by_key: bool) -> Vec<StoredRecord> {
    let mut records: Vec<StoredRecord> = topic.records().cloned().collect();
    if by_key {
        records.sort_by(|left, right| left.key.cmp(&right.key)); // stable: the order of a key's records stays
        for record in &mut records {
            (record.partition, record.offset) = (0, 0);
        }
    }
    records
}

fn table<'a>(out: &mut dyn Write, records: impl Iterator<Item = &'a StoredRecord>) -> io::Result<()> {
    let lines: Vec<_> = records.map(|record| (record, key(record), value(record))).collect();
    let width = lines.iter().map(|(_, key, _)| key.chars().count()).max().unwrap_or(0).clamp(3, 60);
    writeln!(out, "partition  offset  {:width$}  value", "key")?;
    for (StoredRecord { partition, offset, .. }, key, value) in lines {
        writeln!(out, "{partition:9}  {offset:6}  {key:width$}  {value}")?;
    }
    Ok(())
}

fn one_line(record: &StoredRecord) -> String {
    let StoredRecord { partition, headers, .. } = record;
    let headers = if *headers == 0 { String::new() } else { format!(", {headers} headers") };
    format!("partition {partition}, {}, {}{headers}", key(record), value(record))
}

fn key(record: &StoredRecord) -> String {
    record.key.as_deref().map_or("(null)".to_owned(), readable)
}

fn value(record: &StoredRecord) -> String {
    record.value.as_deref().map_or("(tombstone)".to_owned(), readable)
}

/// Text as it is, bytes that are none with Rust's escapes.
fn readable(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok("") => "(empty)".to_owned(),
        Ok(text) if !text.contains(char::is_control) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    }
}
