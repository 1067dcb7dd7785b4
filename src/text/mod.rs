//! Java's spelling of values, over plain integers and byte buffers: numbers, dates, base64, string escapes.
//!
//! The writers append to the caller's buffer and allocate nothing else. The readers take foreign text and answer with
//! a value or with none; what to say about bad text is the caller's business.

mod base64;
mod calendar;
mod datetime;
mod decimal;
mod digits;
mod escape;
mod float;
mod float_jdk8;
mod integer;
mod parse_datetime;
mod parse_decimal;
mod parse_float;
mod parse_integer;
mod parse_ogg;
mod parse_sql;
mod scratch;
mod utf8;

pub(crate) use self::base64::{read_base64, write_base64};
pub(crate) use self::datetime::{write_date, write_time, write_timestamp};
pub(crate) use self::decimal::{write_decimal_plain, write_decimal_scientific};
pub(crate) use self::escape::{write_escaped, write_escaped_text};
pub use self::float::Jdk;
pub(crate) use self::float::{write_f32, write_f64};
pub(crate) use self::integer::write_integer;
pub(crate) use self::parse_datetime::{
    parse_date, parse_time, parse_time_iso, parse_timestamp_iso, parse_timestamp_ltz_iso,
    parse_timestamp_ltz_sql, parse_timestamp_sql,
};
pub(crate) use self::parse_decimal::parse_decimal;
pub(crate) use self::parse_float::{parse_f32, parse_f64};
pub(crate) use self::parse_integer::{parse_integer, trim_java};
pub(crate) use self::parse_ogg::{parse_ogg_event_timestamp, parse_ogg_ingestion_timestamp};
pub(crate) use self::parse_sql::parse_sql_date;
pub(crate) use self::scratch::Label;
pub(crate) use self::utf8::decode_utf8;

/// The text does not have the form that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;
