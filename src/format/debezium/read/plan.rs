use crate::error::Error;
use crate::types::Field;

use super::connect_type::ConnectType;
use super::members::Members;
use super::placeholder::Placeholder;
use super::settings::{DebeziumSettings, DebeziumShape};

/// The columns that events are read into.
#[derive(Debug)]
pub(crate) struct EventTable {
    fields: Box<[Field]>,
    /// For each field its column in the row.
    columns: Box<[usize]>,
    pub(super) settings: DebeziumSettings,
    pub(super) placeholder: Placeholder,
}

/// How the images of events of one schema are read.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) before: Members,
    /// Also of an event that is its row, and of a key.
    pub(super) after: Members,
}

impl EventTable {
    pub(crate) fn new(fields: Box<[Field]>, columns: Box<[usize]>, settings: &DebeziumSettings) -> Self {
        let placeholder = Placeholder::new(settings);
        Self { fields, columns, settings: settings.clone(), placeholder }
    }

    fn members(&self, schema: Option<ConnectType<'_>>) -> Result<Members, Error> {
        Members::of(&self.fields, |field| self.columns[field], schema, &self.settings)
    }

    pub(super) fn plan(&self, schema: Option<ConnectType<'_>>) -> Result<Plan, Error> {
        let image = |name| schema.and_then(|schema| schema.field(name));
        let is_envelope = self.settings.shape == DebeziumShape::Envelope && image("op").is_some();
        let (before, after) = if is_envelope { (image("before"), image("after")) } else { (None, schema) };
        Ok(Plan { before: self.members(before)?, after: self.members(after)? })
    }
}
