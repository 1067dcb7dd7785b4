//! Which columns a key or a value holds.
//!
//! Agrees with `KafkaConnectorOptionsUtil.createKeyFormatProjection` and `createValueFormatProjection`, and with
//! `org.apache.flink.table.connector.Projection`.

use std::collections::{HashMap, HashSet};

use crate::error::{Error, ErrorKind};
use crate::format::{Format, Projection};
use crate::types::Field;

use super::connector_options as option;
use super::modes::ValueFieldsInclude;

/// A format and the columns that it writes or reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormatProjection {
    pub(crate) format: Format,
    /// The fields as the format names them: a key's without the prefix.
    pub(crate) fields: Vec<Field>,
    /// For each field the column of the row that the table writes or reads.
    pub(crate) columns: Vec<usize>,
    /// For each field the physical column, counted without metadata and computed columns, as Flink counts.
    pub(crate) physical: Vec<usize>,
}

impl FormatProjection {
    pub(crate) fn projection(&self) -> Projection<'_> {
        Projection { fields: &self.fields, columns: &self.columns, metadata: &[] }
    }
}

/// The physical columns of a table: each field, and its column in the row that is written or read.
pub(super) type PhysicalColumns = [(usize, Field)];

/// The positions of `names`, each of which begins with `prefix`.
pub(super) fn key_projection(
    physical: &PhysicalColumns,
    names: &[String],
    prefix: &str,
) -> Result<Vec<usize>, Error> {
    let columns = (0..).zip(physical).map(|(position, (_, field))| (field.name.as_str(), position));
    let by_name: HashMap<&str, usize> = columns.collect();
    names
        .iter()
        .map(|name| key_position(physical, by_name.get(name.as_str()).copied(), name, prefix))
        .collect()
}

/// The position of the column `name`, if it is allowed to be a key's.
fn key_position(
    physical: &PhysicalColumns,
    position: Option<usize>,
    name: &str,
    prefix: &str,
) -> Result<usize, Error> {
    let Some(position) = position else {
        let columns: Vec<_> = physical.iter().map(|(_, field)| field.name.as_str()).collect();
        return Err(Error::new(
            ErrorKind::Table,
            format!(
                "Could not find the field '{name}' in the table schema for usage in the key format. A key field must \
                 be a regular, physical column. The following columns can be selected in the 'key.fields' \
                 option:\n[{}]",
                columns.join(", ")
            ),
        )
        .in_option(option::KEY_FIELDS.key));
    };
    if name.starts_with(prefix) {
        return Ok(position);
    }
    Err(Error::new(
        ErrorKind::Table,
        format!(
            "All fields in 'key.fields' must be prefixed with '{prefix}' when option 'key.fields-prefix' is set but \
             field '{name}' is not prefixed."
        ),
    )
    .in_option(option::KEY_FIELDS_PREFIX.key))
}

/// The positions of the value's columns, in the table's order.
pub(super) fn value_projection(
    physical: &PhysicalColumns,
    key: &[usize],
    include: ValueFieldsInclude,
    prefix: &str,
) -> Result<Vec<usize>, Error> {
    match include {
        ValueFieldsInclude::All if !prefix.is_empty() => Err(Error::new(
            ErrorKind::Table,
            "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. Set it to 'EXCEPT_KEY' \
             instead to avoid field overlaps.",
        )
        .in_option(option::KEY_FIELDS_PREFIX.key)),
        ValueFieldsInclude::All => Ok((0..physical.len()).collect()),
        ValueFieldsInclude::ExceptKey => {
            let key: HashSet<usize> = key.iter().copied().collect();
            Ok((0..physical.len()).filter(|position| !key.contains(position)).collect())
        }
    }
}

/// The format over the columns at `positions`, whose names lose `prefix`.
pub(super) fn project(
    format: Format,
    physical: &PhysicalColumns,
    positions: Vec<usize>,
    prefix: &str,
) -> Result<FormatProjection, Error> {
    let mut fields: Vec<Field> = Vec::with_capacity(positions.len());
    let mut columns = Vec::with_capacity(positions.len());
    let mut names = HashSet::with_capacity(positions.len());
    let mut duplicates = 0;
    for (column, field) in positions.iter().map(|&position| &physical[position]) {
        let mut name = field.name.clone();
        // Flink tells a column that is there twice from itself by a suffix.
        while !names.insert(name.clone()) {
            name.push_str(&format!("_${duplicates}"));
            duplicates += 1;
        }
        fields.push(Field { name, ..field.clone() });
        columns.push(*column);
    }
    for field in &mut fields {
        if let Some(name) = field.name.strip_prefix(prefix) {
            field.name = name.to_owned();
        }
        if field.name.trim().is_empty() {
            return Err(Error::new(
                ErrorKind::Table,
                "Field names must contain at least one non-whitespace character.",
            )
            .in_option(option::KEY_FIELDS_PREFIX.key));
        }
    }
    Ok(FormatProjection { format, fields, columns, physical: positions })
}
