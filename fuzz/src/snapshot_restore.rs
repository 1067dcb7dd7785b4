use std::fmt::Debug;
use std::time::Duration;

use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::VersionedTable;
use upsert_kafka::table::BufferFlush;
use upsert_kafka::{ChangelogNormalizer, Datum, Error, RowBuf, RowKind};

use super::batch_mutate::mutate;
use super::draw::Draw;
use super::stages::{KINDS, row};

/// A stage that is restored from its snapshot goes on as the one that wrote it; of a snapshot that was mutated a stage is
/// restored, or is as it was.
pub fn snapshot_restore(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(4) {
        0 => {
            let (ttl, bundle) = (draw.one_of(&[0, 5]), draw.one_of(&[1, 3]));
            check(&mut draw, || {
                ChangelogNormalizer::new(2, &[0]).with_ttl(Duration::from_millis(ttl)).with_bundle(bundle)
            });
        }
        1 => {
            let upsert_key = draw.one_of(&[&[][..], &[1]]);
            check(&mut draw, || UpsertMaterializer::new(2, &[0]).with_upsert_key(upsert_key));
        }
        2 => {
            let flush = BufferFlush { max_rows: 3, interval_ms: 8 };
            check(&mut draw, || ReduceBuffer::new(2, &[0], flush, 0));
        }
        _ => check(&mut draw, || VersionedTable::new(2, &[0])),
    }
}

/// What stages have in common.
pub(super) trait Stage {
    /// Applies a row, and answers what the stage hands out, in words.
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> String;
    fn snapshot(&self) -> Vec<u8>;
    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error>;
    /// Lets it hand out or drop all that it may.
    fn drain(&mut self) {}
}

fn check<S: Stage>(draw: &mut Draw<'_>, new: impl Fn() -> S) {
    let mut stage = new();
    for _ in 0..draw.below(32) {
        let (kind, row) = (draw.one_of(&KINDS), row(draw));
        stage.apply(kind, &row, i64::from(draw.byte() % 16));
    }
    let written = stage.snapshot();
    let mut restored = new();
    restored.restore(&written).expect("a snapshot of such a stage");
    assert_eq!(restored.snapshot(), written);
    let mut mutated = written;
    if draw.once_in(2) {
        mutate(draw, &mut mutated);
        let before = stage.snapshot();
        let mut other = new();
        other.restore(&before).expect("a snapshot of such a stage");
        match other.restore(&mutated) {
            Ok(()) => {
                for kind in KINDS {
                    other.apply(kind, &row(draw), 3);
                }
            }
            Err(_) => assert_eq!(other.snapshot(), before, "as it was"),
        }
    }
    while !draw.is_empty() {
        let (kind, row, now_ms) = (draw.one_of(&KINDS), row(draw), i64::from(draw.byte() % 16));
        assert_eq!(stage.apply(kind, &row, now_ms), restored.apply(kind, &row, now_ms));
    }
}

fn told<T: Iterator<Item = I>, I: Debug>(changes: Result<T, Error>) -> String {
    match changes {
        Ok(changes) => format!("{:?}", changes.collect::<Vec<_>>()),
        Err(error) => error.to_string(),
    }
}

/// The snapshot that something writes of itself.
pub(super) fn snapshot(write: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("nested no deeper than what was read");
    bytes
}

impl Stage for ChangelogNormalizer {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> String {
        told(self.apply(kind, row, now_ms))
    }

    fn snapshot(&self) -> Vec<u8> {
        snapshot(|out| self.snapshot(out))
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        self.restore(snapshot)
    }

    fn drain(&mut self) {
        told(self.flush(0));
    }
}

impl Stage for UpsertMaterializer {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> String {
        told(self.apply(kind, row, now_ms))
    }

    fn snapshot(&self) -> Vec<u8> {
        snapshot(|out| self.snapshot(out))
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        self.restore(snapshot)
    }
}

impl Stage for ReduceBuffer {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, _: i64) -> String {
        // When it last flushed is not in the snapshot: its rows are.
        told(self.apply(kind, row, 0))
    }

    fn snapshot(&self) -> Vec<u8> {
        snapshot(|out| self.snapshot(out))
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        self.restore(snapshot)
    }

    fn drain(&mut self) {
        told(Ok(self.flush(0)));
        assert!(self.is_empty());
    }
}

impl Stage for VersionedTable {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> String {
        self.apply(kind, row, now_ms).expect("a flat key");
        self.advance_watermark(now_ms.saturating_sub(4));
        format!(
            "{:?} of {}",
            (0..4).map(|key| self.as_of(&[Datum::Int(key)], now_ms).cloned()).collect::<Vec<_>>(),
            self.versions()
        )
    }

    fn snapshot(&self) -> Vec<u8> {
        snapshot(|out| self.snapshot(out))
    }

    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        self.restore(snapshot)
    }

    fn drain(&mut self) {
        self.advance_watermark(i64::MAX);
        self.clean_up();
    }
}
