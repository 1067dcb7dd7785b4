//! Whether a schema given by option is one of the table's columns.
//!
//! Agrees with `AvroSchemaConverter.convertToDataType` (legacy timestamps) and its use in
//! `RegistryAvroFormatFactory`: the type made of the schema must be the table's, precisions and lengths included.

use super::schema::{AvroSchema, Logical, NamedKind, Node, Primitive, Properties};
use super::schema_error;
use crate::error::Error;
use crate::types::{DataType, Field, LogicalType};

impl AvroSchema {
    /// The schema that an option gives.
    ///
    /// # Errors
    ///
    /// Flink's `refusal`, followed by the text, where it does not fit; Avro's where it is none.
    pub(super) fn of_option(
        text: &str,
        fits: impl FnOnce(&Self) -> bool,
        refusal: &str,
    ) -> Result<Self, Error> {
        let schema =
            Self::parse(text).map_err(|error| error.in_context("Could not parse Avro schema string."))?;
        if fits(&schema) {
            return Ok(schema);
        }
        Err(schema_error(format!("{refusal}: {text}")))
    }

    /// Whether Flink makes a nullable row of `fields` out of this schema: of a union of a record and null.
    pub(super) fn is_nullable_of(&self, fields: &[Field]) -> bool {
        matches!(nullable_branch(&self.root), Some((_, true))) && self.is_of(fields)
    }

    /// Whether Flink makes `fields` out of this schema: of a record, or of a union of a record and null.
    pub(super) fn is_of(&self, fields: &[Field]) -> bool {
        match nullable_branch(&self.root) {
            Some((Node::Named(index), _)) => self.is_record_of(*index, fields),
            _ => false,
        }
    }

    fn is_record_of(&self, index: usize, fields: &[Field]) -> bool {
        let NamedKind::Record { fields: own, .. } = &self.named(index).kind else {
            return false;
        };
        own.len() == fields.len()
            && own
                .iter()
                .zip(fields)
                .all(|(own, field)| own.name == field.name && self.is_type(&own.schema, &field.data_type))
    }

    fn is_type(&self, node: &Node, data_type: &DataType) -> bool {
        let Some((node, nullable)) = nullable_branch(node) else {
            return false;
        };
        nullable == data_type.nullable
            && match (node, &data_type.logical_type) {
                (Node::Primitive(primitive, properties), logical_type) => {
                    primitive_type(*primitive, properties).as_ref() == Some(logical_type)
                }
                (Node::Array(items, _), LogicalType::Array(element)) => self.is_type(items, element),
                (Node::Map(values, _), LogicalType::Map(key, value)) => {
                    **key == string().not_null() && self.is_type(values, value)
                }
                (Node::Named(index), logical_type) => match (&self.named(*index).kind, logical_type) {
                    (NamedKind::Record { .. }, LogicalType::Row(row)) => {
                        self.is_record_of(*index, row.fields())
                    }
                    (NamedKind::Enum { .. }, logical_type) => *logical_type == string(),
                    (NamedKind::Fixed { size }, logical_type) => {
                        fixed_type(*size, &self.named(*index).properties).as_ref() == Some(logical_type)
                    }
                    (NamedKind::Record { .. }, _) => false,
                },
                (Node::Array(..) | Node::Map(..) | Node::Union(_), _) => false,
            }
    }
}

/// What is not null of a union of one or two branches, and whether it has null; any other schema itself.
pub(super) fn nullable_branch(node: &Node) -> Option<(&Node, bool)> {
    match node {
        Node::Union(branches) => match branches.as_slice() {
            [null, branch] | [branch, null] if null.is_null() => Some((branch, true)),
            [branch] => Some((branch, false)),
            _ => None,
        },
        Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Named(_) => Some((node, false)),
    }
}

fn string() -> LogicalType {
    LogicalType::VarChar(LogicalType::MAX_LENGTH)
}

fn primitive_type(primitive: Primitive, properties: &Properties) -> Option<LogicalType> {
    Some(match (primitive, primitive.logical(properties)) {
        (Primitive::Null, _) => return None,
        (Primitive::Boolean, _) => LogicalType::Boolean,
        (Primitive::Int, Some(Logical::Date)) => LogicalType::Date,
        (Primitive::Int, Some(Logical::TimeMillis)) => LogicalType::Time(3),
        (Primitive::Int, _) => LogicalType::Int,
        (Primitive::Long, Some(Logical::TimeMicros)) => LogicalType::Time(6),
        (Primitive::Long, Some(Logical::TimestampMillis)) => LogicalType::Timestamp(3),
        (Primitive::Long, Some(Logical::TimestampMicros)) => LogicalType::Timestamp(6),
        (Primitive::Long, _) => LogicalType::BigInt,
        (Primitive::Float, _) => LogicalType::Float,
        (Primitive::Double, _) => LogicalType::Double,
        (Primitive::Bytes, Some(logical)) => decimal_type(logical)?,
        (Primitive::Bytes, None) => LogicalType::VarBinary(LogicalType::MAX_LENGTH),
        (Primitive::String, _) => string(),
    })
}

fn fixed_type(size: usize, properties: &Properties) -> Option<LogicalType> {
    match properties.logical_of_fixed(size) {
        Some(logical) => decimal_type(logical),
        None => u32::try_from(size).ok().map(LogicalType::VarBinary),
    }
}

fn decimal_type(logical: Logical) -> Option<LogicalType> {
    let Logical::Decimal { precision, scale } = logical else {
        return None;
    };
    Some(LogicalType::Decimal { precision: u8::try_from(precision).ok()?, scale: u8::try_from(scale).ok()? })
}
