use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use bytes::Bytes;

use super::{Datum, DatumKind, Decimal, Entries, Shape, Timestamp, Values};
use crate::error::{Error, ErrorKind};

/// What a [`Datum`] can be read as: the twin of [`AsDatum`](super::AsDatum), for [`Row::get`](super::Row::get) and
/// [`Row::read`](super::Row::read).
///
/// The types are those of [`AsDatum`](super::AsDatum) that own their values or borrow them as `&str` and `&[u8]`, and
/// [`Datum`], [`Values`] and [`Entries`] as they are lent. Of a map with equal keys the last value stays, as in Java.
/// Everything else joins by a type of your own:
///
/// ```
/// use upsert_kafka::row::{DatumKind, FromDatum, Shape};
/// use upsert_kafka::{Datum, Error, ErrorKind, Row};
///
/// struct Day(i32); // days since 1970-01-01
/// impl<'a> FromDatum<'a> for Day {
///     const SHAPE: &'static Shape = &Shape::Of(DatumKind::Date);
///
///     fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
///         match datum {
///             Datum::Date(days) => Ok(Self(days)),
///             other => Err(Error::new(ErrorKind::Row, format!("expected DATE, found {}", other.kind()))),
///         }
///     }
/// }
///
/// let day: Option<Day> = [Datum::Date(19_782)].get(0)?;
/// assert_eq!(day.map(|day| day.0), Some(19_782));
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not read from a column",
    label = "this cannot be read from a `Datum`",
    note = "`upsert_kafka::row::FromDatum` lists the types that can; features bring those of chrono, jiff, time, uuid and others",
    note = "implement `FromDatum` for a type of your own, or make the struct one that is only written: `impl_row!(write Order {{ .. }})`"
)]
pub trait FromDatum<'a>: Sized {
    /// The types of column that this is read from.
    const SHAPE: &'static Shape = &Shape::Any;

    /// Those that a list of these is read from.
    #[doc(hidden)]
    const LIST: &'static Shape = &Shape::Array(Self::SHAPE);

    /// The value of `datum`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Row`](crate::ErrorKind::Row) if it is of another type, which NULL is too.
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error>;

    /// A list of these: an ARRAY, unless they are bytes or pairs.
    #[doc(hidden)]
    fn list_from_datum(datum: Datum<'a>) -> Result<Vec<Self>, Error> {
        let Datum::Array(values) = datum else { return Err(DatumKind::Array.misread(datum.kind())) };
        let elements = values.iter().enumerate();
        elements
            .map(|(index, value)| Self::from_datum(value).map_err(|error| error.in_element(index)))
            .collect()
    }

    /// The same, so many of them.
    #[doc(hidden)]
    fn array_from_datum<const N: usize>(datum: Datum<'a>) -> Result<[Self; N], Error> {
        Self::list_from_datum(datum)?.try_into().map_err(|list: Vec<Self>| other_length(N, list.len()))
    }
}

macro_rules! from_datum {
    ($($kind:ident($value:ident): $($type:ty => $from:expr),+;)+) => {
        $($(
            impl<'a> FromDatum<'a> for $type {
                const SHAPE: &'static Shape = &Shape::Of(DatumKind::$kind);

                #[inline]
                fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
                    match datum {
                        Datum::$kind($value) => Ok($from),
                        found => Err(DatumKind::$kind.misread(found.kind())),
                    }
                }
            }

            try_from_datum!($type);
        )+)+
    };
}

macro_rules! try_from_datum {
    ($type:ty) => {
        impl<'a> TryFrom<Datum<'a>> for $type {
            type Error = Error;

            #[inline]
            fn try_from(datum: Datum<'a>) -> Result<Self, Error> {
                Self::from_datum(datum)
            }
        }
    };
}

from_datum! {
    Boolean(value): bool => value;
    TinyInt(value): i8 => value;
    SmallInt(value): i16 => value;
    Int(value): i32 => value;
    BigInt(value): i64 => value;
    Float(value): f32 => value;
    Double(value): f64 => value;
    Decimal(value): Decimal => value;
    Timestamp(value): Timestamp => value;
    String(value): &'a str => value, String => value.to_owned(), Box<str> => value.into(), Arc<str> => value.into(), Cow<'a, str> => value.into();
    Bytes(value): &'a [u8] => value, Box<[u8]> => value.into(), Arc<[u8]> => value.into(), Cow<'a, [u8]> => value.into(), Bytes => Bytes::copy_from_slice(value);
}

try_from_datum!(Vec<u8>);
try_from_datum!(Entries<'a>);

macro_rules! unsigned {
    ($($type:ident of $signed:ty, as $kind:ident),+) => {
        $(
            impl<'a> FromDatum<'a> for $type {
                const SHAPE: &'static Shape = &Shape::Of(DatumKind::$kind);

                #[inline]
                fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
                    let value = <$signed>::from_datum(datum)?;
                    Self::try_from(value).map_err(|_| misfit(stringify!($type), &value))
                }
            }
        )+
    };
}

unsigned!(u16 of i32, as Int, u32 of i64, as BigInt);

impl<'a> FromDatum<'a> for u64 {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::Decimal);

    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let value = Decimal::from_datum(datum)?;
        let whole = value.rescale(0).and_then(|whole| Self::try_from(whole.unscaled()).ok());
        whole.ok_or_else(|| misfit("u64", &value))
    }
}

impl<'a> FromDatum<'a> for u8 {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::SmallInt);
    const LIST: &'static Shape = &Shape::Of(DatumKind::Bytes);

    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let value = i16::from_datum(datum)?;
        Self::try_from(value).map_err(|_| misfit("u8", &value))
    }

    fn list_from_datum(datum: Datum<'a>) -> Result<Vec<Self>, Error> {
        <&[u8]>::from_datum(datum).map(<[u8]>::to_vec)
    }

    fn array_from_datum<const N: usize>(datum: Datum<'a>) -> Result<[Self; N], Error> {
        let bytes = <&[u8]>::from_datum(datum)?;
        bytes.try_into().map_err(|_| other_length(N, bytes.len()))
    }
}

#[cold]
fn misfit(wanted: &str, value: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Row, format!("expected a number that fits {wanted}, found {value}"))
}

#[cold]
fn other_length(wanted: usize, found: usize) -> Error {
    Error::new(ErrorKind::Row, format!("expected a length of {wanted}, found {found}"))
}

impl<'a> FromDatum<'a> for Entries<'a> {
    const SHAPE: &'static Shape = &Shape::Map(&Shape::Any, &Shape::Any);

    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        match datum {
            Datum::Map(entries) => Ok(entries),
            found => Err(DatumKind::Map.misread(found.kind())),
        }
    }
}

impl<'a> FromDatum<'a> for Datum<'a> {
    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        Ok(datum)
    }
}

/// The elements of an ARRAY, or the fields of a ROW.
impl<'a> FromDatum<'a> for Values<'a> {
    const SHAPE: &'static Shape = &Shape::OneOf(&[DatumKind::Array, DatumKind::Row]);

    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        match datum {
            Datum::Array(values) | Datum::Row(values) => Ok(values),
            found => Err(DatumKind::Array.misread(found.kind())),
        }
    }
}

impl<'a, T: FromDatum<'a>> FromDatum<'a> for Option<T> {
    const SHAPE: &'static Shape = T::SHAPE;

    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        if datum.is_null() { Ok(None) } else { T::from_datum(datum).map(Some) }
    }
}

impl<'a, T: FromDatum<'a>> FromDatum<'a> for Vec<T> {
    const SHAPE: &'static Shape = T::LIST;

    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        T::list_from_datum(datum)
    }
}

impl<'a, T: FromDatum<'a>, const N: usize> FromDatum<'a> for [T; N] {
    const SHAPE: &'static Shape = T::LIST;

    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        T::array_from_datum(datum)
    }
}

macro_rules! map {
    ($([$($bounds:tt)*] $map:ty),+) => {
        $(impl<'a, V: FromDatum<'a>, $($bounds)*> FromDatum<'a> for $map {
            const SHAPE: &'static Shape = &Shape::Map(K::SHAPE, V::SHAPE);

            fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
                entries(datum)?.collect()
            }
        })+
    };
}

map!([K: FromDatum<'a> + Eq + Hash, S: BuildHasher + Default] HashMap<K, V, S>, [K: FromDatum<'a> + Ord] BTreeMap<K, V>);

/// The entries of a MAP, read.
fn entries<'a, K: FromDatum<'a>, V: FromDatum<'a>>(
    datum: Datum<'a>,
) -> Result<impl Iterator<Item = Result<(K, V), Error>>, Error> {
    let entries = Entries::from_datum(datum)?;
    Ok(entries.iter().enumerate().map(|(index, (key, value))| {
        let in_entry = |error: Error| error.in_element(index);
        Ok((K::from_datum(key).map_err(in_entry)?, V::from_datum(value).map_err(in_entry)?))
    }))
}

/// Pairs are rows too, and a list of them a map.
impl<'a, K: FromDatum<'a>, V: FromDatum<'a>> FromDatum<'a> for (K, V) {
    const SHAPE: &'static Shape = &Shape::Tuple(&[K::SHAPE, V::SHAPE]);
    const LIST: &'static Shape = &Shape::Map(K::SHAPE, V::SHAPE);

    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let fields = read_fields(datum)?;
        Ok((field(fields, 0)?, field(fields, 1)?))
    }

    fn list_from_datum(datum: Datum<'a>) -> Result<Vec<Self>, Error> {
        entries(datum)?.collect()
    }
}

macro_rules! tuple {
    ($($type:ident $index:literal),+) => {
        impl<'a, $($type: FromDatum<'a>),+> FromDatum<'a> for ($($type,)+) {
            const SHAPE: &'static Shape = &Shape::Tuple(&[$($type::SHAPE),+]);

            fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
                let fields = read_fields(datum)?;
                Ok(($(field::<$type>(fields, $index)?,)+))
            }
        }
    };
}

tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);

/// The fields of a ROW, for [`impl_row!`](crate::impl_row).
///
/// # Errors
///
/// If it is none.
#[doc(hidden)]
#[inline]
pub fn read_fields(datum: Datum<'_>) -> Result<Values<'_>, Error> {
    match datum {
        Datum::Row(fields) => Ok(fields),
        found => Err(DatumKind::Row.misread(found.kind())),
    }
}

fn field<'a, T: FromDatum<'a>>(fields: Values<'a>, index: usize) -> Result<T, Error> {
    T::from_datum(fields.value(index)).map_err(|error| error.in_element(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{AsDatum, Row, RowBuf};

    fn comes_back<T: AsDatum + for<'a> FromDatum<'a> + PartialEq + std::fmt::Debug>(value: T) {
        let row: RowBuf = [value.as_datum()].into_iter().collect();
        assert_eq!(row.get::<T>(0).unwrap(), value);
    }

    #[test]
    fn what_is_lent_as_a_datum_is_read_from_it() {
        comes_back(true);
        comes_back(i8::MIN);
        comes_back(i16::MAX);
        comes_back(7_i32);
        comes_back(i64::MIN);
        comes_back(1.5_f32);
        comes_back(-0.5_f64);
        comes_back(Decimal::new(150, 2));
        comes_back(Timestamp::new(-1, 999_999));
        comes_back("text".to_owned());
        comes_back(vec![0_u8, 255]);
        comes_back(Bytes::from_static(b"bytes"));
        comes_back(vec![Some(1_i64), None]);
        comes_back(vec![("a".to_owned(), vec![1_i32]), ("b".to_owned(), vec![])]);
        comes_back(None::<String>);
    }

    #[test]
    fn a_value_of_another_type_is_refused_with_its_place_and_both_types() {
        let tags = vec![Some("new"), None];
        let row: RowBuf = [Datum::Int(1), tags.as_datum(), Datum::Null].into_iter().collect();
        for (error, message) in [
            (row.get::<i64>(0).unwrap_err(), "column 0: expected BIGINT, found INT"),
            (
                row.get::<Vec<&str>>(1).unwrap_err(),
                "column 1[1]: expected STRING, found NULL (an `Option` takes NULL)",
            ),
            (
                row.get::<&[u8]>(2).unwrap_err(),
                "column 2: expected BYTES, found NULL (an `Option` takes NULL)",
            ),
            (
                row.get::<Vec<(i32, i32)>>(7).unwrap_err(),
                "column 7: expected MAP, found NULL (an `Option` takes NULL)",
            ),
        ] {
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(i32::try_from(row.datum(0)).unwrap(), 1);
        assert!(bool::try_from(row.datum(0)).is_err());
    }
}
