use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use regex::Regex;
use serde_json::{Map, Value, json};
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::{BoundedMode, ChangelogMode, RecordLayout, StartupMode};
use upsert_kafka::types::Field;
use upsert_kafka::{Error, RowKind, Settings, Table, TableSink, TableSource};

use super::e2e::NO_ERROR;
use super::failure::{Failure, Stage};
use super::table::read_sql_table;
use super::{Case, Unmet};

/// A table, resolved for writing or for reading: what follows from its options, or the refusal. It is made twice, from
/// its text and from its parts.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let from_text = match text(case.get("ddl")) {
        "" => Ok(()),
        ddl => hold(case, Table::from_ddl(ddl)),
    };
    let from_parts = if is_text_alone(case) { Ok(()) } else { hold(case, read_sql_table(case)) };
    Unmet::all([from_text, from_parts])
}

/// What a case cannot say in parts: a statement that fails as such, and what its text adds to them.
fn is_text_alone(case: &Case) -> bool {
    case.get("error")["stage"] == "create" || !case.get("table")["extra_clause"].is_null()
}

/// `/*+ OPTIONS('key'='value', ...) */` in the query.
fn hints(case: &Case) -> Vec<(String, String)> {
    const STRING: &str = "'((?:[^']|'')*)'";
    let query = text(case.get("query"));
    let Some((_, hints)) = query.split_once("OPTIONS(") else { return Vec::new() };
    let hint = Regex::new(&format!(r"{STRING}\s*=\s*{STRING}")).expect("a pattern");
    let unquoted = |text: &str| text.replace("''", "'");
    hint.captures_iter(hints).map(|hint| (unquoted(&hint[1]), unquoted(&hint[2]))).collect()
}

/// Holds a table, or the refusal of it, against the case.
fn hold(case: &Case, table: Result<Table, Error>) -> Result<(), Unmet> {
    let resolved = table.and_then(|table| table.with_options(hints(case))).and_then(|table| {
        match text(case.get("role")) {
            "sink" => {
                let sink = table.sink(&settings())?;
                check_changelog(&sink, case)?;
                Ok(sink_view(&sink))
            }
            _ => table.source(&settings()).map(|source| source_view(&source)),
        }
    });
    match (resolved, case.get("error")) {
        (Ok(got), Value::Null) => same_members(case.get("resolved"), &got),
        (Ok(_), error) => Err(Unmet::mismatch(text(&error["message"]), NO_ERROR)),
        (Err(error), Value::Null) => Err(Unmet::mismatch(NO_ERROR, error.to_string())),
        (Err(error), expected) => Unmet::all([
            match text(&expected["message"]) {
                message if message == error.message() => Ok(()),
                message => Err(Unmet::mismatch(message, error.message())),
            },
            Failure::new(case, Stage::Made, expected, &Value::Null).hold_place("refusal", &error),
        ]),
    }
}

/// With a registry, so that its formats are tables, too.
fn settings() -> Settings {
    Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()))
}

/// The planner's check of a query's changes; the refusal alone names the node of the plan that makes them.
fn check_changelog(sink: &TableSink, case: &Case) -> Result<(), Error> {
    let (refused, node) = refusal(case).split_once(" which is produced by node ").unwrap_or_default();
    let query = text(case.get("query"));
    let has = |parts: &[&str]| parts.iter().any(|part| query.contains(part));
    let changes =
        if has(&["JOIN", "src_upsert", "src_changelog"]) || refused.ends_with(" update and delete changes") {
            ChangelogMode::ALL
        } else if has(&["GROUP BY"]) || refused.ends_with(" update changes") {
            ChangelogMode::of(&[RowKind::Insert, RowKind::UpdateAfter])
        } else {
            ChangelogMode::INSERT_ONLY
        };
    sink.check_changelog(changes, node)
}

/// Passes where all members that the case has are as it says.
fn same_members(expected: &Value, got: &Map<String, Value>) -> Result<(), Unmet> {
    let members = expected.as_object().into_iter().flatten();
    Unmet::all(members.map(|(name, expected)| same(name, expected, got.get(name).unwrap_or(&Value::Null))))
}

/// The members of both, one by one, where both are objects.
fn same(name: &str, expected: &Value, got: &Value) -> Result<(), Unmet> {
    match (expected, got) {
        (Value::Object(expected), Value::Object(got)) => {
            let names: BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
            let of =
                |members: &Map<String, Value>, name: &str| members.get(name).cloned().unwrap_or(Value::Null);
            Unmet::all(
                names
                    .into_iter()
                    .map(|member| same(&format!("{name}.{member}"), &of(expected, member), &of(got, member))),
            )
        }
        _ if expected == got => Ok(()),
        _ => Err(Unmet::mismatch(format!("{name}: {expected}"), format!("{name}: {got}"))),
    }
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
        "upsert_mode": layout.connector().as_str() == "upsert-kafka",
    });
    view.as_object().cloned().unwrap_or_default()
}

/// A number in the place of a time, which Flink refuses when it compiles the cast, and EXPLAIN does not.
pub fn a_number_is_no_time(case: &Case, expected: &str, got: &str) -> bool {
    let mut columns = case.get("table")["metadata"].as_array().into_iter().flatten();
    let refusal = "The cast from NUMERIC type to TIMESTAMP_LTZ type is not allowed. It's recommended to use \
                   TO_TIMESTAMP_LTZ(numeric_col, precision) instead.";
    let is_number = |column: &Value| {
        text(&column[1]).ends_with("INT") && got == format!("column `{}`: {refusal}", text(&column[0]))
    };
    expected == NO_ERROR && case.text("role") == "sink" && columns.any(is_number)
}

/// Calcite lists the tokens that its generated parser would have taken.
pub fn no_lists_of_what_a_parser_expects(_: &Case, expected: &str, got: &str) -> bool {
    expected.split_once("\nWas expecting").is_some_and(|(head, _)| head == got)
}

/// Which formats and connectors there are: three of the formats were not in the Flink that made the vectors. It refuses
/// them, where we have a table or go on to what else is wrong with it; and it does not list them.
pub fn the_list_of_formats_is_ours(_: &Case, expected: &str, got: &str) -> bool {
    const FORMATS: [&str; 3] = ["avro", "avro-confluent", "debezium-avro-confluent"];
    let Some((head, list)) = expected.split_once("Available factory identifiers are:\n\n") else {
        return false;
    };
    let unknown = head.split('\'').nth(1).unwrap_or_default();
    if head.contains("'org.apache.flink.table.factories.DynamicTableFactory'") {
        return got == format!("{head}Available factory identifiers are:\n\nkafka\nupsert-kafka");
    }
    if FORMATS.contains(&unknown) {
        return got == NO_ERROR || got.starts_with("One or more required options are missing.\n");
    }
    let ours: BTreeSet<&str> = list.split('\n').chain(FORMATS).collect();
    let ours: Vec<&str> = ours.into_iter().collect();
    got == format!("{head}Available factory identifiers are:\n\n{}", ours.join("\n"))
}

/// What is wrong with a regular expression, said by another engine.
pub fn regular_expressions_are_not_javas(case: &Case, _: &str, got: &str) -> bool {
    class(case) == "java.util.regex.PatternSyntaxException" && got.starts_with("Invalid regular expression: ")
}

/// Classes that Java does not find, or that are not what they must be.
pub fn there_is_no_class_loader(case: &Case, expected: &str, got: &str) -> bool {
    let partitioner = case.option("sink.partitioner").unwrap_or_default();
    let is_about_it = expected == partitioner || expected.starts_with(&format!("The class '{partitioner}' "));
    let is_deserializer = |key| case.option(key) == Some(expected);
    is_about_it && got == format!("Could not find and instantiate partitioner class '{partitioner}'")
        || ["properties.key.deserializer", "properties.value.deserializer"].into_iter().any(is_deserializer)
            && got == format!("Deserializer class {expected} not found")
}

/// Without a consumer group, Flink makes up a random prefix; we leave it to the client.
pub fn no_random_client_id_prefix(_: &Case, expected: &str, got: &str) -> bool {
    const NAME: &str = "consumer_config.client.id.prefix";
    expected == format!("{NAME}: \"<generated>\"") && got == format!("{NAME}: null")
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
