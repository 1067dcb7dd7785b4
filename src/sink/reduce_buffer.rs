use std::io::Write;

use crate::error::Error;
use crate::row::{Row, RowKind};
use crate::state::{Changes, LatestRows, SnapshotHeader, StateTable, append_key, damaged, write_all};
use crate::table::{BufferFlush, TableSink};
use crate::wire::Cursor;

/// Keeps the last change of each key until a flush, so that a key that changes often is written once.
///
/// It flushes `+U` and `-D` only: `+I` and `+U` both say what the key holds, `-U` and `-D` both say that it holds
/// nothing. An insert and its delete in one flush become a lone delete, even of a key that was never written.
///
/// The buffer flushes when a change fills it or comes after the interval is over. It has no clock and no thread: where
/// no change comes, the caller waits until [`deadline_ms`](Self::deadline_ms) and calls [`flush`](Self::flush), and
/// once more at a checkpoint or at the end. The order is that of the first change of each key since it was last
/// flushed; Flink's, that of a hash map, differs from run to run.
///
/// A row stays in the buffer until the one after it is asked for. If it cannot be written, leave the loop: it and those
/// after it are flushed again with the next change. None is lost or written twice; Flink keeps them all.
///
/// A copy of the row and of its key a change; no allocation once the buffers have seen a row of each size. Agrees with
/// `org.apache.flink.streaming.connectors.kafka.table.ReducingUpsertWriter`.
///
/// ```
/// use upsert_kafka::{Datum, RowKind};
/// use upsert_kafka::sink::ReduceBuffer;
/// use upsert_kafka::table::BufferFlush;
///
/// // 'sink.buffer-flush.max-rows' = '2', 'sink.buffer-flush.interval' = '1s'
/// let mut buffer = ReduceBuffer::new(2, &[0], BufferFlush { max_rows: 2, interval_ms: 1000 }, 0);
/// let changes = [
///     (RowKind::Insert, [Datum::Int(1), Datum::String("a")], 0),
///     (RowKind::UpdateAfter, [Datum::Int(1), Datum::String("b")], 999),
///     (RowKind::Delete, [Datum::Int(1), Datum::String("b")], 1000),
/// ];
/// let mut written = Vec::new();
/// for (kind, row, now_ms) in changes {
///     for (kind, row) in buffer.apply(kind, &row, now_ms)? {
///         written.push(format!("{kind} {row:?}"));
///     }
/// }
/// assert_eq!(written, [r#"-D [Int(1), String("b")]"#]);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReduceBuffer {
    /// For snapshots.
    table: Option<StateTable>,
    columns: usize,
    key_columns: Box<[usize]>,
    flush: BufferFlush,
    max_bytes: usize,
    rows: LatestRows,
    flushed_ms: i64,
    key: Vec<u8>,
}

impl TableSink {
    /// The buffer of `sink.buffer-flush.*`, where it is on; the first interval begins at `now_ms`.
    #[must_use]
    pub fn reduce_buffer(&self, now_ms: i64) -> Option<ReduceBuffer> {
        let layout = self.layout();
        let flush = self.buffer_flush()?;
        let table = Some(StateTable::new(self.table_name(), layout.columns()));
        Some(ReduceBuffer {
            table,
            ..ReduceBuffer::new(layout.columns().len(), layout.key_columns(), flush, now_ms)
        })
    }
}

impl ReduceBuffer {
    /// An empty buffer of rows of `columns` columns, of which `key_columns` are the key, without a table: else take
    /// [`TableSink::reduce_buffer`]. The first interval begins at `now_ms`.
    #[must_use]
    pub fn new(columns: usize, key_columns: &[usize], flush: BufferFlush, now_ms: i64) -> Self {
        Self {
            table: None,
            columns,
            key_columns: key_columns.into(),
            flush,
            max_bytes: usize::MAX,
            rows: LatestRows::default(),
            flushed_ms: now_ms,
            key: Vec::new(),
        }
    }

    /// The same, full at `max_bytes` bytes too, which [`size_in_bytes`](Self::size_in_bytes) counts. Flink has no such
    /// limit.
    #[must_use]
    pub fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Keeps `row` in place of the last change of its key, and flushes if as many keys wait as may, or as many bytes, or
    /// if the interval is over: then all rows that wait, else none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the key columns nest more than 128 deep. The buffer is then as it was.
    pub fn apply<R: Row + ?Sized>(
        &mut self,
        kind: RowKind,
        row: &R,
        now_ms: i64,
    ) -> Result<Changes<'_>, Error> {
        self.key.clear();
        append_key(self.key_columns.iter().map(|&column| row.datum(column)), &mut self.key)?;
        let kind = if kind.is_retraction() { RowKind::Delete } else { RowKind::UpdateAfter };
        self.rows.put(&self.key, kind, row, self.columns);
        if self.is_full() || now_ms >= self.deadline_ms() {
            return Ok(self.flush(now_ms));
        }
        Ok(Changes::of_buf(None))
    }

    /// Hands out all rows that wait; the next interval begins at `now_ms`.
    pub fn flush(&mut self, now_ms: i64) -> Changes<'_> {
        self.flushed_ms = now_ms;
        Changes::of_offer(self.rows.offer())
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

    /// When the next flush is due, in milliseconds of the caller's clock: the interval after the last one, or at once if
    /// the last one was broken off.
    #[must_use]
    pub fn deadline_ms(&self) -> i64 {
        let interval_ms = if self.rows.has_declined() { 0 } else { self.flush.interval_ms };
        self.flushed_ms.saturating_add_unsigned(interval_ms)
    }

    fn is_full(&self) -> bool {
        let max_rows = usize::try_from(self.flush.max_rows).unwrap_or(usize::MAX);
        self.len() >= max_rows || self.size_in_bytes() >= self.max_bytes
    }

    /// Writes the rows that wait, for [`restore`](Self::restore), in many small writes. Flink keeps none: it flushes
    /// first.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the writer fails, with its error as the source; [`ErrorKind::Limit`](crate::ErrorKind::Limit) if a row nests
    /// more than 128 deep.
    pub fn snapshot(&self, mut out: impl Write) -> Result<(), Error> {
        let mut bytes = Vec::new();
        self.header().append(&mut bytes);
        write_all(&mut out, &bytes)?;
        self.rows.snapshot(self.columns, out)
    }

    fn header(&self) -> SnapshotHeader<'_> {
        SnapshotHeader {
            stage: "a reduce buffer",
            table: self.table.as_ref(),
            columns: self.columns,
            key_columns: &self.key_columns,
            settings: Vec::new(),
        }
    }

    /// Takes the rows of a [`snapshot`](Self::snapshot) in place of those that wait.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the bytes are not a snapshot of a reduce buffer, or not all of it; or of another table, by name,
    /// with another key or other columns. A table may have more columns than it had, if they are nullable: they are NULL in
    /// the rows of the snapshot. The buffer is after an error as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let header = self.header();
        let mut cursor = Cursor::new(snapshot);
        let mut stored = header.take(&mut cursor)?;
        let rows = LatestRows::take(&mut cursor, &mut stored).filter(|_| cursor.rest().is_empty());
        self.rows = rows.ok_or_else(|| damaged(header.stage, &cursor))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::row::{Datum, RowBuf};

    const FLUSH: BufferFlush = BufferFlush { max_rows: 4, interval_ms: 1000 };

    type Written = Vec<(RowKind, String)>;

    fn row(key: u8, value: i32) -> [Datum<'static>; 2] {
        [Datum::Int(key.into()), Datum::Int(value)]
    }

    /// Writes until `calls` rows are written, and breaks off then.
    fn write(changes: Changes<'_>, calls: usize) -> Written {
        let mut written = Vec::new();
        for (kind, row) in changes {
            if written.len() == calls {
                break;
            }
            written.push((kind, format!("{row:?}")));
        }
        written
    }

    /// What a change flushes.
    fn put(buffer: &mut ReduceBuffer, key: u8, kind: RowKind, value: i32, now_ms: i64) -> usize {
        buffer.apply(kind, &row(key, value), now_ms).unwrap().count()
    }

    // The assertions of ReducingUpsertWriterTest; connector.md 8.5, numbers 19 to 27.

    #[test]
    fn a_snapshot_with_bytes_after_its_end_or_without_its_last_is_refused() {
        let mut buffer = ReduceBuffer::new(2, &[0], FLUSH, 0);
        put(&mut buffer, 1, RowKind::Insert, 10, 0);
        let mut snapshot = Vec::new();
        buffer.snapshot(&mut snapshot).unwrap();
        for bytes in [[&snapshot[..], &[0]].concat(), snapshot[..snapshot.len() - 1].to_vec()] {
            let mut restored = ReduceBuffer::new(2, &[0], FLUSH, 0);
            put(&mut restored, 2, RowKind::Insert, 20, 0);
            assert_eq!(restored.restore(&bytes).unwrap_err().kind(), ErrorKind::State);
            assert_eq!(write(restored.flush(0), 9).len(), 1, "the buffer is as it was");
        }
        let mut restored = ReduceBuffer::new(2, &[0], FLUSH, 0);
        restored.restore(&snapshot).unwrap();
        assert_eq!(write(restored.flush(0), 9), write(buffer.flush(0), 9));
    }

    #[test]
    fn only_distinct_keys_fill_the_buffer() {
        let mut buffer = ReduceBuffer::new(2, &[0], FLUSH, 0);
        for (key, value) in [(1, 10), (2, 20), (3, 30), (1, 11)] {
            assert_eq!(put(&mut buffer, key, RowKind::Insert, value, 0), 0, "four changes of three keys");
        }
        for value in [12, 13, 14] {
            assert_eq!(put(&mut buffer, 1, RowKind::UpdateAfter, value, 0), 0, "three more of one key");
        }
        assert_eq!(put(&mut buffer, 4, RowKind::Insert, 40, 0), 4, "a fourth key");
        assert_eq!((buffer.len(), buffer.size_in_bytes()), (0, 0));
    }

    #[test]
    fn the_last_change_of_each_key_leaves() {
        let mut buffer = ReduceBuffer::new(2, &[0], BufferFlush { max_rows: 5, ..FLUSH }, 0);
        for (key, kind, value) in [
            (1, RowKind::Insert, 10),
            (2, RowKind::Insert, 20),
            (3, RowKind::Insert, 30),
            (1, RowKind::UpdateBefore, 10),
            (1, RowKind::UpdateAfter, 11),
            (2, RowKind::Delete, 20),
            (4, RowKind::UpdateBefore, 40),
        ] {
            put(&mut buffer, key, kind, value, 0);
        }
        assert_eq!(
            write(buffer.flush(0), usize::MAX),
            [
                (RowKind::UpdateAfter, "[Int(1), Int(11)]".to_owned()),
                (RowKind::Delete, "[Int(2), Int(20)]".to_owned()),
                (RowKind::UpdateAfter, "[Int(3), Int(30)]".to_owned()),
                (RowKind::Delete, "[Int(4), Int(40)]".to_owned()),
            ]
        );
        assert_eq!((buffer.len(), buffer.size_in_bytes()), (0, 0));
    }

    #[test]
    fn what_waits_is_a_copy() {
        let mut buffer = ReduceBuffer::new(1, &[0], FLUSH, 0);
        let mut row = RowBuf::copy_of(&[Datum::String("before")], 1);
        assert_eq!(buffer.apply(RowKind::Insert, &row, 0).unwrap().len(), 0);
        row.set(0, Datum::String("after"));
        assert_eq!(write(buffer.flush(0), 1)[0].1, r#"[String("before")]"#);
    }

    #[test]
    fn a_flush_is_due_an_interval_after_the_last_one_and_at_once_after_one_that_was_broken_off() {
        // connector.md 4.9: the first interval begins with the buffer, each further one with a flush.
        let mut buffer = ReduceBuffer::new(2, &[0], FLUSH, 500);
        assert_eq!(buffer.deadline_ms(), 1500);
        assert_eq!(put(&mut buffer, 1, RowKind::Insert, 10, 1499), 0);
        assert_eq!(write(buffer.apply(RowKind::Insert, &row(2, 10), 1500).unwrap(), 1).len(), 1);
        assert_eq!((buffer.deadline_ms(), buffer.len()), (1500, 1), "one was not written");
        assert_eq!(put(&mut buffer, 3, RowKind::Insert, 10, 1600), 2);
        assert_eq!((buffer.deadline_ms(), buffer.len()), (2600, 0));
    }

    #[test]
    fn bytes_fill_the_buffer_too() {
        let mut buffer = ReduceBuffer::new(2, &[0], FLUSH, 0).with_max_bytes(1100);
        let mut put = |key, len: usize| {
            let row = [Datum::Int(key), Datum::Bytes(&[0; 1000][..len])];
            buffer.apply(RowKind::Insert, &row, 0).unwrap().count()
        };
        assert_eq!(put(1, 900), 0);
        assert_eq!(put(1, 901), 0, "the same key");
        assert_eq!(put(2, 100), 2);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Put(u8, RowKind, i32),
        /// With so many rows written before the sink fails.
        Flush(usize),
        Restart,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0_u8..5, prop::sample::select(RowKind::ALL.to_vec()), any::<i32>())
                .prop_map(|(key, kind, value)| Step::Put(key, kind, value)),
            1 => (0_usize..6).prop_map(Step::Flush),
            1 => Just(Step::Restart),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        /// The model is a list of keys and last changes, of which a flush takes from the front.
        #[test]
        fn no_last_change_is_lost_or_written_twice(steps in steps()) {
            const NEVER: BufferFlush = BufferFlush { max_rows: u32::MAX, interval_ms: 1 };
            let mut buffer = ReduceBuffer::new(2, &[0], NEVER, i64::MAX);
            let mut model: Vec<(u8, RowKind, i32)> = Vec::new();
            for step in steps {
                match step {
                    Step::Put(key, kind, value) => {
                        put(&mut buffer, key, kind, value, 0);
                        let kind = match kind {
                            RowKind::Insert | RowKind::UpdateAfter => RowKind::UpdateAfter,
                            RowKind::UpdateBefore | RowKind::Delete => RowKind::Delete,
                        };
                        match model.iter_mut().find(|entry| entry.0 == key) {
                            Some(entry) => *entry = (key, kind, value),
                            None => model.push((key, kind, value)),
                        }
                    }
                    Step::Flush(calls) => {
                        let written = write(buffer.flush(i64::MAX), calls);
                        let expected: Vec<_> = model
                            .drain(..calls.min(model.len()))
                            .map(|(key, kind, value)| (kind, format!("[Int({key}), Int({value})]")))
                            .collect();
                        prop_assert_eq!(written, expected);
                    }
                    Step::Restart => {
                        let mut snapshot = Vec::new();
                        buffer.snapshot(&mut snapshot).unwrap();
                        buffer = ReduceBuffer::new(2, &[0], NEVER, i64::MAX);
                        buffer.restore(&snapshot).unwrap();
                    }
                }
                prop_assert_eq!(buffer.len(), model.len());
                prop_assert_eq!(buffer.size_in_bytes() == 0, model.is_empty());
            }
        }

        #[test]
        fn foreign_snapshots_are_rows_or_an_error(bytes: Vec<u8>, at: prop::sample::Index, byte: u8) {
            let mut buffer = ReduceBuffer::new(2, &[0], FLUSH, 0);
            let _ = buffer.restore(&bytes);
            put(&mut buffer, 1, RowKind::Insert, 10, 0);
            put(&mut buffer, 2, RowKind::Delete, 10, 0);
            let mut snapshot = Vec::new();
            buffer.snapshot(&mut snapshot).unwrap();
            let at = at.index(snapshot.len());
            prop_assert!(buffer.restore(&snapshot[..at]).is_err());
            prop_assert_eq!(buffer.len(), 2);
            snapshot[at] = byte;
            let _ = buffer.restore(&snapshot);
        }
    }
}
