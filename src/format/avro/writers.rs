//! The schemas that a topic's records were written with, each asked for once and resolved against the reader's.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::kept_error::KeptError;
use super::read_plan::Resolved;
use super::registration::{registry, split};
use super::registry::SchemaRegistry;
use super::resolve::resolve;
use super::schema::AvroSchema;
use crate::error::{Error, ErrorKind};
use crate::format::FormatSettings;
use crate::types::Field;

/// What clones of a decoder have in common.
#[derive(Debug)]
pub(super) struct Writers {
    reader: AvroSchema,
    fields: Box<[Field]>,
    true_micros: bool,
    /// The column that a writer's datum may be, without a record around it.
    plain: Option<Box<str>>,
    registry: Arc<dyn SchemaRegistry>,
    /// The first writer met, which is the only one as long as a topic's schema does not change.
    first: OnceLock<(i32, Arc<Resolved>)>,
    known: RwLock<BTreeMap<i32, Known>>,
}

/// What is known of a schema: how it is read, or why it cannot be used, which is as final: an id stands for one schema for
/// ever.
type Known = Result<Arc<Resolved>, KeptError>;

/// So many writers' schemas are known, as by Flink's client of the registry; beyond that the others start anew.
const MAX_WRITERS: usize = 1000;

impl Writers {
    /// Those whose records are read as `fields`, whose schema is `reader`.
    ///
    /// # Errors
    ///
    /// Without a registry, which `format` needs.
    pub(super) fn new(
        reader: AvroSchema,
        fields: &[Field],
        settings: FormatSettings<'_>,
        format: &str,
    ) -> Result<Self, Error> {
        Ok(Self {
            reader,
            fields: fields.into(),
            true_micros: settings.avro_true_micros,
            plain: None,
            registry: registry(settings, format)?,
            first: OnceLock::new(),
            known: RwLock::default(),
        })
    }

    /// The same, and a writer's datum may be the value of that column.
    pub(super) fn or_plain(self, column: Option<&str>) -> Self {
        Self { plain: column.map(Into::into), ..self }
    }

    /// The id of the schema that `bytes` need and the registry does not answer, or not yet.
    pub(super) fn missing(&self, bytes: &[u8]) -> Option<i32> {
        let (id, _) = split(bytes).ok()?;
        if self.first.get().is_some_and(|(first, _)| *first == id) {
            return None;
        }
        let error = self.resolved(id).err()?;
        matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::NoSchema).then_some(id)
    }

    /// Reads what was written with the schema of that id.
    ///
    /// # Errors
    ///
    /// Those of `read`; and if the schema is not there, or cannot be used.
    #[inline]
    pub(super) fn read(
        &self,
        id: i32,
        read: impl FnOnce(&Resolved) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.first.get().is_none() {
            // Another thread may come first, with another id.
            let _ = self.first.set((id, self.resolved(id)?));
        }
        match self.first.get() {
            Some((first, resolved)) if *first == id => read(resolved),
            _ => read(&*self.resolved(id)?),
        }
    }

    fn resolved(&self, id: i32) -> Result<Arc<Resolved>, Error> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        let known = match known {
            Some(known) => known,
            None => {
                let resolved = self.resolve(id)?;
                let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
                if known.len() >= MAX_WRITERS {
                    known.clear();
                }
                known.insert(id, resolved.clone());
                resolved
            }
        };
        // Whoever wrote the record used a schema that this table does not read.
        known.map_err(|unusable| {
            let message = format!("the registry's schema with id {id} cannot be used");
            Error::new(ErrorKind::Data, message).with_source(unusable)
        })
    }

    /// Asks for the schema.
    ///
    /// # Errors
    ///
    /// If there is no answer, or a schema is missing: whoever asks again may get one.
    #[cold]
    fn resolve(&self, id: i32) -> Result<Known, Error> {
        let registered = self
            .registry
            .schema(id)
            .map_err(|error| error.in_context(format!("Could not find schema with id {id} in registry")))?;
        let writer = registered.parse(|subject, version| self.registry.version(subject, version));
        let mut writer = match writer {
            Ok(writer) => writer,
            Err(error) => match error.kind() {
                // A schema that it refers to is to be asked for again, or there is none.
                ErrorKind::Unavailable | ErrorKind::Refused | ErrorKind::NoSchema => return Err(error),
                _ => return Ok(Err(KeptError::new(error))),
            },
        };
        if let Some(column) = &self.plain {
            writer.wrap_plain(column);
        }
        let resolved = resolve(&writer, &self.reader, &self.fields, self.true_micros);
        Ok(resolved.map(Arc::new).map_err(KeptError::new))
    }
}
