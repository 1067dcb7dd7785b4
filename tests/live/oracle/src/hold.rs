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
        // The rules of deviations are for cases that end with a failure, and say nothing of what comes after them.
        Held::Differs(how) if file.starts_with("decode/") => {
            let (failing, read) = in_parts(line);
            if failing.is_empty() && read.is_empty() {
                return Held::Differs(how);
            }
            // To make a decoder takes longer than to read a record.
            let together = hold_whole(file, &vector(line, &read));
            let mut explains = together == Held::Agrees;
            let alone = if explains { &[][..] } else { &read[..] };
            let mut whole = Held::Agrees;
            let failing = failing.iter().map(|record| (record, false));
            for (record, is_read) in failing.chain(alone.iter().map(|record| (record, true))) {
                match hold_whole(file, &vector(line, std::slice::from_ref(record))) {
                    Held::Agrees => {}
                    Held::Deviates => {
                        whole = Held::Deviates;
                        explains |= is_read;
                    }
                    differs => return differs,
                }
            }
            // Only a deviation among those that are read may be why they differ together.
            if explains { whole } else { together }
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

/// A record, and its rows or its error.
type Answered = (Value, Value);

/// The records of a decode vector whose failures are among its results: those that fail, and those that do not.
fn in_parts(line: &str) -> (Vec<Answered>, Vec<Answered>) {
    let whole: Value = serde_json::from_str(line).expect("an answer is an object");
    let list = |name: &str| whole[name].as_array().cloned().unwrap_or_default();
    let with_offset = |(index, (mut record, rows)): (usize, Answered)| {
        if record["offset"].is_null() {
            record["offset"] = json!(index);
        }
        (record, rows)
    };
    let records = list("records").into_iter().zip(list("rows")).enumerate().map(with_offset);
    records.partition(|(_, rows)| !rows["error"].is_null())
}

/// The same vector with these records alone: one that fails, or some that do not.
fn vector(line: &str, records: &[Answered]) -> String {
    // In their own text: the members of a schema are in order.
    let mut members: BTreeMap<&str, String> = serde_json::from_str::<BTreeMap<&str, &RawValue>>(line)
        .expect("an answer is an object")
        .into_iter()
        .map(|(name, value)| (name, value.get().to_owned()))
        .collect();
    let mut rows: Vec<&Value> = records.iter().map(|(_, rows)| rows).collect();
    if let [failed] = rows[..]
        && let mut error = failed["error"].clone()
        && !error.is_null()
    {
        error["record"] = json!(0);
        members.insert("error", error.to_string());
        rows.clear();
    }
    members.insert("rows", json!(rows).to_string());
    members
        .insert("records", json!(records.iter().map(|(record, _)| record).collect::<Vec<_>>()).to_string());
    let members: Vec<String> =
        members.into_iter().map(|(name, value)| format!("{}:{value}", json!(name))).collect();
    format!("{{{}}}", members.join(","))
}

/// The vectors are of a connector that knows the metadata `header-list` (FLINK-39792); no released one does.
fn is_newer_than_any_release(difference: &Difference) -> bool {
    matches!(difference, Difference::Outcome { .. }) && difference.to_string().contains("header-list")
}
