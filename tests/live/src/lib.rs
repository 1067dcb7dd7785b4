//! What the tests against the real programs share.

pub mod kafka;
