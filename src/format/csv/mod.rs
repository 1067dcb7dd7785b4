//! `csv`: one line a row.
//!
//! Agrees with `org.apache.flink.formats.csv.CsvRowDataSerializationSchema` and `CsvRowDataDeserializationSchema`.

mod check;
mod encode;
mod options;
mod quote;

pub(crate) use self::encode::CsvEncoder;
pub(crate) use self::options::CsvOptions;
