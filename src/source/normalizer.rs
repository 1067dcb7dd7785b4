use std::fmt;
use std::mem::{swap, take};
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::row::{ChangelogBuf, Row, RowBuf, RowKind};
use crate::state::{
    Digest, LatestRows, MemoryStore, StateStore, append_key, append_row, digest, read_row, rows_equal,
};

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
/// (`value.fields-include` = `ALL`) and a producer wrote others there than into the key, upserts are filed under the
/// value's and deletes under the key's, and the deletes find nothing. [`apply_keyed`](Self::apply_keyed) with the
/// record's key bytes closes that gap, which Flink has.
///
/// One copy of a row a key, and one row written and one read a call; no allocation once the buffers have seen a row of
/// each size. All records of a key must come to one normalizer. Agrees with
/// `org.apache.flink.table.runtime.operators.deduplicate.ProcTimeDeduplicateKeepLastRowFunction`, the operator
/// `ChangelogNormalize` of a plan.
///
/// ```
/// use upsert_kafka::{ChangelogBuf, ChangelogNormalizer, Datum, RowKind};
///
/// let mut normalizer = ChangelogNormalizer::new(2, &[0]);
/// let mut changes = ChangelogBuf::new();
/// let rows = [
///     (RowKind::Insert, [Datum::BigInt(1), Datum::String("a")]),
///     (RowKind::Insert, [Datum::BigInt(1), Datum::String("a")]),
///     (RowKind::Insert, [Datum::BigInt(1), Datum::String("b")]),
///     (RowKind::Delete, [Datum::BigInt(1), Datum::Null]),
/// ];
/// for (kind, row) in rows {
///     normalizer.apply(kind, &row, 0, &mut changes)?;
/// }
/// let kinds: Vec<_> = changes.iter().map(|(kind, _)| kind.short_string()).collect();
/// assert_eq!(kinds, ["+I", "-U", "+U", "-D"]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
pub struct ChangelogNormalizer<S = MemoryStore> {
    columns: usize,
    key_columns: Box<[usize]>,
    compared_columns: Box<[usize]>,
    retractions: Retractions,
    ttl_ms: i64,
    filter: Option<Filter>,
    store: S,
    bundle: LatestRows,
    bundled: usize,
    key: Vec<u8>,
    /// The state of the key at hand, and the row in it where rows are kept.
    state: Vec<u8>,
    previous: RowBuf,
    /// The state that follows.
    next: Vec<u8>,
}

/// What a [`ChangelogNormalizer`] says about rows that are gone, and so what it must keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Retractions {
    /// `-U` before a `+U` and `-D`, both with the full previous row. The row is kept.
    #[default]
    Full,
    /// `-D` with the full previous row, and no `-U`: what Flink does in front of a sink that takes upserts. The row is
    /// kept.
    Deletes,
    /// `-D` with the key columns only, all others NULL, and no `-U`. 16 bytes a key are kept, a SipHash of the compared
    /// columns: enough to recognise an update, not to emit the row before it. Not in Flink.
    KeyedDeletes,
}

type Filter = Box<dyn Fn(&dyn Row) -> bool + Send + Sync>;

impl ChangelogNormalizer {
    /// A normalizer of rows of `columns` columns, of which `key_columns` are the primary key.
    ///
    /// State in memory and without expiry, every column compared, full retractions.
    #[must_use]
    pub fn new(columns: usize, key_columns: &[usize]) -> Self {
        Self::with_store(columns, key_columns, MemoryStore::new())
    }
}

impl<S> ChangelogNormalizer<S> {
    /// As [`new`](ChangelogNormalizer::new), with its state in `store`, which another normalizer of the same settings
    /// may have left.
    ///
    /// A snapshot of the state is one of the store: [`MemoryStore::snapshot`]. Finish the bundle before taking it.
    #[must_use]
    pub fn with_store(columns: usize, key_columns: &[usize], store: S) -> Self {
        Self {
            columns,
            key_columns: key_columns.into(),
            compared_columns: (0..columns).collect(),
            retractions: Retractions::Full,
            ttl_ms: 0,
            filter: None,
            store,
            bundle: LatestRows::default(),
            bundled: 0,
            key: Vec::new(),
            state: Vec::new(),
            previous: RowBuf::new(),
            next: Vec::new(),
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
        self.ttl_ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
        self
    }

    /// The same with only `columns` compared: a row that differs from the last one in others alone is dropped, and the
    /// older one stays.
    ///
    /// Flink compares the columns that the query uses: a projection goes below the operator.
    #[must_use]
    pub fn with_compared_columns(mut self, columns: &[usize]) -> Self {
        self.compared_columns = columns.into();
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

    /// The state.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// The state, to be written to behind the normalizer's back: between two calls only.
    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// The state without the normalizer. What is in the bundle is lost.
    pub fn into_store(self) -> S {
        self.store
    }
}

impl<S: StateStore> ChangelogNormalizer<S> {
    /// Appends to `out` what `row` changes: nothing, one row or two.
    ///
    /// `now_ms` is the time by which state expires; without a TTL it may be anything.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`] if the state of the key is not one that a normalizer of these settings has written, else
    /// what the store answers. `out` is then as it was.
    pub fn apply<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        now_ms: i64,
        out: &mut ChangelogBuf,
    ) -> Result<(), Error> {
        self.take_key(row)?;
        self.step(kind, row, now_ms, out)
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
        out: &mut ChangelogBuf,
    ) -> Result<(), Error> {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.step(kind, row, now_ms, out)
    }

    /// Puts a row into the bundle, where it replaces one of the same key.
    ///
    /// Flink's mini-batch: of the rows of a key in a bundle only the last one counts.
    /// [`finish_bundle`](Self::finish_bundle) says when [`bundled`](Self::bundled) is what you want it to be.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if the key columns nest more than 128 deep.
    pub fn bundle<R: Row + ?Sized>(&mut self, kind: RowKind, row: &R) -> Result<(), Error> {
        self.take_key(row)?;
        self.bundle.put(&self.key, kind, row, self.columns, None);
        self.bundled += 1;
        Ok(())
    }

    /// As [`bundle`](Self::bundle), with the state of the row under `key`.
    pub fn bundle_keyed<R: Row + ?Sized>(&mut self, key: &[u8], kind: RowKind, row: &R) {
        self.bundle.put(key, kind, row, self.columns, None);
        self.bundled += 1;
    }

    /// How many rows were put into the bundle, those replaced included: what `table.exec.mini-batch.size` limits.
    #[must_use]
    pub fn bundled(&self) -> usize {
        self.bundled
    }

    /// Appends to `out` what the rows of the bundle change, key by key in the order in which the keys came.
    ///
    /// Flink's order is that of a hash map; per key it is the same.
    ///
    /// # Errors
    ///
    /// As for [`apply`](Self::apply), for one of the rows. Those before it are in `out` and out of the bundle, it and
    /// those behind it still in there.
    pub fn finish_bundle(&mut self, now_ms: i64, out: &mut ChangelogBuf) -> Result<(), Error> {
        let mut bundle = take(&mut self.bundle);
        let mut result = Ok(());
        while let Some(last) = bundle.front() {
            result = self.apply_keyed(&last.key, last.kind, &last.row, now_ms, out);
            if result.is_err() {
                break;
            }
            bundle.pop_front();
        }
        self.bundled = bundle.len();
        self.bundle = bundle;
        result
    }

    /// Makes `key` the bytes of the key columns of `row`.
    fn take_key<R: Row + ?Sized>(&mut self, row: &R) -> Result<(), Error> {
        self.key.clear();
        append_key(self.key_columns.iter().map(|&column| row.datum(column)), &mut self.key)
    }

    /// One line of the table, for the row of `key`.
    fn step<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        now_ms: i64,
        out: &mut ChangelogBuf,
    ) -> Result<(), Error> {
        let known = self.load(now_ms)?;
        if kind.is_retraction() {
            return if known { self.delete(row, out) } else { Ok(()) };
        }
        self.prepare(row, now_ms)?;
        if known && self.ttl_ms == 0 && self.is_same(row) {
            return Ok(());
        }
        if self.filter.as_ref().is_some_and(|filter| !filter(&row)) {
            return if known { self.delete(row, out) } else { Ok(()) };
        }
        self.store.put(&self.key, &self.next)?;
        if known && self.retractions == Retractions::Full {
            swap(out.push(RowKind::UpdateBefore, 0), &mut self.previous);
        }
        let kind = if known { RowKind::UpdateAfter } else { RowKind::Insert };
        out.push(kind, 0).copy_from(row, self.columns);
        Ok(())
    }

    /// Reads the state of `key`, and the row in it, and answers whether there is any that has not expired.
    fn load(&mut self, now_ms: i64) -> Result<bool, Error> {
        if !self.store.get(&self.key, &mut self.state)? {
            return Ok(false);
        }
        let time = match self.retractions {
            Retractions::Full | Retractions::Deletes => {
                read_row(&self.state, self.columns, &mut self.previous)?
            }
            Retractions::KeyedDeletes => self.state.get(size_of::<Digest>()..).ok_or_else(foreign_state)?,
        };
        match (self.ttl_ms, time) {
            (0, []) => Ok(true),
            (0, _) => Err(foreign_state()),
            (ttl_ms, time) => Ok(!is_expired(time.try_into().map_err(|_| foreign_state())?, ttl_ms, now_ms)),
        }
    }

    /// Makes `next` the state after `row`: the row or its digest, and the time behind it if it can expire.
    fn prepare<R: Row + ?Sized>(&mut self, row: &R, now_ms: i64) -> Result<(), Error> {
        self.next.clear();
        match self.retractions {
            Retractions::Full | Retractions::Deletes => append_row(row, self.columns, &mut self.next)?,
            Retractions::KeyedDeletes => {
                let compared = self.compared_columns.iter().map(|&column| row.datum(column));
                append_key(compared, &mut self.next)?;
                let digest = digest(&self.next);
                self.next.clear();
                self.next.extend_from_slice(&digest);
            }
        }
        if self.ttl_ms > 0 {
            self.next.extend_from_slice(&now_ms.to_le_bytes());
        }
        Ok(())
    }

    fn is_same<R: Row + ?Sized>(&self, row: &R) -> bool {
        match self.retractions {
            Retractions::Full | Retractions::Deletes => {
                rows_equal(row, &self.previous, &self.compared_columns)
            }
            Retractions::KeyedDeletes => self.next == self.state,
        }
    }

    fn delete<R: Row + ?Sized>(&mut self, row: &R, out: &mut ChangelogBuf) -> Result<(), Error> {
        self.store.remove(&self.key)?;
        match self.retractions {
            Retractions::Full | Retractions::Deletes => {
                swap(out.push(RowKind::Delete, 0), &mut self.previous);
            }
            Retractions::KeyedDeletes => {
                let deleted = out.push(RowKind::Delete, self.columns);
                self.key_columns.iter().for_each(|&column| deleted.set(column, row.datum(column)));
            }
        }
        Ok(())
    }
}

impl ChangelogNormalizer<MemoryStore> {
    /// Drops the state that has expired, which otherwise stays until its key is written again.
    ///
    /// Looks at every key.
    pub fn remove_expired(&mut self, now_ms: i64) {
        let ttl_ms = self.ttl_ms;
        if ttl_ms > 0 {
            let expired =
                |value: &[u8]| value.last_chunk().is_some_and(|time| is_expired(*time, ttl_ms, now_ms));
            self.store.retain(|_, value| !expired(value));
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for ChangelogNormalizer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangelogNormalizer")
            .field("columns", &self.columns)
            .field("key_columns", &self.key_columns)
            .field("compared_columns", &self.compared_columns)
            .field("retractions", &self.retractions)
            .field("ttl_ms", &self.ttl_ms)
            .field("store", &self.store)
            .field("bundle", &self.bundle)
            .finish_non_exhaustive()
    }
}

/// `TtlUtils.expired`: the last millisecond belongs to the expired.
fn is_expired(written: [u8; 8], ttl_ms: i64, now_ms: i64) -> bool {
    i64::from_le_bytes(written).saturating_add(ttl_ms) <= now_ms
}

#[cold]
fn foreign_state() -> Error {
    Error::new(ErrorKind::State, "the state was written by a normalizer of other settings, or by none")
}

#[cfg(test)]
mod tests;
