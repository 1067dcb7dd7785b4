use crate::error::{Error, ErrorKind};
use crate::format::json::{self, Kind, NodeId, Tree, TreeReader};
use crate::format::pattern::Pattern;
use crate::format::{DecodeRow, FormatSettings, NoRow, Projection, Rows};
use crate::row::{Row, RowKind};

use super::metadata::MetadataReader;
use super::one_pass::OnePass;
use super::{EnvelopeOptions, Images, Layout, Operation, missing, no_before};

/// Reads messages about rows: `-U` and `+U` out of an update.
///
/// Agrees with the `*JsonDeserializationSchema` of the four formats.
#[derive(Clone, Debug)]
pub(crate) struct EnvelopeDecoder {
    layout: &'static Layout,
    one_pass: Option<OnePass>,
    row: TreeReader,
    /// The names and columns of the row.
    columns: Box<[(Box<str>, usize)]>,
    metadata: MetadataReader,
    filters: Box<[(&'static str, Pattern)]>,
    is_payload: bool,
    ignore_parse_errors: bool,
}

impl EnvelopeDecoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new<O: EnvelopeOptions>(
        projection: Projection<'_>,
        options: &O,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let (layout, jdk) = (O::LAYOUT, settings.jdk);
        let json = &options.json().of_release(settings.release);
        let row = TreeReader::new(projection, json, jdk)?;
        let names = projection.fields.iter().map(|field| field.name.as_str().into());
        Ok(Self {
            layout,
            one_pass: OnePass::new(projection, options, json)?,
            columns: names.zip(projection.columns.iter().copied()).collect(),
            metadata: MetadataReader::new(layout.metadata, projection.metadata, json, jdk, row.floats())?,
            row,
            filters: options.filters().into(),
            is_payload: options.is_payload(),
            ignore_parse_errors: json.ignore_parse_errors,
        })
    }
}

impl DecodeRow for EnvelopeDecoder {
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        if let Some(one_pass) = &self.one_pass
            && one_pass.read(bytes, rows).is_some()
        {
            return Ok(());
        }
        let mut tree = std::mem::take(&mut rows.scratch.tree);
        let result = self.read(bytes, &mut tree, rows);
        rows.scratch.tree = tree;
        match result {
            // The rows in front of the fault stay.
            Err(_) if self.ignore_parse_errors => {
                rows.skip(NoRow::ParseError);
                Ok(())
            }
            result => result,
        }
    }
}

impl EnvelopeDecoder {
    fn read(&self, bytes: &[u8], tree: &mut Tree, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(document) = json::parse_document(bytes, tree)? else {
            return Err(Error::new(ErrorKind::Data, "expected a message, found nothing"));
        };
        tree.check_floats(self.row.floats())?;
        if !self.admits(tree, document, &mut rows.scratch.bytes)? {
            rows.skip(NoRow::Filtered);
            return Ok(());
        }
        let document = match self.layout.images {
            Images::BeforeAndAfter => self.only_element(tree, document)?,
            Images::DataAndOld | Images::DataAndOldArrays => document,
        };
        let payload = if self.is_payload { tree.get(document, "payload") } else { Some(document) };
        let node = object(tree, payload)?;
        self.metadata.read(tree, document, node, rows.scratch)?;
        Message { decoder: self, tree, node, bytes, rows }.read()
    }

    /// Whether the include filters let the document pass. What they stop is not looked at any further.
    fn admits(&self, tree: &Tree, document: NodeId, scratch: &mut Vec<u8>) -> Result<bool, Error> {
        for (name, pattern) in &self.filters {
            let node = tree.get(document, name).ok_or_else(|| missing(name))?;
            if !pattern.matches(tree.print_as_text(node, self.row.floats(), scratch)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Flink reads these messages with its decoder of rows, which takes arrays, and insists on one row.
    fn only_element(&self, tree: &Tree, document: NodeId) -> Result<NodeId, Error> {
        if tree.kind(document) != Kind::Array {
            return Ok(document);
        }
        let mut elements = tree.elements(document).filter(|element| match tree.kind(*element) {
            Kind::Object => true,
            Kind::Null => false,
            _ => !self.ignore_parse_errors,
        });
        match (elements.next(), elements.next()) {
            (Some(element), None) => Ok(element),
            (None, _) => Err(Error::new(ErrorKind::Data, "expected a message, found an empty array")),
            (Some(_), Some(_)) => Err(Error::new(
                ErrorKind::Data,
                "Please invoke DeserializationSchema#deserialize(byte[], Collector<RowData>) instead.",
            )),
        }
    }
}

/// A message on its way to rows.
struct Message<'m, 'r> {
    decoder: &'m EnvelopeDecoder,
    tree: &'m Tree,
    node: NodeId,
    /// The text, to be quoted where Flink quotes it.
    bytes: &'m [u8],
    rows: &'m mut Rows<'r>,
}

impl Message<'_, '_> {
    fn read(mut self) -> Result<(), Error> {
        let operation = self.operation()?;
        let images = self.decoder.layout.images;
        let (before, after) = images.members();
        let (before, after) = (self.tree.get(self.node, before), self.tree.get(self.node, after));
        match operation {
            Operation::Other => self.rows.skip(NoRow::Filtered),
            Operation::Update => self.note_names(before),
            Operation::Insert | Operation::Delete => {}
        }
        match images {
            Images::BeforeAndAfter | Images::DataAndOld => self.change(operation, before, after),
            Images::DataAndOldArrays => self.changes(operation, before, after),
        }
    }

    fn operation(&self) -> Result<Operation, Error> {
        let Layout { operation: member, operations, .. } = self.decoder.layout;
        let node = self.tree.get(self.node, member).filter(|node| self.tree.kind(*node) != Kind::Null);
        let node = node.ok_or_else(|| missing(member))?;
        let text = self.tree.text(node);
        match operations.iter().find(|(name, _)| *name == text) {
            Some((_, operation)) if self.tree.kind(node) == Kind::String => Ok(*operation),
            _ => Err(self.unknown(member, node)),
        }
    }

    /// The rows of a change for each element of `after`.
    fn changes(
        &mut self,
        operation: Operation,
        before: Option<NodeId>,
        after: Option<NodeId>,
    ) -> Result<(), Error> {
        let tree = self.tree;
        let (before, after) = (self.of_kind(before, Kind::Array)?, self.of_kind(after, Kind::Array)?);
        if after.is_none() && operation != Operation::Other {
            return Err(missing(self.decoder.layout.images.members().1));
        }
        let mut befores = before.into_iter().flat_map(|before| tree.elements(before));
        for after in after.into_iter().flat_map(|after| tree.elements(after)) {
            self.change(operation, befores.next(), Some(after))?;
        }
        befores.try_for_each(|unused| self.check(Some(unused)))
    }

    /// The row or two of a change. Nothing fails after the first one where parse errors are ignored.
    fn change(
        &mut self,
        operation: Operation,
        before: Option<NodeId>,
        after: Option<NodeId>,
    ) -> Result<(), Error> {
        let (before, after) = (self.of_kind(before, Kind::Object)?, self.of_kind(after, Kind::Object)?);
        let whole = self.decoder.layout.images == Images::BeforeAndAfter;
        match operation {
            Operation::Insert => {
                self.emit(RowKind::Insert, after.ok_or_else(|| self.no_after())?)?;
                self.check(before)
            }
            Operation::Update => {
                let before = before.ok_or_else(|| self.no_before("UPDATE"))?;
                let after = after.ok_or_else(|| self.no_after())?;
                self.emit(RowKind::UpdateBefore, before)?;
                self.emit(RowKind::UpdateAfter, after)?;
                if whole { Ok(()) } else { self.complete() }
            }
            Operation::Delete if whole => {
                self.emit(RowKind::Delete, before.ok_or_else(|| self.no_before("DELETE"))?)?;
                self.check(after)
            }
            Operation::Delete => {
                self.emit(RowKind::Delete, after.ok_or_else(|| self.no_after())?)?;
                self.check(before)
            }
            Operation::Other => {
                self.check(before)?;
                self.check(after)
            }
        }
    }

    /// The node, if there is one; where parse errors are ignored, only if it is of that kind.
    fn of_kind(&self, node: Option<NodeId>, kind: Kind) -> Result<Option<NodeId>, Error> {
        let node = node.filter(|node| self.tree.kind(*node) != Kind::Null);
        match node.map(|node| self.tree.kind(node)) {
            Some(found) if found != kind && self.decoder.ignore_parse_errors => Ok(None),
            Some(found) if found != kind => Err(unexpected(kind, found)),
            _ => Ok(node),
        }
    }

    fn emit(&mut self, kind: RowKind, image: NodeId) -> Result<(), Error> {
        let (row, scratch) = self.rows.push_with_scratch(kind)?;
        self.decoder.row.fill(self.tree, image, row, &mut scratch.bytes)?;
        self.decoder.metadata.fill(scratch, row);
        Ok(())
    }

    /// Fails where an image does not convert that nobody needs: Flink converts it all the same.
    fn check(&mut self, image: Option<NodeId>) -> Result<(), Error> {
        let Some(image) = self.of_kind(image, Kind::Object)? else { return Ok(()) };
        if self.decoder.ignore_parse_errors {
            return Ok(());
        }
        let (row, scratch) = self.rows.push_with_scratch(RowKind::Insert)?;
        self.decoder.row.fill(self.tree, image, row, &mut scratch.bytes)?;
        self.rows.pop();
        Ok(())
    }

    /// Notes the columns that `old` names, be it in the image of another row or inside a nested value: once for all
    /// rows of the message.
    fn note_names(&mut self, old: Option<NodeId>) {
        if self.decoder.layout.images == Images::BeforeAndAfter {
            return;
        }
        let is_named = |name: &str| old.is_some_and(|old| self.tree.names(old, name));
        let named = &mut self.rows.scratch.named;
        named.clear();
        named.extend(self.decoder.columns.iter().map(|(name, _)| is_named(name)));
    }

    /// Gives the row before an update the values that the update has not changed: those of columns that are named
    /// nowhere.
    fn complete(&mut self) -> Result<(), Error> {
        let Some((after, before, scratch)) = self.rows.last_two() else { return Ok(()) };
        let bytes = before.size_in_bytes();
        for ((_, column), is_named) in self.decoder.columns.iter().zip(&scratch.named) {
            if before.datum(*column).is_null() && !is_named {
                before.set(*column, after.datum(*column));
            }
        }
        let bytes = before.size_in_bytes() - bytes;
        self.rows.count(bytes)
    }

    #[cold]
    fn no_before(&self, operation: &str) -> Error {
        let Layout { product, images, .. } = self.decoder.layout;
        if *images != Images::BeforeAndAfter {
            return missing(images.members().0);
        }
        no_before(product, operation)
    }

    #[cold]
    fn no_after(&self) -> Error {
        missing(self.decoder.layout.images.members().1)
    }

    #[cold]
    fn unknown(&self, member: &str, node: NodeId) -> Error {
        let (floats, mut scratch) = (self.decoder.row.floats(), Vec::new());
        let value = match self.tree.kind(node) {
            Kind::Array | Kind::Object => self.tree.print_to_str(node, floats, &mut scratch),
            _ => self.tree.print_as_text(node, floats, &mut scratch),
        };
        Error::new(
            ErrorKind::Data,
            format!(
                "Unknown \"{member}\" value \"{value}\". The {} JSON message is '{}'",
                self.decoder.layout.product,
                String::from_utf8_lossy(self.bytes)
            ),
        )
    }
}

/// The object that a message is.
fn object(tree: &Tree, node: Option<NodeId>) -> Result<NodeId, Error> {
    match node.map(|node| (node, tree.kind(node))) {
        Some((node, Kind::Object)) => Ok(node),
        Some((_, found)) => Err(unexpected(Kind::Object, found)),
        None => Err(missing("payload")),
    }
}

#[cold]
fn unexpected(expected: Kind, found: Kind) -> Error {
    Error::new(ErrorKind::Data, format!("expected {}, found {}", expected.name(), found.name()))
}
