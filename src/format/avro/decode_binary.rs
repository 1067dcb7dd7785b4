//! Avro's binary encoding, read.
//!
//! Agrees with `org.apache.avro.io.BinaryDecoder` and `GenericDatumReader`. Counts and lengths are only claims: what
//! they promise is read bit by bit, and items that take no bytes at all are limited.

use super::read_plan::{FieldRead, OctetsTo, Read, Record, Resolved};
use super::schema::{NamedKind, NamedType, Node, Primitive};
use super::values;
use crate::error::{Error, ErrorKind};
use crate::format::map_slot;
use crate::row::{RowBuf, Slot};
use crate::wire::Cursor;

/// One datum.
#[derive(Debug)]
pub(super) struct BinaryReader<'a> {
    cursor: Cursor<'a>,
    resolved: &'a Resolved,
    /// How many more items, and nulls that are skipped, may take no bytes.
    empty_items: u32,
}

/// Items without bytes (of a null, of a record of nulls) cost nothing to claim, nor do records in records that hold
/// nothing in the end. No table has so many of them.
const MAX_EMPTY_ITEMS: u32 = 1 << 16;
/// How deep a writer's type may contain itself, where it is skipped.
const MAX_DEPTH: u32 = 1000;
/// The longest string, byte string, array and map of Avro in Java: its greatest array.
const MAX_LENGTH: i64 = 2_147_483_639;

impl<'a> BinaryReader<'a> {
    pub(super) fn new(bytes: &'a [u8], resolved: &'a Resolved) -> Self {
        Self { cursor: Cursor::new(bytes), resolved, empty_items: MAX_EMPTY_ITEMS }
    }

    /// Reads the record of all columns; what follows it is not looked at.
    pub(super) fn read_row(&mut self, columns: &[usize], row: &mut RowBuf) -> Result<(), Error> {
        self.root(&self.resolved.root, columns, row)
            .map_err(|error| error.with_offset(self.cursor.position()))
    }

    /// The same; `false` if the record's first `fields` fields do not take `key_len` bytes.
    pub(super) fn read_row_with_key(
        &mut self,
        fields: usize,
        key_len: usize,
        columns: &[usize],
        row: &mut RowBuf,
    ) -> Result<bool, Error> {
        let Read::Row(Record { fields: all, defaults, .. }) = &self.resolved.root else { return Ok(false) };
        let Some((of_key, others)) = all.split_at_checked(fields) else { return Ok(false) };
        self.fields(of_key, row, |position| columns[position])?;
        if self.cursor.position() != key_len || !defaults.is_empty() {
            return Ok(false);
        }
        self.fields(others, row, |position| columns[position])?;
        Ok(true)
    }

    fn root(&mut self, read: &'a Read, columns: &[usize], row: &mut RowBuf) -> Result<(), Error> {
        match self.branch(read)? {
            Read::Row(record) => self.record(record, row, |position| columns[position]),
            _ => Err(corrupt("a row that is null")),
        }
    }

    /// What comes of a union, be it one of unions.
    ///
    /// # Errors
    ///
    /// If what comes does not fit.
    pub(super) fn branch(&mut self, mut read: &'a Read) -> Result<&'a Read, Error> {
        while let Read::Union(branches) = read {
            read = &branches[self.index(branches.len())?].read;
        }
        match read {
            Read::Fail(message) => Err(misfit(message)),
            read => Ok(read),
        }
    }

    /// How many bytes have been read.
    pub(super) fn position(&self) -> usize {
        self.cursor.position()
    }

    pub(super) fn record(
        &mut self,
        record: &'a Record,
        row: &mut RowBuf,
        place: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        self.fields(&record.fields, row, &place)?;
        for default in &record.defaults {
            let slot = BinaryReader::new(&default.bytes, self.resolved).value(&default.read, row)?;
            row.store(place(default.position), slot);
        }
        Ok(())
    }

    #[inline]
    fn fields(
        &mut self,
        fields: &'a [FieldRead],
        row: &mut RowBuf,
        place: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        for field in fields {
            match field {
                FieldRead::Keep { name, position, read } => {
                    let slot = self.value(read, row).map_err(|error| error.in_column(name))?;
                    row.store(place(*position), slot);
                }
                FieldRead::Skip(node) => self.skip_field(node)?,
            }
        }
        Ok(())
    }

    fn value(&mut self, read: &'a Read, row: &mut RowBuf) -> Result<Slot, Error> {
        Ok(match read {
            Read::Null => Slot::Null,
            Read::Boolean => Slot::Boolean(self.array::<1>()? == [1]),
            Read::Int(to) => to.slot(self.int()?.into()),
            Read::Long(to) => to.slot(self.long()?),
            Read::Float => Slot::Float(f32::from_le_bytes(self.array()?)),
            Read::FloatAsDouble => Slot::Double(f32::from_le_bytes(self.array()?).into()),
            Read::Double => Slot::Double(f64::from_le_bytes(self.array()?)),
            Read::Octets(to) => {
                let octets = self.octets(|| to.too_long())?;
                to.slot(octets, row)?
            }
            Read::Fixed(size, to) => {
                let octets = self.cursor.take(*size).ok_or_else(end_of_data)?;
                to.slot(octets, row)?
            }
            Read::Symbol(symbols) => {
                let symbol = self.symbol(symbols)?;
                // The schema has it, not the datum.
                row.check_room()?;
                row.str_slot(symbol)
            }
            Read::Array(element) => self.array_value(element, row)?,
            Read::Map(value) => self.map_value(value, row)?,
            Read::Row(record) => {
                let mark = row.begin_row(record.width)?;
                self.record(record, row, |position| mark + position)?;
                row.row_slot(mark)
            }
            Read::Union(branches) => {
                let branch = self.index(branches.len())?;
                return self.value(&branches[branch].read, row);
            }
            Read::Fail(message) => return Err(misfit(message)),
        })
    }

    fn array_value(&mut self, element: &'a Read, row: &mut RowBuf) -> Result<Slot, Error> {
        let mark = row.begin();
        let mut blocks = Blocks::default();
        while let Some(count) = blocks.next(self)? {
            for _ in 0..count {
                let before = self.cursor.position();
                let index = row.begin() - mark;
                let slot = self.value(element, row).map_err(|error| error.in_element(index))?;
                row.push_item(slot)?;
                self.count_item(before)?;
            }
        }
        Ok(row.array_slot(mark))
    }

    fn map_value(&mut self, value: &'a Read, row: &mut RowBuf) -> Result<Slot, Error> {
        let mark = row.begin();
        let mut blocks = Blocks::default();
        while let Some(count) = blocks.next(self)? {
            for _ in 0..count {
                let key = self.octets(|| OctetsTo::String.too_long())?;
                let slot = values::string_slot(key, row);
                row.push_item(slot)?;
                let slot =
                    self.value(value, row).map_err(|error| error.in_key(&String::from_utf8_lossy(key)))?;
                row.push_item(slot)?;
            }
        }
        Ok(map_slot(row, mark))
    }

    /// Passes over a field that the reader does not have.
    pub(super) fn skip_field(&mut self, node: &'a Node) -> Result<(), Error> {
        self.skip(node, MAX_DEPTH)
    }

    fn skip(&mut self, node: &'a Node, depth: u32) -> Result<(), Error> {
        let depth = depth.checked_sub(1).ok_or_else(|| limit("a datum nested deeper than 1000"))?;
        match node {
            Node::Primitive(primitive, _) => match primitive {
                Primitive::Null => self.count_item(self.cursor.position())?,
                Primitive::Boolean => drop(self.array::<1>()?),
                Primitive::Int => drop(self.int()?),
                Primitive::Long => drop(self.long()?),
                Primitive::Float => drop(self.array::<4>()?),
                Primitive::Double => drop(self.array::<8>()?),
                Primitive::Bytes | Primitive::String => self.skip_octets()?,
            },
            Node::Array(items, _) => self.skip_items(|reader| reader.skip(items, depth))?,
            Node::Map(values, _) => self.skip_items(|reader| {
                reader.skip_octets()?;
                reader.skip(values, depth)
            })?,
            Node::Union(branches) => {
                let branch = self.index(branches.len())?;
                self.skip(&branches[branch], depth)?;
            }
            Node::Named(index) => self.skip_named(&self.resolved.named[*index], depth)?,
        }
        Ok(())
    }

    fn skip_named(&mut self, named: &'a NamedType, depth: u32) -> Result<(), Error> {
        match &named.kind {
            NamedKind::Record { fields, .. } => {
                let before = self.cursor.position();
                fields.iter().try_for_each(|field| self.skip(&field.schema, depth))?;
                self.count_item(before)
            }
            NamedKind::Enum { .. } => self.int().map(drop),
            NamedKind::Fixed { size } => self.cursor.take(*size).map(drop).ok_or_else(end_of_data),
        }
    }

    /// A block that tells its size is passed over as a whole.
    fn skip_items(&mut self, mut skip: impl FnMut(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        loop {
            match self.long()? {
                0 => return Ok(()),
                ..0 => self.skip_octets()?,
                count => {
                    for _ in 0..count {
                        let before = self.cursor.position();
                        skip(self)?;
                        self.count_item(before)?;
                    }
                }
            }
        }
    }

    /// Every item takes bytes, or one of the few that may take none.
    #[inline]
    fn count_item(&mut self, before: usize) -> Result<(), Error> {
        if self.cursor.position() == before {
            self.empty_items = self
                .empty_items
                .checked_sub(1)
                .ok_or_else(|| limit("more than 65,536 items without bytes"))?;
        }
        Ok(())
    }

    /// A symbol of the writer as the reader's.
    pub(super) fn symbol(&mut self, symbols: &'a [Option<Box<str>>]) -> Result<&'a str, Error> {
        let index = self.index(symbols.len())?;
        let symbol = symbols[index].as_deref();
        symbol.ok_or_else(|| corrupt("No match for a symbol that the reader does not have"))
    }

    /// An index below `len`, of a union's branch or an enum's symbol.
    #[inline]
    fn index(&mut self, len: usize) -> Result<usize, Error> {
        let index = self.int()?;
        usize::try_from(index).ok().filter(|index| *index < len).ok_or_else(|| out_of_bounds(index, len))
    }

    /// Passes octets after their length: Avro has a greatest length for those that it reads alone.
    fn skip_octets(&mut self) -> Result<(), Error> {
        let failure = |length| if length < 0 { negative(length) } else { end_of_data() };
        self.octets_or(failure).map(drop)
    }

    /// Bytes after their length, and what Avro says of one that no Java array has.
    #[inline]
    pub(super) fn octets(&mut self, too_long: impl FnOnce() -> &'static str) -> Result<&'a [u8], Error> {
        self.octets_or(|length| bad_length(length, too_long()))
    }

    #[inline]
    fn octets_or(&mut self, failure: impl FnOnce(i64) -> Error) -> Result<&'a [u8], Error> {
        let length = self.long()?;
        let octets = usize::try_from(length).ok().and_then(|length| self.cursor.take(length));
        octets.ok_or_else(|| failure(length))
    }

    #[inline]
    fn int(&mut self) -> Result<i32, Error> {
        self.cursor.varint().ok_or_else(|| self.bad_number("Invalid int encoding"))
    }

    #[inline]
    fn long(&mut self) -> Result<i64, Error> {
        self.cursor.varlong().ok_or_else(|| self.bad_number("Invalid long encoding"))
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        self.cursor.array().ok_or_else(end_of_data)
    }

    #[cold]
    fn bad_number(&self, message: &'static str) -> Error {
        if self.cursor.rest().is_empty() { end_of_data() } else { corrupt(message) }
    }
}

/// The blocks of an array or a map that is kept.
#[derive(Debug, Default)]
struct Blocks {
    items: i64,
}

impl Blocks {
    /// How many items the next block claims; `None` after the last. The size that goes with a negative count is not
    /// looked at.
    fn next(&mut self, reader: &mut BinaryReader<'_>) -> Result<Option<i64>, Error> {
        let count = match reader.long()? {
            count @ ..0 => {
                reader.long()?;
                count.checked_neg().ok_or_else(|| negative(count))?
            }
            count => count,
        };
        self.items = self.items.saturating_add(count);
        if self.items > MAX_LENGTH {
            return Err(limit("Cannot read collections larger than 2147483639 items in Java library"));
        }
        Ok((count > 0).then_some(count))
    }
}

#[cold]
fn end_of_data() -> Error {
    corrupt("the datum ends too early")
}

#[cold]
fn bad_length(length: i64, too_long: &'static str) -> Error {
    match length {
        ..0 => negative(length),
        0..=MAX_LENGTH => end_of_data(),
        _ => limit(too_long),
    }
}

#[cold]
fn negative(length: i64) -> Error {
    Error::new(ErrorKind::Data, format!("Malformed data. Length is negative: {length}"))
}

#[cold]
fn out_of_bounds(index: i32, len: usize) -> Error {
    Error::new(ErrorKind::Data, format!("Index {index} out of bounds for length {len}"))
}

#[cold]
fn misfit(message: &str) -> Error {
    Error::new(ErrorKind::Data, message.to_owned())
}

#[cold]
fn corrupt(message: &'static str) -> Error {
    Error::new(ErrorKind::Data, message)
}

#[cold]
fn limit(message: &'static str) -> Error {
    Error::new(ErrorKind::Limit, message)
}
