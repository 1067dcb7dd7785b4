//! `raw`: one column, its bytes as they are.
//!
//! Agrees with `org.apache.flink.formats.raw.RawFormatSerializationSchema` and `RawFormatDeserializationSchema`.

mod charset;
mod column;
mod decode;
mod encode;
#[cfg(feature = "charsets")]
mod legacy;
mod options;

pub(crate) use self::decode::RawDecoder;
pub(crate) use self::encode::RawEncoder;
pub(crate) use self::options::RawOptions;
