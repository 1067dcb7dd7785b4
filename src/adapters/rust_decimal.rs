//! Numbers of the crate `rust_decimal`.

use rust_decimal::Decimal;

use super::convert::as_datum;
use crate::row::Decimal as DatumDecimal;

as_datum! {
    Decimal as Decimal: |number| lent(*number);
        |number| read(number);
}

/// At most 29 digits and a scale of 28.
fn lent(number: Decimal) -> DatumDecimal {
    DatumDecimal::new(number.mantissa(), u8::try_from(number.scale()).expect("at most 28"))
}

/// As it is if its integer has 96 bits and its scale is at most 28, otherwise without the zeros that it ends with.
fn read(number: DatumDecimal) -> Option<Decimal> {
    let as_it_is =
        |(unscaled, scale): (i128, u8)| Decimal::try_from_i128_with_scale(unscaled, scale.into()).ok();
    as_it_is((number.unscaled(), number.scale())).or_else(|| as_it_is(number.normalized()))
}
