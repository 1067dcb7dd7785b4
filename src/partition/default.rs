//! The partitioner a producer has when nobody configures one. Agrees with Kafka's `BuiltInPartitioner`.

use super::{PartitionInput, Partitioner, partition_for_key};

/// Kafka's default: the hash of the key, and a sticky partition for records without one.
///
/// Records without a key go to one partition until a batch full of them went there, then to the next, so that
/// batches are large. Java draws the next one at random; here it is the neighbour, and the first is the writer's own
/// (subtask modulo partitions), so that a run can be repeated.
#[derive(Clone, Debug)]
pub struct DefaultPartitioner {
    batch_size: usize,
    sticky: Option<i32>,
    /// Bytes that went to the sticky partition.
    sent: usize,
}

impl DefaultPartitioner {
    /// Kafka's default of `batch.size`.
    pub const BATCH_SIZE: usize = 16_384;

    /// Kafka's defaults.
    #[must_use]
    pub fn new() -> Self {
        Self { batch_size: Self::BATCH_SIZE, sticky: None, sent: 0 }
    }

    /// The bytes of records without a key after which another partition has its turn: the producer's `batch.size`.
    #[must_use]
    pub fn with_batch_size(mut self, bytes: usize) -> Self {
        self.batch_size = bytes;
        self
    }

    fn sticky_partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        let partition = match self.sticky {
            None => of.own_partition(),
            Some(previous) if self.sent >= self.batch_size => {
                self.sent = 0;
                (previous % of.partitions + 1) % of.partitions
            }
            Some(current) => current % of.partitions,
        };
        self.sticky = Some(partition);
        // The values of a batch size without end are more than 32 bits count.
        self.sent = self.sent.saturating_add(RECORD_OVERHEAD + of.value.map_or(0, <[u8]>::len));
        partition
    }
}

/// What a short record without a key takes in a batch beside its value: its lengths, deltas and counts.
const RECORD_OVERHEAD: usize = 7;

impl Default for DefaultPartitioner {
    fn default() -> Self {
        Self::new()
    }
}

impl Partitioner for DefaultPartitioner {
    #[inline]
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        match of.key {
            Some(key) => partition_for_key(key, of.partitions),
            None => self.sticky_partition(of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partitions_of(partitioner: &mut DefaultPartitioner, subtask: u32, values: &[&[u8]]) -> Vec<i32> {
        values
            .iter()
            .map(|value| {
                partitioner.partition(&PartitionInput::new("t", None, Some(value), 3).with_subtask(subtask))
            })
            .collect()
    }

    #[test]
    fn null_keys_stick_to_a_partition_until_a_batch_is_full() {
        let mut partitioner = DefaultPartitioner::new().with_batch_size(20);
        let four: &[u8] = b"four"; // 11 bytes with its overhead: two fill a batch of 20.
        assert_eq!(partitions_of(&mut partitioner, 0, &[four; 7]), [0, 0, 1, 1, 2, 2, 0]);
    }

    #[test]
    fn every_writer_starts_at_its_own_partition() {
        assert_eq!(partitions_of(&mut DefaultPartitioner::new(), 4, &[b"v"]), [1]);
    }

    #[test]
    fn the_bytes_of_a_batch_without_end_are_counted_up_to_the_greatest_number() {
        let mut partitioner = DefaultPartitioner::new().with_batch_size(usize::MAX);
        partitions_of(&mut partitioner, 0, &[b"v"]);
        partitioner.sent = usize::MAX - 1;
        assert_eq!(partitions_of(&mut partitioner, 0, &[b"v", b"v"]), [0, 1]);
    }

    #[test]
    fn tombstones_without_a_key_move_on_too() {
        let mut partitioner = DefaultPartitioner::new().with_batch_size(7);
        assert_eq!(partitions_of(&mut partitioner, 0, &[b"", b""]), [0, 1]);
    }

    #[test]
    fn an_empty_key_is_a_key() {
        let mut partitioner = DefaultPartitioner::new().with_batch_size(0);
        let input = PartitionInput::new("t", Some(b""), None, 12);
        assert_eq!([partitioner.partition(&input), partitioner.partition(&input)], [9, 9]);
    }

    #[test]
    fn a_topic_with_fewer_partitions_is_never_missed() {
        let mut partitioner = DefaultPartitioner::new();
        partitions_of(&mut partitioner, 2, &[b"v"]);
        let input = PartitionInput::new("t", None, None, 1);
        assert_eq!(partitioner.partition(&input), 0);
    }
}
