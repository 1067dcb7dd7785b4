//! Criterion's medians as charts in `docs/plots`, tables in `docs/benchmarks.md` and a sentence in the README.
//!
//! ```text
//! cargo run --manifest-path benches/plots/Cargo.toml -- "Two cores of an AMD EPYC, rustc 1.95, quiet."
//! ```
//!
//! The argument says on what machine they were measured.

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

mod charts;
mod comparisons;
mod estimates;
mod tables;

use comparisons::{Comparison, comparisons};
use estimates::Run;

/// Where the tables stand in `docs/benchmarks.md`.
const MARKS: [&str; 2] = ["<!-- figures -->\n", "<!-- end of figures -->"];

/// File, title, and the benches that it shows.
const BARS: [(&str, &str, &[&str]); 3] = [
    ("encode", "Row to key and value", &["encode"]),
    ("decode", "Key and value to row", &["decode"]),
    ("journeys", "Rows to batches and back", &["record_batch", "partition", "journey", "journey_back"]),
];

/// Bench and file, title, and what is on the axis.
const LINES: [(&str, &str, &str); 5] = [
    ("columns", "Cost over columns", "columns"),
    ("string_length", "Cost over the length of a text", "characters"),
    ("partitions", "Rows to batches over partitions", "partitions"),
    ("keys", "Changelog normalizer over keys", "keys in its state"),
    ("threads", "One encoder shared by threads, on the machine below", "threads"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let machine = env::args().nth(1).ok_or("say in a sentence on what machine the benches have run")?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["target/criterion", "benches/peers/target/criterion"];
    let runs: Vec<_> =
        folders.iter().map(|folder| Run::read(&root.join(folder))).collect::<Result<_, _>>()?;
    let found = comparisons(&runs);
    if found.is_empty() {
        return Err("there are no estimates: run the benches first".into());
    }

    let plots = root.join("docs/plots");
    fs::create_dir_all(&plots)?;
    for (file, title, benches) in BARS {
        let with_peers =
            found.iter().filter(|of| benches.contains(&of.bench.as_str()) && !of.peers.is_empty());
        let shown: Vec<_> = with_peers.map(|of| (label(of, benches.len()), of)).collect();
        if !shown.is_empty() {
            charts::bars(&plots.join(format!("{file}.svg")), title, &shown)?;
        }
    }
    for (bench, title, x_label) in LINES {
        let lines = runs.iter().map(|run| run.lines(bench)).find(|lines| !lines.is_empty());
        if let Some(lines) = lines {
            charts::lines(&plots.join(format!("{bench}.svg")), title, x_label, &lines)?;
        }
    }

    let document = root.join("docs/benchmarks.md");
    let text = fs::read_to_string(&document)?;
    let (before, rest) = text.split_once(MARKS[0]).ok_or("docs/benchmarks.md has no place for figures")?;
    let (_, after) = rest.split_once(MARKS[1]).ok_or("the place for figures does not end")?;
    fs::write(
        &document,
        format!("{before}{}\n{machine}\n\n{}\n{}{after}", MARKS[0], tables::tables(&found), MARKS[1]),
    )?;
    for sentence in tables::SENTENCES {
        let document = root.join(sentence.file);
        let text = fs::read_to_string(&document)?;
        let text = sentence.update(&text, &found);
        fs::write(&document, text.ok_or_else(|| format!("{} has no sentence to update", sentence.file))?)?;
    }
    Ok(())
}

/// What tells a comparison from the others of a chart of so many benches.
fn label(comparison: &Comparison, benches: usize) -> &str {
    if benches == 1 { &comparison.workload } else { &comparison.bench }
}
