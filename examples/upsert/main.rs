//! Turns a changelog into the records of an `upsert-kafka` topic, shows them and sends them to Kafka; or reads such a
//! topic back.
//!
//! Without arguments it does the first with what a Flink job emitted, and holds the topic against the one that Flink
//! and Kafka made of it. `--help` says the rest.

#![allow(unreachable_pub, reason = "an example is reached by nobody")]

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::{env, error};

mod arguments;
mod batch_folder;
mod changelog;
mod clock;
mod connection;
mod encode;
mod kafka_topic;
mod named;
mod progress;
mod read_back;
mod report;
mod sample;
mod table_text;
mod topic;

use arguments::{Command, HELP, ReadArguments, ReadFrom, Shown, WriteArguments};
use batch_folder::BatchFolder;
use encode::Job;
use progress::Progress;
use read_back::{Printer, ReadBack};
use topic::Topic;

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let code = run(env::args_os().skip(1), &mut out, &mut io::stderr());
    ExitCode::from(code)
}

/// Answers the exit code: 1 for bad input, for a topic unlike Flink's and for one not read whole, 2 for a command line that is none.
pub fn run(arguments: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let outcome = match Command::parse(arguments) {
        Ok(Command::Help) => write!(out, "{HELP}").map(|()| true).map_err(Into::into),
        Ok(Command::Write(arguments)) => write_topic(&arguments, out, err),
        Ok(Command::Read(arguments)) => read_topic(&arguments, out, err),
        Err(message) => {
            let _ = writeln!(err, "upsert: {message}; see --help");
            return 2;
        }
    };
    match outcome.and_then(|as_expected| Ok(out.flush().map(|()| as_expected)?)) {
        Ok(as_expected) => u8::from(!as_expected),
        Err(error) if is_broken_pipe(&*error) => 0,
        Err(error) => {
            let _ = writeln!(err, "{error}");
            1
        }
    }
}

/// Does what was asked for, and answers whether the topic is as it has to be.
fn write_topic(
    arguments: &WriteArguments,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<bool, Box<dyn error::Error>> {
    let mut job = Job::open(arguments)?;
    let mut kafka = arguments.bootstrap.as_deref().map(|bootstrap| job.connect(bootstrap)).transpose()?;
    let mut folder =
        arguments.out.as_deref().map(|path| BatchFolder::create(path, job.partitions)).transpose()?;
    let mut topic = Topic::default();
    let expected = job.sample.map(|sample| Topic::read_json(sample.topic)).transpose()?;
    let keeps_records = !arguments.quiet || expected.is_some();

    let takes_a_while = arguments.quiet || kafka.is_some();
    let mut progress = Progress::new(takes_a_while && io::stderr().is_terminal(), err);
    let totals = job.encode(&mut progress, |partition, batch| {
        if let Some(folder) = &mut folder {
            folder.append(partition, batch)?;
        }
        if keeps_records {
            topic.append(partition, batch)?;
        }
        if let Some(kafka) = &mut kafka {
            kafka.append(partition, batch)?;
        }
        Ok(())
    })?;
    if let Some(folder) = folder {
        folder.finish()?;
    }

    if !arguments.quiet {
        report::records(out, &job, &topic)?;
    }
    report::totals(out, &job, &totals)?;
    if let Some(kafka) = &kafka {
        report::sent(out, &job, kafka)?;
    }
    if takes_a_while {
        report::speed(out, totals.rows, "rows", totals.elapsed)?;
    }
    match expected {
        Some(expected) => Ok(report::comparison(out, &job, &topic, &expected)?),
        None => Ok(true),
    }
}

/// Prints what a topic holds, and answers whether all of it could be read.
fn read_topic(
    arguments: &ReadArguments,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<bool, Box<dyn error::Error>> {
    let totals = ReadBack::open(arguments)?.read(&mut Printer::new(arguments.shown, out, err))?;
    report::read_back(err, &totals)?;
    let takes_a_while = matches!(arguments.from, ReadFrom::Bootstrap(_));
    if takes_a_while || matches!(arguments.shown, Shown::Nothing) {
        report::speed(err, totals.records.records(), "records", totals.elapsed)?;
    }
    Ok(totals.damaged_batches == 0 && totals.records.failed() == 0)
}

/// Whoever reads what we print has seen enough.
fn is_broken_pipe(error: &(dyn error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
