use serde_json::Value;
use upsert_kafka::record::{Producer, RecordBatch, RecordBatchBuilder};
use upsert_kafka::{ConsumerRecord, Error, Limits, Record};

use super::bytes::{RecordParts, read_bytes};
use super::{Case, Unmet, check};

/// A batch that Java's client built: ours of the same records is equal, byte for byte, and Java's reads back as them.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let batch = read_bytes(case.get("batch")).unwrap_or_default();
    let uncompressed = match case.get("compression").as_str() {
        Some("none") => batch.clone(),
        // Compressed bytes are the compressor's; what is in them is equal.
        _ => read_bytes(case.get("uncompressed_batch")).unwrap_or_default(),
    };
    let built = build(case).map_err(|error| Unmet::mismatch("a batch", error.to_string()))?;
    check("batch", &uncompressed, &built)?;
    let batch = RecordBatch::parse(&batch, Limits::default())
        .map_err(|error| Unmet::mismatch("a batch to read", error.to_string()))?;
    read(case, &batch)
}

fn read(case: &Case, batch: &RecordBatch<'_>) -> Result<(), Unmet> {
    let number = |name: &str| case.get(name).as_i64().expect("a number");
    check("compression", &case.get("compression").as_str(), &Some(batch.compression().as_str()))?;
    check("timestamp type", &case.get("timestamp_type").as_str(), &Some(batch.timestamp_type().as_str()))?;
    check("base offset", &number("base_offset"), &batch.base_offset())?;
    check("last offset", &(number("base_offset") + number("last_offset_delta")), &batch.last_offset())?;
    check("max timestamp", &number("max_timestamp"), &batch.max_timestamp().unwrap_or(-1))?;
    check("leader epoch", &number("partition_leader_epoch"), &batch.leader_epoch().unwrap_or(-1).into())?;
    let producer = batch.producer();
    check("producer id", &number("producer_id"), &producer.map_or(-1, |producer| producer.id))?;
    check("sequence", &number("base_sequence"), &producer.map_or(-1, |producer| producer.sequence).into())?;
    check("control", &(case.get("control") == true), &batch.is_control())?;
    let records: Vec<_> = batch
        .control_records()
        .collect::<Result<_, _>>()
        .map_err(|error| Unmet::mismatch("its records", error.to_string()))?;
    let expected = case.get("records").as_array().map(Vec::as_slice).unwrap_or_default();
    check("records", &expected.len(), &records.len())?;
    expected.iter().zip(&records).try_for_each(|(expected, record)| read_record(expected, record))
}

fn read_record(expected: &Value, record: &ConsumerRecord<'_>) -> Result<(), Unmet> {
    // For LogAppendTime the reader sees the batch's time.
    let timestamp = expected["read_timestamp"].as_i64().or(expected["timestamp"].as_i64());
    check("offset", &expected["offset"].as_i64(), &record.offset)?;
    check("timestamp", &timestamp, &record.timestamp.or(Some(-1)))?;
    let parts = RecordParts::read(expected);
    let mut got = Record::new(record.key, record.value).with_headers(record.headers);
    got.timestamp = expected["timestamp"].as_i64();
    check("record", &parts.as_record(), &got)
}

fn build(case: &Case) -> Result<Vec<u8>, Error> {
    let number = |name: &str| case.get(name).as_i64().expect("a number");
    let mut builder = RecordBatchBuilder::new().with_max_bytes(usize::MAX);
    if number("producer_id") >= 0 {
        builder = builder.with_producer(Some(Producer {
            id: number("producer_id"),
            epoch: i16::try_from(number("producer_epoch")).expect("an i16"),
            sequence: i32::try_from(number("base_sequence")).expect("an i32"),
            transactional: case.get("transactional") == true,
        }));
    }
    builder = builder.with_base_offset(number("base_offset"));
    let epoch = i32::try_from(number("partition_leader_epoch")).expect("an i32");
    builder = builder.with_partition_leader_epoch(Some(epoch).filter(|epoch| *epoch != -1));
    builder = builder.with_control(case.get("control") == true);
    if case.get("timestamp_type") == "LogAppendTime" {
        builder = builder.with_log_append_time(Some(number("max_timestamp")));
    }
    for record in case.get("records").as_array().into_iter().flatten() {
        let offset = record["offset"].as_i64().expect("an offset");
        assert!(builder.append_at(offset, &RecordParts::read(record).as_record())?, "no limit is set");
    }
    Ok(builder.finish().to_vec())
}
