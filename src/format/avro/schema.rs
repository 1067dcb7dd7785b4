//! Avro schemas and their text.

use std::fmt::{self, Display, Formatter, Write as _};

use super::json_tree::{Json, Quoted, comma};
use super::names::Name;

/// An Avro schema: the one Flink derives from a table's columns, or one read from its text.
///
/// Shown as JSON text without blanks, byte for byte what Flink registers: `Schema.toString()` of Avro 1.11.
///
/// Agrees with `org.apache.avro.Schema` and Flink's `AvroSchemaConverter`.
///
/// ```
/// use upsert_kafka::format::{AvroSchema, AvroTimestamps};
/// use upsert_kafka::types::{Field, LogicalType, RowType};
///
/// let row = RowType::new(vec![
///     Field::new("id", LogicalType::Int.not_null()),
///     Field::new("at", LogicalType::Timestamp(3)),
/// ]);
/// assert_eq!(
///     AvroSchema::of_row(&row, AvroTimestamps::Legacy)?.to_string(),
///     concat!(
///         r#"{"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":["#,
///         r#"{"name":"id","type":"int"},"#,
///         r#"{"name":"at","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"default":null}]}"#,
///     )
/// );
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AvroSchema {
    pub(super) root: Node,
    /// Records, enums and fixeds; [`Node::Named`] counts from 0.
    pub(super) named: Vec<NamedType>,
}

/// A place in a schema. Named types are kept beside the tree, so that they can contain themselves.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Primitive(Primitive, Properties),
    Array(Box<Node>, Properties),
    Map(Box<Node>, Properties),
    Union(Vec<Node>),
    Named(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Null,
    Boolean,
    Int,
    Long,
    Float,
    Double,
    Bytes,
    String,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct NamedType {
    pub(super) name: Name,
    pub(super) doc: Option<String>,
    pub(super) aliases: Vec<Name>,
    pub(super) properties: Properties,
    pub(super) kind: NamedKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum NamedKind {
    Record { fields: Vec<RecordField>, is_error: bool },
    Enum { symbols: Vec<String>, default: Option<String> },
    Fixed { size: usize },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordField {
    pub(super) name: String,
    pub(super) schema: Node,
    pub(super) doc: Option<String>,
    pub(super) default: Option<Json>,
    pub(super) order: Order,
    pub(super) aliases: Vec<String>,
    pub(super) properties: Properties,
}

/// How records are sorted by a field; part of the text, of no use here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Ascending,
    Descending,
    Ignore,
}

/// What a type carries besides what Avro reserves, `logicalType` among it, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Properties(pub(super) Vec<(String, Json)>);

/// A logical type that Flink knows, where it is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logical {
    Decimal { precision: i64, scale: i64 },
    Date,
    TimeMillis,
    TimeMicros,
    TimestampMillis,
    TimestampMicros,
    LocalTimestampMillis,
    LocalTimestampMicros,
}

impl AvroSchema {
    pub(super) fn named(&self, index: usize) -> &NamedType {
        &self.named[index]
    }

    /// How Avro calls the type in its messages, and the branch of a union in JSON.
    pub(super) fn type_name(&self, node: &Node) -> String {
        match node {
            Node::Primitive(primitive, _) => primitive.name().to_owned(),
            Node::Array(..) => "array".to_owned(),
            Node::Map(..) => "map".to_owned(),
            Node::Union(_) => "union".to_owned(),
            Node::Named(index) => self.named(*index).name.full(),
        }
    }

    /// The text of a part of the schema.
    pub(super) fn text_of(&self, node: &Node) -> String {
        let mut text = String::new();
        let mut writer =
            Writer { schema: self, out: &mut text, space: "", written: vec![false; self.named.len()] };
        writer.node(node).expect("a String takes everything");
        text
    }
}

impl Display for AvroSchema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text_of(&self.root))
    }
}

impl NamedType {
    /// The fields of a record; none of anything else.
    pub(super) fn fields(&self) -> &[RecordField] {
        match &self.kind {
            NamedKind::Record { fields, .. } => fields,
            NamedKind::Enum { .. } | NamedKind::Fixed { .. } => &[],
        }
    }

    /// The symbols of an enum; none of anything else.
    pub(super) fn symbols(&self) -> &[String] {
        match &self.kind {
            NamedKind::Enum { symbols, .. } => symbols,
            NamedKind::Record { .. } | NamedKind::Fixed { .. } => &[],
        }
    }
}

impl Node {
    /// How many places there are in it, those of named types not counted.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Array(of, _) | Self::Map(of, _) => 1 + of.size(),
            Self::Union(branches) => 1 + branches.iter().map(Self::size).sum::<usize>(),
            Self::Primitive(..) | Self::Named(_) => 1,
        }
    }

    /// The same without properties, which do not matter to who passes over its values.
    pub(super) fn without_properties(&self) -> Self {
        let none = Properties::default;
        match self {
            Self::Primitive(primitive, _) => Self::Primitive(*primitive, none()),
            Self::Array(items, _) => Self::Array(Box::new(items.without_properties()), none()),
            Self::Map(values, _) => Self::Map(Box::new(values.without_properties()), none()),
            Self::Union(branches) => Self::Union(branches.iter().map(Self::without_properties).collect()),
            Self::Named(index) => Self::Named(*index),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Primitive(Primitive::Null, _))
    }
}

impl From<Primitive> for Node {
    fn from(primitive: Primitive) -> Self {
        Self::Primitive(primitive, Properties::default())
    }
}

impl Primitive {
    pub(super) const ALL: [Self; 8] = [
        Self::Null,
        Self::Boolean,
        Self::Int,
        Self::Long,
        Self::Float,
        Self::Double,
        Self::Bytes,
        Self::String,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Int => "int",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Bytes => "bytes",
            Self::String => "string",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|primitive| primitive.name() == name)
    }

    /// The logical type on top. One that is unknown, or stands on another primitive than it must, counts for nothing.
    pub(super) fn logical(self, properties: &Properties) -> Option<Logical> {
        match (self, properties.get("logicalType")?.text()?) {
            (Self::Bytes, "decimal") => properties.decimal(None),
            (Self::Int, "date") => Some(Logical::Date),
            (Self::Int, "time-millis") => Some(Logical::TimeMillis),
            (Self::Long, "time-micros") => Some(Logical::TimeMicros),
            (Self::Long, "timestamp-millis") => Some(Logical::TimestampMillis),
            (Self::Long, "timestamp-micros") => Some(Logical::TimestampMicros),
            (Self::Long, "local-timestamp-millis") => Some(Logical::LocalTimestampMillis),
            (Self::Long, "local-timestamp-micros") => Some(Logical::LocalTimestampMicros),
            _ => None,
        }
    }
}

impl Properties {
    fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().rev().find_map(|(property, value)| (property == name).then_some(value))
    }

    /// The logical type of a fixed of `size` bytes.
    pub(super) fn logical_of_fixed(&self, size: usize) -> Option<Logical> {
        if self.get("logicalType")?.text()? == "decimal" { self.decimal(Some(size)) } else { None }
    }

    fn decimal(&self, size: Option<usize>) -> Option<Logical> {
        let precision = self.get("precision")?.integer()?;
        let scale = self.get("scale").map_or(Some(0), Json::integer)?;
        let greatest = size.map_or(i64::MAX, digits_of_bytes);
        let valid = (1..=greatest).contains(&precision) && (0..=precision).contains(&scale);
        valid.then_some(Logical::Decimal { precision, scale })
    }
}

/// How many digits every number of `size` bytes has at most.
fn digits_of_bytes(size: usize) -> i64 {
    let bits = (size as u64).saturating_mul(8).saturating_sub(1).min(1 << 32);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "Avro computes it in doubles"
    )]
    let digits = (2_f64.log10() * bits as f64).floor() as i64;
    digits
}

impl Order {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
            Self::Ignore => "ignore",
        }
    }
}

/// Writes a schema: a named type in full where it is met first, by its name from there on.
struct Writer<'a> {
    schema: &'a AvroSchema,
    out: &'a mut String,
    space: &'a str,
    written: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn node(&mut self, node: &'a Node) -> fmt::Result {
        match node {
            Node::Primitive(primitive, properties) if properties.0.is_empty() => {
                write!(self.out, "\"{}\"", primitive.name())
            }
            Node::Primitive(primitive, properties) => {
                write!(self.out, "{{\"type\":\"{}\"", primitive.name())?;
                self.close(properties)
            }
            Node::Array(items, properties) => {
                self.out.write_str("{\"type\":\"array\",\"items\":")?;
                self.node(items)?;
                self.close(properties)
            }
            Node::Map(values, properties) => {
                self.out.write_str("{\"type\":\"map\",\"values\":")?;
                self.node(values)?;
                self.close(properties)
            }
            Node::Union(branches) => {
                self.out.write_char('[')?;
                for (index, branch) in branches.iter().enumerate() {
                    self.out.write_str(comma(index))?;
                    self.node(branch)?;
                }
                self.out.write_char(']')
            }
            Node::Named(index) => self.named(*index),
        }
    }

    fn named(&mut self, index: usize) -> fmt::Result {
        let named = self.schema.named(index);
        if std::mem::replace(&mut self.written[index], true) {
            return write!(self.out, "{}", Quoted(&named.name.reference(self.space)));
        }
        match &named.kind {
            NamedKind::Record { fields, is_error } => {
                self.head(if *is_error { "error" } else { "record" }, named)?;
                let outside = std::mem::replace(&mut self.space, &named.name.space);
                self.out.write_str(",\"fields\":[")?;
                for (index, field) in fields.iter().enumerate() {
                    self.out.write_str(comma(index))?;
                    self.field(field)?;
                }
                self.out.write_char(']')?;
                self.space = outside;
            }
            NamedKind::Enum { symbols, default } => {
                self.head("enum", named)?;
                self.strings("symbols", symbols.iter().map(String::as_str))?;
                if let Some(default) = default {
                    write!(self.out, ",\"default\":{}", Quoted(default))?;
                }
            }
            NamedKind::Fixed { size } => {
                self.head("fixed", named)?;
                write!(self.out, ",\"size\":{size}")?;
            }
        }
        self.properties(&named.properties)?;
        let aliases: Vec<String> =
            named.aliases.iter().map(|alias| alias.reference(&named.name.space)).collect();
        if !aliases.is_empty() {
            self.strings("aliases", aliases.iter().map(String::as_str))?;
        }
        self.out.write_char('}')
    }

    fn head(&mut self, kind: &str, named: &NamedType) -> fmt::Result {
        write!(self.out, "{{\"type\":\"{kind}\",\"name\":{}", Quoted(&named.name.name))?;
        if named.name.space != self.space {
            write!(self.out, ",\"namespace\":{}", Quoted(&named.name.space))?;
        }
        self.doc(named.doc.as_deref())
    }

    fn field(&mut self, field: &'a RecordField) -> fmt::Result {
        write!(self.out, "{{\"name\":{},\"type\":", Quoted(&field.name))?;
        self.node(&field.schema)?;
        self.doc(field.doc.as_deref())?;
        if let Some(default) = &field.default {
            write!(self.out, ",\"default\":{default}")?;
        }
        if field.order != Order::Ascending {
            write!(self.out, ",\"order\":\"{}\"", field.order.name())?;
        }
        if !field.aliases.is_empty() {
            self.strings("aliases", field.aliases.iter().map(String::as_str))?;
        }
        self.close(&field.properties)
    }

    fn doc(&mut self, doc: Option<&str>) -> fmt::Result {
        doc.map_or(Ok(()), |doc| write!(self.out, ",\"doc\":{}", Quoted(doc)))
    }

    fn strings<'s>(&mut self, member: &str, strings: impl Iterator<Item = &'s str>) -> fmt::Result {
        write!(self.out, ",\"{member}\":[")?;
        for (index, string) in strings.enumerate() {
            write!(self.out, "{}{}", comma(index), Quoted(string))?;
        }
        self.out.write_char(']')
    }

    fn properties(&mut self, properties: &Properties) -> fmt::Result {
        properties.0.iter().try_for_each(|(name, value)| write!(self.out, ",{}:{value}", Quoted(name)))
    }

    fn close(&mut self, properties: &Properties) -> fmt::Result {
        self.properties(properties)?;
        self.out.write_char('}')
    }
}
