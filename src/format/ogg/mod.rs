//! `ogg-json`: the change events of Ogg as JSON.
//!
//! Agrees with `org.apache.flink.formats.json.ogg.OggJsonSerializationSchema` and `OggJsonDeserializationSchema`.

mod layout;
mod options;

pub(crate) use self::options::OggOptions;
