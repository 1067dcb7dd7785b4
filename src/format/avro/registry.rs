//! The schema registry of `avro-confluent` and `debezium-avro-confluent`: what it must do, and one in memory.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::compatibility::can_read;
use super::references::RegisteredSchema;
use super::schema::AvroSchema;
use super::schema_error;
use crate::error::{Error, ErrorKind};

/// What `avro-confluent` and `debezium-avro-confluent` need of a schema registry: an id for a schema, a schema for an
/// id.
///
/// An encoder asks once for the id of its schema, with the first row that it writes; a decoder once for each id that
/// it meets. Both wait for the answer. After an error the next row or record asks again; a
/// [`BackoffRegistry`](super::BackoffRegistry) around the registry makes them wait.
///
/// Agrees with Flink's `ConfluentSchemaRegistryCoder` over Confluent's `SchemaRegistryClient`.
pub trait SchemaRegistry: Send + Sync {
    /// Makes `schema`, the JSON text of an Avro schema, the newest version of `subject` unless it is a version
    /// already, and answers its id: `POST /subjects/{subject}/versions`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Unavailable`] if the registry does not answer, [`ErrorKind::Refused`] if it refuses.
    fn register(&self, subject: &str, schema: &str) -> Result<i32, Error>;

    /// The Avro schema with the id: `GET /schemas/ids/{id}`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSchema`] if there is none, otherwise as for [`register`](Self::register).
    fn schema(&self, id: i32) -> Result<RegisteredSchema, Error>;

    /// The Avro schema that is the `version` of `subject`, counted from 1: `GET /subjects/{subject}/versions/{version}`.
    ///
    /// Only the [references](RegisteredSchema::references) of a schema lead here. Without this method there are no
    /// versions.
    ///
    /// # Errors
    ///
    /// As for [`schema`](Self::schema).
    fn version(&self, subject: &str, version: i32) -> Result<RegisteredSchema, Error> {
        Err(no_version(subject, version))
    }
}

impl<R: SchemaRegistry + ?Sized> SchemaRegistry for Arc<R> {
    fn register(&self, subject: &str, schema: &str) -> Result<i32, Error> {
        (**self).register(subject, schema)
    }

    fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
        (**self).schema(id)
    }

    fn version(&self, subject: &str, version: i32) -> Result<RegisteredSchema, Error> {
        (**self).version(subject, version)
    }
}

/// Says nothing of the registry: its client may know passwords.
impl fmt::Debug for dyn SchemaRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SchemaRegistry")
    }
}

/// A schema registry in memory, for tests and for processes that keep their schemas themselves.
///
/// A schema has one id in all subjects; ids count up. A subject's next version must be able to read what its newest
/// one wrote: compatibility BACKWARD, which is Confluent's default.
///
/// ```
/// use upsert_kafka::format::{MemorySchemaRegistry, SchemaRegistry};
///
/// let registry = MemorySchemaRegistry::new();
/// let id = registry.register("t-value", r#"{"type":"record","name":"r","fields":[]}"#)?;
/// assert_eq!(registry.schema(id)?.text, r#"{"type":"record","name":"r","fields":[]}"#);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Debug)]
pub struct MemorySchemaRegistry {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    next_id: i32,
    schemas: BTreeMap<i32, RegisteredSchema>,
    /// The schemas that refer to no other, by their text, each with its id.
    texts: BTreeSet<(String, i32)>,
    subjects: BTreeMap<String, Subject>,
}

#[derive(Debug, Default)]
struct Subject {
    /// The ids of its versions, oldest first.
    versions: Vec<i32>,
    ids: HashSet<i32>,
}

impl MemorySchemaRegistry {
    /// An empty registry whose first id is 1.
    #[must_use]
    pub fn new() -> Self {
        Self::with_first_id(1)
    }

    /// An empty registry whose first id is `id`.
    #[must_use]
    pub fn with_first_id(id: i32) -> Self {
        let (schemas, texts, subjects) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
        Self { state: Mutex::new(State { next_id: id, schemas, texts, subjects }) }
    }

    /// Puts `schema` in under an id of the caller's choice, in place of what had it. No check is made.
    pub fn insert(&self, id: i32, schema: impl Into<RegisteredSchema>) {
        let schema = schema.into();
        self.with_state(|state| state.insert(id, schema));
    }

    /// Makes the schema with the id the newest version of `subject`. No check is made.
    pub fn insert_version(&self, subject: impl Into<String>, id: i32) {
        let subject = subject.into();
        self.with_state(|state| state.insert_version(subject, id));
    }

    /// The ids of a subject's versions, oldest first; none of an unknown subject.
    #[must_use]
    pub fn versions(&self, subject: &str) -> Vec<i32> {
        self.with_state(|state| state.versions(subject).to_vec())
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        // Every change is a single step: a panic between them leaves nothing half done.
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for MemorySchemaRegistry {
    fn default() -> Self {
        Self::new()
    }
}

impl SchemaRegistry for MemorySchemaRegistry {
    fn register(&self, subject: &str, schema: &str) -> Result<i32, Error> {
        self.with_state(|state| state.register(subject, schema))
    }

    fn schema(&self, id: i32) -> Result<RegisteredSchema, Error> {
        let schema = self.with_state(|state| state.schemas.get(&id).cloned());
        schema.ok_or_else(|| {
            Error::new(ErrorKind::NoSchema, format!("Schema {id} not found; error code: 40403"))
        })
    }

    fn version(&self, subject: &str, version: i32) -> Result<RegisteredSchema, Error> {
        self.with_state(|state| state.version(subject, version).cloned())
    }
}

#[cold]
fn no_version(subject: &str, version: i32) -> Error {
    Error::new(
        ErrorKind::NoSchema,
        format!("Version {version} of subject \"{subject}\" not found; error code: 40402"),
    )
}

impl State {
    fn versions(&self, subject: &str) -> &[i32] {
        self.subjects.get(subject).map_or(&[], |subject| &subject.versions)
    }

    fn version(&self, subject: &str, version: i32) -> Result<&RegisteredSchema, Error> {
        let index = usize::try_from(version).ok().and_then(|version| version.checked_sub(1));
        let id = index.and_then(|index| self.versions(subject).get(index));
        id.and_then(|id| self.schemas.get(id)).ok_or_else(|| no_version(subject, version))
    }

    fn register(&mut self, subject: &str, schema: &str) -> Result<i32, Error> {
        // As after the paths of a registry: `/subjects/a/b/versions` leads nowhere.
        if subject.is_empty() || subject.contains('/') {
            return Err(Error::new(ErrorKind::Refused, "HTTP 404 Not Found; error code: 404"));
        }
        let known = self.id(schema);
        if let Some(id) = known
            && self.subjects.get(subject).is_some_and(|subject| subject.ids.contains(&id))
        {
            return Ok(id);
        }
        let new = AvroSchema::parse(schema).map_err(|error| {
            Error::new(ErrorKind::Refused, "Invalid schema; error code: 42201").with_source(error)
        })?;
        if let Some(newest) = self.versions(subject).last() {
            let newest =
                self.schemas.get(newest).ok_or_else(|| schema_error("a version without a schema"))?;
            let newest = newest.parse(|subject, version| self.version(subject, version).cloned())?;
            if !can_read(&new, &newest) {
                let message = format!(
                    "Schema being registered is incompatible with an earlier schema for subject \"{subject}\"; \
                     error code: 409"
                );
                return Err(Error::new(ErrorKind::Refused, message));
            }
        }
        let id = known.unwrap_or_else(|| self.add(schema));
        self.insert_version(subject.to_owned(), id);
        Ok(id)
    }

    /// The least id of a schema of that text.
    fn id(&self, text: &str) -> Option<i32> {
        let (found, id) = self.texts.range((text.to_owned(), i32::MIN)..).next()?;
        (found == text).then_some(*id)
    }

    fn add(&mut self, schema: &str) -> i32 {
        while self.schemas.contains_key(&self.next_id) {
            self.next_id = self.next_id.wrapping_add(1);
        }
        self.insert(self.next_id, schema.into());
        self.next_id
    }

    fn insert(&mut self, id: i32, schema: RegisteredSchema) {
        let text = schema.references.is_empty().then(|| schema.text.clone());
        if let Some(replaced) = self.schemas.insert(id, schema) {
            self.texts.remove(&(replaced.text, id));
        }
        self.texts.extend(text.map(|text| (text, id)));
    }

    fn insert_version(&mut self, subject: String, id: i32) {
        let subject = self.subjects.entry(subject).or_default();
        subject.versions.push(id);
        subject.ids.insert(id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::references::SchemaReference;
    use super::*;

    #[test]
    fn a_schema_has_one_id_in_all_subjects_and_is_one_version_of_each() {
        let registry = MemorySchemaRegistry::with_first_id(7);
        for subject in ["a", "b", "a"] {
            assert_eq!(registry.register(subject, "\"int\"").unwrap(), 7);
        }
        assert_eq!(registry.register("c", "\"string\"").unwrap(), 8);
        assert_eq!(registry.versions("a"), [7]);
        assert_eq!(registry.versions("nobody's"), [0; 0]);
    }

    #[test]
    fn a_schema_that_was_put_in_is_known_by_its_text_alone() {
        let registry = MemorySchemaRegistry::new();
        for id in [9, 5] {
            registry.insert(id, "\"int\"");
        }
        assert_eq!(registry.register("a", "\"int\"").unwrap(), 5);
        registry.insert(5, "\"long\"");
        assert_eq!(registry.register("b", "\"int\"").unwrap(), 9);
        // With references it is another schema.
        let reference = SchemaReference { name: "n".to_owned(), subject: "b".to_owned(), version: 1 };
        registry.insert(9, RegisteredSchema { text: "\"int\"".to_owned(), references: vec![reference] });
        assert_eq!(registry.register("c", "\"int\"").unwrap(), 1);
        registry.insert_version("c", 5);
        assert_eq!(registry.register("c", "\"long\"").unwrap(), 5);
        assert_eq!(registry.versions("c"), [1, 5]);
    }

    #[test]
    fn a_version_must_read_what_the_newest_one_wrote() {
        let registry = MemorySchemaRegistry::new();
        registry.register("a", "\"int\"").unwrap();
        registry.register("a", "\"long\"").unwrap();
        let error = registry.register("a", "\"string\"").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused);
        assert_eq!(
            error.message(),
            "Schema being registered is incompatible with an earlier schema for subject \"a\"; error code: 409"
        );
        assert_eq!(registry.versions("a"), [1, 2]);
    }
}
