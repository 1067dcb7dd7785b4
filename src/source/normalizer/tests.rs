use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::row::{Datum, Decimal};

const HOUR: Duration = Duration::from_secs(3600);
const HOUR_MS: i64 = 3_600_000;

/// id, (name, n) or null, offset.
type Record = (i64, Option<(&'static str, i32)>, i64);

/// The records of connector.md 6.6's reference run; the one with a null key is no row.
const REFERENCE: [Record; 9] = [
    (1, Some(("a", 1)), 0),
    (1, Some(("a", 1)), 1),
    (1, Some(("a", 2)), 2),
    (2, None, 3),
    (2, Some(("b", 9)), 4),
    (2, None, 5),
    (2, None, 6),
    (2, Some(("c", 3)), 7),
    (1, Some(("z", 2)), 9),
];

/// The row that an upsert source makes of such a record, with the columns that a query asks for.
fn reference_row((id, value, offset): Record, columns: &[&str]) -> (RowKind, RowBuf) {
    let row = columns.iter().map(|column| match (*column, value) {
        ("id", _) => Datum::BigInt(id),
        ("name", Some((name, _))) => Datum::String(name),
        ("n", Some((_, n))) => Datum::Int(n),
        ("offset", _) => Datum::BigInt(offset),
        _ => Datum::Null,
    });
    (if value.is_some() { RowKind::Insert } else { RowKind::Delete }, row.collect())
}

fn show(out: &ChangelogBuf) -> Vec<String> {
    let value = |datum: Datum<'_>| match datum {
        Datum::BigInt(value) => value.to_string(),
        Datum::Int(value) => value.to_string(),
        Datum::String(value) => value.to_owned(),
        other => format!("{other:?}"),
    };
    let row = |row: &RowBuf| row.iter().map(value).collect::<Vec<_>>().join(",");
    out.iter().map(|(kind, values)| format!("{kind}({})", row(values))).collect()
}

/// Notes what a normalizer says.
fn note(changes: Changes<'_>, out: &mut ChangelogBuf) {
    for (kind, row) in changes {
        out.push(kind, 0).copy_from(row, row.columns());
    }
}

fn run_reference(mut normalizer: ChangelogNormalizer, columns: &[&str]) -> Vec<String> {
    let mut out = ChangelogBuf::new();
    for record in REFERENCE {
        let (kind, row) = reference_row(record, columns);
        note(normalizer.apply(kind, &row, 0).unwrap(), &mut out);
    }
    show(&out)
}

#[test]
fn queries_over_an_upsert_source_see_what_flink_shows_them() {
    let all = ["id", "name", "n"];
    assert_eq!(
        run_reference(ChangelogNormalizer::new(3, &[0]), &all),
        [
            "+I(1,a,1)",
            "-U(1,a,1)",
            "+U(1,a,2)",
            "+I(2,b,9)",
            "-D(2,b,9)",
            "+I(2,c,3)",
            "-U(1,a,2)",
            "+U(1,z,2)"
        ]
    );
    assert_eq!(
        run_reference(ChangelogNormalizer::new(2, &[0]), &["id", "name"]),
        ["+I(1,a)", "+I(2,b)", "-D(2,b)", "+I(2,c)", "-U(1,a)", "+U(1,z)"]
    );
    let two = |row: &dyn Row| matches!(row.datum(2), Datum::Int(2));
    assert_eq!(
        run_reference(ChangelogNormalizer::new(3, &[0]).with_filter(two), &all),
        ["+I(1,a,2)", "-U(1,a,2)", "+U(1,z,2)"]
    );
    assert_eq!(
        run_reference(ChangelogNormalizer::new(3, &[0]), &["id", "name", "offset"]),
        [
            "+I(1,a,0)",
            "-U(1,a,0)",
            "+U(1,a,1)",
            "-U(1,a,1)",
            "+U(1,a,2)",
            "+I(2,b,4)",
            "-D(2,b,4)",
            "+I(2,c,7)",
            "-U(1,a,2)",
            "+U(1,z,9)"
        ]
    );
    assert_eq!(
        run_reference(ChangelogNormalizer::new(3, &[0]).with_ttl(HOUR), &all),
        [
            "+I(1,a,1)",
            "-U(1,a,1)",
            "+U(1,a,1)",
            "-U(1,a,1)",
            "+U(1,a,2)",
            "+I(2,b,9)",
            "-D(2,b,9)",
            "+I(2,c,3)",
            "-U(1,a,2)",
            "+U(1,z,2)"
        ]
    );
}

#[test]
fn a_bundle_keeps_the_last_row_of_each_key() {
    let mut normalizer = ChangelogNormalizer::new(3, &[0]).with_bundle(REFERENCE.len());
    let mut out = ChangelogBuf::new();
    for record in REFERENCE {
        assert!(out.is_empty());
        let (kind, row) = reference_row(record, &["id", "name", "n"]);
        note(normalizer.apply(kind, &row, 0).unwrap(), &mut out);
    }
    assert_eq!(normalizer.bundle_len(), 0);
    // Flink's hash map has key 2 before key 1.
    assert_eq!(show(&out), ["+I(1,z,2)", "+I(2,c,3)"]);
}

#[test]
fn compared_columns_decide_what_an_update_is_and_the_older_row_stays() {
    let normalizer = ChangelogNormalizer::new(4, &[0]).with_compared_columns(&[0, 1]);
    assert_eq!(
        run_reference(normalizer, &["id", "name", "n", "offset"]),
        ["+I(1,a,1,0)", "+I(2,b,9,4)", "-D(2,b,9,4)", "+I(2,c,3,7)", "-U(1,a,1,0)", "+U(1,z,2,9)"]
    );
}

#[test]
fn retractions_are_said_as_asked() {
    let run = |retractions| {
        run_reference(ChangelogNormalizer::new(2, &[0]).with_retractions(retractions), &["id", "name"])
    };
    let kept = ["+I(1,a)", "+I(2,b)", "-D(2,b)", "+I(2,c)", "+U(1,z)"];
    assert_eq!(run(Retractions::Deletes), kept);
    assert_eq!(run(Retractions::KeyedDeletes), kept.map(|row| row.replace("-D(2,b)", "-D(2,Null)")));
}

#[test]
fn a_row_that_leaves_the_filter_is_deleted() {
    // connector.md 6.6: R and not f(N): -D R; then the key is unknown.
    let mut normalizer = ChangelogNormalizer::new(3, &[0]).with_filter(|row| row.datum(1).is_null());
    let mut out = ChangelogBuf::new();
    let mut apply = |name, n| {
        let row = [Datum::BigInt(1), name, Datum::Int(n)];
        note(normalizer.apply(RowKind::UpdateAfter, &row, 0).unwrap(), &mut out);
    };
    apply(Datum::Null, 1);
    apply(Datum::String("a"), 2);
    apply(Datum::String("b"), 3);
    apply(Datum::Null, 4);
    assert_eq!(show(&out), ["+I(1,Null,1)", "-D(1,Null,1)", "+I(1,Null,4)"]);
}

#[test]
fn state_expires_when_its_time_is_over() {
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_ttl(HOUR);
    let mut apply = |kind, name, now_ms| {
        let mut out = ChangelogBuf::new();
        note(normalizer.apply(kind, &[Datum::BigInt(1), Datum::String(name)], now_ms).unwrap(), &mut out);
        show(&out)
    };
    assert_eq!(apply(RowKind::Insert, "a", 0), ["+I(1,a)"]);
    assert_eq!(apply(RowKind::Insert, "a", HOUR_MS - 1), ["-U(1,a)", "+U(1,a)"], "and lives on");
    assert_eq!(apply(RowKind::Insert, "b", 2 * HOUR_MS - 2), ["-U(1,a)", "+U(1,b)"]);
    assert_eq!(apply(RowKind::Insert, "b", 3 * HOUR_MS - 2), ["+I(1,b)"], "an update looks like an insert");
    assert_eq!(apply(RowKind::Delete, "", 4 * HOUR_MS - 2), [""; 0], "a delete is lost");
    assert_eq!(normalizer.store().len(), 1);
    normalizer.remove_expired(4 * HOUR_MS - 3);
    assert_eq!(normalizer.store().len(), 1);
    normalizer.remove_expired(4 * HOUR_MS - 2);
    assert!(normalizer.store().is_empty());
}

#[test]
fn a_digest_is_16_bytes() {
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_retractions(Retractions::KeyedDeletes);
    let row = [Datum::BigInt(1), Datum::Bytes(&[7; 1000])];
    assert_eq!(normalizer.apply(RowKind::Insert, &row, 0).unwrap().len(), 1);
    assert!(normalizer.store().iter().all(|(_, value)| value.len() == 16));
}

#[test]
fn the_records_key_files_what_the_rows_key_misses() {
    // connector.md 6.7: with ALL the upsert is filed under the value's key, the delete under the record's.
    let (upsert, delete) = ([Datum::BigInt(2)], [Datum::BigInt(1)]);
    let mut by_row = ChangelogNormalizer::new(1, &[0]);
    let mut out = ChangelogBuf::new();
    note(by_row.apply(RowKind::Insert, &upsert, 0).unwrap(), &mut out);
    note(by_row.apply(RowKind::Delete, &delete, 0).unwrap(), &mut out);
    assert_eq!(show(&out), ["+I(2)"]);
    let mut by_record = ChangelogNormalizer::new(1, &[0]);
    out.clear();
    note(by_record.apply_keyed(b"1", RowKind::Insert, &upsert, 0).unwrap(), &mut out);
    note(by_record.apply_keyed(b"1", RowKind::Delete, &delete, 0).unwrap(), &mut out);
    assert_eq!(show(&out), ["+I(2)", "-D(2)"]);
}

/// A store that fails while it is told to.
struct Failing(MemoryStore, Arc<AtomicBool>);

impl Failing {
    fn check(&self) -> Result<(), Error> {
        if self.1.load(Ordering::Relaxed) { Err(Error::new(ErrorKind::Unavailable, "away")) } else { Ok(()) }
    }
}

impl StateStore for Failing {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        self.0.get(key, value)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        self.check()?;
        self.0.put(key, value)
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        self.check()?;
        self.0.remove(key)
    }
}

#[test]
fn what_a_failing_store_refuses_is_not_said_and_stays_in_the_bundle() {
    let fails = Arc::new(AtomicBool::new(false));
    let store = Failing(MemoryStore::new(), Arc::clone(&fails));
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_store(store);
    let row = |id| [Datum::BigInt(id), Datum::Null];
    assert_eq!(normalizer.apply(RowKind::Insert, &row(1), 0).unwrap().len(), 1);
    fails.store(true, Ordering::Relaxed);
    normalizer.apply(RowKind::Delete, &row(1), 0).unwrap_err();
    let mut normalizer = normalizer.with_bundle(4);
    for id in 1..=3 {
        assert_eq!(normalizer.apply(RowKind::Insert, &row(id), 0).unwrap().len(), 0);
    }
    assert_eq!(normalizer.flush(0).unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(normalizer.bundle_len(), 2, "key 1 has not changed and is done");
    fails.store(false, Ordering::Relaxed);
    let mut out = ChangelogBuf::new();
    note(normalizer.flush(0).unwrap(), &mut out);
    assert_eq!(show(&out), ["+I(2,Null)", "+I(3,Null)"]);
}

#[test]
fn what_a_bundle_changed_before_it_failed_is_said_by_the_next_call() {
    let fails = Arc::new(AtomicBool::new(false));
    let mut store = Failing(MemoryStore::new(), Arc::clone(&fails));
    let mut key = Vec::new();
    append_key([Datum::BigInt(2)], &mut key).unwrap();
    store.put(&key, &[0xff]).unwrap();
    let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_store(store).with_bundle(3);
    let row = |id| [Datum::BigInt(id), Datum::Null];
    for id in 1..=2 {
        assert_eq!(normalizer.apply(RowKind::Insert, &row(id), 0).unwrap().len(), 0);
    }
    assert_eq!(normalizer.apply(RowKind::Insert, &row(3), 0).unwrap_err().kind(), ErrorKind::State);
    normalizer.store_mut().remove(&key).unwrap();
    let mut out = ChangelogBuf::new();
    note(normalizer.flush(0).unwrap(), &mut out);
    assert_eq!(show(&out), ["+I(1,Null)", "+I(2,Null)", "+I(3,Null)"]);
}

#[test]
fn normalize_vectors_come_out_as_flink_collected_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/normalize.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    assert!(lines.lines().count() > 0);
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let has_ttl = case["settings"].get("table.exec.state.ttl").is_some();
        let ttl = if has_ttl { HOUR } else { Duration::ZERO };
        let mut normalizer = ChangelogNormalizer::new(3, &[0]).with_ttl(ttl);
        let mut out = ChangelogBuf::new();
        for record in case["records"].as_array().unwrap() {
            let json =
                |part: &str| record[part]["text"].as_str().map(|text| serde_json::from_str(text).unwrap());
            let (key, value): (Option<Value>, Option<Value>) = (json("key"), json("value"));
            let kind = if value.is_some() { RowKind::Insert } else { RowKind::Delete };
            let id = key.and_then(|key| key["id"].as_i64()).map_or(Datum::Null, Datum::BigInt);
            let value = value.unwrap_or_default();
            let name = value["name"].as_str().map_or(Datum::Null, Datum::String);
            // DECIMAL(10, 2) is rounded half up.
            let cents = value["amt"].as_f64().map(|amount| format!("{:.0}", amount * 100.0));
            let amount =
                cents.map_or(Datum::Null, |cents| Datum::Decimal(Decimal::new(cents.parse().unwrap(), 2)));
            note(normalizer.apply(kind, &[id, name, amount], 0).unwrap(), &mut out);
        }
        let shown: Vec<_> = out.iter().map(|(kind, row)| format!("{kind} {row:?}")).collect();
        let expected: Vec<_> = case["collected"].as_array().unwrap().iter().map(expected_row).collect();
        assert_eq!(shown, expected, "{}", case["id"]);
    }
}

/// `[kind, [id, name, amt]]` as [`RowBuf`] shows it.
fn expected_row(json: &Value) -> String {
    let value = |json: &Value, name: &str, text: &str| match json {
        Value::Null => "Null".to_owned(),
        _ => format!("{name}({text})"),
    };
    let [id, name, amount] = [0, 1, 2].map(|index| &json[1][index]);
    let id = value(id, "BigInt", &id.to_string());
    let name = value(name, "String", &name.to_string());
    let amount = value(amount, "Decimal", amount.as_str().unwrap_or(""));
    format!("{} [{id}, {name}, {amount}]", json[0].as_str().unwrap())
}

type Table = BTreeMap<i64, Option<f64>>;

/// Folds a changelog, and checks that each retraction names the row that is there.
fn fold(table: &mut Table, changes: Changes<'_>) {
    for (kind, row) in changes {
        let Datum::BigInt(id) = row.datum(0) else { panic!("{row:?}") };
        let value = match row.datum(1) {
            Datum::Double(value) => Some(value),
            _ => None,
        };
        let before = match kind {
            RowKind::Insert | RowKind::UpdateAfter => table.insert(id, value),
            RowKind::UpdateBefore | RowKind::Delete => {
                let before = table.remove(&id);
                assert_eq!(before.map(|value| value.map(f64::to_bits)), Some(value.map(f64::to_bits)));
                before
            }
        };
        assert_eq!(
            before.is_some(),
            kind != RowKind::Insert && kind != RowKind::UpdateAfter,
            "{kind} {row:?}"
        );
    }
}

fn changes() -> impl Strategy<Value = Vec<(RowKind, i64, Option<f64>)>> {
    let kinds = prop::sample::select(RowKind::ALL.to_vec());
    let values = prop::sample::select(vec![None, Some(0.0), Some(-0.0), Some(f64::NAN), Some(1.5)]);
    prop::collection::vec((kinds, 0_i64..3, values), 0..60)
}

fn row_of(id: i64, value: Option<f64>) -> [Datum<'static>; 2] {
    [Datum::BigInt(id), value.map_or(Datum::Null, Datum::Double)]
}

proptest! {
    #[test]
    fn the_changelog_adds_up_to_the_table(changes in changes(), bundle in 1_usize..5, restart in 0_usize..60) {
        let mut normalizer = ChangelogNormalizer::new(2, &[0]);
        let mut bundling = ChangelogNormalizer::new(2, &[0]).with_bundle(bundle);
        let (mut table, mut folded, mut folded_bundles) = (Table::new(), Table::new(), Table::new());
        for (index, (kind, id, value)) in changes.into_iter().enumerate() {
            if index == restart {
                for stage in [&mut normalizer, &mut bundling] {
                    let mut snapshot = Vec::new();
                    stage.snapshot(&mut snapshot).unwrap();
                    let bundle = stage.bundle_size;
                    *stage = ChangelogNormalizer::new(2, &[0]).with_bundle(bundle);
                    stage.restore(&snapshot).unwrap();
                }
            }
            fold(&mut folded, normalizer.apply(kind, &row_of(id, value), 0).unwrap());
            fold(&mut folded_bundles, bundling.apply(kind, &row_of(id, value), 0).unwrap());
            if kind.is_retraction() { table.remove(&id) } else { table.insert(id, value) };
        }
        fold(&mut folded_bundles, bundling.flush(0).unwrap());
        prop_assert_eq!(format!("{folded:?}"), format!("{table:?}"));
        prop_assert_eq!(format!("{folded_bundles:?}"), format!("{table:?}"));
    }

    #[test]
    fn digests_find_the_changes_that_rows_find(changes in changes()) {
        let mut rows = ChangelogNormalizer::new(2, &[0]).with_retractions(Retractions::Deletes);
        let mut digests = ChangelogNormalizer::new(2, &[0]).with_retractions(Retractions::KeyedDeletes);
        let (mut of_rows, mut of_digests) = (ChangelogBuf::new(), ChangelogBuf::new());
        for (kind, id, value) in changes {
            note(rows.apply(kind, &row_of(id, value), 0).unwrap(), &mut of_rows);
            note(digests.apply(kind, &row_of(id, value), 0).unwrap(), &mut of_digests);
        }
        let without_deleted = |out: &ChangelogBuf| -> Vec<String> {
            let columns = |kind| if kind == RowKind::Delete { 1 } else { 2 };
            out.iter().map(|(kind, row)| format!("{kind} {:?}", RowBuf::copy_of(row, columns(kind)))).collect()
        };
        prop_assert_eq!(without_deleted(&of_rows), without_deleted(&of_digests));
    }

    #[test]
    fn foreign_state_is_a_row_or_an_error(state: Vec<u8>, has_ttl: bool, which in 0_usize..3) {
        let retractions = [Retractions::Full, Retractions::Deletes, Retractions::KeyedDeletes][which];
        let mut store = MemoryStore::new();
        store.put(b"k", &state).unwrap();
        let mut normalizer = ChangelogNormalizer::new(2, &[0])
            .with_store(store)
            .with_retractions(retractions)
            .with_ttl(if has_ttl { HOUR } else { Duration::ZERO });
        if let Err(error) = normalizer.apply_keyed(b"k", RowKind::Delete, &row_of(1, None), 0) {
            prop_assert_eq!(error.kind(), ErrorKind::State);
        }
    }

    #[test]
    fn foreign_snapshots_are_state_or_an_error(bytes: Vec<u8>, at: prop::sample::Index, byte: u8) {
        let mut normalizer = ChangelogNormalizer::new(2, &[0]).with_bundle(3);
        let _ = normalizer.restore(&bytes);
        for id in 0..4 {
            let _ = normalizer.apply(RowKind::Insert, &row_of(id, None), 0);
        }
        let mut snapshot = Vec::new();
        normalizer.snapshot(&mut snapshot).unwrap();
        let at = at.index(snapshot.len());
        prop_assert_eq!(normalizer.restore(&snapshot[..at]).unwrap_err().kind(), ErrorKind::State);
        snapshot[at] = byte;
        let _ = normalizer.restore(&snapshot);
    }
}
