use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::words::Pattern;
use super::{Case, Difference, ddl, e2e, leftovers, source, stages};

/// The rules of `deviations.toml`: where we do otherwise than the vectors, or say it in other words, and why.
pub struct Deviations {
    rules: Vec<Rule>,
}

/// A rule of the one sort or of the other.
pub struct Rule {
    pub name: String,
    /// How many cases, or how many failures, of our own vectors it explains.
    pub count: usize,
    pub holds: Holds,
}

/// What a rule explains.
pub enum Holds {
    /// That a case has another outcome, `[[rule]]`: the predicate pins which.
    Outcome(Predicate),
    /// That a failure is told in other words, `[[words]]`.
    Words(Vec<Pattern>),
}

/// Whether it explains that `case`, where Flink has `expected`, came to `got`.
pub type Predicate = fn(case: &Case, expected: &str, got: &str) -> bool;

/// The predicates, so that the rules hold for vectors not seen yet.
const PREDICATES: [(&str, Predicate); 12] = [
    ("no-lists-of-what-a-parser-expects", ddl::no_lists_of_what_a_parser_expects),
    ("the-list-of-formats-is-ours", ddl::the_list_of_formats_is_ours),
    ("regular-expressions-are-not-javas", ddl::regular_expressions_are_not_javas),
    ("there-is-no-class-loader", ddl::there_is_no_class_loader),
    ("no-random-client-id-prefix", ddl::no_random_client_id_prefix),
    ("the-planner-sees-the-query", e2e::the_planner_sees_the_query),
    ("a-number-is-no-time", ddl::a_number_is_no_time),
    ("there-is-no-sql-engine", source::there_is_no_sql_engine),
    ("what-a-datum-leaves-is-dropped", leftovers::what_a_datum_leaves_is_dropped),
    ("the-key-that-fails-is-named", super::decode::the_key_that_fails_is_named),
    ("a-record-fails-as-a-whole", super::decode::a_record_fails_as_a_whole),
    ("an-upsert-key-is-matched-as-bytes", stages::an_upsert_key_is_matched_as_bytes),
];

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<OutcomeRule>,
    words: Vec<WordsRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeRule {
    name: String,
    reason: String,
    count: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsRule {
    name: String,
    reason: String,
    count: usize,
    flink: Vec<String>,
    ours: Vec<String>,
}

impl Deviations {
    /// # Panics
    ///
    /// If the file is not as it should be.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("tests/golden/deviations.toml is readable");
        Self::parse(&text)
    }

    /// # Panics
    ///
    /// If the text is not as it should be.
    pub fn parse(text: &str) -> Self {
        let File { rule, words } =
            toml::from_str(text).unwrap_or_else(|error| panic!("deviations.toml: {error}"));
        let outcomes = rule.into_iter().map(|OutcomeRule { name, reason, count }| {
            assert!(!reason.is_empty(), "the rule `{name}` has a reason");
            let predicate = PREDICATES.iter().find(|(predicate, _)| *predicate == name);
            let (_, predicate) =
                predicate.unwrap_or_else(|| panic!("the rule `{name}` has a predicate in deviations.rs"));
            Rule { name, count, holds: Holds::Outcome(*predicate) }
        });
        let words = words.into_iter().map(|WordsRule { name, reason, count, flink, ours }| {
            assert!(!reason.is_empty(), "the rule `{name}` has a reason");
            let patterns = flink.iter().map(|flink| Pattern::new(flink, &ours)).collect();
            Rule { name, count, holds: Holds::Words(patterns) }
        });
        Self { rules: outcomes.chain(words).collect() }
    }

    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The first rule that explains `difference`; none explains a panic.
    pub fn explain(&self, case: &Case, difference: &Difference) -> Option<&Rule> {
        self.rules.iter().find(|rule| match (&rule.holds, difference) {
            (Holds::Outcome(holds), Difference::Outcome { expected, got }) => holds(case, expected, got),
            (Holds::Words(patterns), Difference::Words(words)) => {
                patterns.iter().any(|pattern| pattern.explains(words))
            }
            _ => false,
        })
    }
}
