//! The value of a member, or one inside another.

use crate::format::map_slot;
use crate::format::plain_number::{self, PlainNumber};
use crate::format::scalar::Scalar;
use crate::row::{RowBuf, Slot};
use crate::text;

use super::super::lexer::{MAX_NAME_LENGTH, MAX_STRING_LENGTH};
use super::super::plan::{Fields, ValueReader};
use super::super::utf8;
use super::Compact;

impl Compact<'_> {
    /// Reads the value at `position`, and says where it ends: at a comma or a closing brace.
    #[inline(always)]
    pub(super) fn column(
        &self,
        converter: &ValueReader,
        position: usize,
        place: usize,
        row: &mut RowBuf,
    ) -> Option<usize> {
        let end = match converter {
            ValueReader::Scalar(scalar) => match self.scalar(*scalar, position, place, row) {
                Some(end) => end,
                None => self.quoted(*scalar, position, place, row)?,
            },
            nested => self.nested(nested, position, place, row)?,
        };
        matches!(self.byte(end), Some(b',' | b'}')).then_some(end)
    }

    /// Reads the value inside another that stands at `position`, and says where it ends.
    #[inline]
    fn inner(
        &self,
        converter: &ValueReader,
        position: usize,
        place: usize,
        row: &mut RowBuf,
    ) -> Option<usize> {
        match converter {
            ValueReader::Scalar(scalar) => self.inner_scalar(*scalar, position, place, row),
            nested => self.nested(nested, position, place, row),
        }
    }

    /// The number or truth value at `position` that stands in quotes, as Canal writes all values.
    #[inline(never)]
    fn quoted(&self, scalar: Scalar, position: usize, place: usize, row: &mut RowBuf) -> Option<usize> {
        let [b'"', b'-' | b'0'..=b'9' | b't' | b'f', ..] = *self.input.get(position..)? else { return None };
        let is_bare = matches!(
            scalar,
            Scalar::Boolean
                | Scalar::TinyInt
                | Scalar::SmallInt
                | Scalar::Int
                | Scalar::BigInt
                | Scalar::Double
                | Scalar::Decimal { .. }
        );
        let end = if is_bare { self.scalar(scalar, position + 1, place, row)? } else { return None };
        (self.byte(end)? == b'"').then_some(end + 1)
    }

    #[inline(never)]
    fn inner_scalar(&self, scalar: Scalar, position: usize, place: usize, row: &mut RowBuf) -> Option<usize> {
        self.scalar(scalar, position, place, row)
    }

    #[inline(never)]
    fn nested(
        &self,
        converter: &ValueReader,
        position: usize,
        place: usize,
        row: &mut RowBuf,
    ) -> Option<usize> {
        if self.input.get(position..)?.starts_with(b"null") {
            row.store(place, Slot::Null);
            return Some(position + 4);
        }
        let mark = row.begin();
        let end = match converter {
            ValueReader::Array(element) => self.array(element, position, row),
            ValueReader::Map(value) => self.map(value, position, row),
            ValueReader::Row(fields) => self.row(fields, position, row),
            ValueReader::Scalar(_) => None,
        };
        if end.is_none() {
            row.rewind(mark);
            return None;
        }
        let slot = match converter {
            ValueReader::Array(_) => row.array_slot(mark),
            ValueReader::Map(_) => map_slot(row, mark),
            ValueReader::Row(_) | ValueReader::Scalar(_) => row.row_slot(mark),
        };
        row.store(place, slot);
        end
    }

    fn array(&self, element: &ValueReader, position: usize, row: &mut RowBuf) -> Option<usize> {
        let [b'[', first, ..] = *self.input.get(position..)? else { return None };
        if first == b']' {
            return Some(position + 2);
        }
        let mut start = position + 1;
        loop {
            let place = row.begin();
            row.push_item(Slot::Null).ok()?;
            let end = self.inner(element, start, place, row)?;
            match self.byte(end)? {
                b',' => start = end + 1,
                b']' => return Some(end + 1),
                _ => return None,
            }
        }
    }

    fn map(&self, value: &ValueReader, position: usize, row: &mut RowBuf) -> Option<usize> {
        let [b'{', first, ..] = *self.input.get(position..)? else { return None };
        if first == b'}' {
            return Some(position + 2);
        }
        let mut start = position + 1;
        loop {
            let place = row.begin();
            let (name, end) = self.string(start, MAX_NAME_LENGTH, row)?;
            let b':' = self.byte(end)? else { return None };
            row.push_item(name).ok()?;
            row.push_item(Slot::Null).ok()?;
            let end = self.inner(value, end + 1, place + 1, row)?;
            match self.byte(end)? {
                b',' => start = end + 1,
                b'}' => return Some(end + 1),
                _ => return None,
            }
        }
    }

    /// All fields in their order, and no others.
    fn row(&self, fields: &Fields, position: usize, row: &mut RowBuf) -> Option<usize> {
        let b'{' = self.byte(position)? else { return None };
        let mark = row.begin();
        row.push_nulls(fields.len());
        let mut start = position + 1;
        for (index, field) in fields.iter().enumerate() {
            let value = field.label.end(self.input, start)?;
            let end = self.inner(&field.converter, value, mark + field.position, row)?;
            let is_last = index + 1 == fields.len();
            match self.byte(end)? {
                b',' if !is_last => start = end + 1,
                b'}' if is_last => return Some(end + 1),
                _ => return None,
            }
        }
        None
    }

    /// Each type stores its own value: one store for all would take all of them through memory.
    #[inline(always)]
    pub(in crate::format) fn scalar(
        &self,
        scalar: Scalar,
        position: usize,
        place: usize,
        row: &mut RowBuf,
    ) -> Option<usize> {
        let rest = self.input.get(position..)?;
        let len = match scalar {
            _ if rest.starts_with(b"null") => {
                row.store(place, Slot::Null);
                4
            }
            Scalar::Boolean => match rest {
                [b't', b'r', b'u', b'e', ..] => {
                    row.store(place, Slot::Boolean(true));
                    4
                }
                [b'f', b'a', b'l', b's', b'e', ..] => {
                    row.store(place, Slot::Boolean(false));
                    5
                }
                _ => return None,
            },
            Scalar::TinyInt | Scalar::SmallInt | Scalar::Int | Scalar::BigInt => {
                plain_number::store_integer(scalar, rest, place, row)?
            }
            Scalar::Double => {
                let plain = PlainNumber::read(rest).and_then(|number| Some((number.double()?, number.len)));
                let Some((double, len)) = plain else { return self.long_double(position, place, row) };
                row.store(place, Slot::Double(double));
                len
            }
            Scalar::Decimal { precision, scale } => {
                let number = PlainNumber::read(rest)?;
                row.store(place, Slot::Decimal(number.decimal(precision, scale)?));
                number.len
            }
            Scalar::String => {
                let (slot, end) = self.string(position, MAX_STRING_LENGTH, row)?;
                row.store(place, slot);
                return Some(end);
            }
            Scalar::Bytes
            | Scalar::Date
            | Scalar::SqlDate
            | Scalar::Time
            | Scalar::TimeInSeconds
            | Scalar::LocalTime { .. }
            | Scalar::Timestamp
            | Scalar::TimestampLtz
            | Scalar::IsoTimestamp
            | Scalar::IsoTimestampLtz => {
                let b'"' = rest.first()? else { return None };
                let end = utf8::next_special(self.input, position + 1);
                let b'"' = self.byte(end)? else { return None };
                let text =
                    self.text?.get(position + 1..end).filter(|text| text.len() <= MAX_STRING_LENGTH)?;
                let slot = scalar.parse(text, row)?;
                row.store(place, slot);
                text.len() + 2
            }
            Scalar::Float => return None,
        };
        Some(position + len)
    }

    /// The double at `position` that has too many digits for a [`PlainNumber`].
    #[inline(never)]
    fn long_double(&self, position: usize, place: usize, row: &mut RowBuf) -> Option<usize> {
        let end = position + plain_number::len_of_number(self.input.get(position..)?)?;
        // Not all readers see the sign of a zero.
        let double = text::parse_f64(self.text?.get(position..end)?).filter(|double| *double != 0.0)?;
        row.store(place, Slot::Double(double));
        Some(end)
    }

    /// The string or name whose quote is at `position`, of at most so many bytes.
    #[inline(always)]
    fn string(&self, position: usize, max_len: usize, row: &mut RowBuf) -> Option<(Slot, usize)> {
        let b'"' = self.byte(position)? else { return None };
        let end = utf8::next_special(self.input, position + 1);
        let run = self.text?.get(position + 1..end)?;
        if self.byte(end)? != b'"' {
            return self.escaped_string(position + 1, end, max_len, row);
        }
        (run.len() <= max_len).then(|| (row.str_slot(run), end + 1))
    }

    #[inline(never)]
    fn escaped_string(
        &self,
        start: usize,
        end_of_run: usize,
        max_len: usize,
        row: &mut RowBuf,
    ) -> Option<(Slot, usize)> {
        let text = self.text?;
        let mut end = 0;
        let slot = row.try_str_slot_with(|out| {
            end = utf8::read_string(text, start, end_of_run, out)?;
            (end - start <= max_len).then_some(())
        })?;
        Some((slot, end + 1))
    }
}
