//! Avro's binary encoding.
//!
//! Agrees with `org.apache.avro.io.BinaryEncoder`.

use super::encode::{Branches, Emit, FieldWriter};
use crate::wire::{put_varint, put_varlong};

/// Appends a datum's bytes.
#[derive(Debug)]
pub(super) struct BinaryEmit<'a> {
    pub(super) out: &'a mut Vec<u8>,
}

impl BinaryEmit<'_> {
    /// Bytes or text behind their length, which is that of something in memory and no more than 63 bits.
    fn counted(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.out.extend_from_slice(bytes);
    }

    fn count(&mut self, count: usize) {
        put_varlong(self.out, i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// All items are one block; there is none where there are none.
    fn block(&mut self, len: usize) {
        if len > 0 {
            self.count(len);
        }
    }
}

impl Emit for BinaryEmit<'_> {
    fn begin_record(&mut self) {}

    fn field(&mut self, _field: &FieldWriter) {}

    fn end_record(&mut self) {}

    fn null(&mut self, branches: &Branches) {
        self.out.push(branches.null);
    }

    fn begin_branch(&mut self, branches: &Branches) {
        self.out.push(branches.value);
    }

    fn end_branch(&mut self) {}

    fn boolean(&mut self, value: bool) {
        self.out.push(value.into());
    }

    fn int(&mut self, value: i32) {
        put_varint(self.out, value);
    }

    fn long(&mut self, value: i64) {
        put_varlong(self.out, value);
    }

    fn float(&mut self, value: f32) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    fn double(&mut self, value: f64) {
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    fn string(&mut self, value: &str) {
        self.counted(value.as_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.counted(value);
    }

    fn symbol(&mut self, index: i32, _symbol: &str) {
        put_varint(self.out, index);
    }

    fn begin_array(&mut self, len: usize) {
        self.block(len);
    }

    fn item(&mut self, _index: usize) {}

    fn end_array(&mut self) {
        self.out.push(0);
    }

    fn begin_map(&mut self, len: usize) {
        self.block(len);
    }

    fn key(&mut self, _index: usize, key: &str) {
        self.string(key);
    }

    fn end_map(&mut self) {
        self.out.push(0);
    }
}
