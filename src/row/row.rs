use super::{Datum, FromDatum, FromRow, RowBuf};
use crate::error::Error;

/// A row that lends its values by column position, 0 first.
///
/// Implemented for slices, arrays and vectors of [`Datum`], for [`RowBuf`](crate::RowBuf), and by
/// [`impl_row!`](crate::impl_row) for structs. A column that a row does not have is NULL. The columns are not counted:
/// a row that is too short for its table is written as if NULLs followed.
/// [`Table::sink_of`](crate::Table::sink_of) counts those of a struct.
pub trait Row {
    /// The value in `column`. Called once or twice a column and row; it should neither allocate nor compute.
    fn datum(&self, column: usize) -> Datum<'_>;

    /// Whether the value in `column` is NULL.
    #[doc(hidden)]
    #[inline]
    fn is_null(&self, column: usize) -> bool {
        self.datum(column).is_null()
    }

    /// Appends copies of the first `columns` values to `copy`, which has none.
    #[doc(hidden)]
    #[inline]
    fn copy_to(&self, copy: &mut RowBuf, columns: usize) {
        (0..columns).for_each(|column| copy.push(self.datum(column)));
    }

    /// The value in `column` as a type of Rust; `Option` of one where it may be NULL.
    ///
    /// ```
    /// use upsert_kafka::{Datum, Row};
    ///
    /// let row = [Datum::BigInt(7), Datum::String("EU"), Datum::Null];
    /// let (id, region): (i64, &str) = (row.get(0)?, row.get(1)?);
    /// assert_eq!((id, region, row.get::<Option<f64>>(2)?), (7, "EU", None));
    /// assert_eq!(row.get::<i64>(1).unwrap_err().to_string(), "column 1: expected BIGINT, found STRING");
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Row`](crate::ErrorKind::Row) with the column and both types, if the value is of another type.
    /// Nothing is converted: a BIGINT is an `i64`, never an `i32`.
    #[inline]
    fn get<'a, T: FromDatum<'a>>(&'a self, column: usize) -> Result<T, Error>
    where
        Self: Sized,
    {
        T::from_datum(self.datum(column)).map_err(|error| error.in_position(column))
    }

    /// The row as a struct with [`impl_row!`](crate::impl_row), texts and byte strings borrowed where the struct borrows.
    ///
    /// The first column becomes the first field, and so on: the rows of a [`source_of`](crate::Table::source_of) the
    /// struct are in the order of its fields, whatever that of the table's columns is.
    ///
    /// ```
    /// use upsert_kafka::{Datum, Row, impl_row};
    ///
    /// struct Count<'a> {
    ///     word: &'a str,
    ///     n: Option<i64>,
    /// }
    /// impl_row!(Count<'a> { word, n });
    ///
    /// let row = [Datum::String("kafka"), Datum::Null];
    /// let count: Count = row.read()?;
    /// assert_eq!((count.word, count.n), ("kafka", None));
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get), with the column's name.
    #[inline]
    fn read<'a, T: FromRow<'a>>(&'a self) -> Result<T, Error>
    where
        Self: Sized,
    {
        T::from_columns(|column| self.datum(column))
    }
}

impl<R: Row + ?Sized> Row for &R {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        (**self).datum(column)
    }

    #[inline]
    fn copy_to(&self, copy: &mut RowBuf, columns: usize) {
        (**self).copy_to(copy, columns);
    }
}
