use super::{ColumnShape, Datum};
use crate::error::Error;

/// A struct that is read from a row whole: the twin of [`NamedRow`](super::NamedRow), by [`impl_row!`](crate::impl_row).
///
/// [`Table::source_of`](crate::Table::source_of) holds its columns against the table; [`Row::read`](super::Row::read) reads it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct that is read from a row",
    note = "list its fields: `impl_row!({Self} {{ .. }})`"
)]
pub trait FromRow<'a>: Sized {
    /// The columns.
    const COLUMNS: &'static [ColumnShape];

    /// The struct of the data that `datum` answers, by their positions in [`COLUMNS`](Self::COLUMNS).
    ///
    /// # Errors
    ///
    /// If one is of another type.
    fn from_columns(datum: impl FnMut(usize) -> Datum<'a>) -> Result<Self, Error>;
}
