use std::collections::{BTreeMap, HashSet};
use std::error::Error;

use serde_json::Value;
use upsert_kafka::Limits;
use upsert_kafka::record::RecordBatch;

/// A topic in memory: it takes batches as a broker does, and holds their records as a consumer reads them.
#[derive(Debug, Default)]
pub struct Topic {
    partitions: BTreeMap<i32, Vec<StoredRecord>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredRecord {
    pub partition: i32,
    pub offset: usize,
    pub key: Option<Vec<u8>>,
    /// `None` is a tombstone.
    pub value: Option<Vec<u8>>,
    pub headers: usize,
}

impl Topic {
    pub fn append(&mut self, partition: i32, batch: &[u8]) -> Result<(), upsert_kafka::Error> {
        for record in RecordBatch::parse(batch, Limits::default())?.records() {
            let record = record?;
            let bytes = |part: Option<&[u8]>| part.map(<[u8]>::to_vec);
            self.push(partition, bytes(record.key), bytes(record.value), record.headers.iter().count());
        }
        Ok(())
    }

    /// The topic of a sample: lines of `{"partition": 3, "key": text, "value": text or null}`.
    pub fn read_json(lines: &str) -> Result<Self, Box<dyn Error>> {
        let mut topic = Self::default();
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line)?;
            let partition = record["partition"].as_i64().ok_or("a record has a partition")?;
            let bytes = |part: &str| record[part].as_str().map(|text| text.as_bytes().to_vec());
            topic.push(partition.try_into()?, bytes("key"), bytes("value"), 0);
        }
        Ok(topic)
    }

    /// Partition by partition, in the order of their offsets.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &StoredRecord> {
        self.partitions.values().flatten()
    }

    /// Of each key the last record: what compaction leaves, until it takes the tombstones too.
    pub fn compacted(&self) -> Vec<&StoredRecord> {
        let mut seen = HashSet::new();
        let mut left: Vec<_> =
            self.records().rev().filter(|record| seen.insert((record.partition, &record.key))).collect();
        left.reverse();
        left
    }

    fn push(&mut self, partition: i32, key: Option<Vec<u8>>, value: Option<Vec<u8>>, headers: usize) {
        let log = self.partitions.entry(partition).or_default();
        log.push(StoredRecord { partition, offset: log.len(), key, value, headers });
    }
}
