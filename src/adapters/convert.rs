//! What the types of other crates have in common: each is another spelling of one kind of datum.

use crate::error::{Error, ErrorKind};
#[cfg(any(feature = "jiff", feature = "time"))]
use crate::row::Timestamp;

#[cfg(any(feature = "jiff", feature = "time"))]
const NANOS_OF_MILLI: i128 = 1_000_000;

/// `as_datum!(Type as Kind: |value| what is lent; |lent| what is read, an Option or a Result)`.
macro_rules! as_datum {
    ($($type:ty as $kind:ident: |$value:ident| $lent:expr; |$read:ident| $from:expr;)+) => {
        $(
            impl $crate::row::AsDatum for $type {
                const SHAPE: &'static $crate::row::Shape = &$crate::row::Shape::Of($crate::row::DatumKind::$kind);

                #[inline]
                fn as_datum(&self) -> $crate::row::Datum<'_> {
                    let $value = self;
                    $crate::row::Datum::$kind($lent)
                }
            }

            impl<'a> $crate::row::FromDatum<'a> for $type {
                const SHAPE: &'static $crate::row::Shape = &$crate::row::Shape::Of($crate::row::DatumKind::$kind);

                #[inline]
                fn from_datum(datum: $crate::row::Datum<'a>) -> Result<Self, $crate::error::Error> {
                    match datum {
                        $crate::row::Datum::$kind($read) => {
                            $from.ok_or_else(|| $crate::adapters::convert::misfit(stringify!($type), &$read))
                        }
                        found => Err($crate::row::DatumKind::$kind.mismatch(found.kind())),
                    }
                }
            }
        )+
    };
}

pub(super) use as_datum;

/// The refusal of a value that the type cannot hold.
#[cold]
pub(super) fn misfit(wanted: &str, found: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Row, format!("expected a value that {wanted} can hold, found {found}"))
}

/// The point in time so many nanoseconds after the epoch, of any type of 64 bits of seconds.
#[cfg(any(feature = "jiff", feature = "time"))]
pub(super) fn timestamp(nanos: i128) -> Option<Timestamp> {
    let millis = i64::try_from(nanos.div_euclid(NANOS_OF_MILLI)).ok()?;
    let nanos_of_millis = u32::try_from(nanos.rem_euclid(NANOS_OF_MILLI)).ok()?;
    Some(Timestamp::new(millis, nanos_of_millis))
}

/// The nanoseconds since the epoch.
#[cfg(any(feature = "jiff", feature = "time"))]
pub(super) fn nanos(timestamp: Timestamp) -> i128 {
    i128::from(timestamp.millis()) * NANOS_OF_MILLI + i128::from(timestamp.nanos_of_millis())
}
