//! Maps of entries that may come twice.
//!
//! Agrees with `java.util.LinkedHashMap.put`, which Flink's readers gather entries with.

use crate::row::{Datum, RowBuf, Slot};

/// Takes what was pushed since `mark`, key and value by turns, as one map, to be [stored](RowBuf::store): of a key that
/// comes again the first place and the last value stay. Only texts and NULL are keys.
///
/// Allocates only while the scratch of `row` grows to the largest map.
pub(crate) fn map_slot(row: &mut RowBuf, mark: usize) -> Slot {
    let entries = (row.begin() - mark) / 2;
    let kept =
        if entries <= FEW_ENTRIES { keep_few(row, mark, entries) } else { keep_many(row, mark, entries) };
    row.rewind(mark + 2 * kept);
    row.map_slot(mark)
}

/// More entries than this are sorted to find equal keys.
const FEW_ENTRIES: usize = 16;

/// Moves the entries that stay to the front, and says how many they are.
fn keep_few(row: &mut RowBuf, mark: usize, entries: usize) -> usize {
    let mut kept = 0;
    for entry in 0..entries {
        let earlier = (0..kept).find(|earlier| key(row, mark, *earlier) == key(row, mark, entry));
        let place = earlier.unwrap_or(kept);
        move_entry(row, mark, entry, place);
        kept = kept.max(place + 1);
    }
    kept
}

/// The same for any number of entries, at no more than the cost of sorting them.
fn keep_many(row: &mut RowBuf, mark: usize, entries: usize) -> usize {
    let entries = u32::try_from(entries).expect("so many values would fill 128 GiB");
    let mut order = row.take_scratch();
    order.extend(0..entries);
    order.sort_unstable_by_key(|entry| (key(row, mark, *entry as usize), *entry));
    // Of the entries of a key, which stand side by side, the first one stays and takes the value of the last.
    order.dedup_by(|later, first| {
        let is_repeated = key(row, mark, *later as usize) == key(row, mark, *first as usize);
        if is_repeated {
            row.copy_slot(mark + 2 * *later as usize + 1, mark + 2 * *first as usize + 1);
        }
        is_repeated
    });
    order.sort_unstable();
    for (place, entry) in order.iter().enumerate() {
        move_entry(row, mark, *entry as usize, place);
    }
    let kept = order.len();
    row.give_scratch(order);
    kept
}

fn key(row: &RowBuf, mark: usize, entry: usize) -> Option<&str> {
    match row.at(mark + 2 * entry) {
        Datum::String(key) => Some(key),
        _ => None,
    }
}

fn move_entry(row: &mut RowBuf, mark: usize, from: usize, to: usize) {
    row.copy_slot(mark + 2 * from, mark + 2 * to);
    row.copy_slot(mark + 2 * from + 1, mark + 2 * to + 1);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::row::Row;

    proptest! {
        #[test]
        fn a_key_keeps_its_first_place_and_its_last_value(
            keys in prop::collection::vec(prop::option::of("[a-e]{0,2}"), 0..60),
        ) {
            let mut row = RowBuf::with_columns(1);
            let mark = row.begin();
            let mut expected: Vec<(Option<&str>, i32)> = Vec::new();
            for (value, key) in (0..).zip(&keys) {
                row.push(key.as_deref().map_or(Datum::Null, Datum::String));
                row.push(Datum::Int(value));
                match expected.iter_mut().find(|(known, _)| *known == key.as_deref()) {
                    Some(entry) => entry.1 = value,
                    None => expected.push((key.as_deref(), value)),
                }
            }
            let slot = map_slot(&mut row, mark);
            row.store(0, slot);
            prop_assert_eq!(row.get::<Vec<(Option<&str>, i32)>>(0).unwrap(), expected);
        }
    }
}
