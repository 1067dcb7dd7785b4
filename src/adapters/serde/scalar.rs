//! [`Decimal`] and [`Timestamp`] themselves: texts for people's formats, bytes for the others and for our rows.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};

use crate::error::{Error, ErrorKind};
use crate::row::{Decimal, Timestamp};

/// What our rows take as it is, and others as a text or as bytes.
pub(super) trait Scalar: Copy + fmt::Display + std::str::FromStr<Err = Error> {
    /// By this name our rows know it.
    const NAME: &'static str;
    const EXPECTED: &'static str;
    type Bytes: AsRef<[u8]> + for<'b> TryFrom<&'b [u8]>;

    fn bytes(self) -> Self::Bytes;
    fn of_bytes(bytes: Self::Bytes) -> Option<Self>;
    fn of_integer(integer: i64) -> Option<Self>;
}

/// The unscaled value, little endian, and the scale.
impl Scalar for Decimal {
    const NAME: &'static str = "$upsert_kafka::Decimal";
    const EXPECTED: &'static str = "a number of at most 38 digits";
    type Bytes = [u8; 17];

    #[inline]
    fn bytes(self) -> [u8; 17] {
        let mut bytes = [self.scale(); 17];
        bytes[..16].copy_from_slice(&self.unscaled().to_le_bytes());
        bytes
    }

    #[inline]
    fn of_bytes(bytes: [u8; 17]) -> Option<Self> {
        let (unscaled, scale) = bytes.split_first_chunk()?;
        Self::try_new(i128::from_le_bytes(*unscaled), *scale.first()?)
    }

    fn of_integer(integer: i64) -> Option<Self> {
        Some(Self::new(integer.into(), 0))
    }
}

/// Milliseconds and nanoseconds, little endian.
impl Scalar for Timestamp {
    const NAME: &'static str = "$upsert_kafka::Timestamp";
    const EXPECTED: &'static str = "a timestamp such as 2024-02-29T12:34:56.789";
    type Bytes = [u8; 12];

    #[inline]
    fn bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&self.millis().to_le_bytes());
        bytes[8..].copy_from_slice(&self.nanos_of_millis().to_le_bytes());
        bytes
    }

    #[inline]
    fn of_bytes(bytes: [u8; 12]) -> Option<Self> {
        let (millis, nanos) = bytes.split_first_chunk()?;
        let nanos = u32::from_le_bytes(nanos.try_into().ok()?);
        (nanos <= 999_999).then(|| Self::new(i64::from_le_bytes(*millis), nanos))
    }

    fn of_integer(_: i64) -> Option<Self> {
        None
    }
}

macro_rules! serde_of {
    ($($type:ident),+) => {
        $(
            /// A text; to a format that is not for people, bytes.
            impl Serialize for $type {
                #[inline]
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_newtype_struct(<Self as Scalar>::NAME, &Spelled(*self))
                }
            }

            /// Of what it serializes to.
            impl<'de> Deserialize<'de> for $type {
                #[inline]
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_newtype_struct(<Self as Scalar>::NAME, ScalarVisitor(PhantomData))
                }
            }
        )+
    };
}

serde_of!(Decimal, Timestamp);

struct Spelled<P>(P);

impl<P: Scalar> Serialize for Spelled<P> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&self.0)
        } else {
            serializer.serialize_bytes(self.0.bytes().as_ref())
        }
    }
}

struct ScalarVisitor<P>(PhantomData<P>);

impl<'de, P: Scalar> Visitor<'de> for ScalarVisitor<P> {
    type Value = P;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(P::EXPECTED)
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<P, D::Error> {
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(self),
            false => deserializer.deserialize_bytes(self),
        }
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<P, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<P, E> {
        P::of_integer(integer).ok_or_else(|| E::invalid_type(de::Unexpected::Signed(integer), &self))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<P, E> {
        let value = i64::try_from(integer).ok().and_then(P::of_integer);
        value.ok_or_else(|| E::invalid_type(de::Unexpected::Unsigned(integer), &self))
    }

    #[inline]
    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<P, E> {
        let value = P::Bytes::try_from(bytes).ok().and_then(P::of_bytes);
        value.ok_or_else(|| E::invalid_value(de::Unexpected::Bytes(bytes), &self))
    }
}

impl ser::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(ErrorKind::Row, message.to_string())
    }
}

impl de::Error for Error {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(ErrorKind::Row, message.to_string())
    }
}
