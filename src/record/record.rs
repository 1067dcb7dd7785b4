//! One record. Agrees with Kafka's `org.apache.kafka.clients.producer.ProducerRecord`.

use std::fmt;

use super::Headers;
use crate::wire::Shown;

/// A record on its way to Kafka: borrowed key and value, a timestamp, headers. `{:?}` shows bytes that are text as text.
///
/// ```
/// use upsert_kafka::Record;
///
/// let upsert = Record::new(Some(b"k"), Some(b"v")).with_timestamp(1_717_200_000_000);
/// let delete = Record::tombstone(b"k");
/// assert_eq!((upsert.value, delete.value), (Some(&b"v"[..]), None));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The key; an empty one is not a null one.
    pub key: Option<&'a [u8]>,
    /// The value; `None` is a tombstone, which deletes the key. An empty value deletes nothing.
    pub value: Option<&'a [u8]>,
    /// Milliseconds since 1970 in UTC. `None` leaves it to whoever sends the record.
    pub timestamp: Option<i64>,
    /// The headers in order, duplicates and nulls kept.
    pub headers: Headers<'a>,
    /// The topic, where the row names one; else it is the table's only topic.
    pub topic: Option<&'a str>,
}

impl<'a> Record<'a> {
    /// A record without a timestamp, headers or a topic of its own.
    #[must_use]
    pub fn new(key: Option<&'a [u8]>, value: Option<&'a [u8]>) -> Self {
        Self { key, value, ..Self::default() }
    }

    /// The record that deletes `key`.
    #[must_use]
    pub fn tombstone(key: &'a [u8]) -> Self {
        Self::new(Some(key), None)
    }

    /// The same record at `timestamp`, in milliseconds since 1970 in UTC.
    #[must_use]
    pub fn with_timestamp(mut self, timestamp: i64) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// The same record with `headers`.
    #[must_use]
    pub fn with_headers(mut self, headers: impl Into<Headers<'a>>) -> Self {
        self.headers = headers.into();
        self
    }

    /// The same record for `topic`.
    #[must_use]
    pub fn with_topic(mut self, topic: &'a str) -> Self {
        self.topic = Some(topic);
        self
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("key", &self.key.map(Shown))
            .field("value", &self.value.map(Shown))
            .field("timestamp", &self.timestamp)
            .field("headers", &self.headers)
            .field("topic", &self.topic)
            .finish()
    }
}
