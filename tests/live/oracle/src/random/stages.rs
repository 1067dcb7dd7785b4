//! Random changelogs for the stages.

use fastrand::Rng;
use serde_json::{Value, json};

use super::types::{Type, random_type};
use super::{COLUMN_NAMES, KINDS};

/// So many changes a case has.
const CHANGES: usize = 60;

/// Changes of few keys and values, and what they go through: an operator of Flink's or the connector's buffer. The vector
/// file, and the case.
#[must_use]
pub fn stage(rng: &mut Rng, id: u64) -> (&'static str, Value) {
    let count = rng.usize(2..6);
    let keys = rng.usize(1..=2);
    let mut names = COLUMN_NAMES;
    rng.shuffle(&mut names);
    let types: Vec<Type> = (0..count)
        .map(|column| {
            // No key of a map may be NULL.
            let column_type = random_type(rng, "avro", if column < keys { 0 } else { 2 });
            if column < keys { column_type.not_null() } else { column_type }
        })
        .collect();
    let pools: Vec<Vec<Value>> = types
        .iter()
        .map(|column| {
            let size = rng.usize(1..4);
            (0..size).map(|_| column.value(rng)).collect()
        })
        .collect();
    let ttl_ms = if rng.u32(..3) == 0 { 10 } else { 0 };
    let bundle = if rng.u32(..3) == 0 { rng.u32(2..6) } else { 1 };
    // Flink finds no MAP again there, and takes 0.0 for -0.0: a rule of the deviations.
    let has_equality = |column: &usize| {
        let sql = types[*column].sql();
        !["FLOAT", "DOUBLE", "MAP", "MULTISET"].iter().any(|name| sql.contains(name))
    };
    let upsert_key: Vec<usize> = (0..count).filter(|_| rng.u32(..4) == 0).filter(has_equality).collect();
    let (kind, file, words, settings): (_, _, &[&str], _) = match rng.u32(..3) {
        0 => (
            "normalize",
            "stages/normalize.jsonl",
            if bundle > 1 { &["flush"] } else { &[] },
            json!({"ttl_ms": ttl_ms, "bundle": bundle, "update_before": rng.bool()}),
        ),
        1 => (
            "materialize",
            "stages/materialize.jsonl",
            &[],
            json!({"ttl_ms": ttl_ms, "upsert_key": upsert_key}),
        ),
        _ => {
            ("reduce", "stages/reduce.jsonl", &["flush", "early", "due"], json!({"max_rows": rng.u32(1..8)}))
        }
    };
    let mut now_ms = 0;
    let mut changes: Vec<Value> = (0..CHANGES)
        .map(|_| {
            if rng.u32(..12) == 0
                && let Some(word) = rng.choice(words)
            {
                return json!(word);
            }
            let change_kind = *rng.choice(&KINDS).expect("there are kinds");
            // As of a tombstone.
            let has_key_only = change_kind == "-D" && kind == "normalize" && rng.bool();
            let values = pools.iter().zip(&types).enumerate().map(|(column, (pool, column_type))| {
                let value = rng.choice(pool).expect("there are values").clone();
                if has_key_only && column >= keys && column_type.is_nullable() { Value::Null } else { value }
            });
            let values: Vec<Value> = values.collect();
            now_ms += rng.i64(0..8);
            json!([change_kind, values, now_ms])
        })
        .collect();
    changes.extend(words.first().map(|word| json!(word)));
    let columns: Vec<Value> =
        names.iter().zip(&types).map(|(name, column)| json!([name, column.sql()])).collect();
    let table = json!({"columns": columns, "primary_key": names[..keys]});
    let id = format!("{kind}/live-{id}");
    (file, json!({"kind": kind, "id": id, "table": table, "settings": settings, "changes": changes}))
}
