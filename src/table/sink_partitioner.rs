/// Who chooses the partitions of a table's records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SinkPartitioner {
    /// The producer's: by the hash of the key, and without a key sticky. `sink.partitioner` is `default`, absent or
    /// `round-robin`, which Flink leaves to the producer as well.
    Default,
    /// `fixed`: each subtask writes to one partition.
    Fixed,
    /// Partitions take turns, whatever the key: `connector.sink-partitioner` = `round-robin` of the older dialect.
    RoundRobin,
    /// The one that [`Settings::with_partitioner`](super::Settings::with_partitioner) has under this class name.
    Custom(String),
}

impl SinkPartitioner {
    /// Flink's class name of it; `None` where there is none.
    #[must_use]
    pub fn class_name(&self) -> Option<&str> {
        match self {
            Self::Default | Self::RoundRobin => None,
            Self::Fixed => Some(FIXED_PARTITIONER),
            Self::Custom(class) => Some(class),
        }
    }
}

pub(super) const FIXED_PARTITIONER: &str =
    "org.apache.flink.streaming.connectors.kafka.partitioner.FlinkFixedPartitioner";
