//! The order in which a `java.util.HashMap` gives its entries back: Flink copies a map into one before it writes it.

use crate::error::{Error, ErrorKind};
use crate::format::in_place::Stop;
use crate::row::{Datum, DatumKind, Entries};

/// The entries of a map in the order of Flink's bytes, each key once with its last value.
///
/// It is found in the end of the room that the map is written into, so it allocates nothing.
pub(super) struct HashOrder<'a, 'o> {
    entries: Entries<'a>,
    places: &'o [Place],
}

/// A key and the place of its value, as bytes of the room: the hash, the entry whose key counts, which is the first one
/// of that key, and the entry whose value counts, which is the last one.
type Place = [u8; 12];

impl<'a, 'o> HashOrder<'a, 'o> {
    /// The order, and what it leaves of the room that begins at `start` of `out`.
    ///
    /// # Errors
    ///
    /// If the room is too small; if a key is NULL, or no string.
    pub(super) fn new(
        entries: Entries<'a>,
        out: &'o mut [u8],
        start: usize,
    ) -> Result<(Self, &'o mut [u8]), Stop> {
        let needed = entries.len().saturating_mul(size_of::<Place>());
        let left = out.len().checked_sub(needed).filter(|left| *left >= start).ok_or(Stop::Full)?;
        let (out, places) = out.split_at_mut(left);
        let (places, _) = places.as_chunks_mut();
        for (index, place) in places.iter_mut().enumerate() {
            let hash = java_hash(key(entries, index)?);
            let entry = u32::try_from(index).expect("a map has at most u32::MAX entries");
            *place = in_bytes(hash, entry, entry);
        }
        let len = merge_equal_keys(entries, places);
        let places = &mut places[..len];
        let mask = capacity(entries.len()) - 1;
        places.sort_unstable_by_key(|place| ((hash(place) ^ hash(place) >> 16) & mask, key_entry(place)));
        Ok((Self { entries, places }, out))
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The keys with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, Datum<'a>)> {
        self.places.iter().map(|place| {
            let key = key(self.entries, key_entry(place) as usize).unwrap_or_default();
            (key, self.entries.entry(value_entry(place) as usize).1)
        })
    }
}

/// A key that comes again replaces the value and stays where it was. Answers how many keys there are.
fn merge_equal_keys(entries: Entries<'_>, places: &mut [Place]) -> usize {
    let text = |place: &Place| key(entries, key_entry(place) as usize).unwrap_or_default();
    places.sort_unstable_by(|one, other| {
        let by_hash = hash(one).cmp(&hash(other));
        by_hash.then_with(|| text(one).cmp(text(other))).then(key_entry(one).cmp(&key_entry(other)))
    });
    let mut kept = 0;
    for index in 1..places.len() {
        let place = places[index];
        if hash(&places[kept]) == hash(&place) && text(&places[kept]) == text(&place) {
            places[kept] = in_bytes(hash(&place), key_entry(&places[kept]), value_entry(&place));
        } else {
            kept += 1;
            places[kept] = place;
        }
    }
    places.len().min(kept + 1)
}

#[inline]
fn in_bytes(hash: u32, key_entry: u32, value_entry: u32) -> Place {
    let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) =
        (hash.to_ne_bytes(), key_entry.to_ne_bytes(), value_entry.to_ne_bytes());
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

#[inline]
fn hash(place: &Place) -> u32 {
    let [a, b, c, d, ..] = *place;
    u32::from_ne_bytes([a, b, c, d])
}

#[inline]
fn key_entry(place: &Place) -> u32 {
    let [_, _, _, _, a, b, c, d, ..] = *place;
    u32::from_ne_bytes([a, b, c, d])
}

#[inline]
fn value_entry(place: &Place) -> u32 {
    let [.., a, b, c, d] = *place;
    u32::from_ne_bytes([a, b, c, d])
}

fn key(entries: Entries<'_>, index: usize) -> Result<&str, Error> {
    match entries.entry(index).0 {
        Datum::String(key) => Ok(key),
        Datum::Null => Err(Error::new(ErrorKind::Row, "a key of an Avro map is NULL")),
        other => Err(DatumKind::String.mismatch(other.kind())),
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
        let mut room = vec![0; 12 * pairs.len()];
        let Ok((order, left)) = HashOrder::new(Entries::new(&pairs, pairs.len()), &mut room, 0) else {
            panic!("no order");
        };
        assert_eq!(left.len(), 0);
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
    fn a_hundred_entries_are_ordered_as_well() {
        let names: Vec<String> = (0..100_u8).map(|number| char::from(number + 1).to_string()).collect();
        let pairs: Vec<(&str, i32)> = names.iter().rev().map(|name| (name.as_str(), 0)).collect();
        // A one-character string hashes to its character, and 256 buckets hold each apart.
        let keys: Vec<String> = order(&pairs).into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, names);
    }

    #[test]
    fn a_null_key_is_refused_and_a_room_that_is_too_small_is_full() {
        let pairs = vec![(Datum::Null, 1)];
        let order =
            |room: &mut [u8]| HashOrder::new(Entries::new(&pairs, 1), room, 1).map(|_| ()).unwrap_err();
        assert!(matches!(order(&mut [0; 13]), Stop::Error(_)));
        assert!(matches!(order(&mut [0; 12]), Stop::Full));
    }
}
