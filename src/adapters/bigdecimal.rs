//! Numbers of the crate `bigdecimal`.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use crate::error::Error;
use crate::row::{AsDatum, Datum, DatumKind, Decimal, FromDatum, Shape};

/// A number of more digits than DECIMAL's 38 is lent as a text, which no column of DECIMAL takes: an error of its row.
impl AsDatum for BigDecimal {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::Decimal);

    fn as_datum(&self) -> Datum<'_> {
        decimal(self).map_or(Datum::String("a number beyond DECIMAL"), Datum::Decimal)
    }
}

impl<'a> FromDatum<'a> for BigDecimal {
    const SHAPE: &'static Shape = &Shape::Of(DatumKind::Decimal);

    fn from_datum(datum: Datum<'a>) -> Result<Self, Error> {
        let number = Decimal::from_datum(datum)?;
        Ok(Self::new(BigInt::from(number.unscaled()), number.scale().into()))
    }
}

/// With the scale that it has; a whole number with zeros at its end may have one below 0.
fn decimal(number: &BigDecimal) -> Option<Decimal> {
    let (unscaled, scale) = number.as_bigint_and_scale();
    let unscaled = i128::try_from(unscaled.as_ref()).ok()?;
    Decimal::of_any_scale(unscaled, scale)
}
