//! Trees to rows, with the conversions of Flink's tree decoder.

use crate::error::{Error, ErrorKind};
use crate::format::scalar::Scalar;
use crate::format::{NoRow, Projection, Rows};
use crate::row::{Datum, RowBuf, RowKind, Slot};
use crate::text::{self, Jdk};

use super::super::lexer::{Lexer, Token};
use super::super::options::JsonOptions;
use super::super::plan::{FieldPlan, Fields, ValueReader};
use super::super::scalar;
use super::super::utf8;
use super::number::{self, FloatNodes};
use super::{Kind, NodeId, Tree};

/// Reads one JSON object, or an array of them, into rows, the whole text first.
///
/// Agrees with `org.apache.flink.formats.json.JsonRowDataDeserializationSchema`.
#[derive(Clone, Debug)]
pub(crate) struct TreeDecoder {
    reader: TreeReader,
}

impl TreeDecoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new(projection: Projection<'_>, options: &JsonOptions, jdk: Jdk) -> Result<Self, Error> {
        Ok(Self { reader: TreeReader::new(projection, options, jdk)? })
    }

    /// Appends the rows that `bytes` hold.
    pub(crate) fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let mut tree = std::mem::take(&mut rows.scratch.tree);
        let result = self.document(bytes, &mut tree, rows);
        rows.scratch.tree = tree;
        match result {
            Err(_) if self.reader.ignore_parse_errors => {
                rows.skip(NoRow::ParseError);
                Ok(())
            }
            result => result,
        }
    }

    fn document(&self, bytes: &[u8], tree: &mut Tree, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(root) = parse_document(bytes, tree)? else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        tree.check_floats(self.reader.floats())?;
        match tree.kind(root) {
            Kind::Null => rows.skip(NoRow::Empty),
            Kind::Array => {
                let mut any = false;
                for element in tree.elements(root).filter(|element| tree.kind(*element) != Kind::Null) {
                    any = true;
                    self.row(tree, element, rows)?;
                }
                if !any {
                    rows.skip(NoRow::Empty);
                }
            }
            _ => self.row(tree, root, rows)?,
        }
        Ok(())
    }

    fn row(&self, tree: &Tree, node: NodeId, rows: &mut Rows<'_>) -> Result<(), Error> {
        let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
        let result = self.reader.fill(tree, node, row, &mut scratch.bytes);
        if result.is_err() {
            rows.pop();
        }
        match result {
            Err(_) if self.reader.ignore_parse_errors => {
                rows.skip(NoRow::ParseError);
                Ok(())
            }
            result => result,
        }
    }
}

/// Parses a document; `None` if it is blank.
pub(crate) fn parse_document(bytes: &[u8], tree: &mut Tree) -> Result<Option<NodeId>, Error> {
    let bytes = utf8::to_utf8(bytes);
    let mut lexer = Lexer::new(&bytes)?;
    if lexer.token() == Token::End {
        return Ok(None);
    }
    tree.parse(&mut lexer).map(Some)
}

/// Fills the projected columns of a row out of an object's node; also the images inside changelog envelopes.
///
/// Agrees with `org.apache.flink.formats.json.JsonToRowDataConverters`.
#[derive(Clone, Debug)]
pub(crate) struct TreeReader {
    fields: Fields,
    floats: FloatNodes,
    ignore_parse_errors: bool,
    fail_on_missing_field: bool,
}

impl TreeReader {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new(projection: Projection<'_>, options: &JsonOptions, jdk: Jdk) -> Result<Self, Error> {
        let fields = Fields::of(projection, options)?;
        Ok(Self {
            floats: fields.float_nodes(jdk),
            fields,
            ignore_parse_errors: options.ignore_parse_errors,
            fail_on_missing_field: options.fail_on_missing_field,
        })
    }

    /// How the numbers of the document are held.
    pub(crate) fn floats(&self) -> FloatNodes {
        self.floats
    }

    /// The same for columns of a document whose other columns decide how its numbers are held.
    pub(crate) fn with_floats(self, floats: FloatNodes) -> Self {
        Self { floats, ..self }
    }

    /// Fills the row's projected columns.
    pub(crate) fn fill(
        &self,
        tree: &Tree,
        node: NodeId,
        row: &mut RowBuf,
        scratch: &mut Vec<u8>,
    ) -> Result<(), Error> {
        Reading { reader: self, tree, row, scratch }.object(&self.fields, node, 0)
    }

    /// The value of the field at `index`, wherever its node was found; to be [stored](RowBuf::store).
    pub(crate) fn value(
        &self,
        index: usize,
        tree: &Tree,
        node: NodeId,
        row: &mut RowBuf,
        scratch: &mut Vec<u8>,
    ) -> Result<Slot, Error> {
        let Some(field) = self.fields.get(index) else { return Ok(Slot::Null) };
        let value = Reading { reader: self, tree, row, scratch }.value(&field.converter, node);
        value.map_err(|error| error.in_column(&field.name))
    }
}

struct Reading<'r> {
    reader: &'r TreeReader,
    tree: &'r Tree,
    row: &'r mut RowBuf,
    scratch: &'r mut Vec<u8>,
}

impl Reading<'_> {
    /// Fills the places from `base` on.
    fn object(&mut self, fields: &Fields, node: NodeId, base: usize) -> Result<(), Error> {
        if self.tree.kind(node) != Kind::Object {
            return Err(self.unexpected(node, "an object"));
        }
        let mut found = 0;
        for (likely, (name, value)) in self.tree.members(node).enumerate() {
            let in_order = fields.get(likely).filter(|field| *field.name == *name);
            let Some(field) = in_order.or_else(|| fields.get(fields.find(name.as_bytes())?)) else {
                continue;
            };
            match self.value(&field.converter, value) {
                Ok(slot) => self.row.store(base + field.position, slot),
                Err(error) => {
                    let earlier = self.check_fields_before(field, fields, node);
                    return Err(earlier.err().unwrap_or(error.in_column(&field.name)));
                }
            }
            found += 1;
        }
        if found < fields.len() && self.reader.fail_on_missing_field {
            let absent = fields.iter().find(|field| self.tree.get(node, &field.name).is_none());
            return absent.map_or(Ok(()), |field| Err(missing(&field.name)));
        }
        Ok(())
    }

    /// Flink goes through the fields and not through the members: what is wrong with an earlier field it sees first.
    #[cold]
    fn check_fields_before(&mut self, fault: &FieldPlan, fields: &Fields, node: NodeId) -> Result<(), Error> {
        for field in fields.iter().take_while(|field| field.name != fault.name) {
            match self.tree.get(node, &field.name) {
                Some(value) => {
                    self.value(&field.converter, value).map_err(|error| error.in_column(&field.name))?;
                }
                None if self.reader.fail_on_missing_field => return Err(missing(&field.name)),
                None => {}
            }
        }
        Ok(())
    }

    /// The value of a node; where parse errors are ignored, NULL for one that does not convert.
    fn value(&mut self, converter: &ValueReader, node: NodeId) -> Result<Slot, Error> {
        if self.tree.kind(node) == Kind::Null {
            return Ok(Slot::Null);
        }
        let mark = self.row.begin();
        match self.converted(converter, node) {
            Err(_) if self.reader.ignore_parse_errors => {
                self.row.rewind(mark);
                Ok(Slot::Null)
            }
            result => result,
        }
    }

    fn converted(&mut self, converter: &ValueReader, node: NodeId) -> Result<Slot, Error> {
        match converter {
            ValueReader::Scalar(scalar) => self.scalar(*scalar, node),
            ValueReader::Array(element) => {
                if self.tree.kind(node) != Kind::Array {
                    return Err(self.unexpected(node, "an array"));
                }
                let mark = self.row.begin();
                for (index, node) in self.tree.elements(node).enumerate() {
                    let slot = self.value(element, node).map_err(|error| error.in_element(index))?;
                    self.row.push_item(slot)?;
                }
                Ok(self.row.array_slot(mark))
            }
            // What is no object has no members: an empty map, and no error.
            ValueReader::Map(value) => {
                let mark = self.row.begin();
                for (name, node) in self.tree.members(node) {
                    let slot = self.value(value, node).map_err(|error| error.in_key(name))?;
                    self.row.push(Datum::String(name));
                    self.row.push_item(slot)?;
                }
                // Names are unique in a tree.
                Ok(self.row.map_slot(mark))
            }
            ValueReader::Row(fields) => {
                let mark = self.row.begin_row(fields.len())?;
                self.object(fields, node, mark)?;
                Ok(self.row.row_slot(mark))
            }
        }
    }

    fn scalar(&mut self, scalar: Scalar, node: NodeId) -> Result<Slot, Error> {
        let kind = self.tree.kind(node);
        let floats = self.reader.floats;
        let slot = match (scalar, kind, floats) {
            (Scalar::String, Kind::Array | Kind::Object, _) => {
                Some(self.row.str_slot(self.tree.print_to_str(node, floats, self.scratch)))
            }
            (Scalar::Bytes, Kind::String, _) => scalar.parse(self.tree.text(node), self.row),
            (Scalar::Bytes, ..) => Some(Slot::Null),
            // The number is the same as that of the node's text.
            (Scalar::Decimal { .. }, Kind::Float, _) => scalar.parse(self.tree.text(node), self.row),
            (Scalar::Int, Kind::Float, FloatNodes::Double(_)) => {
                scalar::float_as_int(self.tree.text(node)).map(Slot::Int)
            }
            (Scalar::BigInt, Kind::Float, FloatNodes::Double(_)) => {
                scalar::float_as_bigint(self.tree.text(node)).map(Slot::BigInt)
            }
            (Scalar::Int, Kind::Float, FloatNodes::BigDecimal) => {
                let (least, greatest) = (i32::MIN.into(), i32::MAX.into());
                let value = number::big_decimal_to_integer(self.tree.text(node), least, greatest);
                value.and_then(|value| value.try_into().ok()).map(Slot::Int)
            }
            (Scalar::BigInt, Kind::Float, FloatNodes::BigDecimal) => {
                number::big_decimal_to_integer(self.tree.text(node), i64::MIN, i64::MAX).map(Slot::BigInt)
            }
            // The double of the node narrowed, with both roundings.
            #[expect(clippy::cast_possible_truncation, reason = "Java's cast to float")]
            (Scalar::Float, Kind::Float, FloatNodes::Double(_)) => {
                text::parse_f64(self.tree.text(node)).map(|value| Slot::Float(value as f32))
            }
            (Scalar::Double, Kind::Float, FloatNodes::Double(_)) => {
                text::parse_f64(self.tree.text(node)).map(Slot::Double)
            }
            _ => scalar.parse(self.tree.print_as_text(node, floats, self.scratch), self.row),
        };
        slot.ok_or_else(|| scalar::misfit(scalar, kind.name()))
    }

    #[cold]
    fn unexpected(&self, node: NodeId, expected: &str) -> Error {
        Error::new(ErrorKind::Data, format!("expected {expected}, found {}", self.tree.kind(node).name()))
    }
}

#[cold]
fn missing(name: &str) -> Error {
    Error::new(ErrorKind::Data, format!("Could not find field with name '{name}'.")).in_column(name)
}
