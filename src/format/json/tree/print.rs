//! A tree back to text. Agrees with Jackson's `JsonNode.toString()`.

use crate::text;

use super::number::{self, FloatNodes};
use super::{Kind, NodeId, Tree};

impl Tree {
    /// Appends the compact JSON text of `node`, numbers printed anew and characters above U+FFFF as they are.
    pub(crate) fn print(&self, node: NodeId, floats: FloatNodes, out: &mut Vec<u8>) {
        match self.kind(node) {
            Kind::Null => out.extend_from_slice(b"null"),
            Kind::True => out.extend_from_slice(b"true"),
            Kind::False => out.extend_from_slice(b"false"),
            Kind::Integer => self.print_integer(node, out),
            Kind::Float => self.print_float(node, floats, out),
            Kind::String | Kind::Name | Kind::RepeatedName => print_string(self.text(node), out),
            Kind::Array => {
                out.push(b'[');
                for (index, element) in self.elements(node).enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    self.print(element, floats, out);
                }
                out.push(b']');
            }
            Kind::Object => {
                out.push(b'{');
                for (index, (name, value)) in self.members(node).enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    print_string(name, out);
                    out.push(b':');
                    self.print(value, floats, out);
                }
                out.push(b'}');
            }
        }
    }

    /// The compact JSON text of `node`, printed into `scratch`.
    pub(crate) fn print_to_str<'s>(
        &self,
        node: NodeId,
        floats: FloatNodes,
        scratch: &'s mut Vec<u8>,
    ) -> &'s str {
        scratch.clear();
        self.print(node, floats, scratch);
        as_str(scratch)
    }

    /// `node.asText()`, printed into `scratch` where it is not there already: a container's is empty.
    pub(crate) fn print_as_text<'s>(
        &'s self,
        node: NodeId,
        floats: FloatNodes,
        scratch: &'s mut Vec<u8>,
    ) -> &'s str {
        match self.kind(node) {
            Kind::Array | Kind::Object => "",
            Kind::Null => "null",
            Kind::True => "true",
            Kind::False => "false",
            Kind::Integer if self.text(node) == "-0" => "0",
            Kind::Integer | Kind::String | Kind::Name | Kind::RepeatedName => self.text(node),
            Kind::Float => {
                scratch.clear();
                number::write_float(self.text(node), floats, scratch);
                as_str(scratch)
            }
        }
    }

    /// Java's integers know no negative zero.
    fn print_integer(&self, node: NodeId, out: &mut Vec<u8>) {
        let lexeme = self.text(node);
        out.extend_from_slice(if lexeme == "-0" { b"0" } else { lexeme.as_bytes() });
    }

    /// As everywhere, NaN and the infinities are strings.
    fn print_float(&self, node: NodeId, floats: FloatNodes, out: &mut Vec<u8>) {
        let start = out.len();
        number::write_float(self.text(node), floats, out);
        if out[start..].ends_with(b"Infinity") || out[start..].ends_with(b"NaN") {
            out.insert(start, b'"');
            out.push(b'"');
        }
    }
}

fn print_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    text::write_escaped_text(out, text);
    out.push(b'"');
}

/// What is printed is made of texts that are UTF-8.
fn as_str(printed: &[u8]) -> &str {
    std::str::from_utf8(printed).unwrap_or_default()
}
