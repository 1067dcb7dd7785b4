//! The stage that saves a topic the tombstone in front of an update.
//!
//! Flink has no such stage: its planner withholds `-U` from the sink where it can, else each becomes a tombstone
//! (`DynamicKafkaRecordSerializationSchema.serialize`).

use crate::record::{HeadersBuf, Record};
use crate::row::RowKind;

/// Holds back the tombstone of a `-U` until the next record shows whether it is needed.
///
/// The next record of the same key (and topic) swallows it: it overwrites the key anyway. Any other record releases
/// it first, and so does [`flush`](Self::flush). So a lone `-U` still deletes, and a changed primary key still clears
/// the old one. At most one tombstone is held; in the steady state nothing is allocated.
///
/// ```
/// use upsert_kafka::{Record, RowKind, UpdatePairs};
///
/// let mut pairs = UpdatePairs::new();
/// let mut sent = Vec::new();
/// let mut send = |record: &Record<'_>| -> Result<(), ()> {
///     sent.push(record.value.map(<[u8]>::to_vec));
///     Ok(())
/// };
/// pairs.push(RowKind::UpdateBefore, &Record::tombstone(b"k"), &mut send)?;
/// pairs.push(RowKind::UpdateAfter, &Record::new(Some(b"k"), Some(b"v")), &mut send)?;
/// pairs.flush(&mut send)?;
/// assert_eq!(sent, [Some(b"v".to_vec())]);
/// # Ok::<(), ()>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct UpdatePairs {
    /// Whether the fields below are a tombstone, or memory to be used again.
    holds: bool,
    key: Vec<u8>,
    timestamp: Option<i64>,
    headers: HeadersBuf,
    topic: Option<String>,
}

impl UpdatePairs {
    /// A stage that holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the record that a change of `kind` became, and emits what is due: none, one or two records.
    ///
    /// # Errors
    ///
    /// Those of `emit`. What was not emitted is not lost: a tombstone stays held, and `record` may be pushed again.
    #[inline]
    pub fn push<E>(
        &mut self,
        kind: RowKind,
        record: &Record<'_>,
        mut emit: impl FnMut(&Record<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let swallows = self.held().is_some_and(|held| held.key == record.key && held.topic == record.topic);
        if !swallows {
            self.flush(&mut emit)?;
        }
        match record.key {
            Some(key) if kind == RowKind::UpdateBefore && record.value.is_none() => self.hold(key, record),
            _ => {
                emit(record)?;
                self.holds = false;
            }
        }
        Ok(())
    }

    /// Emits the tombstone that is held, if one is.
    ///
    /// # Errors
    ///
    /// Those of `emit`; the tombstone stays held.
    pub fn flush<E>(&mut self, emit: impl FnOnce(&Record<'_>) -> Result<(), E>) -> Result<(), E> {
        if let Some(held) = self.held() {
            emit(&held)?;
            self.holds = false;
        }
        Ok(())
    }

    /// The tombstone that is held.
    #[must_use]
    pub fn held(&self) -> Option<Record<'_>> {
        self.holds.then(|| {
            let mut record = Record::tombstone(&self.key).with_headers(&self.headers);
            record.timestamp = self.timestamp;
            record.topic = self.topic.as_deref();
            record
        })
    }

    fn hold(&mut self, key: &[u8], record: &Record<'_>) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.timestamp = record.timestamp;
        self.headers.copy_from(&record.headers);
        match (&mut self.topic, record.topic) {
            (Some(held), Some(topic)) => {
                held.clear();
                held.push_str(topic);
            }
            (held, topic) => *held = topic.map(str::to_owned),
        }
        self.holds = true;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;

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

    fn emitted(record: &Record<'_>) -> Emitted {
        (record.key.unwrap().to_vec(), record.value.map(<[u8]>::to_vec))
    }

    fn run(changes: &[(RowKind, &str, &str)]) -> Vec<Emitted> {
        let (mut pairs, mut out) = (UpdatePairs::new(), Vec::new());
        let mut emit = |record: &Record<'_>| {
            out.push(emitted(record));
            Ok::<(), Infallible>(())
        };
        for (kind, key, value) in changes {
            let deletes = matches!(kind, RowKind::UpdateBefore | RowKind::Delete);
            let value = (!deletes).then_some(value.as_bytes());
            pairs.push(*kind, &Record::new(Some(key.as_bytes()), value), &mut emit).unwrap();
        }
        pairs.flush(&mut emit).unwrap();
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
        let mut topics = Vec::new();
        let mut emit = |record: &Record<'_>| {
            topics.push(record.topic.map(str::to_owned));
            Ok::<(), Infallible>(())
        };
        pairs.push(RowKind::UpdateBefore, &Record::tombstone(b"k").with_topic("old"), &mut emit).unwrap();
        let moved = Record::new(Some(b"k"), Some(b"v")).with_topic("new");
        pairs.push(RowKind::UpdateAfter, &moved, &mut emit).unwrap();
        assert_eq!(topics, [Some("old".to_owned()), Some("new".to_owned())]);
    }

    #[test]
    fn what_could_not_be_emitted_stays_held() {
        let mut pairs = UpdatePairs::new();
        let held = Record::tombstone(b"k").with_timestamp(7);
        pairs.push(RowKind::UpdateBefore, &held, |_| Err("emitted")).unwrap();
        let update = Record::new(Some(b"k"), Some(b"v"));
        assert_eq!(pairs.push(RowKind::UpdateAfter, &update, |_| Err("full")), Err("full"));
        assert_eq!(pairs.push(RowKind::Insert, &Record::tombstone(b"b"), |_| Err("full")), Err("full"));
        assert_eq!(pairs.flush(|_| Err("full")), Err("full"));
        assert_eq!(pairs.held(), Some(held));
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
                without.push(emitted(&record));
                let mut emit = |record: &Record<'_>| {
                    with.push(emitted(record));
                    Ok::<(), Infallible>(())
                };
                pairs.push(kind, &record, &mut emit).unwrap();
                if flush {
                    pairs.flush(&mut emit).unwrap();
                }
                let mut topic = with.clone();
                topic.extend(pairs.held().as_ref().map(emitted));
                prop_assert_eq!(compact(&topic), compact(&without));
                prop_assert!(topic.len() <= without.len());
            }
        }
    }
}
