//! Structs as rows, by the names of their fields.

use super::{AsDatum, ColumnShape, Datum, FromDatum, Row, Shape};
use crate::error::Error;

/// A row that knows the names of its columns: a struct with [`impl_row!`](crate::impl_row).
///
/// [`Table::sink_of`](crate::Table::sink_of) holds them against the table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct with column names",
    note = "list its fields: `impl_row!({Self} {{ .. }})`"
)]
pub trait NamedRow: Row {
    /// The columns: at position n of it what [`datum(n)`](Row::datum) lends.
    const COLUMNS: &'static [ColumnShape];
}

/// Makes a struct a [`Row`](crate::Row) that is written and read by the names of its fields.
///
/// ```
/// use upsert_kafka::{Datum, Decimal, Row, impl_row};
///
/// struct Item {
///     sku: String,
///     price: Decimal,
/// }
/// struct Order {
///     id: i64,
///     note: Option<String>,
///     items: Vec<Item>,
/// }
/// impl_row!(Item { sku, price });
/// impl_row!(Order { id as "order_id", note, items }); // `as` where the column has another name
///
/// let item = Item { sku: "a".into(), price: Decimal::new(150, 2) };
/// let order = Order { id: 1, note: None, items: vec![item] };
/// assert!(matches!(order.datum(0), Datum::BigInt(1)));
/// assert!(matches!(order.datum(2), Datum::Array(items) if items.len() == 1));
/// # let row = upsert_kafka::RowBuf::copy_of(&order, 3);
/// let back: Order = row.read()?;
/// assert_eq!(back.items[0].price, order.items[0].price);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
///
/// [`Table::sink_of::<Order>`](crate::Table::sink_of) and [`source_of`](crate::Table::source_of) hold names, number and
/// types of the columns against the table, once; the fields may stand in any order. What is made by plain
/// [`sink`](crate::Table::sink) and [`source`](crate::Table::source) takes the fields by position.
///
/// The struct can also be a field of another one (ROW, whose fields stand in the table's order), in a `Vec` (ARRAY of
/// ROW) or in an `Option`. Field types are those with [`AsDatum`](crate::row::AsDatum) and
/// [`FromDatum`](crate::row::FromDatum). A struct with one of them alone is `impl_row!(write Order { .. })` or
/// `impl_row!(read Order { .. })`. One that borrows names its lifetime, `impl_row!(Order<'a> { .. })`.
///
/// A type that is no value of a column is an error at its field:
///
/// ```compile_fail,E0277
/// struct Order {
///     id: i64,
///     placed: std::time::Instant,
/// }
/// upsert_kafka::impl_row!(Order { id, placed });
/// ```
#[macro_export]
macro_rules! impl_row {
    (write $name:ident<$lifetime:lifetime> { $($fields:tt)+ }) => {
        $crate::impl_row!(@write [<$lifetime>] $name<$lifetime> { $($fields)+ });
    };
    (write $type:ty { $($fields:tt)+ }) => {
        $crate::impl_row!(@write [] $type { $($fields)+ });
    };
    (read $name:ident<$lifetime:lifetime> { $($fields:tt)+ }) => {
        $crate::impl_row!(@read $lifetime $name<$lifetime> { $($fields)+ });
    };
    (read $type:ty { $($fields:tt)+ }) => {
        $crate::impl_row!(@read 'row $type { $($fields)+ });
    };
    ($name:ident<$lifetime:lifetime> { $($fields:tt)+ }) => {
        $crate::impl_row!(write $name<$lifetime> { $($fields)+ });
        $crate::impl_row!(read $name<$lifetime> { $($fields)+ });
    };
    ($type:ty { $($fields:tt)+ }) => {
        $crate::impl_row!(write $type { $($fields)+ });
        $crate::impl_row!(read $type { $($fields)+ });
    };

    (@write [$($generics:tt)*] $type:ty { $($field:tt $(as $column:literal)?),+ $(,)? }) => {
        impl $($generics)* $crate::Row for $type {
            #[inline]
            fn datum(&self, column: usize) -> $crate::Datum<'_> {
                // The compiler folds the counter away and makes this a jump table.
                let mut position = 0;
                $(
                    if column == position {
                        // The caller's own token, which the compiler points at if its type is no datum.
                        let Self { $field, .. } = self;
                        return $crate::row::AsDatum::as_datum($field);
                    }
                    #[allow(unused_assignments, reason = "the last one counts for nothing")]
                    {
                        position += 1;
                    }
                )+
                $crate::Datum::Null
            }
        }

        impl $($generics)* $crate::row::NamedRow for $type {
            const COLUMNS: &'static [$crate::row::ColumnShape] = &[$(
                $crate::row::ColumnShape::new(
                    $crate::impl_row!(@name $field $($column)?),
                    $crate::row::lent_as(|row: &Self| &row.$field),
                )
            ),+];
        }

        impl $($generics)* $crate::row::ValueSource for $type {
            #[inline]
            fn value(&self, index: usize) -> $crate::Datum<'_> {
                $crate::Row::datum(self, index)
            }
        }

        impl $($generics)* $crate::row::AsDatum for $type {
            const SHAPE: &'static $crate::row::Shape =
                &$crate::row::Shape::Row(<Self as $crate::row::NamedRow>::COLUMNS);

            #[inline]
            fn as_datum(&self) -> $crate::Datum<'_> {
                const FIELDS: usize = [$(stringify!($field)),+].len();
                $crate::Datum::Row($crate::row::Values::new(self, FIELDS))
            }
        }
    };
    (@read $lifetime:lifetime $type:ty { $($field:tt $(as $column:literal)?),+ $(,)? }) => {
        impl<$lifetime> $crate::row::FromRow<$lifetime> for $type {
            const COLUMNS: &'static [$crate::row::ColumnShape] = &[$(
                $crate::row::ColumnShape::new(
                    $crate::impl_row!(@name $field $($column)?),
                    $crate::row::read_as::<$lifetime, _, _>(|row: &Self| &row.$field),
                )
            ),+];

            #[inline]
            fn from_columns(
                mut datum: impl FnMut(usize) -> $crate::Datum<$lifetime>,
            ) -> ::core::result::Result<Self, $crate::Error> {
                let mut columns = 0..;
                let mut next = || datum(columns.next().unwrap_or_default());
                ::core::result::Result::Ok(Self {
                    $($field: $crate::row::read_column(next(), $crate::impl_row!(@name $field $($column)?))?),+
                })
            }
        }

        impl<$lifetime> $crate::row::FromDatum<$lifetime> for $type {
            const SHAPE: &'static $crate::row::Shape =
                &$crate::row::Shape::Row(<Self as $crate::row::FromRow<$lifetime>>::COLUMNS);

            #[inline]
            fn from_datum(
                datum: $crate::Datum<$lifetime>,
            ) -> ::core::result::Result<Self, $crate::Error> {
                let fields = $crate::row::read_fields(datum)?;
                <Self as $crate::row::FromRow<$lifetime>>::from_columns(|column| fields.value(column))
            }
        }
    };
    (@name $field:tt) => { stringify!($field) };
    (@name $field:tt $column:literal) => { $column };
}

/// What a field fits when it is written, for [`impl_row!`](crate::impl_row).
#[doc(hidden)]
#[must_use]
pub const fn lent_as<R, T: AsDatum>(_field: fn(&R) -> &T) -> &'static Shape {
    T::SHAPE
}

/// What a field is read from, for [`impl_row!`](crate::impl_row).
#[doc(hidden)]
#[must_use]
pub const fn read_as<'a, R, T: FromDatum<'a>>(_field: fn(&R) -> &T) -> &'static Shape {
    T::SHAPE
}

/// A field of that name, for [`impl_row!`](crate::impl_row).
///
/// # Errors
///
/// If it is of another type.
#[doc(hidden)]
#[inline]
pub fn read_column<'a, T: FromDatum<'a>>(datum: Datum<'a>, name: &str) -> Result<T, Error> {
    T::from_datum(datum).map_err(|error| error.in_column(name.strip_prefix("r#").unwrap_or(name)))
}
