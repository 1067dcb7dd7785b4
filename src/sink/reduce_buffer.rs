use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::row::{Row, RowBuf, RowKind};
use crate::state::{
    LatestRows, append_row, put_bool, put_bytes, put_len, put_time, take_bool, take_bytes, take_len,
    take_row, take_time,
};
use crate::table::BufferFlush;
use crate::wire::{Cursor, Shown};

/// Keeps the last write of each key until a flush, so that a key that changes often is written once.
///
/// What is flushed are `+U` and `-D`: `+I` and `+U` both say what the key holds, `-U` and `-D` both that it holds
/// nothing. An insert and its delete in one flush are a lone delete, of a key too that was never written.
///
/// The buffer has no clock and no thread: the caller passes the time, asks [`should_flush`](Self::should_flush) (or
/// waits until [`deadline_ms`](Self::deadline_ms)) and then calls [`drain`](Self::drain), and once more at a checkpoint
/// or at the end. The order is that of the first write of each key since it was last flushed; Flink's, that of a
/// hash map, differs from run to run.
///
/// A copy of the row and of the key a write; no allocation once the buffers have seen a row of each size. Agrees with
/// `org.apache.flink.streaming.connectors.kafka.table.ReducingUpsertWriter`.
///
/// ```
/// use upsert_kafka::{BufferFlush, Datum, ReduceBuffer, RowKind};
///
/// // 'sink.buffer-flush.max-rows' = '2', 'sink.buffer-flush.interval' = '1s'
/// let mut buffer = ReduceBuffer::new(2, BufferFlush { max_rows: 2, interval_ms: 1000 }, 0);
/// buffer.put(br#"{"id":1}"#, RowKind::Insert, &[Datum::Int(1), Datum::String("a")], None);
/// buffer.put(br#"{"id":1}"#, RowKind::Insert, &[Datum::Int(1), Datum::String("b")], None);
/// assert!(!buffer.should_flush(999));
/// assert!(buffer.should_flush(1000));
///
/// let mut written = Vec::new();
/// buffer.drain(1000, |reduced| {
///     written.push(format!("{} {:?}", reduced.kind, reduced.row));
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert_eq!(written, [r#"+U [Int(1), String("b")]"#]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReduceBuffer {
    columns: usize,
    flush: BufferFlush,
    max_bytes: usize,
    rows: LatestRows,
    last_drain_ms: i64,
}

/// A row that leaves a [`ReduceBuffer`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ReducedRow<'a> {
    /// The key bytes it was put under.
    pub key: &'a [u8],
    /// `+U` or `-D`.
    pub kind: RowKind,
    /// The row last put under the key.
    pub row: &'a RowBuf,
    /// The timestamp put with it.
    pub timestamp: Option<i64>,
}

impl fmt::Debug for ReducedRow<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReducedRow")
            .field("key", &Shown(self.key))
            .field("kind", &self.kind)
            .field("row", &self.row)
            .field("timestamp", &self.timestamp)
            .finish()
    }
}

/// The first bytes of a snapshot: whose it is, and in which version.
const MAGIC: &[u8; 4] = b"UKR1";

impl ReduceBuffer {
    /// An empty buffer of rows of `columns` columns; the first interval begins at `now_ms`.
    ///
    /// `flush` is what the table says: [`TableSink::buffer_flush`](crate::TableSink::buffer_flush).
    #[must_use]
    pub fn new(columns: usize, flush: BufferFlush, now_ms: i64) -> Self {
        Self { columns, flush, max_bytes: usize::MAX, rows: LatestRows::default(), last_drain_ms: now_ms }
    }

    /// The same, full at `max_bytes` bytes too, which [`size_in_bytes`](Self::size_in_bytes) counts. Flink has no such
    /// limit.
    #[must_use]
    pub fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Puts `row` in place of what was last put under `key`: the bytes of the record's key, say, or any other bytes
    /// that are equal where the keys are.
    pub fn put<R: Row + ?Sized>(&mut self, key: &[u8], kind: RowKind, row: &R, timestamp: Option<i64>) {
        let kind = if kind.is_retraction() { RowKind::Delete } else { RowKind::UpdateAfter };
        self.rows.put(key, kind, row, self.columns, timestamp);
    }

    /// How many keys wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether none does.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What the keys and the rows that wait take: key bytes, texts and byte strings, and a few words for each value.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.rows.size_in_bytes()
    }

    /// Whether as many keys wait as may, or as many bytes. Ask after every [`put`](Self::put).
    #[must_use]
    pub fn is_full(&self) -> bool {
        let max_rows = usize::try_from(self.flush.max_rows).unwrap_or(usize::MAX);
        self.len() >= max_rows || self.size_in_bytes() >= self.max_bytes
    }

    /// When the next flush is due, in milliseconds of the caller's clock: the interval after the last one.
    #[must_use]
    pub fn deadline_ms(&self) -> i64 {
        self.last_drain_ms.saturating_add_unsigned(self.flush.interval_ms)
    }

    /// Whether the buffer is full or a flush is due, if only to begin the next interval.
    #[must_use]
    pub fn should_flush(&self, now_ms: i64) -> bool {
        self.is_full() || now_ms >= self.deadline_ms()
    }

    /// Hands each row to `write` and lets go of it once that has said `Ok`; the next interval begins at `now_ms`.
    ///
    /// # Errors
    ///
    /// The first error of `write`. That row and those behind it stay, to be written by the next drain; none is written
    /// twice. Flink keeps them all.
    pub fn drain<E>(
        &mut self,
        now_ms: i64,
        mut write: impl FnMut(ReducedRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(latest) = self.rows.front() {
            let (key, row) = (&latest.key[..], &latest.row);
            write(ReducedRow { key, kind: latest.kind, row, timestamp: latest.timestamp })?;
            self.rows.pop_front();
        }
        self.last_drain_ms = now_ms;
        Ok(())
    }

    /// The rows that wait as one byte string, for [`restore`](Self::restore). Flink keeps none: it drains first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if a row nests more than 128 deep.
    pub fn snapshot(&self) -> Result<Vec<u8>, Error> {
        let mut out = MAGIC.to_vec();
        put_len(&mut out, self.len());
        for latest in self.rows.iter() {
            put_bytes(&mut out, &latest.key);
            put_bool(&mut out, latest.kind.is_retraction());
            put_time(&mut out, latest.timestamp);
            append_row(&latest.row, self.columns, &mut out)?;
        }
        Ok(out)
    }

    /// Takes the rows of a [`snapshot`](Self::snapshot) in place of those that wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`] if the bytes are no snapshot of a buffer of so many columns, or not all of it. The buffer is
    /// then as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let mut cursor = Cursor::new(snapshot);
        let Some(rows) = read_rows(&mut cursor, self.columns) else {
            return Err(Error::new(ErrorKind::State, "the bytes are no snapshot of this reduce buffer")
                .with_offset(cursor.position()));
        };
        self.rows = rows;
        Ok(())
    }
}

fn read_rows(cursor: &mut Cursor<'_>, columns: usize) -> Option<LatestRows> {
    cursor.array().filter(|magic| magic == MAGIC)?;
    let mut rows = LatestRows::default();
    let mut row = RowBuf::new();
    for _ in 0..take_len(cursor)? {
        let key = take_bytes(cursor)?;
        let kind = if take_bool(cursor)? { RowKind::Delete } else { RowKind::UpdateAfter };
        let timestamp = take_time(cursor)?;
        take_row(cursor, columns, &mut row)?;
        rows.put(key, kind, &row, columns, timestamp);
    }
    cursor.rest().is_empty().then_some(rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::row::Datum;

    const FLUSH: BufferFlush = BufferFlush { max_rows: 4, interval_ms: 1000 };

    fn put(buffer: &mut ReduceBuffer, key: u8, kind: RowKind, value: i32, timestamp: Option<i64>) {
        buffer.put(&[key], kind, &[Datum::Int(key.into()), Datum::Int(value)], timestamp);
    }

    /// Drains until `write` has been called `calls` times, and fails then.
    fn drain(buffer: &mut ReduceBuffer, now_ms: i64, calls: usize) -> Vec<(RowKind, String, Option<i64>)> {
        let mut written = Vec::new();
        let result = buffer.drain(now_ms, |reduced| {
            if written.len() == calls {
                return Err(());
            }
            written.push((reduced.kind, format!("{:?} {:?}", reduced.key, reduced.row), reduced.timestamp));
            Ok(())
        });
        assert_eq!(result.is_ok(), buffer.is_empty());
        written
    }

    // The assertions of ReducingUpsertWriterTest; connector.md 8.5, numbers 19 to 27.

    #[test]
    fn only_distinct_keys_fill_the_buffer() {
        let mut buffer = ReduceBuffer::new(2, FLUSH, 0);
        for (key, value) in [(1, 10), (2, 20), (3, 30), (1, 11)] {
            put(&mut buffer, key, RowKind::Insert, value, Some(0));
            assert!(!buffer.should_flush(0), "four writes of three keys");
        }
        for value in [12, 13, 14] {
            put(&mut buffer, 1, RowKind::UpdateAfter, value, Some(0));
            assert!(!buffer.is_full(), "three more of one key");
        }
        put(&mut buffer, 4, RowKind::Insert, 40, Some(0));
        assert!(buffer.should_flush(0), "a fourth key");
    }

    #[test]
    fn the_last_write_of_a_key_leaves_with_its_own_timestamp() {
        let mut buffer = ReduceBuffer::new(2, FLUSH, 0);
        put(&mut buffer, 1, RowKind::Insert, 10, Some(5));
        put(&mut buffer, 2, RowKind::Insert, 20, Some(6));
        put(&mut buffer, 3, RowKind::Insert, 30, None);
        put(&mut buffer, 1, RowKind::UpdateBefore, 10, Some(7));
        put(&mut buffer, 1, RowKind::UpdateAfter, 11, Some(8));
        put(&mut buffer, 2, RowKind::Delete, 20, Some(9));
        put(&mut buffer, 4, RowKind::UpdateBefore, 40, Some(10));
        assert_eq!(
            drain(&mut buffer, 0, usize::MAX),
            [
                (RowKind::UpdateAfter, "[1] [Int(1), Int(11)]".to_owned(), Some(8)),
                (RowKind::Delete, "[2] [Int(2), Int(20)]".to_owned(), Some(9)),
                (RowKind::UpdateAfter, "[3] [Int(3), Int(30)]".to_owned(), None),
                (RowKind::Delete, "[4] [Int(4), Int(40)]".to_owned(), Some(10)),
            ]
        );
        assert_eq!((buffer.len(), buffer.size_in_bytes()), (0, 0));
    }

    #[test]
    fn what_waits_is_a_copy() {
        let mut buffer = ReduceBuffer::new(1, FLUSH, 0);
        let (mut row, mut key) = (RowBuf::copy_of(&[Datum::String("before")], 1), vec![1]);
        buffer.put(&key, RowKind::Insert, &row, None);
        row.set(0, Datum::String("after"));
        key[0] = 2;
        let written = drain(&mut buffer, 0, usize::MAX);
        assert_eq!(written[0].1, r#"[1] [String("before")]"#);
    }

    #[test]
    fn a_flush_is_due_an_interval_after_the_last_one_that_succeeded() {
        // connector.md 4.9: the first interval begins with the buffer, each further one with a drain.
        let mut buffer = ReduceBuffer::new(2, FLUSH, 500);
        put(&mut buffer, 1, RowKind::Insert, 10, None);
        assert_eq!(buffer.deadline_ms(), 1500);
        assert!(!buffer.should_flush(1499));
        assert!(buffer.should_flush(1500));
        drain(&mut buffer, 1600, 0);
        assert_eq!(buffer.deadline_ms(), 1500, "nothing was written");
        drain(&mut buffer, 1700, usize::MAX);
        assert_eq!(buffer.deadline_ms(), 2700);
        assert!(buffer.should_flush(2700), "empty or not");
    }

    #[test]
    fn bytes_fill_the_buffer_too() {
        let mut buffer = ReduceBuffer::new(1, FLUSH, 0).with_max_bytes(1000);
        buffer.put(b"k", RowKind::Insert, &[Datum::Bytes(&[0; 900])], None);
        assert!(!buffer.is_full());
        buffer.put(b"k", RowKind::Insert, &[Datum::Bytes(&[0; 901])], None);
        assert!(!buffer.is_full(), "the same key");
        buffer.put(b"l", RowKind::Insert, &[Datum::Bytes(&[0; 100])], None);
        assert!(buffer.is_full());
    }

    #[derive(Clone, Debug)]
    enum Step {
        Put(u8, RowKind, i32),
        /// With so many rows written before the sink fails.
        Drain(usize),
        Restart,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0_u8..5, prop::sample::select(RowKind::ALL.to_vec()), any::<i32>())
                .prop_map(|(key, kind, value)| Step::Put(key, kind, value)),
            1 => (0_usize..6).prop_map(Step::Drain),
            1 => Just(Step::Restart),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        /// The model is a list of keys and last writes, of which a drain takes from the front.
        #[test]
        fn no_last_write_is_lost_or_written_twice(steps in steps()) {
            let mut buffer = ReduceBuffer::new(2, FLUSH, 0);
            let mut model: Vec<(u8, RowKind, i32)> = Vec::new();
            for step in steps {
                match step {
                    Step::Put(key, kind, value) => {
                        put(&mut buffer, key, kind, value, Some(value.into()));
                        let kind = match kind {
                            RowKind::Insert | RowKind::UpdateAfter => RowKind::UpdateAfter,
                            RowKind::UpdateBefore | RowKind::Delete => RowKind::Delete,
                        };
                        match model.iter_mut().find(|entry| entry.0 == key) {
                            Some(entry) => *entry = (key, kind, value),
                            None => model.push((key, kind, value)),
                        }
                    }
                    Step::Drain(calls) => {
                        let written = drain(&mut buffer, 0, calls);
                        let expected: Vec<_> = model
                            .drain(..calls.min(model.len()))
                            .map(|(key, kind, value)| {
                                (kind, format!("[{key}] [Int({key}), Int({value})]"), Some(value.into()))
                            })
                            .collect();
                        prop_assert_eq!(written, expected);
                    }
                    Step::Restart => {
                        let snapshot = buffer.snapshot().unwrap();
                        buffer = ReduceBuffer::new(2, FLUSH, 0);
                        buffer.restore(&snapshot).unwrap();
                    }
                }
                prop_assert_eq!(buffer.len(), model.len());
            }
        }

        #[test]
        fn foreign_snapshots_are_rows_or_an_error(bytes: Vec<u8>, at: prop::sample::Index, byte: u8) {
            let mut buffer = ReduceBuffer::new(2, FLUSH, 0);
            let _ = buffer.restore(&bytes);
            put(&mut buffer, 1, RowKind::Insert, 10, Some(5));
            put(&mut buffer, 2, RowKind::Delete, 10, None);
            let mut snapshot = buffer.snapshot().unwrap();
            let at = at.index(snapshot.len());
            prop_assert!(buffer.restore(&snapshot[..at]).is_err());
            prop_assert_eq!(buffer.len(), 2);
            snapshot[at] = byte;
            let _ = buffer.restore(&snapshot);
        }
    }
}
