//! The stage that spares a topic the tombstones before updates.
//!
//! Flink has no such stage: its planner withholds `-U` from the sink where it can, else each becomes a tombstone
//! (`DynamicKafkaRecordSerializationSchema.serialize`).

use std::io::Write;

use crate::error::Error;
use crate::record::{HeadersBuf, Record};
use crate::row::RowKind;
use crate::state::{
    SnapshotHeader, StateTable, damaged, put_bool, put_bytes, put_len, put_time, take_bool, take_bytes,
    take_len, take_time, write_all,
};
use crate::table::{Connector, TableSink, UpdateBefore};
use crate::wire::Cursor;

/// Holds back the tombstone of a `-U` until the next record shows whether it is needed.
///
/// The next record of the same key (and topic) swallows it: it overwrites the key anyway. Any other record releases
/// it first, and so does [`flush`](Self::flush). So a lone `-U` still deletes, and a changed primary key still clears
/// the old one. At most one tombstone is held; in the steady state nothing is allocated.
///
/// A record that is handed out is taken when the next one, or the end, is asked for. If it cannot be sent, leave the loop
/// and call again with the same record: nothing is lost, and what was taken does not come twice.
///
/// ```
/// use upsert_kafka::{Record, RowKind};
/// use upsert_kafka::sink::UpdatePairs;
///
/// let mut pairs = UpdatePairs::new();
/// let mut sent = Vec::new();
/// let changes = [
///     (RowKind::UpdateBefore, Record::tombstone(b"k")),
///     (RowKind::UpdateAfter, Record::new(Some(b"k"), Some(b"v"))),
/// ];
/// for (kind, record) in &changes {
///     sent.extend(pairs.apply(*kind, record, 0).map(|record| record.value.map(<[u8]>::to_vec)));
/// }
/// sent.extend(pairs.flush().map(|record| record.value.map(<[u8]>::to_vec)));
/// assert_eq!(sent, [Some(b"v".to_vec())]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct UpdatePairs {
    /// For snapshots, and how many columns it has.
    table: Option<(StateTable, usize)>,
    /// Room for the tombstone that is held, and for the one that comes while that is released.
    tombstones: [Tombstone; 2],
    /// Which of them is held.
    held: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Tombstone {
    key: Vec<u8>,
    timestamp: Option<i64>,
    headers: HeadersBuf,
    topic: Option<String>,
}

impl TableSink {
    /// The stage between the table's encoder and whatever takes its records, where [`UpdateBefore::Pairs`] asks for it.
    #[must_use]
    pub fn update_pairs(&self) -> Option<UpdatePairs> {
        let is_upsert = self.layout().connector() == Connector::UpsertKafka;
        let columns = self.layout().columns();
        (is_upsert && self.update_before() == UpdateBefore::Pairs).then(|| UpdatePairs {
            table: Some((StateTable::new(self.table_name(), columns), columns.len())),
            ..UpdatePairs::new()
        })
    }
}

impl UpdatePairs {
    /// A stage that holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the record that a change of `kind` became, and hands out what is due: none, one or two records.
    ///
    /// `now_ms` is the timestamp of a tombstone that is held back and brings none.
    #[inline]
    pub fn apply<'a>(
        &'a mut self,
        kind: RowKind,
        record: &Record<'a>,
        now_ms: i64,
    ) -> impl Iterator<Item = Record<'a>> + use<'a> {
        let swallows = self.held().is_some_and(|held| held.key == record.key && held.topic == record.topic);
        let is_held_back = kind == RowKind::UpdateBefore && record.value.is_none() && record.key.is_some();
        let [first, second] = &mut self.tombstones;
        let (held, place, room) = if self.held == Some(1) { (second, 0, first) } else { (first, 1, second) };
        Due {
            released: self.held.filter(|_| !swallows).map(|_| held.as_record()),
            held_back: is_held_back.then(|| {
                let stamped = record.with_timestamp(record.timestamp.unwrap_or(now_ms));
                (place, room, stamped)
            }),
            record: (!is_held_back).then_some(*record),
            has_handed_out: false,
            held: &mut self.held,
        }
    }

    /// Hands out the tombstone that is held, if one is.
    pub fn flush(&mut self) -> impl Iterator<Item = Record<'_>> {
        let released = self.held.map(|held| self.tombstones[held].as_record());
        Due { released, held_back: None, record: None, has_handed_out: false, held: &mut self.held }
    }

    /// The tombstone that is held.
    #[must_use]
    pub fn held(&self) -> Option<Record<'_>> {
        self.held.map(|held| self.tombstones[held].as_record())
    }

    /// Writes the tombstone that is held, for [`restore`](Self::restore).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the writer fails, with its error as the source.
    pub fn snapshot(&self, mut out: impl Write) -> Result<(), Error> {
        let mut bytes = Vec::new();
        self.header().append(&mut bytes);
        put_bool(&mut bytes, self.held.is_some());
        if let Some(held) = self.held {
            self.tombstones[held].append(&mut bytes);
        }
        write_all(&mut out, &bytes)
    }

    fn header(&self) -> SnapshotHeader<'_> {
        SnapshotHeader {
            stage: "update pairs",
            table: self.table.as_ref().map(|(table, _)| table),
            columns: self.table.as_ref().map_or(0, |(_, columns)| *columns),
            key_columns: &[],
            settings: Vec::new(),
        }
    }

    /// Holds the tombstone of a [`snapshot`](Self::snapshot) in place of its own.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`](crate::ErrorKind::State) if the bytes are not a snapshot of update pairs, or not all of it; or of
    /// another table, by name, or with other columns than it has but for nullable ones that were added. What is held is
    /// after an error as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let header = self.header();
        let mut cursor = Cursor::new(snapshot);
        header.take(&mut cursor)?;
        let mut tombstone = Tombstone::default();
        let held = take_bool(&mut cursor).and_then(|is_held| {
            let read = if is_held { tombstone.take(&mut cursor) } else { Some(()) };
            read.filter(|()| cursor.rest().is_empty()).map(|()| is_held)
        });
        let is_held = held.ok_or_else(|| damaged(header.stage, &cursor))?;
        self.held = is_held.then_some(0);
        self.tombstones[0] = tombstone;
        Ok(())
    }
}

/// The records of a call. Each is taken when the next one is asked for, and only then the stage changes.
struct Due<'a> {
    /// The tombstone that was held.
    released: Option<Record<'a>>,
    /// The tombstone to be held: its place, the room there, and what it is.
    held_back: Option<(usize, &'a mut Tombstone, Record<'a>)>,
    /// The record that came.
    record: Option<Record<'a>>,
    has_handed_out: bool,
    held: &'a mut Option<usize>,
}

impl<'a> Iterator for Due<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        if let Some(released) = self.released.take() {
            self.has_handed_out = true;
            return Some(released);
        }
        // What was held is released and taken, or swallowed by the record that was taken.
        if std::mem::take(&mut self.has_handed_out) {
            *self.held = None;
        }
        if let Some((place, room, tombstone)) = self.held_back.take() {
            room.copy_from(&tombstone);
            *self.held = Some(place);
        }
        let record = self.record.take()?;
        self.has_handed_out = true;
        Some(record)
    }
}

impl Tombstone {
    fn append(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.key);
        put_time(out, self.timestamp);
        put_bool(out, self.topic.is_some());
        self.topic.iter().for_each(|topic| put_bytes(out, topic.as_bytes()));
        let headers = self.headers.as_headers();
        put_len(out, headers.len());
        for header in headers {
            put_bytes(out, header.name().as_bytes());
            put_bool(out, header.value().is_some());
            header.value().iter().for_each(|value| put_bytes(out, value));
        }
    }

    fn take(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        self.key = take_bytes(cursor)?.to_vec();
        self.timestamp = take_time(cursor)?;
        if take_bool(cursor)? {
            self.topic = Some(str::from_utf8(take_bytes(cursor)?).ok()?.to_owned());
        }
        for _ in 0..take_len(cursor)? {
            let name = str::from_utf8(take_bytes(cursor)?).ok()?;
            let value = if take_bool(cursor)? { Some(take_bytes(cursor)?) } else { None };
            self.headers.push(name, value);
        }
        Some(())
    }

    fn as_record(&self) -> Record<'_> {
        let mut record = Record::tombstone(&self.key).with_headers(&self.headers);
        record.timestamp = self.timestamp;
        record.topic = self.topic.as_deref();
        record
    }

    fn copy_from(&mut self, record: &Record<'_>) {
        self.key.clear();
        self.key.extend_from_slice(record.key.unwrap_or_default());
        self.timestamp = record.timestamp;
        self.headers.copy_from(&record.headers);
        match (&mut self.topic, record.topic) {
            (Some(held), Some(topic)) => {
                held.clear();
                held.push_str(topic);
            }
            (held, topic) => *held = topic.map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// What a test remembers of an emitted record: key, value.
    type Emitted = (Vec<u8>, Option<Vec<u8>>);
    /// A compacted topic, naively: the last value of each key, tombstones removed.
    type Compacted = BTreeMap<Vec<u8>, Vec<u8>>;

    fn compact(records: &[Emitted]) -> Compacted {
        let mut topic = Compacted::new();
        for (key, value) in records {
            match value {
                Some(value) => topic.insert(key.clone(), value.clone()),
                None => topic.remove(key),
            };
        }
        topic
    }

    fn emitted(record: Record<'_>) -> Emitted {
        (record.key.unwrap().to_vec(), record.value.map(<[u8]>::to_vec))
    }

    fn run(changes: &[(RowKind, &str, &str)]) -> Vec<Emitted> {
        let (mut pairs, mut out) = (UpdatePairs::new(), Vec::new());
        for (kind, key, value) in changes {
            let deletes = matches!(kind, RowKind::UpdateBefore | RowKind::Delete);
            let value = (!deletes).then_some(value.as_bytes());
            out.extend(pairs.apply(*kind, &Record::new(Some(key.as_bytes()), value), 0).map(emitted));
        }
        out.extend(pairs.flush().map(emitted));
        out
    }

    fn shown(records: &[Emitted]) -> Vec<String> {
        records
            .iter()
            .map(|(key, value)| {
                let value =
                    value.as_ref().map_or("-".to_owned(), |value| String::from_utf8_lossy(value).into());
                format!("{}={value}", String::from_utf8_lossy(key))
            })
            .collect()
    }

    #[test]
    fn an_update_of_the_same_key_swallows_its_tombstone() {
        use RowKind::{Delete, Insert, UpdateAfter, UpdateBefore};
        assert_eq!(
            shown(&run(&[(Insert, "a", "1"), (UpdateBefore, "a", ""), (UpdateAfter, "a", "2")])),
            ["a=1", "a=2"]
        );
        assert_eq!(shown(&run(&[(UpdateBefore, "a", ""), (Delete, "a", "")])), ["a=-"]);
        assert_eq!(shown(&run(&[(UpdateBefore, "a", ""), (UpdateBefore, "a", "")])), ["a=-"]);
    }

    #[test]
    fn a_changed_key_and_a_lone_update_before_still_delete() {
        use RowKind::{UpdateAfter, UpdateBefore};
        assert_eq!(shown(&run(&[(UpdateBefore, "a", ""), (UpdateAfter, "b", "2")])), ["a=-", "b=2"]);
        assert_eq!(shown(&run(&[(UpdateBefore, "a", "")])), ["a=-"]);
        assert_eq!(
            shown(&run(&[(UpdateBefore, "a", ""), (UpdateBefore, "b", ""), (UpdateAfter, "a", "2")])),
            ["a=-", "b=-", "a=2"]
        );
    }

    #[test]
    fn another_topic_is_another_key() {
        let mut pairs = UpdatePairs::new();
        assert_eq!(
            pairs.apply(RowKind::UpdateBefore, &Record::tombstone(b"k").with_topic("old"), 0).count(),
            0
        );
        let moved = Record::new(Some(b"k"), Some(b"v")).with_topic("new");
        let topics: Vec<_> =
            pairs.apply(RowKind::UpdateAfter, &moved, 0).map(|record| record.topic).collect();
        assert_eq!(topics, [Some("old"), Some("new")]);
    }

    #[test]
    fn a_tombstone_that_is_held_back_is_of_the_time_at_which_it_came() {
        let mut pairs = UpdatePairs::new();
        assert_eq!(pairs.apply(RowKind::UpdateBefore, &Record::tombstone(b"a"), 7).count(), 0);
        let other = Record::tombstone(b"b").with_timestamp(8);
        let released: Vec<_> =
            pairs.apply(RowKind::UpdateBefore, &other, 9).map(|record| record.timestamp).collect();
        assert_eq!(released, [Some(7)]);
        assert_eq!(pairs.held(), Some(other));
    }

    #[test]
    fn what_is_not_taken_stays_held() {
        let mut pairs = UpdatePairs::new();
        let held = Record::tombstone(b"k").with_timestamp(7);
        assert_eq!(pairs.apply(RowKind::UpdateBefore, &held, 0).count(), 0);
        let update = Record::new(Some(b"k"), Some(b"v"));
        assert_eq!(pairs.apply(RowKind::UpdateAfter, &update, 0).next(), Some(update));
        let other = Record::tombstone(b"b");
        for kind in [RowKind::Insert, RowKind::UpdateBefore] {
            assert_eq!(pairs.apply(kind, &other, 0).next(), Some(held), "{kind} is not sent");
        }
        assert_eq!(pairs.flush().next(), Some(held));
        assert_eq!(pairs.held(), Some(held));
        assert_eq!(pairs.apply(RowKind::Insert, &other, 0).take(2).count(), 2, "only the tombstone is taken");
        assert_eq!(pairs.held(), None);
    }

    fn kind() -> impl Strategy<Value = RowKind> {
        prop::sample::select(vec![
            RowKind::Insert,
            RowKind::UpdateBefore,
            RowKind::UpdateAfter,
            RowKind::Delete,
        ])
    }

    proptest! {
        /// At every moment the topic, with what is held, compacts to what it would be without the stage.
        #[test]
        fn a_compacted_topic_is_the_same_without_the_pairs(
            changes in prop::collection::vec((kind(), 0..4_u8, any::<u8>(), prop::bool::weighted(0.1)), 0..60)
        ) {
            let (mut pairs, mut with, mut without) = (UpdatePairs::new(), Vec::new(), Vec::new());
            for (kind, key, value, flush) in changes {
                let (key, value) = ([key], [value]);
                let deletes = matches!(kind, RowKind::UpdateBefore | RowKind::Delete);
                let record = Record::new(Some(&key), (!deletes).then_some(&value[..]));
                without.push(emitted(record));
                with.extend(pairs.apply(kind, &record, 0).map(emitted));
                if flush {
                    with.extend(pairs.flush().map(emitted));
                }
                let mut topic = with.clone();
                topic.extend(pairs.held().map(emitted));
                prop_assert_eq!(compact(&topic), compact(&without));
                prop_assert!(topic.len() <= without.len());
            }
        }
    }
}
