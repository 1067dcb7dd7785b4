use std::sync::Arc;

use serde_json::Value;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::record::TimestampType;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoded, Decoder, Error, Jdk, RowBuf, Settings, TableSource};

use super::bytes::RecordParts;
use super::compare::{check_lists, show_row};
use super::table::{list, read_table, row_columns};
use super::{Case, Unmet, avro_schema, is_not_there, schema_registry};

/// `{"table", "options", "records", "rows", "error"?}`: a list of rows a record, until one fails. In `bugs.jsonl` a list
/// can be `{"error": text}`: its record fails alone.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let rows = row_columns(case, true).map(JsonRows::new).expect("the types of a case parse");
    let mut expected: Vec<String> =
        list(case.get("rows")).iter().map(|record| show_expected(record, &rows)).collect();
    match case.get("error")["record"].as_i64() {
        Some(-1) => expected.push(NOT_MADE.to_owned()),
        Some(_) => expected.push(FAILED.to_owned()),
        None => {}
    }
    let got = match make(case, schema_registry::read(case)) {
        Ok(source) => {
            avro_schema::check(case, source.layout())?;
            decode(case, &source.decoder(), expected.len())
        }
        Err(error) if is_not_there(&error) => return Err(Unmet::Pending),
        Err(_) if expected == [NOT_MADE] => return Ok(()),
        Err(error) => return Err(Unmet::mismatch("a decoder", error.to_string())),
    };
    check_lists("record", &expected, &got)
}

const NOT_MADE: &str = "no decoder";
const FAILED: &str = "an error";

/// The table, as the vectors ran: a corrupt value that is ignored deletes.
fn make(case: &Case, registry: Arc<MemorySchemaRegistry>) -> Result<TableSource, Error> {
    let settings = Settings::flink(Jdk::Jdk8To18).with_schema_registry(registry);
    read_table(case)?.source(&settings)
}

fn decode(case: &Case, decoder: &Decoder, count: usize) -> Vec<String> {
    let mut buf = DecodeBuf::new();
    let records = list(case.get("records")).iter().enumerate().take(count);
    records
        .map(|(index, json)| {
            let parts = RecordParts::read(json);
            match decoder.decode(&consumer_record(&parts, json, index), &mut buf) {
                Ok(decoded) => {
                    assert_eq!(decoded.skipped().is_some(), decoded.rows().len() == 0);
                    show_rows(decoded)
                }
                Err(_) => FAILED.to_owned(),
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
    if record["error"].is_string() {
        return FAILED.to_owned();
    }
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
