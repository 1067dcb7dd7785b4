use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Part};
use crate::record::{ConsumerRecord, HeadersBuf, TimestampType};

/// The records of a topic with `cleanup.policy` = `compact`, partition by partition, in memory.
///
/// Appending assigns offsets; compacting removes what a newer record of the same key has replaced and, after their
/// retention, tombstones. A broker does so whenever it likes, and what a reader makes of the topic must not depend on
/// it: this model lets a test choose the moments.
///
/// ```
/// use upsert_kafka::ConsumerRecord;
/// use upsert_kafka::compacted::CompactedLog;
///
/// let mut log = CompactedLog::new(1, 1000);
/// log.append(0, &ConsumerRecord::new(Some(b"a"), Some(b"1")))?;
/// log.append(0, &ConsumerRecord::new(Some(b"b"), Some(b"2")))?;
/// log.append(0, &ConsumerRecord::new(Some(b"a"), None))?;
/// assert_eq!(log.compact(0), 1);
/// assert_eq!(log.records(0).map(|record| record.offset).collect::<Vec<_>>(), [1, 2]);
/// assert_eq!(log.compact(1000), 1, "the tombstone, when its retention is over");
/// assert_eq!(log.table(0).keys().collect::<Vec<_>>(), ["b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CompactedLog {
    partitions: Vec<Partition>,
    delete_retention_ms: i64,
}

/// A record in a [`CompactedLog`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogRecord {
    /// Its place in the partition, which never changes.
    pub offset: i64,
    /// The key.
    pub key: Bytes,
    /// The value; `None` is a tombstone.
    pub value: Option<Bytes>,
    /// The headers.
    pub headers: HeadersBuf,
    /// Milliseconds since 1970 in UTC; `None` is none.
    pub timestamp: Option<i64>,
    /// Whose clock the timestamp is from.
    pub timestamp_type: TimestampType,
}

impl LogRecord {
    /// The record as a reader gets it; topic and partition are for the caller to add.
    #[must_use]
    pub fn as_consumer_record(&self) -> ConsumerRecord<'_> {
        ConsumerRecord {
            headers: self.headers.as_headers(),
            offset: Some(self.offset),
            timestamp: self.timestamp,
            timestamp_type: self.timestamp_type,
            ..ConsumerRecord::new(Some(&self.key), self.value.as_deref())
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Partition {
    kept: Vec<Kept>,
    end_offset: i64,
}

#[derive(Clone, Debug)]
struct Kept {
    record: LogRecord,
    /// From when on a tombstone may go: set by the first compaction that sees it.
    delete_horizon_ms: Option<i64>,
}

impl CompactedLog {
    /// An empty topic whose tombstones stay `delete_retention_ms` milliseconds after the first compaction that comes
    /// upon them: `delete.retention.ms`, a day by default.
    ///
    /// # Panics
    ///
    /// If `partitions` is not above 0.
    #[must_use]
    pub fn new(partitions: i32, delete_retention_ms: u32) -> Self {
        assert!(partitions > 0, "a topic has at least one partition");
        let partitions = (0..partitions).map(|_| Partition::default()).collect();
        Self { partitions, delete_retention_ms: delete_retention_ms.into() }
    }

    /// The numbers of the partitions.
    #[expect(clippy::missing_panics_doc, reason = "their number was an i32")]
    pub fn partitions(&self) -> impl Iterator<Item = i32> + use<> {
        0..i32::try_from(self.partitions.len()).expect("made from an i32")
    }

    /// Appends a copy of a record, its key, value, headers and timestamp, and answers its offset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Data`] if the key is null, which a compacted topic refuses.
    ///
    /// # Panics
    ///
    /// If there is no such partition.
    pub fn append(&mut self, partition: i32, record: &ConsumerRecord<'_>) -> Result<i64, Error> {
        let key = record.key.ok_or_else(|| {
            Error::new(ErrorKind::Data, "Compacted topic cannot accept message without key")
                .with_part(Part::Key)
        })?;
        let partition = self.partition_mut(partition);
        let offset = partition.end_offset;
        let mut headers = HeadersBuf::new();
        headers.copy_from(&record.headers);
        let record = LogRecord {
            offset,
            key: Bytes::copy_from_slice(key),
            value: record.value.map(Bytes::copy_from_slice),
            headers,
            timestamp: record.timestamp,
            timestamp_type: record.timestamp_type,
        };
        partition.kept.push(Kept { record, delete_horizon_ms: None });
        partition.end_offset += 1;
        Ok(offset)
    }

    /// Compacts every partition up to its end at the time `now_ms` and answers how many records went.
    pub fn compact(&mut self, now_ms: i64) -> usize {
        self.partitions().map(|partition| self.compact_below(partition, i64::MAX, now_ms)).sum()
    }

    /// Compacts the records of a partition whose offsets are below `offset`, as a cleaner that leaves the active
    /// segment alone, and answers how many went.
    ///
    /// Only the newest of these records of each key stays; tombstones whose retention is over go too.
    ///
    /// # Panics
    ///
    /// If there is no such partition.
    pub fn compact_below(&mut self, partition: i32, offset: i64, now_ms: i64) -> usize {
        let retention_ends = now_ms.saturating_add(self.delete_retention_ms);
        let kept = &mut self.partition_mut(partition).kept;
        let before = kept.len();
        let cleanable = kept.iter().filter(|kept| kept.record.offset < offset);
        let newest: HashMap<_, _> =
            cleanable.map(|Kept { record, .. }| (record.key.clone(), record.offset)).collect();
        kept.retain_mut(|Kept { record, delete_horizon_ms }| {
            if record.offset >= offset {
                return true;
            }
            let is_newest = newest.get(&record.key) == Some(&record.offset);
            let is_retained = record.value.is_some()
                || match delete_horizon_ms {
                    Some(horizon) => now_ms < *horizon,
                    None => true,
                };
            delete_horizon_ms.get_or_insert(retention_ends);
            is_newest && is_retained
        });
        before - kept.len()
    }

    /// The records that a reader of the partition finds, in the order of their offsets.
    ///
    /// # Panics
    ///
    /// If there is no such partition.
    pub fn records(&self, partition: i32) -> impl Iterator<Item = &LogRecord> {
        self.partition(partition).kept.iter().map(|kept| &kept.record)
    }

    /// What the records of the partition add up to: the last value of each key that does not end in a tombstone.
    ///
    /// # Panics
    ///
    /// If there is no such partition.
    #[must_use]
    pub fn table(&self, partition: i32) -> BTreeMap<Bytes, Bytes> {
        let mut table = BTreeMap::new();
        for LogRecord { key, value, .. } in self.records(partition) {
            match value {
                Some(value) => table.insert(key.clone(), value.clone()),
                None => table.remove(key),
            };
        }
        table
    }

    fn partition(&self, partition: i32) -> &Partition {
        let partition = usize::try_from(partition).ok().and_then(|index| self.partitions.get(index));
        partition.expect("the topic has such a partition")
    }

    fn partition_mut(&mut self, partition: i32) -> &mut Partition {
        let partition = usize::try_from(partition).ok().and_then(|index| self.partitions.get_mut(index));
        partition.expect("the topic has such a partition")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::Header;

    const RETENTION_MS: u32 = 10;

    fn log() -> CompactedLog {
        CompactedLog::new(1, RETENTION_MS)
    }

    fn append(log: &mut CompactedLog, key: u8, value: Option<u8>) -> i64 {
        let value = value.map(|byte| [byte]);
        log.append(0, &ConsumerRecord::new(Some(&[key]), value.as_ref().map(<[u8; 1]>::as_slice))).unwrap()
    }

    fn offsets(log: &CompactedLog) -> Vec<i64> {
        log.records(0).map(|record| record.offset).collect()
    }

    #[test]
    fn the_newest_record_of_each_key_stays_at_its_offset() {
        let mut log = log();
        for (key, value) in [(1, 1), (2, 1), (1, 2), (3, 1), (2, 2)] {
            append(&mut log, key, Some(value));
        }
        assert_eq!(log.compact(0), 2);
        assert_eq!(offsets(&log), [2, 3, 4]);
        assert_eq!(append(&mut log, 3, Some(2)), 5, "offsets go on");
        assert_eq!(log.compact(0), 1);
        assert_eq!(offsets(&log), [2, 4, 5]);
    }

    #[test]
    fn a_tombstone_stays_for_its_retention_after_the_first_compaction() {
        // KIP-534.
        let mut log = log();
        append(&mut log, 1, Some(1));
        append(&mut log, 1, None);
        assert_eq!(log.compact(100), 1, "what it deletes goes at once");
        assert_eq!(log.compact(109), 0);
        assert_eq!(log.compact(110), 1);
        assert_eq!(offsets(&log), [0; 0]);
    }

    #[test]
    fn the_records_from_an_offset_on_are_left_alone() {
        let mut log = log();
        for value in [Some(1), Some(2), None, Some(3)] {
            append(&mut log, 1, value);
        }
        assert_eq!(log.compact_below(0, 2, 0), 1);
        assert_eq!(offsets(&log), [1, 2, 3]);
    }

    #[test]
    fn a_null_key_is_refused() {
        let mut log = log();
        let error = log.append(0, &ConsumerRecord::new(None, Some(b""))).unwrap_err();
        assert_eq!(error.to_string(), "key: Compacted topic cannot accept message without key");
        assert_eq!(append(&mut log, 1, None), 0);
    }

    #[test]
    fn a_record_is_read_back_as_it_was_appended() {
        let headers = [Header::new("h", Some(b"1")), Header::new("h", None)];
        let record = ConsumerRecord::new(Some(b"k"), Some(b"v"))
            .with_headers(&headers)
            .with_timestamp(7, TimestampType::LogAppendTime);
        let mut log = log();
        append(&mut log, 1, None);
        assert_eq!(log.append(0, &record).unwrap(), 1);
        log.compact(0);
        assert_eq!(log.records(0).last().unwrap().as_consumer_record(), record.with_offset(1));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Append(u8, Option<u8>),
        Compact { below: i64, after_ms: i64 },
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (0..5_u8, any::<Option<u8>>()).prop_map(|(key, value)| Step::Append(key, value)),
            1 => (0..80_i64, 0..20_i64).prop_map(|(below, after_ms)| Step::Compact { below, after_ms }),
        ];
        prop::collection::vec(step, 0..80)
    }

    proptest! {
        /// The model is the list of all records, of which nothing ever goes.
        #[test]
        fn compaction_loses_nothing_that_a_reader_adds_up(steps in steps()) {
            let mut log = log();
            let mut all: Vec<(u8, Option<u8>)> = Vec::new();
            let mut now_ms = 0;
            for step in steps {
                match step {
                    Step::Append(key, value) => {
                        append(&mut log, key, value);
                        all.push((key, value));
                    }
                    Step::Compact { below, after_ms } => {
                        now_ms += after_ms;
                        log.compact_below(0, below, now_ms);
                    }
                }
                let mut table = BTreeMap::new();
                for key in 0..5 {
                    let last = all.iter().rev().find(|record| record.0 == key);
                    if let Some((_, Some(value))) = last {
                        table.insert(Bytes::copy_from_slice(&[key]), Bytes::copy_from_slice(&[*value]));
                    }
                }
                prop_assert_eq!(log.table(0), table);
                for record in log.records(0) {
                    let (key, value) = all[usize::try_from(record.offset).unwrap()];
                    prop_assert_eq!(&record.key[..], &[key]);
                    prop_assert_eq!(record.value.as_deref(), value.as_slice().first().map(std::slice::from_ref));
                }
                prop_assert!(offsets(&log).is_sorted_by(|one, next| one < next));
            }
            log.compact(now_ms);
            let keys: Vec<_> = log.records(0).map(|record| record.key.clone()).collect();
            let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
            prop_assert_eq!(keys.len(), distinct.len());
        }
    }
}
