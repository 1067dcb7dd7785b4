use upsert_kafka::record::TimestampType;
use upsert_kafka::{ConsumerRecord, Record};

/// What is written, as it is read.
pub(super) fn consumed<'a>(written: &Record<'a>) -> ConsumerRecord<'a> {
    ConsumerRecord::new(written.key, written.value)
        .with_headers(written.headers)
        .with_timestamp(written.timestamp.unwrap_or(0), TimestampType::CreateTime)
}
