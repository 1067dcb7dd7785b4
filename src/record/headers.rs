//! The headers of a record. Agrees with Kafka's `org.apache.kafka.common.header.Headers`.

use std::borrow::Cow;
use std::fmt;

use crate::text::decode_utf8;
use crate::wire::{Cursor, GiveBack, Shown, append_varint, varint_len};

/// One header: a name, and a value that may be null.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header<'a> {
    name: &'a [u8],
    value: Option<&'a [u8]>,
}

impl<'a> Header<'a> {
    /// A header; `None` is a null value, which is not an empty one.
    #[must_use]
    pub fn new(name: &'a str, value: Option<&'a [u8]>) -> Self {
        Self { name: name.as_bytes(), value }
    }

    /// The name. Bytes that are not UTF-8 read as U+FFFD, as Java reads them.
    #[must_use]
    pub fn name(&self) -> Cow<'a, str> {
        match std::str::from_utf8(self.name) {
            Ok(name) => Cow::Borrowed(name),
            Err(_) => {
                let mut name = String::new();
                decode_utf8(self.name, &mut name);
                Cow::Owned(name)
            }
        }
    }

    /// The name as it was sent.
    #[must_use]
    pub fn name_bytes(&self) -> &'a [u8] {
        self.name
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> Option<&'a [u8]> {
        self.value
    }
}

impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: ", self.name())?;
        match self.value {
            Some(value) => Shown(value).fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// The headers of a record, borrowed: in order, duplicates and null values kept.
///
/// Made of a slice of [`Header`]s, of a [`HeadersBuf`], or lent by a batch that is read.
#[derive(Clone, Copy)]
pub struct Headers<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Listed(&'a [Header<'a>]),
    /// As in a batch: `count` times a varint, the name, a varint, the value. They were written by [`HeadersBuf`] or
    /// checked when the batch was read.
    Encoded {
        count: i32,
        bytes: &'a [u8],
    },
}

impl<'a> Headers<'a> {
    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.0 {
            Source::Listed(headers) => headers.len(),
            Source::Encoded { count, .. } => usize::try_from(count).unwrap_or(0),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The headers in order.
    #[must_use]
    pub fn iter(&self) -> HeadersIter<'a> {
        HeadersIter(match self.0 {
            Source::Listed(headers) => IterSource::Listed(headers.iter()),
            Source::Encoded { count, bytes } => {
                IterSource::Encoded { left: count, cursor: Cursor::new(bytes) }
            }
        })
    }

    /// The value of the last header called `name`, as Java's `lastHeader` finds it.
    #[must_use]
    pub fn last(&self, name: &str) -> Option<Header<'a>> {
        self.iter().filter(|header| header.name == name.as_bytes()).last()
    }

    /// The headers at a place in bytes of unknown origin, checked one by one.
    #[inline]
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Option<Self> {
        let count = cursor.varint()?;
        let bytes = cursor.rest();
        // A header takes two bytes or more, so that a false count ends with the bytes.
        for _ in 0..u32::try_from(count).ok()? {
            read_header(cursor)?;
        }
        let len = bytes.len() - cursor.rest().len();
        Some(Self(Source::Encoded { count, bytes: bytes.get(..len)? }))
    }

    /// The bytes they take in a record, their count left out.
    #[inline]
    pub(super) fn encoded_len(&self) -> usize {
        match self.0 {
            Source::Listed(headers) => headers.iter().map(header_len).sum(),
            Source::Encoded { bytes, .. } => bytes.len(),
        }
    }

    /// Appends [`encoded_len`](Self::encoded_len) bytes.
    #[inline]
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match self.0 {
            Source::Listed(headers) => headers.iter().for_each(|header| put_header(out, header)),
            Source::Encoded { bytes, .. } => out.extend_from_slice(bytes),
        }
    }
}

impl Default for Headers<'_> {
    fn default() -> Self {
        Self(Source::Listed(&[]))
    }
}

impl<'a> From<&'a [Header<'a>]> for Headers<'a> {
    fn from(headers: &'a [Header<'a>]) -> Self {
        Self(Source::Listed(headers))
    }
}

impl<'a, const N: usize> From<&'a [Header<'a>; N]> for Headers<'a> {
    fn from(headers: &'a [Header<'a>; N]) -> Self {
        Self(Source::Listed(headers))
    }
}

impl<'a> From<&'a HeadersBuf> for Headers<'a> {
    fn from(headers: &'a HeadersBuf) -> Self {
        headers.as_headers()
    }
}

impl<'a> IntoIterator for Headers<'a> {
    type Item = Header<'a>;
    type IntoIter = HeadersIter<'a>;

    fn into_iter(self) -> HeadersIter<'a> {
        self.iter()
    }
}

impl PartialEq for Headers<'_> {
    fn eq(&self, other: &Headers<'_>) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Headers<'_> {}

impl fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The headers of a record, one by one.
#[derive(Clone, Debug)]
pub struct HeadersIter<'a>(IterSource<'a>);

#[derive(Clone, Debug)]
enum IterSource<'a> {
    Listed(std::slice::Iter<'a, Header<'a>>),
    Encoded { left: i32, cursor: Cursor<'a> },
}

impl<'a> Iterator for HeadersIter<'a> {
    type Item = Header<'a>;

    fn next(&mut self) -> Option<Header<'a>> {
        match &mut self.0 {
            IterSource::Listed(headers) => headers.next().copied(),
            IterSource::Encoded { left: ..=0, .. } => None,
            IterSource::Encoded { left, cursor } => {
                *left -= 1;
                read_header(cursor)
            }
        }
    }
}

/// Headers that you own, kept in their wire format; [`clear`](Self::clear) keeps the memory.
///
/// ```
/// use upsert_kafka::Record;
/// use upsert_kafka::record::HeadersBuf;
///
/// let mut headers = HeadersBuf::new();
/// headers.push("op", Some(b"c"));
/// headers.push("trace", None);
/// let record = Record::tombstone(b"k").with_headers(&headers);
/// assert_eq!(record.headers.last("op").unwrap().value(), Some(&b"c"[..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeadersBuf {
    count: i32,
    bytes: Vec<u8>,
}

impl HeadersBuf {
    /// No headers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a header after the others; `None` is a null value.
    pub fn push(&mut self, name: &str, value: Option<&[u8]>) {
        put_header(&mut self.bytes, &Header::new(name, value));
        self.count = self.count.saturating_add(1);
    }

    /// Takes all headers out and keeps the memory.
    pub fn clear(&mut self) {
        self.count = 0;
        self.bytes.clear();
    }

    /// Gives back memory that the headers do not need.
    pub(crate) fn give_back(&mut self) {
        self.bytes.give_back();
    }

    /// Makes these headers those of `headers`.
    pub(crate) fn copy_from(&mut self, headers: &Headers<'_>) {
        self.clear();
        headers.encode(&mut self.bytes);
        self.count = i32::try_from(headers.len()).unwrap_or(i32::MAX);
    }

    /// The headers, borrowed.
    #[must_use]
    pub fn as_headers(&self) -> Headers<'_> {
        Headers(Source::Encoded { count: self.count, bytes: &self.bytes })
    }
}

impl PartialEq for HeadersBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_headers() == other.as_headers()
    }
}

impl Eq for HeadersBuf {}

fn header_len(header: &Header<'_>) -> usize {
    let value = header.value.unwrap_or_default();
    varint_len(length(header.name))
        + header.name.len()
        + varint_len(header.value.map_or(-1, length))
        + value.len()
}

fn put_header(out: &mut Vec<u8>, header: &Header<'_>) {
    append_varint(out, length(header.name));
    out.extend_from_slice(header.name);
    append_varint(out, header.value.map_or(-1, length));
    out.extend_from_slice(header.value.unwrap_or_default());
}

fn read_header<'a>(cursor: &mut Cursor<'a>) -> Option<Header<'a>> {
    let name = cursor.nullable_bytes()??;
    let value = cursor.nullable_bytes()?;
    Some(Header { name, value })
}

/// A length on the wire. Of more than 2 GiB it is wrong and unseen: no record holds so much.
fn length(bytes: &[u8]) -> i32 {
    i32::try_from(bytes.len()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_order_duplicates_and_nulls() {
        let listed = [
            Header::new("b", Some(b"1")),
            Header::new("a", None),
            Header::new("", Some(b"")),
            Header::new("b", Some(b"2")),
        ];
        let mut buf = HeadersBuf::new();
        for header in &listed {
            buf.push(&header.name(), header.value());
        }
        assert_eq!(buf.as_headers(), Headers::from(&listed));
        assert_eq!(buf.as_headers().len(), 4);
        assert_eq!(buf.as_headers().encoded_len(), Headers::from(&listed).encoded_len());
        assert_eq!(buf.as_headers().last("b"), Some(listed[3]));
        assert_eq!(format!("{:?}", buf.as_headers()), r#"["b": "1", "a": null, "": "", "b": "2"]"#);
        buf.clear();
        assert!(buf.as_headers().is_empty());
    }
}
