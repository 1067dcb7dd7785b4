//! A changelog to be written by everybody: payments, of which each key has many versions.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use upsert_kafka::record::{Compression, Producer, RecordBatch};
use upsert_kafka::{
    Datum, Decimal, DecodeBuf, Limits, Record, RecordAccumulator, RecordBuf, Row, RowKind, Settings, Table,
    TableSink, Timestamp, impl_row, partition_for_key,
};

use super::record::{Sent, Stored, text};

/// The table's `CREATE TABLE`, with `$TOPIC` and `$BOOTSTRAP` to be filled in.
const DDL: &str = "CREATE TABLE $TOPIC (
  id BIGINT,
  region STRING,
  version BIGINT,
  amount DECIMAL(12, 2),
  paid_at TIMESTAMP(3),
  rate DOUBLE,
  paid BOOLEAN,
  note STRING,
  PRIMARY KEY (id, region) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = '$TOPIC',
  'properties.bootstrap.servers' = '$BOOTSTRAP',
  'key.format' = 'json',
  'value.format' = 'json'
)";

const KEY: [usize; 2] = [0, 1];
const START_MS: i64 = 1_717_200_000_000;

/// A row of the table.
pub struct Payment {
    pub id: i64,
    pub region: &'static str,
    /// Counts the changes, all of them.
    pub version: i64,
    pub amount: Decimal,
    pub paid_at: Timestamp,
    pub rate: f64,
    pub paid: bool,
    pub note: Option<String>,
}
impl_row!(write Payment { id, region, version, amount, paid_at, rate, paid, note });

/// Changes without end, of so many keys. A ninth of those of living rows are deletes.
pub struct Changes {
    random: Random,
    keys: u64,
    version: i64,
    living: HashSet<u64>,
}

/// Xorshift: the same numbers for the same seed.
pub struct Random(u64);

/// A table that is named as its topic.
pub fn ddl(topic: &str, bootstrap: &str) -> String {
    DDL.replace("$TOPIC", topic).replace("$BOOTSTRAP", bootstrap)
}

fn table() -> Table {
    Table::from_ddl(&ddl("payments", "127.0.0.1:1")).expect("the table is good")
}

fn sink() -> TableSink {
    table().sink(&Settings::default()).expect("the table can be written")
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.draw() >> 16) % end
    }
}

impl Changes {
    pub fn new(seed: u64, keys: u64) -> Self {
        Self { random: Random::new(seed), keys, version: 0, living: HashSet::new() }
    }
}

impl Iterator for Changes {
    type Item = (RowKind, Payment);

    fn next(&mut self) -> Option<Self::Item> {
        let random = &mut self.random;
        let key = random.below(self.keys);
        let kind = if self.living.insert(key) {
            RowKind::Insert
        } else if random.below(9) == 0 {
            self.living.remove(&key);
            RowKind::Delete
        } else {
            RowKind::UpdateAfter
        };
        self.version += 1;
        let digits = random.draw();
        let payment = Payment {
            id: i64::try_from(key).expect("there are not so many keys"),
            region: ["eu", "us", "größer \"Asien\"", ""][(key % 4) as usize],
            version: self.version,
            amount: Decimal::new((digits % 1_000_000_000_000).into(), 2),
            paid_at: Timestamp::from_millis(START_MS + self.version * 7),
            rate: (digits >> 11) as f64 / 1024.0,
            paid: digits.is_multiple_of(2),
            note: (!digits.is_multiple_of(5)).then(|| format!("n° {digits:x} 😀\t\\")),
        };
        Some((kind, payment))
    }
}

/// The records of so many changes, each with a header.
pub fn records(changes: Changes, count: usize) -> Vec<Sent> {
    records_since(START_MS, changes, count)
}

/// The same with timestamps from `start_ms` on.
pub fn records_since(start_ms: i64, changes: Changes, count: usize) -> Vec<Sent> {
    let encoder = sink().encoder();
    let mut buf = RecordBuf::new();
    let record = |(kind, payment): (RowKind, Payment)| {
        let record = encoder.encode(kind, &payment, &mut buf).expect("the row is good").expect("it is no -U");
        let bytes = |part: Option<&[u8]>| part.map(<[u8]>::to_vec);
        Sent {
            timestamp: start_ms + payment.version,
            key: bytes(record.key),
            value: bytes(record.value),
            headers: vec![("version".to_owned(), Some(payment.version.to_be_bytes().to_vec()))],
        }
    };
    changes.take(count).map(record).collect()
}

/// Where the records belong.
pub fn by_partition(records: &[Sent], partitions: i32) -> BTreeMap<i32, Vec<Sent>> {
    let mut by_partition = BTreeMap::<i32, Vec<Sent>>::new();
    for record in records {
        let key = record.key.as_deref().expect("it has a key");
        by_partition.entry(partition_for_key(key, partitions)).or_default().push(record.clone());
    }
    by_partition
}

/// The batches of records, in order.
pub fn batches(
    records: &[Sent],
    partitions: i32,
    compression: Compression,
    producer: Option<Producer>,
    max_batch_bytes: usize,
) -> Vec<(i32, Bytes)> {
    let mut accumulator = RecordAccumulator::new("payments", partitions)
        .with_compression(compression)
        .expect("all features are on")
        .with_max_batch_bytes(max_batch_bytes);
    if let Some(producer) = producer {
        accumulator = accumulator.with_producer(producer);
    }
    let mut batches = Vec::new();
    for sent in records {
        let headers = sent.headers();
        let record = Record::new(sent.key.as_deref(), sent.value.as_deref())
            .with_timestamp(sent.timestamp)
            .with_headers(headers.as_headers());
        accumulator.append_record(&record, 0).expect("the record is good");
        batches.extend(accumulator.drain());
    }
    batches.extend(accumulator.flush().expect("the partitioner knows the topic"));
    batches
}

/// The records in batches, partition by partition.
pub fn records_of(batches: &[(i32, Bytes)]) -> BTreeMap<i32, Vec<Sent>> {
    let mut all = BTreeMap::<i32, Vec<Sent>>::new();
    for (partition, batch) in batches {
        let batch = RecordBatch::parse(batch, Limits::default()).expect("it is ours");
        let records = batch.records().map(|record| Sent::of(&record.expect("it is ours")));
        all.entry(*partition).or_default().extend(records);
    }
    all
}

/// The batches of so many changes, row by row as the example writes them.
pub fn batches_of_changes(changes: Changes, count: usize, partitions: i32) -> Vec<(i32, Bytes)> {
    let mut accumulator = sink().accumulator(partitions);
    let mut batches = Vec::new();
    for (kind, payment) in changes.take(count) {
        accumulator.append(kind, &payment, START_MS + payment.version).expect("the row is good");
        batches.extend(accumulator.drain());
    }
    batches.extend(accumulator.flush().expect("the partitioner knows the topic"));
    batches
}

/// The rows that the records of a topic leave: all its fields, by those of the key.
pub fn rows(stored: &Stored) -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    normalize(stored, |kind, row| {
        let key = fields(row, &KEY);
        match kind {
            RowKind::Insert | RowKind::UpdateAfter => {
                drop(rows.insert(key, fields(row, &[0, 1, 2, 3, 4, 5, 6, 7])))
            }
            RowKind::Delete => drop(rows.remove(&key)),
            RowKind::UpdateBefore => {}
        }
    });
    rows
}

/// The records that write the rows which the records of a topic leave: the values by their keys.
pub fn latest(stored: &Stored) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let encoder = sink().encoder();
    let mut buf = RecordBuf::new();
    let mut latest = BTreeMap::new();
    normalize(stored, |kind, row| {
        let Some(record) = encoder.encode(kind, row, &mut buf).expect("the row was read") else { return };
        let key = record.key.expect("it has a key").to_vec();
        match record.value {
            Some(value) => drop(latest.insert(key, value.to_vec())),
            None if kind == RowKind::Delete => drop(latest.remove(&key)),
            None => {}
        }
    });
    latest
}

/// Reads the records of a topic, and hands over what they change.
fn normalize(stored: &Stored, mut take: impl FnMut(RowKind, &upsert_kafka::RowBuf)) {
    let source = table().source(&Settings::default()).expect("the table can be read");
    let (decoder, mut normalizer, mut buf) = (source.decoder(), source.normalizer(), DecodeBuf::new());
    for (&partition, records) in stored {
        for (offset, sent) in records {
            let headers = sent.headers();
            let record = sent
                .consumer_record(&headers)
                .with_topic_partition("payments", partition)
                .with_offset(*offset);
            for (kind, row) in decoder.decode(&record, &mut buf).expect("the record is good").rows() {
                for (kind, row) in normalizer.apply(kind, row, 0).expect("the row is good") {
                    take(kind, row);
                }
            }
        }
    }
}

/// Columns of a row as `Job.java` prints them, between tabs.
pub fn fields(row: &(impl Row + ?Sized), columns: &[usize]) -> String {
    let field = |&column: &usize| match row.datum(column) {
        Datum::Null => text(None),
        Datum::Boolean(value) => value.to_string(),
        Datum::BigInt(value) => value.to_string(),
        Datum::Double(value) => value.to_bits().to_string(),
        Datum::Decimal(value) => value.unscaled().to_string(),
        Datum::Timestamp(value) => value.millis().to_string(),
        Datum::String(value) => text(Some(value.as_bytes())),
        other => panic!("there is no column of {other:?}"),
    };
    columns.iter().map(field).collect::<Vec<_>>().join("\t")
}
