use std::error::Error as _;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Part};
use crate::record::{ConsumerRecord, Header, Headers, HeadersBuf, Record};

use super::SkipReason;

/// A record that gave no row, on its way to a topic for such records, or back from there: the raw record, and why.
///
/// It owns what it holds: making one copies the record once. The headers are those of Kafka Connect, so that what reads
/// Connect's dead letter queues reads these too, with two of our own that Connect has no name for:
/// `__upsert_kafka.errors.kind` and `__upsert_kafka.errors.column`. Agrees with
/// `org.apache.kafka.connect.runtime.errors.DeadLetterQueueReporter`.
///
/// An error that [is transient](Error::is_transient) says nothing about the record: try again, and do not set it aside.
///
/// ```
/// use upsert_kafka::source::DeadLetter;
/// use upsert_kafka::{ConsumerRecord, Error, ErrorKind};
///
/// let record = ConsumerRecord::new(Some(b"k"), Some(b"{")).with_topic_partition("orders", 3).with_offset(7);
/// let letter = DeadLetter::of_error(&record, &Error::new(ErrorKind::Data, "the value ends too early"));
/// let sent = letter.record().with_topic("orders.dead"); // for an accumulator, or a client that takes records
///
/// let consumed = ConsumerRecord::new(sent.key, sent.value).with_headers(sent.headers);
/// let letter = DeadLetter::read(&consumed).expect("it has the headers");
/// assert_eq!((letter.kind(), letter.reason()), ("data", "the value ends too early"));
/// assert_eq!(letter.original(), record); // to be decoded again
/// ```
#[derive(Clone, Debug)]
pub struct DeadLetter {
    key: Option<Bytes>,
    value: Option<Bytes>,
    timestamp: Option<i64>,
    /// Those that the record had.
    original: HeadersBuf,
    /// The same, and those that say where it was and why it is here.
    headers: HeadersBuf,
    topic: Option<String>,
    partition: Option<i32>,
    offset: Option<i64>,
    kind: String,
    reason: String,
    column_path: Option<String>,
}

/// What the names of Connect's headers begin with.
const CONNECT: &str = "__connect.errors.";
/// What the names of ours begin with.
const OURS: &str = "__upsert_kafka.errors.";

const TOPIC: &str = "__connect.errors.topic";
const PARTITION: &str = "__connect.errors.partition";
const OFFSET: &str = "__connect.errors.offset";
const STAGE: &str = "__connect.errors.stage";
const CLASS_NAME: &str = "__connect.errors.exception.class.name";
const MESSAGE: &str = "__connect.errors.exception.message";
const STACK_TRACE: &str = "__connect.errors.exception.stacktrace";
const KIND: &str = "__upsert_kafka.errors.kind";
const COLUMN: &str = "__upsert_kafka.errors.column";

const DATA_EXCEPTION: &str = "org.apache.kafka.connect.errors.DataException";
const CONNECT_EXCEPTION: &str = "org.apache.kafka.connect.errors.ConnectException";

impl DeadLetter {
    /// The letter of a record that failed.
    #[must_use]
    pub fn of_error(record: &ConsumerRecord<'_>, error: &Error) -> Self {
        let mut letter = Self::new(record, record.headers, error.kind().as_str(), error.to_string());
        letter.column_path = error.column_path();
        letter.push_place();
        match error.part() {
            Some(Part::Key) => letter.push(STAGE, "KEY_CONVERTER"),
            Some(Part::Value) => letter.push(STAGE, "VALUE_CONVERTER"),
            Some(Part::Headers) => letter.push(STAGE, "HEADER_CONVERTER"),
            Some(Part::Timestamp | Part::Topic) | None => {}
        }
        letter.push_reason(match error.kind() {
            ErrorKind::Data | ErrorKind::Limit => DATA_EXCEPTION,
            _ => CONNECT_EXCEPTION,
        });
        if let Some(cause) = error.source() {
            letter.push(STACK_TRACE, &cause.to_string());
        }
        letter
    }

    /// The letter of a record that was skipped.
    #[must_use]
    pub fn of_skip(record: &ConsumerRecord<'_>, reason: SkipReason) -> Self {
        let mut letter = Self::new(record, record.headers, reason.as_str(), reason.message().to_owned());
        letter.push_place();
        letter.push_reason(DATA_EXCEPTION);
        letter
    }

    /// The letter that a record of a dead-letter topic is, Connect's too; `None` if it does not say why it is there.
    ///
    /// A record that was set aside twice is the letter of the last time, and its [`original`](Self::original) the letter
    /// of the time before.
    #[must_use]
    pub fn read(record: &ConsumerRecord<'_>) -> Option<Self> {
        let headers: Vec<Header<'_>> = record.headers.iter().collect();
        let first = first_of_letter(&headers);
        let (original, of_letter) = headers.split_at(first);
        let text = |name: &str| {
            let header = of_letter.iter().find(|header| header.name_bytes() == name.as_bytes());
            header.and_then(Header::value).map(|value| String::from_utf8_lossy(value).into_owned())
        };
        let class_name = text(CLASS_NAME);
        let reason = text(MESSAGE).or_else(|| class_name.clone())?;
        let kind = text(KIND).or(class_name).unwrap_or_default();
        let mut letter = Self::new(record, original.into(), &kind, reason);
        letter.headers.clear();
        letter.headers.copy_from(&record.headers);
        letter.topic = text(TOPIC);
        letter.partition = text(PARTITION).and_then(|partition| partition.parse().ok());
        letter.offset = text(OFFSET).and_then(|offset| offset.parse().ok());
        letter.column_path = text(COLUMN);
        Some(letter)
    }

    fn new(record: &ConsumerRecord<'_>, original: Headers<'_>, kind: &str, reason: String) -> Self {
        let mut headers = HeadersBuf::new();
        headers.copy_from(&original);
        Self {
            key: record.key.map(Bytes::copy_from_slice),
            value: record.value.map(Bytes::copy_from_slice),
            timestamp: record.timestamp,
            original: headers.clone(),
            headers,
            topic: record.topic.map(str::to_owned),
            partition: record.partition,
            offset: record.offset,
            kind: kind.to_owned(),
            reason,
            column_path: None,
        }
    }

    fn push(&mut self, name: &str, value: &str) {
        self.headers.push(name, Some(value.as_bytes()));
    }

    /// In Connect's order.
    fn push_place(&mut self) {
        if let Some(topic) = &self.topic {
            self.headers.push(TOPIC, Some(topic.as_bytes()));
        }
        if let Some(partition) = self.partition {
            self.push(PARTITION, &partition.to_string());
        }
        if let Some(offset) = self.offset {
            self.push(OFFSET, &offset.to_string());
        }
    }

    fn push_reason(&mut self, class: &str) {
        self.headers.push(KIND, Some(self.kind.as_bytes()));
        if let Some(column) = &self.column_path {
            self.headers.push(COLUMN, Some(column.as_bytes()));
        }
        self.push(CLASS_NAME, class);
        self.headers.push(MESSAGE, Some(self.reason.as_bytes()));
    }

    /// The sort of reason: the name of an [`ErrorKind`] or of a [`SkipReason`]; of Connect's letters the class of the
    /// exception.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
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

    /// The record to write: key, value and timestamp as they were read, the old headers and Connect's after them. It names
    /// no topic; [`Record::with_topic`] does.
    #[must_use]
    pub fn record(&self) -> Record<'_> {
        let record = Record::new(self.key.as_deref(), self.value.as_deref());
        let mut record = record.with_headers(self.headers.as_headers());
        record.timestamp = self.timestamp.filter(|timestamp| *timestamp >= 0);
        record
    }

    /// The record as it was read, in its place in the log as far as that is known, to be decoded again. What a
    /// [letter that was read](Self::read) does not know, the epoch of the leader and whose clock the timestamp is from, is
    /// left out.
    #[must_use]
    pub fn original(&self) -> ConsumerRecord<'_> {
        let record = ConsumerRecord::new(self.key.as_deref(), self.value.as_deref());
        ConsumerRecord {
            topic: self.topic.as_deref(),
            partition: self.partition,
            offset: self.offset,
            timestamp: self.timestamp,
            ..record.with_headers(&self.original)
        }
    }
}

/// Where the headers of the last letter begin: a record that was set aside twice has two of each after each other.
fn first_of_letter(headers: &[Header<'_>]) -> usize {
    let is_of_letter = |header: &Header<'_>| {
        let name = header.name_bytes();
        name.starts_with(CONNECT.as_bytes()) || name.starts_with(OURS.as_bytes())
    };
    let mut first = headers.len();
    while let Some((header, after)) = headers[..first].last().zip(headers.get(first..)) {
        let is_repeated = after.iter().any(|later| later.name_bytes() == header.name_bytes());
        if !is_of_letter(header) || is_repeated {
            break;
        }
        first -= 1;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(headers: Headers<'_>) -> Vec<String> {
        headers.iter().map(|header| header.name().into_owned()).collect()
    }

    fn consumed<'a>(record: Record<'a>) -> ConsumerRecord<'a> {
        ConsumerRecord::new(record.key, record.value).with_headers(record.headers)
    }

    /// The names are those of Kafka Connect (KIP-298).
    #[test]
    fn a_dead_letter_says_in_connects_headers_where_it_is_from_and_why() {
        let record = ConsumerRecord::new(Some(b"k"), Some(b"{")).with_topic_partition("t", 3).with_offset(7);
        let error = Error::new(ErrorKind::Data, "no").in_column("a").with_offset(2).with_part(Part::Value);
        let letter = DeadLetter::of_error(&record, &error);
        let expected = [
            "__connect.errors.topic",
            "__connect.errors.partition",
            "__connect.errors.offset",
            "__connect.errors.stage",
            "__upsert_kafka.errors.kind",
            "__upsert_kafka.errors.column",
            "__connect.errors.exception.class.name",
            "__connect.errors.exception.message",
        ];
        assert_eq!(names(letter.record().headers), expected);
        assert_eq!(letter.record().headers.last(OFFSET).unwrap().value(), Some(&b"7"[..]));
        assert_eq!(letter.record().headers.last(STAGE).unwrap().value(), Some(&b"VALUE_CONVERTER"[..]));
        assert_eq!(letter.reason(), "value, column `a`, byte 2: no");
        assert_eq!((letter.record().key, letter.record().value), (Some(&b"k"[..]), Some(&b"{"[..])));
    }

    #[test]
    fn a_letter_that_is_read_back_tells_what_it_told_and_lends_the_record_as_it_was() {
        let old = [Header::new("trace", Some(b"1")), Header::new("__connect.errors.topic", None)];
        let record = ConsumerRecord::new(None, Some(b"{")).with_headers(&old).with_topic_partition("t", 3);
        let cause = std::io::Error::other("its cause");
        let error = Error::new(ErrorKind::Limit, "no").in_column("a").with_source(cause);
        for letter in [DeadLetter::of_error(&record, &error), DeadLetter::of_skip(&record, SkipReason::NoKey)]
        {
            let read = DeadLetter::read(&consumed(letter.record())).unwrap();
            assert_eq!(read.original(), record);
            assert_eq!(read.record(), letter.record());
            let told = |letter: &DeadLetter| {
                (letter.kind.clone(), letter.reason.clone(), letter.column_path.clone())
            };
            assert_eq!(told(&read), told(&letter));
            assert!(DeadLetter::read(&read.original()).is_none(), "an unfinished letter says no reason");
        }
    }

    #[test]
    fn a_record_that_was_set_aside_twice_is_a_letter_in_a_letter() {
        let record = ConsumerRecord::new(Some(b"k"), None).with_topic_partition("t", 3).with_offset(7);
        let first = DeadLetter::of_error(&record, &Error::new(ErrorKind::Data, "first"));
        let again = consumed(first.record()).with_topic_partition("t.dead", 0).with_offset(1);
        let second = DeadLetter::of_skip(&again, SkipReason::NoKey);
        let read = DeadLetter::read(&consumed(second.record())).unwrap();
        assert_eq!((read.kind(), read.original()), ("no_key", again));
        let first = DeadLetter::read(&read.original()).unwrap();
        assert_eq!((first.reason(), first.original()), ("first", record));
        assert!(DeadLetter::read(&first.original()).is_none());
    }

    /// As Connect's `DeadLetterQueueReporter.populateContextHeaders` writes them.
    #[test]
    fn connects_own_letters_are_read() {
        let headers = [
            Header::new("__connect.errors.topic", Some(b"orders")),
            Header::new("__connect.errors.partition", Some(b"3")),
            Header::new("__connect.errors.offset", Some(b"7")),
            Header::new("__connect.errors.connector.name", Some(b"sink")),
            Header::new("__connect.errors.task.id", Some(b"0")),
            Header::new("__connect.errors.stage", Some(b"VALUE_CONVERTER")),
            Header::new("__connect.errors.class.name", Some(b"org.apache.kafka.connect.json.JsonConverter")),
            Header::new("__connect.errors.exception.class.name", Some(DATA_EXCEPTION.as_bytes())),
            Header::new("__connect.errors.exception.message", None),
            Header::new("__connect.errors.exception.stacktrace", Some(b"at ..")),
        ];
        let letter = DeadLetter::read(&ConsumerRecord::new(None, Some(b"{")).with_headers(&headers)).unwrap();
        assert_eq!((letter.kind(), letter.reason()), (DATA_EXCEPTION, DATA_EXCEPTION));
        let original = ConsumerRecord::new(None, Some(b"{")).with_topic_partition("orders", 3).with_offset(7);
        assert_eq!(letter.original(), original);
    }
}
