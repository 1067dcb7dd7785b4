//! The workloads and the light peers of all benches, built once, outside the measurement.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "no bench uses all of it")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts of a bench"
)]

pub mod connect;
pub mod formats;
pub mod normalizer;
pub mod orders;
pub mod peers;
pub mod shapes;

use upsert_kafka::{Encoder, RecordBuf, Row, RowKind};

/// How many rows a workload has.
pub const ROWS: usize = 1024;

/// How many partitions the topic has.
pub const PARTITIONS: i32 = 12;

/// The timestamp of all records.
pub const NOW_MS: i64 = 1_715_000_000_000;

/// Key and value of a record.
pub type KeyAndValue = (Option<Vec<u8>>, Option<Vec<u8>>);

/// The record of each row.
pub fn encoded<R: Row>(encoder: &Encoder, rows: &[(RowKind, R)]) -> Vec<KeyAndValue> {
    let mut buf = RecordBuf::new();
    let records = rows.iter().map(|(kind, row)| {
        let record = encoder.encode(*kind, row, &mut buf).unwrap().unwrap();
        (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec))
    });
    records.collect()
}
