use std::collections::VecDeque;
use std::fmt;
use std::hash::BuildHasher;
use std::io::Write;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::framing::{put_bytes, put_len, take_bytes, take_len, write_all};
use super::row_bytes::append_row;
use super::snapshot::StoredRows;
use crate::error::Error;
use crate::row::{Row, RowBuf, RowKind};
use crate::wire::Cursor;

/// The last row put under each key, in the order in which the keys came.
///
/// A key written again keeps its place. Buffers of rows that left are used again; when all have left, those beyond what
/// rows have needed of late are given back.
#[derive(Clone, Default)]
pub(crate) struct LatestRows {
    /// The numbers of the entries, counted from the first one ever put.
    numbers: HashTable<usize>,
    entries: VecDeque<LatestRow>,
    /// The number of the entry in front.
    first: usize,
    size_in_bytes: usize,
    hasher: RandomState,
    spare: Vec<LatestRow>,
    /// What the rows took at most since there were none, and the same of the time before.
    peak_bytes: usize,
    last_peak_bytes: usize,
    /// How many of the entries in front were offered, and how many of those were taken since.
    offered: usize,
    taken: usize,
}

/// A key and what was last put under it.
#[derive(Clone, Debug)]
pub(crate) struct LatestRow {
    pub(crate) key: Vec<u8>,
    pub(crate) kind: RowKind,
    pub(crate) row: RowBuf,
}

impl LatestRows {
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.taken
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that the keys and the rows take.
    pub(crate) fn size_in_bytes(&self) -> usize {
        let taken = self.entries.iter().take(self.taken);
        self.size_in_bytes - taken.map(LatestRow::size_in_bytes).sum::<usize>()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &LatestRow> {
        self.entries.iter().skip(self.taken)
    }

    /// All rows in order. Each stays until the one after it, or the end, is asked for: one that could not be used is
    /// the first of the next offer.
    pub(crate) fn offer(&mut self) -> Offer<'_> {
        self.settle();
        self.offered = self.entries.len();
        Offer { rows: &self.entries, taken: &mut self.taken, next: 0 }
    }

    /// Whether rows of the last offer were not taken.
    pub(crate) fn has_declined(&self) -> bool {
        self.taken < self.offered
    }

    /// Drops what was taken.
    fn settle(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        self.offered -= taken;
        (0..taken).for_each(|_| self.pop_front());
    }

    pub(crate) fn put<R: Row + ?Sized>(&mut self, key: &[u8], kind: RowKind, row: &R, columns: usize) {
        if self.taken > 0 {
            self.settle();
        }
        let index = self.index_of(key).unwrap_or_else(|| self.push(key));
        let entry = &mut self.entries[index];
        self.size_in_bytes -= entry.row.size_in_bytes();
        entry.kind = kind;
        entry.row.copy_from(row, columns);
        self.size_in_bytes += entry.row.size_in_bytes();
        self.peak_bytes = self.peak_bytes.max(self.size_in_bytes);
    }

    /// The row that has been here longest.
    pub(crate) fn front(&self) -> Option<&LatestRow> {
        self.entries.front()
    }

    pub(crate) fn pop_front(&mut self) {
        let Some(entry) = self.entries.pop_front() else { return };
        let hash = self.hasher.hash_one(&entry.key[..]);
        if let Ok(number) = self.numbers.find_entry(hash, |number| *number == self.first) {
            number.remove();
        }
        self.first = self.first.wrapping_add(1);
        self.size_in_bytes -= entry.size_in_bytes();
        self.spare.push(entry);
        if self.entries.is_empty() {
            self.give_back_memory();
        }
    }

    /// Keeps as much as two drains on end have needed, so that neither a large one nor a burst of them keeps its memory.
    fn give_back_memory(&mut self) {
        /// So much need not be given back.
        const FREE_BYTES: usize = 64 * 1024;
        /// Buffers double as they grow, and each is of the largest row that it has held.
        const SLACK: usize = 4;
        let peak_bytes = std::mem::take(&mut self.peak_bytes);
        let needed = SLACK * peak_bytes.min(self.last_peak_bytes) + FREE_BYTES;
        self.last_peak_bytes = peak_bytes;
        let mut kept = 0;
        self.spare.retain(|row| {
            kept += row.capacity_in_bytes();
            kept <= needed
        });
        if self.spare.len() < self.spare.capacity() / 2 {
            let count = self.spare.len();
            self.spare.shrink_to(count);
            self.entries.shrink_to(count);
            self.numbers.shrink_to(count, |_| unreachable!("there are no numbers"));
        }
    }

    /// Writes the rows, of `columns` columns, for [`take`](Self::take), in many small writes.
    pub(crate) fn snapshot(&self, columns: usize, mut out: impl Write) -> Result<(), Error> {
        let mut bytes = Vec::new();
        put_len(&mut bytes, self.len());
        for latest in self.iter() {
            put_bytes(&mut bytes, &latest.key);
            bytes.push(latest.kind.as_u8());
            append_row(&latest.row, columns, &mut bytes)?;
            write_all(&mut out, &bytes)?;
            bytes.clear();
        }
        write_all(&mut out, &bytes)
    }

    /// Reads the rows of a [`snapshot`](Self::snapshot); `None` if they are none.
    pub(crate) fn take(cursor: &mut Cursor<'_>, stored: &mut StoredRows) -> Option<Self> {
        let (mut rows, mut row) = (Self::default(), RowBuf::new());
        for _ in 0..take_len(cursor)? {
            let key = take_bytes(cursor)?;
            let [kind] = cursor.array()?;
            stored.take(cursor, &mut row)?;
            rows.put(key, RowKind::from_u8(kind)?, &row, row.columns());
        }
        Some(rows)
    }

    fn index_of(&self, key: &[u8]) -> Option<usize> {
        let index = |number: &usize| number.wrapping_sub(self.first);
        let found =
            self.numbers.find(self.hasher.hash_one(key), |number| self.entries[index(number)].key == key);
        found.map(index)
    }

    /// Appends an empty entry of `key` and answers its index.
    fn push(&mut self, key: &[u8]) -> usize {
        let mut entry = self.spare.pop().unwrap_or_else(LatestRow::new);
        entry.key.clear();
        entry.key.extend_from_slice(key);
        entry.row.reset(0);
        self.size_in_bytes += key.len() + entry.row.size_in_bytes();
        let index = self.entries.len();
        self.entries.push_back(entry);
        self.numbers.insert_unique(self.hasher.hash_one(key), self.first.wrapping_add(index), |number| {
            self.hasher.hash_one(&self.entries[number.wrapping_sub(self.first)].key[..])
        });
        index
    }
}

impl fmt::Debug for LatestRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl LatestRow {
    fn new() -> Self {
        Self { key: Vec::new(), kind: RowKind::Insert, row: RowBuf::new() }
    }

    fn size_in_bytes(&self) -> usize {
        self.key.len() + self.row.size_in_bytes()
    }

    fn capacity_in_bytes(&self) -> usize {
        size_of::<Self>() + self.key.capacity() + self.row.capacity_in_bytes()
    }
}

/// The rows of [`LatestRows::offer`].
pub(crate) struct Offer<'a> {
    rows: &'a VecDeque<LatestRow>,
    taken: &'a mut usize,
    next: usize,
}

impl<'a> Offer<'a> {
    pub(super) fn next(&mut self) -> Option<(RowKind, &'a RowBuf)> {
        *self.taken = self.next;
        let LatestRow { kind, row, .. } = self.rows.get(self.next)?;
        self.next += 1;
        Some((*kind, row))
    }

    pub(super) fn left(&self) -> usize {
        self.rows.len() - self.next
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::row::Datum;

    #[test]
    fn what_a_burst_has_needed_is_given_back() {
        let drain = |rows: &mut LatestRows, count: u32, len: usize| {
            let text = "x".repeat(len);
            (0..count).for_each(|n| rows.put(&n.to_le_bytes(), RowKind::Insert, &[Datum::String(&text)], 1));
            while rows.front().is_some() {
                rows.pop_front();
            }
            rows.spare.iter().map(LatestRow::capacity_in_bytes).sum::<usize>()
        };
        let mut rows = LatestRows::default();
        drain(&mut rows, 100, 100);
        let small = drain(&mut rows, 100, 100);
        assert!(rows.spare.len() == 100, "what is needed again is kept");
        for (count, len) in [(100_000, 100), (100, 100_000)] {
            let after_burst = drain(&mut rows, count, len);
            assert!(after_burst < small + 256 * 1024, "{after_burst} bytes");
            assert!(rows.entries.capacity() + rows.numbers.capacity() < 10_000);
            drain(&mut rows, 100, 100);
        }
    }

    proptest! {
        /// `None` pops, `Some` puts a value under a key; the model is a list searched from the front.
        #[test]
        fn it_is_a_list_that_finds_its_keys(steps in prop::collection::vec(any::<Option<(u8, i32)>>(), 0..60)) {
            let mut rows = LatestRows::default();
            let mut model: Vec<(u8, i32)> = Vec::new();
            for step in steps {
                match step {
                    None => {
                        rows.pop_front();
                        model.drain(..model.len().min(1));
                    }
                    Some((key, value)) => {
                        let key = key % 8;
                        rows.put(&[key], RowKind::Insert, &[Datum::Int(value)], 1);
                        match model.iter_mut().find(|entry| entry.0 == key) {
                            Some(entry) => entry.1 = value,
                            None => model.push((key, value)),
                        }
                    }
                }
                let shown: Vec<_> = rows.iter().map(|entry| format!("{:?} {:?}", entry.key, entry.row)).collect();
                let expected: Vec<_> =
                    model.iter().map(|(key, value)| format!("[{key}] [Int({value})]")).collect();
                prop_assert_eq!(shown, expected);
                let size: usize = rows.iter().map(|entry| 1 + entry.row.size_in_bytes()).sum();
                prop_assert_eq!(rows.size_in_bytes(), size);
            }
        }
    }
}
