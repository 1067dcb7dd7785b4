//! Batches in a row. Agrees with Kafka's `org.apache.kafka.common.record.internal.ByteBufferLogInputStream` and, where
//! transactions are looked at, with `org.apache.kafka.clients.consumer.internals.CompletedFetch`.

use std::collections::BTreeSet;
use std::iter::FusedIterator;
use std::{slice, vec};

use super::batch::{Packed, batch_size};
use super::layout::BatchHeader;
use super::{ConsumerRecord, Limits, RecordBatch, Records};
use crate::error::Error;
use crate::wire::Cursor;

/// The batches in the bytes of a fetch response or a log segment, one after the other.
///
/// A fetch returns more than was asked for, and the caller says which of it counts:
///
/// - records below the asked offset, if it lies inside a batch: [`RecordBatch::records_from`] leaves them out;
/// - records of aborted transactions, unless [`read_committed`](Self::read_committed) leaves them out, as a consumer with
///   `isolation.level` = `read_committed` does. Java's default, and that of this crate, is to read them;
/// - markers of transactions, which [`RecordBatch::records`] never gives;
/// - a last batch that is cut off because the response is full: it is left out, as in Java, and stays in
///   [`rest`](Self::rest);
/// - in an old log, messages of the formats v0 and v1, which cannot be read: each is an error in its place, and the
///   batches after it follow.
///
/// A damaged batch is an error in its place too, and the next one follows, unless its length is invalid or its
/// format unknown: then nothing says where the next one begins, and the iteration ends.
///
/// ```
/// use upsert_kafka::{Limits, RecordBatches};
/// use upsert_kafka::record::AbortedTransaction;
///
/// /// Prints what a fetch from `offset` on has brought, with the aborted transactions that the response lists.
/// fn print(fetched: &[u8], offset: i64, aborted: &[AbortedTransaction]) -> Result<(), upsert_kafka::Error> {
///     let batches = RecordBatches::new(fetched, Limits::default());
///     for batch in batches.read_committed(aborted.iter().copied()) {
///         for record in batch?.records_from(offset) {
///             println!("{:?}", record?.with_topic_partition("orders", 7));
///         }
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct RecordBatches<'a> {
    rest: &'a [u8],
    limits: Limits,
    lost: bool,
    transactions: Option<Transactions>,
    next_offset: Option<i64>,
    /// The batches whose records are lent.
    lent: Vec<RecordBatch<'a>>,
}

/// An aborted transaction of a partition, as a fetch response lists it: its `AbortedTransaction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Exhaustive: callers make it, of the two members that a fetch response has.
pub struct AbortedTransaction {
    /// The id of its producer.
    pub producer_id: i64,
    /// The offset of its first record in the partition.
    pub first_offset: i64,
}

impl<'a> RecordBatches<'a> {
    /// The batches of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8], limits: Limits) -> Self {
        Self { rest: bytes, limits, lost: false, transactions: None, next_offset: None, lent: Vec::new() }
    }

    /// The same batches without those of the aborted transactions that the fetch response lists for the partition.
    ///
    /// The response to a fetch of isolation level 1 lists them, and ends before transactions that are open. What is left
    /// out is not decompressed.
    #[must_use]
    pub fn read_committed(mut self, aborted: impl IntoIterator<Item = AbortedTransaction>) -> Self {
        let mut to_come: Vec<_> = aborted.into_iter().collect();
        to_come.sort_unstable_by_key(|transaction| std::cmp::Reverse(transaction.first_offset));
        self.transactions = Some(Transactions { to_come, open: BTreeSet::new() });
        self
    }

    /// What has not been read yet; in the end, a batch that was cut off.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The offset after the last batch that was read or left out, which is where the next fetch begins; `None` before the
    /// first one.
    #[must_use]
    pub fn next_offset(&self) -> Option<i64> {
        self.next_offset
    }

    /// The records of all batches that are left, in order; a batch that cannot be read is an error in its place.
    ///
    /// All batches are unpacked before the first record, so that their records can be lent: `max_decompressed_bytes` limits
    /// what all of them take together. Where that is too much, iterate over the batches.
    pub fn records(&mut self) -> impl Iterator<Item = Result<ConsumerRecord<'_>, Error>> {
        let limits = self.limits;
        self.lent.clear();
        let mut outcomes = Vec::new();
        while let Some(outcome) = self.next() {
            outcomes.push(outcome.map(|batch| {
                let left = self.limits.max_decompressed_bytes;
                self.limits.max_decompressed_bytes = left.saturating_sub(batch.decompressed_bytes());
                self.lent.push(batch);
            }));
        }
        self.limits = limits;
        FetchedRecords { outcomes: outcomes.into_iter(), batches: self.lent.iter(), records: None }
    }

    /// The batch, unless it belongs to an aborted transaction.
    fn read(&mut self, bytes: &'a [u8]) -> Result<Option<RecordBatch<'a>>, Error> {
        let packed = Packed::read(bytes)?;
        self.next_offset = Some(packed.header.last_offset().saturating_add(1));
        if self.transactions.as_mut().is_some_and(|transactions| !transactions.admit(&packed.header)) {
            return Ok(None);
        }
        let batch = packed.unpack(self.limits)?;
        if let Some(transactions) = &mut self.transactions {
            transactions.pass(&batch);
        }
        Ok(Some(batch))
    }
}

impl<'a> Iterator for RecordBatches<'a> {
    type Item = Result<RecordBatch<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.lost {
            let size = match batch_size(self.rest) {
                Ok(size) => size?,
                Err(error) => {
                    self.lost = true;
                    return Some(Err(error));
                }
            };
            let (batch, rest) = self.rest.split_at_checked(size)?;
            self.rest = rest;
            if let Some(batch) = self.read(batch).transpose() {
                return Some(batch);
            }
        }
        None
    }
}

impl FusedIterator for RecordBatches<'_> {}

/// The records of [`RecordBatches::records`].
struct FetchedRecords<'b, 'a> {
    /// What became of each batch: it is the next one of `batches`, or the error.
    outcomes: vec::IntoIter<Result<(), Error>>,
    batches: slice::Iter<'b, RecordBatch<'a>>,
    records: Option<Records<'b>>,
}

impl<'b> Iterator for FetchedRecords<'b, '_> {
    type Item = Result<ConsumerRecord<'b>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.records.as_mut().and_then(Iterator::next) {
                return Some(record);
            }
            match self.outcomes.next()? {
                Ok(()) => self.records = Some(self.batches.next()?.records()),
                Err(error) => {
                    self.records = None;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// The aborted transactions: those that begin later, and the producers of those that are open at the batch at hand.
#[derive(Clone, Debug)]
struct Transactions {
    /// By the offset where they begin, the next one last.
    to_come: Vec<AbortedTransaction>,
    open: BTreeSet<i64>,
}

impl Transactions {
    /// Whether the batch is not one of an aborted transaction.
    fn admit(&mut self, header: &BatchHeader) -> bool {
        let Some(producer) = header.producer() else { return true };
        while let Some(next) = self.to_come.pop_if(|next| next.first_offset <= header.last_offset()) {
            self.open.insert(next.producer_id);
        }
        header.is_control() || !producer.transactional || !self.open.contains(&producer.id)
    }

    /// After the marker of an abort its producer's next transaction begins.
    fn pass(&mut self, batch: &RecordBatch<'_>) {
        if let Some(producer) = batch.producer().filter(|_| is_abort_marker(batch)) {
            self.open.remove(&producer.id);
        }
    }
}

/// Whether the batch ends a transaction by an abort: the key of its first record is a version and a type, of which 0 is
/// the abort. Agrees with `ControlRecordType.parse`.
fn is_abort_marker(batch: &RecordBatch<'_>) -> bool {
    const ABORT: [u8; 2] = [0, 0];
    let first = batch.is_control().then(|| batch.control_records().next());
    let Some(Some(Ok(record))) = first else { return false };
    let mut key = Cursor::new(record.key.unwrap_or_default());
    key.array::<2>().is_some() && key.array() == Some(ABORT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Producer, Record, RecordBatchBuilder};

    fn batch(keys: &[&str]) -> Vec<u8> {
        batch_of(0, None, keys)
    }

    fn batch_of(base_offset: i64, producer: Option<Producer>, keys: &[&str]) -> Vec<u8> {
        let mut builder = RecordBatchBuilder::new().with_base_offset(base_offset).with_producer(producer);
        for key in keys {
            assert!(builder.append(&Record::tombstone(key.as_bytes()).with_timestamp(7)).unwrap());
        }
        builder.finish().to_vec()
    }

    /// The end of a transaction, as a broker writes it: 0 is an abort, 1 a commit.
    fn marker(offset: i64, producer: Producer, control_type: u8) -> Vec<u8> {
        let mut builder = RecordBatchBuilder::new()
            .with_base_offset(offset)
            .with_producer(Some(producer))
            .with_control(true);
        let key = [0, 0, 0, control_type];
        assert!(builder.append(&Record::new(Some(&key), Some(&[0; 6])).with_timestamp(7)).unwrap());
        builder.finish().to_vec()
    }

    /// A message of the format v0 or v1 with the key `k`: offset, length, CRC, magic, attributes, in v1 the time, key and
    /// value.
    fn message(magic: u8, offset: i64) -> Vec<u8> {
        let time: &[u8] = if magic == 1 { &[0; 8] } else { &[] };
        let body = [&[0; 4][..], &[magic, 0], time, &[0, 0, 0, 1], b"k", &[0xff; 4]].concat();
        let length = u32::try_from(body.len()).unwrap();
        [&offset.to_be_bytes()[..], &length.to_be_bytes(), &body].concat()
    }

    /// The records' keys, and the errors' messages.
    fn keys(batches: RecordBatches<'_>) -> Vec<String> {
        let records = batches.flat_map(|batch| match batch {
            Ok(batch) => batch
                .records()
                .map(|record| String::from_utf8(record.unwrap().key.unwrap().to_vec()).unwrap())
                .collect(),
            Err(error) => vec![error.message().to_owned()],
        });
        records.collect()
    }

    fn read(fetched: &[u8]) -> RecordBatches<'_> {
        RecordBatches::new(fetched, Limits::default())
    }

    #[test]
    fn the_records_of_all_batches_are_one_sequence_with_errors_in_their_place() {
        let mut damaged = batch(&["b"]);
        damaged[65] ^= 1;
        let fetched = [batch(&["a", "b"]), batch(&[]), damaged, batch(&["c"])].concat();
        let fetched = [fetched.as_slice(), &[0; 5]].concat();
        let mut batches = read(&fetched);
        let keys: Vec<_> =
            batches.records().map(|record| record.ok().map(|record| record.key.unwrap()[0])).collect();
        assert_eq!(keys, [Some(b'a'), Some(b'b'), None, Some(b'c')]);
        assert_eq!((batches.records().count(), batches.rest().len()), (0, 5));
    }

    #[cfg(feature = "snappy")]
    #[test]
    fn all_batches_together_are_limited() {
        let mut builder =
            RecordBatchBuilder::new().with_compression(crate::record::Compression::Snappy).unwrap();
        assert!(builder.append(&Record::new(Some(b"k"), Some(&[0; 1000]))).unwrap());
        let fetched = builder.finish().repeat(3);
        let limits = Limits::default().with_max_decompressed_bytes(2500);
        let mut batches = RecordBatches::new(&fetched, limits);
        let read: Vec<_> =
            batches.records().map(|record| record.map(drop).map_err(|error| error.kind())).collect();
        assert_eq!(read, [Ok(()), Ok(()), Err(crate::error::ErrorKind::Limit)]);
        assert_eq!(
            RecordBatches::new(&fetched, limits).filter_map(Result::ok).count(),
            3,
            "each is small enough"
        );
    }

    #[test]
    fn a_batch_cut_off_at_the_end_is_left_out() {
        let (first, second) = (batch(&["a", "b"]), batch(&["c"]));
        let fetched = [first.as_slice(), &second].concat();
        for cut in 1..=second.len() {
            let fetched = &fetched[..fetched.len() - cut];
            assert_eq!(keys(read(fetched)), ["a", "b"]);
            let mut batches = read(fetched);
            assert_eq!(batches.by_ref().count(), 1);
            assert_eq!(batches.rest().len(), second.len() - cut);
        }
    }

    #[test]
    fn a_damaged_batch_does_not_hide_the_next_and_says_its_offsets() {
        let mut damaged = batch_of(10, None, &["b", "c", "d"]);
        damaged[65] ^= 1;
        let fetched = [batch(&["a"]), damaged, batch(&["c"])].concat();
        assert_eq!(keys(read(&fetched)), ["a", "the CRC-32C of the batch does not match", "c"]);
        let error = read(&fetched).find_map(Result::err).unwrap();
        assert_eq!(error.help(), Some("the batch says that it covers the offsets 10 to 12"));
    }

    #[test]
    fn a_message_of_an_older_format_is_an_error_and_what_follows_is_read() {
        let fetched = [message(0, 0), batch(&["a"]), message(1, 2), message(1, 3), batch(&["b"])].concat();
        let refused = |offset, magic| {
            format!(
                "the message at offset {offset} has format v{magic}; only v2, that of Kafka 0.11 and later, can be read"
            )
        };
        assert_eq!(
            keys(read(&fetched)),
            [refused(0, 0), "a".to_owned(), refused(2, 1), refused(3, 1), "b".to_owned()]
        );
        assert_eq!(keys(read(&message(0, 0)[..26])), [""; 0], "cut off");
    }

    #[test]
    fn where_no_batch_can_be_the_search_ends() {
        for (byte, value, message) in [
            (11, 48, "the batch length 48 is invalid"),
            (8, 0x80, "the batch length -2147483591 is invalid"),
            (16, 3, "the batch has format v3, which is unknown; only v2 can be read"),
        ] {
            let mut damaged = batch(&["b"]);
            damaged[byte] = value;
            assert_eq!(keys(read(&[batch(&["a"]), damaged, batch(&["c"])].concat())), ["a", message]);
        }
        let mut short = message(1, 0);
        short[11] = 13;
        assert_eq!(keys(read(&short)), ["the batch length 13 is invalid"]);
    }

    #[test]
    fn aborted_transactions_are_left_out_and_the_producers_next_one_is_read() {
        let producer = |id| Some(Producer::new(id, 0).transactional());
        let (seven, eight) = (producer(7), producer(8));
        let fetched = [
            batch_of(0, seven, &["aborted"]),
            batch_of(1, None, &["plain"]),
            batch_of(2, eight, &["committed"]),
            batch_of(3, seven, &["aborted too"]),
            marker(4, seven.unwrap(), 0),
            marker(5, eight.unwrap(), 1),
            batch_of(6, seven, &["later"]),
            batch_of(7, Some(Producer::new(7, 0)), &["idempotent"]),
            marker(8, seven.unwrap(), 1),
            batch_of(9, eight, &["aborted later"]),
        ]
        .concat();
        let transaction = |producer_id, first_offset| AbortedTransaction { producer_id, first_offset };
        let aborted = [transaction(8, 9), transaction(7, 0)];
        assert_eq!(
            keys(read(&fetched).read_committed(aborted)),
            ["plain", "committed", "later", "idempotent"]
        );
        let mut batches = read(&fetched).read_committed(aborted);
        assert_eq!(batches.next_offset(), None);
        batches.by_ref().for_each(drop);
        assert_eq!(batches.next_offset(), Some(10), "what was left out was gone over too");
        assert_eq!(keys(read(&fetched)).len(), 7, "all are read where nobody asks");
        assert_eq!(keys(read(&fetched).read_committed([])).len(), 7);
    }

    #[test]
    fn records_below_the_asked_offset_are_left_out() {
        let fetched = batch_of(10, None, &["a", "b", "c", "d", "e"]);
        let batch = read(&fetched).next().unwrap().unwrap();
        for (offset, left) in [(0, 5), (10, 5), (12, 3), (14, 1), (15, 0)] {
            let offsets: Vec<_> =
                batch.records_from(offset).map(|record| record.unwrap().offset.unwrap()).collect();
            assert!(offsets.iter().eq(&(15 - left..15).collect::<Vec<_>>()), "{offset}: {offsets:?}");
        }
    }
}
