use std::collections::HashMap;

use kafka_protocol::records::RecordBatchDecoder;
use upsert_kafka::record::RecordBatchBuilder;
use upsert_kafka::{ConsumerRecord, Limits, Record, RecordBatches, RecordBuf};

use super::draw::Draw;
use super::table::DrawnTable;

/// The timestamp of a record that brings none.
const NOW_MS: i64 = 1_717_200_000_000;

/// Rows of any table become records, and these a batch out of which they are read as they were: by us, and by the
/// crate `kafka-protocol`. A row that fails leaves encoder and buffers as new.
pub fn row_to_batch(data: &[u8]) {
    let mut draw = Draw::new(data);
    let Some(drawn) = DrawnTable::draw(&mut draw) else { return };
    let Ok(sink) = drawn.table.sink(&drawn.settings) else { return };
    let encoder = sink.encoder();
    let mut buf = RecordBuf::new();
    let mut batch = RecordBatchBuilder::new();
    let mut sent = Vec::new();
    for _ in 0..8 {
        let (kind, row) = (drawn.row_kind(&mut draw), drawn.row(&mut draw));
        let mut fresh = RecordBuf::new();
        let expected = encoder.encode(kind, &row, &mut fresh).map_err(|error| error.to_string());
        let record = encoder.encode(kind, &row, &mut buf).map_err(|error| error.to_string());
        assert_eq!(record, expected, "a used buffer and a new one");
        let Ok(Some(record)) = record else { continue };
        let mut stamped = record.with_timestamp(record.timestamp.unwrap_or(NOW_MS));
        // The peer adds timestamps up without wrapping.
        stamped.timestamp = stamped.timestamp.map(|timestamp| timestamp.min(i64::MAX / 2));
        let size = batch.size_in_bytes();
        match batch.append(&stamped) {
            Ok(taken) => {
                assert!(taken, "there is room");
                sent.push(Sent::of(&stamped));
            }
            Err(_) => assert_eq!(batch.size_in_bytes(), size, "a refused record"),
        }
        if draw.is_empty() {
            break;
        }
    }
    if sent.is_empty() {
        return;
    }
    let mut bytes = batch.finish();
    let batches: Result<Vec<_>, _> = RecordBatches::new(&bytes, Limits::default()).collect();
    let [batch] = &batches.expect("our own bytes")[..] else { panic!("one batch") };
    let records: Vec<_> =
        batch.records().map(|record| Sent::of_consumed(&record.expect("our own"))).collect();
    assert_eq!(records, sent);
    let read = RecordBatchDecoder::decode(&mut bytes).expect("the peer decodes").records;
    assert_eq!(read.len(), sent.len());
    for (read, sent) in read.iter().zip(&sent) {
        assert_eq!(read.timestamp, sent.timestamp);
        assert_eq!(read.key.as_deref(), sent.key.as_deref());
        assert_eq!(read.value.as_deref(), sent.value.as_deref());
        // It keeps one header of a name.
        let headers: HashMap<_, _> =
            sent.headers.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        assert_eq!(read.headers.len(), headers.len());
        for (name, value) in &read.headers {
            assert_eq!(headers.get(name.as_str()), Some(&value.as_deref()));
        }
    }
}

/// A record of one's own.
#[derive(Debug, PartialEq)]
struct Sent {
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    timestamp: i64,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Sent {
    fn of(record: &Record<'_>) -> Self {
        let read = ConsumerRecord::new(record.key, record.value).with_headers(record.headers);
        Self { timestamp: record.timestamp.expect("stamped"), ..Self::of_consumed(&read) }
    }

    fn of_consumed(record: &ConsumerRecord<'_>) -> Self {
        let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
        let headers = record.headers.iter();
        Self {
            key: owned(record.key),
            value: owned(record.value),
            timestamp: record.timestamp.unwrap_or(-1),
            headers: headers.map(|header| (header.name().into(), owned(header.value()))).collect(),
        }
    }
}
