//! The law of upserts: what a compacted topic folds to is what the changelog adds up to, whenever it is compacted.

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use upsert_kafka::compacted::CompactedLog;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::row::ChangelogBuf;
use upsert_kafka::{DecodeBuf, Limits, RecordBatches, RowBuf, RowKind, Settings, Table, UpdateBefore};

/// Types whose equal values have equal bytes, and few values, so that keys meet.
const KEYS: &[(&str, &[&str])] = &[
    ("INT", &["1", "-2", "2147483647"]),
    ("STRING", &[r#""""#, r#""a""#, r#""\"é\\""#]),
    ("DECIMAL(4, 1)", &[r#""1.0""#, r#""-0.5""#]),
    ("DATE", &[r#""2024-02-29""#, r#""1969-12-31""#]),
];

/// What json gives back as it was.
const VALUES: &[(&str, &[&str])] = &[
    ("BOOLEAN", &["true", "false", "null"]),
    ("BIGINT", &["0", "-9223372036854775808", "null"]),
    ("DOUBLE", &[r#""0.1""#, r#""-1.0E300""#, "null"]),
    ("DECIMAL(38, 18)", &[r#""12345678901234567890.123456789012345678""#, "null"]),
    ("STRING", &[r#""null""#, r#""""#, r#""\u0000\"😀""#, "null"]),
    ("BYTES", &[r#""""#, r#""AP8=""#, "null"]),
    ("TIMESTAMP(9)", &[r#""2024-02-29 12:34:56.123456789""#, "null"]),
    ("TIMESTAMP_LTZ(3)", &[r#""1969-12-31 23:59:59.999Z""#, "null"]),
    ("ARRAY<INT>", &["[]", "[1,null]", "null"]),
    ("MAP<STRING, INT>", &[r#"[["k",1]]"#, r#"[["",null]]"#, "null"]),
    ("ROW<a INT, b ROW<c STRING>>", &[r#"[1,["x"]]"#, "[null,null]", "null"]),
];

#[derive(Clone, Debug)]
struct Scenario {
    /// Places in [`KEYS`] and [`VALUES`].
    keys: Vec<usize>,
    values: Vec<usize>,
    except_key: bool,
    partitions: i32,
    update_pairs: bool,
    max_batch_bytes: usize,
    changes: Vec<(RowKind, Vec<Index>)>,
    /// After so many changes the topic is compacted.
    compacted_after: usize,
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let kinds = vec![RowKind::Insert, RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::Delete];
    let changes = vec((select(kinds), vec(any::<Index>(), 6)), 0..40);
    let columns = (vec(0..KEYS.len(), 1..3), vec(0..VALUES.len(), 1..5), any::<bool>());
    let topic = (1..6_i32, any::<bool>(), 100..1000_usize, 1..20_usize);
    (columns, topic, changes).prop_map(|((keys, values, except_key), topic, changes)| Scenario {
        keys,
        values,
        except_key,
        partitions: topic.0,
        update_pairs: topic.1,
        max_batch_bytes: topic.2,
        changes,
        compacted_after: topic.3,
    })
}

impl Scenario {
    fn columns(&self) -> Vec<(&'static str, &'static [&'static str])> {
        let keys = self.keys.iter().map(|key| KEYS[*key]);
        keys.chain(self.values.iter().map(|value| VALUES[*value])).collect()
    }

    fn table(&self) -> Table {
        let columns = self.columns();
        let columns: Vec<_> = columns
            .iter()
            .enumerate()
            .map(|(place, (data_type, _))| format!("c{place} {data_type}"))
            .collect();
        let keys: Vec<_> = (0..self.keys.len()).map(|place| format!("c{place}")).collect();
        let include = if self.except_key { "EXCEPT_KEY" } else { "ALL" };
        Table::from_ddl(&format!(
            "CREATE TABLE t ({}, PRIMARY KEY ({}) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't', \
             'properties.bootstrap.servers' = 'localhost:9092', 'key.format' = 'json', 'value.format' = 'json', \
             'value.fields-include' = '{include}')",
            columns.join(", "),
            keys.join(", "),
        ))
        .expect("a table")
    }

    fn changelog(&self, table: &Table) -> ChangelogBuf {
        let fields: Vec<_> = table.schema().physical_fields().map(|(_, field)| field).collect();
        let columns = self.columns();
        let lines = self.changes.iter().map(|(kind, choices)| {
            let values: Vec<_> =
                columns.iter().zip(choices).map(|((_, values), choice)| *choice.get(values)).collect();
            format!("[\"{kind}\",[{}]]\n", values.join(","))
        });
        JsonRows::new(fields).read_all(&lines.collect::<String>()).expect("rows of the table")
    }

    /// Encodes the changelog into a topic that is compacted now and then.
    fn write(&self, table: &Table, changelog: &ChangelogBuf) -> CompactedLog {
        let update_before = if self.update_pairs { UpdateBefore::Pairs } else { UpdateBefore::Tombstone };
        let sink = table.sink(&Settings::default().with_update_before(update_before)).expect("a sink");
        let mut batches = sink.accumulator(self.partitions).with_max_batch_bytes(self.max_batch_bytes);
        let mut log = CompactedLog::new(self.partitions, 10);
        for (now_ms, (kind, row)) in (0..).zip(changelog.iter()) {
            batches.append(kind, row, now_ms).expect("a row of the table");
            send(batches.drain(), &mut log);
            if now_ms.unsigned_abs().is_multiple_of(self.compacted_after as u64) {
                log.compact(now_ms);
            }
        }
        send(batches.flush().expect("a partition of the topic"), &mut log);
        log
    }
}

fn send(batches: impl Iterator<Item = (i32, Bytes)>, log: &mut CompactedLog) {
    for (partition, bytes) in batches {
        for batch in RecordBatches::new(&bytes, Limits::default()) {
            for record in batch.expect("our own batch").records() {
                log.append(partition, &record.expect("our own record")).expect("a key");
            }
        }
    }
}

/// A table: the row of each key, both in words.
type Rows = BTreeMap<String, String>;

fn key_of(row: &RowBuf, key_len: usize) -> String {
    format!("{:?}", RowBuf::copy_of(row, key_len))
}

fn apply(rows: &mut Rows, kind: RowKind, row: &RowBuf, key_len: usize) {
    let key = key_of(row, key_len);
    if kind.is_retraction() {
        rows.remove(&key);
    } else {
        rows.insert(key, format!("{row:?}"));
    }
}

/// What the records of the topic fold to: as upserts, and normalised to a changelog, of which each retraction names
/// the row that is there.
fn read(table: &Table, log: &CompactedLog, key_len: usize) -> Rows {
    let source = table.source(&Settings::default()).expect("a source");
    let (decoder, mut normalizer) = (source.decoder(), source.normalizer());
    let (mut upserts, mut normalized) = (Rows::new(), Rows::new());
    let mut buf = DecodeBuf::new();
    for record in log.partitions().flat_map(|partition| log.records(partition)) {
        let decoded = decoder.decode(&record.as_consumer_record(), &mut buf).expect("our own record");
        for (kind, row) in decoded.rows() {
            apply(&mut upserts, kind, row, key_len);
            for (kind, row) in normalizer.apply(kind, row, 0).expect("a flat key") {
                if kind.is_retraction() {
                    assert_eq!(normalized.get(&key_of(row, key_len)), Some(&format!("{row:?}")));
                }
                apply(&mut normalized, kind, row, key_len);
            }
        }
    }
    assert_eq!(upserts, normalized);
    upserts
}

proptest! {
    #[test]
    fn a_compacted_topic_folds_to_what_the_changelog_adds_up_to(scenario in scenario()) {
        let table = scenario.table();
        let changelog = scenario.changelog(&table);
        let key_len = scenario.keys.len();
        let mut expected = Rows::new();
        for (kind, row) in changelog.iter() {
            apply(&mut expected, kind, row, key_len);
        }
        let mut log = scenario.write(&table, &changelog);
        prop_assert_eq!(&read(&table, &log, key_len), &expected);
        // Replaced records go, and when their time is over the tombstones.
        for now_ms in [1000, 2000] {
            log.compact(now_ms);
            prop_assert_eq!(&read(&table, &log, key_len), &expected);
        }
        let left: usize = log.partitions().map(|partition| log.records(partition).count()).sum();
        prop_assert_eq!(left, expected.len());
    }
}
