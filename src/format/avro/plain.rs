//! Schemas of a single column without a record around it: keys as clients of a plain type write them.
//!
//! Agrees with what `io.confluent.kafka.serializers.KafkaAvroSerializer` makes of a `String`, a `Long` and the like.

use super::conform::nullable_branch;
use super::names::Name;
use super::schema::{AvroSchema, NamedKind, NamedType, Node, Order, Properties, RecordField};

impl AvroSchema {
    /// The text of the schema of a record's only field.
    pub(super) fn text_of_only_field(&self) -> Option<String> {
        let Some((Node::Named(index), _)) = nullable_branch(&self.root) else { return None };
        match self.named(*index).fields() {
            [field] => Some(self.text_of(&field.schema)),
            _ => None,
        }
    }

    /// Makes a schema that is no record that of a record whose only field `name` is of it: the bytes of both are the
    /// same.
    pub(super) fn wrap_plain(&mut self, name: &str) {
        let is_record = |node: &Node| match node {
            Node::Named(index) => matches!(self.named(*index).kind, NamedKind::Record { .. }),
            Node::Primitive(..) | Node::Array(..) | Node::Map(..) | Node::Union(_) => false,
        };
        if nullable_branch(&self.root).is_some_and(|(node, _)| is_record(node)) {
            return;
        }
        let record = Node::Named(self.named.len());
        let schema = std::mem::replace(&mut self.root, record);
        let field = RecordField {
            name: name.to_owned(),
            schema,
            doc: None,
            default: None,
            order: Order::Ascending,
            aliases: Vec::new(),
            properties: Properties::default(),
        };
        self.named.push(NamedType {
            name: Name { space: String::new(), name: String::new() },
            doc: None,
            aliases: Vec::new(),
            properties: Properties::default(),
            kind: NamedKind::Record { fields: vec![field], is_error: false },
        });
    }
}
