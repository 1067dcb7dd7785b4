//! Arbitrary rows for property tests.

use proptest::prelude::*;

use crate::row::{Datum, Decimal, RowBuf, Timestamp};

/// Rows of 0 to 3 columns with values of every type, few of them different, so that equal ones meet.
pub(super) fn rows() -> impl Strategy<Value = RowBuf> {
    (0_usize..4, prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(columns, choices)| {
        let mut choices = choices.into_iter();
        let mut row = RowBuf::new();
        (0..columns).for_each(|_| push_value(&mut choices, 3, &mut row));
        row
    })
}

/// The same values in other clothes: longer decimals, other NaNs, maps the other way round.
pub(super) fn spelled_otherwise(row: &RowBuf) -> RowBuf {
    let mut other = RowBuf::new();
    row.iter().for_each(|value| push_otherwise(value, &mut other));
    other
}

fn push_value(choices: &mut impl Iterator<Item = u8>, depth: usize, row: &mut RowBuf) {
    let mut choose = |below: u8| choices.next().unwrap_or(0) % below;
    let kind = choose(if depth == 0 { 14 } else { 17 });
    let which = choose(3);
    let number = i32::from(which);
    match kind {
        0 => row.push(Datum::Null),
        1 => row.push(Datum::Boolean(which == 0)),
        2 => row.push(Datum::TinyInt(-1)),
        3 => row.push(Datum::SmallInt(i16::from(which))),
        4 => row.push(Datum::Int(number)),
        5 => row.push(Datum::BigInt(i64::MIN)),
        6 => row.push(Datum::Float([0.0, -0.0, f32::NAN][usize::from(which)])),
        7 => row.push(Datum::Double([0.0, -0.0, f64::NAN][usize::from(which)])),
        8 => row.push(Datum::Decimal(Decimal::new(i128::from(number - 1) * 10, choose(3)))),
        9 => row.push(Datum::String(["", "a", "\u{20ac}"][usize::from(which)])),
        10 => row.push(Datum::Bytes([&b""[..], b"a", b"\xff"][usize::from(which)])),
        11 => row.push(Datum::Date(number)),
        12 => row.push(Datum::Time(number)),
        13 => row.push(Datum::Timestamp(Timestamp::new(-1, u32::from(which) * 499_999))),
        14 => {
            let mark = row.begin();
            (0..which).for_each(|_| push_value(choices, depth - 1, row));
            let slot = row.array_slot(mark);
            row.push_slot(slot);
        }
        15 => {
            let mark = row.begin();
            (0..which).for_each(|_| push_value(choices, depth - 1, row));
            let slot = row.row_slot(mark);
            row.push_slot(slot);
        }
        _ => {
            let mark = row.begin();
            (0..2 * which).for_each(|_| push_value(choices, depth - 1, row));
            let slot = row.map_slot(mark);
            row.push_slot(slot);
        }
    }
}

fn push_otherwise(value: Datum<'_>, row: &mut RowBuf) {
    match value {
        Datum::Float(value) if value.is_nan() => row.push(Datum::Float(f32::from_bits(0xffc0_0001))),
        Datum::Double(value) if value.is_nan() => {
            row.push(Datum::Double(f64::from_bits(0x7ff8_0000_0000_0001)))
        }
        Datum::Decimal(value) => row.push(Datum::Decimal(value.rescale(value.scale() + 2).unwrap())),
        Datum::Array(values) => {
            let mark = row.begin();
            values.iter().for_each(|value| push_otherwise(value, row));
            let slot = row.array_slot(mark);
            row.push_slot(slot);
        }
        Datum::Row(values) => {
            let mark = row.begin();
            values.iter().for_each(|value| push_otherwise(value, row));
            let slot = row.row_slot(mark);
            row.push_slot(slot);
        }
        Datum::Map(entries) => {
            let mark = row.begin();
            for index in (0..entries.len()).rev() {
                let (key, value) = entries.entry(index);
                push_otherwise(key, row);
                push_otherwise(value, row);
            }
            let slot = row.map_slot(mark);
            row.push_slot(slot);
        }
        other => row.push(other),
    }
}
