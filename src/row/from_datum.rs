use std::borrow::Cow;

use bytes::Bytes;

use super::{Datum, DatumKind, Decimal, Entries, Timestamp, Values};
use crate::error::Error;

/// What a [`Datum`] can be read as: the twin of [`AsDatum`](super::AsDatum), for [`Row::get`](super::Row::get).
///
/// Integers, floats, `bool`, text, bytes, [`Decimal`], [`Timestamp`], `Option` of them (NULL), `Vec<T>` (ARRAY),
/// `Vec<(K, V)>` (MAP in the order held), and [`Datum`], [`Values`] and [`Entries`] as they are lent. Texts and byte
/// strings are borrowed as `&str` and `&[u8]`. DATE and TIME are integers too and need a type of your own:
///
/// ```
/// use upsert_kafka::row::FromDatum;
/// use upsert_kafka::{Datum, Error, ErrorKind, Row};
///
/// struct Day(i32); // days since 1970-01-01
/// impl<'a> FromDatum<'a> for Day {
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
pub trait FromDatum<'a>: Sized {
    /// The value of `datum`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Row`](crate::ErrorKind::Row) if it is of another type, which NULL is too.
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error>;
}

macro_rules! from_datum {
    ($($kind:ident($value:ident): $($type:ty => $from:expr),+;)+) => {
        $($(
            impl<'a> FromDatum<'a> for $type {
                #[inline]
                fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
                    match datum {
                        Datum::$kind($value) => Ok($from),
                        found => Err(DatumKind::$kind.mismatch(found.kind())),
                    }
                }
            }

            impl<'a> TryFrom<Datum<'a>> for $type {
                type Error = Error;

                #[inline]
                fn try_from(datum: Datum<'a>) -> Result<Self, Error> {
                    Self::from_datum(datum)
                }
            }
        )+)+
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
    String(value): &'a str => value, String => value.to_owned(), Box<str> => value.into(), Cow<'a, str> => value.into();
    Bytes(value): &'a [u8] => value, Vec<u8> => value.to_vec(), Box<[u8]> => value.into(), Bytes => Bytes::copy_from_slice(value);
    Map(value): Entries<'a> => value;
}

impl<'a> FromDatum<'a> for Datum<'a> {
    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        Ok(datum)
    }
}

/// The elements of an ARRAY, or the fields of a ROW.
impl<'a> FromDatum<'a> for Values<'a> {
    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        match datum {
            Datum::Array(values) | Datum::Row(values) => Ok(values),
            found => Err(DatumKind::Array.mismatch(found.kind())),
        }
    }
}

impl<'a, T: FromDatum<'a>> FromDatum<'a> for Option<T> {
    #[inline]
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        if datum.is_null() { Ok(None) } else { T::from_datum(datum).map(Some) }
    }
}

impl<'a, T: FromDatum<'a>> FromDatum<'a> for Vec<T> {
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let Datum::Array(values) = datum else { return Err(DatumKind::Array.mismatch(datum.kind())) };
        let elements = values.iter().enumerate();
        elements.map(|(index, value)| T::from_datum(value).map_err(|error| error.in_element(index))).collect()
    }
}

impl<'a, K: FromDatum<'a>, V: FromDatum<'a>> FromDatum<'a> for Vec<(K, V)> {
    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let Datum::Map(entries) = datum else { return Err(DatumKind::Map.mismatch(datum.kind())) };
        let read = |(index, (key, value))| {
            let in_entry = |error: Error| error.in_element(index);
            Ok((K::from_datum(key).map_err(in_entry)?, V::from_datum(value).map_err(in_entry)?))
        };
        entries.iter().enumerate().map(read).collect()
    }
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
            (row.get::<Vec<&str>>(1).unwrap_err(), "column 1[1]: expected STRING, found NULL"),
            (row.get::<&[u8]>(2).unwrap_err(), "column 2: expected BYTES, found NULL"),
            (row.get::<Vec<(i32, i32)>>(7).unwrap_err(), "column 7: expected MAP, found NULL"),
        ] {
            assert_eq!(error.to_string(), message);
        }
        assert_eq!(i32::try_from(row.datum(0)).unwrap(), 1);
        assert!(bool::try_from(row.datum(0)).is_err());
    }
}
