use std::collections::BTreeMap;

use crate::row::RowBuf;

/// The versions of a key by their times, oldest first.
///
/// Mostly there are few, side by side. Those of a key that has many stand in a tree, so that no order in which they come
/// is dear.
#[derive(Clone)]
pub(super) enum Versions {
    Few(Vec<Version>),
    Many(BTreeMap<i64, Option<RowBuf>>),
}

/// What there is from `time` on.
#[derive(Clone)]
pub(super) struct Version {
    time: i64,
    row: Option<RowBuf>,
}

/// More versions than this go to a tree.
const MOST_OF_FEW: usize = 64;

/// No more versions than this come back from it.
const FEW: usize = 16;

impl Versions {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Few(versions) => versions.len(),
            Self::Many(versions) => versions.len(),
        }
    }

    /// What the versions take.
    pub(super) fn size_in_bytes(&self) -> usize {
        self.iter().map(|(_, row)| size_of::<Version>() + row.map_or(0, RowBuf::size_in_bytes)).sum()
    }

    /// The times, each with its row, or without if it was deleted.
    pub(super) fn iter(&self) -> impl Iterator<Item = (i64, Option<&RowBuf>)> {
        let (few, many) = match self {
            Self::Few(versions) => (Some(versions), None),
            Self::Many(versions) => (None, Some(versions)),
        };
        let few = few.into_iter().flatten().map(|version| (version.time, version.row.as_ref()));
        few.chain(many.into_iter().flatten().map(|(time, row)| (*time, row.as_ref())))
    }

    /// The row of exactly that time, put in its place, deleted, if there is none.
    pub(super) fn at(&mut self, time: i64) -> &mut Option<RowBuf> {
        if let Self::Few(versions) = self
            && versions.len() >= MOST_OF_FEW
        {
            let versions = std::mem::take(versions).into_iter();
            *self = Self::Many(versions.map(|version| (version.time, version.row)).collect());
        }
        match self {
            Self::Few(versions) => {
                let found = versions.binary_search_by_key(&time, |version| version.time);
                let index = found.unwrap_or_else(|index| {
                    versions.insert(index, Version { time, row: None });
                    index
                });
                &mut versions[index].row
            }
            Self::Many(versions) => versions.entry(time).or_default(),
        }
    }

    /// The row of the greatest time that is not above `time`.
    pub(super) fn as_of(&self, time: i64) -> Option<&RowBuf> {
        match self {
            Self::Few(versions) => {
                let later = versions.partition_point(|version| version.time <= time);
                versions.get(later.checked_sub(1)?)?.row.as_ref()
            }
            Self::Many(versions) => versions.range(..=time).next_back()?.1.as_ref(),
        }
    }

    /// Drops the versions older than the newest one up to the watermark.
    pub(super) fn clean_up(&mut self, watermark: i64, spare: &mut SpareRows) {
        match self {
            Self::Few(versions) => {
                let passed = versions.partition_point(|version| version.time <= watermark);
                let dropped = versions.drain(..passed.saturating_sub(1));
                dropped.filter_map(|version| version.row).for_each(|row| spare.put(row));
            }
            Self::Many(versions) => {
                while versions.range(..=watermark).nth(1).is_some() {
                    versions.pop_first().and_then(|(_, row)| row).into_iter().for_each(|row| spare.put(row));
                }
                if versions.len() <= FEW {
                    let versions = std::mem::take(versions).into_iter();
                    *self = Self::Few(versions.map(|(time, row)| Version { time, row }).collect());
                }
            }
        }
    }
}

impl Default for Versions {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

/// Rows that were dropped, for those to come: no more, and no larger ones, than are worth their memory.
#[derive(Clone, Default)]
pub(super) struct SpareRows(Vec<RowBuf>);

impl SpareRows {
    pub(super) fn put(&mut self, row: RowBuf) {
        const MOST: usize = 1024;
        const LARGEST: usize = 16 * 1024;
        if self.0.len() < MOST && row.capacity_in_bytes() <= LARGEST {
            self.0.push(row);
        }
    }

    pub(super) fn take(&mut self) -> RowBuf {
        self.0.pop().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::row::Datum;

    fn row(number: i32) -> RowBuf {
        RowBuf::copy_of(&[Datum::Int(number)], 1)
    }

    proptest! {
        /// The model is a list that is searched from its end; times are few, so that they meet, and steps many, so that
        /// versions go to the tree and come back.
        #[test]
        fn versions_are_a_list_by_time(steps in prop::collection::vec((0_i64..200, 0_u8..8), 0..400)) {
            let (mut versions, mut spare) = (Versions::default(), SpareRows::default());
            let mut model: Vec<(i64, Option<RowBuf>)> = Vec::new();
            for (number, (time, step)) in (0..).zip(steps) {
                match step {
                    0 => {
                        let watermark = time / 2;
                        versions.clean_up(watermark, &mut spare);
                        let newest = model.iter().map(|(time, _)| *time).filter(|time| *time <= watermark).max();
                        model.retain(|(time, _)| newest.is_none_or(|newest| *time >= newest));
                    }
                    _ => {
                        let kept = (step > 1).then(|| row(number));
                        *versions.at(time) = kept.clone();
                        model.retain(|(other, _)| *other != time);
                        model.push((time, kept));
                        model.sort_unstable_by_key(|(time, _)| *time);
                    }
                }
                let found = model.iter().rev().find(|(other, _)| *other <= time);
                prop_assert_eq!(versions.as_of(time), found.and_then(|(_, row)| row.as_ref()));
                prop_assert_eq!(versions.len(), model.len());
            }
            let listed: Vec<_> = versions.iter().map(|(time, row)| (time, row.cloned())).collect();
            prop_assert_eq!(listed, model);
        }
    }

    #[test]
    fn few_large_rows_are_spared() {
        let mut spare = SpareRows::default();
        (0..2000).for_each(|number| spare.put(row(number)));
        spare.put(RowBuf::copy_of(&[Datum::String(&"x".repeat(20_000))], 1));
        assert_eq!(spare.0.len(), 1024);
        assert!(spare.take().size_in_bytes() < 1000);
    }
}
