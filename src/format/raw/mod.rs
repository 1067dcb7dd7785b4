//! `raw`: one column, its bytes as they are.
//!
//! Agrees with `org.apache.flink.formats.raw.RawFormatSerializationSchema` and `RawFormatDeserializationSchema`.

mod charset;
mod options;

pub(crate) use self::options::RawOptions;
