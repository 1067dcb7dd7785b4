//! A tree back to text. Agrees with Jackson's `JsonNode.toString()`.

use crate::text;

use super::number::{self, FloatNodes};
use super::{Kind, NodeId, Tree};

impl Tree {
    /// Appends the compact JSON text of `node`, numbers printed anew and characters above U+FFFF as they are.
    ///
    /// Goes from node to node: a document may nest deeper than a small stack.
    pub(crate) fn print(&self, root: NodeId, floats: FloatNodes, out: &mut Vec<u8>) {
        self.print_start(root, floats, out);
        if !self.kind(root).is_container() {
            return;
        }
        let (mut around, mut next) = (root.0, root.0 + 1);
        loop {
            let container = self.nodes[around];
            let is_object = container.kind == Kind::Object;
            while next < container.next && self.nodes[next].kind == Kind::RepeatedName {
                next = self.nodes[next + 1].next;
            }
            if next == container.next {
                out.push(if is_object { b'}' } else { b']' });
                if around == root.0 {
                    return;
                }
                next = self.after(around);
                around = container.link;
                continue;
            }
            if next > around + 1 {
                out.push(b',');
            }
            let mut node = next;
            next = self.nodes[node].next;
            if is_object {
                print_string(self.text_of(node), out);
                out.push(b':');
                next = self.nodes[node + 1].next;
                node = self.nodes[node].link;
            }
            self.print_start(NodeId(node), floats, out);
            if self.nodes[node].kind.is_container() {
                (around, next) = (node, node + 1);
            }
        }
    }

    /// A scalar, or the bracket that opens a container.
    fn print_start(&self, node: NodeId, floats: FloatNodes, out: &mut Vec<u8>) {
        match self.kind(node) {
            Kind::Null => out.extend_from_slice(b"null"),
            Kind::True => out.extend_from_slice(b"true"),
            Kind::False => out.extend_from_slice(b"false"),
            Kind::Integer => self.print_integer(node, out),
            Kind::Float => self.print_float(node, floats, out),
            Kind::String | Kind::Name | Kind::RepeatedName => print_string(self.text(node), out),
            Kind::Array => out.push(b'['),
            Kind::Object => out.push(b'{'),
        }
    }

    /// What comes after a container in the one around it: of a member whose name is repeated, after the first one.
    fn after(&self, container: usize) -> usize {
        if self.nodes[self.nodes[container].link].kind == Kind::Array {
            return self.nodes[container].next;
        }
        let name = container - 1;
        let first = if self.nodes[name].kind == Kind::RepeatedName { self.nodes[name].link } else { name };
        self.nodes[first + 1].next
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

#[cfg(test)]
mod tests {
    use crate::format::json::parse_document;
    use crate::text::Jdk;

    use super::*;

    fn printed(text: &str) -> String {
        let (mut tree, mut out) = (Tree::default(), Vec::new());
        let root = parse_document(text.as_bytes(), &mut tree).unwrap().unwrap();
        tree.print(root, FloatNodes::Double(Jdk::Jdk19Plus), &mut out);
        String::from_utf8(out).unwrap()
    }

    /// From Jackson's `ObjectNode`: the place of the first, the value of the last.
    #[test]
    fn a_repeated_name_keeps_its_place_and_takes_the_last_value() {
        for (text, expected) in [
            (r#" [ 1 , "a\u00e9" , -0, 1.10 , true , null ] "#, r#"[1,"aé",0,1.1,true,null]"#),
            ("[[],{},[[]],[{}]]", "[[],{},[[]],[{}]]"),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
            (r#"{"a":[1],"b":{"c":[]},"a":{"d":[2]}}"#, r#"{"a":{"d":[2]},"b":{"c":[]}}"#),
            (r#"{"a":1,"a":[2],"a":[[3]],"b":[4]}"#, r#"{"a":[[3]],"b":[4]}"#),
            (r#"[{"a":{"b":1},"a":{"b":[2],"b":[3]}},4]"#, r#"[{"a":{"b":[3]}},4]"#),
            (r#"{"a":[],"a":[]}"#, r#"{"a":[]}"#),
        ] {
            assert_eq!(printed(text), expected, "{text}");
        }
    }

    #[test]
    fn the_deepest_document_prints_on_a_small_stack() {
        let text = format!("{}{}", r#"{"a":["#.repeat(500), "]}".repeat(500));
        let print = {
            let text = text.clone();
            move || printed(&text)
        };
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(print).unwrap();
        assert_eq!(thread.join().unwrap(), text);
    }
}
