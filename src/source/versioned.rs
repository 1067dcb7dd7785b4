mod history;

use std::fmt;
use std::io::Write;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::error::Error;
use crate::row::{Row, RowBuf, RowKind};
use crate::state::{
    SnapshotHeader, StateTable, StoredRows, append_key, append_row, damaged, put_bool, put_bytes, put_len,
    put_time, take_bool, take_bytes, take_len, take_time, write_all,
};
use crate::table::{Connector, TableSource};
use crate::wire::Cursor;

use history::{SpareRows, Versions};

/// The versions of each key's row by event time: the build side of a join `FOR SYSTEM_TIME AS OF`.
///
/// Fed with upserts in the order of the topic, each with its event time. A row is valid from its time until that of the
/// key's next one; of two at one time the later arrival wins. A `-U` is passed over, as the row that follows it says
/// more; Flink's plan drops it. When a delete takes effect is a matter of [`DeleteTime`].
///
/// 100 bytes a version and its values, two allocations a key; an update and a lookup are a binary search, in whatever order
/// the times come. Once the watermark drops as many versions as come, and no key has more than 64 of them, nothing is
/// allocated. Keys are never forgotten, as a late row must still be hidden by the delete that follows it.
/// Agrees with `org.apache.flink.table.runtime.operators.join.temporal.TemporalRowTimeJoinOperator`.
///
/// ```
/// use upsert_kafka::{Datum, RowKind};
/// use upsert_kafka::source::{DeleteTime, VersionedTable};
///
/// let mut rates = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
/// let euro = Datum::String("EUR");
/// rates.apply(RowKind::Insert, &[euro, Datum::Int(114)], 1000)?;
/// rates.apply(RowKind::Insert, &[euro, Datum::Int(116)], 2000)?;
/// rates.apply(RowKind::Delete, &[euro, Datum::Null], 3000)?;
///
/// assert!(rates.as_of(&[euro], 999).is_none());
/// assert!(rates.as_of(&[euro], 2999).is_some());
/// assert!(rates.as_of(&[euro], 3000).is_none());
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone)]
pub struct VersionedTable {
    /// For snapshots.
    table: Option<StateTable>,
    columns: usize,
    key_columns: Box<[usize]>,
    delete_time: DeleteTime,
    watermark: i64,
    histories: Histories,
    key: Vec<u8>,
    spare: SpareRows,
}

/// From which time on a deleted row is gone: what the time of a delete is.
///
/// In Flink it depends on the table, and [`TableSource::versioned_table`] chooses as its plan does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeleteTime {
    /// The time of the row that it deletes: that version disappears as if it had never been.
    ///
    /// So does Flink where a `ChangelogNormalize` stands before the join: over an `upsert-kafka` table with metadata
    /// columns. The `-D` that it makes of a tombstone is the previous row, with the time of that row.
    #[default]
    PreviousRow,
    /// 1970-01-01 00:00:00 UTC: a delete hides nothing that came later, and the row that it deletes stays.
    ///
    /// So does Flink where the join reads an `upsert-kafka` table without metadata columns: no `ChangelogNormalize` is
    /// planned there, the time column of a tombstone's delete is NULL, and the join takes that for 0.
    Epoch,
    /// The time that the delete itself brings.
    ///
    /// So does Flink over `kafka` tables with a changelog format, whose deletes are whole rows. For an `upsert-kafka`
    /// table, where that is the tombstone's timestamp, it is not in Flink.
    Own,
}

/// The versions of a key, and the time of the row that arrived last unless it was deleted.
#[derive(Clone, Default)]
struct History {
    versions: Versions,
    last: Option<i64>,
}

impl TableSource {
    /// The versions of the table's rows, none yet, whose deletes take effect when they do in a temporal join of Flink's;
    /// `None` for a table without a primary key.
    #[must_use]
    pub fn versioned_table(&self) -> Option<VersionedTable> {
        let layout = self.layout();
        let key = layout.primary_key();
        let delete_time = match layout.connector() {
            Connector::UpsertKafka if self.is_normalized() => DeleteTime::PreviousRow,
            Connector::UpsertKafka => DeleteTime::Epoch,
            Connector::Kafka => DeleteTime::Own,
        };
        let table = Some(StateTable::new(self.table_name(), layout.columns()));
        let versions = VersionedTable { table, ..VersionedTable::new(layout.columns().len(), key) };
        (!key.is_empty()).then(|| versions.with_delete_time(delete_time))
    }
}

impl VersionedTable {
    /// An empty table of rows of `columns` columns, of which `key_columns` are the primary key, without a [`Table`]: else
    /// take [`TableSource::versioned_table`].
    ///
    /// [`Table`]: crate::Table
    #[must_use]
    pub fn new(columns: usize, key_columns: &[usize]) -> Self {
        Self {
            table: None,
            columns,
            key_columns: key_columns.into(),
            delete_time: DeleteTime::default(),
            watermark: i64::MIN,
            histories: HashMap::default(),
            key: Vec::new(),
            spare: SpareRows::default(),
        }
    }

    /// The same with another time from which on a deleted row is gone.
    #[must_use]
    pub fn with_delete_time(mut self, delete_time: DeleteTime) -> Self {
        self.delete_time = delete_time;
        self
    }

    /// Notes that at `time`, in milliseconds, the row of its key became `row`, or that it was deleted.
    ///
    /// Of a row with the kind `-D` only the key columns are read, and the time only for [`DeleteTime::Own`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the key columns nest more than 128 deep.
    pub fn apply<R: Row + ?Sized>(&mut self, kind: RowKind, row: &R, time: i64) -> Result<(), Error> {
        self.key.clear();
        append_key(self.key_columns.iter().map(|&column| row.datum(column)), &mut self.key)?;
        let history = match kind {
            RowKind::UpdateBefore => return Ok(()),
            RowKind::Delete => {
                let history = match self.delete_time {
                    DeleteTime::Epoch => self.histories.entry_ref(&self.key[..]).or_default(),
                    DeleteTime::PreviousRow | DeleteTime::Own => {
                        let Some(history) = self.histories.get_mut(&self.key[..]) else { return Ok(()) };
                        history
                    }
                };
                let time = match (self.delete_time, history.last.take()) {
                    (DeleteTime::Epoch, _) => 0,
                    (DeleteTime::PreviousRow, Some(previous)) => previous,
                    (DeleteTime::Own, Some(_)) => time,
                    (DeleteTime::PreviousRow | DeleteTime::Own, None) => return Ok(()),
                };
                history.versions.at(time).take().into_iter().for_each(|row| self.spare.put(row));
                history
            }
            RowKind::Insert | RowKind::UpdateAfter => {
                let history = self.histories.entry_ref(&self.key[..]).or_default();
                let kept = history.versions.at(time).get_or_insert_with(|| self.spare.take());
                kept.copy_from(row, self.columns);
                history.last = Some(time);
                history
            }
        };
        history.versions.clean_up(self.watermark, &mut self.spare);
        Ok(())
    }

    /// The row of `key` as it was at `time`: the version with the greatest time that is not above it, unless that one
    /// says deleted.
    ///
    /// `key` holds the values of the key columns in the order given to [`new`](Self::new). Below the watermark a
    /// version may be gone already.
    pub fn as_of<K: Row + ?Sized>(&mut self, key: &K, time: i64) -> Option<&RowBuf> {
        self.key.clear();
        append_key((0..self.key_columns.len()).map(|index| key.datum(index)), &mut self.key).ok()?;
        self.histories.get(&self.key[..])?.versions.as_of(time)
    }

    /// Promises that no lookup below `time` follows. A lower one than before is ignored.
    ///
    /// Of each key all versions but the newest one up to it may go; they do when the key is next written, or all at
    /// once in [`clean_up`](Self::clean_up). A row that comes late is taken nevertheless, as Flink takes it.
    pub fn advance_watermark(&mut self, time: i64) {
        self.watermark = self.watermark.max(time);
    }

    /// Drops the versions that the watermark has passed, of all keys: looks at each of them.
    pub fn clean_up(&mut self) {
        for history in self.histories.values_mut() {
            history.versions.clean_up(self.watermark, &mut self.spare);
        }
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.histories.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.histories.is_empty()
    }

    /// What the keys and their rows take, a few words for each version included: counts them key by key.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.histories.iter().map(|(key, history)| key.len() + history.versions.size_in_bytes()).sum()
    }

    /// How many versions there are, deletes included: counts them key by key.
    #[must_use]
    pub fn versions(&self) -> usize {
        self.histories.values().map(|history| history.versions.len()).sum()
    }

    /// Writes the content, for [`restore`](Self::restore), in many small writes: the same bytes for the same content.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the writer fails, with its error as the source; [`ErrorKind::Limit`](crate::ErrorKind::Limit) if a row nests
    /// more than 128 deep.
    pub fn snapshot(&self, mut out: impl Write) -> Result<(), Error> {
        let mut histories: Vec<_> = self.histories.iter().collect();
        histories.sort_unstable_by_key(|(key, _)| *key);
        let mut bytes = Vec::new();
        self.header().append(&mut bytes);
        bytes.extend_from_slice(&self.watermark.to_le_bytes());
        put_len(&mut bytes, histories.len());
        for (key, history) in histories {
            put_bytes(&mut bytes, key);
            put_time(&mut bytes, history.last);
            put_len(&mut bytes, history.versions.len());
            for (time, row) in history.versions.iter() {
                bytes.extend_from_slice(&time.to_le_bytes());
                put_bool(&mut bytes, row.is_some());
                if let Some(row) = row {
                    append_row(row, self.columns, &mut bytes)?;
                }
            }
            write_all(&mut out, &bytes)?;
            bytes.clear();
        }
        write_all(&mut out, &bytes)
    }

    fn header(&self) -> SnapshotHeader<'_> {
        SnapshotHeader {
            stage: "a versioned table",
            table: self.table.as_ref(),
            columns: self.columns,
            key_columns: &self.key_columns,
            settings: Vec::new(),
        }
    }

    /// Takes the content and the watermark of a [`snapshot`](Self::snapshot) in place of its own.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the bytes are not a snapshot of a versioned table, or not all of it; or of another table, by
    /// name, with another key or other columns. A table may have more columns than it had, if they are nullable: they are
    /// NULL in the rows of the snapshot. The table is after an error as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let header = self.header();
        let mut cursor = Cursor::new(snapshot);
        let mut stored = header.take(&mut cursor)?;
        let read = take_histories(&mut cursor, &mut stored);
        (self.watermark, self.histories) = read.ok_or_else(|| damaged(header.stage, &cursor))?;
        Ok(())
    }
}

impl fmt::Debug for VersionedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VersionedTable")
            .field("columns", &self.columns)
            .field("key_columns", &self.key_columns)
            .field("delete_time", &self.delete_time)
            .field("watermark", &self.watermark)
            .field("keys", &self.histories.len())
            .finish_non_exhaustive()
    }
}

type Histories = HashMap<Vec<u8>, History, RandomState>;

fn take_histories(cursor: &mut Cursor<'_>, stored: &mut StoredRows) -> Option<(i64, Histories)> {
    let watermark = i64::from_le_bytes(cursor.array()?);
    let mut histories = Histories::default();
    for _ in 0..take_len(cursor)? {
        let key = take_bytes(cursor)?.to_vec();
        let mut history = History { versions: Versions::default(), last: take_time(cursor)? };
        let mut before = None;
        for _ in 0..take_len(cursor)? {
            let time = i64::from_le_bytes(cursor.array()?);
            let mut row = take_bool(cursor)?.then(RowBuf::new);
            if let Some(row) = &mut row {
                stored.take(cursor, row)?;
            }
            if before.is_some_and(|before| before >= time) {
                return None;
            }
            before = Some(time);
            *history.versions.at(time) = row;
        }
        histories.insert(key, history);
    }
    cursor.rest().is_empty().then_some((watermark, histories))
}

#[cfg(test)]
mod tests;
