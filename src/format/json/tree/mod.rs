//! A JSON document parsed whole, as a flat list of nodes.
//!
//! Flink's other JSON decoder and the changelog envelopes work on Jackson's trees, with other conversions than the
//! streaming decoder's. Here the tree is one reused vector: nothing is allocated in the steady state.
//!
//! Agrees with Jackson's `ObjectNode` and its kin.

mod decode;
mod number;
mod print;

use crate::error::{Error, ErrorKind};
use crate::wire::{GiveBack, is_to_be_given_back};

use super::lexer::{Lexer, Token};

pub(crate) use decode::{TreeDecoder, TreeReader, parse_document};
pub(crate) use number::FloatNodes;

/// The nodes of one document in the order of their text, and all their texts in one string.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    text: String,
    /// Containers that are not closed yet.
    open: Vec<usize>,
    /// The names of an object that is closed, where they are many.
    names: Vec<usize>,
    /// Whether a number has an exponent that no BigDecimal has.
    has_wide_exponent: bool,
}

impl GiveBack for Tree {
    fn give_back(&mut self) {
        let bytes = |nodes| nodes * size_of::<Node>();
        let (held, used) = (bytes(self.nodes.capacity()), bytes(self.nodes.len()));
        if is_to_be_given_back(held + self.text.capacity(), used + self.text.len()) {
            *self = Self::default();
        }
    }
}

/// A node of a [`Tree`], by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(usize);

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    /// The text of a string, number or name in `Tree::text`.
    start: usize,
    end: usize,
    /// The node after this one and all that is in it.
    next: usize,
    /// Of a name the value it has, the last one where the name is repeated; of a repeated name the first one; of a
    /// container the one around it.
    link: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    True,
    False,
    Integer,
    Float,
    String,
    Array,
    Object,
    Name,
    /// A name that stands in its object before: Jackson keeps the place of the first and the value of the last.
    RepeatedName,
}

impl Kind {
    /// What it is, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "a boolean",
            Self::Integer | Self::Float => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::Name | Self::RepeatedName => "a name",
        }
    }

    fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }
}

/// An exponent with fewer digits is one of an `int`.
const MOST_DIGITS_OF_AN_EXPONENT: usize = 9;
/// With more members than this an object's names are sorted to find repeated ones.
const FEW_MEMBERS: usize = 16;

impl Tree {
    /// Parses the value that `lexer` stands on, and leaves `lexer` on its last token. Drops what was there before.
    pub(super) fn parse(&mut self, lexer: &mut Lexer<'_>) -> Result<NodeId, Error> {
        self.nodes.clear();
        self.text.clear();
        self.open.clear();
        self.has_wide_exponent = false;
        loop {
            self.token(lexer)?;
            if self.open.is_empty() {
                return Ok(NodeId(0));
            }
            lexer.advance()?;
        }
    }

    /// Refuses the document for a number that Jackson cannot hold, if it makes BigDecimals.
    pub(crate) fn check_floats(&self, floats: FloatNodes) -> Result<(), Error> {
        if self.has_wide_exponent && floats == FloatNodes::BigDecimal {
            return Err(Error::new(
                ErrorKind::Data,
                "expected DECIMAL, found a number with a larger exponent",
            ));
        }
        Ok(())
    }

    fn token(&mut self, lexer: &mut Lexer<'_>) -> Result<(), Error> {
        let kind = match lexer.token() {
            Token::StartObject => Kind::Object,
            Token::StartArray => Kind::Array,
            Token::EndObject | Token::EndArray => {
                self.close();
                return Ok(());
            }
            Token::Name => Kind::Name,
            Token::String => Kind::String,
            Token::Integer => Kind::Integer,
            Token::Float => Kind::Float,
            Token::True => Kind::True,
            Token::False => Kind::False,
            Token::Null => Kind::Null,
            Token::End | Token::BadMember => return Err(lexer.ended()),
        };
        let here = self.nodes.len();
        let start = self.text.len();
        match kind {
            Kind::Name | Kind::String | Kind::Integer | Kind::Float => {
                lexer.append_text(&mut self.text)?;
            }
            Kind::Array | Kind::Object | Kind::Null | Kind::True | Kind::False | Kind::RepeatedName => {}
        }
        if kind == Kind::Float && self.text.len() - start > MOST_DIGITS_OF_AN_EXPONENT {
            self.has_wide_exponent |= !number::has_exponent_of_big_decimal(&self.text[start..]);
        }
        let mut link = here + 1;
        if kind.is_container() {
            link = self.open.last().copied().unwrap_or(here);
            self.open.push(here);
        }
        self.nodes.push(Node { kind, start, end: self.text.len(), next: here + 1, link });
        Ok(())
    }

    fn close(&mut self) {
        let Some(container) = self.open.pop() else { return };
        self.nodes[container].next = self.nodes.len();
        if self.nodes[container].kind == Kind::Object {
            self.join_repeated_names(container);
        }
    }

    fn join_repeated_names(&mut self, object: usize) {
        let (first, end) = (object + 1, self.nodes[object].next);
        let mut members = 0;
        let mut name = first;
        while name < end {
            members += 1;
            name = self.nodes[name + 1].next;
        }
        if members <= FEW_MEMBERS {
            self.join_few(first, end);
        } else {
            self.join_many(first, end);
        }
    }

    fn join_few(&mut self, first: usize, end: usize) {
        let mut name = first;
        while name < end {
            let mut earlier = first;
            while earlier < name {
                if self.nodes[earlier].kind == Kind::Name && self.text_of(earlier) == self.text_of(name) {
                    self.join(earlier, name);
                    break;
                }
                earlier = self.nodes[earlier + 1].next;
            }
            name = self.nodes[name + 1].next;
        }
    }

    /// The same for objects of any size, at no more than the cost of sorting the names.
    fn join_many(&mut self, first: usize, end: usize) {
        let mut names = std::mem::take(&mut self.names);
        names.clear();
        names.extend(std::iter::successors(Some(first), |name| {
            Some(self.nodes[name + 1].next).filter(|name| *name < end)
        }));
        names.sort_unstable_by_key(|name| (self.text_of(*name), *name));
        let mut earlier = first;
        for &name in &names {
            if name != earlier && self.text_of(name) == self.text_of(earlier) {
                self.join(earlier, name);
            } else {
                earlier = name;
            }
        }
        self.names = names;
    }

    fn join(&mut self, earlier: usize, name: usize) {
        self.nodes[earlier].link = name + 1;
        self.nodes[name].link = earlier;
        self.nodes[name].kind = Kind::RepeatedName;
    }

    fn text_of(&self, node: usize) -> &str {
        &self.text[self.nodes[node].start..self.nodes[node].end]
    }

    /// What the node is.
    pub(crate) fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node.0].kind
    }

    /// The text of a string (without quotes and escapes), or of a number as it was written; else empty.
    pub(crate) fn text(&self, node: NodeId) -> &str {
        self.text_of(node.0)
    }

    /// The members of an object; of anything else there are none.
    pub(crate) fn members(&self, object: NodeId) -> impl Iterator<Item = (&str, NodeId)> {
        let end = match self.kind(object) {
            Kind::Object => self.nodes[object.0].next,
            _ => 0,
        };
        let first = Some(object.0 + 1).filter(|name| *name < end);
        let names = std::iter::successors(first, move |name| {
            Some(self.nodes[name + 1].next).filter(|name| *name < end)
        });
        names
            .filter(|name| self.nodes[*name].kind == Kind::Name)
            .map(|name| (self.text_of(name), NodeId(self.nodes[name].link)))
    }

    /// The elements of an array; of anything else there are none.
    pub(crate) fn elements(&self, array: NodeId) -> impl Iterator<Item = NodeId> {
        let end = match self.kind(array) {
            Kind::Array => self.nodes[array.0].next,
            _ => 0,
        };
        let first = Some(array.0 + 1).filter(|node| *node < end);
        std::iter::successors(first, move |node| Some(self.nodes[*node].next).filter(|node| *node < end))
            .map(NodeId)
    }

    /// The value of the member `name` of an object.
    pub(crate) fn get(&self, object: NodeId, name: &str) -> Option<NodeId> {
        self.members(object).find(|(member, _)| *member == name).map(|(_, value)| value)
    }

    /// Whether a member is called `name` anywhere in `root`, at any depth. Agrees with `JsonNode.findValue`.
    ///
    /// Goes through the list: a document may nest deeper than a small stack.
    pub(crate) fn names(&self, root: NodeId, name: &str) -> bool {
        let mut here = root.0;
        while here < self.nodes[root.0].next {
            let node = self.nodes[here];
            let first = match node.kind {
                Kind::Name => here,
                Kind::RepeatedName => node.link,
                _ => {
                    here += 1;
                    continue;
                }
            };
            if self.text_of(here) == name {
                return true;
            }
            // A value that a later one of the same name has replaced is not there.
            let is_there = self.nodes[first].link == here + 1;
            here = if is_there { here + 1 } else { self.nodes[here + 1].next };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Tree, NodeId) {
        let mut tree = Tree::default();
        let root = parse_document(text.as_bytes(), &mut tree).unwrap().unwrap();
        (tree, root)
    }

    #[test]
    fn a_name_is_found_at_any_depth_but_not_in_a_value_that_was_replaced() {
        let (tree, root) = parsed(r#"[{"a":{"lost":1},"b":[{"c":"d"}],"a":{"e":{"f":2},"e":{}}}]"#);
        let found: Vec<&str> = ["a", "b", "c", "d", "e", "f", "lost"]
            .into_iter()
            .filter(|name| tree.names(root, name))
            .collect();
        assert_eq!(found, ["a", "b", "c", "e"]);
    }

    #[test]
    fn the_deepest_document_is_searched_on_a_small_stack() {
        let text = format!("{}{}", r#"{"a":["#.repeat(500), "]}".repeat(500));
        let search = move || {
            let (tree, root) = parsed(&text);
            tree.names(root, "b")
        };
        let thread = std::thread::Builder::new().stack_size(64 * 1024).spawn(search).unwrap();
        assert!(!thread.join().unwrap());
    }
}
