//! The order in which a `java.util.HashMap` gives its entries back: Flink copies a map into one before it writes it.

use crate::error::{Error, ErrorKind};
use crate::row::{Datum, Entries};

/// The entries of a map in the order of Flink's bytes, each key once with its last value.
///
/// Allocates above [`INLINE`] entries.
pub(super) struct HashOrder<'a> {
    entries: Entries<'a>,
    inline: [Slot; INLINE],
    spilled: Vec<Slot>,
    len: usize,
}

const INLINE: usize = 16;

/// A key and the place of its value.
#[derive(Clone, Copy, Default)]
struct Slot {
    hash: u32,
    /// The entry whose key counts: the first one.
    key: u32,
    /// The entry whose value counts: the last one.
    value: u32,
}

impl<'a> HashOrder<'a> {
    /// # Errors
    ///
    /// If a key is NULL, or no string.
    pub(super) fn new(entries: Entries<'a>) -> Result<Self, Error> {
        let mut order =
            Self { entries, inline: [Slot::default(); INLINE], spilled: Vec::new(), len: entries.len() };
        if order.len > INLINE {
            order.spilled.resize(order.len, Slot::default());
        }
        let mask = capacity(order.len) - 1;
        for index in 0..order.len {
            let hash = java_hash(key(entries, index)?);
            let entry = u32::try_from(index).expect("a map has at most u32::MAX entries");
            order.slots_mut()[index] = Slot { hash, key: entry, value: entry };
        }
        order.merge_equal_keys();
        order.slots_mut().sort_unstable_by_key(|slot| ((slot.hash ^ slot.hash >> 16) & mask, slot.key));
        Ok(order)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The keys with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, Datum<'a>)> {
        self.slots().iter().map(|slot| {
            let key = key(self.entries, slot.key as usize).unwrap_or_default();
            (key, self.entries.entry(slot.value as usize).1)
        })
    }

    /// A key that comes again replaces the value and stays where it was.
    fn merge_equal_keys(&mut self) {
        let (entries, slots) = (self.entries, self.slots_mut());
        let text = |slot: &Slot| key(entries, slot.key as usize).unwrap_or_default();
        slots.sort_unstable_by(|one, other| {
            one.hash.cmp(&other.hash).then_with(|| text(one).cmp(text(other))).then(one.key.cmp(&other.key))
        });
        let mut kept = 0;
        for index in 1..slots.len() {
            let slot = slots[index];
            if slots[kept].hash == slot.hash && text(&slots[kept]) == text(&slot) {
                slots[kept].value = slot.value;
            } else {
                kept += 1;
                slots[kept] = slot;
            }
        }
        self.len = self.len.min(kept + 1);
    }

    fn slots(&self) -> &[Slot] {
        let slots = if self.spilled.is_empty() { self.inline.as_slice() } else { &self.spilled };
        &slots[..self.len]
    }

    fn slots_mut(&mut self) -> &mut [Slot] {
        let slots = if self.spilled.is_empty() { self.inline.as_mut_slice() } else { &mut self.spilled };
        &mut slots[..self.len]
    }
}

fn key(entries: Entries<'_>, index: usize) -> Result<&str, Error> {
    match entries.entry(index).0 {
        Datum::String(key) => Ok(key),
        Datum::Null => Err(Error::new(ErrorKind::Row, "a key of an Avro map is NULL")),
        other => Err(Error::mismatch("STRING", other.type_name())),
    }
}

/// How many buckets Flink's `CollectionUtil.newHashMapWithExpectedSize` makes for `len` entries.
fn capacity(len: usize) -> u32 {
    let wanted = if len <= 2 { len + 1 } else { len.saturating_mul(4).div_ceil(3) };
    u32::try_from(wanted.next_power_of_two()).unwrap_or(1 << 30).min(1 << 30)
}

/// `String.hashCode`, over UTF-16 units.
fn java_hash(text: &str) -> u32 {
    text.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(pairs: &[(&str, i32)]) -> Vec<(String, i32)> {
        let pairs = pairs.to_vec();
        let order = HashOrder::new(Entries::new(&pairs, pairs.len())).unwrap();
        let value = |datum| if let Datum::Int(value) = datum { value } else { panic!("no INT") };
        order.iter().map(|(key, datum)| (key.to_owned(), value(datum))).collect()
    }

    #[test]
    fn entries_stand_as_in_java() {
        // golden avro/json-map-001
        let held = [("zebra", 1), ("apple", 2), ("mango", 3), ("kiwi", 4), ("fig", 5)];
        let keys: Vec<String> = order(&held).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["zebra", "apple", "kiwi", "fig", "mango"]);
    }

    #[test]
    fn keys_of_one_hash_stay_in_their_order() {
        assert_eq!(java_hash("Aa"), java_hash("BB"));
        assert_eq!(order(&[("BB", 1), ("Aa", 2)]), [("BB".to_owned(), 1), ("Aa".to_owned(), 2)]);
    }

    #[test]
    fn a_key_that_comes_again_keeps_its_place_and_takes_the_last_value() {
        assert_eq!(order(&[("BB", 1), ("Aa", 2), ("BB", 3)]), [("BB".to_owned(), 3), ("Aa".to_owned(), 2)]);
    }

    #[test]
    fn more_entries_than_fit_inline_are_ordered_as_well() {
        let names: Vec<String> = (0..100_u8).map(|number| char::from(number + 1).to_string()).collect();
        let pairs: Vec<(&str, i32)> = names.iter().rev().map(|name| (name.as_str(), 0)).collect();
        // A one-character string hashes to its character, and 256 buckets hold each apart.
        let keys: Vec<String> = order(&pairs).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, names);
    }

    #[test]
    fn a_null_key_is_refused() {
        let pairs = vec![(Datum::Null, 1)];
        assert!(HashOrder::new(Entries::new(&pairs, 1)).is_err());
    }
}
