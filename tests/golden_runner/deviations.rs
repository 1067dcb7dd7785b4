use std::fs;
use std::path::Path;

use super::{Case, ddl, source};

/// The rules of `deviations.toml`: where we do otherwise than the vectors, and why.
pub struct Deviations {
    rules: Vec<Rule>,
}

/// A rule: the cases in `ids`, each `id => what we give`, or those that the predicate of its name holds for.
#[derive(Debug, Default, PartialEq)]
pub struct Rule {
    pub name: String,
    pub reason: String,
    /// How many of our own vectors it explains.
    pub count: usize,
    pub ids: Vec<String>,
}

/// Rules that are said in code, so that they hold for vectors not seen yet: whether one explains that we gave `got`.
type Predicate = fn(case: &Case, got: &str) -> bool;
const PREDICATES: [(&str, Predicate); 9] = [
    ("no-lists-of-what-a-parser-expects", ddl::no_lists_of_what_a_parser_expects),
    ("the-list-of-formats-is-ours", ddl::the_list_of_formats_is_ours),
    ("regular-expressions-are-not-javas", ddl::regular_expressions_are_not_javas),
    ("there-is-no-class-loader", ddl::there_is_no_class_loader),
    ("no-random-client-id-prefix", ddl::no_random_client_id_prefix),
    ("the-planner-sees-the-query", ddl::the_planner_sees_the_query),
    ("metadata-is-not-cast", ddl::metadata_is_not_cast),
    ("there-is-no-sql-engine", source::there_is_no_sql_engine),
    ("what-a-datum-leaves-is-dropped", what_a_datum_leaves_is_dropped),
];

impl Deviations {
    /// # Panics
    ///
    /// If the file is not as [`parse`] wants it.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("tests/golden/deviations.toml is readable");
        let rules = parse(&text);
        for rule in &rules {
            assert!(
                !rule.name.is_empty() && !rule.reason.is_empty(),
                "a rule has a name and a reason: {rule:?}"
            );
            assert!(
                !rule.ids.is_empty() || PREDICATES.iter().any(|(name, _)| *name == rule.name),
                "a rule has ids or a predicate in deviations.rs: {rule:?}"
            );
        }
        Self { rules }
    }

    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The name of the first rule that explains that `case` gave `got`.
    pub fn explain(&self, case: &Case, got: &str) -> Option<&str> {
        let explains = |rule: &&Rule| {
            rule.ids.iter().any(|entry| entry.split_once(" => ") == Some((case.id(), got)))
                || PREDICATES.iter().any(|(name, holds)| *name == rule.name && holds(case, got))
        };
        self.rules.iter().find(explains).map(|rule| rule.name.as_str())
    }
}

fn what_a_datum_leaves_is_dropped(case: &Case, _got: &str) -> bool {
    case.id().starts_with("avro/quirk-carry-over-")
}

/// Reads the part of TOML that the file keeps to: `[[rule]]`, strings in one or three quotes on one line, whole
/// numbers, and lists of strings with one entry a line.
fn parse(text: &str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line == "[[rule]]" {
            rules.push(Rule::default());
            continue;
        }
        let rule = rules.last_mut().expect("the file starts with [[rule]]");
        match line.split_once(" = ") {
            Some(("name", value)) => rule.name = unquoted(value),
            Some(("reason", value)) => rule.reason = unquoted(value),
            Some(("count", value)) => rule.count = value.parse().expect("a count is a number"),
            Some(("ids", "[")) => {}
            _ if line == "]" => {}
            _ => rule.ids.push(unquoted(line.strip_suffix(',').unwrap_or(line))),
        }
    }
    rules
}

fn unquoted(value: &str) -> String {
    let inside = |quote: &str| value.strip_prefix(quote)?.strip_suffix(quote);
    inside("'''").or_else(|| inside("'")).or_else(|| inside("\"")).expect("a string in quotes").to_owned()
}
