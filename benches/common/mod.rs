//! The workloads and the light peers of all benches, built once, outside the measurement.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "no bench uses all of it")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts of a bench"
)]

pub mod orders;
pub mod peers;
pub mod shapes;

use std::num::NonZeroU32;

/// How many rows a workload has.
pub const ROWS: usize = 1024;

/// How many partitions the topic has.
pub const PARTITIONS: NonZeroU32 = NonZeroU32::new(12).unwrap();

/// The timestamp of all records.
pub const NOW_MS: i64 = 1_715_000_000_000;
