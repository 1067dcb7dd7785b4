use crate::format::NoRow;
use crate::row::{ChangelogBuf, RowBuf, RowKind};
use crate::state::Changes;

/// What became of a record.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Decoded<'b> {
    /// Its rows, at least one.
    Rows(&'b ChangelogBuf),
    /// No row, although nothing failed: Flink drops such a record silently.
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
    /// The value is null (in a `kafka` table), empty or an empty list; of Debezium's events the tombstone after a delete.
    NoValue,
    /// The value does not parse, and `ignore-parse-errors` is on.
    UnreadableValue,
    /// The format's include filter leaves the value out, or its message is of a type that changes no row.
    Filtered,
    /// A column of the primary key is NULL, and [`NullInKey::Skip`](crate::table::NullInKey::Skip) is asked for.
    NullInKey,
    /// An event of Debezium says that the table was truncated: all of its rows are gone.
    Truncated,
    /// An event of Debezium is a message that a program has put into the database's log.
    Message,
    /// An event of Debezium tells where a transaction begins or ends.
    Transaction,
    /// An event of Debezium tells of a changed table or database.
    SchemaChange,
    /// An event of Debezium only says that its connector is alive.
    Heartbeat,
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

    /// Its name in `snake_case`, which never changes: a label for metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoKey => "no_key",
            Self::UnreadableKey => "unreadable_key",
            Self::NoValue => "no_value",
            Self::UnreadableValue => "unreadable_value",
            Self::Filtered => "filtered",
            Self::NullInKey => "null_in_key",
            Self::Truncated => "truncated",
            Self::Message => "message",
            Self::Transaction => "transaction",
            Self::SchemaChange => "schema_change",
            Self::Heartbeat => "heartbeat",
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
            Self::NullInKey => "a column of the primary key is NULL, and such rows are skipped",
            Self::Truncated => "the table was truncated",
            Self::Message => "the event is a message in the database's log",
            Self::Transaction => "the event tells of a transaction",
            Self::SchemaChange => "the event tells of a change of the schema",
            Self::Heartbeat => "the event is a heartbeat",
        }
    }
}
