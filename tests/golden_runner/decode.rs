use std::sync::Arc;

use serde_json::Value;
use upsert_kafka::error::Part;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::record::TimestampType;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoded, Decoder, Error, RowBuf, TableSource};

use super::bytes::RecordParts;
use super::compare::show_row;
use super::failure::{Expected, Failure, Outcome, Stage, check_outcomes};
use super::table::{list, read_table, row_columns};
use super::{Case, Unmet, avro_schema, check, schema_registry};

/// `{"table", "options", "records", "rows", "error"?}`: a list of rows a record, until one fails. In `bugs.jsonl` a list
/// can be `{"error": text}`: its record fails alone.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let error = case.get("error");
    let made = make(case, schema_registry::read(case));
    if error["record"] == -1 {
        return match made {
            Ok(_) => Err(Unmet::mismatch("no decoder", "a decoder")),
            Err(got) => Failure::new(case, Stage::Made, error, &Value::Null).hold("decoder", &got),
        };
    }
    let source = made.map_err(|error| Unmet::mismatch("a decoder", error.to_string()))?;
    avro_schema::check(case, source.layout())?;
    let expected = expected(case)?;
    let rows_before_error = match list(&error["rows_before_error"]).len() {
        0 => Ok(()),
        rows => Err(Unmet::mismatch(format!("{rows} rows of the record that fails"), NO_ROW_OF_IT)),
    };
    Unmet::all([
        check_outcomes("record", &expected, &decode(case, &source.decoder(), expected.len())),
        rows_before_error,
    ])
}

const NO_ROW_OF_IT: &str = "no row of the record that fails";

/// Flink has handed on the first rows of a record when it comes to one that fails.
pub fn a_record_fails_as_a_whole(_: &Case, _: &str, got: &str) -> bool {
    got == NO_ROW_OF_IT
}

/// Flink reads on where a key does not parse and is ignored, and fails when the value needs it.
pub fn the_key_that_fails_is_named(case: &Case, expected: &str, got: &str) -> bool {
    let key_format = case.option("key.format").unwrap_or_default();
    let is_ignored = case.option(&format!("key.{key_format}.ignore-parse-errors")) == Some("true");
    let part = |shown: &str, part: Part| shown.ends_with(&format!(", part: {:?}", Some(part)));
    is_ignored
        && case.get("error")["class"] == "java.lang.NullPointerException"
        && part(expected, Part::Value)
        && part(got, Part::Key)
}

/// What each record comes to, up to the one that ends the case.
fn expected(case: &Case) -> Result<Vec<Expected<'_>>, Unmet> {
    let rows = row_columns(case, true).map(JsonRows::new).expect("the types of a case parse");
    let records = list(case.get("records"));
    let failure = |json, record: usize| {
        Expected::Failed(Failure::new(case, Stage::Read, json, records.get(record).unwrap_or(&Value::Null)))
    };
    let lists = list(case.get("rows")).iter().enumerate();
    let mut expected: Vec<_> = lists
        .map(|(index, json)| match &json["error"] {
            Value::Null => Expected::Shown(show_expected(json, &rows)),
            error => failure(error, index),
        })
        .collect();
    let error = case.get("error");
    if error.is_null() {
        check("records", &records.len(), &expected.len())?;
    } else {
        check("the record that fails", &error["record"], &expected.len().into())?;
        expected.push(failure(error, expected.len()));
    }
    Ok(expected)
}

/// The table, as the vectors ran: a corrupt value that is ignored deletes.
pub fn make(case: &Case, registry: Arc<MemorySchemaRegistry>) -> Result<TableSource, Error> {
    let settings = case.settings().with_schema_registry(registry);
    read_table(case)?.source(&settings)
}

fn decode(case: &Case, decoder: &Decoder, count: usize) -> Vec<Outcome> {
    let mut buf = DecodeBuf::new();
    let records = list(case.get("records")).iter().enumerate().take(count);
    records
        .map(|(index, json)| {
            let parts = RecordParts::read(json);
            match decoder.decode(&consumer_record(&parts, json, index), &mut buf) {
                Ok(decoded) => {
                    assert_eq!(decoded.skipped().is_some(), decoded.rows().len() == 0);
                    Outcome::Shown(show_rows(decoded))
                }
                Err(error) => Outcome::Failed(error),
            }
        })
        .collect()
}

/// A record that says less was read at time 0 from topic "t", partition 0, at its own index.
pub fn consumer_record<'a>(parts: &'a RecordParts, json: &'a Value, index: usize) -> ConsumerRecord<'a> {
    let number = |name: &str| json[name].as_i64();
    let index = i64::try_from(index).expect("few records");
    let timestamp_type = match json["timestamp_type"].as_str() {
        None | Some("CreateTime") => TimestampType::CreateTime,
        Some("LogAppendTime") => TimestampType::LogAppendTime,
        Some("NoTimestampType") => TimestampType::NoTimestampType,
        Some(other) => panic!("no timestamp type: {other}"),
    };
    let partition = i32::try_from(number("partition").unwrap_or(0)).expect("a partition");
    let record = parts.as_record();
    let consumed = ConsumerRecord::new(record.key, record.value)
        .with_headers(record.headers)
        .with_topic_partition(json["topic"].as_str().unwrap_or("t"), partition)
        .with_offset(number("offset").unwrap_or(index))
        .with_timestamp(record.timestamp.unwrap_or(0), timestamp_type);
    match number("leader_epoch") {
        Some(epoch) => consumed.with_leader_epoch(i32::try_from(epoch).expect("an epoch")),
        None => consumed,
    }
}

/// Rows NULL, which Flink hands on and nobody takes, are not there.
fn show_expected(record: &Value, rows: &JsonRows) -> String {
    let mut row = RowBuf::new();
    let shown = list(record).iter().filter(|json| !json.is_null()).map(|json| {
        let kind = rows.read(&json.to_string(), &mut row).expect("the rows of a case are read");
        format!("{kind} {}", show_row(&row, row.columns()))
    });
    shown.collect::<Vec<_>>().join("; ")
}

fn show_rows(decoded: Decoded<'_>) -> String {
    let shown = decoded.rows().map(|(kind, row)| format!("{kind} {}", show_row(row, row.columns())));
    shown.collect::<Vec<_>>().join("; ")
}
