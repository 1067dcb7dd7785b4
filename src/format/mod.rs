//! The formats: what becomes of one row in a key or a value, and back.
//!
//! A table's options name its formats, and callers never see a codec. What they do see is here: the [`SchemaRegistry`]
//! that `avro-confluent` and `debezium-avro-confluent` need, [`AvroSchema`], and the parts of Debezium's events.

// A format is a folder here and a line in `formats!`. It compiles its schema and options once and runs without looking at
// either.
mod avro;
mod canal;
mod csv;
mod debezium;
mod envelope;
mod in_place;
mod json;
mod last_wins;
mod maxwell;
mod ogg;
mod options;
mod pattern;
mod plain_number;
mod raw;
mod registry;
mod release;
mod scalar;
mod scalar_writer;
mod suggest;
mod unicode;
mod values;

pub use self::avro::{
    AvroSchema, AvroTimestamps, BackoffRegistry, MemorySchemaRegistry, RegisteredSchema, SchemaReference,
    SchemaRegistry,
};
pub use self::debezium::{
    DebeziumBytes, DebeziumChange, DebeziumDecimals, DebeziumSettings, DebeziumShape, DebeziumSource,
    DebeziumTimes, MissingBefore, UnavailableValue,
};
pub(crate) use self::debezium::{EventReader, EventSkip, EventTable, EventWriter, Schemas};
pub(crate) use self::last_wins::map_slot;
pub(crate) use self::options::{OptionReader, OptionSpec, Role};
pub(crate) use self::pattern::Pattern;
pub(crate) use self::registry::{FORMATS, Format, FormatSpec, RowDecoder, RowEncoder};
pub use self::release::FlinkRelease;
pub(crate) use self::suggest::closest;
pub(crate) use self::values::{OptionEnum, ValueType, option_enum, parse_int, parse_long};

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::row::{ChangelogBuf, ROW_BYTES, Row, RowBudget, RowBuf, RowKind, Slot};
use crate::text::Jdk;
use crate::types::Field;
use crate::wire::{Buffer, GiveBack};

/// What the table's options cannot say and the formats must know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatSettings<'a> {
    /// Whose digits FLOAT and DOUBLE are written with.
    pub(crate) jdk: Jdk,
    /// Which release of Flink is imitated.
    pub(crate) release: FlinkRelease,
    /// Whether Avro's micros types hold true microseconds, instead of Flink's milliseconds.
    pub(crate) avro_true_micros: bool,
    /// Whether avro-json records begin with a line feed, but for an encoder's first, as Flink's do.
    pub(crate) avro_json_line_feeds: bool,
    /// Whether a single column in `avro-confluent` is the datum itself, without a record around it.
    pub(crate) avro_plain: bool,
    /// Where `avro-confluent` and `debezium-avro-confluent` register and find their schemas.
    pub(crate) schema_registry: Option<&'a Arc<dyn SchemaRegistry>>,
}

impl Default for FormatSettings<'_> {
    /// Those of a table's default settings.
    fn default() -> Self {
        Self {
            jdk: Jdk::default(),
            release: FlinkRelease::default(),
            avro_true_micros: true,
            avro_json_line_feeds: false,
            avro_plain: false,
            schema_registry: None,
        }
    }
}

/// The columns that a format writes or reads: their fields, and where they are in the table's row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projection<'a> {
    /// The fields as the format names and types them: a key's without their prefix.
    pub(crate) fields: &'a [Field],
    /// For each field the column of the row.
    pub(crate) columns: &'a [usize],
    /// The format's own metadata to be read: its place in the format's list, and its column.
    pub(crate) metadata: &'a [(usize, usize)],
}

/// What a format made of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoded {
    /// The bytes that were appended, be it none.
    Bytes,
    /// No byte string at all: `raw` of NULL. In a value, a tombstone.
    Null,
}

/// A compiled format: writes the projected columns of a row.
pub(crate) trait EncodeRow {
    /// Appends the row to `out`. On an error `out` may hold a part of it: the caller truncates.
    ///
    /// What implementations do is not inlined: the choice between formats is then a mere jump to one of them.
    fn encode<R: Row + ?Sized>(&self, kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error>;

    /// Says that the row last encoded is part of a record: nothing else of the record has failed.
    #[inline]
    fn record_written(&self) {}
}

/// A compiled format: reads the bytes of a key or a value into the projected columns of rows.
pub(crate) trait DecodeRow {
    /// Appends the 0, 1 or more rows that `bytes` hold to `rows`.
    ///
    /// On an error `rows` may hold some of them: the caller truncates. Where the format's options say that parse
    /// errors are ignored, what Flink drops without a word is reported through [`Rows::skip`].
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error>;
}

/// Where a decoder puts its rows.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    out: &'a mut ChangelogBuf,
    /// How many columns a row has, those of other formats and of metadata included.
    width: usize,
    null_row: NullRow,
    /// What the decoder passed over, first reason first.
    skipped: Option<NoRow>,
    budget: RowBudget,
    pub(crate) scratch: &'a mut Scratch,
}

/// What decoders work in; any content, capacity kept from record to record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Unescaped text.
    pub(crate) text: String,
    /// For the contents of texts that are documents themselves, while `text` is for those in them.
    pub(crate) documents: Vec<String>,
    /// Text that is put together, and the like.
    pub(crate) bytes: Vec<u8>,
    /// A JSON document, where one is parsed whole.
    pub(crate) tree: json::Tree,
    /// The order of a JSON object's members.
    pub(crate) members: json::MemberOrder,
    /// The metadata of a message with several rows.
    pub(crate) row: RowBuf,
    /// Which columns a message names in its images from before the change.
    pub(crate) named: Vec<bool>,
}

impl GiveBack for Scratch {
    fn give_back(&mut self) {
        self.text.give_back();
        self.documents.iter_mut().for_each(GiveBack::give_back);
        self.bytes.give_back();
        self.tree.give_back();
        self.members.give_back();
        self.row.give_back();
        self.named.give_back();
    }
}

/// What becomes of a row NULL, which some of Flink's decoders hand on where a value is corrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NullRow {
    /// Nothing: it is skipped and counted.
    Skip,
    /// A delete without columns, whose key the connector fills in.
    Delete,
    /// An error: a row that is no delete has to have columns.
    Refuse,
}

/// Why bytes gave no row although nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRow {
    /// The bytes are null or empty, or hold an empty list.
    Empty,
    /// They do not parse, and `ignore-parse-errors` is on.
    ParseError,
    /// They parse to a row NULL.
    NullRow,
    /// An include filter of the format leaves them out, or they are a message of a kind that changes no row.
    Filtered,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(
        out: &'a mut ChangelogBuf,
        width: usize,
        null_row: NullRow,
        budget: RowBudget,
        scratch: &'a mut Scratch,
    ) -> Self {
        Self { out, width, null_row, skipped: None, budget, scratch }
    }

    /// Counts the last row, which is complete, and makes room for another one.
    #[inline]
    fn make_room(&mut self) -> Result<(), Error> {
        self.count_last()?;
        self.budget.take_row()?;
        if self.width * size_of::<Slot>() > self.budget.bytes() {
            return Err(self.budget.too_large());
        }
        Ok(())
    }

    #[inline]
    fn count_last(&mut self) -> Result<(), Error> {
        match self.out.last() {
            Some(row) if row.is_overdrawn() => Err(self.budget.too_large()),
            Some(row) => self.budget.take_bytes(ROW_BYTES + row.size_in_bytes()),
            None => Ok(()),
        }
    }

    /// What was passed over first, if anything was; after the last row.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the rows are more than they may be; that a format has passed
    /// over it, as over errors of parsing, does not help.
    #[inline]
    pub(crate) fn finish(&mut self, decoded: Result<(), Error>) -> Result<Option<NoRow>, Error> {
        let counted = if decoded.is_ok() { self.count_last() } else { Ok(()) };
        self.budget.check()?;
        decoded.and(counted)?;
        Ok(self.skipped)
    }

    /// One more row, all NULL, to be filled at the projected columns. On failure: [`pop`](Self::pop).
    #[inline]
    pub(crate) fn push(&mut self, kind: RowKind) -> Result<&mut RowBuf, Error> {
        self.push_with_scratch(kind).map(|(row, _)| row)
    }

    /// One more row, and the scratch beside it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the record has no more rows.
    #[inline]
    pub(crate) fn push_with_scratch(&mut self, kind: RowKind) -> Result<(&mut RowBuf, &mut Scratch), Error> {
        self.make_room()?;
        let row = self.out.push(kind, self.width);
        row.set_room(self.budget.bytes());
        Ok((row, self.scratch))
    }

    /// One more row, all NULL, in front of the last one, to be filled by way of [`last_two`](Self::last_two) and then
    /// [counted](Self::count_before_last).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the record has no more rows.
    pub(crate) fn push_before_last(&mut self, kind: RowKind) -> Result<(), Error> {
        self.budget.take_row()?;
        self.out.push(kind, self.width).set_room(self.budget.bytes());
        self.out.swap_last_two();
        Ok(())
    }

    /// Counts the row in front of the last one, which is complete.
    pub(crate) fn count_before_last(&mut self) -> Result<(), Error> {
        let bytes = self.out.last_two_mut().map_or(0, |(_, before)| ROW_BYTES + before.size_in_bytes());
        self.budget.take_bytes(bytes)
    }

    /// Counts the bytes by which a row has grown after the next one was begun.
    pub(crate) fn count(&mut self, bytes: usize) -> Result<(), Error> {
        self.budget.take_bytes(bytes)
    }

    /// The last row, the one before it, and the scratch beside them.
    pub(crate) fn last_two(&mut self) -> Option<(&mut RowBuf, &mut RowBuf, &mut Scratch)> {
        let (last, before) = self.out.last_two_mut()?;
        Some((last, before, self.scratch))
    }

    /// Where the rows are that are pushed from here on, until [`rewind`](Self::rewind) takes them back.
    pub(crate) fn mark(&self) -> (usize, RowBudget) {
        (self.out.len(), self.budget)
    }

    /// Takes back the rows since the mark, as if they had never been.
    pub(crate) fn rewind(&mut self, (len, budget): (usize, RowBudget)) {
        self.out.truncate(len);
        self.budget = budget;
    }

    /// Makes the last row and the one before it change places.
    pub(crate) fn swap_last_two(&mut self) {
        self.out.swap_last_two();
    }

    /// Says what all rows are, which were pushed before one could know.
    pub(crate) fn set_kinds(&mut self, kind: RowKind) {
        self.out.set_kinds(kind);
    }

    /// Says what the last row is, which was pushed before one could know.
    pub(crate) fn set_kind_of_last(&mut self, kind: RowKind) {
        self.out.set_kind_of_last(kind);
    }

    /// Takes the last row back.
    pub(crate) fn pop(&mut self) {
        if self.out.last().is_some_and(RowBuf::is_overdrawn) {
            self.budget.too_large();
        }
        self.budget.put_row_back();
        self.out.truncate(self.out.len().saturating_sub(1));
    }

    /// A row NULL.
    pub(crate) fn push_null_row(&mut self) -> Result<(), Error> {
        match self.null_row {
            NullRow::Skip => self.skip(NoRow::NullRow),
            NullRow::Delete => drop(self.push(RowKind::Delete)?),
            NullRow::Refuse => return Err(null_row_refused()),
        }
        Ok(())
    }

    /// Notes that something was passed over.
    pub(crate) fn skip(&mut self, reason: NoRow) {
        self.skipped.get_or_insert(reason);
    }
}

#[cold]
fn null_row_refused() -> Error {
    Error::new(
        ErrorKind::Data,
        "Invalid null value received in non-upsert mode. Could not to set row kind for output record.",
    )
}
