//! What users would write by hand, as the documentation of each library recommends it.

pub mod borrowed;
pub mod kafka_protocol;
pub mod serde_tuned;
