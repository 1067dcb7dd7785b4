//! `maxwell-json`: the change events of Maxwell as JSON.
//!
//! Agrees with `org.apache.flink.formats.json.maxwell.MaxwellJsonSerializationSchema` and `MaxwellJsonDeserializationSchema`.

mod layout;
mod options;

pub(crate) use self::options::MaxwellOptions;
