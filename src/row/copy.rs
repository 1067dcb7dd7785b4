use super::{Datum, Row, RowBuf};

impl RowBuf {
    /// A row that holds copies of `columns` values of `row`.
    #[must_use]
    pub fn copy_of<R: Row + ?Sized>(row: &R, columns: usize) -> Self {
        let mut copy = Self::new();
        copy.copy_from(row, columns);
        copy
    }

    /// Makes this a copy of the first `columns` values of `row`, capacities kept.
    pub fn copy_from<R: Row + ?Sized>(&mut self, row: &R, columns: usize) {
        self.reset(0);
        row.copy_to(self, columns);
    }
}

impl Row for RowBuf {
    #[inline]
    fn datum(&self, column: usize) -> Datum<'_> {
        self.at(column)
    }

    fn copy_to(&self, copy: &mut RowBuf, columns: usize) {
        copy.append_all(self, columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Values;

    #[test]
    fn a_copy_of_an_owned_row_is_one_of_its_values() {
        let inner = [Datum::Int(1), Datum::String("two")];
        let row: RowBuf = [Datum::String("old"), Datum::Bytes(b"x")].into_iter().collect();
        let mut row = RowBuf::copy_of(&row, 3);
        row.set(0, Datum::String("new"));
        row.set(2, Datum::Row(Values::new(&inner, 2)));
        for columns in 0..5 {
            let values: Vec<_> = (0..columns).map(|column| row.datum(column)).collect();
            assert_eq!(RowBuf::copy_of(&row, columns), RowBuf::copy_of(&values, columns));
        }
    }
}
