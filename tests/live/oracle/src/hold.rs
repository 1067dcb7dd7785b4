//! Ours against an answer of the oracle.

use std::path::Path;
use std::sync::LazyLock;

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

/// The vectors are of a connector that knows the metadata `header-list` (FLINK-39792); no released one does.
fn is_newer_than_any_release(difference: &Difference) -> bool {
    matches!(difference, Difference::Outcome { .. }) && difference.to_string().contains("header-list")
}
