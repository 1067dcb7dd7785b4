//! Ours against an answer of the oracle.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::golden_runner::{Case, Deviations, Difference, differences, runner_for};

/// What a comparison came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Held {
    Agrees,
    /// As a rule of the deviations says, or failing as Flink does with words of our own.
    Deviates,
    Differs(String),
}

/// Holds ours against the vector `line` of the vector file `file`, as the golden tests do.
///
/// # Panics
///
/// If the line is no vector.
#[must_use]
pub fn hold(file: &str, line: &str) -> Held {
    match hold_whole(file, line) {
        // The rules of deviations are for cases that end with a failure.
        Held::Differs(how) if file.starts_with("decode/") => {
            let records = one_by_one(line);
            let held = records.iter().map(|record| hold_whole(file, record));
            match held.filter(|held| matches!(held, Held::Differs(_))).next() {
                None if records.len() > 1 => Held::Deviates,
                one => one.unwrap_or(Held::Differs(how)),
            }
        }
        held => held,
    }
}

fn hold_whole(file: &str, line: &str) -> Held {
    static DEVIATIONS: LazyLock<Deviations> = LazyLock::new(|| {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
        Deviations::read(&golden.join("deviations.toml"))
    });
    let case = Case::parse(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let runner = runner_for(Path::new(file)).unwrap_or_else(|| panic!("{file} is no vector file"));
    let differences = differences(runner, &case);
    let unexplained = differences.iter().filter(|difference| {
        !matches!(difference, Difference::Words(_))
            && DEVIATIONS.explain(&case, difference).is_none()
            && !is_newer_than_any_release(difference)
    });
    let unexplained: Vec<String> = unexplained.map(ToString::to_string).collect();
    match (differences.is_empty(), unexplained.is_empty()) {
        (true, _) => Held::Agrees,
        (false, true) => Held::Deviates,
        (false, false) => Held::Differs(unexplained.join("\n  ")),
    }
}

/// A decode vector for each record of one whose failures are among its results.
fn one_by_one(line: &str) -> Vec<String> {
    // In their own text: the members of a schema are in order.
    let whole: BTreeMap<&str, &RawValue> = serde_json::from_str(line).expect("an answer is an object");
    let list = |name: &str| -> Vec<Value> {
        whole.get(name).map_or_else(Vec::new, |list| serde_json::from_str(list.get()).expect("it is a list"))
    };
    let one = |(index, (mut record, rows)): (usize, (Value, Value))| {
        if record["offset"].is_null() {
            record["offset"] = json!(index);
        }
        let mut error = rows["error"].clone();
        let mut members = vec![("records", json!([record]).to_string())];
        if error.is_null() {
            members.push(("rows", json!([rows]).to_string()));
        } else {
            error["record"] = json!(0);
            members.extend([("rows", "[]".to_owned()), ("error", error.to_string())]);
        }
        let others = whole.iter().filter(|(name, _)| !["records", "rows"].contains(name));
        members.extend(others.map(|(name, value)| (*name, value.get().to_owned())));
        let members: Vec<String> =
            members.into_iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
        format!("{{{}}}", members.join(","))
    };
    list("records").into_iter().zip(list("rows")).enumerate().map(one).collect()
}

/// The vectors are of a connector that knows the metadata `header-list` (FLINK-39792); no released one does.
fn is_newer_than_any_release(difference: &Difference) -> bool {
    matches!(difference, Difference::Outcome { .. }) && difference.to_string().contains("header-list")
}
