use std::time::Duration;

use serde_json::Value;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::row::ChangelogBuf;
use upsert_kafka::state::Changes;
use upsert_kafka::types::{DataType, Field};
use upsert_kafka::{ChangelogNormalizer, DecodeBuf, Error, ErrorKind, Row, RowBuf, TableSource};

use super::bytes::RecordParts;
use super::compare::{check_lists, show_row};
use super::decode::consumer_record;
use super::failure::{Failure, Stage};
use super::query::Query;
use super::table::{list, read_sql_table, text};
use super::{Case, Unmet};

/// A query over a table: `{"table", "options", "settings", "sql", "records", "result_columns", "collected", "error"?}`.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let Some(query) = Query::parse(case.text("sql")) else {
        return Err(Unmet::mismatch(format!("the result of {}", case.text("sql")), NO_SQL_ENGINE));
    };
    match (read_topic(case, &query), case.get("error")) {
        (Ok(rows), Value::Null) => check_lists("row", &expected(case), &in_order(case, rows)),
        (Err(error), Value::Null) => Err(Unmet::mismatch("rows", error.to_string())),
        (Ok(_), error) => Err(Unmet::mismatch(error.to_string(), "rows")),
        // What the job collected before it died varies.
        (Err(got), error) => Failure::new(case, Stage::Read, error, &Value::Null).hold("job", &got),
    }
}

const NO_SQL_ENGINE: &str = "there is no SQL engine";

/// A query that is more than columns and a condition: one with a function.
pub fn there_is_no_sql_engine(case: &Case, _: &str, got: &str) -> bool {
    got == NO_SQL_ENGINE && case.text("sql").contains('(')
}

/// Decodes the records, normalises them where the connector's rows are upserts, and answers what the query asks for.
fn read_topic(case: &Case, query: &Query) -> Result<Vec<String>, Error> {
    let source = read_sql_table(case)?.source(&case.settings())?;
    let (decoder, columns) = (source.decoder(), source.layout().columns());
    let mut normalizer = normalizer(case, &source, query);
    let (mut buf, mut changes) = (DecodeBuf::new(), ChangelogBuf::new());
    let mut note = |normalized: Changes<'_>| {
        normalized.for_each(|(kind, row)| changes.push(kind, 0).copy_from(row, row.columns()));
    };
    for (index, json) in list(case.get("records")).iter().enumerate() {
        let parts = RecordParts::read(json);
        let record = consumer_record(&parts, json, index);
        let record = record.with_topic_partition(case.option("topic").unwrap_or(""), 0);
        for (kind, row) in decoder.decode(&record, &mut buf)?.rows() {
            note(normalizer.apply(kind, row, 0)?);
        }
    }
    note(normalizer.flush(0)?);
    collect(case, columns, query, &changes)
}

/// What Flink's planner puts after the source: a ChangelogNormalize for upserts, and for a changelog that may tell a
/// change twice, in bundles if the case sets them.
fn normalizer(case: &Case, source: &TableSource, query: &Query) -> ChangelogNormalizer {
    let (columns, key) = (source.layout().columns(), source.layout().primary_key());
    let may_repeat = case.setting("table.exec.source.cdc-events-duplicate") == Some("true");
    let normalizer = if may_repeat && !key.is_empty() {
        ChangelogNormalizer::new(columns.len(), key)
    } else {
        source.normalizer()
    };
    let bundle = case.setting("table.exec.mini-batch.size").and_then(|size| size.parse().ok());
    let normalizer = normalizer.with_compared_columns(&query.used(columns)).with_bundle(bundle.unwrap_or(1));
    let normalizer = match case.setting("table.exec.state.ttl") {
        Some(time) => normalizer.with_ttl(hours(time)),
        None => normalizer,
    };
    match query.filter(columns) {
        Some(filter) => normalizer.with_filter(filter),
        None => normalizer,
    }
}

/// `1 h`; no case has another unit.
fn hours(time: &str) -> Duration {
    let hours =
        time.strip_suffix(" h").and_then(|hours| hours.parse::<u64>().ok()).expect("a number of hours");
    Duration::from_secs(hours * 3600)
}

/// The columns that the query selects. What collects them is a sink, with Flink's NOT NULL enforcer in front of it.
fn collect(
    case: &Case,
    columns: &[Field],
    query: &Query,
    changes: &ChangelogBuf,
) -> Result<Vec<String>, Error> {
    let selected = query.selected(columns);
    let is_null = |row: &RowBuf, column: &usize| row.datum(*column).is_null();
    let mut collected = Vec::new();
    for (kind, row) in changes.iter() {
        match selected.iter().find(|column| !columns[**column].data_type.nullable && is_null(row, column)) {
            None => {
                let values: RowBuf = selected.iter().map(|column| row.datum(*column)).collect();
                collected.push(format!("{kind} {}", show_row(&values, values.columns())));
            }
            Some(_) if case.setting("table.exec.sink.not-null-enforcer") == Some("DROP") => {}
            Some(column) => {
                let name = &columns[*column].name;
                let message = format!(
                    "Column '{name}' is NOT NULL, however, a null value is being written into it. You can set job \
                     configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop \
                     such records silently."
                );
                return Err(Error::new(ErrorKind::Row, message));
            }
        }
    }
    Ok(collected)
}

fn expected(case: &Case) -> Vec<String> {
    let columns = list(case.get("result_columns")).iter();
    let columns: Vec<Field> = columns
        .map(|column| Field::new(text(&column[0]), text(&column[1]).parse::<DataType>().expect("a type")))
        .collect();
    let rows = JsonRows::new(columns);
    let mut row = RowBuf::new();
    let shown = list(case.get("collected")).iter().map(|json| {
        let kind = rows.read(&json.to_string(), &mut row).expect("the rows of a case are read");
        format!("{kind} {}", show_row(&row, row.columns()))
    });
    in_order(case, shown.collect())
}

/// A bundle comes out in the order of a hash map: then only the changes of a key keep their order.
fn in_order(case: &Case, mut changes: Vec<String>) -> Vec<String> {
    if case.setting("table.exec.mini-batch.size").is_some() {
        changes.sort_by(|left, right| key(left).cmp(key(right)));
    }
    changes
}

/// The first column of a change `+I [key, ...]`.
fn key(change: &str) -> &str {
    change.split([' ', ',', ']']).nth(1).unwrap_or_default()
}
