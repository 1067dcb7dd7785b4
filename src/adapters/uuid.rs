//! Identifiers of the crate `uuid`.

use std::fmt;

use uuid::Uuid;
use uuid::fmt::Hyphenated;

use crate::error::{Error, ErrorKind};
use crate::row::{AsDatum, Datum, DatumKind, FromDatum, Shape};

/// The 16 bytes: for BINARY(16) and BYTES. [`UuidText`] is for columns of text.
impl AsDatum for Uuid {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::Bytes);

    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::Bytes(self.as_bytes())
    }
}

/// Of 16 bytes, or of a text.
impl<'a> FromDatum<'a> for Uuid {
    const SHAPE: &'static Shape = &Shape::OneOf(&[DatumKind::Bytes, DatumKind::String]);

    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let read = match datum {
            Datum::Bytes(bytes) => Self::from_slice(bytes),
            Datum::String(text) => Self::try_parse(text),
            found => return Err(DatumKind::Bytes.mismatch(found.kind())),
        };
        read.map_err(|error| Error::new(ErrorKind::Row, "expected a UUID").with_source(error))
    }
}

/// A UUID with its text, for columns of STRING and CHAR(36): a row lends texts and makes none.
///
/// ```
/// use upsert_kafka::adapters::uuid::UuidText;
/// use upsert_kafka::{Datum, Row, impl_row};
/// use uuid::Uuid;
///
/// struct Order {
///     id: UuidText,
/// }
/// impl_row!(Order { id });
///
/// let order = Order { id: Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8).into() };
/// assert!(matches!(order.datum(0), Datum::String("67e55044-10b1-426f-9247-bb680e5fe0c8")));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UuidText {
    uuid: Uuid,
    text: [u8; Hyphenated::LENGTH],
}

impl UuidText {
    /// The text, hyphenated and of small letters.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    /// The UUID.
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        self.uuid
    }
}

impl From<Uuid> for UuidText {
    fn from(uuid: Uuid) -> Self {
        let mut text = [0; Hyphenated::LENGTH];
        uuid.hyphenated().encode_lower(&mut text);
        Self { uuid, text }
    }
}

impl AsDatum for UuidText {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::String);

    #[inline]
    fn as_datum(&self) -> Datum<'_> {
        Datum::String(self.as_str())
    }
}

impl<'a> FromDatum<'a> for UuidText {
    const SHAPE: &'static Shape = <Uuid as FromDatum<'a>>::SHAPE;

    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        Uuid::from_datum(datum).map(Self::from)
    }
}

impl fmt::Debug for UuidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for UuidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
