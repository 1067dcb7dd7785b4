use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use kafka_protocol::records::{Record as PeerRecord, RecordBatchDecoder};
use upsert_kafka::record::{Compression, RecordBatch};
use upsert_kafka::{ConsumerRecord, Limits};

use super::batch_mutate::{batch, mutate};
use super::draw::Draw;
use super::record_batch::mended;

/// What stands in a batch's header, and where.
const ATTRIBUTES: usize = 22;
const COUNT: usize = 57;
const RECORDS: usize = 61;

/// Attributes: the time is the broker's.
const LOG_APPEND_TIME: u8 = 1 << 3;

/// A mutated batch reads as the crate `kafka-protocol` reads it, wherever both take it; and what one takes the other
/// takes too, but for what is known to differ.
pub fn batch_differential(data: &[u8]) {
    let mut draw = Draw::new(data);
    let mut bytes = batch(&mut draw, Compression::None);
    mutate(&mut draw, &mut bytes);
    let Some(bytes) = mended(&bytes) else { return };
    // The peer allocates what is claimed, and stamps records with their own times in any case.
    let Some(claims) = Claims::of(&bytes) else { return };
    if claims.most > bytes.len() || bytes[ATTRIBUTES] & LOG_APPEND_TIME != 0 {
        return;
    }
    let ours = RecordBatch::parse(&bytes, Limits::default()).and_then(|batch| {
        let records = batch.control_records().map(|record| record.map(|record| Read::of(&record)));
        records.collect::<Result<Vec<_>, _>>()
    });
    // It adds times and offsets up without wrapping, and panics.
    let Some(theirs) = without_panic(|| RecordBatchDecoder::decode(&mut Bytes::copy_from_slice(&bytes)))
    else {
        return;
    };
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let theirs: Vec<_> = theirs.records.iter().map(Read::of_peer).collect();
            assert_eq!(ours, theirs, "both take it");
        }
        (Ok(_), Err(error)) => assert!(claims.is_java_alone, "we take alone: {error}"),
        (Err(error), Ok(_)) => assert!(claims.has_rest, "the peer takes alone: {error}"),
        (Err(_), Err(_)) => {}
    }
}

/// What the records of a batch claim.
#[derive(Default)]
struct Claims {
    /// The greatest count of records or headers.
    most: usize,
    /// Whether there is what Java takes and the peer does not: lengths below -1 for null, names that are not UTF-8.
    is_java_alone: bool,
    /// Whether there are bytes after the records, or after what a record holds, which Java refuses.
    has_rest: bool,
}

impl Claims {
    /// `None`: what is there is no batch of so many records, to whoever reads it.
    fn of(batch: &[u8]) -> Option<Self> {
        let mut claims = Self::default();
        let count = u32::from_be_bytes(*batch.get(COUNT..)?.first_chunk()?);
        claims.most = usize::try_from(count).ok()?;
        let mut rest = batch.get(RECORDS..)?;
        for _ in 0..count {
            let len = varint(&mut rest)?;
            claims.look_at(take(&mut rest, len)?)?;
        }
        claims.has_rest |= !rest.is_empty();
        Some(claims)
    }

    fn look_at(&mut self, mut record: &[u8]) -> Option<()> {
        take(&mut record, 1)?;
        zigzag(&mut record, 10)?;
        varint(&mut record)?;
        for _ in 0..2 {
            self.skip_nullable(&mut record)?;
        }
        let headers = varint(&mut record)?;
        self.most = self.most.max(usize::try_from(headers).unwrap_or(0));
        for _ in 0..headers {
            let len = varint(&mut record)?;
            self.is_java_alone |= str::from_utf8(take(&mut record, len)?).is_err();
            self.skip_nullable(&mut record)?;
        }
        self.has_rest |= !record.is_empty();
        Some(())
    }

    fn skip_nullable(&mut self, record: &mut &[u8]) -> Option<()> {
        let len = varint(record)?;
        self.is_java_alone |= len < -1;
        take(record, len.max(0)).map(drop)
    }
}

fn take<'a>(rest: &mut &'a [u8], len: i64) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(usize::try_from(len).ok()?)?;
    *rest = left;
    Some(taken)
}

/// A number of 32 bits.
fn varint(rest: &mut &[u8]) -> Option<i64> {
    zigzag(rest, 5).filter(|number| i32::try_from(*number).is_ok())
}

/// A number of so many bytes at most.
fn zigzag(rest: &mut &[u8], most: usize) -> Option<i64> {
    let mut number = 0_u64;
    for place in 0..most {
        let byte = take(rest, 1)?[0];
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
    }
    None
}

/// A record, as both have it.
#[derive(Debug, PartialEq)]
struct Read {
    offset: i64,
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
    /// The last value of each name.
    headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl Read {
    fn of(record: &ConsumerRecord<'_>) -> Self {
        let owned = |bytes: Option<&[u8]>| bytes.map(<[u8]>::to_vec);
        let mut headers = std::collections::BTreeMap::new();
        for header in record.headers {
            headers.insert(header.name_bytes().to_vec(), owned(header.value()));
        }
        Self {
            offset: record.offset.unwrap_or(-1),
            timestamp: record.timestamp.unwrap_or(-1),
            key: owned(record.key),
            value: owned(record.value),
            headers: headers.into_iter().collect(),
        }
    }

    fn of_peer(record: &PeerRecord) -> Self {
        let owned = |bytes: &Option<Bytes>| bytes.as_ref().map(|bytes| bytes.to_vec());
        let mut headers: Vec<_> =
            record.headers.iter().map(|(name, value)| (name.as_bytes().to_vec(), owned(value))).collect();
        headers.sort_unstable();
        Self {
            offset: record.offset,
            timestamp: record.timestamp,
            key: owned(&record.key),
            value: owned(&record.value),
            headers,
        }
    }
}

/// What `run` answers, or nothing if it panics; nobody is told of it.
fn without_panic<T>(run: impl FnOnce() -> T) -> Option<T> {
    // The hook is the process's: a fuzzer's ends it.
    static HOOK: Mutex<()> = Mutex::new(());
    let _held = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let answer = catch_unwind(AssertUnwindSafe(run)).ok();
    set_hook(hook);
    answer
}
