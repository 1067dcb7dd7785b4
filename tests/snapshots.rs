//! Snapshots of stages: that of another stage, or of a table that is another one by name, key or columns, is refused by
//! name; nullable columns may be added.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

use upsert_kafka::sink::{ReduceBuffer, UpdatePairs, UpsertMaterializer};
use upsert_kafka::source::{Retractions, VersionedTable};
use upsert_kafka::{
    ChangelogNormalizer, Datum, Error, ErrorKind, Record, Row, RowKind, Settings, Table, UpdateBefore,
};

const COLUMNS: &str = "k INT, v STRING, n BIGINT NOT NULL";

fn table(name: &str, columns: &str, key: &str) -> Table {
    Table::from_ddl(&format!(
        "CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
         'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'key.format' = 'json', 'value.format' = 'json',
         'sink.buffer-flush.max-rows' = '99', 'sink.buffer-flush.interval' = '1s')"
    ))
    .unwrap()
}

/// A stage of a table: with a row in it, written and taken back.
trait Stage: Sized {
    fn of(table: &Table) -> Self;
    fn put(&mut self, row: &[Datum<'_>]);
    fn written(&self) -> Vec<u8>;
    fn take(&mut self, snapshot: &[u8]) -> Result<(), Error>;
    /// What the stage says of the row with the key 1.
    fn shown(&mut self) -> String;
}

macro_rules! stage {
    ($stage:ty, $table:ident => $make:expr, |$this:ident, $row:ident| $put:expr, |$shown:ident| $show:expr) => {
        impl Stage for $stage {
            fn of($table: &Table) -> Self {
                $make
            }
            fn put(&mut self, $row: &[Datum<'_>]) {
                let $this = self;
                $put;
            }
            fn written(&self) -> Vec<u8> {
                let mut bytes = Vec::new();
                self.snapshot(&mut bytes).unwrap();
                bytes
            }
            fn take(&mut self, snapshot: &[u8]) -> Result<(), Error> {
                self.restore(snapshot)
            }
            fn shown(&mut self) -> String {
                let $shown = self;
                $show
            }
        }
    };
}

/// A row without its key.
const NEXT: [Datum<'static>; 4] = [Datum::Int(1), Datum::String("next"), Datum::BigInt(9), Datum::Null];

stage!(ChangelogNormalizer, table => table.source(&Settings::default()).unwrap().normalizer(),
    |this, row| this.apply(RowKind::Insert, row, 0).unwrap(),
    |this| this.apply(RowKind::Delete, &NEXT, 0).unwrap().map(|(kind, row)| format!("{kind} {row:?}")).collect());
stage!(UpsertMaterializer, table => table.sink(&Settings::default()).unwrap().materializer().unwrap(),
|this, row| this.apply(RowKind::Insert, row, 0).unwrap(),
|this| {
    this.apply(RowKind::Insert, &NEXT, 0).unwrap().for_each(drop);
    let changes = this.apply(RowKind::Delete, &NEXT, 0).unwrap();
    changes.map(|(kind, row)| format!("{kind} {row:?}")).collect()
});
stage!(ReduceBuffer, table => table.sink(&Settings::default()).unwrap().reduce_buffer(0).unwrap(),
    |this, row| this.apply(RowKind::Insert, row, 0).unwrap(),
    |this| this.flush(0).map(|(kind, row)| format!("{kind} {row:?}")).collect());
stage!(VersionedTable, table => table.source(&Settings::default()).unwrap().versioned_table().unwrap(),
    |this, row| this.apply(RowKind::Insert, row, 7).unwrap(),
    |this| format!("{:?}", this.as_of(&[Datum::Int(1)], 7)));
stage!(UpdatePairs, table => {
        let settings = Settings::default().with_update_before(UpdateBefore::Pairs);
        table.sink(&settings).unwrap().update_pairs().unwrap()
    },
    |this, _row| this.apply(RowKind::UpdateBefore, &Record::tombstone(b"k"), 7).for_each(drop),
    |this| format!("{:?}", this.held()));

const ROW: [Datum<'static>; 3] = [Datum::Int(1), Datum::String("a"), Datum::BigInt(5)];

fn snapshot<S: Stage>() -> Vec<u8> {
    let mut stage = S::of(&table("t", COLUMNS, "k"));
    stage.put(&ROW);
    stage.written()
}

/// The message of the refusal; the stage is then as it was.
fn refusal<S: Stage>(table: &Table, snapshot: &[u8]) -> String {
    let mut stage = S::of(table);
    let before = stage.written();
    let error = stage.take(snapshot).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::State);
    assert_eq!(stage.written(), before);
    error.to_string()
}

fn a_stage_is_taken_back<S: Stage>(with_column: &str) {
    let snapshot = snapshot::<S>();
    let mut stage = S::of(&table("t", COLUMNS, "k"));
    stage.take(&snapshot).unwrap();
    assert_eq!(stage.written(), snapshot);
    let mut original = S::of(&table("t", COLUMNS, "k"));
    original.put(&ROW);
    assert_eq!(stage.shown(), original.shown());
    // Added in the middle, and the others moved.
    let mut stage = S::of(&table("t", "n BIGINT, k INT, added ARRAY<INT>, v STRING", "k"));
    stage.take(&snapshot).unwrap();
    let mut restarted = S::of(&table("t", "n BIGINT, k INT, added ARRAY<INT>, v STRING", "k"));
    restarted.take(&stage.written()).unwrap();
    assert_eq!(restarted.written(), stage.written());
    let mut stage = S::of(&table("t", &format!("{COLUMNS}, added STRING"), "k"));
    stage.take(&snapshot).unwrap();
    assert_eq!(stage.shown(), with_column);
}

#[test]
fn every_stage_is_taken_back_and_an_added_column_is_null() {
    let row = r#"[Int(1), String("a"), BigInt(5), Null]"#;
    a_stage_is_taken_back::<ChangelogNormalizer>(&format!("-D {row}"));
    a_stage_is_taken_back::<UpsertMaterializer>(&format!("+U {row}"));
    a_stage_is_taken_back::<ReduceBuffer>(&format!("+U {row}"));
    a_stage_is_taken_back::<VersionedTable>(&format!("Some({row})"));
    let held = Record::tombstone(b"k").with_timestamp(7);
    a_stage_is_taken_back::<UpdatePairs>(&format!("{:?}", Some(held)));
}

fn another_table_is_refused<S: Stage>(stage: &str) {
    let snapshot = snapshot::<S>();
    let full = "default_catalog.default_database";
    for (name, columns, message) in [
        ("u", COLUMNS, format!("the snapshot is of the table {full}.t, not of {full}.u")),
        (
            "t",
            "k INT, v STRING",
            "column `n`: the snapshot has a column that the table does not have".to_owned(),
        ),
        (
            "t",
            "k INT, v STRING, n INT NOT NULL",
            "column `n`: the column is BIGINT NOT NULL in the snapshot, and INT NOT NULL".to_owned(),
        ),
        (
            "t",
            "k INT, v STRING NOT NULL, n BIGINT NOT NULL",
            "column `v`: the column is STRING in the snapshot, and STRING NOT NULL".to_owned(),
        ),
        (
            "t",
            "k INT, v STRING, n BIGINT NOT NULL, x INT NOT NULL",
            "column `x`: the snapshot does not have the column, which is NOT NULL".to_owned(),
        ),
    ] {
        assert_eq!(refusal::<S>(&table(name, columns, "k"), &snapshot), message, "{stage}");
    }
}

#[test]
fn another_table_or_a_changed_one_is_refused_by_name() {
    another_table_is_refused::<ChangelogNormalizer>("normalizer");
    another_table_is_refused::<UpsertMaterializer>("materializer");
    another_table_is_refused::<ReduceBuffer>("reduce buffer");
    another_table_is_refused::<VersionedTable>("versioned table");
    another_table_is_refused::<UpdatePairs>("update pairs");
}

#[test]
fn another_key_is_refused() {
    // NOT NULL as a key makes it, so that the columns are the same.
    let before = table("t", "k INT NOT NULL, v STRING NOT NULL", "k");
    let now = table("t", "k INT NOT NULL, v STRING NOT NULL", "k, v");
    let message = "the key of the table is not that of the snapshot (it was (k))";
    assert_eq!(refusal::<ChangelogNormalizer>(&now, &ChangelogNormalizer::of(&before).written()), message);
    assert_eq!(refusal::<UpsertMaterializer>(&now, &UpsertMaterializer::of(&before).written()), message);
    assert_eq!(refusal::<ReduceBuffer>(&now, &ReduceBuffer::of(&before).written()), message);
    assert_eq!(refusal::<VersionedTable>(&now, &VersionedTable::of(&before).written()), message);
}

#[test]
fn the_snapshot_of_another_stage_is_refused_by_its_name() {
    let table = table("t", COLUMNS, "k");
    let (normalizer, pairs) = (snapshot::<ChangelogNormalizer>(), snapshot::<UpdatePairs>());
    assert_eq!(
        refusal::<UpsertMaterializer>(&table, &normalizer),
        "the snapshot is of a normalizer, not of a materializer"
    );
    assert_eq!(
        refusal::<VersionedTable>(&table, &pairs),
        "the snapshot is of update pairs, not of a versioned table"
    );
    assert!(
        refusal::<ReduceBuffer>(&table, b"UKR1").contains("not a snapshot of a reduce buffer, or not all")
    );
}

#[test]
fn a_normalizer_of_other_settings_is_refused() {
    let source = table("t", COLUMNS, "k").source(&Settings::default()).unwrap();
    let snapshot = |normalizer: ChangelogNormalizer| {
        let mut bytes = Vec::new();
        normalizer.snapshot(&mut bytes).unwrap();
        bytes
    };
    let rows = snapshot(source.normalizer());
    let mut digests = source.normalizer().with_retractions(Retractions::KeyedDeletes);
    let error = digests.restore(&rows).unwrap_err();
    assert_eq!(error.message(), "of the snapshot, the state is rows, and here digests of [0, 1, 2]");
    let mut aging = source.normalizer().with_ttl(std::time::Duration::from_secs(1));
    let error = aging.restore(&rows).unwrap_err();
    assert_eq!(error.message(), "of the snapshot, the TTL is none, and here finite");
    let wider = table("t", &format!("{COLUMNS}, x INT"), "k").source(&Settings::default()).unwrap();
    let digest = |source: &upsert_kafka::TableSource| {
        source.normalizer().with_retractions(Retractions::KeyedDeletes).with_compared_columns(&[0, 1])
    };
    let error = digest(&wider).restore(&snapshot(digest(&source))).unwrap_err();
    assert_eq!(error.help(), Some("the snapshot has digests of rows, which no column can be added to"));
}

#[test]
fn rows_with_the_time_of_a_ttl_take_an_added_column_too() {
    let ttl = std::time::Duration::from_millis(10);
    let mut normalizer = ChangelogNormalizer::of(&table("t", COLUMNS, "k")).with_ttl(ttl);
    normalizer.put(&ROW);
    let snapshot = normalizer.written();
    let wider = table("t", &format!("{COLUMNS}, added STRING"), "k");
    for (now_ms, expected) in [(9, 1), (10, 0)] {
        let mut restored = ChangelogNormalizer::of(&wider).with_ttl(ttl);
        restored.restore(&snapshot).unwrap();
        assert_eq!(restored.apply(RowKind::Delete, &NEXT, now_ms).unwrap().len(), expected);
    }
    let mut materializer = UpsertMaterializer::of(&table("t", COLUMNS, "k")).with_ttl(ttl);
    materializer.put(&ROW);
    materializer.put(&[Datum::Int(1), Datum::Null, Datum::BigInt(6)]);
    let mut restored = UpsertMaterializer::of(&wider).with_ttl(ttl);
    restored.restore(&materializer.written()).unwrap();
    let last = [Datum::Int(1), Datum::Null, Datum::BigInt(6), Datum::Null];
    let mut changes = restored.apply(RowKind::Delete, &last, 9).unwrap();
    assert!(matches!(changes.next().unwrap().1.datum(3), Datum::Null));
}

fn damage_is_noticed<S: Stage>() {
    let (table, snapshot) = (table("t", COLUMNS, "k"), snapshot::<S>());
    for len in 0..snapshot.len() {
        refusal::<S>(&table, &snapshot[..len]);
    }
    refusal::<S>(&table, &[&snapshot[..], &[0]].concat());
    for at in 0..snapshot.len() {
        let mut changed = snapshot.clone();
        changed[at] ^= 0x55;
        let _ = S::of(&table).take(&changed); // a row of other values, or an error
    }
}

#[test]
fn a_snapshot_that_was_cut_anywhere_is_refused() {
    damage_is_noticed::<ChangelogNormalizer>();
    damage_is_noticed::<UpsertMaterializer>();
    damage_is_noticed::<ReduceBuffer>();
    damage_is_noticed::<VersionedTable>();
    damage_is_noticed::<UpdatePairs>();
}
