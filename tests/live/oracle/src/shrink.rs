//! Failing cases made small.

use serde_json::{Value, json};

use crate::case::Codec;
use crate::golden_runner::bytes::read_bytes;
use crate::random::base64;

/// So many smaller cases are tried.
const TRIES: usize = 600;

/// The smallest case found for which `fails` still holds.
pub fn shrink(mut case: Codec, mut fails: impl FnMut(&Codec) -> bool) -> Codec {
    let mut tries = 0;
    loop {
        // One at a time: a case with large values has many smaller ones.
        let smaller = each_smaller(&case, |smaller| {
            tries += 1;
            tries > TRIES || fails(smaller)
        });
        match smaller {
            Some(smaller) if tries <= TRIES => case = smaller,
            _ => return case,
        }
    }
}

/// The same of a case of a stage: the fewest changes found.
pub fn shrink_changes(mut case: Value, mut fails: impl FnMut(&Value) -> bool) -> Value {
    let count = |case: &Value| case["changes"].as_array().map_or(0, Vec::len);
    let mut size = count(&case).div_ceil(2);
    while size > 0 {
        let mut from = count(&case);
        while from > 0 {
            from = from.saturating_sub(size);
            let mut smaller = case.clone();
            let changes = smaller["changes"].as_array_mut().expect("it has changes");
            changes.drain(from..(from + size).min(changes.len()));
            if !changes.is_empty() && fails(&smaller) {
                case = smaller;
            }
        }
        size /= 2;
    }
    case
}

/// Tries the cases with one thing less, and answers the first one that `is_found` takes.
fn each_smaller(case: &Codec, mut is_found: impl FnMut(&Codec) -> bool) -> Option<Codec> {
    let mut found = None;
    let mut with = |change: &dyn Fn(&mut Codec)| {
        if found.is_some() {
            return;
        }
        let mut smaller = case.clone();
        change(&mut smaller);
        if !smaller.has_empty_value() && is_found(&smaller) {
            found = Some(smaller);
        }
    };
    if case.len() > 1 {
        (0..case.len()).for_each(|index| {
            with(&|case| {
                let one = list(case).remove(index);
                *list(case) = vec![one];
                case.goes_on = false;
            });
        });
        (0..case.len()).rev().for_each(|index| with(&|case| drop(list(case).remove(index))));
    }
    for column in (0..case.table.columns.len()).rev().filter(|_| case.table.columns.len() > 1) {
        with(&|case| {
            let (name, _) = case.table.columns.remove(column);
            case.table.primary_key.retain(|key| *key != name);
            if let Some(fields) = case.options.get_mut("key.fields") {
                *fields = fields.split(';').filter(|field| *field != name).collect::<Vec<_>>().join(";");
            }
            drop_values(case, column);
        });
    }
    for column in (0..case.table.metadata.len()).rev() {
        with(&|case| {
            let after: usize =
                case.table.metadata[..column].iter().filter(|(.., is_virtual)| !is_virtual).count();
            let (.., is_virtual) = case.table.metadata.remove(column);
            if !is_virtual {
                drop_values(case, case.table.columns.len() + after);
            }
        });
    }
    for key in case.options.keys().filter(|key| *key != "connector" && *key != "topic") {
        with(&|case| drop(case.options.remove(key)));
    }
    for index in 0..case.records.as_ref().map_or(0, Vec::len) {
        let record = &case.records.as_ref().expect("it has records")[index];
        for name in ["headers", "timestamp", "timestamp_type", "partition", "offset", "leader_epoch"] {
            if !record[name].is_null() {
                with(&|case| drop(list(case)[index].as_object_mut().map(|record| record.remove(name))));
            }
        }
        for part in ["key", "value"] {
            let Some(bytes) = read_bytes(&record[part]) else { continue };
            let mut size = bytes.len();
            while size > 0 {
                for from in (0..bytes.len()).step_by(size) {
                    let mut fewer = bytes.clone();
                    fewer.drain(from..(from + size).min(bytes.len()));
                    with(&|case| list(case)[index][part] = json!({"b64": base64(&fewer)}));
                }
                size /= 2;
            }
        }
    }
    found
}

fn list(case: &mut Codec) -> &mut Vec<Value> {
    case.rows.as_mut().or(case.records.as_mut()).expect("a case has rows or records")
}

/// A row has no value for a column any more.
fn drop_values(case: &mut Codec, column: usize) {
    for values in case.rows.iter_mut().flatten().filter_map(|row| row[1].as_array_mut()) {
        if column < values.len() {
            values.remove(column);
        }
    }
}
