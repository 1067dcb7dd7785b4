use std::fmt;

use crate::error::{Error, ErrorKind};

use super::{Datum, Decimal, Entries, Timestamp, ValueSource, Values};
use crate::wire::{GiveBack, is_to_be_given_back};

/// An owned row: a slot a column, and arenas for what is longer than a slot.
///
/// [`reset`](Self::reset) keeps the capacity, so a reused buffer allocates nothing once it has seen a row of each
/// size. 32 bytes a column or nested value, plus the bytes of texts and byte strings.
#[derive(Clone, Default)]
pub struct RowBuf {
    /// The columns; above them, while a nested value is built, the values that wait to be moved to `nested`.
    stack: Vec<Slot>,
    /// The values of arrays, maps and nested rows, each container's side by side.
    nested: Vec<Slot>,
    text: String,
    bytes: Vec<u8>,
    /// What those who fill maps work in.
    scratch: Vec<u32>,
    room: Room,
}

/// The bytes that a row may have taken when a nested value begins.
#[derive(Clone, Copy, Debug, Default)]
enum Room {
    #[default]
    Any,
    Bytes(usize),
    /// A nested value has wanted more.
    Overdrawn,
}

/// A value in a [`RowBuf`]: itself, or a range of one of the arenas.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    Null,
    Boolean(bool),
    TinyInt(i8),
    SmallInt(i16),
    Int(i32),
    BigInt(i64),
    Float(f32),
    Double(f64),
    Decimal(Decimal),
    String(Span),
    Bytes(Span),
    Date(i32),
    Time(i32),
    Timestamp(Timestamp),
    Array(NestedSpan),
    /// `len` counts keys and values: twice the entries.
    Map(NestedSpan),
    Row(NestedSpan),
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Slot>() == 32);

/// A range of the texts or of the byte strings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: usize,
    end: usize,
}

/// A range of the nested values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NestedSpan {
    start: u32,
    len: u32,
}

impl RowBuf {
    /// A row without columns.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A row of `columns` NULLs.
    #[must_use]
    pub fn with_columns(columns: usize) -> Self {
        let mut row = Self::new();
        row.reset(columns);
        row
    }

    /// Makes this a row of `columns` NULLs, capacities kept.
    pub fn reset(&mut self, columns: usize) {
        self.stack.clear();
        self.nested.clear();
        self.text.clear();
        self.bytes.clear();
        self.stack.resize(columns, Slot::Null);
    }

    /// Makes this a row of `columns` columns, each of which is to be [stored](Self::store): some are still as they were.
    #[cfg(feature = "serde")]
    #[inline]
    pub(crate) fn reuse(&mut self, columns: usize) {
        self.nested.clear();
        self.text.clear();
        self.bytes.clear();
        self.stack.resize(columns, Slot::Null);
    }

    /// How many columns the row has.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.stack.len()
    }

    /// Copies `datum`, nested values and all, into `column`.
    ///
    /// What the column held before stays in the arenas until [`reset`](Self::reset).
    ///
    /// # Panics
    ///
    /// If the row has no such column.
    pub fn set(&mut self, column: usize, datum: Datum<'_>) {
        let slot = self.slot_of(datum);
        self.store(column, slot);
    }

    /// A copy of `datum`, nested values and all, to be [stored](Self::store).
    pub(crate) fn slot_of(&mut self, datum: Datum<'_>) -> Slot {
        self.push(datum);
        self.stack.pop().expect("a value was pushed")
    }

    /// Copies `datum`, nested values and all, into one more column.
    pub fn push(&mut self, datum: Datum<'_>) {
        let slot = match datum {
            Datum::Null => Slot::Null,
            Datum::Boolean(value) => Slot::Boolean(value),
            Datum::TinyInt(value) => Slot::TinyInt(value),
            Datum::SmallInt(value) => Slot::SmallInt(value),
            Datum::Int(value) => Slot::Int(value),
            Datum::BigInt(value) => Slot::BigInt(value),
            Datum::Float(value) => Slot::Float(value),
            Datum::Double(value) => Slot::Double(value),
            Datum::Decimal(value) => Slot::Decimal(value),
            Datum::String(value) => return self.push_str(value),
            Datum::Bytes(value) => return self.push_bytes(value),
            Datum::Date(value) => Slot::Date(value),
            Datum::Time(value) => Slot::Time(value),
            Datum::Timestamp(value) => Slot::Timestamp(value),
            Datum::Array(_) | Datum::Map(_) | Datum::Row(_) => return self.push_nested(datum),
        };
        self.stack.push(slot);
    }

    pub(crate) fn push_str(&mut self, value: &str) {
        let slot = self.str_slot(value);
        self.stack.push(slot);
    }

    pub(crate) fn push_bytes(&mut self, value: &[u8]) {
        let slot = self.bytes_slot(value);
        self.stack.push(slot);
    }

    fn push_nested(&mut self, datum: Datum<'_>) {
        let mark = self.begin();
        let slot = match datum {
            Datum::Array(values) => {
                values.iter().for_each(|value| self.push(value));
                self.array_slot(mark)
            }
            Datum::Map(entries) => {
                for (key, value) in entries.iter() {
                    self.push(key);
                    self.push(value);
                }
                self.map_slot(mark)
            }
            Datum::Row(values) => {
                values.iter().for_each(|value| self.push(value));
                self.row_slot(mark)
            }
            scalar => return self.push(scalar),
        };
        self.stack.push(slot);
    }

    /// The values, column by column.
    #[must_use]
    pub fn iter(&self) -> RowBufIter<'_> {
        RowBufIter { row: self, slots: self.stack.iter() }
    }

    /// Appends copies of the first `columns` values of `other` to a row without columns: all at one go, with what the
    /// arenas hold of values that have been replaced.
    pub(super) fn append_all(&mut self, other: &Self, columns: usize) {
        let held = columns.min(other.stack.len());
        self.stack.extend_from_slice(&other.stack[..held]);
        self.push_nulls(columns - held);
        self.nested.extend_from_slice(&other.nested);
        self.text.push_str(&other.text);
        self.bytes.extend_from_slice(&other.bytes);
    }

    /// What the values take: their slots, texts and byte strings.
    pub(crate) fn size_in_bytes(&self) -> usize {
        (self.stack.len() + self.nested.len()) * size_of::<Slot>() + self.text.len() + self.bytes.len()
    }

    /// What the buffers take, whatever they hold.
    pub(crate) fn capacity_in_bytes(&self) -> usize {
        (self.stack.capacity() + self.nested.capacity()) * size_of::<Slot>()
            + self.text.capacity()
            + self.bytes.capacity()
            + self.scratch.capacity() * size_of::<u32>()
    }

    /// Lets nested values grow to `room` bytes with all that is in the row.
    pub(crate) fn set_room(&mut self, room: usize) {
        self.room = Room::Bytes(room);
    }

    /// Whether a value has been refused for want of room, be it that the format has passed over the error.
    pub(crate) fn is_overdrawn(&self) -> bool {
        matches!(self.room, Room::Overdrawn)
    }

    /// Makes `slot` one more column or, after a mark, one more nested value.
    #[inline]
    pub(crate) fn push_slot(&mut self, slot: Slot) {
        self.stack.push(slot);
    }

    /// Makes `slot` one more value of an array or a map from untrusted bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if the values are to take more room and there is none.
    #[inline]
    pub(crate) fn push_item(&mut self, slot: Slot) -> Result<(), Error> {
        if self.stack.len() == self.stack.capacity() {
            self.check_room()?;
        }
        self.stack.push(slot);
        Ok(())
    }

    /// Whether there is room for what is in the row.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if there is not.
    pub(crate) fn check_room(&mut self) -> Result<(), Error> {
        self.check_room_for(0)
    }

    fn check_room_for(&mut self, slots: usize) -> Result<(), Error> {
        let has_room = match self.room {
            Room::Any => true,
            Room::Bytes(room) => self.size_in_bytes() + slots * size_of::<Slot>() <= room,
            Room::Overdrawn => false,
        };
        if has_room { Ok(()) } else { Err(self.overdraw()) }
    }

    /// Puts `slot` at `position`: a column, or a place above a mark.
    #[inline]
    pub(crate) fn store(&mut self, position: usize, slot: Slot) {
        self.stack[position] = slot;
    }

    /// A copy of `value` in the arena, to be [stored](Self::store).
    #[inline]
    pub(crate) fn str_slot(&mut self, value: &str) -> Slot {
        let start = self.text.len();
        self.text.push_str(value);
        Slot::String(Span { start, end: self.text.len() })
    }

    /// A copy of `value` in the arena, to be [stored](Self::store).
    #[inline]
    pub(crate) fn bytes_slot(&mut self, value: &[u8]) -> Slot {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        Slot::Bytes(Span { start, end: self.bytes.len() })
    }

    /// Appends a byte to the byte string that was made last.
    #[cfg(feature = "serde")]
    pub(crate) fn lengthen(&mut self, slot: &mut Slot, byte: u8) {
        if let Slot::Bytes(span) = slot {
            self.bytes.push(byte);
            span.end = self.bytes.len();
        }
    }

    /// What `write` appends to the text arena, to be [stored](Self::store).
    #[inline]
    pub(crate) fn str_slot_with(&mut self, write: impl FnOnce(&mut String)) -> Slot {
        let start = self.text.len();
        write(&mut self.text);
        Slot::String(Span { start, end: self.text.len() })
    }

    /// What `write` appends to the text arena, unless it gives up; to be [stored](Self::store).
    #[inline]
    pub(crate) fn try_str_slot_with(
        &mut self,
        write: impl FnOnce(&mut String) -> Option<()>,
    ) -> Option<Slot> {
        let start = self.text.len();
        if write(&mut self.text).is_none() {
            self.text.truncate(start);
            return None;
        }
        Some(Slot::String(Span { start, end: self.text.len() }))
    }

    /// What `write` appends to the byte arena, to be [stored](Self::store).
    pub(crate) fn bytes_slot_with<E>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Slot, E> {
        let start = self.bytes.len();
        match write(&mut self.bytes) {
            Ok(()) => Ok(Slot::Bytes(Span { start, end: self.bytes.len() })),
            Err(error) => {
                self.bytes.truncate(start);
                Err(error)
            }
        }
    }

    /// Starts a nested value: what is pushed from here on belongs to it, until the mark is given to
    /// [`array_slot`](Self::array_slot), [`map_slot`](Self::map_slot) or [`row_slot`](Self::row_slot).
    /// [`rewind`](Self::rewind) gives it up.
    pub(crate) fn begin(&self) -> usize {
        self.stack.len()
    }

    /// Takes what was pushed since `mark` as one array, to be [stored](Self::store).
    pub(crate) fn array_slot(&mut self, mark: usize) -> Slot {
        Slot::Array(self.take_from(mark))
    }

    /// Takes what was pushed since `mark`, key and value by turns, as one map, to be [stored](Self::store).
    pub(crate) fn map_slot(&mut self, mark: usize) -> Slot {
        Slot::Map(self.take_from(mark))
    }

    /// Takes what was pushed since `mark` as one nested row, to be [stored](Self::store).
    pub(crate) fn row_slot(&mut self, mark: usize) -> Slot {
        Slot::Row(self.take_from(mark))
    }

    /// Drops what was pushed since `mark`.
    pub(crate) fn rewind(&mut self, mark: usize) {
        self.stack.truncate(mark);
    }

    /// Pushes NULLs: the fields of a row that are then found in any order and [stored](Self::store).
    pub(crate) fn push_nulls(&mut self, count: usize) {
        self.stack.resize(self.stack.len() + count, Slot::Null);
    }

    /// Starts a nested row of `width` NULLs, to be put in place from the mark on.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`] if there is no room for it. Unlike all other values it takes more than its bytes.
    pub(crate) fn begin_row(&mut self, width: usize) -> Result<usize, Error> {
        self.check_room_for(width)?;
        let mark = self.begin();
        self.push_nulls(width);
        Ok(mark)
    }

    #[cold]
    fn overdraw(&mut self) -> Error {
        self.room = Room::Overdrawn;
        Error::new(ErrorKind::Limit, "there is no room for the values of a row")
    }

    /// What is at `position`, a column or a place above a mark.
    #[inline]
    pub(crate) fn at(&self, position: usize) -> Datum<'_> {
        self.stack.get(position).map_or(Datum::Null, |slot| self.lend(*slot))
    }

    /// An empty list to work in, until it is [given back](Self::give_scratch).
    pub(crate) fn take_scratch(&mut self) -> Vec<u32> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch
    }

    pub(crate) fn give_scratch(&mut self, scratch: Vec<u32>) {
        self.scratch = scratch;
    }

    /// Puts what is at `from` at `to`, too.
    pub(crate) fn copy_slot(&mut self, from: usize, to: usize) {
        self.stack[to] = self.stack[from];
    }

    fn take_from(&mut self, mark: usize) -> NestedSpan {
        let count = |values: usize| u32::try_from(values).expect("so many values would fill 128 GiB");
        let start = self.nested.len();
        self.nested.extend(self.stack.drain(mark..));
        NestedSpan { start: count(start), len: count(self.nested.len() - start) }
    }

    #[inline(always)]
    fn lend(&self, slot: Slot) -> Datum<'_> {
        match slot {
            Slot::Null => Datum::Null,
            Slot::Boolean(value) => Datum::Boolean(value),
            Slot::TinyInt(value) => Datum::TinyInt(value),
            Slot::SmallInt(value) => Datum::SmallInt(value),
            Slot::Int(value) => Datum::Int(value),
            Slot::BigInt(value) => Datum::BigInt(value),
            Slot::Float(value) => Datum::Float(value),
            Slot::Double(value) => Datum::Double(value),
            Slot::Decimal(value) => Datum::Decimal(value),
            Slot::String(span) => Datum::String(&self.text[span.start..span.end]),
            Slot::Bytes(span) => Datum::Bytes(&self.bytes[span.start..span.end]),
            Slot::Date(value) => Datum::Date(value),
            Slot::Time(value) => Datum::Time(value),
            Slot::Timestamp(value) => Datum::Timestamp(value),
            Slot::Array(span) => Datum::Array(self.values(span)),
            Slot::Map(span) => Datum::Map(Entries::from_values(self.values(span))),
            Slot::Row(span) => Datum::Row(self.values(span)),
        }
    }

    fn values(&self, span: NestedSpan) -> Values<'_> {
        Values::range(self, span.start, span.len)
    }
}

impl GiveBack for RowBuf {
    fn give_back(&mut self) {
        if is_to_be_given_back(self.capacity_in_bytes(), self.size_in_bytes()) {
            *self = Self::new();
        }
    }
}

/// Lends the arena of nested values; [`Row`](super::Row) lends the columns.
impl ValueSource for RowBuf {
    #[inline]
    fn value(&self, index: usize) -> Datum<'_> {
        self.nested.get(index).map_or(Datum::Null, |slot| self.lend(*slot))
    }
}

/// The values of a [`RowBuf`], column by column.
#[derive(Clone, Debug)]
pub struct RowBufIter<'a> {
    row: &'a RowBuf,
    slots: std::slice::Iter<'a, Slot>,
}

impl<'a> Iterator for RowBufIter<'a> {
    type Item = Datum<'a>;

    #[inline]
    fn next(&mut self) -> Option<Datum<'a>> {
        self.slots.next().map(|slot| self.row.lend(*slot))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.slots.size_hint()
    }
}

impl ExactSizeIterator for RowBufIter<'_> {}

impl<'a> IntoIterator for &'a RowBuf {
    type Item = Datum<'a>;
    type IntoIter = RowBufIter<'a>;

    fn into_iter(self) -> RowBufIter<'a> {
        self.iter()
    }
}

impl fmt::Debug for RowBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> FromIterator<Datum<'a>> for RowBuf {
    fn from_iter<I: IntoIterator<Item = Datum<'a>>>(values: I) -> Self {
        let mut row = Self::new();
        row.extend(values);
        row
    }
}

impl<'a> Extend<Datum<'a>> for RowBuf {
    fn extend<I: IntoIterator<Item = Datum<'a>>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_values_come_back_as_they_were_pushed() {
        let inner = [Datum::Int(1), Datum::String("two")];
        let rows = vec![Datum::Row(Values::new(&inner, 2)), Datum::Null];
        let pairs = vec![("k", Datum::Array(Values::new(&rows, 2)))];
        let row: RowBuf = [Datum::Bytes(b"x"), Datum::Map(Entries::new(&pairs, 1))].into_iter().collect();
        assert_eq!(
            format!("{row:?}"),
            r#"[Bytes([120]), Map({String("k"): Array([Row([Int(1), String("two")]), Null])})]"#
        );
        assert_eq!(RowBuf::copy_of(&row, 2), row);
    }
}
