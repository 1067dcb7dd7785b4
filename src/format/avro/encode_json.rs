//! Avro's JSON encoding: the branch of a union is named, bytes are text of Latin-1.
//!
//! Agrees with `org.apache.avro.io.JsonEncoder` and Jackson's `UTF8JsonGenerator`.

use super::encode::{Branches, Emit, FieldWriter};
use crate::text::{self, Jdk};

/// Appends a datum's JSON.
#[derive(Debug)]
pub(super) struct JsonEmit<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) jdk: Jdk,
}

impl JsonEmit<'_> {
    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.push(b',');
        }
    }

    /// A float; what is no number is quoted, and no reader takes it back.
    fn float(&mut self, is_finite: bool, write: impl FnOnce(&mut Vec<u8>)) {
        let quote: &[u8] = if is_finite { b"" } else { b"\"" };
        self.out.extend_from_slice(quote);
        write(self.out);
        self.out.extend_from_slice(quote);
    }
}

impl Emit for JsonEmit<'_> {
    fn begin_record(&mut self) {
        self.out.push(b'{');
    }

    fn field(&mut self, field: &FieldWriter) {
        self.out.extend_from_slice(&field.label);
    }

    fn end_record(&mut self) {
        self.out.push(b'}');
    }

    fn null(&mut self, _branches: &Branches) {
        self.out.extend_from_slice(b"null");
    }

    fn begin_branch(&mut self, branches: &Branches) {
        self.out.extend_from_slice(&branches.label);
    }

    fn end_branch(&mut self) {
        self.out.push(b'}');
    }

    fn boolean(&mut self, value: bool) {
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    fn int(&mut self, value: i32) {
        text::append(self.out, |room| text::put_integer(room, value.into()));
    }

    fn long(&mut self, value: i64) {
        text::append(self.out, |room| text::put_integer(room, value));
    }

    fn float(&mut self, value: f32) {
        let jdk = self.jdk;
        self.float(value.is_finite(), |out| text::append(out, |room| text::put_f32(room, value, jdk)));
    }

    fn double(&mut self, value: f64) {
        let jdk = self.jdk;
        self.float(value.is_finite(), |out| text::append(out, |room| text::put_f64(room, value, jdk)));
    }

    fn string(&mut self, value: &str) {
        self.out.push(b'"');
        text::write_escaped(self.out, value);
        self.out.push(b'"');
    }

    fn bytes(&mut self, value: &[u8]) {
        self.out.push(b'"');
        for byte in value {
            text::write_escaped(self.out, char::from(*byte).encode_utf8(&mut [0; 4]));
        }
        self.out.push(b'"');
    }

    fn symbol(&mut self, _index: i32, symbol: &str) {
        self.string(symbol);
    }

    fn begin_array(&mut self, _len: usize) {
        self.out.push(b'[');
    }

    fn item(&mut self, index: usize) {
        self.separate(index);
    }

    fn end_array(&mut self) {
        self.out.push(b']');
    }

    fn begin_map(&mut self, _len: usize) {
        self.out.push(b'{');
    }

    fn key(&mut self, index: usize, key: &str) {
        self.separate(index);
        self.string(key);
        self.out.push(b':');
    }

    fn end_map(&mut self) {
        self.out.push(b'}');
    }
}
