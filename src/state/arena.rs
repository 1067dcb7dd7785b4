//! Keys and values in few large allocations.

/// Holds pairs of byte strings and lends them by a number of four bytes.
///
/// A small pair takes its bytes, two lengths and up to three bytes of padding. The places of pairs that left are taken
/// by those of the same size that come; nothing is moved.
#[derive(Clone, Default)]
pub(super) struct Arena {
    chunks: Vec<Vec<u8>>,
    /// The chunk that is filled, how long it is, and how much of it is taken.
    filled: u16,
    room: usize,
    taken: usize,
    /// The first free place of each size, in units: each place holds the next one after it.
    free: Vec<Option<Place>>,
    /// Chunks of huge pairs that left.
    free_chunks: Vec<u16>,
    len_in_bytes: usize,
}

/// Where a pair is: its chunk, and its position there in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    chunk: u16,
    unit: u16,
}

/// Places begin and end at multiples of so many bytes.
const UNIT: usize = 4;
/// Larger pairs have chunks of their own, of so many bytes or several times as many.
const MAX_SMALL: usize = 2048;
const LARGE_UNIT: usize = 1024;
/// The memory of pairs that are larger still is given back when they leave.
const MAX_LARGE: usize = 1 << 20;
const MIN_CHUNK: usize = 256;
const MAX_CHUNK: usize = 32 * 1024;

impl Arena {
    /// Adds a pair; `None` if there is no number left for it.
    pub(super) fn insert(&mut self, key: &[u8], value: &[u8]) -> Option<Place> {
        let size = size_of_pair(key.len(), value.len());
        let place = match self.take_free(size) {
            Some(place) => place,
            None if size > MAX_SMALL => Place { chunk: self.push_chunk(size)?, unit: 0 },
            None => self.new_place(size)?,
        };
        let room = self.room(place);
        let at = put_len(room, 0, key.len());
        let at = put_len(room, at, value.len());
        room[at..at + key.len()].copy_from_slice(key);
        room[at + key.len()..at + key.len() + value.len()].copy_from_slice(value);
        Some(place)
    }

    /// The key and the value.
    #[inline]
    pub(super) fn get(&self, place: Place) -> (&[u8], &[u8]) {
        let bytes = &self.chunks[usize::from(place.chunk)][UNIT * usize::from(place.unit)..];
        let (key_len, at) = take_len(bytes, 0);
        let (value_len, at) = take_len(bytes, at);
        let (key, rest) = bytes[at..].split_at(key_len);
        (key, &rest[..value_len])
    }

    /// Replaces the value, if the new one fits exactly into the place of the old one: says how long that was, and whether.
    #[inline]
    pub(super) fn replace(&mut self, place: Place, value: &[u8]) -> (usize, bool) {
        let (key, old) = self.get(place);
        let (key_len, old_len) = (key.len(), old.len());
        if size_of_pair(key_len, old_len) != size_of_pair(key_len, value.len())
            || len_of_len(old_len) != len_of_len(value.len())
        {
            return (old_len, false);
        }
        let room = self.room(place);
        let at = put_len(room, len_of_len(key_len), value.len()) + key_len;
        room[at..at + value.len()].copy_from_slice(value);
        (old_len, true)
    }

    /// Forgets a pair: its place is free.
    pub(super) fn remove(&mut self, place: Place) {
        let (key, value) = self.get(place);
        let size = size_of_pair(key.len(), value.len());
        if size > MAX_LARGE {
            self.len_in_bytes -= size;
            self.chunks[usize::from(place.chunk)] = Vec::new();
            self.free_chunks.push(place.chunk);
            return;
        }
        let class = class_of(size);
        if class >= self.free.len() {
            self.free.resize(class + 1, None);
        }
        let next = self.free[class].replace(place);
        // A number that no place has ends the list: 0xFFFF units are more than a chunk has.
        let Place { chunk, unit } = next.unwrap_or(NOWHERE);
        let room = self.room(place);
        room[..2].copy_from_slice(&chunk.to_le_bytes());
        room[2..4].copy_from_slice(&unit.to_le_bytes());
    }

    /// What the chunks take.
    #[cfg(test)]
    pub(super) fn size_in_bytes(&self) -> usize {
        self.len_in_bytes
            + self.chunks.capacity() * size_of::<Vec<u8>>()
            + self.free.capacity() * size_of::<Option<Place>>()
    }

    fn room(&mut self, place: Place) -> &mut [u8] {
        &mut self.chunks[usize::from(place.chunk)][UNIT * usize::from(place.unit)..]
    }

    fn take_free(&mut self, size: usize) -> Option<Place> {
        let class = class_of(size);
        let place = self.free.get(class).copied().flatten()?;
        let [a, b, c, d] = *self.room(place).first_chunk()?;
        let next = Place { chunk: u16::from_le_bytes([a, b]), unit: u16::from_le_bytes([c, d]) };
        self.free[class] = (next != NOWHERE).then_some(next);
        Some(place)
    }

    fn new_place(&mut self, size: usize) -> Option<Place> {
        if self.room - self.taken < size {
            // An eighth more, so that what is not taken yet is little.
            let len = (self.len_in_bytes / 8).clamp(MIN_CHUNK, MAX_CHUNK).max(size).next_multiple_of(UNIT);
            self.filled = self.push_chunk(len)?;
            (self.room, self.taken) = (len, 0);
        }
        let unit = u16::try_from(self.taken / UNIT).ok()?;
        self.taken += size;
        Some(Place { chunk: self.filled, unit })
    }

    fn push_chunk(&mut self, len: usize) -> Option<u16> {
        let chunk = match self.free_chunks.pop() {
            Some(chunk) => chunk,
            None => {
                let chunk = u16::try_from(self.chunks.len()).ok().filter(|chunk| *chunk != NOWHERE.chunk)?;
                self.chunks.push(Vec::new());
                chunk
            }
        };
        self.chunks[usize::from(chunk)] = vec![0; len];
        self.len_in_bytes += len;
        Some(chunk)
    }
}

const NOWHERE: Place = Place { chunk: u16::MAX, unit: u16::MAX };

/// The bytes of a pair's place.
#[inline]
fn size_of_pair(key_len: usize, value_len: usize) -> usize {
    let size = len_of_len(key_len) + len_of_len(value_len) + key_len + value_len;
    if size <= MAX_SMALL { size.next_multiple_of(UNIT) } else { size.next_multiple_of(LARGE_UNIT) }
}

/// Places of a class are of one size. Huge ones are in none that is used.
#[inline]
fn class_of(size: usize) -> usize {
    if size <= MAX_SMALL { size / UNIT } else { MAX_SMALL / UNIT + size / LARGE_UNIT }
}

/// A length takes a byte, or eight after one.
#[inline]
fn len_of_len(len: usize) -> usize {
    if len < LONG.into() { 1 } else { 1 + size_of::<usize>() }
}

const LONG: u8 = u8::MAX;

fn put_len(out: &mut [u8], at: usize, len: usize) -> usize {
    match u8::try_from(len) {
        Ok(short) if short < LONG => out[at] = short,
        _ => {
            out[at] = LONG;
            out[at + 1..at + 1 + size_of::<usize>()].copy_from_slice(&len.to_le_bytes());
        }
    }
    at + len_of_len(len)
}

#[inline]
fn take_len(bytes: &[u8], at: usize) -> (usize, usize) {
    match bytes[at] {
        LONG => {
            let long = bytes[at + 1..].first_chunk().expect("a length is whole");
            (usize::from_le_bytes(*long), at + 1 + size_of::<usize>())
        }
        short => (short.into(), at + 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Vec<u8>> {
        let len =
            prop_oneof![8 => 0_usize..40, 2 => 240_usize..270, 1 => 2000_usize..2100, 1 => 3000_usize..5000];
        (len, any::<u8>()).prop_map(|(len, byte)| vec![byte; len])
    }

    proptest! {
        /// The model is a list of pairs: one is added, replaced or removed.
        #[test]
        fn pairs_stay_as_they_were_put(steps in prop::collection::vec((0_u8..3, any::<usize>(), value()), 0..80)) {
            let mut arena = Arena::default();
            let mut model: Vec<(Place, Vec<u8>, Vec<u8>)> = Vec::new();
            for (step, index, value) in steps {
                let index = index.checked_rem(model.len()).filter(|_| step > 0);
                match index {
                    None => {
                        let key = vec![7; value.len() % 300];
                        model.push((arena.insert(&key, &value).unwrap(), key, value));
                    }
                    Some(index) if step == 1 => {
                        let (place, _, old) = &mut model[index];
                        if arena.replace(*place, &value).1 {
                            *old = value;
                        }
                    }
                    Some(index) => {
                        let (place, ..) = model.swap_remove(index);
                        arena.remove(place);
                    }
                }
                for (place, key, value) in &model {
                    prop_assert_eq!(arena.get(*place), (&key[..], &value[..]));
                }
            }
        }
    }

    #[test]
    fn a_place_is_taken_again() {
        let mut arena = Arena::default();
        for len in [16, 500, 3000] {
            let place = arena.insert(b"key", &vec![0; len]).unwrap();
            arena.remove(place);
            assert_eq!(arena.insert(b"yek", &vec![1; len]), Some(place), "{len}");
        }
    }

    #[test]
    fn the_memory_of_huge_pairs_is_given_back() {
        let mut arena = Arena::default();
        for _ in 0..3 {
            let place = arena.insert(b"key", &vec![0; 2 << 20]).unwrap();
            arena.remove(place);
            assert!(arena.size_in_bytes() < 1000);
        }
    }
}
