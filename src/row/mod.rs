//! Rows and their values: borrowed through [`Row`] and [`Datum`], owned in [`RowBuf`]; structs by the names of their
//! fields, through [`NamedRow`] and [`FromRow`].
//!
//! A row's columns are the table's DDL columns in order, without computed ones (and, for a sink, without VIRTUAL
//! metadata). The kind of a change travels beside the row, not in it.
//!
//! Agrees with Flink's `org.apache.flink.table.data.RowData` and `org.apache.flink.types.RowKind`.

mod as_datum;
mod budget;
mod buf;
mod changelog_buf;
mod copy;
mod datum;
mod decimal;
mod equality;
mod from_datum;
mod from_row;
mod kind;
mod local_time_zone;
#[expect(clippy::module_inception, reason = "the file is named for its type")]
mod row;
mod shape;
mod structs;
mod timestamp;

pub use as_datum::AsDatum;
pub(crate) use budget::RowBudget;
pub(crate) use buf::Slot;
pub use buf::{RowBuf, RowBufIter};
pub(crate) use changelog_buf::ROW_BYTES;
pub use changelog_buf::{ChangelogBuf, ChangelogIter};
pub use datum::{Datum, DatumKind, Entries, EntriesIter, ValueSource, Values, ValuesIter};
pub use decimal::Decimal;
pub(crate) use decimal::DecimalColumn;
pub(crate) use equality::rows_equal;
pub use from_datum::FromDatum;
#[doc(hidden)]
pub use from_datum::read_fields;
pub use from_row::FromRow;
pub use kind::RowKind;
pub use local_time_zone::LocalTimeZone;
pub use row::Row;
pub use shape::{ColumnShape, Shape};
pub use structs::NamedRow;
#[doc(hidden)]
pub use structs::{lent_as, read_as, read_column};
pub use timestamp::Timestamp;
