//! The names by which a reader's schema knows types and fields of older schemas.
//!
//! Agrees with `org.apache.avro.Schema.applyAliases`.

use std::collections::HashMap;

use super::names::Name;
use super::schema::AvroSchema;

/// The aliases in a reader's schema.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    types: HashMap<Name, Name>,
    /// By the full name of the record and the alias in it.
    fields: HashMap<(String, String), String>,
}

impl Aliases {
    pub(super) fn of(reader: &AvroSchema) -> Self {
        let mut aliases = Self::default();
        for named in &reader.named {
            for alias in &named.aliases {
                aliases.types.insert(alias.clone(), named.name.clone());
            }
            for field in named.fields() {
                for alias in &field.aliases {
                    aliases.fields.insert((named.name.full(), alias.clone()), field.name.clone());
                }
            }
        }
        aliases
    }

    /// What the reader calls the writer's type `name`.
    pub(super) fn name<'a>(&'a self, name: &'a Name) -> &'a Name {
        self.types.get(name).unwrap_or(name)
    }

    /// What the reader calls the writer's field, in the record that it calls `record`.
    pub(super) fn field<'a>(&'a self, record: &str, field: &'a str) -> &'a str {
        if self.fields.is_empty() {
            return field;
        }
        self.fields.get(&(record.to_owned(), field.to_owned())).map_or(field, String::as_str)
    }
}
