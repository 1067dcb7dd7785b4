use upsert_kafka::partition::murmur2;
use upsert_kafka::partition_for_key;

use super::bytes::read_bytes;
use super::{Case, Unmet, check};

/// `{"key", "murmur2", "partitions": {"<count>": partition, ...}}`.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let key = read_bytes(case.get("key")).expect("a key is not null here");
    check("murmur2", case.get("murmur2"), &murmur2(&key).into())?;
    for (count, partition) in case.get("partitions").as_object().into_iter().flatten() {
        let partitions: i32 = count.parse().expect("a number of partitions");
        check(count, partition, &partition_for_key(&key, partitions).into())?;
    }
    Ok(())
}
