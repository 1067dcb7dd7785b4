//! A record that outlives the buffers it was made in.

use std::fmt;

use bytes::Bytes;

use super::{HeadersBuf, Record};

/// A [`Record`] that owns what it holds, for a queue, a thread or a retry.
///
/// Making one copies key, value and headers once; cloning it shares key and value and copies the headers.
///
/// ```
/// use upsert_kafka::Record;
///
/// let held = Record::new(Some(b"k"), Some(b"v")).with_timestamp(1_717_200_000_000).into_owned();
/// assert_eq!(held.as_record().value, Some(&b"v"[..]));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnedRecord {
    /// The key; an empty one is not a null one.
    pub key: Option<Bytes>,
    /// The value; `None` is a tombstone.
    pub value: Option<Bytes>,
    /// Milliseconds since 1970 in UTC. `None` leaves it to whoever sends the record.
    pub timestamp: Option<i64>,
    /// The headers in order, duplicates and nulls kept.
    pub headers: HeadersBuf,
    /// The topic, where the row names one.
    pub topic: Option<Box<str>>,
}

impl OwnedRecord {
    /// The record, lent.
    #[must_use]
    pub fn as_record(&self) -> Record<'_> {
        Record {
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            timestamp: self.timestamp,
            headers: self.headers.as_headers(),
            topic: self.topic.as_deref(),
        }
    }
}

impl Record<'_> {
    /// The same record, with bytes of its own.
    #[must_use]
    pub fn into_owned(self) -> OwnedRecord {
        let mut headers = HeadersBuf::new();
        headers.copy_from(&self.headers);
        OwnedRecord {
            key: self.key.map(Bytes::copy_from_slice),
            value: self.value.map(Bytes::copy_from_slice),
            timestamp: self.timestamp,
            headers,
            topic: self.topic.map(Box::from),
        }
    }
}

impl From<Record<'_>> for OwnedRecord {
    fn from(record: Record<'_>) -> Self {
        record.into_owned()
    }
}

impl fmt::Debug for OwnedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_record().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owned_record_lends_what_it_was_made_of() {
        let mut headers = HeadersBuf::new();
        headers.push("a", Some(b"1"));
        headers.push("a", None);
        let full = Record::new(Some(b""), Some(b"v"))
            .with_timestamp(7)
            .with_headers(headers.as_headers())
            .with_topic("t");
        assert_eq!(full.into_owned().as_record(), full);
        assert_eq!(full.into_owned().clone(), full.into());
        let tombstone = Record::tombstone(b"k");
        assert_eq!(tombstone.into_owned().as_record(), tombstone);
        assert_ne!(tombstone.into_owned(), full.into());
    }
}
