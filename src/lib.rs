//! An upsert changelog codec and partitioner core.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod row;

pub use crate::error::{Error, ErrorKind, Part};
pub use crate::row::{
    AsDatum, ChangelogBuf, Datum, Decimal, Entries, Row, RowBuf, RowKind, Timestamp, ValueSource, Values,
};
