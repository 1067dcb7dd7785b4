//! Records as all clients know them.

use std::collections::BTreeMap;
use std::fmt;

use upsert_kafka::ConsumerRecord;
use upsert_kafka::record::{HeadersBuf, TimestampType};

/// A record that is sent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    pub timestamp: i64,
    pub key: Option<Vec<u8>>,
    /// `None` is a tombstone.
    pub value: Option<Vec<u8>>,
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

/// The records of a topic that were read, with their offsets, partition by partition.
pub type Stored = BTreeMap<i32, Vec<(i64, Sent)>>;

impl Sent {
    pub fn of(record: &ConsumerRecord<'_>) -> Self {
        let bytes = |part: Option<&[u8]>| part.map(<[u8]>::to_vec);
        Self {
            timestamp: record.timestamp.expect("it has one"),
            key: bytes(record.key),
            value: bytes(record.value),
            headers: record
                .headers
                .iter()
                .map(|header| (header.name().into_owned(), bytes(header.value())))
                .collect(),
        }
    }

    /// The headers as the crate takes them.
    pub fn headers(&self) -> HeadersBuf {
        let mut headers = HeadersBuf::new();
        self.headers.iter().for_each(|(name, value)| headers.push(name, value.as_deref()));
        headers
    }

    /// The record as a reader gets it, with its own [`headers`](Self::headers).
    pub fn consumer_record<'a>(&'a self, headers: &'a HeadersBuf) -> ConsumerRecord<'a> {
        ConsumerRecord::new(self.key.as_deref(), self.value.as_deref())
            .with_timestamp(self.timestamp, TimestampType::CreateTime)
            .with_headers(headers.as_headers())
    }

    /// The line that `Lines.java` reads.
    pub fn line(&self) -> String {
        let mut line =
            format!("{}\t{}\t{}", self.timestamp, text(self.key.as_deref()), text(self.value.as_deref()));
        for (name, value) in &self.headers {
            line += &format!("\t{name}={}", text(value.as_deref()));
        }
        line
    }

    /// The line that `Lines.java` writes, with its topic, partition and offset.
    pub fn read(line: &str) -> (String, i32, i64, Self) {
        let fields: Vec<_> = line.split('\t').collect();
        let [topic, partition, offset, timestamp, key, value, headers @ ..] = &*fields else {
            panic!("{line}")
        };
        let header = |header: &&str| {
            let (name, value) = header.split_once('=').expect("it has a name");
            (name.to_owned(), bytes(value))
        };
        let number = |text: &str| text.parse::<i64>().expect("a number");
        let record = Self {
            timestamp: number(timestamp),
            key: bytes(key),
            value: bytes(value),
            headers: headers.iter().map(header).collect(),
        };
        ((*topic).to_owned(), i32::try_from(number(partition)).expect("a partition"), number(offset), record)
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| bytes.escape_ascii().to_string());
        write!(f, "{} {:?} {:?} {:?}", self.timestamp, text(&self.key), text(&self.value), self.headers)
    }
}

/// The same records, without their offsets.
pub fn without_offsets(stored: Stored) -> BTreeMap<i32, Vec<Sent>> {
    let records = |records: Vec<(i64, Sent)>| records.into_iter().map(|(_, record)| record).collect();
    stored.into_iter().map(|(partition, stored)| (partition, records(stored))).collect()
}

/// Says where two lists of records part, instead of printing both.
#[track_caller]
pub fn assert_same<T: PartialEq + fmt::Debug>(
    whose: &str,
    got: &BTreeMap<i32, Vec<T>>,
    expected: &BTreeMap<i32, Vec<T>>,
) {
    for partition in got.keys().chain(expected.keys()) {
        let [got, expected] = [got, expected].map(|all| all.get(partition).map_or(&[][..], Vec::as_slice));
        let parting = (0..got.len().max(expected.len())).find(|&index| got.get(index) != expected.get(index));
        if let Some(index) = parting {
            panic!(
                "{whose}, partition {partition}: {} records, of {} expected; number {index} is\n{:?}\ninstead of\n{:?}",
                got.len(),
                expected.len(),
                got.get(index),
                expected.get(index)
            );
        }
    }
}

/// Bytes as `Lines.java` writes them: hexadecimal, or `-`.
pub fn text(bytes: Option<&[u8]>) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.map_or("-".to_owned(), hex)
}

/// The bytes that [`text`] has written.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal");
    (text != "-").then(|| (0..text.len()).step_by(2).map(byte).collect())
}
