//! Log compaction, by the broker's cleaner.

use std::fs;
use std::time::{Duration, Instant};

use upsert_kafka::compacted::{CompactedLog, LogRecord};
use upsert_kafka::record::Compression;
use upsert_kafka_live::kafka::changes::{Changes, batches, records, rows};
use upsert_kafka_live::kafka::clients::{java_consume, read};
use upsert_kafka_live::kafka::kafka_topic::{Isolation, KafkaTopic};
use upsert_kafka_live::kafka::record::{Sent, Stored, assert_same};

use crate::{broker, create};

const PATIENCE: Duration = Duration::from_secs(240);

/// Segments are as small as brokers let them be, and dirty at once.
const COMPACTED: [(&str, &str); 4] = [
    ("cleanup.policy", "compact"),
    ("segment.bytes", "1048576"),
    ("min.cleanable.dirty.ratio", "0.0001"),
    ("max.compaction.lag.ms", "1000"),
];

/// What is appended to the topic and to the model of it.
struct Both {
    name: &'static str,
    topic: KafkaTopic,
    model: CompactedLog,
}

impl Both {
    fn create(name: &'static str, delete_retention_ms: &str) -> Self {
        let retention = [("delete.retention.ms", delete_retention_ms)];
        let topic = create(name, 1, &[&COMPACTED[..], &retention].concat());
        let model = CompactedLog::new(1, delete_retention_ms.parse().expect("a number"));
        Self { name, topic, model }
    }

    fn append(&mut self, sent: &[Sent]) {
        for (partition, batch) in batches(sent, 1, Compression::Snappy, None, 100_000) {
            self.topic.append(partition, &batch).expect("the broker takes it");
        }
        for sent in sent {
            let headers = sent.headers();
            self.model.append(0, &sent.consumer_record(&headers)).expect("it has a key");
        }
    }

    /// The cleaner leaves the segment that is written to alone: its first offset.
    fn active_segment(&self) -> i64 {
        let files =
            fs::read_dir(broker().partition_folder(self.name, 0)).expect("the broker has the partition");
        let base = |path: std::path::PathBuf| {
            path.extension().filter(|extension| *extension == "log")?;
            path.file_stem()?.to_str()?.parse().ok()
        };
        files.filter_map(|file| base(file.ok()?.path())).max().expect("it has a segment")
    }

    fn read(&self) -> Stored {
        read(&broker().address, self.name, Isolation::ReadUncommitted)
    }

    /// What the model holds, with offsets, as far as `wanted`.
    fn model(&self, wanted: impl Fn(i64, bool) -> bool) -> Vec<(i64, Sent)> {
        let records = self.model.records(0).filter(|record| wanted(record.offset, record.value.is_some()));
        records.map(|record: &LogRecord| (record.offset, Sent::of(&record.as_consumer_record()))).collect()
    }

    /// Waits until the broker holds what the model does.
    fn wait_until_equal(&self, wanted: impl Fn(i64, bool) -> bool + Copy) -> usize {
        let model = self.model(wanted);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let stored = self.read().remove(&0).expect("it has one partition");
            let stored: Vec<_> = stored
                .into_iter()
                .filter(|(offset, record)| wanted(*offset, record.value.is_some()))
                .collect();
            if stored == model {
                return stored.len();
            }
            if Instant::now() > deadline {
                let index = (0..).find(|&index| stored.get(index) != model.get(index)).expect("they differ");
                panic!(
                    "the broker has {} records, the model {}; number {index} is {:?} and {:?}",
                    stored.len(),
                    model.len(),
                    stored.get(index),
                    model.get(index)
                );
            }
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

#[test]
fn the_broker_compacts_as_the_model_does_and_the_table_stays() {
    let mut both = Both::create("compacted", "86400000");
    let sent = records(Changes::new(6, 400), 60_000);
    both.append(&sent);
    let before =
        rows(&(0..1).map(|partition| (partition, (0..).zip(sent.iter().cloned()).collect())).collect());
    let active = both.active_segment();
    assert!(active > 0, "there are several segments");
    both.model.compact_below(0, active, 0);
    let left = both.wait_until_equal(|_, _| true);
    assert!(left < sent.len() / 2, "{left} records are left");
    println!("compaction: {} records written, {left} left, {active} below the active segment", sent.len());

    let stored = both.read();
    assert_eq!(rows(&stored), before);
    let address = &broker().address;
    let by_java = java_consume(address, "read_uncommitted", &["compacted"]).remove("compacted");
    assert_same("java", &by_java.expect("it has records"), &stored);
}

#[test]
fn tombstones_go_with_the_next_compaction_after_their_retention() {
    let mut both = Both::create("tombstones", "0");
    let sent = records(Changes::new(7, 400), 60_000);
    both.append(&sent[..30_000]);
    let first = both.active_segment();
    both.model.compact_below(0, first, 0);
    // How often the cleaner has come by so far, and so what is left of the tombstones, is its business.
    both.wait_until_equal(|_, is_value| is_value);
    both.append(&sent[30_000..]);
    let second = both.active_segment();
    both.model.compact_below(0, second, 1);
    both.wait_until_equal(|offset, is_value| is_value || offset < first);
    let tombstones = both.model(|offset, is_value| offset < first && !is_value);
    assert_eq!(tombstones, [], "the model's are gone too");
}
