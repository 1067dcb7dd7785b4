use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;

use super::{Datum, DatumKind, Decimal, Entries, Row, Shape, Timestamp, ValueSource, Values};

/// What can be lent as one [`Datum`]: the field types that [`impl_row!`](crate::impl_row) takes. Its reading twin is
/// [`FromDatum`](super::FromDatum).
///
/// | type of Rust | column |
/// |---|---|
/// | `bool`, `i8` to `i64`, `f32`, `f64` | BOOLEAN, TINYINT to BIGINT, FLOAT, DOUBLE |
/// | `u8`, `u16`, `u32`, `u64` | the next larger one: SMALLINT, INT, BIGINT, DECIMAL(20, 0) |
/// | `str`, `String`, `Cow<str>` | STRING, CHAR, VARCHAR |
/// | `[u8]`, `Vec<u8>`, `[u8; N]`, `Cow<[u8]>`, `bytes::Bytes` | BYTES, BINARY, VARBINARY |
/// | [`Decimal`], [`Timestamp`] | DECIMAL; TIMESTAMP and TIMESTAMP_LTZ |
/// | `Vec<T>`, `[T; N]` | ARRAY |
/// | `Vec<(K, V)>`, `HashMap`, `BTreeMap` | MAP, or MULTISET with counts of `i32`, in the order held |
/// | a struct of `impl_row!`, a tuple | ROW |
/// | `Option<T>` | the same, and NULL |
/// | `&T`, `Box<T>`, `Arc<T>` | as `T` |
/// | [`Datum`] | any; checked row by row |
///
/// An entry of a `HashMap` or `BTreeMap` is found by walking to it, which takes time for thousands of them; `Vec<(K, V)>`
/// does not. Features bring types of other crates, among them those of dates and times: see
/// [`adapters`](crate::adapters). Everything else joins by a type of your own:
///
/// ```
/// use upsert_kafka::{Datum, Row, impl_row};
/// use upsert_kafka::row::{AsDatum, DatumKind, Shape};
///
/// struct Day(i32); // days since 1970-01-01
/// impl AsDatum for Day {
///     const SHAPE: &'static Shape = &Shape::Of(DatumKind::Date);
///
///     fn as_datum(&self) -> Datum<'_> {
///         Datum::Date(self.0)
///     }
/// }
/// struct Rate { currency: String, day: Option<Day> }
/// impl_row!(write Rate { currency, day });
///
/// let rate = Rate { currency: "EUR".to_owned(), day: Some(Day(19_782)) };
/// assert!(matches!(rate.datum(1), Datum::Date(19_782)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value of a column",
    label = "this field cannot be lent as a `Datum`",
    note = "`upsert_kafka::row::AsDatum` lists the types that can; features bring those of chrono, jiff, time, uuid and others",
    note = "implement `AsDatum` for a type of your own, be it a newtype around one of another crate"
)]
pub trait AsDatum {
    /// The types of column that this fits.
    const SHAPE: &'static Shape = &Shape::Any;

    /// Those that a list of these fits.
    #[doc(hidden)]
    const LIST: &'static Shape = &Shape::Array(Self::SHAPE);

    /// The value, borrowed.
    fn as_datum(&self) -> Datum<'_>;

    /// A list of these: an ARRAY, unless they are bytes or pairs. `source` lends what [`value_of`](Self::value_of) says.
    #[doc(hidden)]
    #[inline]
    fn list_as_datum<'a>(list: &'a [Self], source: &'a dyn ValueSource) -> Datum<'a>
    where
        Self: Sized,
    {
        Datum::Array(Values::new(source, list.len()))
    }

    /// A value of a list of these.
    #[doc(hidden)]
    #[inline]
    fn value_of(list: &[Self], index: usize) -> Datum<'_>
    where
        Self: Sized,
    {
        list.get(index).map_or(Datum::Null, Self::as_datum)
    }
}

macro_rules! as_datum {
    ($($type:ty => $kind:ident($value:ident) $from:expr),+ $(,)?) => {
        $(impl AsDatum for $type {
            const SHAPE: &'static Shape = &Shape::Of(DatumKind::$kind);

            #[inline]
            fn as_datum(&self) -> Datum<'_> {
                let $value = self;
                Datum::$kind($from)
            }
        })+
    };
}

as_datum! {
    bool => Boolean(value) *value,
    i8 => TinyInt(value) *value,
    i16 => SmallInt(value) *value,
    i32 => Int(value) *value,
    i64 => BigInt(value) *value,
    u16 => Int(value) (*value).into(),
    u32 => BigInt(value) (*value).into(),
    u64 => Decimal(value) Decimal::new((*value).into(), 0),
    f32 => Float(value) *value,
    f64 => Double(value) *value,
    Decimal => Decimal(value) *value,
    Timestamp => Timestamp(value) *value,
    str => String(value) value,
    String => String(value) value,
    Cow<'_, str> => String(value) value,
    [u8] => Bytes(value) value,
    Cow<'_, [u8]> => Bytes(value) value,
    Bytes => Bytes(value) value,
}

impl AsDatum for u8 {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::SmallInt);
    const LIST: &'static Shape = &Shape::Of(DatumKind::Bytes);

    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::SmallInt((*self).into())
    }

    #[inline]
    fn list_as_datum<'a>(list: &'a [Self], _: &'a dyn ValueSource) -> Datum<'a> {
        Datum::Bytes(list)
    }
}

impl AsDatum for Datum<'_> {
    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        *self
    }
}

impl<T: AsDatum> AsDatum for Option<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        self.as_ref().map_or(Datum::Null, AsDatum::as_datum)
    }
}

macro_rules! as_what_it_points_to {
    ($($pointer:ty),+) => {
        $(impl<T: AsDatum + ?Sized> AsDatum for $pointer {
            const SHAPE: &'static Shape = T::SHAPE;

            #[inline]
            fn as_datum(&self) -> Datum<'_> {
                (**self).as_datum()
            }
        })+
    };
}

as_what_it_points_to!(&T, Box<T>, Arc<T>);

macro_rules! list {
    ($([$($generics:tt)*] $list:ty),+) => {
        $(
            impl<T: AsDatum + Sync, $($generics)*> ValueSource for $list {
                #[inline]
                fn value(&self, index: usize) -> Datum<'_> {
                    T::value_of(self, index)
                }
            }

            impl<T: AsDatum + Sync, $($generics)*> AsDatum for $list {
                const SHAPE: &'static Shape = T::LIST;

                #[inline]
                fn as_datum(&self) -> Datum<'_> {
                    T::list_as_datum(self, self)
                }
            }

            impl<T: AsDatum, $($generics)*> Row for $list {
                #[inline]
                fn datum(&self, column: usize) -> Datum<'_> {
                    self.as_slice().datum(column)
                }
            }
        )+
    };
}

list!([] Vec<T>, [const N: usize] [T; N]);

impl<T: AsDatum> Row for [T] {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        self.get(column).map_or(Datum::Null, AsDatum::as_datum)
    }
}

macro_rules! map {
    ($([$($generics:tt)*] $map:ty),+) => {
        $(
            impl<K: AsDatum + Sync, V: AsDatum + Sync, $($generics)*> ValueSource for $map {
                fn value(&self, index: usize) -> Datum<'_> {
                    match self.iter().nth(index / 2) {
                        Some((key, _)) if index.is_multiple_of(2) => key.as_datum(),
                        Some((_, value)) => value.as_datum(),
                        None => Datum::Null,
                    }
                }
            }

            impl<K: AsDatum + Sync, V: AsDatum + Sync, $($generics)*> AsDatum for $map {
                const SHAPE: &'static Shape = &Shape::Map(K::SHAPE, V::SHAPE);

                #[inline]
                fn as_datum(&self) -> Datum<'_> {
                    Datum::Map(Entries::new(self, self.len()))
                }
            }
        )+
    };
}

map!([S: Sync] HashMap<K, V, S>, [] BTreeMap<K, V>);

/// Pairs are rows too, and a list of them a map.
impl<K: AsDatum + Sync, V: AsDatum + Sync> AsDatum for (K, V) {
    const SHAPE: &'static Shape = &Shape::Tuple(&[K::SHAPE, V::SHAPE]);
    const LIST: &'static Shape = &Shape::Map(K::SHAPE, V::SHAPE);

    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::Row(Values::new(self, 2))
    }

    #[inline]
    fn list_as_datum<'a>(list: &'a [Self], source: &'a dyn ValueSource) -> Datum<'a> {
        Datum::Map(Entries::new(source, list.len()))
    }

    #[inline]
    fn value_of(list: &[Self], index: usize) -> Datum<'_> {
        list.get(index / 2).map_or(Datum::Null, |pair| pair.value(index % 2))
    }
}

macro_rules! tuple {
    ($($type:ident $index:tt),+) => {
        impl<$($type: AsDatum + Sync),+> ValueSource for ($($type,)+) {
            #[inline]
            fn value(&self, index: usize) -> Datum<'_> {
                match index {
                    $($index => self.$index.as_datum(),)+
                    _ => Datum::Null,
                }
            }
        }
    };
    ($count:literal: $($type:ident $index:tt),+) => {
        tuple!($($type $index),+);

        impl<$($type: AsDatum + Sync),+> AsDatum for ($($type,)+) {
            const SHAPE: &'static Shape = &Shape::Tuple(&[$($type::SHAPE),+]);

            #[inline]
            fn as_datum(&self) -> Datum<'_> {
                Datum::Row(Values::new(self, $count))
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(3: A 0, B 1, C 2);
tuple!(4: A 0, B 1, C 2, D 3);
tuple!(5: A 0, B 1, C 2, D 3, E 4);
tuple!(6: A 0, B 1, C 2, D 3, E 4, F 5);
