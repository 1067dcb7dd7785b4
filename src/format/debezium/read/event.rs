use crate::error::{Error, ErrorKind};
use crate::row::{RowBudget, RowKind};

use super::members::Members;
use super::metadata::Places;
use super::plan::Plan;

/// What is known of an event.
#[derive(Debug)]
pub(super) struct Event<'m> {
    /// The rows in front of its own.
    pub(super) mark: (usize, RowBudget),
    pub(super) places: Places<'m>,
    /// Where its images start in the payload.
    pub(super) images: [Option<usize>; 2],
    /// The images that have become rows.
    read: [Option<Image>; 2],
    has_more_images: bool,
    pub(super) operation: Option<Operation>,
    /// What it is if it is no change of a row.
    pub(super) hint: Option<EventSkip>,
    pub(super) has_others: bool,
}

impl<'m> Event<'m> {
    pub(super) fn new(schema: Option<&'m [u8]>, mark: (usize, RowBudget)) -> Self {
        Self {
            mark,
            places: Places { schema, ..Places::default() },
            images: [None; 2],
            read: [None; 2],
            has_more_images: false,
            operation: None,
            hint: None,
            has_others: false,
        }
    }

    pub(super) fn note_image(&mut self, image: Image, start: usize) {
        self.images[image as usize] = Some(start);
        match self.read.iter_mut().find(|read| read.is_none()) {
            Some(read) => *read = Some(image),
            None => self.has_more_images = true,
        }
    }

    /// Whether the rows that have been read are the wanted ones.
    pub(super) fn is_in_order(&self, wanted: &[(Image, RowKind)]) -> bool {
        let wanted = wanted.iter().map(|(image, _)| *image);
        !self.has_more_images && self.read.iter().flatten().copied().eq(wanted)
    }

    pub(super) fn operation(&self) -> Result<Operation, Error> {
        let is_heartbeat = self.places.time.is_some() && self.places.source.is_none() && !self.has_others;
        match (self.operation, self.hint) {
            (Some(operation), _) => Ok(operation),
            (None, Some(skip)) => Ok(Operation::Skip(skip)),
            (None, None) if is_heartbeat => Ok(Operation::Skip(EventSkip::Heartbeat)),
            (None, None) => {
                Err(missing("op")
                    .with_help("`DebeziumShape::Flattened` is for events that are their rows alone"))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Image {
    Before,
    After,
}

impl Image {
    pub(super) fn members(self, plan: &Plan) -> &Members {
        match self {
            Self::Before => &plan.before,
            Self::After => &plan.after,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }

    /// What its row is if the event is an update.
    pub(super) fn kind(self) -> RowKind {
        match self {
            Self::Before => RowKind::UpdateBefore,
            Self::After => RowKind::UpdateAfter,
        }
    }
}

/// A member of an event.
pub(super) enum EventMember {
    Image(Image),
    Operation,
    Source,
    Time,
    /// One that events about something else than rows have.
    Hint(EventSkip),
    Other,
}

impl EventMember {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "before" => Self::Image(Image::Before),
            "after" => Self::Image(Image::After),
            "op" => Self::Operation,
            "source" => Self::Source,
            "ts_ms" => Self::Time,
            "status" => Self::Hint(EventSkip::Transaction),
            "ddl" | "databaseName" | "tableChanges" => Self::Hint(EventSkip::SchemaChange),
            _ => Self::Other,
        }
    }
}

/// Debezium's `op`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// `c` and `r`.
    Insert,
    Update,
    Delete,
    /// `t` and `m`.
    Skip(EventSkip),
}

impl Operation {
    pub(super) fn of(text: &str) -> Result<Option<Self>, Error> {
        Ok(Some(match text {
            "c" | "r" => Self::Insert,
            "u" => Self::Update,
            "d" => Self::Delete,
            "t" => Self::Skip(EventSkip::Truncate),
            "m" => Self::Skip(EventSkip::Message),
            _ => return Err(unknown(text)),
        }))
    }
}

/// Why an event gives no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventSkip {
    Tombstone,
    Truncate,
    Message,
    Transaction,
    SchemaChange,
    Heartbeat,
}

#[cold]
pub(super) fn missing(member: &str) -> Error {
    Error::new(ErrorKind::Data, format!("the member \"{member}\" is missing or null"))
}

#[cold]
fn unknown(operation: &str) -> Error {
    let end = operation.char_indices().nth(MAX_QUOTED).map_or(operation.len(), |(end, _)| end);
    let dots = if end < operation.len() { ".." } else { "" };
    Error::new(ErrorKind::Data, format!("unknown \"op\" value {:?}{dots}", &operation[..end]))
}

/// The most characters of a text that a message quotes.
const MAX_QUOTED: usize = 32;

#[cold]
pub(super) fn no_before(operation: Operation) -> Error {
    let operation = if operation == Operation::Update { "an update" } else { "a delete" };
    Error::new(ErrorKind::Data, format!("the \"before\" of {operation} is null")).with_help(
        "`ALTER TABLE .. REPLICA IDENTITY FULL` makes PostgreSQL send it; `DebeziumSettings::missing_before` takes events \
         without it",
    )
}
