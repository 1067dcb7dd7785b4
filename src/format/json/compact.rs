//! The fast path of the decoders: members of an object read at one go, without tokens.
//!
//! It takes what writers write: strings in UTF-8, numbers without an exponent, nested values with all their fields in
//! order, no blanks but one after a colon or a comma. Whatever else it finds it leaves alone, and the tokens' path reads
//! the member. A property holds the two together: `streaming::tests::compact_members_read_as_tokens_do`.

mod values;

use crate::format::plain_number::{self, PlainNumber};
use crate::row::RowBuf;

use super::lexer::{MAX_NAME_LENGTH, MAX_STRING_LENGTH};
use super::member_order::MemberOrder;
use super::plan::{FieldPlan, Fields};
use super::utf8;

/// The document that is read.
#[derive(Clone, Copy, Debug)]
pub(in crate::format) struct Compact<'a> {
    pub(in crate::format) input: &'a [u8],
    /// All of the input, if it is UTF-8.
    pub(in crate::format) text: Option<&'a str>,
}

/// How much of an object has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// How many members have been read that fields are for.
    pub(super) found: usize,
    /// Which field is likely the next one.
    pub(super) next: usize,
    /// Where the last value ends, if any has been read.
    pub(super) end: Option<usize>,
}

impl Compact<'_> {
    /// Reads the value of `field` into `place`, if its member stands at `start`, and says where it ends: at a comma or a
    /// closing brace.
    ///
    /// `None` leaves the decision to others; what is in `place` then is of no account.
    #[inline(always)]
    fn member(&self, field: &FieldPlan, start: usize, place: usize, row: &mut RowBuf) -> Option<usize> {
        let position = field.label.end(self.input, start)?;
        self.column(&field.converter, position, place, row)
    }

    /// Reads the members from `start` on into the places from `base` on, as far as they go on.
    #[inline(never)]
    pub(super) fn members(
        &self,
        fields: &Fields,
        mut start: usize,
        progress: &mut Progress,
        base: usize,
        row: &mut RowBuf,
        order: Option<&mut MemberOrder>,
    ) {
        let (mut count, mut end_of_last, mut goes_on) = (0, 0, true);
        for field in fields.range(progress.next, fields.len() - progress.found) {
            let Some(end) = self.member(field, start, base + field.position, row) else { break };
            (count, end_of_last) = (count + 1, end);
            goes_on = self.byte(end) == Some(b',');
            if !goes_on {
                break;
            }
            start = end + 1;
        }
        if count > 0 {
            let Progress { found, next, .. } = *progress;
            *progress = Progress { found: found + count, next: next + count, end: Some(end_of_last) };
        }
        if goes_on && progress.found < fields.len() {
            self.any_members(fields, start, progress, base, row, order);
        }
    }

    /// The same of members that are not in order, or have blanks.
    #[inline(never)]
    fn any_members(
        &self,
        fields: &Fields,
        mut start: usize,
        progress: &mut Progress,
        base: usize,
        row: &mut RowBuf,
        mut order: Option<&mut MemberOrder>,
    ) {
        while progress.found < fields.len() {
            let next = progress.next;
            let likely = order.as_ref().map_or(next, |order| order.likely(next));
            let member = self.any_member(fields, [likely, next], start, base, row);
            let Some((index, end)) = member else { return };
            if index != likely
                && let Some(order) = &mut order
            {
                order.learn(next, index);
            }
            *progress = Progress { found: progress.found + 1, next: index + 1, end: Some(end) };
            if self.byte(end) != Some(b',') {
                return;
            }
            start = end + 1;
        }
    }

    /// As [`member`](Self::member), of a member with a blank in front of its name or its value, and of one out of order:
    /// says which field it is, too. `next` is the one that comes next in order, `likely` the one that is tried first.
    #[inline]
    fn any_member(
        &self,
        fields: &Fields,
        [likely, next]: [usize; 2],
        start: usize,
        base: usize,
        row: &mut RowBuf,
    ) -> Option<(usize, usize)> {
        let name = self.after_blank(start);
        let (index, colon) = match self.end_of_label(fields, likely, name) {
            Some(end) => (likely, end),
            None => self.find(fields, next, name)?,
        };
        let field = fields.get(index)?;
        let end = self.column(&field.converter, self.after_blank(colon), base + field.position, row)?;
        Some((index, end))
    }

    /// The field that is named at `start`, and where its colon ends: the next one, the one after a gap, or any.
    #[inline(never)]
    fn find(&self, fields: &Fields, next: usize, start: usize) -> Option<(usize, usize)> {
        for index in [next, next + 1] {
            if let Some(end) = self.end_of_label(fields, index, start) {
                return Some((index, end));
            }
        }
        let (name, colon) = self.name(start)?;
        Some((fields.find(name)?, colon))
    }

    /// Where the colon ends after the name of this field, if it stands at `start`.
    #[inline(always)]
    fn end_of_label(&self, fields: &Fields, index: usize, start: usize) -> Option<usize> {
        fields.get(index).and_then(|field| field.label.end(self.input, start))
    }

    /// Reads the object at `position` into columns and says where it ends, if it has all fields in their order, and no
    /// others.
    pub(in crate::format) fn object(
        &self,
        fields: &Fields,
        position: usize,
        row: &mut RowBuf,
    ) -> Option<usize> {
        let b'{' = self.byte(position)? else { return None };
        let end = self.members_in_order(fields.range(0, fields.len()), position + 1, row)?;
        (self.byte(end)? == b'}').then_some(end + 1)
    }

    /// Reads the object at `position` into columns and says where it ends, whichever fields it has, in any order, and
    /// whatever others. Then `named` says which. `None` of an object that has a field twice, too.
    #[inline(never)]
    pub(in crate::format) fn members_of(
        &self,
        fields: &Fields,
        position: usize,
        row: &mut RowBuf,
        named: &mut Vec<bool>,
    ) -> Option<usize> {
        named.clear();
        named.resize(fields.len(), false);
        let [b'{', first, ..] = *self.input.get(position..)? else { return None };
        if first == b'}' {
            return Some(position + 2);
        }
        let (mut start, mut next) = (position + 1, 0);
        loop {
            let (index, colon) = match self.end_of_label(fields, next, start) {
                Some(end) => (Some(next), end),
                None => self.name(start).map(|(name, colon)| (fields.find(name), colon))?,
            };
            let end = match index.and_then(|index| Some((index, fields.get(index)?))) {
                Some((index, _)) if std::mem::replace(&mut named[index], true) => return None,
                Some((index, field)) => {
                    next = index + 1;
                    self.column(&field.converter, colon, field.position, row)?
                }
                None => self.skip(colon)?,
            };
            match self.byte(end)? {
                b',' => start = end + 1,
                b'}' => return Some(end + 1),
                _ => return None,
            }
        }
    }

    /// Reads the members of these fields, one after the other from `start` on, into columns, and says where the last
    /// value ends.
    #[inline(never)]
    pub(super) fn members_in_order(
        &self,
        fields: &[FieldPlan],
        mut start: usize,
        row: &mut RowBuf,
    ) -> Option<usize> {
        let mut end_of_last = None;
        for field in fields {
            if let Some(end) = end_of_last {
                let b',' = self.byte(end)? else { return None };
                start = end + 1;
            }
            end_of_last = Some(self.member(field, start, field.position, row)?);
        }
        end_of_last
    }

    /// Where the value at `position` ends, which nobody wants, if there is plainly nothing wrong with it.
    pub(in crate::format) fn skip(&self, position: usize) -> Option<usize> {
        /// As many containers inside each other as there are bits.
        const MAX_DEPTH: u32 = u64::BITS;
        let (mut at, mut depth) = (position, 0);
        // For each open container a bit: whether it is an object.
        let mut objects = 0_u64;
        loop {
            at = match self.byte(at)? {
                b'"' => match self.end_of_plain_string(at, MAX_STRING_LENGTH) {
                    Some(end) => end,
                    None => self.end_of_checked_string(at)?,
                },
                open @ (b'{' | b'[') => match (open, self.byte(at + 1)?) {
                    (b'{', b'}') | (b'[', b']') => at + 2,
                    _ if depth == MAX_DEPTH => return None,
                    _ => {
                        objects = objects << 1 | u64::from(open == b'{');
                        depth += 1;
                        at = if open == b'{' { self.name(at + 1)?.1 } else { at + 1 };
                        continue;
                    }
                },
                b't' if self.input[at..].starts_with(b"true") => at + 4,
                b'f' if self.input[at..].starts_with(b"false") => at + 5,
                b'n' if self.input[at..].starts_with(b"null") => at + 4,
                _ => at + self.len_of_number(at)?,
            };
            loop {
                if depth == 0 {
                    return Some(at);
                }
                let byte = self.byte(at)?;
                at += 1;
                match (byte, objects & 1 == 1) {
                    (b',', true) => {
                        at = self.name(at)?.1;
                        break;
                    }
                    (b',', false) => break,
                    (b'}', true) | (b']', false) => (objects, depth) = (objects >> 1, depth - 1),
                    _ => return None,
                }
            }
        }
    }

    /// The name that stands at `start`, if it has no escapes, and where its colon ends.
    #[inline]
    pub(in crate::format) fn name(&self, start: usize) -> Option<(&[u8], usize)> {
        let b'"' = self.byte(start)? else { return None };
        let end = self.end_of_plain_string(start, MAX_NAME_LENGTH)?;
        let b':' = self.byte(end)? else { return None };
        Some((&self.input[start + 1..end - 1], end + 1))
    }

    /// Where the string ends whose quote is at `start`, if it has no escapes.
    #[inline]
    pub(in crate::format) fn end_of_plain_string(&self, start: usize, max_len: usize) -> Option<usize> {
        let end = utf8::next_special(self.input, start + 1);
        (self.byte(end)? == b'"' && end - start - 1 <= max_len).then_some(end + 1)
    }

    /// The same of one that may have escapes, if there is nothing wrong with them.
    #[inline(never)]
    fn end_of_checked_string(&self, start: usize) -> Option<usize> {
        let (end, _) = utf8::end_of_string(self.input, start + 1);
        let raw = self.input.get(start + 1..end)?;
        let is_plain = raw.len() <= MAX_STRING_LENGTH && utf8::check(raw).is_ok();
        (is_plain && self.byte(end)? == b'"').then_some(end + 1)
    }

    /// How long the number is that stands at `start`; nanoseconds of a time have more digits than a plain one.
    #[inline]
    fn len_of_number(&self, start: usize) -> Option<usize> {
        let rest = self.input.get(start..)?;
        PlainNumber::read(rest).map(|number| number.len).or_else(|| plain_number::len_of_number(rest))
    }

    #[inline]
    pub(in crate::format) fn byte(&self, position: usize) -> Option<u8> {
        self.input.get(position).copied()
    }

    #[inline]
    fn after_blank(&self, position: usize) -> usize {
        position + usize::from(self.byte(position) == Some(b' '))
    }
}
