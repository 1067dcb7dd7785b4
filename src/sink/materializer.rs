use std::io::Write;
use std::mem::swap;
use std::time::Duration;

use super::live_rows::{self, LiveRows, Removed};
use crate::error::Error;
use crate::row::{ChangelogBuf, Row, RowKind};
use crate::state::{
    Changes, MemoryStore, SnapshotHeader, StateStore, StateTable, Ttl, append_key, write_all,
};
use crate::table::TableSink;
use crate::wire::{Cursor, GiveBack, Rarely};

/// Turns a changelog in which several rows can share the sink's primary key into upserts: put it in front of the
/// [`Encoder`](super::Encoder) if the stream's own key is not the table's.
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
/// A change reads and writes some KiB at most, however many rows share its key: a long list is kept in parts. No
/// allocation once the buffers are large enough, as long as the rows of a key take no more than 4 KiB. Agrees with
/// `org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializer`.
///
/// ```
/// use upsert_kafka::{Datum, RowKind};
/// use upsert_kafka::sink::UpsertMaterializer;
///
/// let mut materializer = UpsertMaterializer::new(2, &[0]);
/// let mut shown = Vec::new();
/// let (a, b) = ([Datum::Int(1), Datum::String("a")], [Datum::Int(1), Datum::String("b")]);
/// for (kind, row) in [(RowKind::Insert, a), (RowKind::Insert, b), (RowKind::Delete, b), (RowKind::Delete, a)] {
///     for (kind, row) in materializer.apply(kind, &row, 0)? {
///         shown.push(format!("{kind} {row:?}"));
///     }
/// }
/// let (a, b) = (r#"[Int(1), String("a")]"#, r#"[Int(1), String("b")]"#);
/// assert_eq!(shown, [format!("+I {a}"), format!("+U {b}"), format!("+U {a}"), format!("-D {a}")]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct UpsertMaterializer<S = MemoryStore> {
    /// For snapshots.
    table: Option<StateTable>,
    columns: usize,
    key_columns: Box<[usize]>,
    has_upsert_key: bool,
    ignored: u64,
    store: S,
    /// Those of the key at hand.
    live: LiveRows,
    changes: ChangelogBuf,
    look: Rarely,
}

impl TableSink {
    /// A materializer for the table, with its state in memory; `None` for a table without a primary key.
    #[must_use]
    pub fn materializer(&self) -> Option<UpsertMaterializer> {
        let layout = self.layout();
        let key = layout.primary_key();
        (!key.is_empty()).then(|| UpsertMaterializer {
            table: Some(StateTable::new(self.table_name(), layout.columns())),
            ..UpsertMaterializer::new(layout.columns().len(), key)
        })
    }
}

impl UpsertMaterializer {
    /// A materializer of rows of `columns` columns, of which `key_columns` are the primary key of the sink, without a
    /// table: else take [`TableSink::materializer`]. Its state is in memory and never expires.
    #[must_use]
    pub fn new(columns: usize, key_columns: &[usize]) -> Self {
        Self {
            table: None,
            columns,
            key_columns: key_columns.into(),
            has_upsert_key: false,
            ignored: 0,
            store: MemoryStore::new(),
            live: LiveRows::new(columns),
            changes: ChangelogBuf::new(),
            look: Rarely::default(),
        }
    }
}

impl<S> UpsertMaterializer<S> {
    /// The same with its state in `store`, which another materializer of the same settings may have left.
    #[must_use]
    pub fn with_store<T>(self, store: T) -> UpsertMaterializer<T> {
        let Self { table, columns, key_columns, has_upsert_key, ignored, live, changes, look, .. } = self;
        UpsertMaterializer {
            table,
            columns,
            key_columns,
            has_upsert_key,
            ignored,
            store,
            live,
            changes,
            look,
        }
    }

    /// The same for a stream with a key of its own, Flink's upsert key: rows are matched by `columns` alone, and a row
    /// added again replaces the older one.
    ///
    /// Needed where the other columns of a retraction may differ from those of the row that was added, as after a
    /// non-deterministic function. `-U` can then be left out, since the `+U` after it replaces the row. Without columns,
    /// the default, whole rows are matched.
    ///
    /// The columns are compared as those of whole rows are: NaN is NaN, 0.0 is not -0.0, maps are sets of entries. (Flink
    /// compares these columns alone with Java's `==`: there NaN is not NaN, 0.0 is -0.0, and no MAP is found again.)
    #[must_use]
    pub fn with_upsert_key(mut self, columns: &[usize]) -> Self {
        self.has_upsert_key = !columns.is_empty();
        let matched = if self.has_upsert_key { columns.into() } else { (0..self.columns).collect() };
        self.live.set_matched_columns(matched);
        self
    }

    /// The same with state that expires `ttl` after the list of its key was last written; zero, the default, is never.
    /// Counted in milliseconds. Flink's `table.exec.state.ttl`.
    #[must_use]
    pub fn with_ttl(mut self, ttl: Duration) -> Self {
        self.live.set_ttl(Ttl::new(ttl));
        self
    }

    /// How many retractions there were of rows that were not there.
    #[must_use]
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// The state.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The state, to be written to by others than the materializer: between two calls only.
    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// The state without the materializer.
    pub fn into_store(self) -> S {
        self.store
    }
}

impl<S: StateStore> UpsertMaterializer<S> {
    /// Hands out what the change means to the sink: one row or nothing.
    ///
    /// `now_ms` is the time by which state expires; without a TTL it may be anything.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the state of the key is not one that a materializer of such rows has written,
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if a row nests more than 128 deep, else what the store answers.
    pub fn apply<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        now_ms: i64,
    ) -> Result<Changes<'_>, Error> {
        if self.look.is_due() {
            self.give_back();
        }
        self.changes.clear();
        self.live.key.clear();
        append_key(self.key_columns.iter().map(|&column| row.datum(column)), &mut self.live.key)?;
        self.live.load(&mut self.store, now_ms)?;
        if kind.is_retraction() {
            self.retract(row, now_ms)?;
        } else {
            let kind = if self.live.is_empty() { RowKind::Insert } else { RowKind::UpdateAfter };
            self.live.add(&mut self.store, row, self.has_upsert_key, now_ms)?;
            self.changes.push(kind, 0).copy_from(row, self.columns);
        }
        Ok(Changes::of_buf(Some(&self.changes)))
    }

    fn retract<R: Row + ?Sized>(&mut self, row: &R, now_ms: i64) -> Result<(), Error> {
        match self.live.remove(&mut self.store, row, now_ms)? {
            Removed::Nothing => self.ignored += 1,
            Removed::Another => {}
            Removed::Last => swap(self.changes.push(RowKind::UpdateAfter, 0), self.live.last()),
            Removed::Only => self.changes.push(RowKind::Delete, 0).copy_from(row, self.columns),
        }
        Ok(())
    }

    /// Keeps no memory that the last change did not need.
    #[cold]
    fn give_back(&mut self) {
        self.live.give_back();
        self.changes.give_back();
    }
}

impl UpsertMaterializer<MemoryStore> {
    /// How many keys have live rows, those whose state has expired included. Counts them.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.iter().filter(|(_, value)| !live_rows::is_part(value)).count()
    }

    /// Whether none has: looks for the first that has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.store.iter().all(|(_, value)| live_rows::is_part(value))
    }

    /// What the keys and their rows take in the state.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.store.size_in_bytes()
    }

    /// Drops the state that has expired, which otherwise stays until its key is written again.
    ///
    /// Looks at every key.
    pub fn remove_expired(&mut self, now_ms: i64) {
        self.live.remove_expired(&mut self.store, now_ms);
    }

    /// Writes the state, for [`restore`](Self::restore), in many small writes: the same bytes for the same content.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the writer fails, with its error as the source.
    pub fn snapshot(&self, mut out: impl Write) -> Result<(), Error> {
        let mut bytes = Vec::new();
        self.header().append(&mut bytes);
        write_all(&mut out, &bytes)?;
        self.store.snapshot(out)
    }

    fn header(&self) -> SnapshotHeader<'_> {
        SnapshotHeader {
            stage: "a materializer",
            table: self.table.as_ref(),
            columns: self.columns,
            key_columns: &self.key_columns,
            settings: vec![self.live.ttl().setting()],
        }
    }

    /// Takes the state of a [`snapshot`](Self::snapshot) in place of its own.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the bytes are not a snapshot of a materializer, or not all of it; or of another table, by name,
    /// with another key or other columns, or of another use of a TTL. A table may have more columns than it had, if they are
    /// nullable: they are NULL in the rows of the snapshot. The materializer is after an error as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let mut cursor = Cursor::new(snapshot);
        let mut stored = self.header().take(&mut cursor)?;
        let live = &mut self.live;
        self.store = stored.take_store(&mut cursor, live.ttl(), |store| live.joined(store))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::row::{Datum, RowBuf, RowKind::*};

    type Change = (RowKind, i64, &'static str);

    /// Rows of (upsert key, sink key, text), as in SinkUpsertMaterializerTest; all have the sink key 1.
    fn apply(materializer: &mut UpsertMaterializer, (kind, id, text): Change) -> Vec<String> {
        let row = [Datum::BigInt(id), Datum::Int(1), Datum::String(text)];
        materializer.apply(kind, &row, 0).unwrap().map(|(kind, row)| format!("{kind} {row:?}")).collect()
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

    #[test]
    fn state_expires_a_ttl_after_its_key_was_last_written() {
        // StateTtlConfig of Flink's operators: OnCreateAndWrite, NeverReturnExpired.
        let mut materializer = UpsertMaterializer::new(3, &[1]).with_ttl(Duration::from_millis(10));
        let mut kind_at = |id, now_ms| {
            let row = [Datum::BigInt(id), Datum::Int(1), Datum::Null];
            materializer.apply(Insert, &row, now_ms).unwrap().next().unwrap().0
        };
        assert_eq!([kind_at(1, 0), kind_at(2, 9), kind_at(3, 18)], [Insert, UpdateAfter, UpdateAfter]);
        assert_eq!(kind_at(4, 28), Insert, "the last millisecond belongs to the expired");
        materializer.remove_expired(37);
        assert_eq!((materializer.len(), materializer.is_empty()), (1, false));
        materializer.remove_expired(38);
        assert!(materializer.is_empty());
        assert_eq!(materializer.size_in_bytes(), 0);
    }

    #[test]
    fn a_long_list_is_found_again_by_other_columns_after_a_restore() {
        let long = "x".repeat(3000);
        let row = |id| [Datum::BigInt(id), Datum::Int(1), Datum::String(&long)];
        let mut materializer = UpsertMaterializer::new(3, &[1]);
        for id in 0..5 {
            materializer.apply(Insert, &row(id), 0).unwrap();
        }
        assert_eq!(materializer.len(), 1);
        assert!(materializer.store().len() > 5, "in parts");
        let mut snapshot = Vec::new();
        materializer.snapshot(&mut snapshot).unwrap();
        let mut by_id = UpsertMaterializer::new(3, &[1]).with_upsert_key(&[0]);
        by_id.restore(&snapshot).unwrap();
        for (id, last) in [(4, Some(3)), (0, None), (3, Some(2)), (1, None)] {
            let retraction = [Datum::BigInt(id), Datum::Int(1), Datum::String("another text")];
            let out: Vec<_> = by_id.apply(Delete, &retraction, 0).unwrap().collect();
            let expected = last.map(|id| RowBuf::copy_of(&row(id), 3));
            assert_eq!(out, Vec::from_iter(expected.as_ref().map(|row| (UpdateAfter, row))), "without {id}");
        }
        assert_eq!(
            by_id.apply(Delete, &row(2), 0).unwrap().map(|(kind, _)| kind).collect::<Vec<_>>(),
            [Delete]
        );
        assert_eq!((by_id.len(), by_id.ignored()), (0, 0));
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
                let row = |id, text| [Datum::BigInt(id), Datum::Int(key), Datum::TinyInt(text)];
                let kind = RowKind::ALL[kind];
                let out = materializer.apply(kind, &row(id, text), 0).unwrap();
                let shown: Vec<_> = out.map(|(kind, row)| format!("{kind} {row:?}")).collect();
                let list = &mut lists[usize::try_from(key).unwrap()];
                let expected = model(list, kind, (id, text), by_id);
                let expected = expected.map(|(kind, (id, text))| {
                    format!("{kind} {:?}", RowBuf::copy_of(&row(id, text), 3))
                });
                prop_assert_eq!(shown, Vec::from_iter(expected));
                let mut snapshot = Vec::new();
                materializer.snapshot(&mut snapshot).unwrap();
                materializer = UpsertMaterializer::new(3, &[1]).with_upsert_key(upsert_key);
                materializer.restore(&snapshot).unwrap();
            }
        }

        #[test]
        fn foreign_state_is_an_error(state: Vec<u8>) {
            let mut key = Vec::new();
            append_key([Datum::Int(1)], &mut key).unwrap();
            let mut store = MemoryStore::new();
            store.put(&key, &[&[0xff], &state[..]].concat()).unwrap();
            let mut materializer = UpsertMaterializer::new(3, &[1]).with_store(store);
            let row = [Datum::BigInt(1), Datum::Int(1), Datum::Null];
            let error = materializer.apply(Delete, &row, 0).unwrap_err();
            prop_assert_eq!(error.kind(), ErrorKind::State);
        }
    }
}
