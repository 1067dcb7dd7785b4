//! A record as it is read. Agrees with Kafka's `org.apache.kafka.clients.consumer.ConsumerRecord`.

use std::fmt;

use super::Headers;
use crate::wire::Shown;

/// A record that was read from a topic: borrowed, with its place in the log.
///
/// A batch knows neither its topic nor its partition: add them with
/// [`with_topic_partition`](Self::with_topic_partition) where metadata columns or a dead letter need them.
/// `{:?}` shows bytes that are text as text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConsumerRecord<'a> {
    /// The key; an empty one is not a null one.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is a tombstone.
    pub value: Option<&'a [u8]>,
    /// The headers in order, duplicates and nulls kept.
    pub headers: Headers<'a>,
    /// The topic; `None` is unknown.
    pub topic: Option<&'a str>,
    /// The partition; `None` is unknown.
    pub partition: Option<i32>,
    /// The offset in the partition; `None` is unknown.
    pub offset: Option<i64>,
    /// The epoch of the partition's leader when it took the record; `None` is unknown.
    pub leader_epoch: Option<i32>,
    /// Milliseconds since 1970 in UTC; `None` is none, as in records older than Kafka 0.10.
    pub timestamp: Option<i64>,
    /// Whose clock the timestamp is from.
    pub timestamp_type: TimestampType,
}

impl<'a> ConsumerRecord<'a> {
    /// A record of which nothing else is known.
    #[must_use]
    pub fn new(key: Option<&'a [u8]>, value: Option<&'a [u8]>) -> Self {
        Self { key, value, ..Self::default() }
    }

    /// The same record, of this topic and partition.
    #[must_use]
    pub fn with_topic_partition(mut self, topic: &'a str, partition: i32) -> Self {
        self.topic = Some(topic);
        self.partition = Some(partition);
        self
    }

    /// The same record at `offset`.
    #[must_use]
    pub fn with_offset(mut self, offset: i64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// The same record, taken by a leader of `epoch`.
    #[must_use]
    pub fn with_leader_epoch(mut self, epoch: i32) -> Self {
        self.leader_epoch = Some(epoch);
        self
    }

    /// The same record at a time, in milliseconds since 1970 in UTC.
    #[must_use]
    pub fn with_timestamp(mut self, timestamp: i64, timestamp_type: TimestampType) -> Self {
        self.timestamp = Some(timestamp);
        self.timestamp_type = timestamp_type;
        self
    }

    /// The same record with `headers`.
    #[must_use]
    pub fn with_headers(mut self, headers: impl Into<Headers<'a>>) -> Self {
        self.headers = headers.into();
        self
    }
}

impl fmt::Debug for ConsumerRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsumerRecord")
            .field("key", &self.key.map(Shown))
            .field("value", &self.value.map(Shown))
            .field("headers", &self.headers)
            .field("topic", &self.topic)
            .field("partition", &self.partition)
            .field("offset", &self.offset)
            .field("leader_epoch", &self.leader_epoch)
            .field("timestamp", &self.timestamp)
            .field("timestamp_type", &self.timestamp_type)
            .finish()
    }
}

/// Whose clock a timestamp is from. Agrees with `org.apache.kafka.common.record.TimestampType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
// Exhaustive: Kafka's three; an attribute bit has no room for more.
pub enum TimestampType {
    /// There is no timestamp: records older than Kafka 0.10.
    NoTimestampType,
    /// The producer's, when the record was made.
    #[default]
    CreateTime,
    /// The broker's, when it took the record.
    LogAppendTime,
}

impl TimestampType {
    /// Kafka's name for it, which is also what Flink's metadata column `timestamp-type` holds.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoTimestampType => "NoTimestampType",
            Self::CreateTime => "CreateTime",
            Self::LogAppendTime => "LogAppendTime",
        }
    }
}
