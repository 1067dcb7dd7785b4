//! Whether one schema reads what another wrote, whatever the values.
//!
//! Agrees with `org.apache.avro.SchemaCompatibility`.

use std::collections::HashMap;

use super::resolve::promotes;
use super::schema::{AvroSchema, NamedKind, NamedType, Node};

/// How deep types are compared that name others: far deeper than people nest them.
const MAX_DEPTH: usize = 256;

/// Whether `reader` can read every datum of `writer`. What nests deeper than 256 types is taken not to fit.
pub(super) fn can_read(reader: &AvroSchema, writer: &AvroSchema) -> bool {
    Comparison { reader, writer, named: HashMap::new(), depth: 0 }.reads(&reader.root, &writer.root)
}

struct Comparison<'a> {
    reader: &'a AvroSchema,
    writer: &'a AvroSchema,
    /// Whether the one reads the other, of named types. While they are being compared it does, which ends the recursion.
    named: HashMap<(usize, usize), bool>,
    /// How many named types are around the place.
    depth: usize,
}

impl Comparison<'_> {
    fn reads(&mut self, reader: &Node, writer: &Node) -> bool {
        match (reader, writer) {
            (_, Node::Union(branches)) => branches.iter().all(|branch| self.reads(reader, branch)),
            (Node::Union(branches), _) => branches.iter().any(|branch| self.reads(branch, writer)),
            (Node::Primitive(to, _), Node::Primitive(from, _)) => from == to || promotes(*from, *to),
            (Node::Array(to, _), Node::Array(from, _)) | (Node::Map(to, _), Node::Map(from, _)) => {
                self.reads(to, from)
            }
            (Node::Named(to), Node::Named(from)) => {
                if let Some(known) = self.named.get(&(*to, *from)) {
                    return *known;
                }
                self.named.insert((*to, *from), true);
                self.depth += 1;
                let reads = self.depth <= MAX_DEPTH && self.reads_named(*to, *from);
                self.depth -= 1;
                self.named.insert((*to, *from), reads);
                reads
            }
            (
                Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Named(_),
                Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Named(_),
            ) => false,
        }
    }

    fn reads_named(&mut self, to: usize, from: usize) -> bool {
        let (reader, writer) = (self.reader.named(to), self.writer.named(from));
        let same_name = is_called(reader, writer);
        match (&reader.kind, &writer.kind) {
            (NamedKind::Fixed { size: to }, NamedKind::Fixed { size: from }) => same_name && to == from,
            (NamedKind::Enum { symbols: to, default }, NamedKind::Enum { symbols: from, .. }) => {
                same_name && (default.is_some() || from.iter().all(|symbol| to.contains(symbol)))
            }
            (NamedKind::Record { fields: to, .. }, NamedKind::Record { fields: from, .. }) => {
                same_name
                    && to.iter().all(|field| {
                        let written = from
                            .iter()
                            .find(|from| from.name == field.name || field.aliases.contains(&from.name));
                        match written {
                            Some(written) => self.reads(&field.schema, &written.schema),
                            None => field.default.is_some(),
                        }
                    })
            }
            (NamedKind::Fixed { .. } | NamedKind::Enum { .. } | NamedKind::Record { .. }, _) => false,
        }
    }
}

/// Namespaces do not matter, unless an alias names one.
fn is_called(reader: &NamedType, writer: &NamedType) -> bool {
    reader.name.name == writer.name.name || reader.aliases.contains(&writer.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(reader: &str, writer: &str) -> bool {
        can_read(&AvroSchema::parse(reader).unwrap(), &AvroSchema::parse(writer).unwrap())
    }

    #[test]
    fn a_field_may_be_dropped_and_one_with_a_default_may_be_added() {
        let record = |fields: &str| format!(r#"{{"type":"record","name":"R","fields":[{fields}]}}"#);
        let (a, ab) = (
            record(r#"{"name":"a","type":"int"}"#),
            record(r#"{"name":"a","type":"int"},{"name":"b","type":["null","int"],"default":null}"#),
        );
        assert!(reads(&ab, &a) && reads(&a, &ab));
        assert!(!reads(&record(r#"{"name":"a","type":"int"},{"name":"b","type":"int"}"#), &a));
        assert!(!reads(&a, "\"string\""));
    }

    #[test]
    fn types_may_be_promoted_and_unions_may_grow() {
        assert!(reads("\"long\"", "\"int\"") && !reads("\"int\"", "\"long\""));
        assert!(reads(r#"["null","int"]"#, "\"int\"") && !reads("\"int\"", r#"["null","int"]"#));
    }

    #[test]
    fn records_side_by_side_are_not_deep() {
        let fields: Vec<_> = (0..2 * MAX_DEPTH)
            .map(|n| format!(r#"{{"name":"f{n}","type":{{"type":"record","name":"R{n}","fields":[]}}}}"#))
            .collect();
        let record = format!(r#"{{"type":"record","name":"R","fields":[{}]}}"#, fields.join(","));
        assert!(reads(&record, &record));
    }

    #[test]
    fn what_does_not_fit_once_does_not_fit_later() {
        let record = |x: &str, y: &str| {
            format!(
                r#"{{"type":"record","name":"R","fields":[{{"name":"x","type":{x}}},{{"name":"y","type":{y}}}]}}"#
            )
        };
        let of = |name: &str, v: &str| {
            format!(r#"{{"type":"record","name":{name},"fields":[{{"name":"v","type":"{v}"}}]}}"#)
        };
        let writer = record(&of(r#""X""#, "string"), r#""X""#);
        // The writer's X is the reader's Y, and not its X.
        let union = format!("[{},{}]", of(r#""X""#, "int"), of(r#""Y","aliases":["X"]"#, "string"));
        assert!(reads(&record(&union, r#""Y""#), &writer));
        assert!(!reads(&record(&union, r#""X""#), &writer));
    }

    #[test]
    fn a_chain_of_names_is_compared_so_far_and_no_further() {
        // Each record holds the one before it, and only the last is in both schemas.
        let chain = |length: usize, side: &str| {
            let link = |k: usize| match k {
                0 => String::new(),
                _ => format!(r#"{{"name":"v","type":"R{}"}}"#, k - 1),
            };
            let defined: String = (0..length)
                .map(|k| {
                    let record = format!(r#"{{"type":"record","name":"R{k}","fields":[{}]}}"#, link(k));
                    format!(r#"{{"name":"{side}{k}","type":["null",{record}],"default":null}},"#)
                })
                .collect();
            let last = length - 1;
            format!(
                r#"{{"type":"record","name":"R","fields":[{defined}{{"name":"last","type":"R{last}"}}]}}"#
            )
        };
        assert!(reads(&chain(200, "a"), &chain(200, "b")));
        assert!(!reads(&chain(5000, "a"), &chain(5000, "b")));
    }

    #[test]
    fn a_type_that_contains_itself_is_compared_once() {
        let list = r#"{"type":"record","name":"L","fields":[{"name":"next","type":["null","L"]}]}"#;
        assert!(reads(list, list));
    }
}
