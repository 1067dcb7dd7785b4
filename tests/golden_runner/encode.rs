use std::sync::Arc;

use serde_json::Value;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::NotNullEnforcer;
use upsert_kafka::{Encoder, Error, Jdk, RecordBuf, RowBuf, Settings, TableSink};

use super::compare::{check_lists, show_expected_record, show_record};
use super::table::{list, read_table, row_columns};
use super::{Case, Unmet, avro_schema, is_not_there, schema_registry};

/// `{"table", "options", "rows", "records", "error"?}`: a record a row, until one fails. In `bugs.jsonl` a record can
/// be `{"error": text}`: its row fails alone.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let records = list(case.get("records"));
    let mut expected: Vec<String> = records.iter().map(show_expected).collect();
    match case.get("error")["row"].as_i64() {
        Some(-1) => expected.push(NOT_MADE.to_owned()),
        Some(_) => expected.push(FAILED.to_owned()),
        None => {}
    }
    let registry = schema_registry::read(case);
    let got = match make(case, registry.clone()) {
        Ok(sink) => {
            let layout = sink.layout();
            avro_schema::check(case, layout)?;
            let topic = layout.topics().and_then(|topics| topics.first());
            encode(case, &sink.encoder(), topic.map(String::as_str), expected.len())?
        }
        Err(error) if is_not_there(&error) => return Err(Unmet::Pending),
        Err(_) if expected == [NOT_MADE] => return Ok(()),
        Err(error) => return Err(Unmet::mismatch("an encoder", error.to_string())),
    };
    check_lists("record", &expected, &got)?;
    schema_registry::check_after(case, &registry)
}

const NOT_MADE: &str = "no encoder";
const FAILED: &str = "an error";
const NO_RECORD: &str = "no record";

/// The table, as the vectors ran: without a planner, so without its NOT NULL enforcer and
/// its check of row kinds.
fn make(case: &Case, registry: Arc<MemorySchemaRegistry>) -> Result<TableSink, Error> {
    let settings = Settings::flink(Jdk::Jdk8To18)
        .with_not_null_enforcer(NotNullEnforcer::Off)
        .with_unchecked_kinds(true)
        .with_schema_registry(registry);
    read_table(case)?.sink(&settings)
}

fn encode(case: &Case, encoder: &Encoder, topic: Option<&str>, count: usize) -> Result<Vec<String>, Unmet> {
    let columns = row_columns(case, false).map_err(|error| Unmet::mismatch("columns", error.to_string()))?;
    let rows = JsonRows::new(columns);
    let records = list(case.get("records"));
    let (mut row, mut buf) = (RowBuf::new(), RecordBuf::new());
    let mut got = Vec::new();
    for (index, json) in list(case.get("rows")).iter().take(count).enumerate() {
        let kind = rows
            .read(&json.to_string(), &mut row)
            .map_err(|error| Unmet::mismatch("a row", error.to_string()))?;
        let with_topic = records.get(index).is_some_and(|record| record["topic"].is_string());
        got.push(match encoder.encode(kind, &row, &mut buf) {
            Ok(Some(record)) => {
                let topic = record.topic.or(topic).filter(|_| with_topic);
                show_record(record.key, record.value, record.headers, record.timestamp, topic)
            }
            Ok(None) => NO_RECORD.to_owned(),
            Err(_) => FAILED.to_owned(),
        });
    }
    Ok(got)
}

fn show_expected(record: &Value) -> String {
    if record.is_null() {
        return NO_RECORD.to_owned();
    }
    if record["error"].is_string() {
        return FAILED.to_owned();
    }
    show_expected_record(record)
}
