//! An error leaves everything as it was: good and bad rows in any order come to what the good ones alone come to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use upsert_kafka::row::{ValueSource, Values};
use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::{DeleteTime, Retractions, VersionedTable};
use upsert_kafka::state::{MemoryStore, StateStore};
use upsert_kafka::table::{BufferFlush, Jdk};
use upsert_kafka::{
    ChangelogNormalizer, ConsumerRecord, Datum, DecodeBuf, Error, ErrorKind, RecordBuf, Row, RowKind,
    Settings, Table,
};

/// More levels than a row's state takes: 128.
static LEVELS: [Level; 150] = {
    let mut levels = [const { Level(0) }; 150];
    let mut level = 0;
    while level < levels.len() {
        levels[level] = Level(level);
        level += 1;
    }
    levels
};

/// An array of one array of one array, down to level 0.
struct Level(usize);

impl ValueSource for Level {
    fn value(&self, _: usize) -> Datum<'_> {
        match self.0.checked_sub(1) {
            Some(below) => Datum::Array(Values::new(&LEVELS[below], 1)),
            None => Datum::Null,
        }
    }
}

fn too_deep() -> Datum<'static> {
    Datum::Array(Values::new(&LEVELS[LEVELS.len() - 1], 1))
}

/// A change of a row of a key and a value, and what is wrong with it.
#[derive(Clone, Copy, Debug)]
struct Step {
    kind: RowKind,
    key: i32,
    value: i32,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// The key nests too deep.
    Key,
    /// The store fails to read.
    Read,
    /// The store fails to write.
    Write,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = select(vec![RowKind::Insert, RowKind::UpdateBefore, RowKind::UpdateAfter, RowKind::Delete]);
    let fault = prop_oneof![3 => Just(Fault::None), 1 => select(vec![Fault::Key, Fault::Read, Fault::Write])];
    let step =
        (kind, 0..4, 0..3, fault).prop_map(|(kind, key, value, fault)| Step { kind, key, value, fault });
    vec(step, 1..60)
}

impl Step {
    fn row(&self) -> [Datum<'static>; 2] {
        let key = if self.fault == Fault::Key { too_deep() } else { Datum::Int(self.key) };
        [key, Datum::Int(self.value)]
    }
}

/// A store that fails when it is told to.
#[derive(Default)]
struct Store {
    rows: MemoryStore,
    fails: Arc<[AtomicBool; 2]>,
}

impl Store {
    fn unless(&self, fails: usize) -> Result<(), Error> {
        match self.fails[fails].load(Ordering::Relaxed) {
            true => Err(Error::new(ErrorKind::Unavailable, "the store is away")),
            false => Ok(()),
        }
    }
}

impl StateStore for Store {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        self.unless(0)?;
        self.rows.get(key, value)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.unless(1)?;
        self.rows.put(key, value)
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        self.unless(1)?;
        self.rows.remove(key)
    }
}

/// The changes in words.
fn said<'a, R: Row + 'a>(changes: impl Iterator<Item = (RowKind, R)>) -> Vec<String> {
    changes.map(|(kind, row)| format!("{kind} {:?} {:?}", row.datum(0), row.datum(1))).collect()
}

/// Runs the steps through a stage, and those that it took through another one like it; both say the same each time.
fn runs_as_the_good_ones_alone<S>(
    steps: &[Step],
    stage: impl Fn(Store) -> S,
    mut apply: impl FnMut(&mut S, &Step) -> Result<Vec<String>, Error>,
    snapshot: impl Fn(&S) -> Vec<u8>,
) -> Result<(), TestCaseError> {
    let store = Store::default();
    let fails = store.fails.clone();
    let (mut troubled, mut untroubled) = (stage(store), stage(Store::default()));
    for step in steps {
        fails[0].store(step.fault == Fault::Read, Ordering::Relaxed);
        fails[1].store(step.fault == Fault::Write, Ordering::Relaxed);
        // A row that changes nothing is not written, and a store that is not asked does not fail.
        match apply(&mut troubled, step) {
            Ok(said) => prop_assert_eq!(said, apply(&mut untroubled, step).expect("what went well once")),
            Err(_) => prop_assert!(step.fault != Fault::None, "{step:?}"),
        }
        prop_assert_eq!(snapshot(&troubled), snapshot(&untroubled), "{:?}", step);
    }
    Ok(())
}

fn bytes(write: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("rows that are not deep");
    bytes
}

proptest! {
    #[test]
    fn a_normalizer_goes_on_as_if_what_failed_had_never_come(
        steps in steps(),
        retractions in select(vec![Retractions::Full, Retractions::Deletes, Retractions::KeyedDeletes]),
    ) {
        runs_as_the_good_ones_alone(
            &steps,
            |store| ChangelogNormalizer::new(2, &[0]).with_store(store).with_retractions(retractions),
            |stage, step| stage.apply(step.kind, &step.row(), 0).map(said),
            |stage| bytes(|out| stage.store().rows.snapshot(out)),
        )?;
    }

    #[test]
    fn a_materializer_goes_on_as_if_what_failed_had_never_come(steps in steps()) {
        runs_as_the_good_ones_alone(
            &steps,
            |store| UpsertMaterializer::new(2, &[0]).with_store(store),
            |stage, step| stage.apply(step.kind, &step.row(), 0).map(said),
            |stage| bytes(|out| stage.store().rows.snapshot(out)),
        )?;
    }

    #[test]
    fn a_reduce_buffer_goes_on_as_if_what_failed_had_never_come(steps in steps()) {
        runs_as_the_good_ones_alone(
            &steps,
            |_| ReduceBuffer::new(2, &[0], BufferFlush { max_rows: 3, interval_ms: 1000 }, 0),
            |stage, step| stage.apply(step.kind, &step.row(), 0).map(said),
            |stage| bytes(|out| stage.snapshot(out)),
        )?;
    }

    #[test]
    fn a_versioned_table_goes_on_as_if_what_failed_had_never_come(
        steps in steps(),
        delete_time in select(vec![DeleteTime::PreviousRow, DeleteTime::Epoch, DeleteTime::Own]),
    ) {
        runs_as_the_good_ones_alone(
            &steps,
            |_| VersionedTable::new(2, &[0]).with_delete_time(delete_time),
            |stage, step| stage.apply(step.kind, &step.row(), step.value.into()).map(|()| Vec::new()),
            |stage| bytes(|out| stage.snapshot(out)),
        )?;
    }
}

/// A table whose values fail to be written for one row and to be read from one text.
fn table(format: &str) -> Table {
    let (key, connector) = match format.contains("key.format") {
        true => (", PRIMARY KEY (id) NOT ENFORCED", "upsert-kafka"),
        false => ("", "kafka"),
    };
    Table::from_ddl(&format!(
        "CREATE TABLE t (id INT, items ARRAY<INT NOT NULL>, name STRING{key}) WITH (
         'connector' = '{connector}', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092',
         'properties.group.id' = 'g', {format})"
    ))
    .expect("a table")
}

const FORMATS: [&str; 11] = [
    "'key.format' = 'json', 'value.format' = 'json'",
    "'key.format' = 'json', 'value.format' = 'json', 'value.json.decode.json-parser.enabled' = 'false'",
    "'key.format' = 'csv', 'value.format' = 'csv'",
    "'key.format' = 'avro', 'value.format' = 'avro'",
    "'key.format' = 'avro', 'key.avro.encoding' = 'json', 'value.format' = 'avro', 'value.avro.encoding' = 'json'",
    "'key.format' = 'raw', 'value.format' = 'avro', 'value.avro.encoding' = 'json'",
    "'format' = 'json'",
    "'format' = 'debezium-json'",
    "'format' = 'canal-json'",
    "'format' = 'maxwell-json'",
    "'format' = 'ogg-json'",
];

/// With `None` the last item is of another type than its column, after much that was written.
fn row(id: i32, bad: bool, items: &[Datum<'static>]) -> Vec<Datum<'static>> {
    let items = items.to_vec();
    let items: &'static Vec<Datum<'static>> = Box::leak(Box::new(items));
    let name = if bad { Datum::Boolean(true) } else { Datum::String("n\u{e9}") };
    vec![Datum::Int(id), Datum::Array(Values::new(items, items.len())), name]
}

proptest! {
    #[test]
    fn an_encoder_an_accumulator_and_a_decoder_go_on_as_if_what_failed_had_never_come(
        rows in vec((0..5, any::<bool>(), 0..40_usize, 0..30_usize), 1..20),
        flinks in any::<bool>(),
    ) {
        let settings = if flinks { Settings::flink(Jdk::Jdk8To18) } else { Settings::default() };
        for format in FORMATS {
            let table = table(format);
            let sink = table.sink(&settings).expect("a sink");
            let (encoder, untroubled) = (sink.encoder(), sink.encoder());
            let (mut batches, mut good_batches) = (sink.accumulator(3), sink.accumulator(3));
            let decoder = table.source(&settings).expect("a source").decoder();
            let (mut buf, mut good_buf) = (RecordBuf::new(), RecordBuf::new());
            let mut decoded = DecodeBuf::new();
            for &(id, bad, items, cut) in &rows {
                let items: Vec<_> = (0..i32::try_from(items).expect("few")).map(Datum::Int).collect();
                let row = row(id, bad, &items);
                prop_assert_eq!(batches.append(RowKind::Insert, &row, 7).is_err(), bad);
                let record = encoder.encode(RowKind::Insert, &row, &mut buf);
                if bad {
                    prop_assert!(record.is_err(), "{}", format);
                    continue;
                }
                good_batches.append(RowKind::Insert, &row, 7).expect("a good row");
                let record = record.expect("a good row").expect("a record");
                let expected = untroubled.encode(RowKind::Insert, &row, &mut good_buf).expect("a good row");
                prop_assert_eq!(Some(record), expected, "{}", format);

                // A value that is cut off, and then the whole one.
                let value = record.value.expect("a value");
                let cut = &value[..cut.min(value.len())];
                let _ = decoder.decode(&ConsumerRecord::new(record.key, Some(cut)), &mut decoded);
                let whole = ConsumerRecord::new(record.key, record.value);
                let mut fresh = DecodeBuf::new();
                let rows = decoder.decode(&whole, &mut decoded).expect("our own record").rows();
                let expected = decoder.decode(&whole, &mut fresh).expect("our own record").rows();
                prop_assert_eq!(format!("{:?}", rows.collect::<Vec<_>>()), format!("{:?}", expected.collect::<Vec<_>>()));
            }
            let batches: Vec<_> = batches.flush().expect("partitions").collect();
            prop_assert_eq!(batches, good_batches.flush().expect("partitions").collect::<Vec<_>>(), "{}", format);
        }
    }
}

/// Flink's line feed comes before all records of an encoder but the first, and a key without its value is none.
#[test]
fn a_value_that_fails_leaves_no_line_feed_before_the_next_key() {
    let table = table(FORMATS[4]);
    let encoder = table.sink(&Settings::flink(Jdk::Jdk8To18)).expect("a sink").encoder();
    let mut buf = RecordBuf::new();
    let mut keys = Vec::new();
    for bad in [true, true, false, true, false] {
        if let Ok(Some(record)) = encoder.encode(RowKind::Insert, &row(1, bad, &[]), &mut buf) {
            keys.push(String::from_utf8(record.key.expect("a key").to_vec()).expect("JSON"));
        }
    }
    assert_eq!(keys, [r#"{"id":1}"#, "\n{\"id\":1}"]);
}
