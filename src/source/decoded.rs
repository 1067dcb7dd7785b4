use crate::error::Error;
use crate::format::NoRow;
use crate::row::{ChangelogBuf, RowBuf, RowKind};
use crate::state::Changes;

/// What became of a record.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Decoded<'b> {
    /// Its rows, at least one.
    Rows(&'b ChangelogBuf),
    /// No row, although nothing failed: Flink drops such a record without a word.
    Skipped(SkipReason),
}

impl<'b> Decoded<'b> {
    /// The rows with their kinds; none of a record that was skipped.
    pub fn rows(self) -> impl ExactSizeIterator<Item = (RowKind, &'b RowBuf)> + use<'b> {
        Changes::of_buf(match self {
            Self::Rows(rows) => Some(rows),
            Self::Skipped(_) => None,
        })
    }

    /// Why there are none, where there are none.
    #[must_use]
    pub fn skipped(self) -> Option<SkipReason> {
        match self {
            Self::Rows(_) => None,
            Self::Skipped(reason) => Some(reason),
        }
    }
}

/// Why a record gives no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// The key is null, empty or an empty list, and the table's key columns come from it.
    NoKey,
    /// The key does not parse, and `ignore-parse-errors` is on for it.
    UnreadableKey,
    /// The value is null (in a `kafka` table), empty or an empty list.
    NoValue,
    /// The value does not parse, and `ignore-parse-errors` is on.
    UnreadableValue,
    /// The format's include filter leaves the value out, or its message is of a type that changes no row.
    Filtered,
}

impl SkipReason {
    pub(super) fn of_key(skip: Option<NoRow>) -> Self {
        match skip {
            None | Some(NoRow::Empty | NoRow::Filtered) => Self::NoKey,
            Some(NoRow::ParseError | NoRow::NullRow) => Self::UnreadableKey,
        }
    }

    pub(super) fn of_value(skip: Option<NoRow>) -> Self {
        match skip {
            None | Some(NoRow::Empty) => Self::NoValue,
            Some(NoRow::ParseError | NoRow::NullRow) => Self::UnreadableValue,
            Some(NoRow::Filtered) => Self::Filtered,
        }
    }

    /// The reason in words.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::NoKey => "the key holds no row",
            Self::UnreadableKey => "the key does not parse, and parse errors are ignored",
            Self::NoValue => "the value holds no row",
            Self::UnreadableValue => "the value does not parse, and parse errors are ignored",
            Self::Filtered => "the format leaves the message out",
        }
    }
}

/// How many records became what: plain counters for whatever metrics the caller has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeStats {
    /// Records, whatever became of them.
    pub records: u64,
    /// Rows.
    pub rows: u64,
    /// Records that failed.
    pub failed: u64,
    /// Records skipped for [`SkipReason::NoKey`].
    pub no_key: u64,
    /// Records skipped for [`SkipReason::UnreadableKey`].
    pub unreadable_key: u64,
    /// Records skipped for [`SkipReason::NoValue`].
    pub no_value: u64,
    /// Records skipped for [`SkipReason::UnreadableValue`].
    pub unreadable_value: u64,
    /// Records skipped for [`SkipReason::Filtered`].
    pub filtered: u64,
}

impl DecodeStats {
    /// Counts what a decoder answered.
    pub fn count(&mut self, outcome: &Result<Decoded<'_>, Error>) {
        self.records += 1;
        match outcome {
            Ok(Decoded::Rows(rows)) => self.rows += rows.len() as u64,
            Ok(Decoded::Skipped(reason)) => *self.counter(*reason) += 1,
            Err(_) => self.failed += 1,
        }
    }

    /// Records that gave no row although nothing failed.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.no_key + self.unreadable_key + self.no_value + self.unreadable_value + self.filtered
    }

    fn counter(&mut self, reason: SkipReason) -> &mut u64 {
        match reason {
            SkipReason::NoKey => &mut self.no_key,
            SkipReason::UnreadableKey => &mut self.unreadable_key,
            SkipReason::NoValue => &mut self.no_value,
            SkipReason::UnreadableValue => &mut self.unreadable_value,
            SkipReason::Filtered => &mut self.filtered,
        }
    }
}
