use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::sample::{JOIN, Sample};

pub const HELP: &str = "\
Turns a changelog into the records of an upsert-kafka topic, and shows them; or reads such a topic back.

    cargo run --release --example upsert -- [--sample join|count] [OPTIONS]
    cargo run --release --example upsert -- TABLE.sql CHANGELOG.jsonl [OPTIONS]
    cargo run --release --example upsert -- --read DIR|FILE [--sample join|count] [--table] [--quiet]
    cargo run --release --example upsert -- --read DIR|FILE TABLE.sql [--table] [--quiet]
    cargo run --release --example upsert -- --bootstrap HOST:PORT ... sends the records to a Kafka broker
    cargo run --release --example upsert -- --bootstrap HOST:PORT --read ... reads the topic there

TABLE.sql        a CREATE TABLE of Flink SQL with 'connector' = 'upsert-kafka' and one topic
CHANGELOG.jsonl  one row per line, its kind and its columns: [\"+U\", [7, \"a\", null]]; - reads standard input
--sample NAME    what a Flink job emitted, and the topic it made: join (a left join, the default) or count (a GROUP BY)

OPTIONS
--bootstrap HOST:PORT
                 a broker of a Kafka cluster, without TLS. Its topic is created, with cleanup.policy = compact, if it is
                 not there; each batch is sent again until the broker has acknowledged it, and is there once. With
                 --read, which then takes no DIR|FILE: reads the topic from its start to where it ends at that moment
--partitions N   the partitions of the topic, up to 10000; 6 by default, or as many as it has at the broker
--updates HOW    what a -U writes: tombstone, as Flink does where it reaches the sink (the default); drop, nothing,
                 as if Flink's planner had withheld it; pairs, a tombstone unless the same key follows at once
--out DIR        also writes the topic as files of record batches, DIR/partition-0 and so on; DIR must not be there
                 yet, or be empty, and appears when all of it is written
--read DIR|FILE  reads such a folder, or one file of batches, and prints the changelog of the table, in the form of
                 CHANGELOG.jsonl; what could not be read, and how much there was, goes to standard error
--table          with --read: prints the rows that the changelog leaves, as inserts
--quiet          prints no records: for long input, with a progress bar on a terminal
--help           prints this

Ends with 1 and `file:line:column: what is wrong` for bad input, with 1 if a sample's topic is not Flink's or if not
all of a topic could be read.
";

pub enum Command {
    Help,
    Write(WriteArguments),
    Read(ReadArguments),
}

#[derive(Debug)]
pub struct WriteArguments {
    pub input: Input,
    /// `None` leaves it to the sample.
    pub partitions: Option<i32>,
    /// `None` leaves it to the sample, or to what Flink does where a `-U` reaches its sink.
    pub updates: Option<Updates>,
    pub out: Option<PathBuf>,
    pub bootstrap: Option<String>,
    pub quiet: bool,
}

#[derive(Debug)]
pub enum Input {
    Sample(&'static Sample),
    Files { table: PathBuf, changelog: PathBuf },
}

#[derive(Debug)]
pub struct ReadArguments {
    pub from: ReadFrom,
    pub table: ReadTable,
    pub shown: Shown,
}

#[derive(Debug)]
pub enum ReadFrom {
    /// A folder or a file.
    Path(PathBuf),
    /// The topic at this broker.
    Bootstrap(String),
}

#[derive(Debug)]
pub enum ReadTable {
    Sample(&'static Sample),
    File(PathBuf),
}

/// What is printed of a topic that is read.
#[derive(Clone, Copy, Debug)]
pub enum Shown {
    Changelog,
    Table,
    Nothing,
}

/// What a `-U` writes.
#[derive(Clone, Copy, Debug)]
pub enum Updates {
    Tombstone,
    Drop,
    Pairs,
}

const MAX_PARTITIONS: i32 = 10_000;

impl Command {
    /// Answers what is wrong with a command line that is none.
    pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = arguments.peekable();
        let (mut files, mut sample, mut read, mut shows_table) = (Vec::new(), None, None, false);
        let (mut partitions, mut updates, mut out, mut bootstrap, mut quiet) =
            (None, None, None, None, false);
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{} needs a value", argument.display()));
            match argument.to_str() {
                Some("--help" | "-h") => return Ok(Self::Help),
                Some("--quiet" | "-q") => quiet = true,
                Some("--table") => shows_table = true,
                Some("--out") => out = Some(PathBuf::from(value()?)),
                Some("--bootstrap") => {
                    bootstrap = Some(choose(&value()?, "--bootstrap", |text| Some(text.to_owned()))?);
                }
                // With --bootstrap, what follows is the table.
                Some("--read") => read = Some(arguments.next_if(|next| !is_option(next)).map(PathBuf::from)),
                Some("--sample") => sample = Some(choose(&value()?, "--sample", Sample::named)?),
                Some("--updates") => updates = Some(choose(&value()?, "--updates", Updates::named)?),
                Some("--partitions") => {
                    partitions = Some(choose(&value()?, "--partitions", partition_count)?);
                }
                _ if is_option(&argument) => {
                    return Err(format!("there is no option {}", argument.display()));
                }
                _ => files.push(PathBuf::from(argument)),
            }
        }
        if let Some(path) = read {
            if partitions.is_some() || updates.is_some() || out.is_some() {
                return Err("--read takes no --partitions, --updates or --out".to_owned());
            }
            let from = match (bootstrap, path) {
                (Some(bootstrap), table) => {
                    files.extend(table);
                    ReadFrom::Bootstrap(bootstrap)
                }
                (None, Some(path)) => ReadFrom::Path(path),
                (None, None) => return Err("--read needs a value".to_owned()),
            };
            let table = ReadTable::choose(files, sample)?;
            let shown = match (quiet, shows_table) {
                (true, _) => Shown::Nothing,
                (false, true) => Shown::Table,
                (false, false) => Shown::Changelog,
            };
            return Ok(Self::Read(ReadArguments { from, table, shown }));
        }
        if shows_table {
            return Err("--table needs --read".to_owned());
        }
        let input = Input::choose(files, sample)?;
        Ok(Self::Write(WriteArguments { input, partitions, updates, out, bootstrap, quiet }))
    }
}

impl Input {
    fn choose(files: Vec<PathBuf>, sample: Option<&'static Sample>) -> Result<Self, String> {
        match (<[PathBuf; 2]>::try_from(files), sample) {
            (Ok([table, changelog]), None) => Ok(Self::Files { table, changelog }),
            (Err(files), sample) if files.is_empty() => Ok(Self::Sample(sample.unwrap_or(&JOIN))),
            (_, Some(_)) => Err("a sample brings its own files".to_owned()),
            (Err(_), None) => Err("expected two files: a table and a changelog".to_owned()),
        }
    }
}

impl ReadTable {
    fn choose(files: Vec<PathBuf>, sample: Option<&'static Sample>) -> Result<Self, String> {
        match (<[PathBuf; 1]>::try_from(files), sample) {
            (Ok([table]), None) => Ok(Self::File(table)),
            (Err(files), sample) if files.is_empty() => Ok(Self::Sample(sample.unwrap_or(&JOIN))),
            (_, Some(_)) => Err("a sample brings its own table".to_owned()),
            (Err(_), None) => Err("expected one file, a table".to_owned()),
        }
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

fn is_option(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|text| text.starts_with('-') && text != "-")
}

fn partition_count(text: &str) -> Option<i32> {
    text.parse().ok().filter(|count| (1..=MAX_PARTITIONS).contains(count))
}

fn choose<T>(value: &OsStr, option: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    value.to_str().and_then(read).ok_or_else(|| format!("{option} does not take {}", value.display()))
}
