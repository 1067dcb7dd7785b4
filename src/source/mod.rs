//! From records to rows, and what a reader of upserts needs behind that: a changelog without duplicates, versions in
//! event time.

mod normalizer;
mod versioned;

pub use normalizer::{ChangelogNormalizer, Retractions};
pub use versioned::{DeleteTime, VersionedTable};
