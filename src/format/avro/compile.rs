//! What writes a row, made of a schema and the columns' types.
//!
//! Agrees with `org.apache.flink.formats.avro.RowDataToAvroConverters` and, in what it cannot write, with
//! `org.apache.avro.generic.GenericDatumWriter`.

use super::conform::nullable_branch;
use super::schema::{AvroSchema, Logical, Node};
use super::write_plan::{FieldWriter, RecordWriter, RowWriter, Shape, ValueWriter, Wrapper};
use crate::format::{FormatSettings, Projection};
use crate::row::DecimalColumn;
use crate::text::Label;
use crate::types::{DataType, Field, LogicalType};

/// Makes what writes the projected columns as `schema`, which must be one of theirs: derived from them, or
/// [`AvroSchema::is_of`] them.
pub(super) fn compile(
    schema: &AvroSchema,
    projection: Projection<'_>,
    settings: FormatSettings<'_>,
) -> RowWriter {
    let compiler = Compiler { schema, true_micros: settings.avro_true_micros };
    RowWriter {
        wrapper: compiler.wrapper("", &schema.root),
        record: compile_record(schema, &schema.root, projection, settings),
    }
}

/// The same for the record that is at `node` of the schema, be it beside null.
pub(super) fn compile_record(
    schema: &AvroSchema,
    node: &Node,
    projection: Projection<'_>,
    settings: FormatSettings<'_>,
) -> RecordWriter {
    let compiler = Compiler { schema, true_micros: settings.avro_true_micros };
    let record = nullable_branch(node).map_or(node, |(record, _)| record);
    compiler.record(record, projection.fields, |field| projection.columns[field])
}

struct Compiler<'a> {
    schema: &'a AvroSchema,
    true_micros: bool,
}

impl Compiler<'_> {
    fn record(&self, node: &Node, types: &[Field], column: impl Fn(usize) -> usize) -> RecordWriter {
        let fields = match node {
            Node::Named(index) => self.schema.named(*index).fields(),
            Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Union(_) => &[],
        };
        let fields = fields.iter().zip(types).enumerate().map(|(index, (field, of))| FieldWriter {
            name: field.name.as_str().into(),
            column: column(index),
            value: self.value(&format!(",\"{}\":", field.name), &field.schema, &of.data_type),
        });
        RecordWriter { fields: fields.collect() }
    }

    fn value(&self, label: &str, node: &Node, data_type: &DataType) -> ValueWriter {
        let is_union = matches!(node, Node::Union(_));
        let shape = match nullable_branch(node) {
            Some((branch, nullable)) if nullable == is_union => self.shape(branch, &data_type.logical_type),
            _ => unwritable(format!("The Avro schema is not a nullable type: {}", self.schema.text_of(node))),
        };
        ValueWriter { wrapper: self.wrapper(label, node), shape }
    }

    /// What stands around a value that has `label` in front of it in JSON.
    fn wrapper(&self, label: &str, node: &Node) -> Wrapper {
        let union = branch_beside_null(node);
        let branch = match union {
            Some((branch, _)) => format!("{{\"{}\":", self.schema.type_name(branch)),
            None => String::new(),
        };
        Wrapper {
            in_union: union.is_some(),
            branch: union.map_or(0, |(_, index)| index),
            type_name: self.describe(node).into(),
            label: Label::new(format!("{label}{branch}").as_bytes()),
            null_at: label.len(),
        }
    }

    fn shape(&self, node: &Node, logical_type: &LogicalType) -> Shape {
        match (logical_type, node) {
            (LogicalType::Boolean, _) => Shape::Boolean,
            (LogicalType::TinyInt, _) => Shape::TinyInt,
            (LogicalType::SmallInt, _) => Shape::SmallInt,
            (LogicalType::Int, _) => Shape::Int,
            (LogicalType::BigInt, _) => Shape::BigInt,
            (LogicalType::Float, _) => Shape::Float,
            (LogicalType::Double, _) => Shape::Double,
            (LogicalType::Date, _) => Shape::Date,
            (LogicalType::Time(_), _) => Shape::Time,
            (LogicalType::Char(_) | LogicalType::VarChar(_), Node::Named(index)) => {
                let symbols = self.schema.named(*index).symbols();
                Shape::Symbol(symbols.iter().map(|symbol| symbol.as_str().into()).collect())
            }
            (LogicalType::Char(_) | LogicalType::VarChar(_), _) => Shape::String,
            // Flink has bytes for what a fixed holds, and Avro's writer wants a GenericFixed.
            (
                LogicalType::Binary(_) | LogicalType::VarBinary(_) | LogicalType::Decimal { .. },
                Node::Named(_),
            ) => self.not_in_union(node),
            (LogicalType::Binary(_) | LogicalType::VarBinary(_), _) => Shape::Bytes,
            (LogicalType::Decimal { precision, scale }, _) => {
                Shape::Decimal(DecimalColumn::new(*precision, *scale))
            }
            (
                LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_),
                Node::Primitive(primitive, properties),
            ) => match primitive.logical(properties) {
                // Flink has milliseconds under whatever logical type.
                Some(Logical::TimestampMicros | Logical::LocalTimestampMicros) if self.true_micros => {
                    Shape::TimestampMicros
                }
                _ => Shape::TimestampMillis,
            },
            (LogicalType::Array(element), Node::Array(items, _)) => {
                Shape::Array(Box::new(self.value(",", items, element)))
            }
            (LogicalType::Map(_, value), Node::Map(values, _)) => {
                Shape::Map(Box::new(self.value(":", values, value)))
            }
            (LogicalType::Multiset(_), Node::Map(values, _)) => {
                Shape::Map(Box::new(self.value(":", values, &LogicalType::Int.nullable())))
            }
            (LogicalType::Row(row), node) => Shape::Row(self.record(node, row.fields(), |field| field)),
            // Types without a schema have been refused, and those that are left here have another one.
            _ => unwritable("no Avro schema fits this type".to_owned()),
        }
    }

    fn not_in_union(&self, node: &Node) -> Shape {
        unwritable(format!("Not in union: {}", self.schema.text_of(node)))
    }

    /// `AvroSchemaUtil.describe`.
    fn describe(&self, node: &Node) -> String {
        match node {
            Node::Map(values, _) => format!("Map<String, {}>", self.describe(values)),
            Node::Array(items, _) => format!("List<{}>", self.describe(items)),
            Node::Union(_) => self.schema.text_of(node),
            Node::Primitive(primitive, _) => primitive.name().to_owned(),
            Node::Named(index) => self.schema.named(*index).name.name.clone(),
        }
    }
}

/// The other branch of a union of null and a type, and its index as a varint: 0 or 2; null has the other of these.
pub(super) fn branch_beside_null(node: &Node) -> Option<(&Node, u8)> {
    let Node::Union(branches) = node else {
        return None;
    };
    match branches.as_slice() {
        [null, branch] if null.is_null() => Some((branch, 2)),
        [branch, null] if null.is_null() => Some((branch, 0)),
        _ => None,
    }
}

fn unwritable(message: String) -> Shape {
    Shape::Unwritable(message.into())
}
