//! The formats: what becomes of one row in a key or a value, and back.
//!
//! A format compiles its schema and options once ([`RowEncoder`]) and runs without looking at either.
//! A format is a folder here and a line in `formats!`.

pub(crate) mod json;

use crate::error::Error;
use crate::row::{Row, RowKind};
use crate::text::Jdk;
use crate::types::Field;

/// What the table's options cannot say and the formats must know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatSettings {
    /// Whose digits FLOAT and DOUBLE are written with.
    pub(crate) jdk: Jdk,
}

/// The columns that a format writes or reads: their fields, and where they are in the table's row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection<'a> {
    /// The fields as the format names and types them: a key's without their prefix.
    pub(crate) fields: &'a [Field],
    /// For each field the column of the row.
    pub(crate) columns: &'a [usize],
}

/// What a format made of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoded {
    /// The bytes that were appended, be it none.
    Bytes,
    /// No byte string at all: `raw` of NULL. In a value, a tombstone.
    Null,
}

/// A compiled format: writes the projected columns of a row.
pub(crate) trait EncodeRow {
    /// Appends the row to `out`. On an error `out` may hold a part of it: the caller truncates.
    fn encode<R: Row + ?Sized>(&self, kind: RowKind, row: &R, out: &mut Vec<u8>) -> Result<Encoded, Error>;
}
