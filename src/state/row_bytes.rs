//! Rows as bytes that say themselves what they are.
//!
//! A row is the number of its columns and their values; a value is a tag and what belongs to it. Integers are little
//! endian, counts and lengths zig-zag varints.
//!
//! | tag | value | after it |
//! |---|---|---|
//! | 0 | NULL | |
//! | 1, 2 | BOOLEAN false, true | |
//! | 3, 4, 5, 6 | TINYINT, SMALLINT, INT, BIGINT | 1, 2, 4, 8 bytes |
//! | 7, 8 | FLOAT, DOUBLE | 4, 8 bytes, IEEE 754 |
//! | 9 | DECIMAL | the scale, 16 bytes unscaled value |
//! | 10, 11 | STRING, BYTES | length, bytes |
//! | 12, 13 | DATE, TIME | 4 bytes |
//! | 14 | TIMESTAMP | 8 bytes milliseconds, 4 bytes nanoseconds |
//! | 15, 16 | ARRAY, ROW | count, values |
//! | 17 | MAP | count, keys and values in turn |
//!
//! The *canonical* form is the same with one spelling a value: NaN is Java's, decimals have no trailing zeros, the
//! entries of a map are sorted. Equal values, and no others, have equal canonical bytes.

use super::framing::{put_bytes, put_len, take_bytes, take_len};
use crate::error::{Error, ErrorKind};
use crate::row::{Datum, Decimal, Entries, Row, RowBuf, Slot, Timestamp, Values};
use crate::text::as_utf8;
use crate::wire::Cursor;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const TINYINT: u8 = 3;
const SMALLINT: u8 = 4;
const INT: u8 = 5;
const BIGINT: u8 = 6;
const FLOAT: u8 = 7;
const DOUBLE: u8 = 8;
const DECIMAL: u8 = 9;
const STRING: u8 = 10;
const BYTES: u8 = 11;
const DATE: u8 = 12;
const TIME: u8 = 13;
const TIMESTAMP: u8 = 14;
const ARRAY: u8 = 15;
const ROW: u8 = 16;
const MAP: u8 = 17;

/// How deep values nest at most, written and read.
const MAX_DEPTH: usize = 128;

/// Appends the first `columns` values of `row`, as they are.
///
/// # Errors
///
/// [`ErrorKind::Limit`] if they nest more than 128 deep; some bytes may then have been written.
pub(crate) fn append_row<R: Row + ?Sized>(row: &R, columns: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    put_len(out, columns);
    (0..columns).try_for_each(|column| append::<false>(row.datum(column), 0, out))
}

/// Appends the canonical form of `values`, which says when two rows have the same key or the same content.
///
/// # Errors
///
/// As for [`append_row`].
pub(crate) fn append_key<'a>(
    values: impl IntoIterator<Item = Datum<'a>>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    values.into_iter().try_for_each(|value| append::<true>(value, 0, out))
}

/// Makes `row` the one that `bytes` begin with and answers the bytes after it.
///
/// # Errors
///
/// [`ErrorKind::State`] if they begin with no row of `columns` columns; `row` is then anything.
pub(crate) fn read_row<'a>(bytes: &'a [u8], columns: usize, row: &mut RowBuf) -> Result<&'a [u8], Error> {
    let mut cursor = Cursor::new(bytes);
    match take_row(&mut cursor, columns, row) {
        Some(()) => Ok(cursor.rest()),
        None => Err(no_row(columns, cursor.position())),
    }
}

/// Makes `row`, a copy of the one whose bytes, by [`append_row`], are `known`, the one whose bytes are `bytes`, and answers
/// whether it is another one: only the values that are spelled otherwise are read.
///
/// `None` of what is no row of `columns` columns, and no more: [`read_row`] says what is wrong. `row` is then anything.
pub(crate) fn reread_row(bytes: &[u8], known: &[u8], columns: usize, row: &mut RowBuf) -> Option<bool> {
    let mut own = Cursor::new(bytes);
    let mut other = Cursor::new(known);
    let is_row = take_len(&mut own)? == columns && take_len(&mut other)? == columns;
    // A row counts nested values in 32 bits, and each takes a byte here.
    if !is_row || row.columns() != columns || u32::try_from(bytes.len() + known.len()).is_err() {
        return None;
    }
    let (mut at, mut known_at) = (own.position(), other.position());
    let mut is_other = false;
    // How far the two agree from here on.
    let mut agree = common_len(&bytes[at..], &known[known_at..]);
    for column in 0..columns {
        let len = len_of_value(known.get(known_at..)?)?;
        known_at += len;
        if let Some(left) = agree.checked_sub(len) {
            (at, agree) = (at + len, left);
            continue;
        }
        let mut value = Cursor::new(bytes.get(at..)?);
        take_value(&mut value, 0, row)?;
        is_other |= row.at(column) != row.at(columns);
        row.copy_slot(columns, column);
        row.rewind(columns);
        at += value.position();
        agree = common_len(value.rest(), known.get(known_at..)?);
    }
    (at == bytes.len()).then_some(is_other)
}

/// How many bytes the value takes that `bytes` begin with, which [`append_row`] has written.
#[inline]
fn len_of_value(bytes: &[u8]) -> Option<usize> {
    let tag = *bytes.first()?;
    let Some(len) = SCALAR_LENS.as_slice().get(usize::from(tag)) else { return len_of_nested(bytes) };
    if *len > 0 {
        return Some((*len).into());
    }
    // A length of one byte, zig-zag.
    if let Some(&len @ 0..0x80) = bytes.get(1) {
        return Some(2 + usize::from(len / 2));
    }
    let mut cursor = Cursor::new(&bytes[1..]);
    take_len(&mut cursor)?.checked_add(1 + cursor.position())
}

#[inline(never)]
fn len_of_nested(bytes: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(bytes);
    let [tag] = cursor.array()?;
    let count = take_len(&mut cursor)?;
    for _ in 0..if tag == MAP { 2 * count } else { count } {
        let len = len_of_value(cursor.rest())?;
        cursor.take(len)?;
    }
    Some(cursor.position())
}

/// How many bytes a value of each tag takes, the tag included; 0 for what has its own length.
const SCALAR_LENS: [u8; 15] = {
    let mut lens = [1; 15];
    lens[TINYINT as usize] = 2;
    lens[SMALLINT as usize] = 3;
    lens[INT as usize] = 5;
    lens[BIGINT as usize] = 9;
    lens[FLOAT as usize] = 5;
    lens[DOUBLE as usize] = 9;
    lens[DECIMAL as usize] = 18;
    lens[STRING as usize] = 0;
    lens[BYTES as usize] = 0;
    lens[DATE as usize] = 5;
    lens[TIME as usize] = 5;
    lens[TIMESTAMP as usize] = 13;
    lens
};

/// How many bytes the two have in common from their starts on.
fn common_len(left: &[u8], right: &[u8]) -> usize {
    let len = left.len().min(right.len());
    let (left, right) = (&left[..len], &right[..len]);
    let common = |left: &[u8; 8], right: &[u8; 8]| {
        (u64::from_le_bytes(*left) ^ u64::from_le_bytes(*right)).trailing_zeros() as usize / 8
    };
    for (index, (left, right)) in left.as_chunks().0.iter().zip(right.as_chunks().0).enumerate() {
        let common = common(left, right);
        if common < 8 {
            return 8 * index + common;
        }
    }
    match (left.last_chunk(), right.last_chunk()) {
        (Some(left), Some(right)) => len - 8 + common(left, right),
        _ => left.iter().zip(right).take_while(|(left, right)| left == right).count(),
    }
}

/// Makes `row` the one of `columns` columns that comes next; `None` if there is no such.
pub(crate) fn take_row(cursor: &mut Cursor<'_>, columns: usize, row: &mut RowBuf) -> Option<()> {
    // A row counts nested values in 32 bits, and each takes a byte here.
    let rest = cursor.rest();
    let within = usize::try_from(u32::MAX).ok().and_then(|limit| rest.get(..limit));
    let mut within = Cursor::new(within.unwrap_or(rest));
    row.reset(0);
    take_len(&mut within).filter(|count| *count == columns)?;
    take_values(&mut within, columns, 0, row)?;
    cursor.take(within.position()).map(|_| ())
}

#[cold]
fn no_row(columns: usize, offset: usize) -> Error {
    let message = format!("the state holds something else than a row of {columns} columns");
    Error::new(ErrorKind::State, message).with_offset(offset)
}

/// Appends a value. What is in a row is seen here, and leads straight to the arms of its columns' types.
#[inline(always)]
fn append<const CANONICAL: bool>(datum: Datum<'_>, depth: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    match datum {
        Datum::Null => out.push(NULL),
        Datum::Boolean(value) => out.push(if value { TRUE } else { FALSE }),
        Datum::TinyInt(value) => put(out, TINYINT, value.to_le_bytes()),
        Datum::SmallInt(value) => put(out, SMALLINT, value.to_le_bytes()),
        Datum::Int(value) => put(out, INT, value.to_le_bytes()),
        Datum::BigInt(value) => put(out, BIGINT, value.to_le_bytes()),
        Datum::Float(value) => {
            // Float.floatToIntBits has one NaN.
            let bits = if CANONICAL && value.is_nan() { 0x7fc0_0000 } else { value.to_bits() };
            put(out, FLOAT, bits.to_le_bytes());
        }
        Datum::Double(value) => {
            let bits = if CANONICAL && value.is_nan() { 0x7ff8 << 48 } else { value.to_bits() };
            put(out, DOUBLE, bits.to_le_bytes());
        }
        Datum::Decimal(value) => {
            let (unscaled, scale) =
                if CANONICAL { value.normalized() } else { (value.unscaled(), value.scale()) };
            let mut bytes = [scale; 17];
            bytes[1..].copy_from_slice(&unscaled.to_le_bytes());
            put(out, DECIMAL, bytes);
        }
        Datum::String(value) => {
            out.push(STRING);
            put_bytes(out, value.as_bytes());
        }
        Datum::Bytes(value) => {
            out.push(BYTES);
            put_bytes(out, value);
        }
        Datum::Date(value) => put(out, DATE, value.to_le_bytes()),
        Datum::Time(value) => put(out, TIME, value.to_le_bytes()),
        Datum::Timestamp(value) => {
            let mut bytes = [0; 12];
            bytes[..8].copy_from_slice(&value.millis().to_le_bytes());
            bytes[8..].copy_from_slice(&value.nanos_of_millis().to_le_bytes());
            put(out, TIMESTAMP, bytes);
        }
        Datum::Array(_) | Datum::Row(_) | Datum::Map(_) => {
            return append_nested::<CANONICAL>(datum, depth, out);
        }
    }
    Ok(())
}

#[inline(never)]
fn append_nested<const CANONICAL: bool>(
    datum: Datum<'_>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    match datum {
        Datum::Array(values) => append_values::<CANONICAL>(ARRAY, values, depth, out),
        Datum::Row(values) => append_values::<CANONICAL>(ROW, values, depth, out),
        Datum::Map(entries) => append_entries::<CANONICAL>(entries, depth, out),
        scalar => append::<CANONICAL>(scalar, depth, out),
    }
}

fn append_values<const CANONICAL: bool>(
    tag: u8,
    values: Values<'_>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let depth = deeper(depth)?;
    out.push(tag);
    put_len(out, values.len());
    values.iter().try_for_each(|value| append::<CANONICAL>(value, depth, out))
}

fn append_entries<const CANONICAL: bool>(
    entries: Entries<'_>,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let depth = deeper(depth)?;
    out.push(MAP);
    put_len(out, entries.len());
    let start = out.len();
    let mut ends = Vec::new();
    for (key, value) in entries.iter() {
        append::<CANONICAL>(key, depth, out)?;
        append::<CANONICAL>(value, depth, out)?;
        if CANONICAL {
            ends.push(out.len() - start);
        }
    }
    if CANONICAL {
        sort_chunks(out, start, &ends);
    }
    Ok(())
}

/// Sorts what stands in `out` from `start` on and ends, chunk by chunk, at `ends`.
fn sort_chunks(out: &mut Vec<u8>, start: usize, ends: &[usize]) {
    let unsorted = out.split_off(start);
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let mut chunks: Vec<&[u8]> = starts.zip(ends).map(|(start, &end)| &unsorted[start..end]).collect();
    chunks.sort_unstable();
    chunks.into_iter().for_each(|chunk| out.extend_from_slice(chunk));
}

fn deeper(depth: usize) -> Result<usize, Error> {
    if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(too_deep()) }
}

#[cold]
fn too_deep() -> Error {
    Error::new(ErrorKind::Limit, "state takes values that nest up to 128 deep")
}

/// Appends tag and value at one go.
#[inline]
fn put<const N: usize>(out: &mut Vec<u8>, tag: u8, bytes: [u8; N]) {
    let mut room = [0; 32];
    room[0] = tag;
    room[1..=N].copy_from_slice(&bytes);
    out.extend_from_slice(&room[..=N]);
}

/// Pushes `count` values. Each takes a byte at least, so a count that lies runs out of bytes.
fn take_values(cursor: &mut Cursor<'_>, count: usize, depth: usize, row: &mut RowBuf) -> Option<()> {
    (0..count).try_for_each(|_| take_value(cursor, depth, row))
}

/// Each type pushes its own value: one push for all would take all of them through memory.
fn take_value(cursor: &mut Cursor<'_>, depth: usize, row: &mut RowBuf) -> Option<()> {
    let [tag] = cursor.array()?;
    match tag {
        NULL => row.push_slot(Slot::Null),
        FALSE => row.push_slot(Slot::Boolean(false)),
        TRUE => row.push_slot(Slot::Boolean(true)),
        TINYINT => row.push_slot(Slot::TinyInt(i8::from_le_bytes(cursor.array()?))),
        SMALLINT => row.push_slot(Slot::SmallInt(i16::from_le_bytes(cursor.array()?))),
        INT => row.push_slot(Slot::Int(i32::from_le_bytes(cursor.array()?))),
        BIGINT => row.push_slot(Slot::BigInt(i64::from_le_bytes(cursor.array()?))),
        FLOAT => row.push_slot(Slot::Float(f32::from_le_bytes(cursor.array()?))),
        DOUBLE => row.push_slot(Slot::Double(f64::from_le_bytes(cursor.array()?))),
        DECIMAL => {
            let [scale, unscaled @ ..]: [u8; 17] = cursor.array()?;
            row.push_slot(Slot::Decimal(Decimal::try_new(i128::from_le_bytes(unscaled), scale)?));
        }
        STRING => row.push_str(as_utf8(take_bytes(cursor)?)?),
        BYTES => row.push_bytes(take_bytes(cursor)?),
        DATE => row.push_slot(Slot::Date(i32::from_le_bytes(cursor.array()?))),
        TIME => row.push_slot(Slot::Time(i32::from_le_bytes(cursor.array()?))),
        TIMESTAMP => {
            let millis = i64::from_le_bytes(cursor.array()?);
            let nanos = u32::from_le_bytes(cursor.array()?);
            if nanos > 999_999 {
                return None;
            }
            row.push_slot(Slot::Timestamp(Timestamp::new(millis, nanos)));
        }
        ARRAY | ROW | MAP => return take_nested(tag, cursor, depth, row),
        _ => return None,
    }
    Some(())
}

fn take_nested(tag: u8, cursor: &mut Cursor<'_>, depth: usize, row: &mut RowBuf) -> Option<()> {
    if depth == MAX_DEPTH {
        return None;
    }
    let count = take_len(cursor)?;
    let mark = row.begin();
    take_values(cursor, if tag == MAP { count.checked_mul(2)? } else { count }, depth + 1, row)?;
    let slot = match tag {
        ARRAY => row.array_slot(mark),
        ROW => row.row_slot(mark),
        _ => row.map_slot(mark),
    };
    row.push_slot(slot);
    Some(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::test_rows::{rows, spelled_otherwise};
    use super::*;

    fn bytes_of(row: &RowBuf) -> Vec<u8> {
        let mut bytes = Vec::new();
        append_row(row, row.columns(), &mut bytes).unwrap();
        bytes
    }

    fn canonical(row: &RowBuf) -> Vec<u8> {
        let mut bytes = Vec::new();
        append_key(row.iter(), &mut bytes).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn a_row_comes_back_as_it_was_and_the_bytes_behind_it_are_left(row in rows(), tail: Vec<u8>) {
            let mut bytes = bytes_of(&row);
            bytes.extend_from_slice(&tail);
            let mut back = RowBuf::new();
            prop_assert_eq!(read_row(&bytes, row.columns(), &mut back).unwrap(), &tail[..]);
            prop_assert_eq!(format!("{back:?}"), format!("{row:?}"));
        }

        #[test]
        fn equal_rows_and_no_others_have_equal_canonical_bytes(left in rows(), right in rows()) {
            prop_assert_eq!(left == right, canonical(&left) == canonical(&right));
        }

        #[test]
        fn another_spelling_of_the_same_values_changes_nothing(row in rows()) {
            let other = spelled_otherwise(&row);
            prop_assert_eq!(&row, &other);
            prop_assert_eq!(canonical(&row), canonical(&other));
        }

        #[test]
        fn a_row_is_reread_as_it_is_read(
            row in rows(),
            known in rows(),
            is_spelled_otherwise: bool,
            at: prop::sample::Index,
            byte: Option<u8>,
        ) {
            let known = if is_spelled_otherwise { spelled_otherwise(&row) } else { known };
            let mut bytes = bytes_of(&row);
            if let Some(byte) = byte {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let mut read = RowBuf::new();
            let is_read = read_row(&bytes, known.columns(), &mut read).is_ok_and(<[u8]>::is_empty);
            let mut reread = RowBuf::copy_of(&known, known.columns());
            let is_other = reread_row(&bytes, &bytes_of(&known), known.columns(), &mut reread);
            prop_assert_eq!(is_other, is_read.then(|| read != known));
            if is_read {
                prop_assert_eq!(format!("{reread:?}"), format!("{read:?}"));
            }
        }

        #[test]
        fn foreign_bytes_are_a_row_or_an_error(bytes: Vec<u8>, columns in 0_usize..4) {
            let _ = read_row(&bytes, columns, &mut RowBuf::new());
        }

        #[test]
        fn damaged_bytes_are_a_row_or_an_error(row in rows(), at: prop::sample::Index, byte: u8) {
            let mut bytes = bytes_of(&row);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = read_row(&bytes, row.columns(), &mut RowBuf::new());
            prop_assert!(read_row(&bytes[..at], row.columns(), &mut RowBuf::new()).is_err());
        }
    }

    #[test]
    fn lies_are_refused_before_they_cost_anything() {
        let refused = |bytes: &[u8]| read_row(bytes, 1, &mut RowBuf::new()).unwrap_err();
        let one = 2_u8; // zig-zag
        let huge = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(refused(&[4, NULL, NULL]).kind(), ErrorKind::State, "two columns");
        refused(&[one, 18]);
        refused(&[&[one, ARRAY][..], &huge].concat());
        refused(&[&[one, MAP][..], &huge].concat());
        refused(&[&[one, STRING][..], &huge].concat());
        refused(&[one, STRING, 2, 0xff]);
        refused(&[&[one, TIMESTAMP][..], &[0; 8], &1_000_000_u32.to_le_bytes()].concat());
        refused(&[&[one, DECIMAL, 39][..], &[0; 16]].concat());
        refused(&[&[one, DECIMAL, 0][..], &[0x7f; 16]].concat());
        let mut deep = vec![one];
        deep.extend([ARRAY, one].repeat(100_000));
        refused(&deep);
    }

    #[test]
    fn values_nest_128_deep_and_no_deeper() {
        let nested = |depth: usize| {
            let mut row = RowBuf::new();
            row.push(Datum::Null);
            for _ in 0..depth {
                let inner = RowBuf::copy_of(&row, 1);
                row.reset(0);
                row.push(Datum::Array(Values::new(&[inner.datum(0)], 1)));
            }
            row
        };
        let bytes = bytes_of(&nested(128));
        assert!(read_row(&bytes, 1, &mut RowBuf::new()).is_ok());
        let error = append_row(&nested(129), 1, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}
