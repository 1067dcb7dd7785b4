//! `csv`: one line a row.
//!
//! Agrees with `org.apache.flink.formats.csv.CsvRowDataSerializationSchema` and `CsvRowDataDeserializationSchema`.

mod check;
mod options;

pub(crate) use self::options::CsvOptions;
