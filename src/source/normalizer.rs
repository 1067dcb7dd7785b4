use std::fmt;
use std::mem::{swap, take};
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::row::{ChangelogBuf, Row, RowBuf, RowKind, rows_equal};
use crate::state::{
    Changes, Digest, LatestRows, MemoryStore, StateStore, StateTable, Ttl, append_key, append_row, digest,
    read_row, reread_row,
};
use crate::table::{Connector, TableSource};
use crate::wire::{GiveBack, Rarely};

mod snapshot;

/// Turns upserts into a changelog that a consumer can add up: `+I` for the first row of a key, nothing for one that
/// changes nothing, `-U` and `+U` for an update, the full row for a `-D` that brings only its key.
///
/// `R` is the row last kept of the key, `N` the row that comes:
///
/// | state | input | output | state after |
/// |---|---|---|---|
/// | nothing | `+I`, `+U` N | `+I` N | N |
/// | R | `+I`, `+U` N, equal to R | nothing | R |
/// | R | `+I`, `+U` N | `-U` R, `+U` N | N |
/// | R | `-D`, `-U` | `-D` R | nothing |
/// | nothing | `-D`, `-U` | nothing | nothing |
///
/// Rows are equal as Flink compares them: NULL is NULL, NaN is NaN, 0.0 is not -0.0, decimals are numbers, bytes and
/// nested values go by content, maps are sets of entries.
///
/// The key is that of the *row*, not of the Kafka record. Where the value holds the key columns too
/// (`value.fields-include` = `ALL`) and a producer wrote different ones into the value and the key, upserts are filed
/// under the value's and deletes under the key's: the deletes find nothing. [`apply_keyed`](Self::apply_keyed) with the
/// record's key bytes closes that gap, which Flink has.
///
/// Keeps one copy of a row per key; a call reads one row and writes one. No allocation once the buffers have seen a row
/// of each size; what they hold beyond a MiB, and eight times more than a row needs, they give back within 8 rows. All
/// records of a key must come to one normalizer. Agrees with
/// `org.apache.flink.table.runtime.operators.deduplicate.ProcTimeDeduplicateKeepLastRowFunction`, the operator
/// `ChangelogNormalize` of a plan.
///
/// ```
/// use upsert_kafka::{ChangelogNormalizer, Datum, RowKind};
///
/// let mut normalizer = ChangelogNormalizer::new(2, &[0]);
/// let rows = [
///     (RowKind::Insert, [Datum::BigInt(1), Datum::String("a")]),
///     (RowKind::Insert, [Datum::BigInt(1), Datum::String("a")]),
///     (RowKind::Insert, [Datum::BigInt(1), Datum::String("b")]),
///     (RowKind::Delete, [Datum::BigInt(1), Datum::Null]),
/// ];
/// let mut kinds = Vec::new();
/// for (kind, row) in rows {
///     kinds.extend(normalizer.apply(kind, &row, 0)?.map(|(kind, _)| kind.short_string()));
/// }
/// assert_eq!(kinds, ["+I", "-U", "+U", "-D"]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
pub struct ChangelogNormalizer<S = MemoryStore> {
    /// For snapshots.
    table: Option<StateTable>,
    columns: usize,
    key_columns: Box<[usize]>,
    /// Whether what comes is a changelog already, and is handed on.
    hands_on: bool,
    compared_columns: Box<[usize]>,
    /// Whether those are all columns.
    compares_all: bool,
    retractions: Retractions,
    ttl: Ttl,
    filter: Option<Filter>,
    bundle_size: usize,
    bundle: LatestRows,
    /// How many rows were put into the bundle, those replaced included.
    bundled: usize,
    store: S,
    key: Vec<u8>,
    /// The state of the key at hand without its time, and the row in it where rows are kept.
    state: Vec<u8>,
    previous: RowBuf,
    /// The state that follows.
    next: Vec<u8>,
    changes: ChangelogBuf,
    look: Rarely,
    /// Whether a bundle failed half-way: `changes` are then still to be handed out.
    has_unsaid: bool,
}

/// What a [`ChangelogNormalizer`] says about rows that are gone, and so what it must keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retractions {
    /// `-U` before a `+U` and `-D`, both with the full previous row. The row is kept.
    #[default]
    Full,
    /// `-D` with the full previous row, and no `-U`: what Flink's normalizer does in front of a sink that takes upserts.
    /// The row is kept.
    ///
    /// Whether there is one depends on the query: one that filters by other than key columns or reads a metadata column
    /// has it. A plain copy, `INSERT INTO t2 SELECT * FROM t1`, has none since Flink 2.1 or so, and then repeated rows
    /// and tombstones of unknown keys reach the sink as well.
    Deletes,
    /// `-D` with the key columns only, all others NULL, and no `-U`. 16 bytes a key are kept, a SipHash of the compared
    /// columns: enough to recognise an update, not to emit the row before it. Not in Flink.
    KeyedDeletes,
}

type Filter = Box<dyn Fn(&dyn Row) -> bool + Send + Sync>;

impl TableSource {
    /// A normalizer for the table, with its state in memory.
    ///
    /// That of a `kafka` table, whose rows are a changelog already, hands on what comes.
    #[must_use]
    pub fn normalizer(&self) -> ChangelogNormalizer {
        let layout = self.layout();
        let normalizer = ChangelogNormalizer::new(layout.columns().len(), layout.primary_key());
        ChangelogNormalizer {
            hands_on: layout.connector() != Connector::UpsertKafka,
            table: Some(StateTable::new(self.table_name(), layout.columns())),
            ..normalizer
        }
    }
}

impl ChangelogNormalizer {
    /// A normalizer of rows of `columns` columns, of which `key_columns` are the primary key, without a table: else take
    /// [`TableSource::normalizer`].
    ///
    /// State in memory and without expiry, every column compared, full retractions, no bundles.
    #[must_use]
    pub fn new(columns: usize, key_columns: &[usize]) -> Self {
        Self {
            table: None,
            columns,
            key_columns: key_columns.into(),
            hands_on: false,
            compared_columns: (0..columns).collect(),
            compares_all: true,
            retractions: Retractions::Full,
            ttl: Ttl::default(),
            filter: None,
            bundle_size: 1,
            bundle: LatestRows::default(),
            bundled: 0,
            store: MemoryStore::new(),
            key: Vec::new(),
            state: Vec::new(),
            previous: RowBuf::new(),
            next: Vec::new(),
            changes: ChangelogBuf::new(),
            look: Rarely::default(),
            has_unsaid: false,
        }
    }
}

impl<S> ChangelogNormalizer<S> {
    /// The same with its state in `store`, which another normalizer of the same settings may have left.
    #[must_use]
    pub fn with_store<T>(self, store: T) -> ChangelogNormalizer<T> {
        let Self {
            table,
            columns,
            key_columns,
            hands_on,
            compared_columns,
            compares_all,
            retractions,
            ttl,
            filter,
            ..
        } = self;
        let Self {
            bundle_size, bundle, bundled, key, state, previous, next, changes, look, has_unsaid, ..
        } = self;
        ChangelogNormalizer {
            table,
            columns,
            key_columns,
            hands_on,
            compared_columns,
            compares_all,
            retractions,
            ttl,
            filter,
            bundle_size,
            bundle,
            bundled,
            store,
            key,
            state,
            previous,
            next,
            changes,
            look,
            has_unsaid,
        }
    }

    /// The same with other retractions.
    #[must_use]
    pub fn with_retractions(mut self, retractions: Retractions) -> Self {
        self.retractions = retractions;
        self
    }

    /// The same with state that expires `ttl` after a row of its key was last written; zero, the default, is never.
    /// Counted in milliseconds.
    ///
    /// Flink's `table.exec.state.ttl`. Rows that change nothing are then emitted too, so that state further down is
    /// kept alive; after the expiry an update looks like an insert and a delete is lost.
    #[must_use]
    pub fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Ttl::new(ttl);
        self
    }

    /// The same with only `columns` compared: a row that differs from the last one in others alone is dropped, and the
    /// older one stays.
    ///
    /// Flink compares the columns that the query uses: a projection goes below the operator.
    #[must_use]
    pub fn with_compared_columns(mut self, columns: &[usize]) -> Self {
        self.compared_columns = columns.into();
        self.compares_all = columns.iter().copied().eq(0..self.columns);
        self
    }

    /// The same for the part of the table that satisfies `filter`: rows that do not are as good as deleted.
    ///
    /// Flink's `filter=[...]` of the operator, a condition of the WHERE clause on other than key columns.
    #[must_use]
    pub fn with_filter(mut self, filter: impl Fn(&dyn Row) -> bool + Send + Sync + 'static) -> Self {
        self.filter = Some(Box::new(filter));
        self
    }

    /// The same with rows that are held back until there are `rows` of them: of those of a key only the last one counts.
    ///
    /// Flink's mini-batch, `table.exec.mini-batch.size`. The timer that ends a bundle earlier is the caller's, who calls
    /// [`flush`](Self::flush). One row, the default, is no bundle.
    #[must_use]
    pub fn with_bundle(mut self, rows: usize) -> Self {
        self.bundle_size = rows;
        self
    }

    /// How many keys have a row in the bundle.
    #[must_use]
    pub fn bundle_len(&self) -> usize {
        self.bundle.len()
    }

    /// The state.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The state, to be written to by others than the normalizer: between two calls only.
    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// The state without the normalizer. What is in the bundle is lost.
    pub fn into_store(self) -> S {
        self.store
    }
}

impl<S: StateStore> ChangelogNormalizer<S> {
    /// Hands out what `row` changes: nothing, one row or two; with bundles, nothing or what all of the bundle changes, key
    /// by key in the order in which the keys came. (Flink's order is that of a hash map; per key it is the same.)
    ///
    /// `now_ms` is the time by which state expires; without a TTL it may be anything.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`] if the state of the key is not one that a normalizer of these settings has written,
    /// [`ErrorKind::Limit`] if a row nests more than 128 deep, else what the store answers. In a bundle the row at fault
    /// and those after it stay; the changes of those before it are handed out by the next call.
    pub fn apply<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        now_ms: i64,
    ) -> Result<Changes<'_>, Error> {
        if self.hands_on {
            self.changes.clear();
            self.changes.push(kind, 0).copy_from(row, self.columns);
            return Ok(Changes::of_buf(Some(&self.changes)));
        }
        self.key.clear();
        append_key(self.key_columns.iter().map(|&column| row.datum(column)), &mut self.key)?;
        self.apply_to_key(kind, row, now_ms)
    }

    /// As [`apply`](Self::apply), with the state of the row under `key`: the bytes of the record's key, say.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply).
    pub fn apply_keyed<R: Row + ?Sized>(
        &mut self,
        key: &[u8],
        kind: RowKind,
        row: &R,
        now_ms: i64,
    ) -> Result<Changes<'_>, Error> {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.apply_to_key(kind, row, now_ms)
    }

    /// Hands out what the rows of the bundle change, however many there are.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply).
    pub fn flush(&mut self, now_ms: i64) -> Result<Changes<'_>, Error> {
        if !take(&mut self.has_unsaid) {
            self.give_back();
            self.changes.clear();
        }
        let mut bundle = take(&mut self.bundle);
        let mut result = Ok(());
        while let Some(last) = bundle.front() {
            self.key.clear();
            self.key.extend_from_slice(&last.key);
            result = self.step(last.kind, &last.row, now_ms);
            if result.is_err() {
                break;
            }
            bundle.pop_front();
        }
        self.bundled = bundle.len();
        self.bundle = bundle;
        self.has_unsaid = result.is_err();
        result.map(|()| Changes::of_buf(Some(&self.changes)))
    }

    /// Puts the row into the bundle, or says what it changes.
    fn apply_to_key<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        now_ms: i64,
    ) -> Result<Changes<'_>, Error> {
        if self.bundle_size > 1 {
            self.bundle.put(&self.key, kind, row, self.columns);
            self.bundled += 1;
            return if self.bundled >= self.bundle_size {
                self.flush(now_ms)
            } else {
                Ok(Changes::of_buf(None))
            };
        }
        if self.look.is_due() {
            self.give_back();
        }
        self.changes.clear();
        self.step(kind, row, now_ms)?;
        Ok(Changes::of_buf(Some(&self.changes)))
    }

    /// Keeps no memory that the last change did not need.
    #[cold]
    fn give_back(&mut self) {
        self.state.give_back();
        self.next.give_back();
        self.previous.give_back();
        self.changes.give_back();
    }

    /// One line of the table, for the row of `key`.
    fn step<R: Row + ?Sized>(&mut self, kind: RowKind, row: &R, now_ms: i64) -> Result<(), Error> {
        let found = self.store.get(&self.key, &mut self.state)?;
        if kind.is_retraction() {
            return if found && self.load(now_ms)? { self.delete(row) } else { Ok(()) };
        }
        self.prepare(row)?;
        // The same bytes are the same values, and need not be read; other bytes may be the same values, too.
        if found && !self.ttl.is_finite() && self.next == self.state {
            return Ok(());
        }
        if found && let Some(updated) = self.update(row) {
            return updated;
        }
        let known = found && self.load(now_ms)?;
        if known && !self.ttl.is_finite() && self.is_same(row) {
            return Ok(());
        }
        if self.filter.as_ref().is_some_and(|filter| !filter(&row)) {
            return if known { self.delete(row) } else { Ok(()) };
        }
        self.ttl.append(&mut self.next, now_ms);
        self.store.put(&self.key, &self.next)?;
        if known && self.retractions == Retractions::Full {
            swap(self.changes.push(RowKind::UpdateBefore, 0), &mut self.previous);
        }
        let kind = if known { RowKind::UpdateAfter } else { RowKind::Insert };
        self.changes.push(kind, 0).copy_from(row, self.columns);
        Ok(())
    }

    /// The lines of R and N where rows are kept, compared and told whole: R is a copy of N but for the values that are
    /// spelled otherwise in the state. `None` leaves it to those who read all of R.
    fn update<R: Row + ?Sized>(&mut self, row: &R) -> Option<Result<(), Error>> {
        let is_whole = self.retractions == Retractions::Full && self.compares_all;
        if !is_whole || self.ttl.is_finite() || self.filter.is_some() {
            return None;
        }
        let unchanged = self.changes.len();
        self.changes.push(RowKind::UpdateBefore, 0);
        self.changes.push(RowKind::UpdateAfter, 0).copy_from(row, self.columns);
        let (after, before) = self.changes.last_two_mut()?;
        before.copy_from(after, self.columns);
        let is_other = reread_row(&self.state, &self.next, self.columns, before);
        let is_update = is_other == Some(true);
        let put = if is_update { self.store.put(&self.key, &self.next) } else { Ok(()) };
        if !is_update || put.is_err() {
            self.changes.truncate(unchanged);
        }
        is_other.map(|_| put)
    }

    /// Reads the row in the state, and answers whether it has not expired.
    fn load(&mut self, now_ms: i64) -> Result<bool, Error> {
        let Some(state) = self.ttl.split(&self.state, now_ms).ok_or_else(foreign_state)? else {
            return Ok(false);
        };
        let rest = match self.retractions {
            Retractions::Full | Retractions::Deletes => read_row(state, self.columns, &mut self.previous)?,
            Retractions::KeyedDeletes => state.get(size_of::<Digest>()..).ok_or_else(foreign_state)?,
        };
        if rest.is_empty() { Ok(true) } else { Err(foreign_state()) }
    }

    /// Makes `next` the state after `row`: the row or its digest.
    fn prepare<R: Row + ?Sized>(&mut self, row: &R) -> Result<(), Error> {
        self.next.clear();
        match self.retractions {
            Retractions::Full | Retractions::Deletes => append_row(row, self.columns, &mut self.next),
            Retractions::KeyedDeletes => {
                let compared = self.compared_columns.iter().map(|&column| row.datum(column));
                append_key(compared, &mut self.next)?;
                let digest = digest(&self.next);
                self.next.clear();
                self.next.extend_from_slice(&digest);
                Ok(())
            }
        }
    }

    fn is_same<R: Row + ?Sized>(&self, row: &R) -> bool {
        match self.retractions {
            Retractions::Full | Retractions::Deletes => {
                rows_equal(row, &self.previous, &self.compared_columns)
            }
            Retractions::KeyedDeletes => self.next == self.state,
        }
    }

    fn delete<R: Row + ?Sized>(&mut self, row: &R) -> Result<(), Error> {
        self.store.remove(&self.key)?;
        match self.retractions {
            Retractions::Full | Retractions::Deletes => {
                swap(self.changes.push(RowKind::Delete, 0), &mut self.previous);
            }
            Retractions::KeyedDeletes => {
                let deleted = self.changes.push(RowKind::Delete, self.columns);
                self.key_columns.iter().for_each(|&column| deleted.set(column, row.datum(column)));
            }
        }
        Ok(())
    }
}

impl<S: fmt::Debug> fmt::Debug for ChangelogNormalizer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangelogNormalizer")
            .field("columns", &self.columns)
            .field("key_columns", &self.key_columns)
            .field("compared_columns", &self.compared_columns)
            .field("retractions", &self.retractions)
            .field("ttl", &self.ttl)
            .field("store", &self.store)
            .field("bundle", &self.bundle)
            .finish_non_exhaustive()
    }
}

#[cold]
fn foreign_state() -> Error {
    Error::new(
        ErrorKind::State,
        "the state was written by a normalizer with other settings, or not by a normalizer",
    )
}

#[cfg(test)]
mod tests;
