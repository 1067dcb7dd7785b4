//! Random cases, answered by Flink and Kafka and held against ours, without end.
//!
//! ```text
//! cargo run --release --bin differential -- [--seed N | --random] [--seeds N] [--seconds N] [--release R] [--only WORD]
//! cargo run --bin differential -- --javas
//! ```
//!
//! A seed gives a table with rows to write, what Flink wrote to read, by that table and by another, whole and damaged, a
//! vector damaged, a changelog through a stage, and now and then a CREATE TABLE, a batch, keys and numbers. The seeds are
//! 1, 2, and so on, or begin elsewhere; they end with `--seeds` or `--seconds`, or never.
//!
//! Prints what agreed, and ends with an error where something did not: a failing case is made small and added to
//! `target/found`, as a vector line that `GOLDEN_DIR=tests/live/oracle/target/found cargo test --test golden` runs. If Javas of
//! both rules of float digits are installed, JDK 17's and that of 19 and later, every eighth batch of seeds is answered by
//! the newer; `--javas` lists the installed ones.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, io, panic};

use fastrand::Rng;
use serde_json::Value;
use upsert_kafka_oracle::case::Codec;
use upsert_kafka_oracle::hold::{Held, hold};
use upsert_kafka_oracle::java::Java;
use upsert_kafka_oracle::oracle::{Oracle, RELEASES};
use upsert_kafka_oracle::random::{self, DdlPool};
use upsert_kafka_oracle::shrink::{shrink, shrink_changes};

/// So many seeds are asked at once.
const BATCH: u64 = 50;
/// The newer Java answers every so many batches.
const BATCHES_OF_A_JAVA: u64 = 8;
/// Of so many seeds one has a CREATE TABLE, which takes a planner.
const SEEDS_OF_A_DDL: u32 = 40;
/// After so many failures of one file, it is time to mend.
const MOST_FAILURES: usize = 20;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|_| ())); // a panic is a difference, and told as one
    let ran = panic::catch_unwind(|| Options::read().and_then(run));
    match ran.unwrap_or_else(|panic| Err(panic.downcast_ref::<String>().cloned().unwrap_or_default())) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("differential: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    seconds: u64,
    seeds: u64,
    seed: u64,
    release: String,
    only: String,
    lists_javas: bool,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Self {
            seconds: u64::MAX,
            seeds: u64::MAX,
            seed: 1,
            release: "2.3".to_owned(),
            only: String::new(),
            lists_javas: false,
        };
        let mut arguments = env::args().skip(1);
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--javas" => options.lists_javas = true,
                "--random" => {
                    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                    options.seed = now.map_err(|error| error.to_string())?.as_secs() << 20;
                }
                _ => {}
            }
            if ["--javas", "--random"].contains(&name.as_str()) {
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{name} wants a value"))?;
            let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
            match name.as_str() {
                "--seconds" => options.seconds = number()?,
                "--seeds" => options.seeds = number()?,
                "--seed" => options.seed = number()?,
                "--release" => options.release = value,
                "--only" => options.only = value,
                _ => return Err(format!("there is no option {name}")),
            }
        }
        Ok(options)
    }
}

fn run(options: Options) -> Result<usize, String> {
    let found = Java::installed();
    if options.lists_javas {
        found.iter().for_each(|java| println!("{}", java.feature));
        return Ok(0);
    }
    let old = found.iter().find(|java| (17..19).contains(&java.feature));
    let javas: Vec<&Java> = old.into_iter().chain(found.iter().find(|java| java.feature >= 19)).collect();
    let features: Vec<u32> = javas.iter().map(|java| java.feature).collect();
    println!("Flink {} on Java {features:?}; the first seed is {}", options.release, options.seed);
    if javas.is_empty() {
        return Err("there is no Java, or none of at least 17".to_owned());
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let mut differential = Differential {
        release: options.release,
        javas: javas.into_iter().map(|java| (java.clone(), None)).collect(),
        turn: 0,
        vectors: read_vectors(&golden.join("decode")).map_err(|error| error.to_string())?,
        pool: DdlPool::of(&fs::read_to_string(golden.join("ddl.jsonl")).map_err(|error| error.to_string())?),
        tally: BTreeMap::new(),
        found: Path::new(env!("CARGO_MANIFEST_DIR")).join("target/found"),
        only: options.only,
    };
    let (start, end) = (Instant::now(), Duration::from_secs(options.seconds));
    let mut told = start;
    for batch in 0..options.seeds.div_ceil(BATCH) {
        if start.elapsed() >= end {
            break;
        }
        let seed = options.seed + batch * BATCH;
        differential.turn = usize::from(batch % BATCHES_OF_A_JAVA == BATCHES_OF_A_JAVA - 1);
        differential.turn = differential.turn.min(differential.javas.len() - 1);
        differential.batch(seed).map_err(|error| format!("seed {seed}: {error}"))?;
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            differential.tell(start.elapsed());
        }
    }
    differential.tell(start.elapsed());
    Ok(differential.tally.values().map(|tally| tally.differ).sum())
}

/// The decode vectors, as cases to damage.
fn read_vectors(folder: &Path) -> io::Result<Vec<Codec>> {
    let mut vectors = Vec::new();
    for entry in fs::read_dir(folder)? {
        let text = fs::read_to_string(entry?.path())?;
        // No released connector reads that metadata, and no table has a row without fields.
        for line in text.lines().filter(|line| !line.contains("header-list") && !line.contains("ROW<>")) {
            let mut case: Codec = serde_json::from_str(line)?;
            case.kind = "decode".to_owned();
            case.rows = None;
            // What a datum leaves unread, Flink reads as the head of the next; here each record stands alone anyway.
            vectors.push(case);
        }
    }
    Ok(vectors)
}

/// Of a vector file: the cases, and how many rows, records, keys or numbers they hold.
#[derive(Clone, Copy, Default)]
struct Tally {
    rows: usize,
    agree: usize,
    deviate: usize,
    differ: usize,
}

struct Differential {
    release: String,
    /// The Javas that answer, each started at its first turn, and whose turn it is.
    javas: Vec<(Java, Option<Oracle>)>,
    turn: usize,
    vectors: Vec<Codec>,
    pool: DdlPool,
    tally: BTreeMap<String, Tally>,
    found: PathBuf,
    only: String,
}

impl Differential {
    fn batch(&mut self, seed: u64) -> io::Result<()> {
        let jdk = self.javas[self.turn].0.feature;
        let mut encodes = Vec::new();
        let mut decodes = Vec::new();
        let mut others = Vec::new();
        let mut stages = Vec::new();
        let has_harness = RELEASES.last().is_some_and(|newest| *newest == self.release);
        for seed in seed..seed + BATCH {
            let mut rng = Rng::with_seed(seed);
            encodes.push(random::encode(&mut rng, seed, jdk));
            decodes.push(random::damaged_vector(&mut rng, &self.vectors, seed, jdk));
            others.push(("partition.jsonl", random::partition(&mut rng, seed)));
            if rng.u32(..4) == 0 {
                others.push(("record_batch.jsonl", random::record_batch(&mut rng, seed)));
            }
            if rng.u32(..SEEDS_OF_A_DDL) == 0 {
                others.push(("ddl.jsonl", self.pool.case(&mut rng, seed)));
            }
            if has_harness {
                stages.push(random::stage(&mut rng, seed));
            }
        }
        let answers = self.ask(&encodes)?;
        for (seed, (case, answer)) in (seed..).zip(encodes.iter().zip(&answers)) {
            let mut rng = Rng::with_seed(seed);
            decodes.extend(random::decode(&mut rng, case, answer));
            if case.file().contains(&self.only) {
                self.hold_codec(case, answer)?;
            }
        }
        decodes.retain(|case| case.file().contains(&self.only));
        let answers = self.ask(&decodes)?;
        for (case, answer) in decodes.iter().zip(&answers) {
            self.hold_codec(case, answer)?;
        }
        others.retain(|(file, _)| file.contains(&self.only));
        let lines: Vec<String> = others.iter().map(|(_, case)| case.to_string()).collect();
        let answers = self.oracle(self.turn)?.ask(&lines)?;
        for ((file, _), answer) in others.iter().zip(&answers) {
            let held = hold(file, answer);
            self.count(file, 1, &held, answer)?;
        }
        stages.retain(|(file, _)| file.contains(&self.only));
        self.stages(&stages)?;
        self.float_texts(seed)
    }

    fn stages(&mut self, cases: &[(&str, Value)]) -> io::Result<()> {
        let lines: Vec<String> = cases.iter().map(|(_, case)| case.to_string()).collect();
        let answers = self.oracle(self.turn)?.ask(&lines)?;
        for ((file, case), answer) in cases.iter().zip(answers) {
            let (mut held, mut answer) = (hold(file, &answer), answer);
            if matches!(held, Held::Differs(_)) && !self.has_enough(file) {
                let oracle = self.oracle(self.turn)?;
                let small = shrink_changes(case.clone(), |case| {
                    let answer = oracle.ask(&[case.to_string()]);
                    answer.is_ok_and(|answer| matches!(hold(file, &answer[0]), Held::Differs(_)))
                });
                answer = oracle.ask(&[small.to_string()])?.remove(0);
                held = hold(file, &answer);
            }
            let changes = case["changes"].as_array().map_or(0, Vec::len);
            self.count(file, changes, &held, &answer)?;
        }
        Ok(())
    }

    /// A number's digits by both rules are one case.
    fn float_texts(&mut self, seed: u64) -> io::Result<()> {
        if self.javas.len() < 2 || self.turn == 0 {
            return Ok(());
        }
        let cases = (0..BATCH * BATCHES_OF_A_JAVA).map(|number| {
            let seed = (seed << 10) + number;
            random::float_text(&mut Rng::with_seed(seed), seed).to_string()
        });
        let cases: Vec<String> = cases.collect();
        for (old, new) in self.oracle(0)?.ask(&cases)?.iter().zip(self.oracle(1)?.ask(&cases)?) {
            let (mut answer, new): (Value, Value) = (serde_json::from_str(old)?, serde_json::from_str(&new)?);
            answer["jdk25"] = new["jdk25"].clone();
            let answer = answer.to_string();
            let held = hold("float_text.jsonl", &answer);
            self.count("float_text.jsonl", 1, &held, &answer)?;
        }
        Ok(())
    }

    fn oracle(&mut self, turn: usize) -> io::Result<&mut Oracle> {
        let (java, oracle) = &mut self.javas[turn];
        if oracle.is_none() {
            *oracle = Some(Oracle::start(&self.release, java).map_err(io::Error::other)?);
        }
        Ok(oracle.as_mut().expect("it has been started"))
    }

    fn ask(&mut self, cases: &[Codec]) -> io::Result<Vec<String>> {
        let lines: Vec<String> = cases.iter().map(Codec::line).collect();
        self.oracle(self.turn)?.ask(&lines)
    }

    fn hold_codec(&mut self, case: &Codec, answer: &str) -> io::Result<()> {
        let held = hold(&case.file(), answer);
        if !matches!(held, Held::Differs(_)) || self.has_enough(&case.file()) {
            return self.count(&case.file(), case.len(), &held, answer);
        }
        let oracle = self.oracle(self.turn)?;
        let small = shrink(case.clone(), |case| {
            let answer = oracle.ask(&[case.line()]);
            answer.is_ok_and(|answer| matches!(hold(&case.file(), &answer[0]), Held::Differs(_)))
        });
        let answer = oracle.ask(&[small.line()])?;
        let held = hold(&small.file(), &answer[0]);
        self.count(&small.file(), case.len(), &held, &answer[0])
    }

    fn has_enough(&self, file: &str) -> bool {
        self.tally.get(file).is_some_and(|tally| tally.differ >= MOST_FAILURES)
    }

    fn count(&mut self, file: &str, rows: usize, held: &Held, answer: &str) -> io::Result<()> {
        let is_enough = self.has_enough(file);
        let tally = self.tally.entry(file.to_owned()).or_default();
        tally.rows += rows;
        match held {
            Held::Agrees => tally.agree += 1,
            Held::Deviates => tally.deviate += 1,
            Held::Differs(how) => {
                tally.differ += 1;
                if !is_enough {
                    println!("{file}: {answer}\n  {how}");
                    append(&self.found.join(file), answer)?;
                }
            }
        }
        Ok(())
    }

    fn tell(&self, elapsed: Duration) {
        let mut all = Tally::default();
        for (file, Tally { rows, agree, deviate, differ }) in &self.tally {
            println!("  {file}: {rows} in cases: {agree} agree, {deviate} deviate by rule, {differ} differ");
            all = Tally {
                rows: all.rows + rows,
                agree: all.agree + agree,
                deviate: all.deviate + deviate,
                differ: all.differ + differ,
            };
        }
        let Tally { rows, agree, deviate, differ } = all;
        let cases = agree + deviate + differ;
        let each_second = |count: usize| count as u64 / elapsed.as_secs().max(1);
        println!(
            "{cases} cases ({} a second) with {rows} rows, records, keys and numbers ({} a second) in {} s: {agree} agree, \
             {deviate} deviate by rule, {differ} differ",
            each_second(cases),
            each_second(rows),
            elapsed.as_secs(),
        );
    }
}

/// Adds a vector to a file. Its id may be there already: the seed is in it.
fn append(file: &Path, answer: &str) -> io::Result<()> {
    fs::create_dir_all(file.parent().expect("it is in a folder"))?;
    let mut file = fs::OpenOptions::new().create(true).append(true).open(file)?;
    let is_json = serde_json::from_str::<Value>(answer).is_ok();
    assert!(is_json, "{answer}");
    writeln!(file, "{answer}")
}
