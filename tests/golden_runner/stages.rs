//! Changes through one of Flink's operators, and through our stage of the same work.

use std::time::Duration;

use serde_json::{Value, json};
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::sink::{ReduceBuffer, UpsertMaterializer};
use upsert_kafka::source::Retractions;
use upsert_kafka::state::Changes;
use upsert_kafka::table::BufferFlush;
use upsert_kafka::{ChangelogNormalizer, Error, Row, RowBuf, RowKind};

use super::compare::{check_lists, show_row};
use super::table::{list, row_columns, text};
use super::{Case, Unmet};

/// `{"table", "settings", "changes", "outputs"}`: what each change hands out. A change is `[kind, values, now_ms]`, or a
/// word: "flush", and of the buffer also "early" and "due", when its timer fires before or after the interval is over.
fn run(case: &Case, stage: &mut dyn Stage) -> Result<(), Unmet> {
    let columns = row_columns(case, false).map_err(|error| Unmet::mismatch("a table", error.to_string()))?;
    let key: Vec<usize> = key_columns(case);
    let rows = JsonRows::new(columns.clone());
    let show = |kind: RowKind, row: &RowBuf| {
        let key: Vec<String> = key.iter().map(|&column| format!("{:?}", row.datum(column))).collect();
        (key, format!("{kind} {}", show_row(row, columns.len())))
    };
    let mut row = RowBuf::new();
    let mut read = |json: &Value| {
        let kind = rows.read(&json.to_string(), &mut row).expect("a row of the table");
        (kind, row.clone())
    };
    let in_order = |mut shown: Vec<(Vec<String>, String)>| -> String {
        // Flink's order is that of a hash map; per key it is fixed.
        shown.sort_by(|(a, _), (b, _)| a.cmp(b));
        shown.into_iter().map(|(_, row)| row).collect::<Vec<_>>().join(", ")
    };
    let (mut expected, mut got) = (Vec::new(), Vec::new());
    let mut now_ms = 0;
    let (changes, outputs) = (list(case.get("changes")), list(case.get("outputs")));
    if changes.len() != outputs.len() {
        let of_changes = format!("outputs of {} changes", changes.len());
        return Err(Unmet::mismatch(of_changes, format!("those of {}", outputs.len())));
    }
    for (change, output) in changes.iter().zip(outputs) {
        let of_flink = list(output).iter().map(&mut read);
        expected.push(in_order(of_flink.map(|(kind, row)| show(kind, &row)).collect()));
        let ours = match change.as_str() {
            Some(word) => stage.tell(word, now_ms),
            None => {
                let (kind, row) = read(&Value::Array(list(change)[..2].to_vec()));
                now_ms = change[2].as_i64().unwrap_or(0);
                stage.apply(kind, &row, now_ms)
            }
        };
        got.push(match ours {
            Ok(changes) => in_order(changes.iter().map(|(kind, row)| show(*kind, row)).collect()),
            Err(error) => error.to_string(),
        });
    }
    check_lists(OUTPUT, &expected, &got)
}

const OUTPUT: &str = "the output of change";

/// The operator ChangelogNormalize.
pub fn normalize(case: &Case) -> Result<(), Unmet> {
    let settings = case.get("settings");
    let retractions =
        if settings["update_before"] == true { Retractions::Full } else { Retractions::Deletes };
    let mut stage = ChangelogNormalizer::new(width(case), &key_columns(case))
        .with_retractions(retractions)
        .with_ttl(ttl(settings))
        .with_bundle(number(&settings["bundle"]));
    run(case, &mut stage)
}

/// The operator SinkMaterializer.
pub fn materialize(case: &Case) -> Result<(), Unmet> {
    let settings = case.get("settings");
    let upsert_key: Vec<usize> = list(&settings["upsert_key"]).iter().map(number).collect();
    let mut stage = UpsertMaterializer::new(width(case), &key_columns(case))
        .with_upsert_key(&upsert_key)
        .with_ttl(ttl(settings));
    run(case, &mut stage)
}

/// A retraction that finds the row or does not, by an upsert key of which Flink's `==` says otherwise than its bytes.
pub fn an_upsert_key_is_matched_as_bytes(case: &Case, expected: &str, got: &str) -> bool {
    let columns = &case.get("table")["columns"];
    let of_key =
        list(&case.get("settings")["upsert_key"]).iter().map(|column| text(&columns[number(column)][1]));
    let is_compared =
        |sql: &str| ["FLOAT", "DOUBLE", "MAP", "MULTISET"].iter().any(|name| sql.contains(name));
    let place = expected.strip_prefix(OUTPUT).and_then(|rest| rest.trim_start().split_once(": "));
    let change = place.and_then(|(index, _)| case.get("changes").get(index.parse::<usize>().ok()?));
    let (Some((_, expected)), Some(change), Ok(columns)) = (place, change, row_columns(case, false)) else {
        return false;
    };
    let mut row = RowBuf::new();
    let retraction = json!(["-D", change[1]]).to_string();
    let is_row = JsonRows::new(columns.clone()).read(&retraction, &mut row).is_ok();
    let deleted = format!("-D {}", show_row(&row, columns.len()));
    of_key.into_iter().any(is_compared)
        && is_row
        && [(expected, got), (got, expected)].contains(&("", &deleted))
}

/// The buffer of a sink.
pub fn reduce(case: &Case) -> Result<(), Unmet> {
    let max_rows = number(&case.get("settings")["max_rows"]).try_into().expect("a few rows");
    let flush = BufferFlush { max_rows, interval_ms: NEVER_MS };
    run(case, &mut ReduceBuffer::new(width(case), &key_columns(case), flush, 0))
}

const NEVER_MS: u64 = 3_600_000;

type Out = Result<Vec<(RowKind, RowBuf)>, Error>;

trait Stage {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> Out;

    fn tell(&mut self, word: &str, now_ms: i64) -> Out;
}

impl Stage for ChangelogNormalizer {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> Out {
        self.apply(kind, row, now_ms).map(owned)
    }

    fn tell(&mut self, _: &str, now_ms: i64) -> Out {
        self.flush(now_ms).map(owned)
    }
}

impl Stage for UpsertMaterializer {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, now_ms: i64) -> Out {
        self.apply(kind, row, now_ms).map(owned)
    }

    fn tell(&mut self, word: &str, _: i64) -> Out {
        panic!("nothing waits in a materializer: {word}")
    }
}

/// Its timer is the caller's, which flushes once the deadline is over; the clock stands still meanwhile.
impl Stage for ReduceBuffer {
    fn apply(&mut self, kind: RowKind, row: &RowBuf, _: i64) -> Out {
        self.apply(kind, row, 0).map(owned)
    }

    fn tell(&mut self, word: &str, _: i64) -> Out {
        let fires_ms = match word {
            "early" => 0,
            "due" => i64::MAX,
            _ => self.deadline_ms(),
        };
        Ok(if fires_ms >= self.deadline_ms() { owned(self.flush(0)) } else { Vec::new() })
    }
}

fn owned(changes: Changes<'_>) -> Vec<(RowKind, RowBuf)> {
    changes.map(|(kind, row)| (kind, row.clone())).collect()
}

fn width(case: &Case) -> usize {
    list(&case.get("table")["columns"]).len()
}

fn key_columns(case: &Case) -> Vec<usize> {
    let table = case.get("table");
    let place = |name: &Value| list(&table["columns"]).iter().position(|column| column[0] == *name);
    list(&table["primary_key"]).iter().map(|name| place(name).expect("a column")).collect()
}

fn ttl(settings: &Value) -> Duration {
    Duration::from_millis(settings["ttl_ms"].as_u64().unwrap_or(0))
}

fn number(json: &Value) -> usize {
    json.as_u64().and_then(|number| usize::try_from(number).ok()).expect("a small number")
}
