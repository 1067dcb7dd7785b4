use std::fmt;

use super::{RowBuf, RowKind};
use crate::wire::{GiveBack, is_to_be_given_back};

/// The rows that one record decodes to, each with its kind: 0, 1, 2 or more.
///
/// Reused from record to record: the rows keep their capacity.
#[derive(Clone, Default)]
pub struct ChangelogBuf {
    rows: Vec<(RowKind, RowBuf)>,
    len: usize,
}

/// What a row takes beside its values.
pub(crate) const ROW_BYTES: usize = size_of::<(RowKind, RowBuf)>();

impl ChangelogBuf {
    /// A buffer without rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Drops the rows, capacities kept.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The last row.
    pub(crate) fn last(&self) -> Option<&RowBuf> {
        self.rows[..self.len].last().map(|(_, row)| row)
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row number `index`, counted from 0, if there are so many.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<(RowKind, &RowBuf)> {
        self.rows[..self.len].get(index).map(|(kind, row)| (*kind, row))
    }

    /// The rows in order.
    #[must_use]
    pub fn iter(&self) -> ChangelogIter<'_> {
        ChangelogIter { rows: self.rows[..self.len].iter() }
    }

    /// The rows in order, to be changed in place.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (RowKind, &mut RowBuf)> {
        self.rows[..self.len].iter_mut().map(|(kind, row)| (*kind, row))
    }

    /// One more row of `columns` NULLs, to be filled.
    pub fn push(&mut self, kind: RowKind, columns: usize) -> &mut RowBuf {
        if self.len == self.rows.len() {
            self.rows.push((kind, RowBuf::new()));
        }
        let entry = &mut self.rows[self.len];
        self.len += 1;
        entry.0 = kind;
        entry.1.reset(columns);
        &mut entry.1
    }

    /// The last row, and the one before it.
    pub(crate) fn last_two_mut(&mut self) -> Option<(&mut RowBuf, &mut RowBuf)> {
        let [.., (_, before), (_, last)] = &mut self.rows[..self.len] else { return None };
        Some((last, before))
    }

    /// Makes the last row and the one before it change places, if there are two.
    pub(crate) fn swap_last_two(&mut self) {
        if let [.., before, last] = &mut self.rows[..self.len] {
            std::mem::swap(before, last);
        }
    }

    /// Makes all rows ones of that kind.
    pub(crate) fn set_kinds(&mut self, kind: RowKind) {
        self.rows[..self.len].iter_mut().for_each(|(own, _)| *own = kind);
    }

    /// Makes the last row one of that kind.
    pub(crate) fn set_kind_of_last(&mut self, kind: RowKind) {
        if let Some((last, _)) = self.rows[..self.len].last_mut() {
            *last = kind;
        }
    }

    /// Drops the rows that `keep` does not want, capacities kept.
    pub(crate) fn retain(&mut self, keep: impl Fn(&RowBuf) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            if keep(&self.rows[index].1) {
                self.rows.swap(kept, index);
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Drops the rows from `len` on, capacities kept.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

/// Looks at each row.
impl GiveBack for ChangelogBuf {
    fn give_back(&mut self) {
        let held: usize = self.rows.iter().map(|(_, row)| ROW_BYTES + row.capacity_in_bytes()).sum();
        let used: usize = self.iter().map(|(_, row)| ROW_BYTES + row.size_in_bytes()).sum();
        if is_to_be_given_back(held, used) {
            *self = Self::new();
        }
    }
}

/// The rows of a [`ChangelogBuf`] in order, each with its kind.
#[derive(Clone, Debug)]
pub struct ChangelogIter<'a> {
    rows: std::slice::Iter<'a, (RowKind, RowBuf)>,
}

impl<'a> Iterator for ChangelogIter<'a> {
    type Item = (RowKind, &'a RowBuf);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next().map(|(kind, row)| (*kind, row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for ChangelogIter<'_> {}

impl<'a> IntoIterator for &'a ChangelogBuf {
    type Item = (RowKind, &'a RowBuf);
    type IntoIter = ChangelogIter<'a>;

    fn into_iter(self) -> ChangelogIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for ChangelogBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(kind, row)| (kind.short_string(), row))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iterator_knows_how_many_rows_are_left() {
        let mut buf = ChangelogBuf::new();
        for kind in [RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::Delete] {
            buf.push(kind, 1);
        }
        let mut rows = buf.iter();
        for left in (0..=3).rev() {
            assert_eq!(rows.len(), left);
            rows.next();
        }
    }
}
