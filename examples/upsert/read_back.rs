use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use upsert_kafka::fixture::JsonRows;
use upsert_kafka::record::RecordBatch;
use upsert_kafka::source::DecodeStats;
use upsert_kafka::{
    ChangelogNormalizer, DecodeBuf, Decoder, Limits, RecordBatches, RowBuf, RowKind, Settings, Table,
};

use super::arguments::{ReadArguments, ReadFrom, ReadTable, Shown};
use super::batch_folder;
use super::kafka_topic::{Isolation, KafkaTopic, Patience};
use super::named::named;
use super::table_text::TableText;

/// Batches of records, and the changes of a table that are read out of them.
pub struct ReadBack {
    files: Vec<(i32, PathBuf)>,
    kafka: Option<KafkaTopic>,
    isolation: Isolation,
    topic: String,
    decoder: Decoder,
    normalizer: ChangelogNormalizer,
    rows: JsonRows,
    totals: Totals,
    buf: DecodeBuf,
}

/// What was read.
#[derive(Clone, Copy, Default)]
pub struct Totals {
    pub batches: u64,
    pub damaged_batches: u64,
    pub bytes: usize,
    pub records: DecodeStats,
    /// Rows of the normalised changelog.
    pub changes: u64,
    pub elapsed: Duration,
}

impl ReadBack {
    pub fn open(arguments: &ReadArguments) -> Result<Self, Box<dyn Error>> {
        let text = match &arguments.table {
            ReadTable::Sample(sample) => TableText::of_sample(sample),
            ReadTable::File(path) => TableText::open(path)?,
        };
        let in_table = |error| text.bad_input(&error);
        let table = Table::from_ddl(&text.text).map_err(in_table)?;
        let source = table.source(&Settings::default()).map_err(in_table)?;
        let layout = source.layout();
        let topic = text.only_topic(layout)?;
        let (files, kafka) = match &arguments.from {
            ReadFrom::Path(path) => (batch_folder::files(path)?, None),
            ReadFrom::Bootstrap(bootstrap) => {
                let kafka = KafkaTopic::connect(bootstrap, &topic, Patience::default())?;
                if kafka.partitions().is_none() {
                    return Err(format!("there is no topic {topic} at {bootstrap}").into());
                }
                (Vec::new(), Some(kafka))
            }
        };
        Ok(Self {
            files,
            kafka,
            isolation: Isolation::of(&source.consumer_config()),
            topic,
            decoder: source.decoder(),
            normalizer: source.normalizer(),
            rows: JsonRows::new(layout.columns()),
            totals: Totals::default(),
            buf: DecodeBuf::new(),
        })
    }

    /// Reads all batches, and prints what comes of them.
    pub fn read(&mut self, printer: &mut Printer<'_>) -> Result<Totals, Box<dyn Error>> {
        let start = Instant::now();
        for (partition, path) in std::mem::take(&mut self.files) {
            self.read_file(partition, &path, printer)?;
        }
        if let Some(mut kafka) = self.kafka.take() {
            for partition in 0..kafka.partitions().unwrap_or(0) {
                let name = format!("partition {partition}");
                kafka.read(partition, self.isolation, |batches, offset| {
                    self.read_batches(batches, offset, &name, partition, printer)
                })?;
            }
        }
        printer.finish()?;
        Ok(Totals { elapsed: start.elapsed(), ..self.totals })
    }

    fn read_file(
        &mut self,
        partition: i32,
        path: &Path,
        printer: &mut Printer<'_>,
    ) -> Result<(), Box<dyn Error>> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|error| named(error, &name))?;
        let mut batches = RecordBatches::new(&bytes, Limits::default());
        self.read_batches(&mut batches, 0, &name, partition, printer)?;
        let rest = batches.rest().len();
        if rest > 0 {
            let read = bytes.len() - rest;
            let message =
                format_args!("{name}: byte {read}: the last {rest} bytes are no whole batch, and left out");
            printer.complain(message)?;
        }
        Ok(())
    }

    /// Reads batches in a row, their records from `offset` on.
    fn read_batches(
        &mut self,
        batches: &mut RecordBatches<'_>,
        offset: i64,
        name: &str,
        partition: i32,
        printer: &mut Printer<'_>,
    ) -> Result<(), Box<dyn Error>> {
        let size = batches.rest().len();
        let mut start = 0;
        while let Some(batch) = batches.next() {
            self.totals.batches += 1;
            let damage = match batch {
                Ok(batch) => self.read_batch(&batch, offset, name, partition, printer)?,
                Err(error) => Some(error),
            };
            if let Some(error) = damage {
                self.totals.damaged_batches += 1;
                printer.complain(format_args!("{name}: batch at byte {start}: {error}"))?;
            }
            start = size - batches.rest().len();
        }
        self.totals.bytes += start;
        Ok(())
    }

    /// Answers the damage that ends the batch before its last record.
    fn read_batch(
        &mut self,
        batch: &RecordBatch<'_>,
        offset: i64,
        name: &str,
        partition: i32,
        printer: &mut Printer<'_>,
    ) -> Result<Option<upsert_kafka::Error>, Box<dyn Error>> {
        for record in batch.records_from(offset) {
            let record = match record {
                Ok(record) => record,
                Err(error) => return Ok(Some(error)),
            };
            let record = record.with_topic_partition(&self.topic, partition);
            let decoded = self.decoder.decode(&record, &mut self.buf);
            self.totals.records.count(&decoded);
            match decoded {
                Ok(decoded) => {
                    for (kind, row) in decoded.rows() {
                        for (kind, row) in self.normalizer.apply(kind, row, 0)? {
                            printer.change(kind, row, &self.rows)?;
                            self.totals.changes += 1;
                        }
                    }
                }
                Err(error) => {
                    let offset = record.offset.unwrap_or_default();
                    printer.complain(format_args!("{name}: offset {offset}: {error}"))?;
                }
            }
        }
        Ok(None)
    }
}

/// Prints changes as lines of a changelog, or the rows that they leave as one.
pub struct Printer<'a> {
    shown: Shown,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    line: Vec<u8>,
    /// A retraction has the whole row that goes, and so its line.
    table: BTreeSet<Vec<u8>>,
}

impl<'a> Printer<'a> {
    pub fn new(shown: Shown, out: &'a mut dyn Write, err: &'a mut dyn Write) -> Self {
        Self { shown, out, err, line: Vec::new(), table: BTreeSet::new() }
    }

    fn change(&mut self, kind: RowKind, row: &RowBuf, rows: &JsonRows) -> Result<(), Box<dyn Error>> {
        self.line.clear();
        match self.shown {
            Shown::Nothing => {}
            Shown::Changelog => {
                rows.write(kind, row, &mut self.line)?;
                self.line.push(b'\n');
                self.out.write_all(&self.line)?;
            }
            Shown::Table => {
                rows.write(RowKind::Insert, row, &mut self.line)?;
                if kind.is_retraction() {
                    self.table.remove(&self.line);
                } else {
                    self.table.insert(self.line.clone());
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        for line in &self.table {
            self.out.write_all(line)?;
            self.out.write_all(b"\n")?;
        }
        self.out.flush()
    }

    fn complain(&mut self, message: fmt::Arguments<'_>) -> io::Result<()> {
        writeln!(self.err, "{message}")
    }
}
