use std::fmt;

use super::{Decimal, Timestamp};

/// One value of a row, borrowed.
///
/// The variant must be the column's: a `BIGINT` column takes [`BigInt`](Self::BigInt) and nothing else. `Copy`, 32
/// bytes, no allocation.
///
/// INTERVAL YEAR TO MONTH is an `Int` of months, INTERVAL DAY TO SECOND a `BigInt` of milliseconds, MULTISET a `Map`
/// from element to an `Int` count, as in Flink's internal data structures.
///
/// A row by hand, with nested values; reading one is a `match` on [`Row::datum`]:
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

const _: () = assert!(size_of::<Datum<'_>>() == 32);

impl Datum<'_> {
    /// Whether this is NULL.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The name of the variant's SQL type, for messages.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean(_) => "BOOLEAN",
            Self::TinyInt(_) => "TINYINT",
            Self::SmallInt(_) => "SMALLINT",
            Self::Int(_) => "INT",
            Self::BigInt(_) => "BIGINT",
            Self::Float(_) => "FLOAT",
            Self::Double(_) => "DOUBLE",
            Self::Decimal(_) => "DECIMAL",
            Self::String(_) => "STRING",
            Self::Bytes(_) => "BYTES",
            Self::Date(_) => "DATE",
            Self::Time(_) => "TIME",
            Self::Timestamp(_) => "TIMESTAMP",
            Self::Array(_) => "ARRAY",
            Self::Map(_) => "MAP",
            Self::Row(_) => "ROW",
        }
    }
}

/// A row that lends its values by column position, 0 first.
///
/// Implemented for slices, arrays and vectors of [`Datum`], for [`RowBuf`](crate::RowBuf), and by
/// [`impl_row!`](crate::impl_row) for structs. A column that a row does not have is NULL: nobody counts the columns, and
/// a row that is too short for its table is written as if NULLs followed.
pub trait Row {
    /// The value in `column`. Called once or twice a column and row; it should neither allocate nor compute.
    fn datum(&self, column: usize) -> Datum<'_>;
}

impl<R: Row + ?Sized> Row for &R {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        (**self).datum(column)
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
    pub fn iter(self) -> impl ExactSizeIterator<Item = Datum<'a>> {
        (0..self.len()).map(move |index| self.value(index))
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
    pub fn iter(self) -> impl ExactSizeIterator<Item = (Datum<'a>, Datum<'a>)> {
        (0..self.len()).map(move |index| self.entry(index))
    }
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
