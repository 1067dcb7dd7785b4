//! Java's spelling of values, over plain integers and byte buffers: numbers, dates, base64, string escapes.
//!
//! The writers of bounded texts fill a [`Room`] and say how much of it; [`append`] lends one at the end of a `Vec`. The
//! others append to a `Vec`, or write into a slice if there is room enough. The readers take foreign text and answer
//! with a value or with none; what to say about bad text is the caller's business.

mod base64;
mod calendar;
mod datetime;
mod decimal;
mod digits;
mod escape;
mod float;
mod float_digits;
mod float_jdk8;
mod integer;
mod label;
mod parse_cast;
mod parse_datetime;
mod parse_decimal;
mod parse_float;
mod parse_integer;
mod parse_ogg;
mod parse_sql;
mod room;
mod shown;
mod utf8;

pub(crate) use self::base64::{put_base64, read_base64, write_base64};
pub(crate) use self::datetime::{MILLIS_OF_DAY, put_date, put_time, put_timestamp};
pub(crate) use self::decimal::{put_decimal_plain, put_decimal_scientific};
pub(crate) use self::escape::{put_escaped, write_escaped, write_escaped_text};
pub use self::float::Jdk;
pub(crate) use self::float::{put_f32, put_f64};
pub(crate) use self::integer::put_integer;
pub(crate) use self::label::Label;
pub(crate) use self::parse_cast::{
    cast_boolean, cast_date, cast_f32, cast_f64, cast_integer, cast_time, cast_timestamp,
};
pub(crate) use self::parse_datetime::{
    parse_date, parse_time, parse_time_iso, parse_timestamp_iso, parse_timestamp_ltz_iso,
    parse_timestamp_ltz_sql, parse_timestamp_sql,
};
pub(crate) use self::parse_decimal::parse_decimal;
pub(crate) use self::parse_float::{parse_f32, parse_f64};
pub(crate) use self::parse_integer::{parse_integer, trim_java};
pub(crate) use self::parse_ogg::{parse_ogg_event_timestamp, parse_ogg_ingestion_timestamp};
pub(crate) use self::parse_sql::parse_sql_date;
pub(crate) use self::room::{Room, append, put_boolean};
pub(crate) use self::shown::shown;
pub(crate) use self::utf8::{as_utf8, decode_utf8};

/// The text does not have the form that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;
