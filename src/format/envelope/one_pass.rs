//! The fast path of the decoder: a message read at one go, without a tree.
//!
//! It takes what writers write: a message without blanks whose images hold all columns in their order. Whatever else it
//! finds it leaves to the tree. A property holds the two together: `tests::a_message_is_read_in_one_pass_as_by_the_tree`.

use crate::error::Error;
use crate::format::json::{Compact, Fields, JsonOptions};
use crate::format::{Projection, Rows};
use crate::row::RowKind;
use crate::text::as_utf8;

use super::{EnvelopeOptions, Images, Layout, Operation};

/// Reads messages that have both images, and nothing else that is asked for.
#[derive(Clone, Debug)]
pub(super) struct OnePass {
    layout: &'static Layout,
    fields: Fields,
}

impl OnePass {
    /// `None` for a table that wants more of a message.
    ///
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(super) fn new<O: EnvelopeOptions>(
        projection: Projection<'_>,
        options: &O,
        json: &JsonOptions,
    ) -> Result<Option<Self>, Error> {
        let layout = O::LAYOUT;
        let is_plain =
            projection.metadata.is_empty() && !options.is_payload() && options.filters().is_empty();
        if !is_plain || layout.images != Images::BeforeAndAfter {
            return Ok(None);
        }
        let fields = Fields::of(projection, json)?;
        Ok(Some(Self { layout, fields }))
    }

    /// The rows of the message; `None`, and no rows, of one that is left to the tree.
    pub(super) fn read(&self, bytes: &[u8], rows: &mut Rows<'_>) -> Option<()> {
        let before = rows.mark();
        let read = self.try_read(bytes, rows);
        if read.is_none() {
            rows.rewind(before);
        }
        read
    }

    fn try_read(&self, bytes: &[u8], rows: &mut Rows<'_>) -> Option<()> {
        let compact = Compact { input: bytes, text: Some(as_utf8(bytes)?) };
        let (before, after) = self.layout.images.members();
        let (mut has_before, mut has_after, mut operation) = (None, None, None);
        let (b'{', mut start) = (compact.byte(0)?, 1) else { return None };
        loop {
            let (name, value) = compact.name(start)?;
            let end = if name == before.as_bytes() && has_before.is_none() && has_after.is_none() {
                self.image(compact, value, RowKind::UpdateBefore, &mut has_before, rows)?
            } else if name == after.as_bytes() && has_after.is_none() {
                self.image(compact, value, RowKind::UpdateAfter, &mut has_after, rows)?
            } else if name == self.layout.operation.as_bytes() && operation.is_none() {
                let (found, end) = self.operation(compact, value)?;
                operation = Some(found);
                end
            } else if [before, after, self.layout.operation].iter().any(|member| name == member.as_bytes()) {
                // The last of two counts.
                return None;
            } else {
                compact.skip(value)?
            };
            match compact.byte(end)? {
                b',' => start = end + 1,
                b'}' => break,
                _ => return None,
            }
        }
        match (operation?, has_before == Some(true), has_after == Some(true)) {
            (Operation::Insert, false, true) => rows.set_kind_of_last(RowKind::Insert),
            (Operation::Delete, true, false) => rows.set_kind_of_last(RowKind::Delete),
            (Operation::Update, true, true) => {}
            _ => return None,
        }
        Some(())
    }

    /// Reads an image into a row, unless it is null, and says where it ends.
    #[inline]
    fn image(
        &self,
        compact: Compact<'_>,
        position: usize,
        kind: RowKind,
        is_there: &mut Option<bool>,
        rows: &mut Rows<'_>,
    ) -> Option<usize> {
        let is_null = compact.input.get(position..)?.starts_with(b"null");
        *is_there = Some(!is_null);
        if is_null {
            Some(position + 4)
        } else {
            compact.object(&self.fields, position, rows.push(kind).ok()?)
        }
    }

    fn operation(&self, compact: Compact<'_>, position: usize) -> Option<(Operation, usize)> {
        let rest = compact.input.get(position..)?.strip_prefix(b"\"")?;
        let is_next = |(text, _): &&(&str, Operation)| {
            rest.strip_prefix(text.as_bytes()).is_some_and(|after| after.first() == Some(&b'"'))
        };
        let (text, operation) = self.layout.operations.iter().find(is_next)?;
        Some((*operation, position + text.len() + 2))
    }
}
