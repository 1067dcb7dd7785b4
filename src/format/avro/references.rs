//! Schemas of a registry that use types of other ones.
//!
//! Agrees with `io.confluent.kafka.schemaregistry.AbstractSchemaProvider.resolveReferences` and `AvroSchema.rawSchema`.

use std::collections::HashSet;

use super::schema::AvroSchema;
use crate::error::{Error, ErrorKind};

/// A schema as a registry answers it: its text, and the schemas of which it uses types by name.
///
/// Made of a `String` where there are no references.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
// Exhaustive: registries make it, and a registry answers no more.
pub struct RegisteredSchema {
    /// The JSON text: `schema` in the answer.
    pub text: String,
    /// What it refers to, in order: `references` in the answer, which most schemas do not have.
    pub references: Vec<SchemaReference>,
}

/// A schema of a registry that another one refers to: the `version` of `subject`.
#[derive(Clone, Debug, PartialEq, Eq)]
// Exhaustive: registries make it, of the three members that a reference has.
pub struct SchemaReference {
    /// The full name of the type that is used: `name` in the answer.
    pub name: String,
    /// `subject` in the answer.
    pub subject: String,
    /// `version` in the answer.
    pub version: i32,
}

impl From<String> for RegisteredSchema {
    fn from(text: String) -> Self {
        Self { text, references: Vec::new() }
    }
}

impl From<&str> for RegisteredSchema {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// Far above what schemas are made of.
const MAX_REFERENCES: usize = 1000;

impl RegisteredSchema {
    /// The schema, with the types that it refers to.
    ///
    /// # Errors
    ///
    /// Those of `version`, which answers the version of a subject; Avro's for what is no schema.
    pub(super) fn parse(
        &self,
        version: impl Fn(&str, i32) -> Result<RegisteredSchema, Error>,
    ) -> Result<AvroSchema, Error> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        // Depth first: what a schema refers to stands before it. Twice on the stack: to be asked for, and to be put down.
        let mut open: Vec<Step> = self.references.iter().rev().cloned().map(Step::Ask).collect();
        while let Some(step) = open.pop() {
            match step {
                Step::Found(text) => found.push(text),
                Step::Ask(reference) if !seen.insert(reference.name.clone()) => {}
                Step::Ask(_) if seen.len() > MAX_REFERENCES => return Err(too_many()),
                Step::Ask(SchemaReference { name, subject, version: number }) => {
                    let referred = version(&subject, number).map_err(|error| {
                        error.in_context(format!(
                            "Could not find version {number} of subject `{subject}`, to which a schema refers as `{name}`"
                        ))
                    })?;
                    open.push(Step::Found(referred.text));
                    open.extend(referred.references.into_iter().rev().map(Step::Ask));
                }
            }
        }
        let texts: Vec<_> = found.iter().map(String::as_str).chain([self.text.as_str()]).collect();
        AvroSchema::parse_registered(&texts)
    }
}

enum Step {
    Ask(SchemaReference),
    Found(String),
}

#[cold]
fn too_many() -> Error {
    Error::new(ErrorKind::Limit, format!("a schema refers to more than {MAX_REFERENCES} others"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::avro::{MemorySchemaRegistry, SchemaRegistry};

    fn schema(text: &str, references: &[(&str, &str, i32)]) -> RegisteredSchema {
        let references = references.iter().map(|(name, subject, version)| SchemaReference {
            name: (*name).to_owned(),
            subject: (*subject).to_owned(),
            version: *version,
        });
        RegisteredSchema { text: text.to_owned(), references: references.collect() }
    }

    /// `Order` uses `Customer`, which uses `Country`; `Order` uses `Country` too.
    fn registry() -> MemorySchemaRegistry {
        let registry = MemorySchemaRegistry::new();
        let country = r#"{"type":"enum","name":"Country","namespace":"a","symbols":["DE","FR"]}"#;
        let customer =
            r#"{"type":"record","name":"Customer","namespace":"a","fields":[{"name":"c","type":"Country"}]}"#;
        registry.insert(1, country);
        registry.insert(2, schema(customer, &[("a.Country", "country", 1)]));
        registry.insert_version("country", 1);
        registry.insert_version("customer", 1);
        registry.insert_version("customer", 2);
        registry
    }

    const ORDER: &str = concat!(
        r#"{"type":"record","name":"Order","namespace":"b","fields":["#,
        r#"{"name":"by","type":"a.Customer"},{"name":"to","type":"a.Country"}]}"#
    );

    #[test]
    fn a_schema_uses_the_types_of_those_it_refers_to() {
        let order = schema(ORDER, &[("a.Customer", "customer", 2), ("a.Country", "country", 1)]);
        let registry = registry();
        let parsed = order.parse(|subject, version| registry.version(subject, version)).unwrap();
        assert_eq!(
            parsed.to_string(),
            concat!(
                r#"{"type":"record","name":"Order","namespace":"b","fields":[{"name":"by","type":{"type":"record","#,
                r#""name":"Customer","namespace":"a","fields":[{"name":"c","type":{"type":"enum","name":"Country","#,
                r#""symbols":["DE","FR"]}}]}},{"name":"to","type":"a.Country"}]}"#
            )
        );
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_named() {
        let registry = registry();
        let order = schema(ORDER, &[("a.Customer", "customer", 3)]);
        let error = order.parse(|subject, version| registry.version(subject, version)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoSchema);
        assert_eq!(
            error.message(),
            "Could not find version 3 of subject `customer`, to which a schema refers as `a.Customer`"
        );
    }

    #[test]
    fn schemas_that_refer_to_each_other_end() {
        let circle = schema("\"int\"", &[("a.A", "a", 1)]);
        let parsed = circle.parse(|_, _| Ok(schema("\"int\"", &[("a.A", "a", 1)]))).unwrap();
        assert_eq!(parsed.to_string(), "\"int\"");
        let count = std::cell::Cell::new(0);
        let endless = |_: &str, _| {
            count.set(count.get() + 1);
            Ok(schema("\"int\"", &[(&format!("a.A{}", count.get()), "a", 1)]))
        };
        assert_eq!(circle.parse(endless).unwrap_err().kind(), ErrorKind::Limit);
    }
}
