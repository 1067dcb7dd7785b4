use crate::error::Error;
use crate::format::json::JsonEncoder;
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection};
use crate::row::{Row, RowKind};
use crate::wire::Buffer;

use super::{EnvelopeOptions, Images, Layout, Operation};

/// Writes a row as a message about it: `+I` and `+U` as an insert, `-U` and `-D` as a delete, as Flink does.
///
/// Agrees with the `*JsonSerializationSchema` of the four formats.
#[derive(Clone, Debug)]
pub(crate) struct EnvelopeEncoder {
    row: JsonEncoder,
    insert: Envelope,
    delete: Envelope,
}

/// What stands around the row.
#[derive(Clone, Debug)]
struct Envelope {
    head: Box<[u8]>,
    tail: Box<[u8]>,
}

impl EnvelopeEncoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new<O: EnvelopeOptions>(
        projection: Projection<'_>,
        options: &O,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let json = options.json();
        let envelope = |operation| Envelope::new(O::LAYOUT, operation, json.ignore_null_fields);
        Ok(Self {
            row: JsonEncoder::new(projection, json, settings)?,
            insert: envelope(Operation::Insert),
            delete: envelope(Operation::Delete),
        })
    }
}

impl EncodeRow for EnvelopeEncoder {
    #[inline(never)]
    fn encode<R: Row + ?Sized>(&self, kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        let envelope = if kind.is_retraction() { &self.delete } else { &self.insert };
        out.extend_from_slice(&envelope.head);
        self.row.write(row, out)?;
        out.extend_from_slice(&envelope.tail);
        Ok(Encoded::Bytes)
    }
}

impl Envelope {
    fn new(layout: &Layout, operation: Operation, ignore_nulls: bool) -> Self {
        let name =
            layout.operations.iter().find(|(_, named)| *named == operation).map_or("", |(name, _)| name);
        let member = layout.operation;
        let (head, tail) = match (layout.images, operation) {
            (Images::BeforeAndAfter, Operation::Delete) if ignore_nulls => (r#"{"before":"#, ""),
            (Images::BeforeAndAfter, Operation::Delete) => (r#"{"before":"#, r#","after":null"#),
            (Images::BeforeAndAfter, _) if ignore_nulls => (r#"{"after":"#, ""),
            (Images::BeforeAndAfter, _) => (r#"{"before":null,"after":"#, ""),
            (Images::DataAndOld, _) => (r#"{"data":"#, ""),
            (Images::DataAndOldArrays, _) => (r#"{"data":["#, "]"),
        };
        let tail = format!(r#"{tail},"{member}":"{name}"}}"#);
        Self { head: head.as_bytes().into(), tail: tail.into_bytes().into() }
    }
}
