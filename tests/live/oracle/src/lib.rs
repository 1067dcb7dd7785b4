//! The crate held against the real ones: random and recorded cases, answered by Flink, its connector and Kafka's client
//! in a Java process beside us, and compared as the golden vectors are.

pub mod case;
pub mod compatibility;
pub mod hold;
pub mod java;
pub mod oracle;
pub mod random;
pub mod shrink;

#[path = "../../../golden_runner/mod.rs"]
#[allow(dead_code, unused_imports, reason = "what only the golden vectors need")]
mod golden_runner;
