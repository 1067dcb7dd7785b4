#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| upsert_kafka_fuzz::debezium_decode(data));
