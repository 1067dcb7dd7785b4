use std::fmt;
use std::iter::FusedIterator;

use super::latest_rows::Offer;
use crate::row::{ChangelogBuf, RowBuf, RowKind};

/// What a stage hands out: rows with their kinds, lent until its next call.
pub struct Changes<'a>(Source<'a>);

enum Source<'a> {
    /// Rows that are gone with the next call.
    Lent { rows: Option<&'a ChangelogBuf>, next: usize },
    /// Rows that stay until they are taken.
    Offered(Offer<'a>),
}

impl<'a> Changes<'a> {
    /// The rows of a buffer, or none.
    #[inline]
    pub(crate) fn of_buf(rows: Option<&'a ChangelogBuf>) -> Self {
        Self(Source::Lent { rows, next: 0 })
    }

    /// Rows of which each is taken when the one after it is asked for.
    pub(crate) fn of_offer(offer: Offer<'a>) -> Self {
        Self(Source::Offered(offer))
    }
}

impl<'a> Iterator for Changes<'a> {
    type Item = (RowKind, &'a RowBuf);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Lent { rows, next } => {
                let row = (*rows)?.get(*next)?;
                *next += 1;
                Some(row)
            }
            Source::Offered(offer) => offer.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Source::Lent { rows, next } => rows.map_or(0, ChangelogBuf::len) - next,
            Source::Offered(offer) => offer.left(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Changes<'_> {}

impl FusedIterator for Changes<'_> {}

impl fmt::Debug for Changes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").field("left", &self.len()).finish_non_exhaustive()
    }
}
