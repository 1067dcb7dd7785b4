//! Batches, and what they decompress to.

use upsert_kafka::record::{Compression, RecordBatchBuilder};
use upsert_kafka::{Limits, Record, RecordBatches};

use super::assert_bounded;

const MAX_DECOMPRESSED: usize = 1 << 20;

/// What a decompressor needs for itself: zstd's window above all.
const OF_A_CODEC: usize = 4 << 20;

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn assert_batch_bounded(what: &str, batch: impl Fn(usize) -> Vec<u8>) {
    let limits = Limits::default().with_max_decompressed_bytes(MAX_DECOMPRESSED);
    assert_bounded(what, 4 * MAX_DECOMPRESSED + OF_A_CODEC, batch, |bytes| {
        let mut count = 0;
        for batch in RecordBatches::new(bytes, limits).flatten() {
            for record in batch.records().flatten() {
                count += 1 + record.headers.iter().count();
            }
        }
        count
    });
}

/// A batch with its checksum mended.
fn mended(mut batch: Vec<u8>) -> Vec<u8> {
    let checksum = crc32c::crc32c(&batch[21..]);
    batch[17..21].copy_from_slice(&checksum.to_be_bytes());
    let length = u32::try_from(batch.len() - 12).expect("a batch");
    batch[8..12].copy_from_slice(&length.to_be_bytes());
    batch
}

fn batch(codec: Compression, value: &[u8]) -> Vec<u8> {
    let builder = RecordBatchBuilder::new().with_max_bytes(usize::MAX);
    let mut builder = builder.with_compression(codec).expect("the feature is on");
    builder.append(&Record::new(None, Some(value)).with_timestamp(0)).expect("a record");
    builder.finish().to_vec()
}

#[test]
fn batches_of_each_codec_take_what_their_limit_allows() {
    for codec in CODECS {
        let name = format!("{codec:?}");
        // What compresses best: the batch is as long as asked for, or as long as 64 MiB of zeros make it.
        assert_batch_bounded(&name, |size| {
            let value = if codec == Compression::None { size } else { (size * 200).min(64 << 20) };
            batch(codec, &vec![0; value])
        });
        // What does not compress.
        assert_batch_bounded(&name, |size| {
            let noise = (0..size as u64).map(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8);
            batch(codec, &noise.collect::<Vec<_>>())
        });
    }
}

#[test]
fn counts_and_lengths_that_are_claimed_take_nothing() {
    for codec in 0..=4_u8 {
        for byte in [0, 0x7f, 0xff] {
            assert_batch_bounded("claims", |size| {
                let mut bytes = batch(Compression::None, &vec![byte; size]);
                bytes[22] = codec;
                // Two thousand million records.
                bytes[57..61].copy_from_slice(&i32::MAX.to_be_bytes());
                mended(bytes)
            });
        }
    }
}

#[test]
fn many_small_records_and_headers_take_no_more_than_their_bytes() {
    assert_batch_bounded("records", |size| {
        let mut builder = RecordBatchBuilder::new().with_max_bytes(usize::MAX);
        for _ in 0..size / 7 {
            builder.append(&Record::new(None, None).with_timestamp(0)).expect("a record");
        }
        builder.finish().to_vec()
    });
    assert_batch_bounded("batches", |size| batch(Compression::None, b"").repeat(size / 68));
}
