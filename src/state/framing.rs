//! Byte strings and times in snapshots: lengths before them, checked when read back.

use std::io::Write;

use crate::error::{Error, ErrorKind};
use crate::wire::{Cursor, append_varlong};

/// Writes a part of a snapshot.
pub(crate) fn write_all(out: &mut impl Write, bytes: &[u8]) -> Result<(), Error> {
    out.write_all(bytes).map_err(|error| {
        Error::new(ErrorKind::Unavailable, "the snapshot cannot be written").with_source(error)
    })
}

#[inline]
pub(crate) fn put_len(out: &mut Vec<u8>, len: usize) {
    // Nothing in memory is longer than an i64 counts.
    append_varlong(out, i64::try_from(len).unwrap_or(i64::MAX));
}

pub(crate) fn take_len(cursor: &mut Cursor<'_>) -> Option<usize> {
    usize::try_from(cursor.varlong()?).ok()
}

#[inline]
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend_from_slice(bytes);
}

pub(crate) fn take_bytes<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let len = take_len(cursor)?;
    cursor.take(len)
}

pub(crate) fn put_bool(out: &mut Vec<u8>, value: bool) {
    out.push(u8::from(value));
}

pub(crate) fn take_bool(cursor: &mut Cursor<'_>) -> Option<bool> {
    match cursor.array()? {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

pub(crate) fn put_time(out: &mut Vec<u8>, time: Option<i64>) {
    put_bool(out, time.is_some());
    out.extend(time.into_iter().flat_map(i64::to_le_bytes));
}

pub(crate) fn take_time(cursor: &mut Cursor<'_>) -> Option<Option<i64>> {
    if take_bool(cursor)? { Some(Some(i64::from_le_bytes(cursor.array()?))) } else { Some(None) }
}
