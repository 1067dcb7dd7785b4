//! The schema that Flink derives from columns.

use std::collections::HashMap;

use super::json_tree::Json;
use super::names::{Name, check_name};
use super::options::AvroTimestamps;
use super::schema::{AvroSchema, NamedKind, NamedType, Node, Order, Primitive, Properties, RecordField};
use super::schema_error;
use crate::error::{Error, ErrorKind};
use crate::types::{DataType, Field, LogicalType, RowType};

impl AvroSchema {
    /// The schema of a table's columns, or of some of them, as Flink derives it: a record
    /// `org.apache.flink.avro.generated.record`.
    ///
    /// # Errors
    ///
    /// Flink's, for a type that Avro has no place for, and for a name that is no Avro name.
    pub fn of_row(row: &RowType, timestamps: AvroTimestamps) -> Result<Self, Error> {
        Self::of_fields(row.fields(), timestamps)
    }

    pub(super) fn of_fields(fields: &[Field], timestamps: AvroTimestamps) -> Result<Self, Error> {
        let mut deriver = Deriver::default();
        let root = deriver.record(fields, ROOT, timestamps)?;
        Ok(Self { root, named: deriver.named })
    }

    /// The schema that Flink derives from a nullable row: a union of null and its record.
    pub(super) fn of_nullable_fields(fields: &[Field], timestamps: AvroTimestamps) -> Result<Self, Error> {
        let Self { root, named } = Self::of_fields(fields, timestamps)?;
        Ok(Self { root: nullable(root), named })
    }
}

const ROOT: &str = "org.apache.flink.avro.generated.record";

#[derive(Default)]
struct Deriver {
    named: Vec<NamedType>,
    by_name: HashMap<String, usize>,
}

impl Deriver {
    /// `name` is for records in it: `record_` and the fields on the way.
    fn value(&mut self, data_type: &DataType, name: &str, timestamps: AvroTimestamps) -> Result<Node, Error> {
        let node = match &data_type.logical_type {
            LogicalType::Boolean => Primitive::Boolean.into(),
            LogicalType::TinyInt | LogicalType::SmallInt | LogicalType::Int => Primitive::Int.into(),
            LogicalType::BigInt => Primitive::Long.into(),
            LogicalType::Float => Primitive::Float.into(),
            LogicalType::Double => Primitive::Double.into(),
            LogicalType::Char(_) | LogicalType::VarChar(_) => Primitive::String.into(),
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Primitive::Bytes.into(),
            LogicalType::Decimal { precision, scale } => decimal(*precision, *scale),
            LogicalType::Date => logical(Primitive::Int, "date"),
            LogicalType::Time(0..=3) => logical(Primitive::Int, "time-millis"),
            LogicalType::Time(precision) => return Err(precision_error("TIME", *precision, 3)),
            LogicalType::Timestamp(precision) => match (timestamps, precision) {
                (AvroTimestamps::Legacy, 0..=3) => logical(Primitive::Long, "timestamp-millis"),
                (AvroTimestamps::Legacy, _) => return Err(precision_error("TIMESTAMP", *precision, 3)),
                (AvroTimestamps::Correct, 0..=3) => logical(Primitive::Long, "local-timestamp-millis"),
                (AvroTimestamps::Correct, 4..=6) => logical(Primitive::Long, "local-timestamp-micros"),
                (AvroTimestamps::Correct, _) => {
                    return Err(precision_error("LOCAL TIMESTAMP", *precision, 6));
                }
            },
            LogicalType::TimestampLtz(precision) => match (timestamps, precision) {
                (AvroTimestamps::Legacy, _) => return Err(unsupported(data_type)),
                (AvroTimestamps::Correct, 0..=3) => logical(Primitive::Long, "timestamp-millis"),
                (AvroTimestamps::Correct, 4..=6) => logical(Primitive::Long, "timestamp-micros"),
                (AvroTimestamps::Correct, _) => return Err(precision_error("TIMESTAMP", *precision, 6)),
            },
            LogicalType::Row(row) => self.record(row.fields(), name, timestamps)?,
            // Flink forgets the option on its way into the elements of an ARRAY and the values of a MAP.
            LogicalType::Array(element) => Node::Array(
                Box::new(self.value(element, name, AvroTimestamps::Legacy)?),
                Properties::default(),
            ),
            LogicalType::Map(key, value) => {
                check_key(key)?;
                Node::Map(Box::new(self.value(value, name, AvroTimestamps::Legacy)?), Properties::default())
            }
            LogicalType::Multiset(element) => {
                check_key(element)?;
                Node::Map(Box::new(nullable(Primitive::Int.into())), Properties::default())
            }
            LogicalType::TimestampTz(_)
            | LogicalType::YearMonthInterval(_)
            | LogicalType::DayTimeInterval(_)
            | LogicalType::Null
            | LogicalType::Variant
            | LogicalType::Bitmap => return Err(unsupported(data_type)),
        };
        Ok(if data_type.nullable { nullable(node) } else { node })
    }

    fn record(&mut self, fields: &[Field], name: &str, timestamps: AvroTimestamps) -> Result<Node, Error> {
        // A dot in a field's name makes a namespace of what is before it, until the field itself is refused.
        let full_name = Name::new(name, "")?;
        let fields = fields
            .iter()
            .map(|field| self.field(field, &format!("{name}_{}", field.name), timestamps))
            .collect::<Result<Vec<_>, _>>()?;
        let kind = NamedKind::Record { fields, is_error: false };
        if let Some(&index) = self.by_name.get(name) {
            // `record_a_b` can be the field `b` of `a`, and the field `a_b`.
            return if self.named[index].kind == kind {
                Ok(Node::Named(index))
            } else {
                Err(schema_error(format!("Can't redefine: {name}")))
            };
        }
        let index = self.named.len();
        self.by_name.insert(name.to_owned(), index);
        self.named.push(NamedType {
            name: full_name,
            doc: None,
            aliases: Vec::new(),
            properties: Properties::default(),
            kind,
        });
        Ok(Node::Named(index))
    }

    fn field(&mut self, field: &Field, name: &str, timestamps: AvroTimestamps) -> Result<RecordField, Error> {
        let schema = self.value(&field.data_type, name, timestamps)?;
        check_name(&field.name)?;
        Ok(RecordField {
            name: field.name.clone(),
            schema,
            doc: None,
            default: field.data_type.nullable.then_some(Json::Null),
            order: Order::Ascending,
            aliases: Vec::new(),
            properties: Properties::default(),
        })
    }
}

fn nullable(node: Node) -> Node {
    Node::Union(vec![Primitive::Null.into(), node])
}

fn logical(primitive: Primitive, name: &str) -> Node {
    Node::Primitive(primitive, Properties(vec![("logicalType".to_owned(), Json::String(name.to_owned()))]))
}

fn decimal(precision: u8, scale: u8) -> Node {
    let properties = [
        ("logicalType", Json::String("decimal".to_owned())),
        ("precision", Json::Number(precision.to_string())),
        ("scale", Json::Number(scale.to_string())),
    ];
    let properties = properties.into_iter().map(|(name, value)| (name.to_owned(), value));
    Node::Primitive(Primitive::Bytes, Properties(properties.collect()))
}

fn check_key(key: &DataType) -> Result<(), Error> {
    if matches!(key.logical_type, LogicalType::Char(_) | LogicalType::VarChar(_)) {
        return Ok(());
    }
    let message =
        format!("Avro format doesn't support non-string as key type of map. The key type is: {key:#}");
    Err(Error::new(ErrorKind::Table, message))
}

fn precision_error(type_name: &str, precision: u8, limit: u8) -> Error {
    let message = format!(
        "Avro does not support {type_name} type with precision: {precision}, \
         it only supports precision less than {limit}."
    );
    Error::new(ErrorKind::Table, message)
}

fn unsupported(data_type: &DataType) -> Error {
    Error::new(ErrorKind::Table, format!("Unsupported to derive Schema for type: {data_type:#}"))
}
