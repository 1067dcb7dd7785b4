//! Offsets and state in one file: killed at any byte and started again, a reader of a topic has the right table.
//!
//! ```text
//! cargo run --example checkpoint -- FOLDER
//! ```
//!
//! The orders of a topic are added up by region. What the sums need is the row that an order had before, which the
//! normalizer remembers; so sums, normalizer and offsets belong together, and are written together: into a new file, which
//! takes the place of the old one when it is whole and on the disk. The topic is in memory here. Each run reads some of it
//! and stops, as a process does that is killed; the next one goes on where the last checkpoint was.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use bytes::Bytes;
use upsert_kafka::record::RecordBatchBuilder;
use upsert_kafka::{
    ChangelogNormalizer, Datum, DecodeBuf, Limits, RecordBatches, RecordBuf, Row, RowKind, Settings, Table,
    TableSource, partition_for_key,
};

const DDL: &str =
    "CREATE TABLE orders (id BIGINT, region STRING, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'json', 'value.format' = 'json')";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder for the checkpoint")?;
    let topic = topic()?;
    let mut lives = 0;
    loop {
        lives += 1;
        match run(Path::new(&folder), &topic, Life { bytes: 700, syncs: true }) {
            Ok(sums) => {
                println!("after {lives} lives: {sums:?}");
                return Ok(());
            }
            Err(error) => println!("life {lives} ends: {error}"),
        }
    }
}

/// The sums of a table by region.
pub(crate) type Sums = BTreeMap<String, i64>;

/// So many records are read between two checkpoints.
const RECORDS_PER_CHECKPOINT: usize = 12;

/// How long a process lives: the example's way to be killed.
#[derive(Clone, Copy)]
pub(crate) struct Life {
    /// It dies when it has written so many bytes.
    pub(crate) bytes: usize,
    /// Whether it waits for the disk. A process that is to survive the machine does.
    pub(crate) syncs: bool,
}

/// Reads the topic to its end and answers the sums, unless the process dies before that.
pub(crate) fn run(folder: &Path, topic: &Topic, mut life: Life) -> Result<Sums, Box<dyn Error>> {
    let source = Table::from_ddl(DDL)?.source(&Settings::default())?;
    let (decoder, mut buf) = (source.decoder(), DecodeBuf::new());
    let mut reader = Reader::open(folder, &source)?;
    let mut since_checkpoint = 0;
    while let Some((partition, fetched)) = topic.fetch(&reader.offsets) {
        let batch = RecordBatches::new(&fetched, Limits::default()).next().ok_or("a batch")??;
        for record in batch.records_from(reader.offsets[partition]) {
            let record = record?;
            for (kind, row) in decoder.decode(&record, &mut buf)?.rows() {
                for (kind, row) in reader.normalizer.apply(kind, row, 0)? {
                    let (region, amount): (&str, i64) = (row.get(1)?, row.get(2)?);
                    let sum = reader.sums.entry(region.to_owned()).or_default();
                    *sum += if kind.is_retraction() { -amount } else { amount };
                }
            }
            // After the changes, so that the next checkpoint has both or neither.
            reader.offsets[partition] = record.offset.ok_or("an offset")? + 1;
            since_checkpoint += 1;
            if since_checkpoint == RECORDS_PER_CHECKPOINT {
                reader.save(folder, &mut life)?;
                since_checkpoint = 0;
            }
        }
    }
    reader.save(folder, &mut life)?;
    Ok(reader.sums)
}

/// All that a checkpoint holds.
struct Reader {
    /// Of each partition the offset to be read next.
    offsets: Vec<i64>,
    normalizer: ChangelogNormalizer,
    sums: Sums,
}

const CHECKPOINT: &str = "checkpoint";
const UNFINISHED: &str = "checkpoint.unfinished";

impl Reader {
    /// What the last checkpoint has saved. Without one, or if it is damaged, the topic is read from its beginning: a
    /// compacted topic has all that is needed.
    fn open(folder: &Path, source: &TableSource) -> Result<Self, Box<dyn Error>> {
        let beginning =
            || Self { offsets: vec![0; PARTITIONS], normalizer: source.normalizer(), sums: Sums::new() };
        let bytes = match fs::read(folder.join(CHECKPOINT)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(beginning()),
            Err(error) => return Err(error.into()),
        };
        let Some([offsets, sums, normalizer]) = sections(&bytes) else {
            eprintln!("the checkpoint is damaged: the topic is read anew");
            return Ok(beginning());
        };
        let mut reader = Self {
            offsets: serde_json::from_slice(offsets)?,
            sums: serde_json::from_slice(sums)?,
            ..beginning()
        };
        // An error says which column of the table is another one than that of the checkpoint.
        reader.normalizer.restore(normalizer)?;
        Ok(reader)
    }

    /// Writes a new file, brings it to the disk and renames it: whoever reads finds the old checkpoint or the new one.
    fn save(&self, folder: &Path, life: &mut Life) -> Result<(), Box<dyn Error>> {
        let mut normalizer = Vec::new();
        self.normalizer.snapshot(&mut normalizer)?;
        let (offsets, sums) = (serde_json::to_vec(&self.offsets)?, serde_json::to_vec(&self.sums)?);
        let unfinished = folder.join(UNFINISHED);
        let mut file = Mortal { file: File::create(&unfinished)?, life };
        write_sections(&mut file, [&offsets, &sums, &normalizer])?;
        if file.life.syncs {
            file.file.sync_all()?;
        }
        fs::rename(&unfinished, folder.join(CHECKPOINT))?;
        if life.syncs {
            File::open(folder)?.sync_all()?; // the name, too
        }
        Ok(())
    }
}

/// A CRC-32C of what follows it; the sections, each after its length.
fn write_sections(out: &mut impl Write, sections: [&[u8]; 3]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for section in sections {
        bytes.extend_from_slice(&(section.len() as u64).to_le_bytes());
        bytes.extend_from_slice(section);
    }
    out.write_all(&crc32c::crc32c(&bytes).to_le_bytes())?;
    out.write_all(&bytes)
}

/// The sections of a file that is whole.
fn sections(bytes: &[u8]) -> Option<[&[u8]; 3]> {
    let (crc, mut rest) = bytes.split_first_chunk()?;
    if crc32c::crc32c(rest) != u32::from_le_bytes(*crc) {
        return None;
    }
    let mut section = || {
        let (len, after) = rest.split_first_chunk()?;
        let (section, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        rest = after;
        Some(section)
    };
    Some([section()?, section()?, section()?])
}

/// A file of a process that dies.
struct Mortal<'a> {
    file: File,
    life: &'a mut Life,
}

impl Write for Mortal<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(&bytes[..bytes.len().min(self.life.bytes)])?;
        self.life.bytes -= written;
        if written < bytes.len() { Err(io::Error::other("killed while writing")) } else { Ok(written) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

const PARTITIONS: usize = 2;

/// The batches of each partition, as a broker keeps them.
pub(crate) struct Topic(Vec<Vec<(i64, Bytes)>>);

impl Topic {
    /// The batch of a partition that holds the next offset, if there are any more.
    fn fetch(&self, offsets: &[i64]) -> Option<(usize, Bytes)> {
        self.0.iter().zip(offsets).enumerate().find_map(|(partition, (batches, offset))| {
            let (_, batch) = batches.iter().find(|(end, _)| offset < end)?;
            Some((partition, batch.clone()))
        })
    }
}

/// Thirty changes of seven orders, in batches of five records at most.
pub(crate) fn topic() -> Result<Topic, Box<dyn Error>> {
    let encoder = Table::from_ddl(DDL)?.sink(&Settings::default())?.encoder();
    let mut buf = RecordBuf::new();
    let mut topic = Topic(vec![Vec::new(); PARTITIONS]);
    let mut logs: Vec<_> = (0..PARTITIONS).map(|_| (RecordBatchBuilder::new(), 0_i64)).collect();
    for change in 0..30_i64 {
        let kind = if change % 10 == 9 { RowKind::Delete } else { RowKind::UpdateAfter };
        let region = ["EU", "US", "APAC"][usize::try_from(change % 3)?];
        let row = [Datum::BigInt(change * change % 7), Datum::String(region), Datum::BigInt(change)];
        let record = encoder.encode(kind, &row, &mut buf)?.ok_or("a record")?;
        let count = i32::try_from(PARTITIONS)?;
        let partition = usize::try_from(partition_for_key(record.key.ok_or("a key")?, count))?;
        let (batch, next_offset) = &mut logs[partition];
        batch.append(&record.with_timestamp(1_717_200_000_000 + change))?;
        *next_offset += 1;
        if batch.len() == 5 {
            topic.0[partition].push((*next_offset, batch.finish()));
            *batch = RecordBatchBuilder::new().with_base_offset(*next_offset);
        }
    }
    for ((mut batch, next_offset), batches) in logs.into_iter().zip(&mut topic.0) {
        if !batch.is_empty() {
            batches.push((next_offset, batch.finish()));
        }
    }
    Ok(topic)
}
