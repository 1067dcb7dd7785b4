use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::{BoundedMode, ChangelogMode, RecordLayout, StartupMode};
use upsert_kafka::types::Field;
use upsert_kafka::{Error, RowKind, Settings, Table, TableSink, TableSource};

use super::table::read_sql_table;
use super::{Case, Unmet};

/// A table, resolved for writing or for reading: what follows from its options, or the refusal.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let ddl = text(case.get("ddl"));
    if !ddl.is_empty() {
        hold(case, Table::from_ddl(ddl).and_then(|table| table.with_options(hints(case))))?;
    }
    // What a case cannot say in parts: what fails in SQL alone, and what its text adds to them.
    let is_sql_only = case.get("error")["stage"] == "create" || !case.get("table")["extra_clause"].is_null();
    if is_sql_only || ddl.contains("TIME(9)") {
        return Ok(());
    }
    hold(case, read_sql_table(case).and_then(|table| table.with_options(hints(case))))
}

/// `OPTIONS('key'='value')` in the query.
fn hints(case: &Case) -> impl Iterator<Item = (&str, &str)> {
    let hints = text(case.get("query")).split_once("OPTIONS(").and_then(|(_, hints)| hints.split_once(')'));
    hints.into_iter().flat_map(|(hints, _)| hints.split(',')).filter_map(|hint| {
        let (key, value) = hint.split_once('=')?;
        Some((key.trim().trim_matches('\''), value.trim().trim_matches('\'')))
    })
}

/// Holds a table, or the refusal of it, against the case.
fn hold(case: &Case, table: Result<Table, Error>) -> Result<(), Unmet> {
    let resolved = table.and_then(|table| match text(case.get("role")) {
        "sink" => {
            let sink = table.sink(&settings())?;
            check_changelog(&sink, refusal(case))?;
            Ok(sink_view(&sink))
        }
        _ => table.source(&settings()).map(|source| source_view(&source)),
    });
    match (resolved, case.get("error")) {
        (Ok(got), Value::Null) => same_members(case.get("resolved"), &got),
        (Ok(_), error) => Err(Unmet::mismatch(text(&error["message"]), "no error")),
        (Err(error), Value::Null) => Err(Unmet::mismatch("no error", error.to_string())),
        (Err(error), expected) if expected["message"] == error.message() => Ok(()),
        (Err(error), expected) => Err(Unmet::mismatch(text(&expected["message"]), error.message())),
    }
}

/// With a registry, so that its formats are tables, too.
fn settings() -> Settings {
    Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()))
}

/// The planner's check of a query's changes: its refusal tells which changes they were, and of which node.
fn check_changelog(sink: &TableSink, refusal: &str) -> Result<(), Error> {
    let Some((changes, node)) = refusal.split_once(" which is produced by node ") else { return Ok(()) };
    let changes = match changes.rsplit_once("consuming ") {
        Some((_, "update and delete changes")) => ChangelogMode::ALL,
        Some((_, "update changes")) => ChangelogMode::of(&[RowKind::Insert, RowKind::UpdateAfter]),
        _ => ChangelogMode::of(&[RowKind::Insert, RowKind::Delete]),
    };
    sink.check_changelog(changes, node)
}

fn same_members(expected: &Value, got: &Map<String, Value>) -> Result<(), Unmet> {
    for (name, expected) in expected.as_object().into_iter().flatten() {
        let got = got.get(name).unwrap_or(&Value::Null);
        if expected != got {
            return Err(Unmet::mismatch(format!("{name}: {expected}"), format!("{name}: {got}")));
        }
    }
    Ok(())
}

fn sink_view(sink: &TableSink) -> Map<String, Value> {
    let mut view = layout_view(sink.layout());
    let flush = sink.buffer_flush();
    let naming = sink.transaction_naming_strategy().to_string();
    let mut put = |name: &str, value: Value| view.insert(name.to_owned(), value);
    put("parallelism", json!(sink.parallelism()));
    put("properties", json!(**sink.properties()));
    put("changelog_mode", json!(sink.changelog_mode().to_string()));
    put("partitioner", json!(sink.partitioner().class_name()));
    put("delivery_guarantee", json!(sink.delivery_guarantee().to_string()));
    put("transactional_id_prefix", json!(sink.transactional_id_prefix()));
    put("transaction_naming_strategy", json!(naming));
    put("buffer_flush_max_rows", json!(flush.map_or(0, |flush| flush.max_rows)));
    put("buffer_flush_interval_ms", json!(flush.map_or(0, |flush| flush.interval_ms)));
    put(
        "writable_metadata",
        sink.writable_metadata().map(|(key, kind)| json!([key, kind.to_string()])).collect(),
    );
    put("producer_config", json!(*sink.producer_config()));
    view
}

fn source_view(source: &TableSource) -> Map<String, Value> {
    let mut view = layout_view(source.layout());
    let topic = source.layout().topics().and_then(<[_]>::first).map_or("", String::as_str);
    let nowhere = BTreeMap::new();
    let (startup_mode, startup_offsets, startup_millis) = match source.startup_mode() {
        StartupMode::Earliest => ("EARLIEST", &nowhere, 0),
        StartupMode::Latest => ("LATEST", &nowhere, 0),
        StartupMode::GroupOffsets => ("GROUP_OFFSETS", &nowhere, 0),
        StartupMode::Timestamp(millis) => ("TIMESTAMP", &nowhere, *millis),
        StartupMode::SpecificOffsets(offsets) => ("SPECIFIC_OFFSETS", offsets, 0),
        other => panic!("a mode that Flink has not: {other:?}"),
    };
    let (bounded_mode, bounded_offsets, bounded_millis) = match source.bounded_mode() {
        BoundedMode::Unbounded => ("UNBOUNDED", &nowhere, 0),
        BoundedMode::Latest => ("LATEST", &nowhere, 0),
        BoundedMode::GroupOffsets => ("GROUP_OFFSETS", &nowhere, 0),
        BoundedMode::Timestamp(millis) => ("TIMESTAMP", &nowhere, *millis),
        BoundedMode::SpecificOffsets(offsets) => ("SPECIFIC_OFFSETS", offsets, 0),
        other => panic!("a mode that Flink has not: {other:?}"),
    };
    let offsets = |offsets: &BTreeMap<i32, i64>| -> Value {
        offsets.iter().map(|(partition, offset)| (format!("{topic}-{partition}"), json!(offset))).collect()
    };
    let readable = source.readable_metadata().map(|(key, kind)| json!([key, kind.to_string()]));
    let mut put = |name: &str, value: Value| view.insert(name.to_owned(), value);
    put("parallelism", json!(source.parallelism()));
    put("properties", json!(**source.properties()));
    put("changelog_mode", json!(source.changelog_mode().to_string()));
    put("startup_mode", json!(startup_mode));
    put("startup_specific_offsets", offsets(startup_offsets));
    put("startup_timestamp_millis", json!(startup_millis));
    put("bounded_mode", json!(bounded_mode));
    put("bounded_specific_offsets", offsets(bounded_offsets));
    put("bounded_timestamp_millis", json!(bounded_millis));
    put("readable_metadata", readable.collect());
    put("consumer_config", json!(*source.consumer_config()));
    put("changelog_normalize", json!(source.is_normalized()));
    view
}

fn layout_view(layout: &RecordLayout) -> Map<String, Value> {
    // A column that is in the key twice has its own name there, which the cases do not have.
    let fields = |columns: &[usize], prefix: &str| -> Value {
        let fields = columns.iter().map(|column| &layout.columns()[*column]);
        let name = |field: &Field| field.name.strip_prefix(prefix).unwrap_or(&field.name).to_owned();
        fields.map(|field| json!([name(field), field.data_type.to_string()])).collect()
    };
    let view = json!({
        "key_projection": layout.key_projection(),
        "value_projection": layout.value_projection(),
        "key_fields": fields(layout.key_columns(), layout.key_prefix().unwrap_or_default()),
        "value_fields": fields(layout.value_columns(), ""),
        "key_prefix": layout.key_prefix(),
        "topics": layout.topics(),
        "topic_pattern": layout.topic_pattern(),
        "upsert_mode": layout.connector().identifier() == "upsert-kafka",
    });
    view.as_object().cloned().unwrap_or_default()
}

/// A column that Flink's planner casts: the cast is the caller's, and so is the type that the column declares.
pub fn metadata_is_not_cast(_: &Case, got: &str) -> bool {
    got.contains(": a metadata column is not cast to ")
}

/// Calcite lists the tokens that its generated parser would have taken.
pub fn no_lists_of_what_a_parser_expects(case: &Case, got: &str) -> bool {
    refusal(case).split_once("\nWas expecting").is_some_and(|(head, _)| head == got)
}

/// Which formats and connectors there are; two of the formats were not in the Flink that made the vectors.
pub fn the_list_of_formats_is_ours(case: &Case, got: &str) -> bool {
    let expected = refusal(case);
    let head =
        |message: &str| message.split_once("Available factory identifiers").map(|(head, _)| head.to_owned());
    let no_avro = expected.starts_with("Could not find any factory for identifier 'avro");
    no_avro || (head(expected).is_some() && head(expected) == head(got))
}

/// What is wrong with a regular expression, said by another engine.
pub fn regular_expressions_are_not_javas(case: &Case, got: &str) -> bool {
    class(case) == "java.util.regex.PatternSyntaxException" && got.starts_with("Invalid regular expression: ")
}

/// Classes that Java does not find, or that are not what they must be.
pub fn there_is_no_class_loader(case: &Case, got: &str) -> bool {
    let partitioner = case.get("options")["sink.partitioner"].as_str().unwrap_or_default();
    got == format!("Could not find and instantiate partitioner class '{partitioner}'")
        || (got.starts_with("Deserializer class ")
            && (class(case) == "java.lang.ClassNotFoundException"
                || refusal(case).starts_with("Deserializer class ")))
}

/// Without a consumer group, Flink makes up a random prefix; we leave it to the client.
pub fn no_random_client_id_prefix(case: &Case, got: &str) -> bool {
    let mut expected = case.get("resolved")["consumer_config"].clone();
    let Some(config) = expected.as_object_mut() else { return false };
    config.remove("client.id.prefix") == Some(json!("<generated>"))
        && got == format!("consumer_config: {expected}")
}

/// What depends on the query that writes the table: its columns, its key, ON CONFLICT, the materializer.
pub fn the_planner_sees_the_query(case: &Case, got: &str) -> bool {
    const ABOUT_QUERIES: [&str; 3] = ["-consume-", "-conflict-", "-materialize-"];
    let is_about_a_query = ABOUT_QUERIES.iter().any(|part| case.id().contains(part));
    is_about_a_query && (got == "no error" || got == "upsert_materialize: null")
}

fn refusal(case: &Case) -> &str {
    text(&case.get("error")["message"])
}

fn class(case: &Case) -> &str {
    text(&case.get("error")["class"])
}

/// The string, or nothing.
fn text(json: &Value) -> &str {
    json.as_str().unwrap_or_default()
}
