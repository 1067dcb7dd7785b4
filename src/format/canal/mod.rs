//! `canal-json`: the change events of Canal as JSON.
//!
//! Agrees with `org.apache.flink.formats.json.canal.CanalJsonSerializationSchema` and `CanalJsonDeserializationSchema`.

mod layout;
mod options;

pub(crate) use self::options::CanalOptions;
