use serde_json::Value;
use upsert_kafka::{
    ChangelogDecoder, Connector, ConsumerRecord, DataType, DecodeBuf, Decoded, Error, Field, Jdk, JsonRows,
    LogicalType, Row, RowBuf, RowKind, Settings, Table, TimestampType, UpsertDecoder,
};

use super::bytes::{read_bytes, read_headers};
use super::compare::check_lists;
use super::table::{list, read_table, row_columns};
use super::{Case, Unmet, is_not_there, schema_registry};

/// `{"table", "options", "records", "rows", "error"?}`: 0, 1 or more rows a record, until one fails. In `bugs.jsonl` the
/// rows of a record can be `{"error": text}`: it fails alone.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let columns = row_columns(case, true).map_err(|error| Unmet::mismatch("columns", error.to_string()))?;
    let rows = CanonicalRows::new(columns);
    let mut expected = Vec::new();
    for of_record in list(case.get("rows")) {
        expected.push(rows.show_expected(of_record)?);
    }
    match case.get("error")["record"].as_i64() {
        Some(-1) => expected.push(NOT_MADE.to_owned()),
        Some(_) => expected.push(FAILED.to_owned()),
        None => {}
    }
    let settings = Settings::flink(Jdk::Jdk8To18).schema_registry(schema_registry::read(case));
    let got = match read_table(case).and_then(|table| Decoder::new(&table, &settings)) {
        Ok(decoder) => decode(case, &decoder, &rows, expected.len())?,
        Err(error) if is_not_there(&error) => return Err(Unmet::Pending),
        Err(_) if expected == [NOT_MADE] => return Ok(()),
        Err(error) => return Err(Unmet::mismatch("a decoder", error.to_string())),
    };
    check_lists("rows of record", &expected, &got)
}

const NOT_MADE: &str = "no decoder";
const FAILED: &str = "an error";

fn decode(case: &Case, decoder: &Decoder, rows: &CanonicalRows, count: usize) -> Result<Vec<String>, Unmet> {
    let mut buf = DecodeBuf::new();
    let mut got = Vec::new();
    for (index, json) in list(case.get("records")).iter().take(count).enumerate() {
        let (key, value) = (read_bytes(&json["key"]), read_bytes(&json["value"]));
        let headers = read_headers(&json["headers"]);
        let timestamp_type = match json["timestamp_type"].as_str() {
            Some("NoTimestampType") => TimestampType::NoTimestampType,
            Some("LogAppendTime") => TimestampType::LogAppendTime,
            Some("CreateTime") | None => TimestampType::CreateTime,
            Some(other) => return Err(Unmet::mismatch("a timestamp type", other)),
        };
        let partition = json["partition"].as_u64().unwrap_or(0).try_into().expect("a partition");
        let record = ConsumerRecord::new(key.as_deref(), value.as_deref())
            .with_headers(headers.as_headers())
            .with_topic_partition(json["topic"].as_str().unwrap_or("t"), partition)
            .with_offset(json["offset"].as_i64().unwrap_or(index as i64))
            .with_leader_epoch(json["leader_epoch"].as_i64().map(|epoch| epoch.try_into().expect("an epoch")))
            .with_timestamp(json["timestamp"].as_i64().unwrap_or(0), timestamp_type);
        got.push(match decoder.decode(&record, &mut buf) {
            Ok(_) => rows.show(&buf)?,
            Err(_) => FAILED.to_owned(),
        });
    }
    Ok(got)
}

/// The decoder of a table's connector.
pub enum Decoder {
    Upsert(UpsertDecoder),
    Changelog(ChangelogDecoder),
}

impl Decoder {
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        match table.connector() {
            Connector::UpsertKafka => UpsertDecoder::new(table, settings).map(Self::Upsert),
            Connector::Kafka => ChangelogDecoder::new(table, settings).map(Self::Changelog),
        }
    }

    pub fn decode(&self, record: &ConsumerRecord<'_>, buf: &mut DecodeBuf) -> Result<Decoded, Error> {
        match self {
            Self::Upsert(decoder) => decoder.decode(record, buf),
            Self::Changelog(decoder) => decoder.decode(record, buf),
        }
    }
}

/// Rows in one spelling: that of the fixtures, with maps in the order of their keys, since Java's have none.
pub struct CanonicalRows {
    columns: Vec<Field>,
    rows: JsonRows,
}

impl CanonicalRows {
    pub fn new(columns: Vec<Field>) -> Self {
        Self { rows: JsonRows::new(columns.clone()), columns }
    }

    /// What a vector expects of a record. A row NULL is none.
    fn show_expected(&self, of_record: &Value) -> Result<String, Unmet> {
        if of_record["error"].is_string() {
            return Ok(FAILED.to_owned());
        }
        let mut text = String::new();
        let mut row = RowBuf::new();
        for json in list(of_record).iter().filter(|json| !json.is_null()) {
            let kind = self.rows.read(&json.to_string(), &mut row);
            let kind = kind.map_err(|error| Unmet::mismatch("a row", error.to_string()))?;
            text += &self.show_row(kind, &row)?;
        }
        Ok(text)
    }

    fn show(&self, buf: &DecodeBuf) -> Result<String, Unmet> {
        buf.iter().map(|(kind, row)| self.show_row(kind, row)).collect()
    }

    pub fn show_row<R: Row + ?Sized>(&self, kind: RowKind, row: &R) -> Result<String, Unmet> {
        let mut line = Vec::new();
        self.rows.write(kind, row, &mut line).map_err(|error| Unmet::mismatch("a row", error.to_string()))?;
        let mut json: Value = serde_json::from_slice(&line).expect("what was just written");
        for (index, column) in self.columns.iter().enumerate() {
            sort_maps(&mut json[1][index], &column.data_type);
        }
        Ok(json.to_string())
    }
}

fn sort_maps(json: &mut Value, data_type: &DataType) {
    let Value::Array(values) = json else { return };
    match &data_type.logical_type {
        LogicalType::Array(element) => values.iter_mut().for_each(|value| sort_maps(value, element)),
        LogicalType::Row(row) => {
            values.iter_mut().zip(row.fields()).for_each(|(value, field)| sort_maps(value, &field.data_type));
        }
        LogicalType::Map(_, value) => {
            values.iter_mut().for_each(|entry| sort_maps(&mut entry[1], value));
            values.sort_by_key(|entry| entry[0].to_string());
        }
        LogicalType::Multiset(_) => values.sort_by_key(|entry| entry[0].to_string()),
        _ => {}
    }
}
