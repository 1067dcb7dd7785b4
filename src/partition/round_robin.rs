//! Every partition in turn. Agrees with `org.apache.kafka.clients.producer.RoundRobinPartitioner`.

use super::{PartitionInput, Partitioner};

/// Kafka's `RoundRobinPartitioner`: each record goes to the partition after the last one's, whatever its key.
///
/// Flink's `sink.partitioner` = `round-robin` is not this: it leaves the choice to the producer, as `default` does.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobinPartitioner {
    counter: i32,
}

impl RoundRobinPartitioner {
    /// Starts with partition 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Partitioner for RoundRobinPartitioner {
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        // Java masks the sign of its int counter, so that it wraps to 0 after i32::MAX.
        let partition = (self.counter & i32::MAX) % of.partitions;
        self.counter = self.counter.wrapping_add(1);
        partition
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_take_turns_whatever_the_key() {
        let mut partitioner = RoundRobinPartitioner::new();
        let chosen =
            [&b"a"[..]; 5].map(|key| partitioner.partition(&PartitionInput::new("t", Some(key), None, 3)));
        assert_eq!(chosen, [0, 1, 2, 0, 1]);
    }
}
