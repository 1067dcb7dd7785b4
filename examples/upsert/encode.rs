use std::error::Error;
use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use upsert_kafka::record::{Producer, RecordBatch};
use upsert_kafka::{Limits, RowBuf, Settings, Table, TableSink, UpdateBefore};

use super::arguments::{Input, Updates, WriteArguments};
use super::changelog::Changelog;
use super::clock::now_ms;
use super::kafka_topic::KafkaTopic;
use super::progress::Progress;
use super::sample::{SIX, Sample};
use super::table_text::TableText;

/// A changelog, and the table it is written to.
pub struct Job {
    pub table: Table,
    pub topic: String,
    pub partitions: i32,
    pub updates: Updates,
    /// `None` for files of the user's.
    pub sample: Option<&'static Sample>,
    /// Whether the number of partitions was asked for.
    partitions_are_fixed: bool,
    /// Whose batches these are, where they go to a broker.
    producer: Option<Producer>,
    sink: TableSink,
    changelog: Changelog,
}

/// What became of a changelog.
pub struct Totals {
    pub rows: u64,
    pub records: usize,
    pub batches: usize,
    pub bytes: usize,
    pub elapsed: Duration,
}

impl Job {
    pub fn open(arguments: &WriteArguments) -> Result<Self, Box<dyn Error>> {
        let text = match &arguments.input {
            Input::Sample(sample) => TableText::of_sample(sample),
            Input::Files { table, .. } => TableText::open(table)?,
        };
        let sample = match arguments.input {
            Input::Sample(sample) => Some(sample),
            Input::Files { .. } => None,
        };
        let partitions = arguments.partitions.or(sample.map(|sample| sample.partitions)).unwrap_or(SIX);
        let updates = arguments.updates.or(sample.map(|sample| sample.updates)).unwrap_or(Updates::Tombstone);
        let in_table = |error| text.bad_input(&error);
        let table = Table::from_ddl(&text.text).map_err(in_table)?;
        let sink = table.sink(&updates.settings()).map_err(in_table)?;
        let topic = text.only_topic(sink.layout())?;
        let columns = sink.layout().columns();
        let changelog = match &arguments.input {
            Input::Sample(sample) => {
                Changelog::of_text(&format!("{}.jsonl", sample.name), sample.changelog, columns)
            }
            Input::Files { changelog, .. } => Changelog::open(changelog, columns)?,
        };
        let partitions_are_fixed = arguments.partitions.is_some();
        Ok(Self {
            table,
            topic,
            partitions,
            updates,
            sample,
            partitions_are_fixed,
            producer: None,
            sink,
            changelog,
        })
    }

    /// The topic at a broker, which is created if it is not there, for batches of an idempotent producer.
    pub fn connect(&mut self, bootstrap: &str) -> io::Result<KafkaTopic> {
        let (topic, wanted) = (&self.topic, self.partitions);
        let mut kafka = KafkaTopic::open(bootstrap, topic, wanted, &[("cleanup.policy", "compact")])?;
        let count = kafka.partitions().unwrap_or(wanted);
        if self.partitions_are_fixed && count != wanted {
            return Err(io::Error::other(format!(
                "topic {topic} at {bootstrap} has {count} partitions, not the {wanted} of --partitions"
            )));
        }
        self.partitions = count;
        self.producer = Some(kafka.producer()?);
        Ok(kafka)
    }

    /// Reads the changelog to its end, and delivers the batches it becomes as they are full.
    pub fn encode(
        &mut self,
        progress: &mut Progress<'_>,
        mut deliver: impl FnMut(i32, &Bytes) -> Result<(), Box<dyn Error>>,
    ) -> Result<Totals, Box<dyn Error>> {
        let start = Instant::now();
        let mut totals = Totals { rows: 0, records: 0, batches: 0, bytes: 0, elapsed: Duration::ZERO };
        let mut batches = self.sink.accumulator(self.partitions);
        if let Some(producer) = self.producer {
            batches = batches.with_producer(producer);
        }
        let mut deliver = |(partition, batch): (i32, Bytes), totals: &mut Totals| {
            totals.records += RecordBatch::parse(&batch, Limits::default())?.len();
            totals.batches += 1;
            totals.bytes += batch.len();
            deliver(partition, &batch)
        };
        let mut row = RowBuf::new();
        while let Some(kind) = self.changelog.next(&mut row)? {
            batches.append(kind, &row, now_ms()).map_err(|error| self.changelog.bad_row(&error))?;
            batches.drain().try_for_each(|batch| deliver(batch, &mut totals))?;
            totals.rows += 1;
            progress.advance(totals.rows, || self.changelog.share_read());
        }
        batches.flush()?.try_for_each(|batch| deliver(batch, &mut totals))?;
        totals.elapsed = start.elapsed();
        Ok(totals)
    }
}

impl Updates {
    fn settings(self) -> Settings {
        Settings::default().with_update_before(match self {
            Self::Tombstone => UpdateBefore::Tombstone,
            Self::Drop => UpdateBefore::Drop,
            Self::Pairs => UpdateBefore::Pairs,
        })
    }
}
