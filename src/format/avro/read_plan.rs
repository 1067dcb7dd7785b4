//! What reads a datum: a writer's schema resolved against a reader's, step by step in the writer's order.

use super::schema::{NamedType, Node};

/// How the value that comes next is read.
#[derive(Clone, Debug)]
pub(super) enum Read {
    Null,
    Boolean,
    Int(NumberTo),
    Long(NumberTo),
    Float,
    FloatAsDouble,
    Double,
    /// Bytes or a string: they look alike.
    Octets(OctetsTo),
    Fixed(usize, OctetsTo),
    /// For each symbol of the writer the reader's.
    Symbol(Box<[Option<Box<str>>]>),
    Array(Box<Read>),
    Map(Box<Read>),
    Row(Record),
    /// The branches of the writer's union.
    Union(Box<[Branch]>),
    /// It does not fit.
    Fail(Box<str>),
}

/// What an int or a long becomes.
#[derive(Clone, Copy, Debug)]
pub(super) enum NumberTo {
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Date,
    Time,
    TimestampMillis,
    TimestampMicros {
        /// The column has no digits for what is inside a millisecond.
        whole_millis: bool,
    },
}

/// What bytes or a string become.
#[derive(Clone, Copy, Debug)]
pub(super) enum OctetsTo {
    String,
    Bytes,
    Decimal { precision: u8, scale: u8 },
}

#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// The writer's type by its full name, which is the label in JSON.
    pub(super) label: Box<str>,
    pub(super) read: Read,
}

#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The writer's fields in its order.
    pub(super) fields: Box<[FieldRead]>,
    /// The reader's fields that the writer does not have.
    pub(super) defaults: Box<[DefaultRead]>,
    /// How many fields the reader has.
    pub(super) width: usize,
}

#[derive(Clone, Debug)]
pub(super) enum FieldRead {
    Keep {
        /// The reader's name of it.
        name: Box<str>,
        /// Its position in the reader's record.
        position: usize,
        read: Read,
    },
    /// The reader has no such field.
    Skip(Node),
}

/// A field filled by its default, which is kept as the bytes of a datum.
#[derive(Clone, Debug)]
pub(super) struct DefaultRead {
    pub(super) position: usize,
    pub(super) bytes: Box<[u8]>,
    pub(super) read: Read,
}

/// A resolved pair of schemas.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) root: Read,
    /// The writer's named types, for fields that are skipped.
    pub(super) named: Vec<NamedType>,
}
