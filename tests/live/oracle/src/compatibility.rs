//! `docs/compatibility.md`: for each release and format what it does otherwise than the newest release.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use crate::golden_runner::bytes::read_bytes;
use crate::oracle::RELEASES;

/// A vector of the newest release beside the answer of another.
pub struct Compared {
    pub vector: Value,
    pub answer: Value,
    pub outcome: Outcome,
}

/// What became of it.
pub enum Outcome {
    /// The answer is the vector's.
    Equal,
    /// The answer is another, and ours as well: the line of a vector, unless a failure is told in other words.
    Imitated(Option<String>),
    /// Ours is not the answer.
    Differs,
}

impl Compared {
    fn format(&self) -> &str {
        let options = &self.vector["options"];
        options["value.format"].as_str().or(options["format"].as_str()).unwrap_or_default()
    }

    fn is_refused(&self) -> bool {
        let message = self.answer["error"]["message"].as_str().unwrap_or_default();
        message.starts_with("Unsupported options") || message.contains("header-list")
    }

    fn has_no_factory(&self) -> bool {
        let message = self.answer["error"]["message"].as_str().unwrap_or_default();
        message.starts_with("Could not find any factory") && self.vector["error"].is_null()
    }

    /// Direction, format, refused or not.
    #[must_use]
    pub fn sort(&self) -> String {
        format!("{} {} {}", self.vector["kind"], self.format(), self.is_refused())
    }
}

/// A way in which older releases do otherwise.
struct Rule {
    /// The first release that does as the newest.
    before: &'static str,
    formats: &'static [&'static str],
    text: &'static str,
    /// A vector that shows it, with its kind; none where it takes more than a vector.
    example: Option<(&'static str, &'static str)>,
    is_imitated: bool,
}

const ALL: &[&str] = &FORMATS;
const JSONS: &[&str] = &["json", "debezium-json", "canal-json", "maxwell-json", "ogg-json"];
const JSON: &[&str] = &["json"];
const CSV: &[&str] = &["csv"];
const FORMATS: [&str; 10] = [
    "json",
    "csv",
    "raw",
    "avro",
    "avro-confluent",
    "debezium-avro-confluent",
    "debezium-json",
    "canal-json",
    "maxwell-json",
    "ogg-json",
];

const RULES: &[Rule] = &[
    Rule {
        before: "2.3",
        formats: JSONS,
        text: "TIME loses its fraction, when written and when read",
        example: Some(("encode", "json/time-001")),
        is_imitated: true,
    },
    Rule {
        before: "2.1",
        formats: JSON,
        text: "under `ignore-parse-errors` a value that does not parse is passed over, and deletes nothing",
        example: Some(("decode", "json/bytes-binary-ignore-001")),
        is_imitated: true,
    },
    Rule {
        before: "2.1",
        formats: JSON,
        text: "an empty array is no document",
        example: Some(("decode", "json/doc-002")),
        is_imitated: false,
    },
    Rule {
        before: "2.1",
        formats: JSON,
        text: "NULL in a NOT NULL column, if it comes so far, fails, and later is written",
        example: Some(("encode", "json/key-null-001")),
        is_imitated: false,
    },
    Rule {
        before: "2.3",
        formats: &["avro-confluent", "debezium-avro-confluent"],
        text: "a STRING that the option `schema` makes an enum cannot be written",
        example: Some(("encode", "avro-confluent/schema-enum-001")),
        is_imitated: false,
    },
    Rule {
        before: "2.1",
        formats: CSV,
        text: "a DECIMAL is quoted where a text with its characters is",
        example: Some(("encode", "csv/mix-002")),
        is_imitated: true,
    },
    Rule {
        before: "2.1",
        formats: CSV,
        text: "a DECIMAL in an ARRAY or ROW is written as Java's `BigDecimal.toString()`, whatever the option says. Before \
               2.0 that is imitated; 2.0 differs from plain digits below 0.000001, and there it is not",
        example: Some(("encode", "csv/decimal-row-002")),
        is_imitated: true,
    },
    Rule {
        before: "2.0",
        formats: &["json", "csv", "debezium-json", "canal-json", "maxwell-json", "ogg-json"],
        text: "plain decimals lose the zeros at the end of their fraction",
        example: Some(("encode", "csv/decimal-001")),
        is_imitated: true,
    },
    Rule {
        before: "1.19",
        formats: ALL,
        text: "a sink has one topic, and no pattern of them (connector 3.3)",
        example: Some(("encode", "json/metadata-topic-001")),
        is_imitated: true,
    },
    Rule {
        before: "1.18",
        formats: JSON,
        text: "documents are read with the tree decoder, as `decode.json-parser.enabled` = `false` has it later",
        example: Some(("decode", "json/string-002")),
        is_imitated: true,
    },
    Rule {
        before: "1.18",
        formats: JSON,
        text: "an array of objects is no document, and an array in the place of a MAP is an empty one",
        example: Some(("decode", "json/map-map-ignore-001")),
        is_imitated: false,
    },
    Rule {
        before: "1.16",
        formats: CSV,
        text: "decimals are written as Java's `1E+2` where that is shorter",
        example: Some(("encode", "csv/decimal-002")),
        is_imitated: true,
    },
    Rule {
        before: "2.4",
        formats: ALL,
        text: "headers whose value is null are left out when rows are written, and there is no metadata `header-list`: all \
               released connectors, up to 5.0 (FLINK-39792)",
        example: None,
        is_imitated: false,
    },
];

/// The page under construction.
pub struct Page {
    vectors: usize,
    /// By release; those that do not run have an error.
    releases: BTreeMap<&'static str, Result<Vec<Compared>, String>>,
    /// How many vectors of Avro the newest release was asked for, and how many it answered otherwise.
    of_avro: (usize, usize),
}

impl Page {
    #[must_use]
    pub fn new(vectors: usize) -> Self {
        Self { vectors, releases: BTreeMap::new(), of_avro: (0, 0) }
    }

    /// Without the formats that were not on its class path.
    pub fn add(&mut self, release: &'static str, mut compared: Vec<Compared>) {
        let missing: BTreeSet<String> =
            compared.iter().filter(|one| one.has_no_factory()).map(|one| one.format().to_owned()).collect();
        compared.retain(|one| !missing.contains(one.format()));
        self.releases.insert(release, Ok(compared));
    }

    pub fn made_again(&mut self, vectors: usize, otherwise: usize) {
        self.of_avro = (vectors, otherwise);
    }

    pub fn does_not_run(&mut self, release: &'static str, error: &str) {
        self.releases.insert(release, Err(error.to_owned()));
    }

    /// # Errors
    ///
    /// Where an example does not show what its rule says, or a format differs without a rule.
    pub fn text(&self) -> Result<String, String> {
        let mut text = format!(
            "# Releases of Flink\n\n\
             Generated by `tests/live/oracle`, which runs each release with the newest connector that was released for it,\n\
             on JDK 17, over {} vectors of Flink 2.3: the first of each sort in `tests/golden`. `FlinkRelease` in `Settings`\n\
             chooses one. Options that a release or its connector does not know are refused for it as it refuses them;\n\
             [options.md](options.md) says since when there are which.\n\n\
             ## Which rules hold for which release\n\n| release | {} |\n|---|{}\n",
            self.vectors,
            FORMATS.join(" | "),
            "---|".repeat(FORMATS.len()),
        );
        for release in RELEASES {
            let cells: Result<Vec<String>, String> =
                FORMATS.iter().map(|format| self.cell(release, format)).collect();
            let _ = writeln!(text, "| {release} | {} |", cells?.join(" | "));
        }
        text.push_str("\n*equal*: each vector gave what Flink 2.3 gives. *not asked*: Maven's repository has no\n\
             `flink-sql-avro-confluent-registry` of that release. Numbers are those of the rules below.\n\n## Rules\n");
        for (number, rule) in RULES.iter().enumerate() {
            let imitated = if rule.is_imitated { "Imitated" } else { "Not imitated" };
            let until = match rule.before {
                "2.4" => "In all releases",
                before => &format!("Before {before}"),
            };
            let _ = write!(text, "\n{}. {until}: {}. {imitated}.", number + 1, rule.text);
            if let Some((kind, id)) = rule.example {
                text.push_str(&self.example(rule, kind, id)?);
            }
            text.push('\n');
        }
        text.push_str("\n## Counts\n\n| release | equal | options refused | of these refused by ours | otherwise, imitated | otherwise, not imitated |\n|---|---|---|---|---|---|\n");
        for release in RELEASES {
            match self.releases.get(release) {
                Some(Ok(compared)) => {
                    let count =
                        |holds: &dyn Fn(&Compared) -> bool| compared.iter().filter(|one| holds(one)).count();
                    let is_imitated = |one: &Compared| matches!(one.outcome, Outcome::Imitated(_));
                    let differs = |one: &Compared| matches!(one.outcome, Outcome::Differs);
                    let _ = writeln!(
                        text,
                        "| {release} | {} | {} | {} | {} | {} |",
                        count(&|one| matches!(one.outcome, Outcome::Equal)),
                        count(&|one| one.is_refused() && !matches!(one.outcome, Outcome::Equal)),
                        count(&|one| one.is_refused() && is_imitated(one)),
                        count(&|one| is_imitated(one) && !one.is_refused()),
                        count(&|one| differs(one) && !one.is_refused()),
                    );
                }
                Some(Err(error)) => {
                    let _ =
                        writeln!(text, "| {release} | does not run: {} | | | | |", error.replace('\n', " "));
                }
                None => {}
            }
        }
        let (vectors, otherwise) = self.of_avro;
        let newest = RELEASES.last().copied().unwrap_or_default();
        let _ = write!(
            text,
            "\n## The vectors of Avro\n\n\
             Those of `avro` and `avro-confluent` were made by classes put together from Flink's sources. Flink {newest} with its\n\
             released `flink-sql-avro-confluent-registry` answers all {vectors} of them: {} to the letter, and {otherwise} with the\n\
             same failure in other words or of another class; these are in `tests/golden/releases/{newest}.jsonl`.\n",
            vectors - otherwise,
        );
        text.push_str("\n## Not imitated\n\n");
        for release in RELEASES {
            let Some(Ok(compared)) = self.releases.get(release) else { continue };
            let differing =
                compared.iter().filter(|one| matches!(one.outcome, Outcome::Differs) && !one.is_refused());
            let ids: Vec<String> = differing
                .map(|one| format!("{} {}", text_of(&one.vector["kind"]), text_of(&one.vector["id"])))
                .collect();
            if !ids.is_empty() {
                let _ = writeln!(text, "- {release}: {}", ids.join(", "));
            }
        }
        Ok(text)
    }

    /// The rules that hold for the format; an error where it differs and no rule says so.
    fn cell(&self, release: &str, format: &str) -> Result<String, String> {
        let Some(Ok(compared)) = self.releases.get(release) else { return Ok("does not run".to_owned()) };
        let mut asked = compared.iter().filter(|one| one.format() == format).peekable();
        if asked.peek().is_none() {
            return Ok("not asked".to_owned());
        }
        let rules = RULES.iter().enumerate();
        let rules = rules.filter(|(_, rule)| {
            rule.example.is_some() && rule.formats.contains(&format) && order(release) < order(rule.before)
        });
        let numbers: Vec<String> = rules.map(|(number, _)| (number + 1).to_string()).collect();
        if !numbers.is_empty() {
            return Ok(numbers.join(", "));
        }
        match asked.find(|one| !matches!(one.outcome, Outcome::Equal) && !one.is_refused()) {
            Some(one) => Err(format!(
                "{release} answers {} otherwise, and no rule of {format} says so",
                one.vector["id"]
            )),
            None => Ok("equal".to_owned()),
        }
    }

    /// What the vector's row or record gives, then and later.
    fn example(&self, rule: &Rule, kind: &str, id: &str) -> Result<String, String> {
        let last = RELEASES.iter().rev().find(|release| order(release) < order(rule.before));
        let find = |release: &str| {
            let Some(Ok(compared)) = self.releases.get(release) else { return None };
            compared.iter().find(|one| one.vector["kind"] == kind && one.vector["id"] == id)
        };
        let Some(then) = last.and_then(|release| find(release)) else { return Ok(String::new()) };
        let differs = || format!("{id} does not show: {}", rule.text);
        if matches!(then.outcome, Outcome::Equal)
            || find(rule.before)
                .is_some_and(|later| !matches!(later.outcome, Outcome::Equal) && later.answer == then.answer)
        {
            return Err(differs());
        }
        let (given, results) = if kind == "encode" { ("rows", "records") } else { ("records", "rows") };
        let list = |case: &Value, name: &str| case[name].as_array().cloned().unwrap_or_default();
        let (old, new) = (list(&then.answer, results), list(&then.vector, results));
        let index = (0..new.len()).find(|&index| old.get(index) != new.get(index));
        let error = text_of(&then.answer["error"]["message"]);
        let index = index.ok_or_else(differs)?;
        let columns: Vec<String> =
            list(&then.vector["table"], "columns").iter().map(|column| text_of(&column[1])).collect();
        Ok(format!(
            " For example `{id}`, columns {}: {} gives {}, later {}.",
            columns.join(", "),
            show(&then.vector[given][index]),
            old.get(index)
                .map_or(format!("the error \"{}\"", error.lines().next().unwrap_or_default()), show),
            new.get(index).map_or("an error".to_owned(), show),
        ))
    }
}

fn order(release: &str) -> Option<(u32, u32)> {
    let (major, minor) = release.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A row, the rows of a record, or the value of a record.
fn show(value: &Value) -> String {
    match read_bytes(&value["value"]) {
        Some(bytes) => match String::from_utf8(bytes) {
            Ok(text) if !text.contains(char::is_control) => format!("`{}`", text.replace('`', "'")),
            Ok(text) => format!("the bytes `{}`", text.as_bytes().escape_ascii()),
            Err(error) => format!("the bytes `{}`", error.as_bytes().escape_ascii()),
        },
        None => format!("`{value}`"),
    }
}
