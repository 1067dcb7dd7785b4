//! `csv`: one line a row.
//!
//! Agrees with `org.apache.flink.formats.csv.CsvRowDataSerializationSchema` and `CsvRowDataDeserializationSchema`.

mod check;
mod decode;
mod encode;
mod input;
mod line;
mod options;
mod quote;

pub(crate) use self::decode::CsvDecoder;
pub(crate) use self::encode::CsvEncoder;
pub(crate) use self::options::CsvOptions;
