//! `json`: one object a row.
//!
//! Agrees with `org.apache.flink.formats.json.JsonRowDataSerializationSchema` and its deserializers.

mod check;
mod compact;
mod decode;
mod encode;
mod lexer;
mod member_name;
mod member_order;
mod options;
mod plan;
mod scalar;
mod streaming;
mod tree;
mod utf8;
mod walk;

pub(super) use self::compact::Compact;
pub(crate) use self::decode::JsonDecoder;
pub(crate) use self::encode::JsonEncoder;
pub(super) use self::lexer::{Lexer, Token};
pub(crate) use self::member_order::MemberOrder;
pub(crate) use self::options::{
    DECIMAL_AS_PLAIN_NUMBER, ENVELOPE_OPTIONS, IGNORE_NULL_FIELDS, IGNORE_PARSE_ERRORS, JsonOptions,
    MAP_NULL_KEY_LITERAL, MAP_NULL_KEY_MODE, TIMESTAMP_FORMAT,
};
pub(super) use self::plan::Fields;
pub(super) use self::scalar::{float_as_bigint, float_as_int};
pub(crate) use self::tree::{FloatNodes, Kind, NodeId, Tree, TreeReader, parse_document};
pub(super) use self::utf8::to_utf8;
