//! kafka-protocol's records, their encoder, with the sequence numbers that put them into one batch, and their decoder.

use bytes::{Bytes, BytesMut};
use kafka_protocol::indexmap::IndexMap;
use kafka_protocol::records::{
    Compression, NO_PARTITION_LEADER_EPOCH, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Record, RecordBatchDecoder,
    RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};

use crate::common::NOW_MS;

pub fn record(offset: usize, key: Bytes, value: Option<Bytes>) -> Record {
    let offset = offset as i64;
    Record {
        transactional: false,
        control: false,
        delete_horizon: false,
        partition_leader_epoch: NO_PARTITION_LEADER_EPOCH,
        producer_id: NO_PRODUCER_ID,
        producer_epoch: NO_PRODUCER_EPOCH,
        timestamp_type: TimestampType::Creation,
        offset,
        // One batch without a sequence, as a producer that is not idempotent sends it.
        sequence: offset as i32 - 1,
        timestamp: NOW_MS,
        key: Some(key),
        value,
        headers: IndexMap::new(),
    }
}

pub fn encode(records: &[Record]) -> Bytes {
    let mut batch = BytesMut::new();
    let options = RecordEncodeOptions { version: 2, compression: Compression::None };
    RecordBatchEncoder::encode(&mut batch, records, &options).unwrap();
    batch.freeze()
}

/// The records of all batches of a fetch.
pub fn decode(fetched: &Bytes) -> impl Iterator<Item = Record> {
    let batches = RecordBatchDecoder::decode_all(&mut fetched.clone()).unwrap();
    batches.into_iter().flat_map(|batch| batch.records)
}
