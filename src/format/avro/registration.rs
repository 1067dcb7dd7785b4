//! What stands before a datum: a zero byte, and the id that a registry has given to the datum's schema.
//!
//! Agrees with `org.apache.flink.formats.avro.registry.confluent.ConfluentSchemaRegistryCoder`.

use std::sync::{Arc, OnceLock};

use super::options::ConfluentOptions;
use super::registry::SchemaRegistry;
use crate::error::{Error, ErrorKind};
use crate::format::FormatSettings;

/// What a record starts with.
const MAGIC: u8 = 0;

/// A schema that is registered with the first row.
#[derive(Clone, Debug)]
pub(super) struct Registration {
    registry: Arc<dyn SchemaRegistry>,
    subject: Box<str>,
    /// The schema's text.
    schema: Box<str>,
    id: OnceLock<i32>,
}

impl Registration {
    /// # Errors
    ///
    /// Without a registry, which `format` needs.
    pub(super) fn new(
        schema: String,
        options: &ConfluentOptions,
        settings: FormatSettings<'_>,
        format: &str,
    ) -> Result<Self, Error> {
        Ok(Self {
            registry: registry(settings, format)?,
            subject: options.subject.as_deref().unwrap_or_default().into(),
            schema: schema.into(),
            id: OnceLock::new(),
        })
    }

    /// What the datum follows.
    ///
    /// # Errors
    ///
    /// If the registry does not take the schema.
    #[inline]
    pub(super) fn head(&self) -> Result<[u8; 5], Error> {
        let id = match self.id.get() {
            Some(id) => *id,
            None => self.register()?,
        };
        let [a, b, c, d] = id.to_be_bytes();
        Ok([MAGIC, a, b, c, d])
    }

    #[cold]
    fn register(&self) -> Result<i32, Error> {
        let id = self
            .registry
            .register(&self.subject, &self.schema)
            .map_err(|error| error.in_context("Could not register schema in registry"))?;
        Ok(*self.id.get_or_init(|| id))
    }
}

/// The id of the schema, and the datum after it.
pub(super) fn split(bytes: &[u8]) -> Result<(i32, &[u8]), Error> {
    match bytes.split_first_chunk::<5>() {
        Some((&[MAGIC, id @ ..], datum)) => Ok((i32::from_be_bytes(id), datum)),
        None if bytes.first().is_none_or(|magic| *magic == MAGIC) => {
            Err(Error::new(ErrorKind::Data, "the record ends inside the id of its schema"))
        }
        _ => Err(Error::new(ErrorKind::Data, "Unknown data format. Magic number does not match")),
    }
}

pub(super) fn registry(settings: FormatSettings<'_>, format: &str) -> Result<Arc<dyn SchemaRegistry>, Error> {
    settings.schema_registry.cloned().ok_or_else(|| {
        Error::new(ErrorKind::Table, format!("the format '{format}' needs a schema registry"))
            .with_help("give one with `Settings::with_schema_registry`")
    })
}
