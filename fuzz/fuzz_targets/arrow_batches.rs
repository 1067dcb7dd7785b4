#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| upsert_kafka_fuzz::arrow_batches(data));
