use std::sync::Arc;

use serde_json::Value;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::NotNullEnforcer;
use upsert_kafka::{Encoder, Error, RecordBuf, RowBuf, TableSink};

use super::compare::{show_expected_record, show_record};
use super::failure::{Expected, Failure, Outcome, Stage, check_outcomes};
use super::table::{list, read_table, row_columns};
use super::{Case, Unmet, avro_schema, check, schema_registry};

/// `{"table", "options", "rows", "records", "error"?}`: a record a row, until one fails. In `bugs.jsonl` a record can
/// be `{"error": text}`: its row fails alone.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let error = case.get("error");
    let registry = schema_registry::read(case);
    let made = make(case, registry.clone());
    if error["row"] == -1 {
        return match made {
            Ok(_) => Err(Unmet::mismatch("no encoder", "an encoder")),
            Err(got) => Failure::new(case, Stage::Made, error, &Value::Null).hold("encoder", &got),
        };
    }
    let sink = made.map_err(|error| Unmet::mismatch("an encoder", error.to_string()))?;
    avro_schema::check(case, sink.layout())?;
    let topic = sink.layout().topics().and_then(|topics| topics.first());
    let expected = expected(case)?;
    check_outcomes(
        "row",
        &expected,
        &encode(case, &sink.encoder(), topic.map(String::as_str), expected.len())?,
    )?;
    schema_registry::check_after(case, &registry)
}

/// What each row comes to, up to the one that ends the case.
fn expected(case: &Case) -> Result<Vec<Expected<'_>>, Unmet> {
    let failure = |json| Expected::Failed(Failure::new(case, Stage::Written, json, &Value::Null));
    let records = list(case.get("records")).iter();
    let mut expected: Vec<_> = records
        .map(|record| match &record["error"] {
            Value::Null => Expected::Shown(show_expected(record)),
            error => failure(error),
        })
        .collect();
    let error = case.get("error");
    if error.is_null() {
        check("rows", &list(case.get("rows")).len(), &expected.len())?;
    } else {
        check("the row that fails", &error["row"], &expected.len().into())?;
        expected.push(failure(error));
    }
    Ok(expected)
}

const NO_RECORD: &str = "no record";

/// The table, as the vectors ran: without a planner, so without its NOT NULL enforcer and
/// its check of row kinds.
pub fn make(case: &Case, registry: Arc<MemorySchemaRegistry>) -> Result<TableSink, Error> {
    let settings = case
        .settings()
        .with_not_null_enforcer(NotNullEnforcer::Off)
        .with_unchecked_kinds(true)
        .with_schema_registry(registry);
    read_table(case)?.sink(&settings)
}

fn encode(case: &Case, encoder: &Encoder, topic: Option<&str>, count: usize) -> Result<Vec<Outcome>, Unmet> {
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
                Outcome::Shown(show_record(record.key, record.value, record.headers, record.timestamp, topic))
            }
            Ok(None) => Outcome::Shown(NO_RECORD.to_owned()),
            Err(error) => Outcome::Failed(error),
        });
    }
    Ok(got)
}

fn show_expected(record: &Value) -> String {
    if record.is_null() {
        return NO_RECORD.to_owned();
    }
    show_expected_record(record)
}
