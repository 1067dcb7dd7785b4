//! What a case is, which runner a file has, and what all runners need.

use std::path::Path;

use serde_json::Value;
use upsert_kafka::Error;

mod avro_schema;
mod before_sink;
mod bugs;
mod bytes;
mod compare;
mod ddl;
mod decode;
mod deviations;
mod e2e;
mod encode;
mod float_text;
mod partition;
mod query;
mod record_batch;
mod schema_registry;
mod source;
mod table;

pub use deviations::Deviations;

/// Holds a case against the crate.
pub type Runner = fn(&Case) -> Result<(), Unmet>;

/// The runner of the vector file at `path` inside its folder, by the layout of `tests/golden`.
pub fn runner_for(path: &Path) -> Option<Runner> {
    match (path.parent()?.to_str()?, path.file_name()?.to_str()?) {
        ("", "float_text.jsonl") => Some(float_text::run),
        ("", "partition.jsonl") => Some(partition::run),
        ("", "record_batch.jsonl") => Some(record_batch::run),
        ("", "ddl.jsonl") => Some(ddl::run),
        ("", "e2e.jsonl") => Some(e2e::run),
        ("", "normalize.jsonl") => Some(source::run),
        ("", "bugs.jsonl") => Some(bugs::run),
        ("encode", _) => Some(encode::run),
        ("decode", _) => Some(decode::run),
        _ => None,
    }
}

/// Whether a codec of a format is missing that has its options already.
fn is_not_there(error: &Error) -> bool {
    error.message().ends_with("has no codec")
}

/// One line of a vector file.
pub struct Case {
    line: String,
    json: Value,
}

impl Case {
    pub fn parse(line: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        match json["id"] {
            Value::String(_) => Ok(Self { line: line.to_owned(), json }),
            _ => Err("a case without an id".to_owned()),
        }
    }

    pub fn id(&self) -> &str {
        self.json["id"].as_str().expect("checked when parsed")
    }

    /// The member `name`, a string.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).as_str().expect("a string")
    }

    /// The case as it stands in its file.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The option `name` of the case's table.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.get("options")[name].as_str()
    }

    /// The member `name`, null where there is none.
    pub fn get(&self, name: &str) -> &Value {
        &self.json[name]
    }
}

/// Why a case did not pass.
pub enum Unmet {
    /// We do otherwise.
    Mismatch { expected: String, got: String },
    /// It needs what is not there.
    Pending,
}

impl Unmet {
    pub fn mismatch(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Mismatch { expected: expected.into(), got: got.into() }
    }
}

/// Passes where both are equal, and says what of the case they are where not.
pub fn check<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, got: &T) -> Result<(), Unmet> {
    if expected == got {
        return Ok(());
    }
    Err(Unmet::mismatch(format!("{what} {expected:?}"), format!("{got:?}")))
}
