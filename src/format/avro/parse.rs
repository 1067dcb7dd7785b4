//! Schemas from their text.

use std::collections::{HashMap, HashSet};

use super::json_tree::Json;
use super::names::{Name, check_name};
use super::schema::{AvroSchema, NamedKind, NamedType, Node, Order, Primitive, Properties, RecordField};
use super::schema_error;
use crate::error::{Error, ErrorKind};
use crate::text::{self, Jdk};

impl AvroSchema {
    /// The schema that `text` describes.
    ///
    /// # Errors
    ///
    /// Avro's, for what is no schema; and for text above 1 MiB or 128 levels.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Parser::parse(&[text], Defaults::Checked)
    }

    /// As [`parse`](Self::parse), for the last of the texts, which uses types of those before it; whatever the defaults of
    /// fields are: Confluent's client trusts its registry.
    pub(super) fn parse_registered(texts: &[&str]) -> Result<Self, Error> {
        Parser::parse(texts, Defaults::Unchecked)
    }
}

/// Far above what a registry takes: it keeps a schema in one Kafka record.
const MAX_TEXT: usize = 1 << 20;

/// What the full names in a schema may take together for each byte of its text, and in any case: all types of a namespace
/// repeat it, and all that refer to them.
const NAME_BYTES_A_BYTE: usize = 64;
const NAME_BYTES_IN_ANY_CASE: usize = 256 << 10;
/// A type that is declared keeps its name, twice; one that is referred to does not.
const WEIGHT_OF_DECLARED: usize = 4;

/// Far above what defaults say.
const MAX_DEFAULT_VALUES: usize = 1 << 16;

/// Whether a field's default must be a value of the field's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defaults {
    Checked,
    Unchecked,
}

struct Parser {
    defaults: Defaults,
    /// `None`: a record whose fields are being read.
    named: Vec<Option<NamedType>>,
    /// Where in `named` the type of a full name is.
    by_name: HashMap<String, usize>,
    /// The namespace of the record around.
    space: String,
    /// How many more bytes full names may have.
    name_bytes: usize,
    /// How many more values defaults may have: those of records in records unfold.
    default_values: usize,
}

impl Parser {
    fn parse(texts: &[&str], defaults: Defaults) -> Result<AvroSchema, Error> {
        let len = texts.iter().map(|text| text.len()).sum::<usize>();
        if len > MAX_TEXT {
            return Err(Error::new(ErrorKind::Limit, "an Avro schema has at most 1 MiB of text"));
        }
        let mut parser = Self {
            defaults,
            named: Vec::new(),
            by_name: HashMap::new(),
            space: String::new(),
            name_bytes: NAME_BYTES_A_BYTE * len + NAME_BYTES_IN_ANY_CASE,
            default_values: MAX_DEFAULT_VALUES,
        };
        let mut root = Node::Union(Vec::new());
        for text in texts {
            root = parser.text(text)?;
        }
        let named =
            parser.named.into_iter().map(|named| named.expect("every record has been read")).collect();
        Ok(AvroSchema { root, named })
    }

    fn text(&mut self, text: &str) -> Result<Node, Error> {
        if text.trim_ascii().is_empty() {
            return Err(schema_error("Cannot parse <null> schema"));
        }
        let json =
            Json::parse(text).map_err(|error| schema_error("the schema is not JSON").with_source(error))?;
        self.node(&json)
    }

    fn node(&mut self, json: &Json) -> Result<Node, Error> {
        match json {
            Json::String(name) => {
                self.reference(name)?.ok_or_else(|| schema_error(format!("Undefined name: {json}")))
            }
            Json::Array(branches) => self.union(branches),
            Json::Object(_) => self.object(json),
            Json::Null | Json::Bool(_) | Json::Number(_) => {
                Err(schema_error(format!("Schema not yet supported: {json}")))
            }
        }
    }

    /// The primitive or the type met before of that name, in the namespace around or in none.
    fn reference(&mut self, name: &str) -> Result<Option<Node>, Error> {
        if let Some(primitive) = Primitive::from_name(name) {
            return Ok(Some(primitive.into()));
        }
        let full = self.full_name(name)?;
        let inside = self.by_name.get(&full);
        Ok(inside.or_else(|| self.by_name.get(name)).map(|index| Node::Named(*index)))
    }

    /// A name in the namespace around, whose length counts.
    fn full_name(&mut self, name: &str) -> Result<String, Error> {
        let full = Name::new(name, &self.space)?.full();
        self.count_name(full.len())?;
        Ok(full)
    }

    /// Refuses names without end: all types of a namespace repeat it.
    fn count_name(&mut self, bytes: usize) -> Result<(), Error> {
        self.name_bytes = self.name_bytes.checked_sub(bytes).ok_or_else(|| {
            Error::new(
                ErrorKind::Limit,
                "the names in an Avro schema take more than 64 times its text with their namespaces",
            )
        })?;
        Ok(())
    }

    fn union(&mut self, branches: &[Json]) -> Result<Node, Error> {
        let branches = branches.iter().map(|branch| self.node(branch)).collect::<Result<Vec<_>, _>>()?;
        let mut names = HashSet::new();
        for branch in &branches {
            let name = match branch {
                Node::Primitive(primitive, _) => primitive.name(),
                Node::Array(..) => "array",
                Node::Map(..) => "map",
                Node::Union(_) => return Err(schema_error("Nested union")),
                Node::Named(index) => {
                    if names.insert(index.to_string()) {
                        continue;
                    }
                    return Err(schema_error("Duplicate in union"));
                }
            };
            if !names.insert(name.to_owned()) {
                return Err(schema_error(format!("Duplicate in union:{name}")));
            }
        }
        Ok(Node::Union(branches))
    }

    fn object(&mut self, json: &Json) -> Result<Node, Error> {
        let kind = required_text(json, "type", "No type")?;
        if let Some(primitive) = Primitive::from_name(kind) {
            return Ok(Node::Primitive(primitive, properties(json, &RESERVED)));
        }
        match kind {
            "record" | "error" | "enum" | "fixed" => self.named(kind, json),
            "array" => {
                let items = json.get("items");
                let items = items.ok_or_else(|| schema_error(format!("Array has no items type: {json}")))?;
                Ok(Node::Array(Box::new(self.node(items)?), properties(json, &RESERVED)))
            }
            "map" => {
                let values = json.get("values");
                let values = values.ok_or_else(|| schema_error(format!("Map has no values type: {json}")))?;
                Ok(Node::Map(Box::new(self.node(values)?), properties(json, &RESERVED)))
            }
            _ => {
                let full = self.full_name(kind)?;
                match self.by_name.get(&full) {
                    Some(index) => Ok(Node::Named(*index)),
                    None => Err(schema_error(format!("Type not supported: {kind}"))),
                }
            }
        }
    }

    fn named(&mut self, kind: &str, json: &Json) -> Result<Node, Error> {
        let space = json.get("namespace").and_then(Json::text).unwrap_or(&self.space);
        let name = Name::new(required_text(json, "name", "No name in schema")?, space)?;
        let full = name.full();
        self.count_name(WEIGHT_OF_DECLARED * full.len())?;
        if Primitive::from_name(&full).is_some() {
            return Err(schema_error(format!("Schemas may not be named after primitives: {full}")));
        }
        let index = self.named.len();
        self.named.push(None);
        if self.by_name.insert(full.clone(), index).is_some() {
            return Err(schema_error(format!("Can't redefine: {full}")));
        }
        let kind = match kind {
            "enum" => enumeration(json)?,
            "fixed" => fixed(json)?,
            _ => {
                let outside = std::mem::replace(&mut self.space, name.space.clone());
                let fields = self.fields(&full, json)?;
                self.space = outside;
                NamedKind::Record { fields, is_error: kind == "error" }
            }
        };
        let reserved: &[&str] =
            if matches!(kind, NamedKind::Enum { .. }) { &RESERVED_OF_ENUM } else { &RESERVED };
        let aliases = aliases(json)?;
        self.count_name(WEIGHT_OF_DECLARED * aliases.len() * name.space.len())?;
        let aliases = aliases.iter().map(|alias| Name::new(alias, &name.space)).collect::<Result<_, _>>()?;
        let (doc, properties) = (optional_text(json, "doc"), properties(json, reserved));
        self.named[index] = Some(NamedType { name, doc, aliases, properties, kind });
        Ok(Node::Named(index))
    }

    fn fields(&mut self, record: &str, json: &Json) -> Result<Vec<RecordField>, Error> {
        let members = json.get("fields").and_then(Json::elements);
        let members = members.ok_or_else(|| schema_error(format!("Record has no fields: {json}")))?;
        let mut names = HashSet::new();
        let mut fields = Vec::new();
        for member in members {
            let field = self.field(member)?;
            if !names.insert(field.name.clone()) {
                let name = &field.name;
                return Err(schema_error(format!("Duplicate field {name} in record {record}")));
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn field(&mut self, json: &Json) -> Result<RecordField, Error> {
        let name = required_text(json, "name", "No field name")?.to_owned();
        let schema = json.get("type").ok_or_else(|| schema_error(format!("No field type: {json}")))?;
        let schema = self.node(schema)?;
        let order = match json.get("order").map(|order| order.text().unwrap_or_default().to_ascii_lowercase())
        {
            None => Order::Ascending,
            Some(order) => [Order::Ascending, Order::Descending, Order::Ignore]
                .into_iter()
                .find(|known| known.name() == order)
                .ok_or_else(|| schema_error(format!("No enum constant Order: {order}")))?,
        };
        check_name(&name)?;
        let default = json.get("default").map(|default| number_of_text(&schema, default));
        if let Some(default) = &default
            && self.defaults == Defaults::Checked
            && !is_default(&self.named, &schema, default, &mut self.default_values)
        {
            return Err(schema_error(format!("Invalid default for field {name}: {default}")));
        }
        Ok(RecordField {
            name,
            schema,
            doc: optional_text(json, "doc"),
            default,
            order,
            aliases: aliases(json)?.into_iter().map(str::to_owned).collect(),
            properties: properties(json, &RESERVED_OF_FIELD),
        })
    }
}

/// Whether `json` is a default for the type; for a union: for its first branch. A record inside itself has none.
fn is_default(named: &[Option<NamedType>], node: &Node, json: &Json, values: &mut usize) -> bool {
    let Some(rest) = values.checked_sub(1) else {
        return false;
    };
    *values = rest;
    match node {
        Node::Primitive(primitive, _) => match primitive {
            Primitive::Null => *json == Json::Null,
            Primitive::Boolean => matches!(json, Json::Bool(_)),
            Primitive::Int => json.integer().is_some_and(|value| i32::try_from(value).is_ok()),
            Primitive::Long => json.integer().is_some(),
            Primitive::Float | Primitive::Double => json.double().is_some(),
            Primitive::Bytes | Primitive::String => json.text().is_some(),
        },
        Node::Array(items, _) => json
            .elements()
            .is_some_and(|elements| elements.iter().all(|element| is_default(named, items, element, values))),
        Node::Map(of, _) => {
            matches!(json, Json::Object(_))
                && json.members().iter().all(|(_, value)| is_default(named, of, value, values))
        }
        Node::Union(branches) => {
            branches.first().is_some_and(|branch| is_default(named, branch, json, values))
        }
        Node::Named(index) => match named[*index].as_ref().map(|named| &named.kind) {
            None => false,
            Some(NamedKind::Enum { .. } | NamedKind::Fixed { .. }) => json.text().is_some(),
            Some(NamedKind::Record { fields, .. }) => {
                matches!(json, Json::Object(_))
                    && fields.iter().all(|field| {
                        let value = json.get(&field.name).or(field.default.as_ref());
                        value.is_some_and(|value| is_default(named, &field.schema, value, values))
                    })
            }
        },
    }
}

/// The members that mean something to Avro and are no properties.
const RESERVED: [&str; 10] =
    ["aliases", "doc", "fields", "items", "name", "namespace", "size", "symbols", "type", "values"];
const RESERVED_OF_ENUM: [&str; 11] = [
    "aliases",
    "default",
    "doc",
    "fields",
    "items",
    "name",
    "namespace",
    "size",
    "symbols",
    "type",
    "values",
];
const RESERVED_OF_FIELD: [&str; 6] = ["aliases", "default", "doc", "name", "order", "type"];

fn enumeration(json: &Json) -> Result<NamedKind, Error> {
    let symbols = json.get("symbols").and_then(Json::elements);
    let symbols = symbols.ok_or_else(|| schema_error(format!("Enum has no symbols: {json}")))?;
    let symbols: Vec<String> =
        symbols.iter().map(|symbol| symbol.text().unwrap_or_default().to_owned()).collect();
    let mut known = HashSet::new();
    for symbol in &symbols {
        check_name(symbol)?;
        if !known.insert(symbol.as_str()) {
            return Err(schema_error(format!("Duplicate enum symbol: {symbol}")));
        }
    }
    let default = optional_text(json, "default");
    if let Some(default) = &default
        && !known.contains(default.as_str())
    {
        return Err(schema_error(format!(
            "The Enum Default: {default} is not in the enum symbol set: {symbols:?}"
        )));
    }
    Ok(NamedKind::Enum { symbols, default })
}

fn fixed(json: &Json) -> Result<NamedKind, Error> {
    let size = json.get("size").and_then(Json::integer).and_then(|size| i32::try_from(size).ok());
    let size = size.ok_or_else(|| schema_error(format!("Invalid or no size: {json}")))?;
    let size = usize::try_from(size).map_err(|_| schema_error(format!("Invalid fixed size: {size}")))?;
    Ok(NamedKind::Fixed { size })
}

/// A float may have its default as text; Avro makes a number of it, which "NaN" is in its eyes, too.
fn number_of_text(schema: &Node, default: &Json) -> Json {
    let number = match schema {
        Node::Primitive(Primitive::Float | Primitive::Double, _) if default.text().is_some() => {
            default.double()
        }
        _ => None,
    };
    match number {
        Some(number) if number.is_finite() => {
            let mut text = Vec::new();
            text::append(&mut text, |room| text::put_f64(room, number, Jdk::Jdk19Plus));
            Json::Number(String::from_utf8_lossy(&text).into_owned())
        }
        _ => default.clone(),
    }
}

fn aliases(json: &Json) -> Result<Vec<&str>, Error> {
    let Some(aliases) = json.get("aliases") else {
        return Ok(Vec::new());
    };
    let aliases = aliases.elements().ok_or_else(|| schema_error(format!("aliases not an array: {json}")))?;
    aliases
        .iter()
        .map(|alias| alias.text().ok_or_else(|| schema_error(format!("alias not a string: {alias}"))))
        .collect()
}

fn properties(json: &Json, reserved: &[&str]) -> Properties {
    let members = json.members().iter().filter(|(name, _)| !reserved.contains(&name.as_str()));
    Properties(members.cloned().collect())
}

fn required_text<'a>(json: &'a Json, member: &str, otherwise: &str) -> Result<&'a str, Error> {
    json.get(member).and_then(Json::text).ok_or_else(|| schema_error(format!("{otherwise}: {json}")))
}

fn optional_text(json: &Json, member: &str) -> Option<String> {
    json.get(member).and_then(Json::text).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(schema: &str) -> String {
        AvroSchema::parse(schema).unwrap().to_string()
    }

    fn message(schema: &str) -> String {
        AvroSchema::parse(schema).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_namespace_is_not_repeated_without_end() {
        let types = |space: usize, part: &str, count: usize| {
            let types: Vec<_> = (0..count).map(|index| part.replace('#', &index.to_string())).collect();
            format!(
                r#"{{"type":"record","name":"R","namespace":"{}","fields":[{}]}}"#,
                "n".repeat(space),
                types.join(",")
            )
        };
        let declared = r#"{"name":"f#","type":{"type":"fixed","name":"F#","size":1}}"#;
        assert!(AvroSchema::parse(&types(100, declared, 1_000)).is_ok());
        assert_eq!(AvroSchema::parse(&types(100_000, declared, 1_000)).unwrap_err().kind(), ErrorKind::Limit);
        let referred = r#"{"name":"f#","type":"R"}"#;
        assert!(AvroSchema::parse(&types(100, referred, 1_000)).is_ok());
        assert_eq!(AvroSchema::parse(&types(100_000, referred, 1_000)).unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn the_text_is_that_of_schema_to_string() {
        // The order of members in `RecordSchema.toJson` and its neighbours; a type without properties is its name.
        assert_eq!(
            text(
                r#"{ "fields": [ { "x": 1, "aliases": ["o"], "order": "descending", "default": 1, "doc": "d",
                     "type": {"type": "int"}, "name": "a" } ], "prop": {"z": 1, "a": 2}, "aliases": ["Old", "b.C"],
                     "doc": "D", "namespace": "n.s", "name": "R", "type": "record" }"#
            ),
            concat!(
                r#"{"type":"record","name":"R","namespace":"n.s","doc":"D","fields":[{"name":"a","type":"int","#,
                r#""doc":"d","default":1,"order":"descending","aliases":["o"],"x":1}],"#,
                r#""prop":{"z":1,"a":2},"aliases":["Old","b.C"]}"#
            )
        );
        assert_eq!(
            text(r#"{"type":"bytes","scale":2,"precision":4,"logicalType":"decimal"}"#),
            r#"{"type":"bytes","scale":2,"precision":4,"logicalType":"decimal"}"#
        );
    }

    /// `Schema.parse`: `new DoubleNode(Double.valueOf(defaultValue.textValue()))`.
    #[test]
    fn a_default_of_text_is_a_number_where_the_field_is_a_float() {
        let schema = |data_type: &str, default: &str| {
            format!(
                r#"{{"type":"record","name":"R","fields":[{{"name":"a","type":"{data_type}","default":{default}}}]}}"#
            )
        };
        for data_type in ["float", "double"] {
            assert_eq!(text(&schema(data_type, r#""1.50""#)), schema(data_type, "1.5"));
        }
        assert_eq!(text(&schema("string", r#""1.50""#)), schema("string", r#""1.50""#));
    }

    #[test]
    fn a_type_met_again_is_its_name_inside_its_namespace_and_its_full_name_outside() {
        let schema = concat!(
            r#"{"type":"record","name":"R","namespace":"a","fields":[{"name":"e","type":{"type":"enum","name":"E","#,
            r#""namespace":"b","symbols":["X"]}},{"name":"f","type":"b.E"},{"name":"r","type":["null","R"]}]}"#
        );
        assert_eq!(text(schema), schema);
        let schema = r#"{"type":"record","name":"R","fields":[{"name":"r","type":["null","R"]}]}"#;
        assert_eq!(text(schema), schema);
    }

    #[test]
    fn what_is_no_schema_is_refused_with_avros_words() {
        for (schema, expected) in [
            ("", "Cannot parse <null> schema"),
            ("\"nope\"", "Undefined name: \"nope\""),
            ("{}", "No type: {}"),
            (r#"{"type":"record","name":"a-b","fields":[]}"#, "Illegal character in: a-b"),
            (r#"{"type":"record","name":"R"}"#, r#"Record has no fields: {"type":"record","name":"R"}"#),
            (r#"{"type":"fixed","name":"int","size":1}"#, "Schemas may not be named after primitives: int"),
            (r#"["int","int"]"#, "Duplicate in union:int"),
            (
                r#"[{"type":"enum","name":"R","symbols":[]},{"type":"record","name":"R","fields":[]}]"#,
                "Can't redefine: R",
            ),
            (
                r#"{"type":"record","name":"R","fields":[{"name":"a","type":["int","null"],"default":null}]}"#,
                "Invalid default for field a: null",
            ),
        ] {
            assert_eq!(message(schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_registered_schema_may_have_any_default() {
        // golden avro-confluent/registry-001
        let schema = r#"{"type":"record","name":"x","fields":[{"name":"a","type":"int","default":"oops"}]}"#;
        assert!(AvroSchema::parse(schema).is_err());
        assert!(AvroSchema::parse_registered(&[schema]).is_ok());
    }

    #[test]
    fn a_default_that_unfolds_without_end_is_refused() {
        let mut fields = r#"{"name":"r0","type":{"type":"record","name":"R0","fields":[]}}"#.to_owned();
        for level in 1..64 {
            let below = level - 1;
            fields.push_str(&format!(
                r#",{{"name":"r{level}","type":{{"type":"record","name":"R{level}","fields":[
                    {{"name":"a","type":"R{below}","default":{{}}}},
                    {{"name":"b","type":"R{below}","default":{{}}}}]}}}}"#
            ));
        }
        assert!(
            AvroSchema::parse(&format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#)).is_err()
        );
    }
}
