//! What a case is, which runner a file has, and what all runners need.

use std::path::Path;
use std::{fmt, panic};

use serde_json::Value;
use upsert_kafka::{Jdk, Settings};

mod avro_schema;
mod before_sink;
mod bugs;
pub mod bytes;
mod compare;
mod ddl;
mod decode;
mod deviations;
mod e2e;
mod encode;
mod failure;
mod float_text;
mod leftovers;
mod partition;
mod query;
mod record_batch;
mod schema_registry;
mod source;
mod stages;
mod table;
mod words;

pub use deviations::{Deviations, Holds, Rule};
pub use words::Words;

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
        ("releases", _) => Some(bugs::run),
        ("stages", "normalize.jsonl") => Some(stages::normalize),
        ("stages", "materialize.jsonl") => Some(stages::materialize),
        ("stages", "reduce.jsonl") => Some(stages::reduce),
        ("encode", _) => Some(encode::run),
        ("decode", _) => Some(decode::run),
        _ => None,
    }
}

/// All places where we do otherwise than the case says. A panic is one.
pub fn differences(runner: Runner, case: &Case) -> Vec<Difference> {
    match panic::catch_unwind(|| runner(case)) {
        Ok(Ok(())) => Vec::new(),
        Ok(Err(Unmet(differences))) => differences,
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            vec![Difference::Panic(message.unwrap_or_default().to_owned())]
        }
    }
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

    /// Flink's settings on the JDK that answered, `"jdk"` or 17, and of the release, `"flink"` or the newest.
    pub fn settings(&self) -> Settings {
        let settings =
            Settings::flink(if self.get("jdk").as_i64() > Some(18) { Jdk::Jdk19Plus } else { Jdk::Jdk8To18 });
        match self.get("flink").as_str() {
            Some(release) => settings.with_flink_release(release.parse().expect("a release that is known")),
            None => settings,
        }
    }

    /// The setting `name` of the session.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.get("settings")[name].as_str()
    }

    /// The member `name`, null where there is none.
    pub fn get(&self, name: &str) -> &Value {
        &self.json[name]
    }
}

/// Where we do otherwise than a case says; there is at least one such place.
#[derive(Debug, Default)]
pub struct Unmet(pub Vec<Difference>);

/// One place where we do otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Another outcome.
    Outcome { expected: String, got: String },
    /// The right failure, in words that no exception of Flink's has.
    Words(Words),
    /// No outcome at all.
    Panic(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome { expected, got } => write!(f, "expected {expected}\n    got      {got}"),
            Self::Words(Words { class, flink, ours }) => {
                write!(
                    f,
                    "Flink says {}: {flink}\n    we say     {ours}",
                    class.as_deref().unwrap_or_default()
                )
            }
            Self::Panic(message) => write!(f, "panic: {message}"),
        }
    }
}

impl Unmet {
    pub fn mismatch(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self(vec![Difference::Outcome { expected: expected.into(), got: got.into() }])
    }

    /// Passes where all do, and else has all that differs, each difference once.
    pub fn all(results: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let mut all = Self::default();
        for difference in results.into_iter().filter_map(Result::err).flat_map(|unmet| unmet.0) {
            if !all.0.contains(&difference) {
                all.0.push(difference);
            }
        }
        if all.0.is_empty() { Ok(()) } else { Err(all) }
    }
}

/// Passes where both are equal, and says what of the case they are where not.
pub fn check<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, got: &T) -> Result<(), Unmet> {
    if expected == got {
        return Ok(());
    }
    Err(Unmet::mismatch(format!("{what}: {expected:?}"), format!("{what}: {got:?}")))
}
