//! Random cases, answered by Flink and Kafka and held against ours, without end.
//!
//! ```text
//! cargo run --bin differential -- [--seconds N] [--seed N] [--release R] [--only WORD]
//! cargo run --bin differential -- --javas
//! ```
//!
//! Prints what agreed, and ends with an error where something did not: a failing case is made small and added to
//! `target/found`, as a vector line that `GOLDEN_DIR=tests/live/oracle/target/found cargo test --test golden` runs. Batches of
//! cases take turns between the two rules of float digits, JDK 17's and that of 19 and later, if Javas of both are
//! installed; `--javas` lists the installed ones.

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
use upsert_kafka_oracle::oracle::Oracle;
use upsert_kafka_oracle::random::{self, DdlPool};
use upsert_kafka_oracle::shrink::shrink;

/// So many cases are written before their answers are read.
const BATCH: u64 = 100;
/// After so many failures of one file, it is time to mend.
const MOST_FAILURES: usize = 20;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|_| ())); // a panic is a difference, and told as one
    match Options::read().and_then(run) {
        Ok(failures) if failures == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("differential: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Options {
    seconds: u64,
    seed: u64,
    release: String,
    only: String,
    lists_javas: bool,
}

impl Options {
    fn read() -> Result<Self, String> {
        let now =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(|error| error.to_string())?;
        let mut options = Self {
            seconds: u64::MAX,
            seed: now.as_secs() << 20,
            release: "2.3".to_owned(),
            only: String::new(),
            lists_javas: false,
        };
        let mut arguments = env::args().skip(1);
        while let Some(name) = arguments.next() {
            if name == "--javas" {
                options.lists_javas = true;
                continue;
            }
            let value = arguments.next().ok_or_else(|| format!("{name} wants a value"))?;
            let number = || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
            match name.as_str() {
                "--seconds" => options.seconds = number()?,
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
    let oracles: Result<Vec<_>, String> =
        javas.iter().map(|java| Ok((java.feature, Oracle::start(&options.release, java)?))).collect();
    let oracles = oracles?;
    if oracles.is_empty() {
        return Err("there is no Java, or none of at least 17".to_owned());
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let mut differential = Differential {
        oracles,
        turn: 0,
        vectors: read_vectors(&golden.join("decode")).map_err(|error| error.to_string())?,
        pool: DdlPool::of(&fs::read_to_string(golden.join("ddl.jsonl")).map_err(|error| error.to_string())?),
        tally: BTreeMap::new(),
        found: Path::new(env!("CARGO_MANIFEST_DIR")).join("target/found"),
        only: options.only,
    };
    let (start, end) = (Instant::now(), Duration::from_secs(options.seconds));
    let mut seed = options.seed;
    let mut told = start;
    while start.elapsed() < end {
        differential.batch(seed).map_err(|error| format!("seed {seed}: {error}"))?;
        seed += BATCH;
        differential.turn = (differential.turn + 1) % differential.oracles.len();
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
        // No released connector reads that metadata.
        for line in text.lines().filter(|line| !line.contains("header-list")) {
            let mut case: Codec = serde_json::from_str(line)?;
            case.kind = "decode".to_owned();
            case.rows = None;
            // What a datum leaves unread, Flink reads as the head of the next; here each record stands alone anyway.
            vectors.push(case);
        }
    }
    Ok(vectors)
}

#[derive(Clone, Copy, Default)]
struct Tally {
    agree: usize,
    deviate: usize,
    differ: usize,
}

struct Differential {
    /// The Javas that answer, and whose turn it is.
    oracles: Vec<(u32, Oracle)>,
    turn: usize,
    vectors: Vec<Codec>,
    pool: DdlPool,
    tally: BTreeMap<String, Tally>,
    found: PathBuf,
    only: String,
}

impl Differential {
    fn batch(&mut self, seed: u64) -> io::Result<()> {
        let mut encodes = Vec::new();
        let mut decodes = Vec::new();
        let mut others = Vec::new();
        for seed in seed..seed + BATCH {
            let mut rng = Rng::with_seed(seed);
            encodes.push(random::encode(&mut rng, seed, self.oracles[self.turn].0));
            decodes.push(random::damaged_vector(&mut rng, &self.vectors, seed, self.oracles[self.turn].0));
            others.push(("partition.jsonl", random::partition(&mut rng, seed)));
            if rng.u32(..4) == 0 {
                others.push(("record_batch.jsonl", random::record_batch(&mut rng, seed)));
            }
            if rng.u32(..20) == 0 {
                others.push(("ddl.jsonl", self.pool.case(&mut rng, seed)));
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
        let answers = self.oracles[self.turn].1.ask(&lines)?;
        for ((file, _), answer) in others.iter().zip(&answers) {
            let held = hold(file, answer);
            self.count(file, &held, answer)?;
        }
        self.float_texts(seed)
    }

    /// A number's digits by both rules are one case.
    fn float_texts(&mut self, seed: u64) -> io::Result<()> {
        let [(_, old), (_, new)] = &mut self.oracles[..] else { return Ok(()) };
        let cases =
            (seed..seed + BATCH).map(|seed| random::float_text(&mut Rng::with_seed(seed), seed).to_string());
        let cases: Vec<String> = cases.collect();
        for (old, new) in old.ask(&cases)?.iter().zip(new.ask(&cases)?) {
            let (mut answer, new): (Value, Value) = (serde_json::from_str(old)?, serde_json::from_str(&new)?);
            answer["jdk25"] = new["jdk25"].clone();
            let answer = answer.to_string();
            let held = hold("float_text.jsonl", &answer);
            self.count("float_text.jsonl", &held, &answer)?;
        }
        Ok(())
    }

    fn ask(&mut self, cases: &[Codec]) -> io::Result<Vec<String>> {
        let lines: Vec<String> = cases.iter().map(Codec::line).collect();
        self.oracles[self.turn].1.ask(&lines)
    }

    fn hold_codec(&mut self, case: &Codec, answer: &str) -> io::Result<()> {
        let held = hold(&case.file(), answer);
        if !matches!(held, Held::Differs(_)) || self.has_enough(&case.file()) {
            return self.count(&case.file(), &held, answer);
        }
        let oracle = &mut self.oracles[self.turn].1;
        let small = shrink(case.clone(), |case| {
            let answer = oracle.ask(&[case.line()]);
            answer.is_ok_and(|answer| matches!(hold(&case.file(), &answer[0]), Held::Differs(_)))
        });
        let answer = oracle.ask(&[small.line()])?;
        let held = hold(&small.file(), &answer[0]);
        self.count(&small.file(), &held, &answer[0])
    }

    fn has_enough(&self, file: &str) -> bool {
        self.tally.get(file).is_some_and(|tally| tally.differ >= MOST_FAILURES)
    }

    fn count(&mut self, file: &str, held: &Held, answer: &str) -> io::Result<()> {
        let is_enough = self.has_enough(file);
        let tally = self.tally.entry(file.to_owned()).or_default();
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
        for (file, Tally { agree, deviate, differ }) in &self.tally {
            println!("  {file}: {agree} agree, {deviate} deviate by rule, {differ} differ");
            all = Tally {
                agree: all.agree + agree,
                deviate: all.deviate + deviate,
                differ: all.differ + differ,
            };
        }
        let cases = all.agree + all.deviate + all.differ;
        let seconds = elapsed.as_secs().max(1);
        println!(
            "{cases} cases in {seconds} s ({} a second): {} agree, {} deviate by rule, {} differ",
            cases as u64 / seconds,
            all.agree,
            all.deviate,
            all.differ
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
