use super::arguments::Updates;

/// What a Flink job emitted, and the topic that Flink and Kafka made of it.
#[derive(Debug)]
pub struct Sample {
    pub name: &'static str,
    /// The table's `CREATE TABLE`.
    pub table: &'static str,
    /// The rows, one a line.
    pub changelog: &'static str,
    /// The records, one a line, partition by partition in order.
    pub topic: &'static str,
    pub partitions: i32,
    pub updates: Updates,
}

/// How many partitions the topics have.
pub const SIX: i32 = 6;

macro_rules! sample {
    ($name:literal, $updates:expr) => {
        Sample {
            name: $name,
            table: include_str!(concat!("data/", $name, ".sql")),
            changelog: include_str!(concat!("data/", $name, ".jsonl")),
            topic: include_str!(concat!("data/", $name, ".topic.jsonl")),
            partitions: SIX,
            updates: $updates,
        }
    };
}

/// `SELECT valueKey, COUNT(*) ... GROUP BY valueKey`. Flink's planner sees that its -U are not needed, and withholds
/// them from the sink.
pub const COUNT: Sample = sample!("count", Updates::Drop);

/// What a left join emits: no updates, but deletes.
pub const JOIN: Sample = sample!("join", Updates::Tombstone);

impl Sample {
    pub fn named(name: &str) -> Option<&'static Self> {
        [&COUNT, &JOIN].into_iter().find(|sample| sample.name == name)
    }
}
