//! Where reading starts and ends.
//!
//! Agrees with Flink's `StartupMode` and `BoundedMode` of `org.apache.flink.streaming.connectors.kafka.config`.

use std::collections::BTreeMap;

/// Where the reading of a table starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartupMode {
    /// At the first record; always so for `upsert-kafka`.
    Earliest,
    /// After the last record.
    Latest,
    /// At what the consumer group committed.
    GroupOffsets,
    /// At the first record of that time or later, in milliseconds since the epoch.
    Timestamp(i64),
    /// At that offset of each partition; -1 is the latest, -2 the earliest, -3 the committed one.
    SpecificOffsets(BTreeMap<i32, i64>),
}

/// Where the reading of a table ends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BoundedMode {
    /// Nowhere.
    Unbounded,
    /// At the end that a partition had at the start.
    Latest,
    /// At what the consumer group had committed at the start.
    GroupOffsets,
    /// In front of the first record of that time or later, in milliseconds since the epoch.
    Timestamp(i64),
    /// In front of that offset of each partition; one that is not named ends at what the group had committed.
    SpecificOffsets(BTreeMap<i32, i64>),
}
