//! When two values are the same, as Flink compares binary rows: NULL is NULL, NaN is NaN, 0.0 is not -0.0, byte strings
//! are their bytes, decimals are numbers, and a map is the set of its entries.

use std::cmp::Ordering;

use super::{ChangelogBuf, Datum, Entries, Row, RowBuf, Values};

/// Flink's equality of binary rows: NULL equals NULL, NaN equals NaN, 0.0 does not equal -0.0, 1.50 equals 1.5, and maps
/// are equal whatever the order of their entries (sorting them then allocates). Values of two types are never equal.
impl PartialEq for Datum<'_> {
    fn eq(&self, other: &Self) -> bool {
        equal(*self, *other)
    }
}

impl Eq for Datum<'_> {}

impl PartialEq for Values<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(left, right)| equal(left, right))
    }
}

impl Eq for Values<'_> {}

/// The order of the entries is of no account.
impl PartialEq for Entries<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (self.iter().eq(other.iter()) || order_entries(*self, *other).is_eq())
    }
}

impl Eq for Entries<'_> {}

/// As many columns, with equal values.
impl PartialEq for RowBuf {
    fn eq(&self, other: &Self) -> bool {
        self.columns() == other.columns() && self.iter().eq(other.iter())
    }
}

impl Eq for RowBuf {}

/// As many rows, of the same kinds and with equal values, in the same order.
impl PartialEq for ChangelogBuf {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for ChangelogBuf {}

/// Whether two rows hold equal values in each of `columns`.
pub(crate) fn rows_equal<L: Row + ?Sized, R: Row + ?Sized>(left: &L, right: &R, columns: &[usize]) -> bool {
    columns.iter().all(|&column| equal(left.datum(column), right.datum(column)))
}

fn equal(left: Datum<'_>, right: Datum<'_>) -> bool {
    match (left, right) {
        (Datum::Null, Datum::Null) => true,
        (Datum::Boolean(left), Datum::Boolean(right)) => left == right,
        (Datum::TinyInt(left), Datum::TinyInt(right)) => left == right,
        (Datum::SmallInt(left), Datum::SmallInt(right)) => left == right,
        (Datum::Int(left), Datum::Int(right)) => left == right,
        (Datum::BigInt(left), Datum::BigInt(right)) => left == right,
        (Datum::Float(left), Datum::Float(right)) => {
            left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
        }
        (Datum::Double(left), Datum::Double(right)) => {
            left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
        }
        (Datum::Decimal(left), Datum::Decimal(right)) => left == right,
        (Datum::String(left), Datum::String(right)) => left == right,
        (Datum::Bytes(left), Datum::Bytes(right)) => left == right,
        (Datum::Date(left), Datum::Date(right)) | (Datum::Time(left), Datum::Time(right)) => left == right,
        (Datum::Timestamp(left), Datum::Timestamp(right)) => left == right,
        (Datum::Array(left), Datum::Array(right)) | (Datum::Row(left), Datum::Row(right)) => left == right,
        (Datum::Map(left), Datum::Map(right)) => left == right,
        // Of two types. What is missing above is unequal to itself, which the tests see.
        _ => false,
    }
}

/// An order in which equal values, and no others, are equal: of no meaning, but maps are sorted by it.
fn order(left: Datum<'_>, right: Datum<'_>) -> Ordering {
    match (left, right) {
        (Datum::Boolean(left), Datum::Boolean(right)) => left.cmp(&right),
        (Datum::TinyInt(left), Datum::TinyInt(right)) => left.cmp(&right),
        (Datum::SmallInt(left), Datum::SmallInt(right)) => left.cmp(&right),
        (Datum::Int(left), Datum::Int(right)) => left.cmp(&right),
        (Datum::BigInt(left), Datum::BigInt(right)) => left.cmp(&right),
        (Datum::Float(left), Datum::Float(right)) => {
            let one_nan = |value: f32| if value.is_nan() { f32::NAN } else { value };
            one_nan(left).total_cmp(&one_nan(right))
        }
        (Datum::Double(left), Datum::Double(right)) => {
            let one_nan = |value: f64| if value.is_nan() { f64::NAN } else { value };
            one_nan(left).total_cmp(&one_nan(right))
        }
        (Datum::Decimal(left), Datum::Decimal(right)) => left.cmp(&right),
        (Datum::String(left), Datum::String(right)) => left.cmp(right),
        (Datum::Bytes(left), Datum::Bytes(right)) => left.cmp(right),
        (Datum::Date(left), Datum::Date(right)) | (Datum::Time(left), Datum::Time(right)) => left.cmp(&right),
        (Datum::Timestamp(left), Datum::Timestamp(right)) => left.cmp(&right),
        (Datum::Array(left), Datum::Array(right)) | (Datum::Row(left), Datum::Row(right)) => {
            order_values(left, right)
        }
        (Datum::Map(left), Datum::Map(right)) => order_entries(left, right),
        // Two NULLs, or values of two types.
        (left, right) => left.kind().cmp(&right.kind()),
    }
}

fn order_values(left: Values<'_>, right: Values<'_>) -> Ordering {
    let pairs = left.iter().zip(right.iter());
    let first_difference = pairs.map(|(left, right)| order(left, right)).find(|order| order.is_ne());
    first_difference.unwrap_or_else(|| left.len().cmp(&right.len()))
}

/// The entries are sorted, which allocates; maps that were read in one order are equal before they come here.
fn order_entries(left: Entries<'_>, right: Entries<'_>) -> Ordering {
    let order_entry = |left: &(Datum<'_>, Datum<'_>), right: &(Datum<'_>, Datum<'_>)| {
        order(left.0, right.0).then_with(|| order(left.1, right.1))
    };
    if left.len() != right.len() {
        return left.len().cmp(&right.len());
    }
    let (mut left, mut right): (Vec<_>, Vec<_>) = (left.iter().collect(), right.iter().collect());
    left.sort_unstable_by(order_entry);
    right.sort_unstable_by(order_entry);
    let mut orders = left.iter().zip(&right).map(|(left, right)| order_entry(left, right));
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Decimal, RowKind};

    #[test]
    fn values_are_compared_as_flink_compares_them() {
        // connector.md 6.6 [R]: NULL = NULL, NaN = NaN, 0.0 is not -0.0, bytes by content, decimals after rescale.
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        assert_eq!(Datum::Null, Datum::Null);
        assert_eq!(Datum::Double(f64::NAN), Datum::Double(-nan));
        assert_ne!(Datum::Double(0.0), Datum::Double(-0.0));
        assert_ne!(Datum::Float(0.0), Datum::Float(-0.0));
        assert_eq!(Datum::Bytes(b"ab"), Datum::Bytes(&[97, 98]));
        assert_eq!(Datum::Decimal(Decimal::new(150, 2)), Datum::Decimal(Decimal::new(15, 1)));
        assert_ne!(Datum::Null, Datum::Int(0));
        assert_ne!(Datum::Int(1), Datum::BigInt(1));
    }

    #[test]
    fn nested_values_are_compared_by_content_and_maps_as_sets() {
        let (one, two) = ([Datum::Int(1), Datum::Null], [Datum::Int(1), Datum::Int(2)]);
        assert_eq!(Datum::Array(Values::new(&one, 2)), Datum::Array(Values::new(&one, 2)));
        assert_ne!(Datum::Array(Values::new(&one, 2)), Datum::Array(Values::new(&two, 2)));
        assert_ne!(Datum::Array(Values::new(&one, 2)), Datum::Array(Values::new(&one, 1)));
        assert_ne!(Datum::Array(Values::new(&one, 2)), Datum::Row(Values::new(&one, 2)));
        let (ab, ba) = (vec![("a", 1), ("b", 2)], vec![("b", 2), ("a", 1)]);
        let other = vec![("b", 1), ("a", 2)];
        let twice = vec![("a", 1), ("a", 1)];
        let map = |entries| Datum::Map(Entries::new(entries, 2));
        assert_eq!(map(&ab), map(&ba));
        assert_ne!(map(&ab), map(&other));
        assert_ne!(map(&ab), map(&twice));
        let (nested, otherwise) =
            (vec![(map(&ab), 1), (map(&twice), 2)], vec![(map(&twice), 2), (map(&ba), 1)]);
        assert_eq!(Datum::Map(Entries::new(&nested, 2)), Datum::Map(Entries::new(&otherwise, 2)));
    }

    #[test]
    fn buffers_are_equal_with_equal_rows_of_the_same_kinds_whatever_they_held_before() {
        let row: RowBuf = [Datum::Int(1), Datum::String("a")].into_iter().collect();
        let mut reused = RowBuf::with_columns(3);
        reused.set(2, Datum::String("before"));
        assert_ne!(reused, row);
        reused.copy_from(&row, 2);
        assert_eq!(reused, row);
        let of = |kinds: &[RowKind]| {
            let mut rows = ChangelogBuf::new();
            kinds.iter().for_each(|kind| rows.push(*kind, 2).copy_from(&row, 2));
            rows
        };
        let mut longer = of(&[RowKind::Insert, RowKind::Delete]);
        longer.truncate(1);
        assert_eq!(longer, of(&[RowKind::Insert]));
        assert_ne!(longer, of(&[RowKind::UpdateAfter]));
        assert_ne!(longer, of(&[]));
    }
}
