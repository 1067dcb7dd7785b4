use upsert_kafka::record::RecordBatch;
use upsert_kafka::{Limits, RecordBatches};

const MAX_DECOMPRESSED_BYTES: usize = 1 << 20;
/// What stands before a batch's length, its magic byte, its checksum and its attributes.
const LENGTH: usize = 8;
const MAGIC: usize = 16;
const CRC: usize = 17;
const ATTRIBUTES: usize = 21;

/// Any bytes are batches or errors, at a cost that the limits bound.
pub fn record_batch(data: &[u8]) {
    read(data);
    if let Some(mended) = mended(data) {
        read(&mended);
    }
}

/// The same bytes as one batch whose length, version and checksum are right: so that others are met than CRC errors.
pub(super) fn mended(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = data.to_vec();
    let checksum = crc32c::crc32c(bytes.get(ATTRIBUTES..)?);
    let length = u32::try_from(bytes.len() - LENGTH - 4).ok()?;
    bytes[LENGTH..LENGTH + 4].copy_from_slice(&length.to_be_bytes());
    bytes[MAGIC] = 2;
    bytes[CRC..CRC + 4].copy_from_slice(&checksum.to_be_bytes());
    Some(bytes)
}

pub(super) fn read(bytes: &[u8]) {
    let limits =
        Limits::default().with_max_decompressed_bytes(MAX_DECOMPRESSED_BYTES).with_max_records(1 << 16);
    let mut batches = RecordBatches::new(bytes, limits);
    for batch in batches.by_ref().flatten() {
        read_batch(&batch);
    }
    assert!(batches.rest().len() <= bytes.len());
    assert!(batches.next().is_none(), "an end is an end");
}

fn read_batch(batch: &RecordBatch<'_>) {
    let (mut bytes, mut count) = (0, 0);
    for record in batch.control_records() {
        let Ok(record) = record else { continue };
        count += 1;
        bytes += record.key.map_or(0, <[u8]>::len) + record.value.map_or(0, <[u8]>::len);
        assert_eq!(record.headers.iter().count(), record.headers.len());
        for header in record.headers {
            bytes += header.name_bytes().len() + header.value().map_or(0, <[u8]>::len);
        }
    }
    assert!(count <= batch.len());
    assert!(bytes <= MAX_DECOMPRESSED_BYTES.max(batch.size_in_bytes()), "the records lie in what was read");
}
