use super::row_bytes::append_canonical;
use crate::row::{Datum, Entries, Row};

/// Whether two rows hold equal values in each of `columns`.
pub(crate) fn rows_equal<L: Row + ?Sized, R: Row + ?Sized>(left: &L, right: &R, columns: &[usize]) -> bool {
    columns.iter().all(|&column| equal(left.datum(column), right.datum(column)))
}

/// Whether two values are the same as Flink compares binary rows: NULL is NULL, NaN is NaN, 0.0 is not -0.0, byte
/// strings are their bytes, decimals are numbers, and a map is the set of its entries.
///
/// As deep as the shallower of the two; one of them comes out of state, which is limited in depth.
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
        (Datum::Array(left), Datum::Array(right)) | (Datum::Row(left), Datum::Row(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| equal(left, right))
        }
        (Datum::Map(left), Datum::Map(right)) => maps_equal(left, right),
        (
            Datum::Null
            | Datum::Boolean(_)
            | Datum::TinyInt(_)
            | Datum::SmallInt(_)
            | Datum::Int(_)
            | Datum::BigInt(_)
            | Datum::Float(_)
            | Datum::Double(_)
            | Datum::Decimal(_)
            | Datum::String(_)
            | Datum::Bytes(_)
            | Datum::Date(_)
            | Datum::Time(_)
            | Datum::Timestamp(_)
            | Datum::Array(_)
            | Datum::Map(_)
            | Datum::Row(_),
            _,
        ) => false,
    }
}

/// A map is mostly read in one order. Only where the order differs are the entries sorted, which allocates.
fn maps_equal(left: Entries<'_>, right: Entries<'_>) -> bool {
    let same_order = || {
        let mut pairs = left.iter().zip(right.iter());
        pairs.all(|((key, value), (other_key, other))| equal(key, other_key) && equal(value, other))
    };
    let same_set = || {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        append_canonical(Datum::Map(left), &mut one).is_ok()
            && append_canonical(Datum::Map(right), &mut other).is_ok()
            && one == other
    };
    left.len() == right.len() && (same_order() || same_set())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Decimal, Entries, Values};

    #[test]
    fn values_are_compared_as_flink_compares_them() {
        // connector.md 6.6 [R]: NULL = NULL, NaN = NaN, 0.0 is not -0.0, bytes by content, decimals after rescale.
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        assert!(equal(Datum::Null, Datum::Null));
        assert!(equal(Datum::Double(f64::NAN), Datum::Double(nan)));
        assert!(!equal(Datum::Double(0.0), Datum::Double(-0.0)));
        assert!(!equal(Datum::Float(0.0), Datum::Float(-0.0)));
        assert!(equal(Datum::Bytes(b"ab"), Datum::Bytes(&[97, 98])));
        assert!(equal(Datum::Decimal(Decimal::new(150, 2)), Datum::Decimal(Decimal::new(15, 1))));
        assert!(!equal(Datum::Null, Datum::Int(0)));
        assert!(!equal(Datum::Int(1), Datum::BigInt(1)));
    }

    #[test]
    fn nested_values_are_compared_by_content_and_maps_as_sets() {
        let (one, two) = ([Datum::Int(1), Datum::Null], [Datum::Int(1), Datum::Int(2)]);
        assert!(equal(Datum::Array(Values::new(&one, 2)), Datum::Array(Values::new(&one, 2))));
        assert!(!equal(Datum::Array(Values::new(&one, 2)), Datum::Array(Values::new(&two, 2))));
        assert!(!equal(Datum::Array(Values::new(&one, 2)), Datum::Array(Values::new(&one, 1))));
        let (ab, ba) = (vec![("a", 1), ("b", 2)], vec![("b", 2), ("a", 1)]);
        let other = vec![("b", 1), ("a", 2)];
        let twice = vec![("a", 1), ("a", 1)];
        let map = |entries| Datum::Map(Entries::new(entries, 2));
        assert!(equal(map(&ab), map(&ba)));
        assert!(!equal(map(&ab), map(&other)));
        assert!(!equal(map(&ab), map(&twice)));
    }
}
