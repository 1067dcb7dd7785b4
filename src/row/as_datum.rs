use std::borrow::Cow;

use bytes::Bytes;

use super::{Datum, Decimal, Entries, Row, Timestamp, ValueSource, Values};

/// What can be lent as one [`Datum`]: the field types that [`impl_row!`](crate::impl_row) takes. Its reading twin is
/// [`FromDatum`](super::FromDatum).
///
/// Integers, floats, `bool`, text, bytes, [`Decimal`], [`Timestamp`], `Option` of them (NULL), `Vec<T>` (ARRAY),
/// `Vec<(K, V)>` (MAP in the order held), and structs with `impl_row!` themselves (ROW). DATE and TIME are integers too
/// and need a type of your own:
///
/// ```
/// use upsert_kafka::{Datum, Row, impl_row};
/// use upsert_kafka::row::AsDatum;
///
/// struct Day(i32); // days since 1970-01-01
/// impl AsDatum for Day {
///     fn as_datum(&self) -> Datum<'_> {
///         Datum::Date(self.0)
///     }
/// }
/// struct Rate { currency: String, day: Option<Day> }
/// impl_row!(Rate { currency, day });
///
/// let rate = Rate { currency: "EUR".to_owned(), day: Some(Day(19_782)) };
/// assert!(matches!(rate.datum(1), Datum::Date(19_782)));
/// ```
pub trait AsDatum {
    /// The value, borrowed.
    fn as_datum(&self) -> Datum<'_>;
}

macro_rules! as_datum {
    ($($type:ty => $variant:ident),+ $(,)?) => {
        $(impl AsDatum for $type {
            #[inline]
            fn as_datum(&self) -> Datum<'_> {
                Datum::$variant(*self)
            }
        })+
    };
    (ref $($type:ty => $variant:ident),+ $(,)?) => {
        $(impl AsDatum for $type {
            #[inline]
            fn as_datum(&self) -> Datum<'_> {
                Datum::$variant(self)
            }
        })+
    };
}

as_datum! {
    bool => Boolean, i8 => TinyInt, i16 => SmallInt, i32 => Int, i64 => BigInt, f32 => Float, f64 => Double,
    Decimal => Decimal, Timestamp => Timestamp,
}
as_datum! { ref str => String, String => String, Box<str> => String, Cow<'_, str> => String }
as_datum! { ref [u8] => Bytes, Vec<u8> => Bytes, Bytes => Bytes, Box<[u8]> => Bytes }

impl AsDatum for Datum<'_> {
    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        *self
    }
}

impl<T: AsDatum> AsDatum for Option<T> {
    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        self.as_ref().map_or(Datum::Null, AsDatum::as_datum)
    }
}

impl<T: AsDatum + ?Sized> AsDatum for &T {
    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        (**self).as_datum()
    }
}

impl<T: AsDatum + Sync> ValueSource for Vec<T> {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        self.as_slice().get(index).map_or(Datum::Null, AsDatum::as_datum)
    }
}

impl<T: AsDatum + Sync, const N: usize> ValueSource for [T; N] {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        self.as_slice().get(index).map_or(Datum::Null, AsDatum::as_datum)
    }
}

impl<K: AsDatum + Sync, V: AsDatum + Sync> ValueSource for Vec<(K, V)> {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        match self.get(index / 2) {
            Some((key, _)) if index.is_multiple_of(2) => key.as_datum(),
            Some((_, value)) => value.as_datum(),
            None => Datum::Null,
        }
    }
}

impl<T: AsDatum + Sync> AsDatum for Vec<T> {
    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::Array(Values::new(self, self.len()))
    }
}

impl<K: AsDatum + Sync, V: AsDatum + Sync> AsDatum for Vec<(K, V)> {
    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::Map(Entries::new(self, self.len()))
    }
}

impl<T: AsDatum> Row for [T] {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        self.get(column).map_or(Datum::Null, AsDatum::as_datum)
    }
}

impl<T: AsDatum, const N: usize> Row for [T; N] {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        self.as_slice().datum(column)
    }
}

impl<T: AsDatum> Row for Vec<T> {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        self.as_slice().datum(column)
    }
}

/// Makes a struct a [`Row`](crate::Row) by listing its fields in the order of the table's columns.
///
/// Fields are columns by position; their names do not matter. The struct can also be a field of another one (ROW), in a
/// `Vec` (ARRAY of ROW) or in an `Option`. Field types are those with [`AsDatum`](crate::row::AsDatum).
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
/// impl_row!(Order { id, note, items });
///
/// let item = Item { sku: "a".into(), price: Decimal::new(150, 2) };
/// let order = Order { id: 1, note: None, items: vec![item] };
/// assert!(matches!(order.datum(0), Datum::BigInt(1)));
/// assert!(matches!(order.datum(2), Datum::Array(items) if items.len() == 1));
/// ```
#[macro_export]
macro_rules! impl_row {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl $crate::Row for $type {
            #[inline]
            fn datum(&self, column: usize) -> $crate::Datum<'_> {
                // The compiler folds the counter away and makes this a jump table.
                let mut position = 0;
                $(
                    if column == position {
                        return $crate::row::AsDatum::as_datum(&self.$field);
                    }
                    #[allow(unused_assignments, reason = "the last one counts for nothing")]
                    {
                        position += 1;
                    }
                )+
                $crate::Datum::Null
            }
        }

        impl $crate::row::ValueSource for $type {
            #[inline]
            fn value(&self, index: usize) -> $crate::Datum<'_> {
                $crate::Row::datum(self, index)
            }
        }

        impl $crate::row::AsDatum for $type {
            #[inline]
            fn as_datum(&self) -> $crate::Datum<'_> {
                const FIELDS: usize = [$(stringify!($field)),+].len();
                $crate::Datum::Row($crate::row::Values::new(self, FIELDS))
            }
        }
    };
}
