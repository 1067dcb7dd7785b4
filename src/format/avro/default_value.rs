//! A field's default as the bytes of a datum.
//!
//! Agrees with `org.apache.avro.io.parsing.ResolvingGrammarGenerator.encode`.

use super::json_tree::Json;
use super::schema::{AvroSchema, NamedKind, Node, Primitive};
use super::schema_error;
use super::values::latin_1;
use crate::error::{Error, ErrorKind};
use crate::wire::{append_varint, append_varlong};

/// The default `json` of the type `node`, which was checked when the schema was parsed.
///
/// # Errors
///
/// For a default that has no bytes, such as an unknown symbol; [`ErrorKind::Limit`] for one of more than 1 MiB.
pub(super) fn encode(schema: &AvroSchema, node: &Node, json: &Json) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let encoded = Encoder { schema, out: &mut out }.value(node, json);
    if out.len() > MAX_BYTES {
        return Err(Error::new(ErrorKind::Limit, "a default in an Avro schema takes at most 1 MiB"));
    }
    encoded
        .ok_or_else(|| schema_error(format!("Invalid default of type {}: {json}", schema.text_of(node))))?;
    Ok(out)
}

/// A fixed claims its size, which need not be there, and defaults of records in records unfold.
const MAX_BYTES: usize = 1 << 20;

struct Encoder<'a> {
    schema: &'a AvroSchema,
    out: &'a mut Vec<u8>,
}

impl Encoder<'_> {
    fn value(&mut self, node: &Node, json: &Json) -> Option<()> {
        if self.out.len() > MAX_BYTES {
            return None;
        }
        match node {
            Node::Primitive(primitive, _) => self.primitive(*primitive, json)?,
            Node::Array(items, _) => {
                for item in json.elements()? {
                    self.out.push(2);
                    self.value(items, item)?;
                }
                self.out.push(0);
            }
            Node::Map(values, _) => {
                for (key, value) in json.members() {
                    self.out.push(2);
                    self.octets(key.as_bytes())?;
                    self.value(values, value)?;
                }
                self.out.push(0);
            }
            Node::Union(branches) => {
                self.out.push(0);
                self.value(branches.first()?, json)?;
            }
            Node::Named(index) => match &self.schema.named(*index).kind {
                NamedKind::Record { fields, .. } => {
                    for field in fields {
                        let value = json.get(&field.name).or(field.default.as_ref())?;
                        self.value(&field.schema, value)?;
                    }
                }
                NamedKind::Enum { symbols, .. } => {
                    let index = symbols.iter().position(|symbol| Some(symbol.as_str()) == json.text())?;
                    append_varint(self.out, i32::try_from(index).ok()?);
                }
                NamedKind::Fixed { size } => {
                    let mut bytes: Vec<u8> = latin_1(json.text()?).collect();
                    // Of one that is too long there is enough to see that.
                    bytes.resize((*size).min(MAX_BYTES + 1), 0);
                    self.out.extend_from_slice(&bytes);
                }
            },
        }
        Some(())
    }

    fn primitive(&mut self, primitive: Primitive, json: &Json) -> Option<()> {
        match (primitive, json) {
            (Primitive::Null, Json::Null) => {}
            (Primitive::Boolean, Json::Bool(value)) => self.out.push((*value).into()),
            (Primitive::Int, _) => append_varint(self.out, i32::try_from(json.integer()?).ok()?),
            (Primitive::Long, _) => append_varlong(self.out, json.integer()?),
            #[expect(clippy::cast_possible_truncation, reason = "to the nearest float, as Java's cast")]
            (Primitive::Float, _) => self.out.extend_from_slice(&(json.double()? as f32).to_le_bytes()),
            (Primitive::Double, _) => self.out.extend_from_slice(&json.double()?.to_le_bytes()),
            (Primitive::Bytes, Json::String(text)) => self.octets(&latin_1(text).collect::<Vec<_>>())?,
            (Primitive::String, Json::String(text)) => self.octets(text.as_bytes())?,
            _ => return None,
        }
        Some(())
    }

    fn octets(&mut self, bytes: &[u8]) -> Option<()> {
        append_varlong(self.out, i64::try_from(bytes.len()).ok()?);
        self.out.extend_from_slice(bytes);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_does_not_take_what_its_fixed_claims() {
        for (size, kind) in [(2, None), (300_000_000, Some(ErrorKind::Limit))] {
            let schema = AvroSchema::parse(&format!(
                r#"{{"type":"record","name":"R","fields":[
                    {{"name":"f","type":{{"type":"fixed","name":"F","size":{size}}},"default":"a"}}]}}"#
            ));
            let schema = schema.unwrap();
            let field = &schema.named(0).fields()[0];
            let encoded = encode(&schema, &field.schema, field.default.as_ref().unwrap());
            assert_eq!(encoded.map_err(|error| error.kind()).err(), kind, "{size}");
        }
    }
}
