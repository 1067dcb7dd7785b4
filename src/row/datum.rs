use std::fmt;

use super::{Decimal, Timestamp};
use crate::error::{Error, ErrorKind};

/// One value of a row, borrowed.
///
/// The variant must be the column's: a `BIGINT` column takes [`BigInt`](Self::BigInt) and nothing else. `Copy`, 32
/// bytes, no allocation.
///
/// INTERVAL YEAR TO MONTH is an `Int` of months, INTERVAL DAY TO SECOND a `BigInt` of milliseconds, MULTISET a `Map`
/// from element to an `Int` count, as in Flink's internal data structures.
///
/// A row by hand, with nested values; reading one is a `match` on [`Row::datum`](super::Row::datum):
///
/// ```
/// use upsert_kafka::{Datum, Decimal, Row, Timestamp};
/// use upsert_kafka::row::{Entries, Values};
///
/// let tags = [Datum::String("new"), Datum::Null];
/// let address = [Datum::String("Main Street"), Datum::Int(12)];
/// let counts = [Datum::String("seen"), Datum::BigInt(3)]; // key, value, key, value, ...
/// let row = [
///     Datum::Decimal(Decimal::new(150, 2)),                             // 1.50
///     Datum::Timestamp(Timestamp::new(1_717_200_000_123, 456_000)),     // 2024-06-01 00:00:00.123456
///     Datum::Array(Values::new(&tags, tags.len())),                     // ARRAY<STRING>
///     Datum::Row(Values::new(&address, address.len())),                 // ROW<street STRING, number INT>
///     Datum::Map(Entries::new(&counts, counts.len() / 2)),              // MAP<STRING, BIGINT>
/// ];
/// let Datum::Map(counts) = row.datum(4) else { panic!("not a map") };
/// assert!(matches!(counts.entry(0), (Datum::String("seen"), Datum::BigInt(3))));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Datum<'a> {
    /// NULL of any type.
    Null,
    /// BOOLEAN.
    Boolean(bool),
    /// TINYINT.
    TinyInt(i8),
    /// SMALLINT.
    SmallInt(i16),
    /// INT, or INTERVAL YEAR TO MONTH in months.
    Int(i32),
    /// BIGINT, or INTERVAL DAY TO SECOND in milliseconds.
    BigInt(i64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL; another scale than the column's is rescaled exactly or is an error.
    Decimal(Decimal),
    /// CHAR, VARCHAR, STRING.
    String(&'a str),
    /// BINARY, VARBINARY, BYTES.
    Bytes(&'a [u8]),
    /// DATE: days since 1970-01-01.
    Date(i32),
    /// TIME: milliseconds of the day.
    Time(i32),
    /// TIMESTAMP and TIMESTAMP_LTZ.
    Timestamp(Timestamp),
    /// ARRAY.
    Array(Values<'a>),
    /// MAP and MULTISET.
    Map(Entries<'a>),
    /// ROW.
    Row(Values<'a>),
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Datum<'_>>() == 32);

impl Datum<'_> {
    /// Whether this is NULL.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Of what type it is.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> DatumKind {
        match self {
            Self::Null => DatumKind::Null,
            Self::Boolean(_) => DatumKind::Boolean,
            Self::TinyInt(_) => DatumKind::TinyInt,
            Self::SmallInt(_) => DatumKind::SmallInt,
            Self::Int(_) => DatumKind::Int,
            Self::BigInt(_) => DatumKind::BigInt,
            Self::Float(_) => DatumKind::Float,
            Self::Double(_) => DatumKind::Double,
            Self::Decimal(_) => DatumKind::Decimal,
            Self::String(_) => DatumKind::String,
            Self::Bytes(_) => DatumKind::Bytes,
            Self::Date(_) => DatumKind::Date,
            Self::Time(_) => DatumKind::Time,
            Self::Timestamp(_) => DatumKind::Timestamp,
            Self::Array(_) => DatumKind::Array,
            Self::Map(_) => DatumKind::Map,
            Self::Row(_) => DatumKind::Row,
        }
    }
}

/// Of what type a [`Datum`] is, shown as in SQL: `BIGINT`, `STRING`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DatumKind {
    /// NULL of any type.
    Null,
    /// BOOLEAN.
    Boolean,
    /// TINYINT.
    TinyInt,
    /// SMALLINT.
    SmallInt,
    /// INT.
    Int,
    /// BIGINT.
    BigInt,
    /// FLOAT.
    Float,
    /// DOUBLE.
    Double,
    /// DECIMAL.
    Decimal,
    /// CHAR, VARCHAR, STRING.
    String,
    /// BINARY, VARBINARY, BYTES.
    Bytes,
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// TIMESTAMP and TIMESTAMP_LTZ.
    Timestamp,
    /// ARRAY.
    Array,
    /// MAP and MULTISET.
    Map,
    /// ROW.
    Row,
}

impl DatumKind {
    /// Its name in SQL, such as `BIGINT`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::Decimal => "DECIMAL",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Date => "DATE",
            Self::Time => "TIME",
            Self::Timestamp => "TIMESTAMP",
            Self::Array => "ARRAY",
            Self::Map => "MAP",
            Self::Row => "ROW",
        }
    }

    /// The refusal of a datum where one of this kind belongs.
    #[cold]
    #[inline(never)]
    pub(crate) fn mismatch(self, found: Self) -> Error {
        Error::new(ErrorKind::Row, format!("expected {self}, found {found}"))
    }

    /// The same of a value that is read as a type of Rust's.
    #[cold]
    #[inline(never)]
    pub(crate) fn misread(self, found: Self) -> Error {
        let error = self.mismatch(found);
        if found == Self::Null { error.with_help("an `Option` takes NULL") } else { error }
    }
}

impl fmt::Display for DatumKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Lends the values of an array, a map or a nested row by index, so that a struct with a `Vec<Item>` hands it over
/// without building anything. `Sync`, because a [`Datum`] that borrows from it may go to another thread.
pub trait ValueSource: Sync {
    /// The value at `index`. Must answer (NULL at worst) for every index that a [`Values`] over it covers.
    fn value(&self, index: usize) -> Datum<'_>;
}

/// The elements of an array or the fields of a nested row: a range of a [`ValueSource`].
#[derive(Clone, Copy)]
pub struct Values<'a> {
    source: &'a dyn ValueSource,
    start: u32,
    len: u32,
}

impl<'a> Values<'a> {
    /// The first `len` values of `source`.
    ///
    /// # Panics
    ///
    /// If `len` is above `u32::MAX`.
    #[must_use]
    pub fn new(source: &'a dyn ValueSource, len: usize) -> Self {
        let len = u32::try_from(len).expect("an array holds at most u32::MAX values");
        Self { source, start: 0, len }
    }

    /// The `len` values of `source` from `start` on.
    #[inline]
    #[must_use]
    pub const fn range(source: &'a dyn ValueSource, start: u32, len: u32) -> Self {
        Self { source, start, len }
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value at `index`, NULL from [`len`](Self::len) on.
    #[inline]
    #[must_use]
    pub fn value(&self, index: usize) -> Datum<'a> {
        if index < self.len as usize { self.source.value(self.start as usize + index) } else { Datum::Null }
    }

    /// The values in order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> ValuesIter<'a> {
        ValuesIter { values: self, next: 0 }
    }
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The entries of a map in the order held: keys and values alternate in a [`ValueSource`], `k0 v0 k1 v1 ...`.
#[derive(Clone, Copy)]
pub struct Entries<'a> {
    values: Values<'a>,
}

impl<'a> Entries<'a> {
    /// The first `len` entries of `source`, which lends `2 * len` values.
    ///
    /// # Panics
    ///
    /// If `2 * len` is above `u32::MAX`.
    #[must_use]
    pub fn new(source: &'a dyn ValueSource, len: usize) -> Self {
        Self { values: Values::new(source, len.saturating_mul(2)) }
    }

    /// The entries whose keys and values alternate in `values`.
    #[inline]
    #[must_use]
    pub const fn from_values(values: Values<'a>) -> Self {
        Self { values }
    }

    /// How many entries there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.values.len() / 2
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key and the value of the entry at `index`.
    #[inline]
    #[must_use]
    pub fn entry(&self, index: usize) -> (Datum<'a>, Datum<'a>) {
        (self.values.value(2 * index), self.values.value(2 * index + 1))
    }

    /// The entries in the order held.
    #[inline]
    #[must_use]
    pub fn iter(self) -> EntriesIter<'a> {
        EntriesIter { entries: self, next: 0 }
    }
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The values of [`Values`], in order.
#[derive(Clone, Debug)]
pub struct ValuesIter<'a> {
    values: Values<'a>,
    next: usize,
}

/// The entries of [`Entries`], in the order held.
#[derive(Clone, Debug)]
pub struct EntriesIter<'a> {
    entries: Entries<'a>,
    next: usize,
}

macro_rules! iterate {
    ($iter:ident over $list:ident by $at:ident: $item:ty) => {
        impl<'a> Iterator for $iter<'a> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let index = self.next;
                (index < self.$list.len()).then(|| {
                    self.next += 1;
                    self.$list.$at(index)
                })
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = self.$list.len() - self.next;
                (left, Some(left))
            }
        }

        impl ExactSizeIterator for $iter<'_> {}
    };
}

iterate!(ValuesIter over values by value: Datum<'a>);
iterate!(EntriesIter over entries by entry: (Datum<'a>, Datum<'a>));

impl<'a> IntoIterator for Values<'a> {
    type Item = Datum<'a>;
    type IntoIter = ValuesIter<'a>;

    #[inline]
    fn into_iter(self) -> ValuesIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for Entries<'a> {
    type Item = (Datum<'a>, Datum<'a>);
    type IntoIter = EntriesIter<'a>;

    #[inline]
    fn into_iter(self) -> EntriesIter<'a> {
        self.iter()
    }
}
