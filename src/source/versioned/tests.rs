use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::row::Datum;
use crate::table::{Settings, Table};

fn apply(table: &mut VersionedTable, key: i32, value: Option<i32>, time: i64) {
    let kind = if value.is_some() { RowKind::Insert } else { RowKind::Delete };
    table.apply(kind, &[Datum::Int(key), value.map_or(Datum::Null, Datum::Int)], time).unwrap();
}

fn snapshot_of(table: &VersionedTable) -> Vec<u8> {
    let mut snapshot = Vec::new();
    table.snapshot(&mut snapshot).unwrap();
    snapshot
}

fn as_of(table: &mut VersionedTable, key: i32, time: i64) -> Option<i32> {
    match table.as_of(&[Datum::Int(key)], time)?.datum(1) {
        Datum::Int(value) => Some(value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tombstone_hides_the_row_it_deletes_as_in_flink_or_ends_it_when_asked() {
    // connector.md 6.8, the trap: executed with Flink, and what the tombstone's own time would give.
    let flink = [None, Some(10), Some(10), None, None, None, Some(40)];
    let own = [None, Some(10), Some(10), Some(20), None, None, Some(40)];
    for (delete_time, expected) in [(DeleteTime::PreviousRow, flink), (DeleteTime::Own, own)] {
        let mut table = VersionedTable::new(2, &[0]).with_delete_time(delete_time);
        apply(&mut table, 1, Some(10), 1000);
        apply(&mut table, 1, Some(20), 2000);
        apply(&mut table, 1, None, 3000);
        apply(&mut table, 1, Some(40), 4000);
        let found = [500, 1000, 1500, 2000, 3000, 3500, 4500].map(|time| as_of(&mut table, 1, time));
        assert_eq!(found, expected, "{delete_time:?}");
        assert_eq!(as_of(&mut table, 2, 4500), None, "another key");
    }
}

/// A table of the versions of `rates`, whose time column is `time`.
fn rates(time: &str, connector: &str) -> VersionedTable {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE rates (rate INT, {time}, currency INT, WATERMARK FOR ts AS ts, \
         PRIMARY KEY (currency) NOT ENFORCED) WITH ('topic' = 'rates', \
         'properties.bootstrap.servers' = 'b:9092', {connector})"
    ));
    table.and_then(|table| table.source(&Settings::default())).unwrap().versioned_table().unwrap()
}

#[test]
fn a_delete_takes_effect_when_the_plan_of_the_table_says() {
    // Run with Flink 2.3.0: +I 1 at 1 s, -D, +I 2 at 5 s, orders at 1.2, 2.5 and 4 s.
    let upsert = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'";
    let cdc =
        "'connector' = 'kafka', 'scan.startup.mode' = 'earliest-offset', 'value.format' = 'debezium-json'";
    let by_metadata = "ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'";
    for (mut table, delete_time, expected) in [
        (rates("ts TIMESTAMP(3)", upsert), DeleteTime::Epoch, [Some(1); 3]),
        (rates(by_metadata, upsert), DeleteTime::PreviousRow, [None; 3]),
        // The delete of a changelog format brings its time: here 2 s.
        (rates("ts TIMESTAMP(3)", cdc), DeleteTime::Own, [Some(1), None, None]),
    ] {
        assert_eq!(table.delete_time, delete_time);
        let mut apply = |kind, rate: Option<i32>, time| {
            let row = [rate.map_or(Datum::Null, Datum::Int), Datum::Null, Datum::Int(978)];
            table.apply(kind, &row, time).unwrap();
        };
        apply(RowKind::Insert, Some(1), 1000);
        apply(RowKind::Delete, None, 2000);
        apply(RowKind::UpdateBefore, Some(1), 1000);
        apply(RowKind::Insert, Some(2), 5000);
        let found = [1200, 2500, 4000].map(|time| {
            table.as_of(&[Datum::Int(978)], time).map(|row| match row.datum(0) {
                Datum::Int(rate) => rate,
                other => panic!("{other:?}"),
            })
        });
        assert_eq!(found, expected, "{delete_time:?}");
    }
}

#[test]
fn the_version_with_the_greatest_time_up_to_the_asked_one_is_found() {
    // The example at TemporalRowTimeJoinOperator.latestRightRowToJoin: [1(+I), 4(+U), 7(+U), 9(-D), 12(I)].
    let mut table = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
    for (value, time) in [(Some(12), 12), (Some(7), 7), (Some(1), 1), (Some(4), 4), (None, 9)] {
        apply(&mut table, 1, value, time);
    }
    assert_eq!([6, 10, 12].map(|time| as_of(&mut table, 1, time)), [Some(4), None, Some(12)]);
    apply(&mut table, 1, Some(44), 4);
    assert_eq!(as_of(&mut table, 1, 6), Some(44), "of two at one time the later arrival");
}

#[test]
fn a_delete_of_a_key_without_a_row_is_nothing() {
    let mut table = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
    apply(&mut table, 1, None, 1);
    apply(&mut table, 1, Some(2), 2);
    apply(&mut table, 1, None, 3);
    apply(&mut table, 1, None, 1);
    assert_eq!(table.versions(), 2);
    assert_eq!([1, 2, 3].map(|time| as_of(&mut table, 1, time)), [None, Some(2), None]);
}

#[test]
fn the_watermark_leaves_one_version_below_it() {
    let mut table = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
    for time in [1, 4, 7, 9] {
        apply(&mut table, 1, Some(0), time);
        apply(&mut table, 2, Some(0), time);
    }
    table.advance_watermark(7);
    table.advance_watermark(3);
    apply(&mut table, 1, Some(0), 11);
    assert_eq!(table.versions(), 3 + 4, "when a key is written");
    table.clean_up();
    assert_eq!(table.versions(), 3 + 2);
    table.advance_watermark(i64::MAX);
    table.clean_up();
    assert_eq!(table.versions(), 2);
}

#[test]
fn a_snapshot_whose_versions_are_not_in_order_is_refused() {
    let snapshot = |times: [i64; 2]| {
        let mut table = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
        apply(&mut table, 1, Some(7), 1);
        apply(&mut table, 1, Some(7), 2);
        let bytes = snapshot_of(&table);
        // The row is the same, so that the times alone tell the two apart.
        let [first, second] = [1_i64, 2].map(|time| {
            bytes.windows(9).rposition(|window| *window == [&time.to_le_bytes()[..], &[1]].concat()).unwrap()
        });
        let mut changed = bytes;
        changed[first..][..8].copy_from_slice(&times[0].to_le_bytes());
        changed[second..][..8].copy_from_slice(&times[1].to_le_bytes());
        changed
    };
    let mut table = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
    assert!(table.restore(&snapshot([3, 4])).is_ok());
    for times in [[4, 3], [3, 3]] {
        assert_eq!(table.restore(&snapshot(times)).unwrap_err().kind(), ErrorKind::State, "{times:?}");
    }
    assert_eq!(as_of(&mut table, 1, 3), Some(7), "the table is as it was");
}

/// All arrivals of a key, each looked at for each question.
#[derive(Default)]
struct Model {
    versions: BTreeMap<i64, Option<i32>>,
    last: Option<i64>,
}

impl Model {
    fn apply(&mut self, value: Option<i32>, time: i64, delete_time: DeleteTime) {
        let at = match (value, self.last, delete_time) {
            (None, _, DeleteTime::Epoch) => 0,
            (None, None, _) => return,
            (None, Some(previous), DeleteTime::PreviousRow) => previous,
            (None, Some(_), DeleteTime::Own) | (Some(_), ..) => time,
        };
        self.versions.insert(at, value);
        self.last = value.map(|_| time);
    }

    fn as_of(&self, time: i64) -> Option<i32> {
        self.versions.range(..=time).next_back().and_then(|(_, value)| *value)
    }
}

proptest! {
    #[test]
    fn from_the_watermark_on_every_version_is_found(
        arrivals in prop::collection::vec((0..2_i32, any::<Option<i32>>(), 0..20_i64, 0..20_i64), 0..50),
        delete_time in prop::sample::select(vec![DeleteTime::PreviousRow, DeleteTime::Epoch, DeleteTime::Own]),
        restart in 0_usize..50,
    ) {
        let mut table = VersionedTable::new(2, &[0]).with_delete_time(delete_time);
        let mut models = [Model::default(), Model::default()];
        let mut watermark = 0;
        for (index, (key, value, time, advance)) in arrivals.into_iter().enumerate() {
            // A row that is late may be older than what was kept; Flink has forgotten as much.
            let time = time.max(watermark);
            apply(&mut table, key, value, time);
            models[usize::try_from(key).unwrap()].apply(value, time, delete_time);
            if index % 7 == 6 {
                watermark = watermark.max(advance);
                table.advance_watermark(watermark);
            }
            if index % 11 == 10 {
                table.clean_up();
            }
            if index == restart {
                let snapshot = snapshot_of(&table);
                table = VersionedTable::new(2, &[0]).with_delete_time(delete_time);
                table.restore(&snapshot).unwrap();
                prop_assert_eq!(snapshot_of(&table), snapshot);
            }
            for (key, model) in (0..).zip(&models) {
                for time in watermark..22 {
                    prop_assert_eq!(as_of(&mut table, key, time), model.as_of(time));
                }
            }
        }
    }

    #[test]
    fn foreign_snapshots_are_a_table_or_an_error(bytes: Vec<u8>, at: prop::sample::Index, byte: u8) {
        let mut table = VersionedTable::new(2, &[0]).with_delete_time(DeleteTime::Own);
        let _ = table.restore(&bytes);
        apply(&mut table, 1, Some(1), 1);
        apply(&mut table, 1, None, 2);
        apply(&mut table, 2, Some(2), 3);
        let mut snapshot = snapshot_of(&table);
        let at = at.index(snapshot.len());
        prop_assert_eq!(table.restore(&snapshot[..at]).unwrap_err().kind(), ErrorKind::State);
        prop_assert_eq!(table.versions(), 3);
        snapshot[at] = byte;
        let _ = table.restore(&snapshot);
    }
}
