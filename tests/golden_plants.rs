//! That the runners of the golden vectors see what is wrong: in real cases, one thing is changed that Flink or Kafka gave,
//! and the runner has to find a difference that no rule explains.

#![allow(unreachable_pub, reason = "a test is reached by nobody")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Value, json};

#[allow(dead_code, unused_imports, reason = "the rest is for tests/golden.rs")]
mod golden_runner;

use golden_runner::{Case, Deviations, Difference, Holds, differences, runner_for};

/// So many cases of a file get errors planted, spread over it.
const CASES_OF_A_FILE: usize = 16;
/// So many leaves of a case are changed, spread over it.
const LEAVES_OF_A_CASE: usize = 12;

static DEVIATIONS: LazyLock<Deviations> =
    LazyLock::new(|| Deviations::read(&folder().join("deviations.toml")));
static FILES: LazyLock<Vec<(PathBuf, Vec<Value>)>> = LazyLock::new(files);

/// The members that are compared leaf by leaf, beside `error`.
const RESULTS: [&str; 13] = [
    "rows",
    "records",
    "resolved",
    "topic_contents",
    "collected",
    "flush_sizes",
    "murmur2",
    "partitions",
    "jdk17",
    "jdk25",
    "batch",
    "uncompressed_batch",
    "outputs",
];

#[test]
fn a_changed_result_is_seen() {
    let mut planted = 0;
    for (file, cases) in &*FILES {
        for case in sample(cases, CASES_OF_A_FILE) {
            let results = RESULTS.iter().filter(|member| is_result(file, case, member));
            let leaves: Vec<String> =
                results.flat_map(|member| leaves(&case[*member], &format!("/{member}"))).collect();
            for leaf in sample(&leaves, LEAVES_OF_A_CASE) {
                let mut changed = case.clone();
                let value = changed.pointer_mut(leaf).expect("a leaf of the case");
                *value = other(value);
                assert!(is_seen(file, &changed), "{}:{}: another {leaf} passes", file.display(), case["id"]);
                planted += 1;
            }
        }
    }
    assert!(planted > 1500, "only {planted} changes were tried");
}

/// Whether the member is what Flink or Kafka gave, and not what they were given.
fn is_result(file: &Path, case: &Value, member: &str) -> bool {
    let folder = file.parent().and_then(Path::to_str).filter(|folder| !folder.is_empty());
    match (case["kind"].as_str().or(folder), member) {
        (Some("encode"), "rows") | (Some("decode"), "records") => false,
        // A partitioner's cases have the results there, the others how many there are.
        (_, "partitions") => case["partitions"].is_object(),
        // What a job did before it died varies.
        (_, "topic_contents" | "collected") => case["error"].is_null(),
        (None, "records") => case["batch"].is_object(),
        _ => true,
    }
}

#[test]
fn a_failure_in_another_record_or_row_is_seen() {
    each_failure(|case| {
        let place = if case["error"]["record"].is_i64() { "record" } else { "row" };
        let results = if place == "record" { "rows" } else { "records" };
        let index = case["error"][place].as_i64().filter(|index| *index >= 0)?;
        let mut later = case.clone();
        later["error"][place] = json!(index + 1);
        later[results].as_array_mut()?.push(json!([]));
        Some(later)
    });
}

#[test]
fn a_failure_that_did_not_come_is_seen() {
    each_failure(|case| {
        let mut none = case.clone();
        none.as_object_mut()?.remove("error");
        none["resolved"] = json!({});
        Some(none)
    });
}

#[test]
fn a_failure_of_another_kind_is_seen() {
    each_failure(|case| {
        let mut other = case.clone();
        let was_made =
            case["error"]["record"].as_i64().or(case["error"]["row"].as_i64()).is_some_and(|at| at >= 0);
        let is_parser = case["error"]["stage"] == "create" || case["ddl"].is_string();
        if is_parser {
            return None;
        }
        other["error"]["class"] = json!(if was_made {
            "io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException"
        } else {
            "org.apache.flink.sql.parser.impl.ParseException"
        });
        (case["error"]["class"] != other["error"]["class"]).then_some(other)
    });
}

#[test]
fn a_failure_in_another_column_is_seen() {
    let planted = each_failure(|case| {
        const NAMED: &str = "Fail to deserialize at field: ";
        let name = case["error"]["message"].as_str()?.strip_prefix(NAMED)?.strip_suffix('.')?;
        let mut other = case.clone();
        other["error"]["message"] = json!(format!("{NAMED}{name}x."));
        Some(other)
    });
    assert!(planted > 5, "only {planted} changes were tried");
}

#[test]
fn a_failure_in_the_other_part_is_seen() {
    let planted = each_failure(|case| {
        let record = &case["records"][usize::try_from(case["error"]["record"].as_i64()?).ok()?];
        let (key, value) = (record["key"]["text"].as_str()?, record["value"]["text"].as_str()?);
        let message = case["error"]["outer"]["message"].as_str()?;
        let is_of_value = message.ends_with(&format!("'{value}'."));
        let mut other = case.clone();
        other["error"]["outer"]["message"] =
            json!(format!("Failed to deserialize JSON '{}'.", if is_of_value { key } else { value }));
        (key != value).then_some(other)
    });
    assert!(planted > 5, "only {planted} changes were tried");
}

#[test]
fn another_sentence_of_a_refusal_is_seen() {
    let planted = each_failure(|case| {
        let is_refusal = case["error"]["class"] == "org.apache.flink.table.api.ValidationException";
        let mut other = case.clone();
        other["error"]["message"] = json!(format!("{}!", case["error"]["message"].as_str()?));
        other["error"].as_object_mut()?.remove("chain");
        is_refusal.then_some(other)
    });
    assert!(planted > 20, "only {planted} changes were tried");
}

#[test]
fn no_rule_explains_a_panic_or_words_for_an_outcome() {
    let case = Case::parse(r#"{"id": "x", "options": {}}"#).expect("a case");
    assert!(DEVIATIONS.explain(&case, &Difference::Panic(String::new())).is_none());
    let outcome = Difference::Outcome { expected: "no panic".to_owned(), got: "panic: overflow".to_owned() };
    assert!(DEVIATIONS.explain(&case, &outcome).is_none());
}

/// Plants in cases that fail and have nothing explained but words, and says in how many.
fn each_failure(plant: impl Fn(&Value) -> Option<Value>) -> usize {
    let mut planted = 0;
    for (file, cases) in &*FILES {
        let failing: Vec<Value> = cases.iter().filter(|case| case["error"].is_object()).cloned().collect();
        for case in sample(&failing, CASES_OF_A_FILE) {
            // What a job did before it died varies, and so does where it died.
            if file.to_str() == Some("e2e.jsonl") || deviates(file, case) {
                continue;
            }
            if let Some(changed) = plant(case) {
                assert!(is_seen(file, &changed), "{}:{} passes", file.display(), case["id"]);
                planted += 1;
            }
        }
    }
    planted
}

fn is_seen(file: &Path, case: &Value) -> bool {
    let case = Case::parse(&case.to_string()).expect("a case");
    let runner = runner_for(file).expect("a file of the vectors");
    differences(runner, &case).iter().any(|difference| DEVIATIONS.explain(&case, difference).is_none())
}

fn deviates(file: &Path, case: &Value) -> bool {
    let case = Case::parse(&case.to_string()).expect("a case");
    let runner = runner_for(file).expect("a file of the vectors");
    let explained = differences(runner, &case);
    let mut rules = explained.iter().filter_map(|difference| DEVIATIONS.explain(&case, difference));
    rules.any(|rule| matches!(rule.holds, Holds::Outcome(_)))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The files of the vectors, by their paths in the folder, and their cases.
fn files() -> Vec<(PathBuf, Vec<Value>)> {
    let entries = |path: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(path).expect("a folder of the vectors");
        entries.map(|entry| entry.expect("a readable folder").path()).collect()
    };
    let (folders, files): (Vec<_>, Vec<_>) = entries(&folder()).into_iter().partition(|path| path.is_dir());
    let files = files.into_iter().chain(folders.iter().flat_map(|path| entries(path)));
    let vectors = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a readable file");
        let cases = text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect();
        (path.strip_prefix(folder()).expect("inside").to_owned(), cases)
    };
    vectors.map(read).collect()
}

/// About `count` of all, spread evenly.
fn sample<T>(all: &[T], count: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(count).max(1))
}

/// The pointers to what is compared: all but the help for the reader.
fn leaves(value: &Value, pointer: &str) -> Vec<String> {
    let inside = |name: &str| format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(members) if members.contains_key("b64") => vec![inside("b64")],
        // A failure's sentence, which a rule may have for any end of it.
        Value::Object(members) if members.contains_key("error") => Vec::new(),
        Value::Object(members) => {
            members.iter().flat_map(|(name, member)| leaves(member, &inside(name))).collect()
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| leaves(item, &inside(&index.to_string())))
            .collect(),
        Value::Null => Vec::new(),
        _ => vec![pointer.to_owned()],
    }
}

/// Something else of the same sort.
fn other(value: &Value) -> Value {
    match value {
        Value::Bool(value) => json!(!value),
        Value::Number(number) => number.as_i64().map_or(json!(0), |number| json!(number ^ 1)),
        Value::String(text) if text.ends_with('=') || text.len() % 4 == 0 => json!(format!("eHh4{text}")),
        Value::String(text) => json!(format!("{text}x")),
        other => other.clone(),
    }
}
