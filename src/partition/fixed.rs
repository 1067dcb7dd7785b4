//! One partition a writer. Agrees with Flink's `FlinkFixedPartitioner`.

use super::{PartitionInput, Partitioner};

/// Flink's `sink.partitioner` = `fixed`: the writer's own partition, whatever the record says.
///
/// With more writers than partitions some share one; with fewer, some partitions stay empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedPartitioner;

impl Partitioner for FixedPartitioner {
    fn partition(&mut self, of: &PartitionInput<'_>) -> i32 {
        of.own_partition()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_writers_than_partitions_share_them() {
        // FlinkFixedPartitionerTest.testMoreFlinkThanBrokers and testFewerPartitions, in one table.
        let chosen = [0, 1, 2, 3].map(|subtask| {
            FixedPartitioner.partition(&PartitionInput::new("t", Some(b"abc"), None, 2).with_subtask(subtask))
        });
        assert_eq!(chosen, [0, 1, 0, 1]);
    }
}
