//! The live rows of a key, in a [`StateStore`].

use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::row::{Row, RowBuf, rows_equal};
use crate::state::{Digest, MemoryStore, StateStore, Ttl, append_row, digest, read_row};
use crate::wire::GiveBack;

mod parts;

/// The list of the live rows of a key.
///
/// A short list is a value: row after row. A long one is cut into chunks of some rows, each a value of its own, and under
/// the key stand the numbers of the chunks; and under each row's digest the numbers of the chunks that have such rows. So
/// a change reads and writes a chunk, however long the list is.
///
/// | key | value |
/// |---|---|
/// | the key | the rows, or [`LONG`], what stands for the matched columns, and the chunks' numbers in order; the time |
/// | the key, [`CHUNK`], a number | [`CHUNK`], rows |
/// | the key, [`INDEX`], a digest | [`INDEX`], numbers of chunks in order; some of them may have no such row |
///
/// A change is there once one of its writes is done, and what comes before and after that one is of no consequence
/// without it: the store may fail at any of them. With a TTL a change that failed may have prolonged the list's life.
#[derive(Clone, Debug)]
pub(super) struct LiveRows {
    columns: usize,
    /// The columns by which a row is found again.
    matched_columns: Box<[usize]>,
    /// What stands for them: lists that were indexed by others are read whole and indexed anew.
    mark: [u8; 8],
    ttl: Ttl,
    pub(super) key: Vec<u8>,
    /// What is under the key, without its time.
    head: Vec<u8>,
    /// The chunk at hand.
    chunk: Vec<u8>,
    /// The chunks of the digest at hand.
    index: Vec<u8>,
    /// The key of a chunk or of an index.
    part_key: Vec<u8>,
    encoded: Vec<u8>,
    row: RowBuf,
}

/// Odd bytes begin no row: that is the zig-zag varint of a count.
const LONG: u8 = 1;
const CHUNK: u8 = 3;
const INDEX: u8 = 5;

/// Where the numbers of a long list begin.
const NUMBERS: usize = 1 + 8;

/// A list of more bytes is long; a chunk takes no row beyond them, unless it is its only one.
const MOST_BYTES: usize = 4096;

/// A long list of no more bytes is short.
const FEW_BYTES: usize = 1024;

/// Where a row stands.
#[derive(Debug)]
struct Place {
    /// `None`: in a short list.
    chunk: Option<u64>,
    range: Range<usize>,
}

/// What became of the list without a row.
#[derive(Debug)]
pub(super) enum Removed {
    /// There was no such row.
    Nothing,
    /// It was not the last one.
    Another,
    /// It was the last one, and the one before it is the last one now.
    Last,
    /// It was the only one.
    Only,
}

/// Whether a value is a part of a list, and not a list.
pub(super) fn is_part(value: &[u8]) -> bool {
    matches!(value.first(), Some(&(CHUNK | INDEX)))
}

impl LiveRows {
    pub(super) fn new(columns: usize) -> Self {
        let matched_columns: Box<[usize]> = (0..columns).collect();
        Self {
            columns,
            mark: mark(&matched_columns),
            matched_columns,
            ttl: Ttl::default(),
            key: Vec::new(),
            head: Vec::new(),
            chunk: Vec::new(),
            index: Vec::new(),
            part_key: Vec::new(),
            encoded: Vec::new(),
            row: RowBuf::new(),
        }
    }

    pub(super) fn set_matched_columns(&mut self, columns: Box<[usize]>) {
        self.mark = mark(&columns);
        self.matched_columns = columns;
    }

    pub(super) fn set_ttl(&mut self, ttl: Ttl) {
        self.ttl = ttl;
    }

    pub(super) fn ttl(&self) -> Ttl {
        self.ttl
    }

    /// Whether the list that was loaded has no row.
    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// The last row, after [`Removed::Last`].
    pub(super) fn last(&mut self) -> &mut RowBuf {
        &mut self.row
    }

    /// Reads the list of the key, empty where there is none or it has expired.
    pub(super) fn load(&mut self, store: &mut impl StateStore, now_ms: i64) -> Result<(), Error> {
        if !store.get(&self.key, &mut self.head)? {
            self.head.clear();
            return Ok(());
        }
        match self.ttl.split(&self.head, now_ms).ok_or_else(foreign_state)? {
            Some(state) => self.head.truncate(state.len()),
            None => self.head.clear(),
        }
        if !self.is_long() {
            return Ok(());
        }
        if self.head.len() <= NUMBERS || !(self.head.len() - NUMBERS).is_multiple_of(size_of::<u64>()) {
            return Err(foreign_state());
        }
        if self.head[1..NUMBERS] != self.mark {
            let head = std::mem::take(&mut self.head);
            self.head = self.rows_of(store, &head)?;
        }
        Ok(())
    }

    /// Adds a row after the others, or, if it `replaces`, in the place of the first one that it means.
    pub(super) fn add<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
        replaces: bool,
        now_ms: i64,
    ) -> Result<(), Error> {
        self.encoded.clear();
        append_row(row, self.columns, &mut self.encoded)?;
        let older = if replaces { self.find(store, row)? } else { None };
        match older {
            Some(Place { chunk: Some(number), range }) => {
                self.chunk.splice(range, self.encoded.iter().copied());
                self.touch(store, now_ms)?;
                self.put_chunk(store, number)
            }
            None if self.is_long() => self.append(store, row, now_ms),
            place => {
                let had_rows = !self.head.is_empty();
                let end = self.head.len();
                let range = place.map_or(end..end, |place| place.range);
                self.head.splice(range, self.encoded.iter().copied());
                if had_rows && self.head.len() > MOST_BYTES {
                    self.cut(store)?;
                }
                self.put_head(store, now_ms)
            }
        }
    }

    /// Takes out the first row that `row` means.
    pub(super) fn remove<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
        now_ms: i64,
    ) -> Result<Removed, Error> {
        let Some(Place { chunk, range }) = self.find(store, row)? else { return Ok(Removed::Nothing) };
        let Some(number) = chunk else {
            let was_last = range.end == self.head.len();
            self.head.drain(range);
            if self.head.is_empty() {
                store.remove(&self.key)?;
                return Ok(Removed::Only);
            }
            if was_last {
                read_last(&self.head, self.columns, &mut self.row)?;
            }
            if self.head.len() > MOST_BYTES {
                self.cut(store)?;
            }
            self.put_head(store, now_ms)?;
            return Ok(if was_last { Removed::Last } else { Removed::Another });
        };
        let was_last = Some(number) == self.last_chunk() && range.end == self.chunk.len();
        self.chunk.drain(range);
        if self.chunk.len() > 1 {
            if was_last {
                read_last(&self.chunk[1..], self.columns, &mut self.row)?;
            }
            self.touch(store, now_ms)?;
            self.put_chunk(store, number)?;
        } else {
            let place = self.head[NUMBERS..]
                .as_chunks()
                .0
                .iter()
                .position(|other| u64::from_le_bytes(*other) == number);
            let start = NUMBERS + size_of::<u64>() * place.unwrap_or_default();
            self.head.drain(start..start + size_of::<u64>());
            let Some(last) = self.last_chunk() else {
                store.remove(&self.key)?;
                self.forget(store, row, number);
                return Ok(Removed::Only);
            };
            if was_last {
                self.get_chunk(store, last)?;
                read_last(&self.chunk[1..], self.columns, &mut self.row)?;
            }
            self.put_head(store, now_ms)?;
        }
        self.forget(store, row, number);
        self.join(store, now_ms);
        Ok(if was_last { Removed::Last } else { Removed::Another })
    }

    /// Drops the lists that have expired, and parts that no list names.
    pub(super) fn remove_expired(&self, store: &mut MemoryStore, now_ms: i64) {
        if !self.ttl.is_finite() {
            return;
        }
        store.retain(|_, value| is_part(value) || !matches!(self.ttl.split(value, now_ms), Some(None)));
        let mut head = Vec::new();
        let parts = store.iter().filter(|(_, value)| is_part(value));
        let parts: Vec<_> = parts.map(|(key, value)| (key.to_vec(), value[0])).collect();
        for (key, tag) in parts {
            let suffix = 1 + if tag == CHUNK { size_of::<u64>() } else { size_of::<Digest>() };
            let of_list = &key[..key.len().saturating_sub(suffix)];
            // A store in memory does not fail.
            let is_named = matches!(store.get(of_list, &mut head), Ok(true)) && head.first() == Some(&LONG);
            if !is_named {
                let _ = store.remove(&key);
            }
        }
    }

    /// The same lists without parts. The next change of one that was long cuts it again.
    pub(super) fn joined(&mut self, mut store: MemoryStore) -> Result<MemoryStore, Error> {
        let mut joined = MemoryStore::new();
        let lists = store.iter().filter(|(_, value)| !is_part(value));
        let lists: Vec<_> = lists.map(|(key, value)| (key.to_vec(), value.to_vec())).collect();
        for (key, mut value) in lists {
            if value.first() == Some(&LONG) {
                let time = value.split_off(value.len().saturating_sub(self.ttl.time_len()));
                self.key = key;
                let mut rows = self.rows_of(&mut store, &value)?;
                rows.extend(time);
                joined.put(&self.key, &rows)?;
            } else {
                joined.put(&key, &value)?;
            }
        }
        Ok(joined)
    }

    /// The rows of all chunks of a long list.
    fn rows_of(&mut self, store: &mut impl StateStore, head: &[u8]) -> Result<Vec<u8>, Error> {
        let mut rows = Vec::new();
        for number in head.split_at_checked(NUMBERS).ok_or_else(foreign_state)?.1.as_chunks().0 {
            self.get_chunk(store, u64::from_le_bytes(*number))?;
            rows.extend_from_slice(&self.chunk[1..]);
        }
        Ok(rows)
    }

    /// Where the first row stands that `row` means; its chunk is then at hand.
    fn find<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
    ) -> Result<Option<Place>, Error> {
        if !self.is_long() {
            let found = self.find_in_head(row)?;
            return Ok(found.map(|range| Place { chunk: None, range }));
        }
        self.get_index(store, row)?;
        for at in (1..self.index.len()).step_by(size_of::<u64>()) {
            let number = number_at(&self.index, at);
            if self.has_chunk(number) {
                self.get_chunk(store, number)?;
                if let Some(range) =
                    find_in(&self.chunk[1..], self.columns, &self.matched_columns, row, &mut self.row)?
                {
                    return Ok(Some(Place { chunk: Some(number), range: range.start + 1..range.end + 1 }));
                }
            }
        }
        Ok(None)
    }

    fn find_in_head<R: Row + ?Sized>(&mut self, row: &R) -> Result<Option<Range<usize>>, Error> {
        find_in(&self.head, self.columns, &self.matched_columns, row, &mut self.row)
    }

    /// Adds the row at hand to the last chunk, or to one of its own after it.
    fn append<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
        now_ms: i64,
    ) -> Result<(), Error> {
        let last = self.last_chunk().ok_or_else(foreign_state)?;
        self.get_chunk(store, last)?;
        if self.chunk.len() + self.encoded.len() <= MOST_BYTES {
            self.chunk.extend_from_slice(&self.encoded);
            self.add_to_index(store, row, last)?;
            self.touch(store, now_ms)?;
            return self.put_chunk(store, last);
        }
        let next = last.checked_add(1).ok_or_else(foreign_state)?;
        self.chunk.truncate(1);
        self.chunk.extend_from_slice(&self.encoded);
        self.add_to_index(store, row, next)?;
        self.put_chunk(store, next)?;
        self.head.extend_from_slice(&next.to_le_bytes());
        self.put_head(store, now_ms)
    }

    /// Cuts the short list into chunks. Nobody sees them until the head is written.
    #[cold]
    fn cut(&mut self, store: &mut impl StateStore) -> Result<(), Error> {
        let mut head = vec![LONG];
        head.extend_from_slice(&self.mark);
        let rows = std::mem::replace(&mut self.head, head);
        let mut row = RowBuf::new();
        let mut rest = &rows[..];
        self.chunk.clear();
        self.chunk.push(CHUNK);
        let mut number = 0;
        while !rest.is_empty() {
            let after = read_row(rest, self.columns, &mut row)?;
            let bytes = &rest[..rest.len() - after.len()];
            if self.chunk.len() > 1 && self.chunk.len() + bytes.len() > MOST_BYTES / 2 {
                self.put_chunk(store, number)?;
                self.head.extend_from_slice(&number.to_le_bytes());
                self.chunk.truncate(1);
                number += 1;
            }
            self.chunk.extend_from_slice(bytes);
            self.add_to_index(store, &row, number)?;
            rest = after;
        }
        self.put_chunk(store, number)?;
        self.head.extend_from_slice(&number.to_le_bytes());
        Ok(())
    }

    /// Makes a long list short again if its one chunk is small. If the store fails, it stays long.
    fn join(&mut self, store: &mut impl StateStore, now_ms: i64) {
        let (Some(number), true) = (self.last_chunk(), self.head.len() == NUMBERS + size_of::<u64>()) else {
            return;
        };
        if self.get_chunk(store, number).is_err() || self.chunk.len() > FEW_BYTES {
            return;
        }
        self.head.clear();
        self.head.extend_from_slice(&self.chunk[1..]);
        if self.put_head(store, now_ms).is_err() {
            return;
        }
        let rows = std::mem::take(&mut self.chunk);
        let (mut rest, mut row) = (&rows[1..], RowBuf::new());
        while let Ok(after) = read_row(rest, self.columns, &mut row) {
            let _ = self.remove_index(store, &row);
            rest = after;
        }
        self.chunk = rows;
        self.name_chunk(number);
        let _ = store.remove(&self.part_key);
    }

    /// Drops what is said of a chunk that has no such row, or no row at all. Whether it succeeds is of no consequence.
    fn forget<R: Row + ?Sized>(&mut self, store: &mut impl StateStore, row: &R, number: u64) {
        let is_there = self.has_chunk(number);
        if !is_there {
            self.name_chunk(number);
            let _ = store.remove(&self.part_key);
        } else if self.get_chunk(store, number).is_err()
            || !matches!(
                find_in(&self.chunk[1..], self.columns, &self.matched_columns, row, &mut RowBuf::new()),
                Ok(None)
            )
        {
            return;
        }
        if self.get_index(store, row).is_ok()
            && let Some(at) = (1..self.index.len())
                .step_by(size_of::<u64>())
                .find(|at| number_at(&self.index, *at) == number)
        {
            self.index.drain(at..at + size_of::<u64>());
            let _ = match self.index.len() {
                1 => store.remove(&self.part_key),
                _ => store.put(&self.part_key, &self.index),
            };
        }
    }

    fn is_long(&self) -> bool {
        self.head.first() == Some(&LONG)
    }

    fn last_chunk(&self) -> Option<u64> {
        self.head.split_at_checked(NUMBERS)?.1.last_chunk().map(|number| u64::from_le_bytes(*number))
    }

    fn has_chunk(&self, number: u64) -> bool {
        let numbers = self.head[NUMBERS..].as_chunks().0;
        numbers.binary_search_by_key(&number, |other| u64::from_le_bytes(*other)).is_ok()
    }

    /// Writes the head.
    fn put_head(&mut self, store: &mut impl StateStore, now_ms: i64) -> Result<(), Error> {
        let len = self.head.len();
        self.ttl.append(&mut self.head, now_ms);
        let written = store.put(&self.key, &self.head);
        self.head.truncate(len);
        written
    }

    /// Writes the time, if there is one.
    fn touch(&mut self, store: &mut impl StateStore, now_ms: i64) -> Result<(), Error> {
        if self.ttl.is_finite() { self.put_head(store, now_ms) } else { Ok(()) }
    }
}

/// Keeps no memory that the last change did not need.
impl GiveBack for LiveRows {
    fn give_back(&mut self) {
        self.head.give_back();
        self.chunk.give_back();
        self.index.give_back();
        self.part_key.give_back();
        self.row.give_back();
        self.encoded.give_back();
    }
}

/// Where in `rows` the first one stands that `row` means.
fn find_in<R: Row + ?Sized>(
    rows: &[u8],
    columns: usize,
    matched_columns: &[usize],
    row: &R,
    read: &mut RowBuf,
) -> Result<Option<Range<usize>>, Error> {
    let mut rest = rows;
    while !rest.is_empty() {
        let start = rows.len() - rest.len();
        rest = read_row(rest, columns, read)?;
        if rows_equal(row, read, matched_columns) {
            return Ok(Some(start..rows.len() - rest.len()));
        }
    }
    Ok(None)
}

/// Makes `row` the last one of `rows`.
fn read_last(rows: &[u8], columns: usize, row: &mut RowBuf) -> Result<(), Error> {
    let mut rest = rows;
    while !rest.is_empty() {
        rest = read_row(rest, columns, row)?;
    }
    Ok(())
}

/// What stands for the columns by which rows are found.
fn mark(columns: &[usize]) -> [u8; 8] {
    let columns: Vec<u8> = columns.iter().flat_map(|column| (*column as u64).to_le_bytes()).collect();
    let [mark @ .., _, _, _, _, _, _, _, _] = digest(&columns);
    mark
}

fn number_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number))
}

#[cold]
fn foreign_state() -> Error {
    Error::new(ErrorKind::State, "the state was written by a materializer of other settings, or by none")
}
