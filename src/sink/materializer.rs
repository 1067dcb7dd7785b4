use std::mem::swap;
use std::ops::Range;

use crate::error::Error;
use crate::row::{ChangelogBuf, Row, RowBuf, RowKind};
use crate::state::{MemoryStore, StateStore, append_key, append_row, read_row, rows_equal};

/// Turns a changelog in which several rows can share the sink's primary key into upserts: put it in front of an
/// [`UpsertEncoder`](super::UpsertEncoder) if the stream's own key is not the table's.
///
/// The live rows of each key are kept as a list, in order of arrival:
///
/// | change | list | output |
/// |---|---|---|
/// | `+I`, `+U` | was empty | `+I` of the row |
/// | `+I`, `+U` | was not | `+U` of the row |
/// | `-D`, `-U` | is empty now | `-D` of the row as it came |
/// | `-D`, `-U` | lost its last row | `+U` of the row that is the last one now |
/// | `-D`, `-U` | lost another row | nothing |
/// | `-D`, `-U` | never had the row | nothing; it is counted |
///
/// A change reads and writes the whole list of its key, and compares a retraction with row after row: cheap as long as
/// few rows share a key. No allocation once the buffers are large enough. Agrees with
/// `org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializer`, without its state TTL.
///
/// ```
/// use upsert_kafka::{ChangelogBuf, Datum, RowKind, UpsertMaterializer};
///
/// let mut materializer = UpsertMaterializer::new(2, &[0]);
/// let mut out = ChangelogBuf::new();
/// let (a, b) = ([Datum::Int(1), Datum::String("a")], [Datum::Int(1), Datum::String("b")]);
/// for (kind, row) in [(RowKind::Insert, a), (RowKind::Insert, b), (RowKind::Delete, b), (RowKind::Delete, a)] {
///     materializer.apply(kind, &row, &mut out)?;
/// }
/// let shown: Vec<_> = out.iter().map(|(kind, row)| format!("{kind} {row:?}")).collect();
/// let (a, b) = (r#"[Int(1), String("a")]"#, r#"[Int(1), String("b")]"#);
/// assert_eq!(shown, [format!("+I {a}"), format!("+U {b}"), format!("+U {a}"), format!("-D {a}")]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpsertMaterializer<S = MemoryStore> {
    columns: usize,
    key_columns: Box<[usize]>,
    /// The columns by which a row is found again.
    matched_columns: Box<[usize]>,
    has_upsert_key: bool,
    ignored: u64,
    store: S,
    key: Vec<u8>,
    /// The live rows of the key at hand, one behind the other.
    list: Vec<u8>,
    row: RowBuf,
    encoded: Vec<u8>,
}

impl UpsertMaterializer {
    /// A materializer of rows of `columns` columns, of which `key_columns` are the primary key of the sink, with its
    /// state in memory.
    #[must_use]
    pub fn new(columns: usize, key_columns: &[usize]) -> Self {
        Self::with_store(columns, key_columns, MemoryStore::new())
    }
}

impl<S> UpsertMaterializer<S> {
    /// As [`new`](UpsertMaterializer::new), with its state in `store`, which another materializer of the same rows may
    /// have left.
    #[must_use]
    pub fn with_store(columns: usize, key_columns: &[usize], store: S) -> Self {
        Self {
            columns,
            key_columns: key_columns.into(),
            matched_columns: (0..columns).collect(),
            has_upsert_key: false,
            ignored: 0,
            store,
            key: Vec::new(),
            list: Vec::new(),
            row: RowBuf::new(),
            encoded: Vec::new(),
        }
    }

    /// The same for a stream with a key of its own, Flink's upsert key: rows are matched by `columns` alone, and a row
    /// added again replaces the older one.
    ///
    /// Needed where the other columns of a retraction may differ from those of the row that was added, as after a
    /// non-deterministic function. `-U` can then be left out, since the `+U` behind it replaces the row. Without columns,
    /// the default, whole rows are matched.
    #[must_use]
    pub fn with_upsert_key(mut self, columns: &[usize]) -> Self {
        self.has_upsert_key = !columns.is_empty();
        self.matched_columns = if self.has_upsert_key { columns.into() } else { (0..self.columns).collect() };
        self
    }

    /// How many retractions named a row that was not there.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// The state.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The state without the materializer.
    pub fn into_store(self) -> S {
        self.store
    }
}

impl<S: StateStore> UpsertMaterializer<S> {
    /// Appends to `out` what the change means to the sink: one row or nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the state of the key is not one that a materializer of such rows
    /// has written, [`ErrorKind::Limit`](crate::ErrorKind::Limit) if a row nests more than 128 deep, else what the
    /// store answers. `out` is then as it was.
    pub fn apply<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        out: &mut ChangelogBuf,
    ) -> Result<(), Error> {
        self.key.clear();
        append_key(self.key_columns.iter().map(|&column| row.datum(column)), &mut self.key)?;
        if !self.store.get(&self.key, &mut self.list)? {
            self.list.clear();
        }
        if kind.is_retraction() { self.retract(row, out) } else { self.add(row, out) }
    }

    fn add<R: Row + ?Sized>(&mut self, row: &R, out: &mut ChangelogBuf) -> Result<(), Error> {
        let kind = if self.list.is_empty() { RowKind::Insert } else { RowKind::UpdateAfter };
        let older = if self.has_upsert_key { self.find_first(row)? } else { None };
        let place = older.unwrap_or(self.list.len()..self.list.len());
        self.encoded.clear();
        append_row(row, self.columns, &mut self.encoded)?;
        self.list.splice(place, self.encoded.iter().copied());
        self.store.put(&self.key, &self.list)?;
        out.push(kind, 0).copy_from(row, self.columns);
        Ok(())
    }

    fn retract<R: Row + ?Sized>(&mut self, row: &R, out: &mut ChangelogBuf) -> Result<(), Error> {
        let Some(place) = self.find_first(row)? else {
            self.ignored += 1;
            return Ok(());
        };
        let was_last = place.end == self.list.len();
        self.list.drain(place);
        if self.list.is_empty() {
            self.store.remove(&self.key)?;
            out.push(RowKind::Delete, 0).copy_from(row, self.columns);
            return Ok(());
        }
        if was_last {
            let mut rest = &self.list[..];
            while !rest.is_empty() {
                rest = read_row(rest, self.columns, &mut self.row)?;
            }
        }
        self.store.put(&self.key, &self.list)?;
        if was_last {
            swap(out.push(RowKind::UpdateAfter, 0), &mut self.row);
        }
        Ok(())
    }

    /// Where in the list the first row stands that `row` means.
    fn find_first<R: Row + ?Sized>(&mut self, row: &R) -> Result<Option<Range<usize>>, Error> {
        let mut rest = &self.list[..];
        while !rest.is_empty() {
            let start = self.list.len() - rest.len();
            rest = read_row(rest, self.columns, &mut self.row)?;
            if rows_equal(row, &self.row, &self.matched_columns) {
                return Ok(Some(start..self.list.len() - rest.len()));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::row::{Datum, RowKind::*};

    type Change = (RowKind, i64, &'static str);

    /// Rows of (upsert key, sink key, text), as in SinkUpsertMaterializerTest; all have the sink key 1.
    fn apply(materializer: &mut UpsertMaterializer, (kind, id, text): Change) -> Vec<String> {
        let mut out = ChangelogBuf::new();
        let row = [Datum::BigInt(id), Datum::Int(1), Datum::String(text)];
        materializer.apply(kind, &row, &mut out).unwrap();
        out.iter().map(|(kind, row)| format!("{kind} {row:?}")).collect()
    }

    fn expect(materializer: &mut UpsertMaterializer, change: Change, expected: Option<Change>) {
        let expected =
            expected.map(|(kind, id, text)| format!("{kind} [BigInt({id}), Int(1), String({text:?})]"));
        assert_eq!(apply(materializer, change), Vec::from_iter(expected), "{change:?}");
    }

    #[test]
    fn without_an_upsert_key_the_whole_row_is_found_again() {
        // SinkUpsertMaterializerTest.testNoUpsertKeyFlow.
        let mut materializer = UpsertMaterializer::new(3, &[1]);
        for (change, expected) in [
            ((Insert, 1, "a1"), Some((Insert, 1, "a1"))),
            ((Insert, 2, "a2"), Some((UpdateAfter, 2, "a2"))),
            ((Insert, 3, "a3"), Some((UpdateAfter, 3, "a3"))),
            ((Delete, 2, "a2"), None),
            ((Delete, 3, "a3"), Some((UpdateAfter, 1, "a1"))),
            ((Delete, 1, "a1"), Some((Delete, 1, "a1"))),
            ((Insert, 4, "a4"), Some((Insert, 4, "a4"))),
        ] {
            expect(&mut materializer, change, expected);
        }
        assert_eq!(materializer.ignored(), 0);
        expect(&mut materializer, (Delete, 4, "another text"), None);
        assert_eq!(materializer.ignored(), 1);
    }

    #[test]
    fn with_an_upsert_key_other_columns_may_differ() {
        // SinkUpsertMaterializerTest.testInputHasUpsertKeyWithNonDeterministicColumn.
        let mut materializer = UpsertMaterializer::new(3, &[1]).with_upsert_key(&[0]);
        for (change, expected) in [
            ((Insert, 1, "a1"), Some((Insert, 1, "a1"))),
            ((UpdateAfter, 1, "a11"), Some((UpdateAfter, 1, "a11"))),
            ((Insert, 3, "a3"), Some((UpdateAfter, 3, "a3"))),
            ((Delete, 1, "a111"), None),
            ((Delete, 3, "a33"), Some((Delete, 3, "a33"))),
            ((Insert, 4, "a4"), Some((Insert, 4, "a4"))),
            ((Delete, 4, "a4"), Some((Delete, 4, "a4"))),
        ] {
            expect(&mut materializer, change, expected);
        }
        assert!(materializer.store().is_empty());
    }

    #[test]
    fn only_what_becomes_of_the_last_row_is_said() {
        // SinkUpsertMaterializerTest.testRetractions, with and without an upsert key.
        const TEXTS: [&str; 4] = ["", "a1", "a2", "a3"];
        let table = [
            [(1_u8, None), (2, None), (3, Some((Delete, 3)))],
            [(2, None), (1, None), (3, Some((Delete, 3)))],
            [(3, Some((UpdateAfter, 2))), (2, Some((UpdateAfter, 1))), (1, Some((Delete, 1)))],
            [(1, None), (3, Some((UpdateAfter, 2))), (2, Some((Delete, 2)))],
            [(2, None), (3, Some((UpdateAfter, 1))), (1, Some((Delete, 1)))],
            [(3, Some((UpdateAfter, 2))), (1, None), (2, Some((Delete, 2)))],
        ];
        for (retractions, upsert_key) in table.iter().flat_map(|row| [(row, &[][..]), (row, &[0][..])]) {
            let mut materializer = UpsertMaterializer::new(3, &[1]).with_upsert_key(upsert_key);
            expect(&mut materializer, (Insert, 1, "a1"), Some((Insert, 1, "a1")));
            expect(&mut materializer, (Insert, 2, "a2"), Some((UpdateAfter, 2, "a2")));
            expect(&mut materializer, (Insert, 3, "a3"), Some((UpdateAfter, 3, "a3")));
            for (id, expected) in *retractions {
                let named = |(kind, id)| (kind, i64::from(id), TEXTS[usize::from(id)]);
                expect(&mut materializer, named((Delete, id)), expected.map(named));
            }
        }
    }

    /// The operator of Flink over a list of (id, text).
    fn model(
        list: &mut Vec<(i64, i8)>,
        kind: RowKind,
        row: (i64, i8),
        by_id: bool,
    ) -> Option<(RowKind, (i64, i8))> {
        let found = list.iter().position(|live| if by_id { live.0 == row.0 } else { *live == row });
        if kind.is_retraction() {
            list.remove(found?);
            return match list.last() {
                None => Some((Delete, row)),
                Some(last) => (found? == list.len()).then_some((UpdateAfter, *last)),
            };
        }
        let kind = if list.is_empty() { Insert } else { UpdateAfter };
        match found.filter(|_| by_id) {
            Some(index) => list[index] = row,
            None => list.push(row),
        }
        Some((kind, row))
    }

    proptest! {
        #[test]
        fn it_is_a_list_of_live_rows_a_key(
            changes in prop::collection::vec((0_usize..4, 0..2_i32, 0..3_i64, 0..2_i8), 0..60),
            by_id: bool,
        ) {
            let upsert_key = if by_id { &[0][..] } else { &[] };
            let mut materializer = UpsertMaterializer::new(3, &[1]).with_upsert_key(upsert_key);
            let mut lists = [Vec::new(), Vec::new()];
            for (kind, key, id, text) in changes {
                let mut out = ChangelogBuf::new();
                let row = |id, text| [Datum::BigInt(id), Datum::Int(key), Datum::TinyInt(text)];
                let kind = RowKind::ALL[kind];
                materializer.apply(kind, &row(id, text), &mut out).unwrap();
                let list = &mut lists[usize::try_from(key).unwrap()];
                let expected = model(list, kind, (id, text), by_id);
                let expected = expected.map(|(kind, (id, text))| {
                    format!("{kind} {:?}", RowBuf::copy_of(&row(id, text), 3))
                });
                let shown: Vec<_> = out.iter().map(|(kind, row)| format!("{kind} {row:?}")).collect();
                prop_assert_eq!(shown, Vec::from_iter(expected));
                let snapshot = materializer.into_store().snapshot();
                let store = MemoryStore::restore(&snapshot).unwrap();
                materializer = UpsertMaterializer::with_store(3, &[1], store).with_upsert_key(upsert_key);
            }
        }

        #[test]
        fn foreign_state_is_an_error(state: Vec<u8>) {
            let mut key = Vec::new();
            append_key([Datum::Int(1)], &mut key).unwrap();
            let mut store = MemoryStore::new();
            store.put(&key, &[&[0xff], &state[..]].concat()).unwrap();
            let mut materializer = UpsertMaterializer::with_store(3, &[1], store);
            let mut out = ChangelogBuf::new();
            let row = [Datum::BigInt(1), Datum::Int(1), Datum::Null];
            let error = materializer.apply(Delete, &row, &mut out).unwrap_err();
            prop_assert_eq!(error.kind(), ErrorKind::State);
            prop_assert!(out.is_empty());
        }
    }
}
