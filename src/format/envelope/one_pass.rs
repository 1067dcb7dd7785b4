//! The fast path of the decoder: a message read at one go, without a tree.
//!
//! It takes what writers write: a message without blanks, whose rows hold the members of the columns once each, and
//! others. Whatever else it finds it leaves to the tree. A property holds the two together:
//! `tests::a_message_is_read_in_one_pass_as_by_the_tree`.

use crate::error::Error;
use crate::format::json::{Compact, Fields, JsonOptions};
use crate::format::{Projection, Rows};
use crate::row::{Row, RowKind};
use crate::text::as_utf8;

use super::{EnvelopeOptions, Images, Layout, Operation};

/// Reads messages of which nothing but their rows is asked for.
#[derive(Clone, Debug)]
pub(super) struct OnePass {
    layout: &'static Layout,
    fields: Fields,
    columns: Box<[usize]>,
}

/// How many rows a member holds, and where it ends.
type Read = Option<(usize, usize)>;

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
        let is_plain =
            projection.metadata.is_empty() && !options.is_payload() && options.filters().is_empty();
        if !is_plain {
            return Ok(None);
        }
        Ok(Some(Self {
            layout: O::LAYOUT,
            fields: Fields::of(projection, json)?,
            columns: projection.columns.into(),
        }))
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
        let (mut old, mut new, mut operation) = (None, None, None);
        let (b'{', mut start) = (compact.byte(0)?, 1) else { return None };
        loop {
            let (name, value) = compact.name(start)?;
            let end = if name == before.as_bytes() && old.is_none() {
                let (count, end) = self.before(compact, value, new, rows)?;
                old = Some(count);
                end
            } else if name == after.as_bytes() && new.is_none() {
                let (count, end) = self.after(compact, value, rows)?;
                new = Some(count);
                end
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
        match (operation?, old.unwrap_or(0), new.unwrap_or(0), self.layout.images) {
            (Operation::Insert, 0, 1.., _) => rows.set_kinds(RowKind::Insert),
            (Operation::Update, 1, 1, _) => {}
            (Operation::Delete, 1, 0, Images::BeforeAndAfter) => rows.set_kinds(RowKind::Delete),
            (Operation::Delete, 0, 1.., Images::DataAndOld | Images::DataAndOldArrays) => {
                rows.set_kinds(RowKind::Delete);
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads what was before the change, in front of as many rows as have been read of what is after it.
    #[inline]
    fn before(&self, compact: Compact<'_>, position: usize, new: Option<usize>, rows: &mut Rows<'_>) -> Read {
        if let Some(end) = end_of_null(compact, position) {
            return Some((0, end));
        }
        let end = match (self.layout.images, new) {
            (Images::BeforeAndAfter, None) => self.row(compact, position, RowKind::UpdateBefore, rows)?,
            (Images::DataAndOld, Some(1)) => self.old(compact, position, rows)?,
            (Images::DataAndOldArrays, Some(1)) => {
                let b'[' = compact.byte(position)? else { return None };
                let end = self.old(compact, position + 1, rows)?;
                (compact.byte(end)? == b']').then_some(end + 1)?
            }
            _ => return None,
        };
        Some((1, end))
    }

    /// Reads what is after the change.
    #[inline]
    fn after(&self, compact: Compact<'_>, position: usize, rows: &mut Rows<'_>) -> Read {
        if let Some(end) = end_of_null(compact, position) {
            return Some((0, end));
        }
        if self.layout.images != Images::DataAndOldArrays {
            return Some((1, self.row(compact, position, RowKind::UpdateAfter, rows)?));
        }
        let (b'[', mut start) = (compact.byte(position)?, position + 1) else { return None };
        let mut count = 0;
        loop {
            let end = self.row(compact, start, RowKind::UpdateAfter, rows)?;
            count += 1;
            match compact.byte(end)? {
                b',' => start = end + 1,
                b']' => return Some((count, end + 1)),
                _ => return None,
            }
        }
    }

    /// Reads a whole row, and says where it ends.
    #[inline]
    fn row(
        &self,
        compact: Compact<'_>,
        position: usize,
        kind: RowKind,
        rows: &mut Rows<'_>,
    ) -> Option<usize> {
        let (row, scratch) = rows.push_with_scratch(kind).ok()?;
        if let Some(end) = compact.object(&self.fields, position, row) {
            return Some(end);
        }
        row.reset(row.columns());
        compact.members_of(&self.fields, position, row, &mut scratch.named)
    }

    /// Reads what an update of the last row has changed into a row in front of it, which has its other values, and says
    /// where it ends.
    fn old(&self, compact: Compact<'_>, position: usize, rows: &mut Rows<'_>) -> Option<usize> {
        rows.push_before_last(RowKind::UpdateBefore).ok()?;
        let (after, before, scratch) = rows.last_two()?;
        let end = compact.members_of(&self.fields, position, before, &mut scratch.named)?;
        // A column counts as named by a member at any depth, too.
        let is_nested = compact.input[position + 1..end].iter().any(|byte| matches!(byte, b'{' | b'['));
        if is_nested {
            return None;
        }
        for (column, named) in self.columns.iter().zip(&scratch.named) {
            if !named {
                before.set(*column, after.datum(*column));
            }
        }
        rows.count_before_last().ok()?;
        Some(end)
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

#[inline]
fn end_of_null(compact: Compact<'_>, position: usize) -> Option<usize> {
    compact.input.get(position..)?.starts_with(b"null").then_some(position + 4)
}
