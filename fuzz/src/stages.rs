use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use upsert_kafka::record::Producer;
use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::{DeleteTime, VersionedTable};
use upsert_kafka::state::{MemoryStore, StateStore};
use upsert_kafka::table::BufferFlush;
use upsert_kafka::{
    ChangelogNormalizer, Datum, Error, ErrorKind, Limits, Record, RecordAccumulator, RecordBatches, Row,
    RowBuf, RowKind,
};

use super::draw::Draw;

/// Stages do what naive models do: over a store that fails, by a clock that goes backwards, drained half-way, over the end
/// of sequence numbers.
pub fn stages(data: &[u8]) {
    let mut draw = Draw::new(data);
    match draw.below(5) {
        0 => normalizer(&mut draw),
        1 => materializer(&mut draw),
        2 => reduce_buffer(&mut draw),
        3 => versioned_table(&mut draw),
        _ => accumulator(&mut draw),
    }
}

pub(super) const KINDS: [RowKind; 4] =
    [RowKind::Insert, RowKind::UpdateAfter, RowKind::Delete, RowKind::UpdateBefore];

/// So long that a few take more than a materializer keeps in one piece.
const LONG: &str = {
    const LETTERS: [u8; 900] = [b'x'; 900];
    match str::from_utf8(&LETTERS) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// A key of few, and one of few values.
pub(super) fn row(draw: &mut Draw<'_>) -> RowBuf {
    let key = draw.below(4);
    let value = match draw.below(6) {
        0 => Datum::Null,
        1 => Datum::String(LONG),
        2 => Datum::String(&LONG[1..]),
        3 => Datum::String(""),
        4 => Datum::String("a"),
        _ => Datum::String("bb"),
    };
    [Datum::Int(i32::try_from(key).expect("a small key")), value].into_iter().collect()
}

fn key_of(row: &RowBuf) -> i32 {
    let Datum::Int(key) = row.datum(0) else { panic!("a key") };
    key
}

type Rows = Vec<(RowKind, RowBuf)>;

fn collected<'a>(changes: impl Iterator<Item = (RowKind, &'a RowBuf)>) -> Rows {
    changes.map(|(kind, row)| (kind, row.clone())).collect()
}

/// A store whose next writes fail, after so many calls.
struct Failing {
    store: MemoryStore,
    /// `None`: it does not fail.
    calls_left: Rc<Cell<Option<usize>>>,
}

impl Failing {
    fn call(&self) -> Result<(), Error> {
        match self.calls_left.get() {
            Some(0) => Err(Error::new(ErrorKind::Unavailable, "the store is away")),
            left => {
                self.calls_left.set(left.map(|left| left - 1));
                Ok(())
            }
        }
    }
}

impl StateStore for Failing {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        self.call()?;
        self.store.get(key, value)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.call()?;
        self.store.put(key, value)
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        self.call()?;
        self.store.remove(key)
    }
}

/// Now and then a store that fails at its next call or the one after it.
fn draw_failure(draw: &mut Draw<'_>, calls_left: &Cell<Option<usize>>) {
    calls_left.set(if draw.once_in(4) { Some(draw.below(3)) } else { None });
}

/// A state and when it was written; it is gone a TTL later, if there is one.
type Timed<T> = BTreeMap<i32, (T, i64)>;

fn is_there(written_ms: i64, ttl: i64, now_ms: i64) -> bool {
    ttl == 0 || written_ms + ttl > now_ms
}

fn normalizer(draw: &mut Draw<'_>) {
    let ttl: i64 = draw.one_of(&[0, 0, 5]);
    let bundle_size = draw.one_of(&[1, 1, 2, 4]);
    let calls_left = Rc::new(Cell::new(None));
    let store = Failing { store: MemoryStore::new(), calls_left: Rc::clone(&calls_left) };
    let mut normalizer = ChangelogNormalizer::new(2, &[0])
        .with_ttl(Duration::from_millis(ttl.unsigned_abs()))
        .with_bundle(bundle_size)
        .with_store(store);
    let mut state: Timed<RowBuf> = BTreeMap::new();
    let mut bundle: Vec<(RowKind, RowBuf)> = Vec::new();
    let mut bundled = 0;
    let mut due = Rows::new();
    while !draw.is_empty() {
        let (kind, row, now_ms) = (draw.one_of(&KINDS), row(draw), i64::from(draw.byte() % 16));
        draw_failure(draw, &calls_left);
        let mut model_calls = calls_left.get();
        let said = normalizer.apply(kind, &row, now_ms).map(collected);
        bundled += 1;
        match bundle.iter_mut().find(|(_, other)| key_of(other) == key_of(&row)) {
            Some(place) => *place = (kind, row),
            None => bundle.push((kind, row)),
        }
        if bundled < bundle_size {
            assert_eq!(said.expect("nothing is asked of the store"), []);
            continue;
        }
        let mut is_away = false;
        while let Some((kind, row)) = bundle.first().cloned() {
            if !normalize(&mut state, kind, &row, ttl, now_ms, &mut model_calls, &mut due) {
                is_away = true;
                break;
            }
            bundle.remove(0);
        }
        if is_away && bundle_size == 1 {
            bundle.clear();
        }
        bundled = bundle.len();
        match said {
            Ok(said) => {
                assert!(!is_away, "an error was passed over");
                assert_eq!(said, std::mem::take(&mut due));
            }
            Err(error) => assert!(is_away, "{error}"),
        }
    }
}

/// One line of the normalizer's table; false if the store is away.
fn normalize(
    state: &mut Timed<RowBuf>,
    kind: RowKind,
    row: &RowBuf,
    ttl: i64,
    now_ms: i64,
    calls: &mut Option<usize>,
    out: &mut Rows,
) -> bool {
    let mut call = || match calls {
        Some(0) => false,
        Some(left) => {
            *left -= 1;
            true
        }
        None => true,
    };
    if !call() {
        return false;
    }
    let key = key_of(row);
    let known =
        state.get(&key).filter(|(_, written)| is_there(*written, ttl, now_ms)).map(|(row, _)| row.clone());
    if kind.is_retraction() {
        if let Some(known) = known {
            if !call() {
                return false;
            }
            state.remove(&key);
            out.push((RowKind::Delete, known));
        }
        return true;
    }
    if ttl == 0 && known.as_ref() == Some(row) {
        return true;
    }
    if !call() {
        return false;
    }
    state.insert(key, (row.clone(), now_ms));
    let is_update = known.is_some();
    out.extend(known.map(|known| (RowKind::UpdateBefore, known)));
    out.push((if is_update { RowKind::UpdateAfter } else { RowKind::Insert }, row.clone()));
    true
}

fn materializer(draw: &mut Draw<'_>) {
    let ttl: i64 = draw.one_of(&[0, 0, 5]);
    let by_value = draw.once_in(4);
    let calls_left = Rc::new(Cell::new(None));
    let store = Failing { store: MemoryStore::new(), calls_left: Rc::clone(&calls_left) };
    let mut materializer =
        UpsertMaterializer::new(2, &[0]).with_ttl(Duration::from_millis(ttl.unsigned_abs()));
    if by_value {
        materializer = materializer.with_upsert_key(&[1]);
    }
    let mut materializer = materializer.with_store(store);
    let mut state: Timed<Vec<RowBuf>> = BTreeMap::new();
    let mut ignored = 0;
    while !draw.is_empty() {
        let (kind, row, now_ms) = (draw.one_of(&KINDS), row(draw), i64::from(draw.byte() % 16));
        // A call that fails may prolong what expires.
        if ttl == 0 {
            draw_failure(draw, &calls_left);
        }
        let Ok(said) = materializer.apply(kind, &row, now_ms).map(collected) else {
            assert_eq!(calls_left.get(), Some(0), "the store is away");
            // A retraction that is not there is counted before anything is written.
            continue;
        };
        let key = key_of(&row);
        let known = state.get(&key).filter(|(_, written)| is_there(*written, ttl, now_ms));
        let mut list = known.map_or_else(Vec::new, |(list, _)| list.clone());
        let same = |other: &RowBuf| if by_value { other.datum(1) == row.datum(1) } else { *other == row };
        let found = list.iter().position(same);
        let mut expected = Rows::new();
        if kind.is_retraction() {
            match found {
                None => ignored += 1,
                Some(place) => {
                    list.remove(place);
                    match list.last() {
                        None => expected.push((RowKind::Delete, row.clone())),
                        Some(last) if place == list.len() => {
                            expected.push((RowKind::UpdateAfter, last.clone()))
                        }
                        Some(_) => {}
                    }
                }
            }
        } else {
            let kind = if list.is_empty() { RowKind::Insert } else { RowKind::UpdateAfter };
            expected.push((kind, row.clone()));
            match found.filter(|_| by_value) {
                Some(place) => list[place] = row.clone(),
                None => list.push(row.clone()),
            }
        }
        assert_eq!(said, expected);
        assert_eq!(materializer.ignored(), ignored);
        if kind.is_retraction() && found.is_none() {
            continue;
        }
        if list.is_empty() {
            state.remove(&key);
        } else {
            state.insert(key, (list, now_ms));
        }
    }
}

fn reduce_buffer(draw: &mut Draw<'_>) {
    let flush =
        BufferFlush { max_rows: draw.one_of(&[1, 2, 3, 100]), interval_ms: draw.one_of(&[1, 8, 1000]) };
    let mut buffer = ReduceBuffer::new(2, &[0], flush, 0);
    let mut waiting: VecDeque<(RowKind, RowBuf)> = VecDeque::new();
    let (mut flushed_ms, mut declined) = (0, 0);
    while !draw.is_empty() {
        let (kind, row, now_ms) = (draw.one_of(&KINDS), row(draw), i64::from(draw.byte() % 16));
        let wanted = draw.one_of(&[usize::MAX, usize::MAX, 0, 1, 2]);
        let interval_ms =
            if declined > 0 { 0 } else { i64::try_from(flush.interval_ms).expect("a short one") };
        assert_eq!(buffer.deadline_ms(), flushed_ms + interval_ms);
        let is_due = now_ms >= flushed_ms + interval_ms;
        let kept = if kind.is_retraction() { RowKind::Delete } else { RowKind::UpdateAfter };
        match waiting.iter_mut().find(|(_, other)| key_of(other) == key_of(&row)) {
            Some(place) => *place = (kept, row.clone()),
            None => waiting.push_back((kept, row.clone())),
        }
        let is_due = is_due || waiting.len() as u64 >= u64::from(flush.max_rows);
        let mut changes = buffer.apply(kind, &row, now_ms).expect("a flat key");
        if !is_due {
            assert_eq!(changes.next(), None);
            continue;
        }
        (flushed_ms, declined) = (now_ms, waiting.len());
        let mut asked = 0;
        while asked < wanted {
            let change = changes.next().map(|(kind, row)| (kind, row.clone()));
            assert_eq!(change.as_ref(), waiting.get(asked));
            if change.is_none() {
                break;
            }
            asked += 1;
        }
        // A row is taken when the one after it, or the end, is asked for.
        let taken = if wanted > asked { asked } else { asked.saturating_sub(1) };
        waiting.drain(..taken);
        declined -= taken;
        assert_eq!(buffer.len(), waiting.len());
    }
    assert_eq!(collected(buffer.flush(0)), Vec::from(waiting));
    assert!(buffer.is_empty());
}

fn versioned_table(draw: &mut Draw<'_>) {
    let delete_time = draw.one_of(&[DeleteTime::PreviousRow, DeleteTime::Epoch, DeleteTime::Own]);
    let mut table = VersionedTable::new(2, &[0]).with_delete_time(delete_time);
    let mut versions: BTreeMap<i32, BTreeMap<i64, Option<RowBuf>>> = BTreeMap::new();
    let mut last: BTreeMap<i32, i64> = BTreeMap::new();
    let mut watermark = i64::MIN;
    while !draw.is_empty() {
        let (kind, row, time) = (draw.one_of(&KINDS), row(draw), i64::from(draw.byte()) - 64);
        let key = key_of(&row);
        table.apply(kind, &row, time).expect("a flat key");
        match kind {
            RowKind::UpdateBefore => {}
            RowKind::Insert | RowKind::UpdateAfter => {
                versions.entry(key).or_default().insert(time, Some(row.clone()));
                last.insert(key, time);
            }
            RowKind::Delete => {
                let previous = last.remove(&key);
                let gone = match delete_time {
                    DeleteTime::Epoch => Some(0),
                    DeleteTime::PreviousRow => previous,
                    _ => previous.map(|_| time),
                };
                if let Some(gone) = gone {
                    versions.entry(key).or_default().insert(gone, None);
                }
            }
        }
        if draw.once_in(8) {
            let time = i64::from(draw.byte()) - 64;
            table.advance_watermark(time);
            watermark = watermark.max(time);
        }
        if draw.once_in(8) {
            table.clean_up();
        }
        let time = watermark.max(i64::from(draw.byte()) - 64);
        let expected = versions.get(&key).and_then(|versions| versions.range(..=time).next_back());
        assert_eq!(table.as_of(&[Datum::Int(key)], time), expected.and_then(|(_, row)| row.as_ref()));
    }
}

fn accumulator(draw: &mut Draw<'_>) {
    const NOW_MS: i64 = 1_717_200_000_000;
    const PARTITIONS: i32 = 3;
    let first_sequence = i32::MAX - i32::from(draw.byte() % 8);
    let (max_batch, memory) = (draw.one_of(&[80, 100, 200, 1 << 20]), draw.one_of(&[400, 1000, 1 << 20]));
    let mut accumulator = RecordAccumulator::new("t", PARTITIONS)
        .with_producer(Producer { sequence: first_sequence, ..Producer::new(7, 0) })
        .with_max_batch_bytes(max_batch)
        .with_buffer_memory(memory);
    let mut sent = vec![Vec::new(); 3];
    let mut received = vec![Vec::new(); 3];
    let mut sequences = [first_sequence; 3];
    let mut receive = |partition: i32, bytes: &[u8]| {
        let partition = usize::try_from(partition).expect("a partition");
        let batches: Vec<_> =
            RecordBatches::new(bytes, Limits::default()).collect::<Result<_, _>>().expect("ours");
        let [batch] = &batches[..] else { panic!("one batch") };
        assert!(bytes.len() <= max_batch || batch.len() == 1);
        let count = i32::try_from(batch.len()).expect("few");
        assert_eq!(batch.producer().expect("a producer").sequence, sequences[partition]);
        sequences[partition] = sequences[partition].wrapping_add(count) & i32::MAX;
        let records = batch.records().map(|record| record.expect("ours"));
        received[partition]
            .extend(records.map(|record| (record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec))));
    };
    while !draw.is_empty() {
        let key = [draw.byte() % 8];
        let len = draw.below(64);
        let value = draw.bytes(len);
        let record =
            if draw.once_in(8) { Record::tombstone(&key) } else { Record::new(Some(&key), Some(value)) };
        match accumulator.append_record(&record, NOW_MS) {
            Ok(()) => {
                let partition = upsert_kafka::partition_for_key(&key, PARTITIONS);
                sent[usize::try_from(partition).expect("a partition")]
                    .push((record.key.map(<[u8]>::to_vec), record.value.map(<[u8]>::to_vec)));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unavailable);
                accumulator
                    .flush()
                    .expect("the default partitioner")
                    .for_each(|(partition, batch)| receive(partition, &batch));
                assert_eq!(accumulator.size_in_bytes(), 0);
                assert!(accumulator.is_empty());
            }
        }
        assert!(accumulator.size_in_bytes() <= memory);
        if draw.once_in(4) {
            let count = draw.below(3);
            accumulator.drain().take(count).for_each(|(partition, batch)| receive(partition, &batch));
        }
    }
    accumulator
        .flush()
        .expect("the default partitioner")
        .for_each(|(partition, batch)| receive(partition, &batch));
    assert_eq!(received, sent);
}
