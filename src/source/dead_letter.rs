use std::error::Error as _;

use crate::error::{Error, ErrorKind};
use crate::record::{ConsumerRecord, HeadersBuf, Record};

use super::SkipReason;

/// A record that gave no row, on its way to a topic for such records: the raw record, and why.
///
/// The headers are those of Kafka Connect, so that what reads Connect's dead letter queues reads these too.
/// Agrees with `org.apache.kafka.connect.runtime.errors.DeadLetterQueueReporter`.
#[derive(Clone, Debug)]
pub struct DeadLetter<'a> {
    record: ConsumerRecord<'a>,
    reason: String,
    column_path: Option<String>,
    headers: HeadersBuf,
}

impl<'a> DeadLetter<'a> {
    /// The letter of a record that failed.
    #[must_use]
    pub fn of_error(record: &ConsumerRecord<'a>, error: &Error) -> Self {
        let class = match error.kind() {
            ErrorKind::Data | ErrorKind::Limit => "org.apache.kafka.connect.errors.DataException",
            _ => "org.apache.kafka.connect.errors.ConnectException",
        };
        let mut letter = Self::new(record, error.to_string(), error.column_path(), class);
        if let Some(cause) = error.source() {
            letter.push("exception.stacktrace", &cause.to_string());
        }
        letter
    }

    /// The letter of a record that was skipped.
    #[must_use]
    pub fn of_skip(record: &ConsumerRecord<'a>, reason: SkipReason) -> Self {
        let class = "org.apache.kafka.connect.errors.DataException";
        Self::new(record, reason.message().to_owned(), None, class)
    }

    fn new(record: &ConsumerRecord<'a>, reason: String, column_path: Option<String>, class: &str) -> Self {
        let mut headers = HeadersBuf::new();
        headers.copy_from(&record.headers);
        let mut letter = Self { record: *record, reason, column_path, headers };
        if let Some(topic) = record.topic {
            letter.push("topic", topic);
        }
        if let Some(partition) = record.partition {
            letter.push("partition", &partition.to_string());
        }
        if let Some(offset) = record.offset {
            letter.push("offset", &offset.to_string());
        }
        letter.push("exception.class.name", class);
        let message = letter.reason.clone();
        letter.push("exception.message", &message);
        letter
    }

    fn push(&mut self, name: &str, value: &str) {
        self.headers.push(&format!("__connect.errors.{name}"), Some(value.as_bytes()));
    }

    /// Why the record gave no row.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The column at fault, and the place inside it, if one is.
    #[must_use]
    pub fn column_path(&self) -> Option<&str> {
        self.column_path.as_deref()
    }

    /// The record to write: key, value and timestamp as they were read, the old headers and Connect's after them.
    #[must_use]
    pub fn record(&self) -> Record<'_> {
        let record = Record::new(self.record.key, self.record.value);
        let mut record = record.with_headers(self.headers.as_headers());
        record.timestamp = self.record.timestamp.filter(|timestamp| *timestamp >= 0);
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names are those of Kafka Connect (KIP-298).
    #[test]
    fn a_dead_letter_says_in_connects_headers_where_it_is_from_and_why() {
        let record = ConsumerRecord::new(Some(b"k"), Some(b"{")).with_topic_partition("t", 3).with_offset(7);
        let error = Error::new(ErrorKind::Data, "no").in_column("a").with_offset(2);
        let letter = DeadLetter::of_error(&record, &error);
        let headers: Vec<_> =
            letter.record().headers.iter().map(|header| header.name().into_owned()).collect();
        assert_eq!(
            headers,
            [
                "__connect.errors.topic",
                "__connect.errors.partition",
                "__connect.errors.offset",
                "__connect.errors.exception.class.name",
                "__connect.errors.exception.message"
            ]
        );
        assert_eq!(letter.record().headers.last("__connect.errors.offset").unwrap().value(), Some(&b"7"[..]));
        assert_eq!(letter.reason(), "column `a`, byte 2: no");
        assert_eq!((letter.record().key, letter.record().value), (Some(&b"k"[..]), Some(&b"{"[..])));
    }
}
