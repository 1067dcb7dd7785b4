//! The golden vectors: tables, rows and records with what Flink and Kafka made of them.
//!
//! Runs every case of `tests/golden/**` and, in the same way, of the folder that the environment variable
//! `GOLDEN_DIR` names, and prints a line a file:
//!
//! ```text
//! tests/golden/encode/json.jsonl: 442 passed, 0 failed, 0 deviate, 0 pending
//! ```
//!
//! A case deviates where a rule of `tests/golden/deviations.toml` explains the difference; it is pending where no runner
//! reads its file. Arguments choose cases by a part of their path and id:
//! `cargo test --test golden -- encode/json:json/escape`. That the runners see what is wrong is for
//! `tests/golden_plants.rs`.

#![allow(unreachable_pub, reason = "a test is reached by nobody")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

mod golden_runner;

use golden_runner::{Case, Deviations, Holds, Rule, Runner, differences, runner_for};

/// So many failures of a file are shown in full.
const SHOWN_FAILURES: usize = 10;

fn main() -> ExitCode {
    let filters: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if env::args().any(|argument| argument == "--list") {
        println!("golden: test");
        return ExitCode::SUCCESS;
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut report = Report::new(Deviations::read(&own.join("deviations.toml")), filters);
    report.run_folder(&own, Path::new("tests/golden"));
    report.check_deviation_counts();
    if let Some(folder) = env::var_os("GOLDEN_DIR") {
        report.run_folder(Path::new(&folder), Path::new(&folder));
    }
    report.conclude()
}

/// The counts of a file, or of all.
#[derive(Clone, Copy, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    deviate: usize,
    pending: usize,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.deviate += other.deviate;
        self.pending += other.pending;
    }
}

struct Report {
    deviations: Deviations,
    filters: Vec<String>,
    total: Tally,
    /// How often each rule of the deviations explained something.
    explained: BTreeMap<String, usize>,
    /// What is wrong beside failed cases.
    complaints: Vec<String>,
}

impl Report {
    fn new(deviations: Deviations, filters: Vec<String>) -> Self {
        Self {
            deviations,
            filters,
            total: Tally::default(),
            explained: BTreeMap::new(),
            complaints: Vec::new(),
        }
    }

    /// Runs every vector file below `folder`, which is called `shown` in the report.
    fn run_folder(&mut self, folder: &Path, shown: &Path) {
        let mut files = Vec::new();
        if let Err(error) = vector_files(folder, &mut files) {
            self.complaints.push(format!("{}: {error}", shown.display()));
        }
        files.sort();
        let before = self.total.passed + self.total.failed + self.total.deviate + self.total.pending;
        for path in files {
            let inside = path.strip_prefix(folder).expect("found below the folder");
            let name = shown.join(inside);
            match (runner_for(inside), fs::read_to_string(&path)) {
                (Some(runner), Ok(lines)) => self.run_file(&name, runner, &lines),
                (None, lines) => {
                    self.total.pending += lines.map_or(0, |lines| lines.lines().count());
                    self.complaints.push(format!("{}: no runner for such a file", name.display()));
                }
                (_, Err(error)) => self.complaints.push(format!("{}: {error}", name.display())),
            }
        }
        let after = self.total.passed + self.total.failed + self.total.deviate + self.total.pending;
        if before == after && self.filters.is_empty() {
            self.complaints.push(format!("{}: no cases", shown.display()));
        }
    }

    fn run_file(&mut self, name: &Path, runner: Runner, lines: &str) {
        let mut tally = Tally::default();
        let mut failures = Vec::new();
        for (number, line) in lines.lines().enumerate() {
            let case = match Case::parse(line) {
                Ok(case) => case,
                Err(error) => {
                    tally.failed += 1;
                    failures.push(format!("line {}: {error}", number + 1));
                    continue;
                }
            };
            let full_name = format!("{}:{}", name.display(), case.id());
            if !self.filters.is_empty() && !self.filters.iter().any(|filter| full_name.contains(filter)) {
                continue;
            }
            let mut rule = None;
            let mut unexplained = String::new();
            for difference in differences(runner, &case) {
                match self.deviations.explain(&case, &difference) {
                    Some(Rule { name, holds: Holds::Words(_), .. }) => self.count(&name.clone()),
                    // A case that two rules explain is counted once.
                    Some(Rule { name, .. }) => drop(rule.get_or_insert_with(|| name.clone())),
                    None => unexplained += &format!("\n    {difference}"),
                }
            }
            rule.iter().for_each(|rule| self.count(rule));
            if !unexplained.is_empty() {
                tally.failed += 1;
                failures.push(format!("{}{unexplained}", case.id()));
            } else if rule.is_none() {
                tally.passed += 1;
            } else {
                tally.deviate += 1;
            }
        }
        self.total.add(tally);
        let Tally { passed, failed, deviate, pending } = tally;
        if passed + failed + deviate + pending > 0 || self.filters.is_empty() {
            println!(
                "{}: {passed} passed, {failed} failed, {deviate} deviate, {pending} pending",
                name.display()
            );
        }
        for failure in failures.iter().take(SHOWN_FAILURES) {
            println!("  {failure}");
        }
        if failures.len() > SHOWN_FAILURES {
            println!("  ... and {} more", failures.len() - SHOWN_FAILURES);
        }
    }

    fn count(&mut self, rule: &str) {
        *self.explained.entry(rule.to_owned()).or_default() += 1;
    }

    /// In our own vectors a rule explains exactly as many cases as it says.
    fn check_deviation_counts(&mut self) {
        if !self.filters.is_empty() {
            return;
        }
        for rule in self.deviations.rules() {
            let explained = self.explained.get(&rule.name).copied().unwrap_or(0);
            if explained != rule.count {
                self.complaints.push(format!(
                    "deviations.toml: rule `{}` is said to explain {} and explains {explained}",
                    rule.name, rule.count
                ));
            }
        }
    }

    fn conclude(self) -> ExitCode {
        for complaint in &self.complaints {
            println!("{complaint}");
        }
        let words = self.deviations.rules().iter().filter(|rule| matches!(rule.holds, Holds::Words(_)));
        let told: usize = words.filter_map(|rule| self.explained.get(&rule.name)).sum();
        println!("{told} failures are the same in other words");
        let Tally { passed, failed, deviate, pending } = self.total;
        println!("{passed} passed, {failed} failed, {deviate} deviate, {pending} pending");
        if failed == 0 && self.complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn vector_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            vector_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}
