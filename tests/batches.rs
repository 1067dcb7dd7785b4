//! Batches against the crate `kafka-protocol`, which writes and reads what we write, and against our own reader.

use std::collections::BTreeSet;

use bytes::{Bytes, BytesMut};
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    self as peer, Compression, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use upsert_kafka::record::{Compression as Codec, HeadersBuf, Producer, RecordBatch, RecordBatchBuilder};
use upsert_kafka::{ConsumerRecord, Limits, Record, RecordBatches};

/// A record of one's own.
#[derive(Clone, Debug)]
struct Owned {
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    timestamp: i64,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Owned {
    fn append_to(&self, batch: &mut RecordBatchBuilder, offset: i64) {
        let mut headers = HeadersBuf::new();
        for (name, value) in &self.headers {
            headers.push(name, value.as_deref());
        }
        let record = Record::new(self.key.as_deref(), self.value.as_deref())
            .with_timestamp(self.timestamp)
            .with_headers(&headers);
        assert!(batch.append_at(offset, &record).expect("the record is valid"), "there is room");
    }

    fn is(&self, read: &ConsumerRecord<'_>) -> bool {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str().into(), value.as_deref()));
        read.key == self.key.as_deref()
            && read.value == self.value.as_deref()
            && read.timestamp.unwrap_or(-1) == self.timestamp
            && headers.eq(read.headers.iter().map(|header| (header.name(), header.value())))
    }

    /// The record as the peer has it. It keeps one header of a name: see [`record`] for what is drawn.
    fn as_peer(&self, offset: i64, producer: Option<Producer>) -> peer::Record {
        let index = i32::try_from(offset).expect("a small offset");
        peer::Record {
            transactional: producer.is_some_and(|producer| producer.transactional),
            control: false,
            delete_horizon: false,
            partition_leader_epoch: peer::NO_PARTITION_LEADER_EPOCH,
            producer_id: producer.map_or(peer::NO_PRODUCER_ID, |producer| producer.id),
            producer_epoch: producer.map_or(peer::NO_PRODUCER_EPOCH, |producer| producer.epoch),
            timestamp_type: TimestampType::Creation,
            offset,
            // Records stay in one batch while offset - sequence is constant; so base_sequence becomes -1.
            sequence: producer.map_or(peer::NO_SEQUENCE, |producer| producer.sequence).wrapping_add(index),
            timestamp: self.timestamp,
            key: self.key.clone().map(Bytes::from),
            value: self.value.clone().map(Bytes::from),
            headers: self
                .headers
                .iter()
                .map(|(name, value)| (StrBytes::from_string(name.clone()), value.clone().map(Bytes::from)))
                .collect(),
        }
    }
}

fn bytes() -> impl Strategy<Value = Option<Vec<u8>>> {
    let long = (any::<u8>(), 60..9000_usize).prop_map(|(byte, len)| vec![byte; len]);
    option::weighted(0.8, prop_oneof![9 => vec(any::<u8>(), 0..40), 1 => long])
}

fn record(unique_names: bool) -> impl Strategy<Value = Owned> {
    let timestamp = prop_oneof![1_717_200_000_000..1_717_300_000_000_i64, 0..i64::MAX, Just(-1)];
    let headers = vec(("[a-c\u{e9}]{0,2}", bytes()), 0..4).prop_map(move |mut headers| {
        let mut names = BTreeSet::new();
        headers.retain(|(name, _)| !unique_names || names.insert(name.clone()));
        headers
    });
    (bytes(), bytes(), timestamp, headers).prop_map(|(key, value, timestamp, headers)| Owned {
        key,
        value,
        timestamp,
        headers,
    })
}

fn producer() -> impl Strategy<Value = Option<Producer>> {
    option::of((0..i64::MAX, 0..i16::MAX, 0..i32::MAX, any::<bool>()).prop_map(
        |(id, epoch, sequence, transactional)| {
            let mut producer = Producer::new(id, epoch);
            producer.sequence = sequence;
            producer.transactional = transactional;
            producer
        },
    ))
}

fn compression() -> impl Strategy<Value = Codec> {
    prop::sample::select(vec![Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd])
}

proptest! {
    /// The peer takes the least timestamp as base, Kafka's client the first: the first is made the least.
    #[test]
    fn kafka_protocol_writes_the_same_bytes(
        mut records in vec(record(true), 1..30), producer in producer()
    ) {
        let least = records.iter().map(|record| record.timestamp).min().expect("one or more");
        records[0].timestamp = least;
        // It adds timestamps up without wrapping.
        records.iter_mut().for_each(|record| record.timestamp = record.timestamp.min(i64::MAX / 2));

        let mut batch = RecordBatchBuilder::new().with_producer(producer);
        (0..).zip(&records).for_each(|(offset, record)| record.append_to(&mut batch, offset));

        let peers: Vec<_> = (0..).zip(&records).map(|(at, record)| record.as_peer(at, producer)).collect();
        let mut expected = BytesMut::new();
        let options = RecordEncodeOptions { version: 2, compression: Compression::None };
        RecordBatchEncoder::encode(&mut expected, &peers, &options).expect("the peer encodes");
        prop_assert_eq!(batch.finish(), expected.freeze());
    }

    #[test]
    fn kafka_protocol_reads_what_was_put_in(
        mut records in vec(record(true), 1..30), producer in producer()
    ) {
        records.iter_mut().for_each(|record| record.timestamp = record.timestamp.min(i64::MAX / 2));
        let mut batch = RecordBatchBuilder::new().with_producer(producer);
        (0..).zip(&records).for_each(|(offset, record)| record.append_to(&mut batch, offset));
        let size = batch.size_in_bytes();
        let mut bytes = batch.finish();
        prop_assert_eq!(bytes.len(), size);
        let read = RecordBatchDecoder::decode(&mut bytes).expect("the peer decodes").records;
        let peers: Vec<_> = (0..).zip(&records).map(|(at, record)| record.as_peer(at, producer)).collect();
        prop_assert_eq!(read, peers);
    }

    #[test]
    fn a_batch_read_back_is_what_went_in(
        records in vec((record(false), 0..3_i64), 1..30), producer in producer(),
        base_offset in prop_oneof![Just(0), 0..i64::MAX / 2], compression in compression()
    ) {
        let mut builder = RecordBatchBuilder::new().with_producer(producer).with_base_offset(base_offset).with_compression(compression).expect("all features are on in this test");
        let mut offsets = Vec::new();
        for (record, gap) in &records {
            let offset = offsets.last().map_or(base_offset, |last| last + 1) + gap;
            record.append_to(&mut builder, offset);
            offsets.push(offset);
        }
        let bytes = builder.finish();

        let batch = RecordBatch::parse(&bytes, Limits::default()).expect("a valid batch");
        prop_assert_eq!(batch.producer(), producer);
        prop_assert_eq!((batch.compression(), batch.len()), (compression, records.len()));
        prop_assert_eq!(Some(batch.last_offset()), offsets.last().copied());
        let read: Vec<_> = batch.records().collect::<Result<_, _>>().expect("valid records");
        prop_assert!(read.iter().map(|record| record.offset).eq(offsets.into_iter().map(Some)));
        prop_assert!(records.iter().zip(&read).all(|((record, _), read)| record.is(read)), "{:?}", read);
    }

    /// Damage under a correct CRC, as a hostile peer sends it: an error or other records, never a panic.
    #[test]
    fn damage_is_an_error_or_another_record(
        records in vec(record(false), 1..10), compression in compression(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..5)
    ) {
        let mut builder = RecordBatchBuilder::new().with_compression(compression).expect("all features are on in this test");
        (0..).zip(&records).for_each(|(offset, record)| record.append_to(&mut builder, offset));
        let mut bytes = builder.finish().to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let crc = crc32c::crc32c(&bytes[21..]);
        bytes[17..21].copy_from_slice(&crc.to_be_bytes());

        for batch in RecordBatches::new(&bytes, Limits::default().with_max_decompressed_bytes(1 << 20)).flatten() {
            let records = batch.control_records().flatten();
            let bytes: usize = records.map(|record| record.value.map_or(0, <[u8]>::len)).sum();
            prop_assert!(bytes <= 1 << 20);
        }
    }
}
