use std::ops::{Add, AddAssign};

use crate::error::{Error, ErrorKind};
use crate::row::RowKind;

use super::{Decoded, SkipReason};

/// How many records became what, and how many rows of each kind they gave: plain counters for whatever metrics there are.
///
/// Those of several threads or partitions are added up with `+=`.
///
/// ```
/// use upsert_kafka::source::DecodeStats;
/// # use upsert_kafka::{ConsumerRecord, DecodeBuf, Settings, Table};
/// # let table = Table::from_ddl(
/// #     "CREATE TABLE log (line STRING) WITH ('connector' = 'kafka', 'topic' = 'log', 'format' = 'raw',
/// #      'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset')",
/// # )?;
/// # let decoder = table.source(&Settings::default())?.decoder();
/// # let (mut buf, records) = (DecodeBuf::new(), [ConsumerRecord::new(None, Some(b"a line"))]);
///
/// let mut stats = DecodeStats::default();
/// for record in &records {
///     let decoded = decoder.decode(record, &mut buf);
///     stats.count(&decoded);
/// }
/// for (name, count) in stats.iter().filter(|(_, count)| *count > 0) {
///     println!("kafka_source_{name}_total {count}"); // kafka_source_records_total 1, kafka_source_rows_insert_total 1
/// }
/// # assert_eq!(stats.rows_of(upsert_kafka::RowKind::Insert), 1);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeStats {
    rows: [u64; ROWS.len()],
    decoded: u64,
    skipped: [u64; SKIPPED.len()],
    failed: [u64; FAILED.len()],
}

/// The counters of rows, in the order of the kinds.
const ROWS: [(RowKind, &str); 4] = [
    (RowKind::Insert, "rows_insert"),
    (RowKind::UpdateBefore, "rows_update_before"),
    (RowKind::UpdateAfter, "rows_update_after"),
    (RowKind::Delete, "rows_delete"),
];

/// The counters of records that were skipped.
const SKIPPED: [(SkipReason, &str); 11] = [
    (SkipReason::NoKey, "skipped_no_key"),
    (SkipReason::UnreadableKey, "skipped_unreadable_key"),
    (SkipReason::NoValue, "skipped_no_value"),
    (SkipReason::UnreadableValue, "skipped_unreadable_value"),
    (SkipReason::Filtered, "skipped_filtered"),
    (SkipReason::NullInKey, "skipped_null_in_key"),
    (SkipReason::Truncated, "skipped_truncated"),
    (SkipReason::Message, "skipped_message"),
    (SkipReason::Transaction, "skipped_transaction"),
    (SkipReason::SchemaChange, "skipped_schema_change"),
    (SkipReason::Heartbeat, "skipped_heartbeat"),
];

/// The counters of records that failed.
const FAILED: [(ErrorKind, &str); 11] = [
    (ErrorKind::Syntax, "failed_syntax"),
    (ErrorKind::Table, "failed_table"),
    (ErrorKind::Row, "failed_row"),
    (ErrorKind::Data, "failed_data"),
    (ErrorKind::Batch, "failed_batch"),
    (ErrorKind::State, "failed_state"),
    (ErrorKind::Limit, "failed_limit"),
    (ErrorKind::Feature, "failed_feature"),
    (ErrorKind::Unavailable, "failed_unavailable"),
    (ErrorKind::NoSchema, "failed_no_schema"),
    (ErrorKind::Refused, "failed_refused"),
];

impl DecodeStats {
    /// Counts what a decoder answered. Looks at the kind of each row.
    pub fn count(&mut self, outcome: &Result<Decoded<'_>, Error>) {
        match outcome {
            Ok(Decoded::Rows(rows)) => {
                self.decoded += 1;
                rows.iter().for_each(|(kind, _)| self.rows[usize::from(kind.as_u8())] += 1);
            }
            Ok(Decoded::Skipped(reason)) => add_to(&mut self.skipped, &SKIPPED, *reason),
            Err(error) => add_to(&mut self.failed, &FAILED, error.kind()),
        }
    }

    /// Records, whatever became of them.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.decoded + self.skipped() + self.failed()
    }

    /// Rows of all kinds.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// Rows of that kind.
    #[must_use]
    pub fn rows_of(&self, kind: RowKind) -> u64 {
        self.rows[usize::from(kind.as_u8())]
    }

    /// Records that gave no row although nothing failed.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped.iter().sum()
    }

    /// Records that were skipped for that reason.
    #[must_use]
    pub fn skipped_for(&self, reason: SkipReason) -> u64 {
        count_of(&self.skipped, &SKIPPED, reason)
    }

    /// Records that failed. One that was tried twice counts twice.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.failed.iter().sum()
    }

    /// Records that failed with an error of that kind.
    #[must_use]
    pub fn failed_with(&self, kind: ErrorKind) -> u64 {
        count_of(&self.failed, &FAILED, kind)
    }

    /// All counters by name, those that are 0 too: `records`, then `rows_*`, `skipped_*` and `failed_*`, always in the
    /// same order. A name is in `snake_case` and never changes; other names may join them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let rows = ROWS.iter().map(|(_, name)| *name).zip(self.rows);
        let skipped = SKIPPED.iter().map(|(_, name)| *name).zip(self.skipped);
        let failed = FAILED.iter().map(|(_, name)| *name).zip(self.failed);
        std::iter::once(("records", self.records())).chain(rows).chain(skipped).chain(failed)
    }
}

fn add_to<T: PartialEq, const N: usize>(counts: &mut [u64; N], names: &[(T, &str); N], what: T) {
    if let Some((count, _)) = counts.iter_mut().zip(names).find(|(_, (named, _))| *named == what) {
        *count += 1;
    }
}

fn count_of<T: PartialEq, const N: usize>(counts: &[u64; N], names: &[(T, &str); N], what: T) -> u64 {
    counts.iter().zip(names).find(|(_, (named, _))| *named == what).map_or(0, |(count, _)| *count)
}

impl AddAssign for DecodeStats {
    fn add_assign(&mut self, other: Self) {
        self.decoded += other.decoded;
        let mine = self.rows.iter_mut().chain(&mut self.skipped).chain(&mut self.failed);
        let others = other.rows.iter().chain(&other.skipped).chain(&other.failed);
        mine.zip(others).for_each(|(mine, other)| *mine += other);
    }
}

impl Add for DecodeStats {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::ChangelogBuf;

    #[test]
    fn a_counter_is_named_for_what_it_counts() {
        for (at, (kind, name)) in ROWS.into_iter().enumerate() {
            assert_eq!(
                (usize::from(kind.as_u8()), name),
                (at, &*format!("rows_{}", kind.name().to_lowercase()))
            );
        }
        assert!(SKIPPED.iter().all(|(reason, name)| name.strip_prefix("skipped_") == Some(reason.as_str())));
        assert!(FAILED.iter().all(|(kind, name)| name.strip_prefix("failed_") == Some(kind.as_str())));
    }

    /// The names of a Rust enum's variants, as its source lists them.
    fn variants(source: &str, name: &str) -> usize {
        let body =
            source.split(&format!("pub enum {name} {{\n")).nth(1).and_then(|rest| rest.split("\n}").next());
        let lines = body.unwrap_or_default().lines().map(str::trim);
        lines.filter(|line| line.starts_with(char::is_uppercase)).count()
    }

    #[test]
    fn every_reason_and_every_kind_of_error_has_a_counter() {
        assert_eq!(variants(include_str!("decoded.rs"), "SkipReason"), SKIPPED.len());
        assert_eq!(variants(include_str!("../error.rs"), "ErrorKind"), FAILED.len());
    }

    #[test]
    fn what_threads_have_counted_adds_up() {
        let mut rows = ChangelogBuf::new();
        rows.push(RowKind::UpdateBefore, 1);
        rows.push(RowKind::UpdateAfter, 1);
        let (mut one, mut other) = (DecodeStats::default(), DecodeStats::default());
        one.count(&Ok(Decoded::Rows(&rows)));
        one.count(&Ok(Decoded::Skipped(SkipReason::NoKey)));
        other.count(&Err(Error::new(ErrorKind::Unavailable, "away")));
        other.count(&Ok(Decoded::Rows(&rows)));
        let mut sum = one;
        sum += other;
        assert_eq!(sum, one + other);
        assert_eq!((sum.records(), sum.rows(), sum.skipped(), sum.failed()), (4, 4, 1, 1));
        assert_eq!(sum.failed_with(ErrorKind::Unavailable), 1);
        let counted: Vec<_> = sum.iter().filter(|(_, count)| *count > 0).collect();
        let expected = [
            ("records", 4),
            ("rows_update_before", 2),
            ("rows_update_after", 2),
            ("skipped_no_key", 1),
            ("failed_unavailable", 1),
        ];
        assert_eq!(counted, expected);
    }
}
