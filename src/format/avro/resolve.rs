//! How values of a writer's schema become columns of a reader's: schema resolution, compiled into a [plan](Resolved).
//!
//! Agrees with `org.apache.avro.Resolver` of Avro 1.11 and Flink's `AvroToRowDataConverters`. As there, what does not
//! fit fails when a value comes to it, and not before.

use std::collections::HashMap;

use super::aliases::Aliases;
use super::default_value;
use super::read_plan::{Branch, DefaultRead, FieldRead, NumberTo, OctetsTo, Read, Record, Resolved};
use super::schema::{AvroSchema, Logical, NamedKind, NamedType, Node, Primitive, RecordField};
use crate::error::{Error, ErrorKind};
use crate::types::{Field, LogicalType, RowType};

/// Reads what `writer` wrote as `fields`, whose schema is `reader`: derived from them, or
/// [`AvroSchema::is_of`] them.
///
/// # Errors
///
/// If the pair takes a plan of more than 65,536 steps, or a default cannot be made.
pub(super) fn resolve(
    writer: &AvroSchema,
    reader: &AvroSchema,
    fields: &[Field],
    true_micros: bool,
) -> Result<Resolved, Error> {
    let aliases = Aliases::of(reader);
    let mut resolver = Resolver { writer, reader, aliases: &aliases, true_micros, steps: MAX_STEPS };
    let row = LogicalType::Row(RowType::new(fields.to_vec()));
    let root = resolver.value(&writer.root, &reader.root, &row)?;
    Ok(Resolved { root, named: writer.named.clone() })
}

/// A writer's schema can name a type many times at little cost; each time becomes a plan of its own. A value is a step, and
/// so is what a step copies: a field that is skipped with all that is in its type, a symbol, and 64 bytes of a name.
const MAX_STEPS: usize = 1 << 16;

struct Resolver<'a> {
    writer: &'a AvroSchema,
    reader: &'a AvroSchema,
    aliases: &'a Aliases,
    true_micros: bool,
    /// How many more steps the plan may have.
    steps: usize,
}

impl Resolver<'_> {
    fn value(&mut self, writer: &Node, reader: &Node, logical_type: &LogicalType) -> Result<Read, Error> {
        self.take(1)?;
        match (writer, reader) {
            (Node::Union(branches), _) => self.union(branches, writer, reader, logical_type),
            (Node::Primitive(from, from_properties), Node::Primitive(to, to_properties)) => {
                let micros = |logical| {
                    matches!(logical, Some(Logical::TimestampMicros | Logical::LocalTimestampMicros))
                };
                let timestamp =
                    match (micros(from.logical(from_properties)), micros(to.logical(to_properties))) {
                        (true, to_micros) if self.true_micros => {
                            NumberTo::TimestampMicros { whole_millis: !to_micros }
                        }
                        _ => NumberTo::TimestampMillis,
                    };
                let read = primitive(*from, *to, logical_type, timestamp);
                read.map_or_else(|| self.mismatch(writer, reader), Ok)
            }
            (Node::Array(writer, _), Node::Array(reader, _)) => {
                let element = element_type(logical_type);
                Ok(Read::Array(Box::new(self.value(writer, reader, element)?)))
            }
            (Node::Map(writer, _), Node::Map(reader, _)) => {
                let value = element_type(logical_type);
                Ok(Read::Map(Box::new(self.value(writer, reader, value)?)))
            }
            (Node::Named(from), Node::Named(to)) => self.named(*from, *to, logical_type),
            (_, Node::Union(branches)) => self.branch(writer, branches, logical_type),
            (
                Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Named(_),
                Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Named(_),
            ) => self.mismatch(writer, reader),
        }
    }

    fn take(&mut self, steps: usize) -> Result<(), Error> {
        self.steps = self.steps.checked_sub(steps).ok_or_else(too_large)?;
        Ok(())
    }

    /// Takes the steps of a text that has been put together.
    fn text(&mut self, text: String) -> Result<Box<str>, Error> {
        self.take(text.len() / 64)?;
        Ok(text.into())
    }

    /// Each branch of the writer's union is resolved for itself: against the same branch of the reader's union where
    /// both are alike, otherwise against all of the reader's schema.
    fn union(
        &mut self,
        branches: &[Node],
        writer: &Node,
        reader: &Node,
        logical_type: &LogicalType,
    ) -> Result<Read, Error> {
        let alike = match reader {
            Node::Union(alike) if self.is_alike(writer, reader) => Some(alike),
            _ => None,
        };
        let branches = branches.iter().enumerate().map(|(index, branch)| {
            let reader = alike.and_then(|alike| alike.get(index)).unwrap_or(reader);
            let label = self.text(self.writer.type_name(branch))?;
            Ok(Branch { label, read: self.value(branch, reader, logical_type)? })
        });
        Ok(Read::Union(branches.collect::<Result<_, Error>>()?))
    }

    /// The first branch of the reader's union that fits: by its type, for records by name or else by structure, at
    /// last by promotion.
    fn branch(
        &mut self,
        writer: &Node,
        branches: &[Node],
        logical_type: &LogicalType,
    ) -> Result<Read, Error> {
        for reader in branches {
            match (writer, reader) {
                (Node::Primitive(from, _), Node::Primitive(to, _)) if from == to => {
                    return self.value(writer, reader, logical_type);
                }
                (Node::Array(..), Node::Array(..)) | (Node::Map(..), Node::Map(..)) => {
                    return self.value(writer, reader, logical_type);
                }
                (Node::Named(from), Node::Named(to)) => {
                    let (from, to) = (self.writer.named(*from), self.reader.named(*to));
                    let read = self.value(writer, reader, logical_type)?;
                    if self.aliases.name(&from.name) == &to.name && same_kind(from, to) || is_structure(&read)
                    {
                        return Ok(read);
                    }
                }
                _ => {}
            }
        }
        for reader in branches {
            if let (Node::Primitive(from, _), Node::Primitive(to, _)) = (writer, reader)
                && promotes(*from, *to)
            {
                return self.value(writer, reader, logical_type);
            }
        }
        self.fail(format!("Found {}, expecting union", self.writer.type_name(writer)))
    }

    fn named(&mut self, from: usize, to: usize, logical_type: &LogicalType) -> Result<Read, Error> {
        let (writer, reader) = (self.writer.named(from), self.reader.named(to));
        let same_name = self.aliases.name(&writer.name).name == reader.name.name;
        match (&writer.kind, &reader.kind) {
            (NamedKind::Record { fields: from, .. }, NamedKind::Record { fields: to, .. }) => {
                self.record((writer, from), (reader, to), logical_type)
            }
            (NamedKind::Enum { symbols: from, .. }, NamedKind::Enum { symbols: to, default })
                if same_name =>
            {
                let symbol = |symbol| to.iter().find(|known| *known == symbol).or(default.as_ref());
                self.take(from.iter().map(|symbol| 1 + symbol.len() / 64).sum())?;
                let symbols = from.iter().map(|from| symbol(from).map(|symbol| symbol.as_str().into()));
                Ok(Read::Symbol(symbols.collect()))
            }
            (NamedKind::Fixed { size: from }, NamedKind::Fixed { size: to }) if same_name && from == to => {
                Ok(octets_to(logical_type).map_or(Read::Null, |octets| Read::Fixed(*from, octets)))
            }
            _ => {
                let (found, expecting) = (writer.name.full(), reader.name.full());
                self.fail(format!("Found {found}, expecting {expecting}"))
            }
        }
    }

    fn record(
        &mut self,
        (writer, from): (&NamedType, &[RecordField]),
        (reader, to): (&NamedType, &[RecordField]),
        logical_type: &LogicalType,
    ) -> Result<Read, Error> {
        let LogicalType::Row(row) = logical_type else {
            return Ok(Read::Fail("no ROW".into()));
        };
        let types = row.fields();
        let record = self.text(self.aliases.name(&writer.name).full())?;
        self.take(from.len())?;
        let places: HashMap<&str, usize> =
            to.iter().zip(0..).map(|(field, position)| (field.name.as_str(), position)).collect();
        let mut is_written = vec![false; to.len()];
        let mut fields = Vec::with_capacity(from.len());
        for field in from {
            let name = self.aliases.field(&record, &field.name);
            let found = places.get(name).copied();
            let found = found.and_then(|position| Some((position, to.get(position)?, types.get(position)?)));
            let Some((position, known, of)) = found else {
                self.take(field.schema.size())?;
                fields.push(FieldRead::Skip(field.schema.without_properties()));
                continue;
            };
            if std::mem::replace(&mut is_written[position], true) {
                return self.fail(format!("Duplicate field {name} in record {record}"));
            }
            let read = self.value(&field.schema, &known.schema, &of.data_type.logical_type)?;
            fields.push(FieldRead::Keep { name: name.into(), position, read });
        }
        let mut defaults = Vec::new();
        for (position, (field, of)) in to.iter().zip(types).enumerate() {
            if is_written[position] {
                continue;
            }
            let Some(default) = &field.default else {
                let (found, expecting, field) = (writer.name.full(), reader.name.full(), &field.name);
                let message = format!("Found {found}, expecting {expecting}, missing required field {field}");
                return self.fail(message);
            };
            let bytes = default_value::encode(self.reader, &field.schema, default)?.into();
            let mut resolver = Resolver { writer: self.reader, ..*self };
            let read = resolver.value(&field.schema, &field.schema, &of.data_type.logical_type)?;
            self.steps = resolver.steps;
            defaults.push(DefaultRead { position, bytes, read });
        }
        Ok(Read::Row(Record { fields: fields.into(), defaults: defaults.into(), width: to.len() }))
    }

    fn fail(&mut self, message: String) -> Result<Read, Error> {
        Ok(Read::Fail(self.text(message)?))
    }

    fn mismatch(&mut self, writer: &Node, reader: &Node) -> Result<Read, Error> {
        let (found, expecting) = (self.writer.type_name(writer), self.reader.type_name(reader));
        self.fail(format!("Found {found}, expecting {expecting}"))
    }

    /// `Resolver.unionEquiv`: of the same structure and names, whatever the namespaces.
    fn is_alike(&self, writer: &Node, reader: &Node) -> bool {
        match (writer, reader) {
            (Node::Primitive(from, _), Node::Primitive(to, _)) => from == to,
            (Node::Array(from, _), Node::Array(to, _)) | (Node::Map(from, _), Node::Map(to, _)) => {
                self.is_alike(from, to)
            }
            (Node::Union(from), Node::Union(to)) => {
                from.len() == to.len() && from.iter().zip(to).all(|(from, to)| self.is_alike(from, to))
            }
            (Node::Named(from), Node::Named(to)) => {
                let (from, to) = (self.writer.named(*from), self.reader.named(*to));
                self.aliases.name(&from.name).name == to.name.name
                    && match (&from.kind, &to.kind) {
                        (NamedKind::Enum { symbols: from, .. }, NamedKind::Enum { symbols: to, .. }) => {
                            from == to
                        }
                        (NamedKind::Fixed { size: from }, NamedKind::Fixed { size: to }) => from == to,
                        (NamedKind::Record { fields: from, .. }, NamedKind::Record { fields: to, .. }) => {
                            from.len() == to.len()
                                && from.iter().zip(to).all(|(from, to)| {
                                    from.name == to.name && self.is_alike(&from.schema, &to.schema)
                                })
                        }
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}

fn primitive(
    from: Primitive,
    to: Primitive,
    logical_type: &LogicalType,
    timestamp: NumberTo,
) -> Option<Read> {
    let number = match (to, logical_type) {
        (Primitive::Float, _) => Some(NumberTo::Float),
        (Primitive::Double, _) => Some(NumberTo::Double),
        (_, LogicalType::TinyInt) => Some(NumberTo::TinyInt),
        (_, LogicalType::SmallInt) => Some(NumberTo::SmallInt),
        (_, LogicalType::Int) => Some(NumberTo::Int),
        (_, LogicalType::BigInt) => Some(NumberTo::BigInt),
        (_, LogicalType::Date) => Some(NumberTo::Date),
        (_, LogicalType::Time(_)) => Some(NumberTo::Time),
        (_, LogicalType::Timestamp(_) | LogicalType::TimestampLtz(_)) => Some(timestamp),
        _ => None,
    };
    if from != to && !promotes(from, to) {
        return None;
    }
    // Flink's converter of TIME takes an Integer alone.
    if matches!((to, logical_type), (Primitive::Long, LogicalType::Time(_))) {
        return Some(Read::Fail("Unexpected object type for TIME logical type".into()));
    }
    match from {
        Primitive::Null => Some(Read::Null),
        Primitive::Boolean => Some(Read::Boolean),
        Primitive::Int => number.map(Read::Int),
        Primitive::Long => number.map(Read::Long),
        Primitive::Float if to == Primitive::Double => Some(Read::FloatAsDouble),
        Primitive::Float => Some(Read::Float),
        Primitive::Double => Some(Read::Double),
        Primitive::Bytes | Primitive::String => octets_to(logical_type).map(Read::Octets),
    }
}

pub(super) fn promotes(from: Primitive, to: Primitive) -> bool {
    match to {
        Primitive::Long => from == Primitive::Int,
        Primitive::Float => matches!(from, Primitive::Int | Primitive::Long),
        Primitive::Double => matches!(from, Primitive::Int | Primitive::Long | Primitive::Float),
        Primitive::Bytes => from == Primitive::String,
        Primitive::String => from == Primitive::Bytes,
        Primitive::Null | Primitive::Boolean | Primitive::Int => false,
    }
}

fn octets_to(logical_type: &LogicalType) -> Option<OctetsTo> {
    match logical_type {
        LogicalType::Char(_) | LogicalType::VarChar(_) => Some(OctetsTo::String),
        LogicalType::Binary(_) | LogicalType::VarBinary(_) => Some(OctetsTo::Bytes),
        LogicalType::Decimal { precision, scale } => {
            Some(OctetsTo::Decimal { precision: *precision, scale: *scale })
        }
        _ => None,
    }
}

/// What an array's elements are, or a map's values.
fn element_type(logical_type: &LogicalType) -> &LogicalType {
    match logical_type {
        LogicalType::Array(element) | LogicalType::Map(_, element) => &element.logical_type,
        LogicalType::Multiset(_) => &LogicalType::Int,
        other => other,
    }
}

fn same_kind(one: &NamedType, other: &NamedType) -> bool {
    std::mem::discriminant(&one.kind) == std::mem::discriminant(&other.kind)
}

/// Whether a record fits whatever it is called: only its own fields are asked, not those of records in it.
fn is_structure(read: &Read) -> bool {
    let fails = |field: &FieldRead| matches!(field, FieldRead::Keep { read: Read::Fail(_), .. });
    matches!(read, Read::Row(record) if !record.fields.iter().any(fails))
}

#[cold]
fn too_large() -> Error {
    Error::new(ErrorKind::Limit, "the writer's schema unfolds to more than 65,536 steps")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::avro::decode_binary::BinaryReader;
    use crate::row::RowBuf;

    /// What `reader` makes of `bytes` that `writer` wrote, as one column of the type.
    fn read(writer: &str, reader: &str, data_type: &str, bytes: &[u8]) -> Result<String, String> {
        let record = |field: &str| {
            let text = format!(r#"{{"type":"record","name":"R","fields":[{field}]}}"#);
            AvroSchema::parse(&text).unwrap()
        };
        let fields = [Field::new("a", data_type.parse::<crate::types::DataType>().unwrap())];
        let (writer, reader) = (record(writer), record(reader));
        assert!(reader.is_of(&fields), "the reader's schema is the column's");
        let resolved = resolve(&writer, &reader, &fields, true).unwrap();
        let mut row = RowBuf::with_columns(1);
        match BinaryReader::new(bytes, &resolved).read_row(&[0], &mut row) {
            Ok(()) => Ok(format!("{row:?}")),
            Err(error) => Err(error.message().to_owned()),
        }
    }

    fn field(data_type: &str) -> String {
        format!(r#"{{"name":"a","type":{data_type}}}"#)
    }

    #[test]
    fn a_field_is_found_by_its_alias_in_a_record_found_by_its() {
        let writer = field(r#"{"type":"record","name":"Old","fields":[{"name":"x","type":"int"}]}"#);
        let reader = |alias: &str| {
            field(&format!(
                r#"{{"type":"record","name":"New"{alias},"fields":[{{"name":"y","type":"int","aliases":["x"]}}]}}"#
            ))
        };
        let row = "ROW<`y` INT NOT NULL> NOT NULL";
        assert_eq!(read(&writer, &reader(r#","aliases":["Old"]"#), row, &[10]).unwrap(), "[Row([Int(5)])]");
        // Avro asks for a field's alias only in a record that it knows by name.
        assert_eq!(
            read(&writer, &reader(""), row, &[10]).unwrap_err(),
            "Found Old, expecting New, missing required field y"
        );
    }

    #[test]
    fn a_writers_symbol_that_the_reader_lacks_is_its_default_or_an_error() {
        let symbols = |name: &str, symbols: &str, default: &str| {
            field(&format!(r#"{{"type":"enum","name":"{name}","symbols":{symbols}{default}}}"#))
        };
        let writer = symbols("E", r#"["A","B"]"#, "");
        let read = |reader: String, bytes: &[u8]| read(&writer, &reader, "STRING NOT NULL", bytes);
        assert_eq!(read(symbols("E", r#"["B","C"]"#, ""), &[2]).unwrap(), r#"[String("B")]"#);
        assert_eq!(
            read(symbols("E", r#"["B","C"]"#, r#","default":"C""#), &[0]).unwrap(),
            r#"[String("C")]"#
        );
        assert!(read(symbols("E", r#"["B","C"]"#, ""), &[0]).is_err());
        assert_eq!(read(symbols("F", r#"["A","B"]"#, ""), &[0]).unwrap_err(), "Found E, expecting F");
    }

    #[test]
    fn a_branch_that_does_not_fit_fails_only_where_a_value_comes_to_it() {
        let writer = field(r#"["null","string","int"]"#);
        let read = |bytes: &[u8]| read(&writer, &field(r#"["null","int"]"#), "INT", bytes);
        assert_eq!(read(&[0]).unwrap(), "[Null]");
        assert_eq!(read(&[4, 10]).unwrap(), "[Int(5)]");
        assert_eq!(read(&[2, 2, b'x']).unwrap_err(), "Found string, expecting union");
    }

    #[test]
    fn microseconds_of_a_writer_are_cut_to_the_milliseconds_of_the_column() {
        let writer = field(r#"{"type":"long","logicalType":"timestamp-micros"}"#);
        let reader = field(r#"{"type":"long","logicalType":"timestamp-millis"}"#);
        let bytes = [0xd1, 0x0f]; // -1001
        let read = read(&writer, &reader, "TIMESTAMP(3) NOT NULL", &bytes).unwrap();
        assert_eq!(read, "[Timestamp(Timestamp { millis: -2, nanos_of_millis: 0 })]");
    }
}
