use std::ffi::{OsStr, OsString};
use std::num::NonZeroU32;
use std::path::PathBuf;

use super::sample::{COUNT, Sample};

pub const HELP: &str = "\
Turns a changelog into the records of an upsert-kafka topic, and shows them.

    cargo run --release --example upsert -- [--sample count|join] [OPTIONS]
    cargo run --release --example upsert -- TABLE.sql CHANGELOG.jsonl [OPTIONS]

TABLE.sql        a CREATE TABLE of Flink SQL with 'connector' = 'upsert-kafka' and one topic
CHANGELOG.jsonl  a row a line, its kind and its columns: [\"+U\", [7, \"a\", null]]; - reads standard input
--sample NAME    what a Flink job emitted, and the topic it made: count (a GROUP BY, the default) or join

OPTIONS
--partitions N   the partitions of the topic, up to 10000; 6 by default
--updates HOW    what a -U writes: tombstone, as Flink does where it reaches the sink (the default); drop, nothing,
                 as if Flink's planner had withheld it; pairs, a tombstone unless the same key follows at once
--out DIR        also writes the topic as files of record batches, DIR/partition-0 and so on; DIR must not be there
                 yet, or be empty, and appears when all of it is written
--quiet          prints no records: for long input, with a progress bar on a terminal
--help           prints this

Ends with 1 and `file:line:column: what is wrong` for bad input, with 1 if a sample's topic is not Flink's.
";

pub enum Command {
    Help,
    Run(Arguments),
}

#[derive(Debug)]
pub struct Arguments {
    pub input: Input,
    /// `None` leaves it to the sample.
    pub partitions: Option<NonZeroU32>,
    /// `None` leaves it to the sample, or to what Flink does where a `-U` reaches its sink.
    pub updates: Option<Updates>,
    pub out: Option<PathBuf>,
    pub quiet: bool,
}

#[derive(Debug)]
pub enum Input {
    Sample(&'static Sample),
    Files { table: PathBuf, changelog: PathBuf },
}

/// What a `-U` writes.
#[derive(Clone, Copy, Debug)]
pub enum Updates {
    Tombstone,
    Drop,
    Pairs,
}

const MAX_PARTITIONS: u32 = 10_000;

impl Command {
    /// Answers what is wrong with a command line that is none.
    pub fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut files = Vec::new();
        let mut sample = None;
        let mut parsed = Arguments {
            input: Input::Sample(&COUNT),
            partitions: None,
            updates: None,
            out: None,
            quiet: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{} wants a value", argument.display()));
            match argument.to_str() {
                Some("--help" | "-h") => return Ok(Self::Help),
                Some("--quiet" | "-q") => parsed.quiet = true,
                Some("--out") => parsed.out = Some(value()?.into()),
                Some("--sample") => sample = Some(choose(&value()?, "--sample", Sample::named)?),
                Some("--updates") => parsed.updates = Some(choose(&value()?, "--updates", Updates::named)?),
                Some("--partitions") => {
                    parsed.partitions = Some(choose(&value()?, "--partitions", partition_count)?);
                }
                Some(option) if option.starts_with('-') && option != "-" => {
                    return Err(format!("there is no option {option}"));
                }
                _ => files.push(PathBuf::from(argument)),
            }
        }
        parsed.input = match (<[PathBuf; 2]>::try_from(files), sample) {
            (Ok([table, changelog]), None) => Input::Files { table, changelog },
            (Err(files), sample) if files.is_empty() => Input::Sample(sample.unwrap_or(&COUNT)),
            (_, Some(_)) => return Err("a sample brings its own files".to_owned()),
            (Err(_), None) => return Err("a table and a changelog make two files".to_owned()),
        };
        Ok(Self::Run(parsed))
    }
}

impl Updates {
    fn named(name: &str) -> Option<Self> {
        match name {
            "tombstone" => Some(Self::Tombstone),
            "drop" => Some(Self::Drop),
            "pairs" => Some(Self::Pairs),
            _ => None,
        }
    }
}

fn partition_count(text: &str) -> Option<NonZeroU32> {
    text.parse().ok().filter(|count: &NonZeroU32| count.get() <= MAX_PARTITIONS)
}

fn choose<T>(value: &OsStr, option: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    value.to_str().and_then(read).ok_or_else(|| format!("{option} does not take {}", value.display()))
}
