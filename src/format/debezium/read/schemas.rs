use std::sync::Arc;

use super::plan::{EventTable, Plan};

/// The schemas that events have had, each joined with the columns once: kept beside the rows, so that threads do not meet.
///
/// Holds so many and so much of them; beyond that it begins anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas {
    known: Vec<Known>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Known {
    table: Arc<EventTable>,
    text: Box<[u8]>,
    plan: Arc<Plan>,
}

/// The most schemas that are kept: a table's key and value, for some versions of some tables.
const MAX_SCHEMAS: usize = 32;
/// The most bytes that their texts may have.
const MAX_BYTES: usize = 4 << 20;

impl Schemas {
    /// The schema that `text` begins with, if it has been met, and its length.
    #[inline]
    pub(super) fn find(&mut self, table: &Arc<EventTable>, text: &[u8]) -> Option<(Arc<Plan>, usize)> {
        let is_it = |known: &Known| text.starts_with(&known.text) && Arc::ptr_eq(&known.table, table);
        let index = self.known.iter().position(is_it)?;
        // The one that was met last is likely the next.
        self.known.swap(0, index);
        self.known.first().map(|known| (Arc::clone(&known.plan), known.text.len()))
    }

    /// Keeps a schema.
    pub(super) fn insert(&mut self, table: &Arc<EventTable>, text: &[u8], plan: &Arc<Plan>) {
        if text.len() > MAX_BYTES {
            return;
        }
        if self.known.len() >= MAX_SCHEMAS || self.bytes + text.len() > MAX_BYTES {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += text.len();
        let known = Known { table: Arc::clone(table), text: text.into(), plan: Arc::clone(plan) };
        self.known.insert(0, known);
    }
}
