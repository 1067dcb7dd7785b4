use upsert_kafka::Record;
use upsert_kafka::record::{Compression, HeadersBuf, Producer, RecordBatchBuilder};

use super::draw::Draw;
use super::record_batch::{mended, read};

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

/// Valid batches of every codec, mutated, are batches or errors: those whose checksum tells, and those where length and
/// checksum were mended.
pub fn batch_mutate(data: &[u8]) {
    let mut draw = Draw::new(data);
    let mut bytes = Vec::new();
    for _ in 0..=draw.below(2) {
        let codec = draw.one_of(&CODECS);
        bytes.extend(batch(&mut draw, codec));
    }
    mutate(&mut draw, &mut bytes);
    read(&bytes);
    if let Some(mended) = mended(&bytes) {
        read(&mended);
    }
}

/// A batch of a few records.
pub(super) fn batch(draw: &mut Draw<'_>, codec: Compression) -> Vec<u8> {
    let producer = draw.once_in(4).then(|| Producer {
        sequence: i32::MAX - i32::from(draw.byte()),
        transactional: draw.once_in(2),
        ..Producer::new(draw.byte().into(), draw.byte().into())
    });
    let mut builder = RecordBatchBuilder::new()
        .with_control(producer.is_some() && draw.once_in(4))
        .with_producer(producer)
        .with_base_offset(draw.byte().into())
        .with_compression(codec)
        .expect("the feature is on");
    let mut headers = HeadersBuf::new();
    for _ in 0..=draw.below(6) {
        headers.clear();
        for _ in 0..draw.below(3) {
            let value = bytes(draw);
            headers.push(draw.one_of(&["", "h", "é"]), value.as_deref());
        }
        let (key, value) = (bytes(draw), bytes(draw));
        let record = Record::new(key.as_deref(), value.as_deref())
            .with_timestamp(draw.byte().into())
            .with_headers(&headers);
        assert!(builder.append(&record).expect("a record"), "there is room");
    }
    builder.finish().to_vec()
}

/// Null, a few bytes, or many of one.
fn bytes(draw: &mut Draw<'_>) -> Option<Vec<u8>> {
    match draw.below(8) {
        0 => None,
        1 => Some(vec![draw.byte(); usize::from(draw.byte()) * 16]),
        _ => {
            let len = draw.below(9);
            Some(draw.bytes(len).to_vec())
        }
    }
}

/// Changes bytes, takes some out and puts some in.
pub(super) fn mutate(draw: &mut Draw<'_>, bytes: &mut Vec<u8>) {
    for _ in 0..8 {
        if draw.is_empty() || bytes.is_empty() {
            return;
        }
        let at = usize::from(u16::from_le_bytes(draw.array())) % bytes.len();
        match draw.below(6) {
            0 => bytes[at] = draw.byte(),
            1 => bytes[at] ^= 1 << draw.below(8),
            2 => bytes[at] = draw.one_of(&[0, 1, 0x7f, 0x80, 0xff]),
            3 => {
                let end = (at + draw.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let len = draw.below(9);
                bytes.splice(at..at, draw.bytes(len).iter().copied());
            }
            _ => {
                let count = draw.one_of(&[i32::MAX, -1, i32::MIN, 1 << 24, 0]);
                let end = (at + 4).min(bytes.len());
                bytes.splice(at..end, count.to_be_bytes());
            }
        }
    }
}
