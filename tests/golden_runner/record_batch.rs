use upsert_kafka::{Error, Producer, RecordBatchBuilder};

use super::bytes::{RecordParts, read_bytes};
use super::{Case, Unmet, check};

/// A batch that Java's client built: ours of the same records is equal, byte for byte.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let batch = match case.get("compression").as_str() {
        Some("none") => case.get("batch"),
        // Compressed bytes are the compressor's; what is in them is equal.
        _ => case.get("uncompressed_batch"),
    };
    let built = build(case).map_err(|error| Unmet::mismatch("a batch", error.to_string()))?;
    check("batch", &read_bytes(batch).unwrap_or_default(), &built)
}

fn build(case: &Case) -> Result<Vec<u8>, Error> {
    let number = |name: &str| case.get(name).as_i64().expect("a number");
    let mut builder = RecordBatchBuilder::new();
    builder.set_max_bytes(usize::MAX);
    if number("producer_id") >= 0 {
        builder.set_producer(Some(Producer {
            id: number("producer_id"),
            epoch: i16::try_from(number("producer_epoch")).expect("an i16"),
            sequence: i32::try_from(number("base_sequence")).expect("an i32"),
            transactional: case.get("transactional") == true,
        }));
    }
    builder.set_base_offset(number("base_offset"));
    builder.set_partition_leader_epoch(i32::try_from(number("partition_leader_epoch")).expect("an i32"));
    builder.set_control(case.get("control") == true);
    if case.get("timestamp_type") == "LogAppendTime" {
        builder.set_log_append_time(Some(number("max_timestamp")));
    }
    for record in case.get("records").as_array().into_iter().flatten() {
        let offset = record["offset"].as_i64().expect("an offset");
        assert!(builder.append_at(offset, &RecordParts::read(record).as_record())?, "no limit is set");
    }
    Ok(builder.finish().to_vec())
}
