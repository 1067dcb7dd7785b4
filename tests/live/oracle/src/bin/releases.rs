//! Vectors, answered by each release of Flink: what releases do otherwise than the newest, and whether ours does as they.
//!
//! ```text
//! cargo run --release --bin releases -- [--again]
//! ```
//!
//! Asks each release for the first cases of each kind in `tests/golden/encode` and `decode`. Writes
//! `docs/compatibility.md`, and where a release does otherwise and ours as it, some of its answers into
//! `tests/golden/releases`. Answers are kept in `target/releases`; `--again` asks anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, panic};

use serde_json::{Map, Value};
use upsert_kafka_oracle::compatibility::{Compared, Outcome, Page};
use upsert_kafka_oracle::hold::{Held, hold};
use upsert_kafka_oracle::java::Java;
use upsert_kafka_oracle::oracle::{Oracle, RELEASES};

/// So many cases of each sort are asked.
const CASES_OF_A_SORT: usize = 2;
/// So many answers of each sort are kept as vectors: of a direction, a format, refused or not.
const VECTORS_OF_A_SORT: usize = 5;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|_| ())); // a panic of ours is a difference
    match run(env::args().any(|argument| argument == "--again")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("releases: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(again: bool) -> Result<(), String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let golden = repository.join("tests/golden");
    let vectors = sample(&golden, CASES_OF_A_SORT, "").map_err(|error| error.to_string())?;
    let of_avro = sample(&golden, usize::MAX, "avro").map_err(|error| error.to_string())?;
    println!("{} vectors, and {} of avro", vectors.len(), of_avro.len());
    let mut page = Page::new(vectors.len());
    for release in RELEASES {
        let answers = match answers_of(release, "", &vectors, again) {
            Ok(answers) => answers,
            Err(error) => {
                println!("{release} does not run: {error}");
                page.does_not_run(release, &error);
                continue;
            }
        };
        let compared: Vec<Compared> = vectors
            .iter()
            .zip(answers)
            .map(|((vector, _), answer)| compare(release, vector, answer))
            .collect();
        let mut kept = kept(&compared);
        if Some(&release) == RELEASES.last() {
            let again = made_again(&of_avro, answers_of(release, "avro-", &of_avro, again)?);
            page.made_again(of_avro.len(), again.len());
            kept.extend(again);
        }
        println!("{release}: {} vectors kept", kept.len());
        write(&golden.join(format!("releases/{release}.jsonl")), &kept.concat())?;
        page.add(release, compared);
    }
    write(&repository.join("docs/compatibility.md"), &page.text()?)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(path.parent().expect("it is in a folder"))
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// The lines of vectors that the released artefacts answer otherwise, if only in the words of an error.
fn made_again(vectors: &[(Value, String)], answers: Vec<String>) -> Vec<String> {
    let mut lines = Vec::new();
    for ((vector, _), answer) in vectors.iter().zip(answers) {
        let mut given: Value = serde_json::from_str(&answer).unwrap_or_default();
        given["kind"] = vector["kind"].clone();
        if given != *vector {
            let members = answer.strip_prefix('{').unwrap_or_default();
            lines.push(format!("{{\"kind\":{},{members}\n", vector["kind"]));
        }
    }
    lines
}

/// The first vectors of each sort, which is what an id is without its numbers, with their kinds: of files that begin so.
/// The text keeps the members of schemas in order.
fn sample(golden: &Path, of_a_sort: usize, begins: &str) -> std::io::Result<Vec<(Value, String)>> {
    let mut sample = Vec::new();
    for kind in ["encode", "decode"] {
        let files: Result<Vec<PathBuf>, _> =
            fs::read_dir(golden.join(kind))?.map(|entry| Ok::<_, std::io::Error>(entry?.path())).collect();
        let mut files = files?;
        files.retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begins)));
        files.sort();
        for file in files {
            let mut seen: BTreeMap<String, usize> = BTreeMap::new();
            for line in fs::read_to_string(file)?.lines() {
                let mut vector: Map<String, Value> = serde_json::from_str(line)?;
                let id = vector["id"].as_str().unwrap_or_default();
                let parts: Vec<&str> =
                    id.split('-').filter(|part| *part != "err" && !is_number(part)).collect();
                let count = seen.entry(parts.join("-")).or_default();
                *count += 1;
                if *count <= of_a_sort {
                    vector.insert("kind".to_owned(), kind.into());
                    let members = line.strip_prefix('{').unwrap_or_default();
                    sample.push((Value::Object(vector), format!(r#"{{"kind":"{kind}",{members}"#)));
                }
            }
        }
    }
    Ok(sample)
}

fn is_number(part: &str) -> bool {
    part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit())
}

fn answers_of(
    release: &str,
    which: &str,
    vectors: &[(Value, String)],
    again: bool,
) -> Result<Vec<String>, String> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("target/releases/{which}{release}.jsonl"));
    if let (false, Ok(text)) = (again, fs::read_to_string(&kept)) {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.len() == vectors.len() {
            return Ok(lines);
        }
    }
    let installed = Java::installed();
    let java = installed.iter().find(|java| (17..19).contains(&java.feature));
    let java = java.ok_or("there is no Java 17 or 18, whose digits the vectors have")?;
    let cases: Vec<String> = vectors.iter().map(|(_, case)| case.clone()).collect();
    let answers = Oracle::start(release, java)?.ask(&cases).map_err(|error| error.to_string())?;
    write(&kept, &answers.iter().map(|answer| format!("{answer}\n")).collect::<String>())?;
    Ok(answers)
}

fn compare(release: &str, vector: &Value, answer: String) -> Compared {
    let mut given: Value = serde_json::from_str(&answer).unwrap_or_default();
    let results = if vector["kind"] == "encode" { "records" } else { "rows" };
    let place = |case: &Value| case["error"]["row"].as_i64().or(case["error"]["record"].as_i64());
    let outcome = if given[results] == vector[results] && place(&given) == place(vector) {
        Outcome::Equal
    } else {
        // Members of a schema are in order in the text alone.
        let members = answer.strip_prefix('{').unwrap_or_default();
        let line = format!(r#"{{"kind":{},"flink":"{release}",{members}"#, vector["kind"]);
        given["kind"] = vector["kind"].clone();
        match hold(&format!("releases/{release}.jsonl"), &line) {
            Held::Agrees => Outcome::Imitated(Some(line)),
            Held::Deviates => Outcome::Imitated(None),
            Held::Differs(_) => Outcome::Differs,
        }
    };
    Compared { vector: vector.clone(), answer: given, outcome }
}

/// The lines that become vectors.
fn kept(compared: &[Compared]) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for one in compared {
        let Outcome::Imitated(Some(line)) = &one.outcome else { continue };
        let count = counts.entry(one.sort()).or_default();
        *count += 1;
        if *count <= VECTORS_OF_A_SORT {
            lines.push(format!("{line}\n"));
        }
    }
    lines
}
