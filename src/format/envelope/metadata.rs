use crate::error::{Error, ErrorKind};
use crate::format::json::{FloatNodes, JsonOptions, NodeId, Tree, TreeReader};
use crate::format::{Projection, Scratch};
use crate::row::{Datum, Row, RowBuf, Slot, Timestamp};
use crate::text::{self, Jdk};
use crate::types::{DataType, Field, LogicalType};

/// A metadata column that a format offers.
///
/// Agrees with the enumerations `ReadableMetadata` of the four formats' `DecodingFormat`s.
#[derive(Debug)]
pub(crate) struct Metadata {
    /// What stands after `value.` in `METADATA FROM`.
    pub(crate) key: &'static str,
    /// The way to its value: members inside members of the message.
    pub(crate) path: &'static [&'static str],
    /// Whether the way starts at the document and not at the message, where the two differ.
    pub(crate) beside_payload: bool,
    pub(crate) reading: Reading,
}

/// How the value in the message becomes the column's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// STRING, of anything.
    Text,
    /// ARRAY<STRING>.
    Texts,
    /// MAP<STRING, STRING>.
    TextMap,
    /// MAP<STRING, INT>.
    IntMap,
    /// A number of milliseconds.
    Millis,
    /// A number of seconds.
    Seconds,
    /// Milliseconds in any spelling of a text; a text of another kind fails the message.
    TextMillis,
    /// Ogg's `op_ts`: its own spelling of a time; another text fails the message.
    OpTs,
    /// Ogg's `current_ts`: several spellings of a time; another text is NULL.
    CurrentTs,
}

impl Metadata {
    pub(crate) const fn new(key: &'static str, path: &'static [&'static str], reading: Reading) -> Self {
        Self { key, path, beside_payload: false, reading }
    }

    /// The node with the value. There is none inside of what is no object.
    fn find(&self, tree: &Tree, document: NodeId, message: NodeId) -> Option<NodeId> {
        let start = if self.beside_payload { document } else { message };
        self.path.iter().try_fold(start, |node, name| tree.get(node, name))
    }
}

impl Reading {
    fn column_type(self) -> LogicalType {
        match self {
            Self::Text | Self::Texts | Self::TextMap | Self::IntMap => self.member_type(),
            Self::Millis | Self::Seconds | Self::TextMillis => LogicalType::TimestampLtz(3),
            Self::OpTs | Self::CurrentTs => LogicalType::TimestampLtz(6),
        }
    }

    /// The type that Flink reads the member as.
    fn member_type(self) -> LogicalType {
        match self {
            Self::Text | Self::TextMillis | Self::OpTs | Self::CurrentTs => LogicalType::STRING,
            Self::Texts => LogicalType::array(LogicalType::STRING),
            Self::TextMap => LogicalType::map(LogicalType::STRING, LogicalType::STRING),
            Self::IntMap => LogicalType::map(LogicalType::STRING, LogicalType::Int),
            Self::Millis | Self::Seconds => LogicalType::BigInt,
        }
    }

    /// The timestamp that a member's value stands for; `None` leaves the value as it is.
    fn convert(self, value: Datum<'_>) -> Result<Option<Slot>, Error> {
        let timestamp = match (self, value) {
            (Self::Millis, Datum::BigInt(millis)) => Some((millis, 0)),
            // Java's long arithmetic wraps.
            (Self::Seconds, Datum::BigInt(seconds)) => Some((seconds.wrapping_mul(1000), 0)),
            (Self::TextMillis, Datum::String(text)) => {
                Some((text::parse_integer(text).ok_or_else(|| misfit(text))?, 0))
            }
            (Self::OpTs, Datum::String(text)) => {
                Some((text::parse_ogg_event_timestamp(text).ok_or_else(|| misfit(text))?, 0))
            }
            (Self::CurrentTs, Datum::String(text)) => {
                text::parse_ogg_ingestion_timestamp(text).map_err(|_| misfit(text))?
            }
            _ => return Ok(None),
        };
        let timestamp = timestamp.map(|(millis, nanos)| Timestamp::new(millis, nanos));
        Ok(Some(timestamp.map_or(Slot::Null, Slot::Timestamp)))
    }
}

#[cold]
fn misfit(text: &str) -> Error {
    Error::new(ErrorKind::Data, format!("expected a timestamp, found {text:?}"))
}

/// A format's list of metadata for the table, with their types.
pub(crate) fn metadata_types(metadata: &[Metadata]) -> Vec<(&'static str, DataType)> {
    metadata.iter().map(|metadata| (metadata.key, metadata.reading.column_type().nullable())).collect()
}

/// Reads the metadata that a table asks for.
#[derive(Clone, Debug)]
pub(super) struct MetadataReader {
    reader: TreeReader,
    /// What to read, and the column it goes to.
    columns: Box<[(&'static Metadata, usize)]>,
}

impl MetadataReader {
    /// `wanted`: places in `list`, and their columns.
    pub(super) fn new(
        list: &'static [Metadata],
        wanted: &[(usize, usize)],
        options: &JsonOptions,
        jdk: Jdk,
        floats: FloatNodes,
    ) -> Result<Self, Error> {
        let columns = wanted.iter().filter_map(|&(index, column)| Some((list.get(index)?, column)));
        let columns: Box<[_]> = columns.collect();
        let fields: Vec<_> = columns
            .iter()
            .map(|(metadata, _)| Field::new(metadata.key, metadata.reading.member_type()))
            .collect();
        let positions: Vec<_> = (0..fields.len()).collect();
        let projection = Projection { fields: &fields, columns: &positions, metadata: &[] };
        Ok(Self { reader: TreeReader::new(projection, options, jdk)?.with_floats(floats), columns })
    }

    /// Reads all into the scratch: once, for every row of the message.
    pub(super) fn read(
        &self,
        tree: &Tree,
        document: NodeId,
        message: NodeId,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let Scratch { row, bytes, .. } = scratch;
        row.reset(self.columns.len());
        for (index, (metadata, _)) in self.columns.iter().enumerate() {
            let Some(node) = metadata.find(tree, document, message) else { continue };
            let slot = self.reader.value(index, tree, node, row, bytes)?;
            row.store(index, slot);
            let converted = metadata.reading.convert(row.datum(index));
            if let Some(slot) = converted.map_err(|error| error.in_column(metadata.key))? {
                row.store(index, slot);
            }
        }
        Ok(())
    }

    /// Copies into `row` what [`read`](Self::read) left in the scratch.
    pub(super) fn fill(&self, scratch: &Scratch, row: &mut RowBuf) {
        for (index, (_, column)) in self.columns.iter().enumerate() {
            row.set(*column, scratch.row.datum(index));
        }
    }
}
