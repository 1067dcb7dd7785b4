/// The producer a batch names, which lets brokers drop what they got twice.
///
/// A batch keeps its sequence number however often it is sent: send the same bytes again. A broker knows the last five
/// batches of a producer in each partition and answers a repeated one as if it were new (or with
/// `DUPLICATE_SEQUENCE_NUMBER`, which is as good); it refuses one that leaves a gap, with `OUT_OF_ORDER_SEQUENCE_NUMBER`.
/// So at most five requests of a partition may be under way, and what comes after a batch that failed is sent after it.
///
/// A broker forgets a producer a day (`producer.id.expiration.ms`) after the timestamps of its records, not after their
/// arrival: old records that are sent again after the broker has died may be written twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Exhaustive: callers make it, of what the header of a batch has room for.
pub struct Producer {
    /// The id that the broker gave to the producer.
    pub id: i64,
    /// The epoch of that id.
    pub epoch: i16,
    /// The sequence number of the next batch's first record; the builder moves it on from batch to batch.
    pub sequence: i32,
    /// Whether the batch belongs to a transaction.
    pub transactional: bool,
}

impl Producer {
    /// An idempotent producer that has not sent anything yet.
    #[must_use]
    pub fn new(id: i64, epoch: i16) -> Self {
        Self { id, epoch, sequence: 0, transactional: false }
    }

    /// The same producer, inside a transaction.
    #[must_use]
    pub fn transactional(mut self) -> Self {
        self.transactional = true;
        self
    }

    /// Moves on after a batch of so many records. After `i32::MAX` comes 0. Agrees with
    /// `DefaultRecordBatch.incrementSequence`.
    pub(super) fn advance(&mut self, record_count: i32) {
        self.sequence = self.sequence.wrapping_add(record_count) & i32::MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From Kafka's `DefaultRecordBatchTest.testIncrementSequence`.
    #[test]
    fn sequence_numbers_wrap_to_zero() {
        for (sequence, record_count, next) in [(5, 5, 10), (i32::MAX, 1, 0), (i32::MAX - 5, 10, 4)] {
            let mut producer = Producer { sequence, ..Producer::new(7, 0) };
            producer.advance(record_count);
            assert_eq!(producer.sequence, next);
        }
    }
}
