//! Rows and their values: borrowed through [`Row`] and [`Datum`], owned in [`RowBuf`].
//!
//! A row's columns are the table's DDL columns in order, without computed ones (and, for a sink, without VIRTUAL
//! metadata). The kind of a change travels beside the row, not in it.
//!
//! Agrees with Flink's `org.apache.flink.table.data.RowData` and `org.apache.flink.types.RowKind`.

mod as_datum;
mod budget;
mod buf;
mod changelog_buf;
mod datum;
mod decimal;
mod kind;
mod local_time_zone;
mod timestamp;

pub use as_datum::AsDatum;
pub(crate) use budget::RowBudget;
pub use buf::RowBuf;
pub(crate) use buf::Slot;
pub use changelog_buf::ChangelogBuf;
pub(crate) use changelog_buf::{ROW_BYTES, is_to_be_given_back};
pub use datum::{Datum, Entries, Row, ValueSource, Values};
pub use decimal::Decimal;
pub(crate) use decimal::DecimalColumn;
pub use kind::RowKind;
pub use local_time_zone::LocalTimeZone;
pub use timestamp::Timestamp;
