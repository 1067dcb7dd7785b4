use crate::text::room::{ROOM, Room};

/// As many bytes as are moved whatever a label's length.
const SHORT: usize = 24;

/// A text that is known beforehand and written often, such as a label: a few moves if it is short.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The text, if it fits.
    short: [u8; SHORT],
    len: usize,
    /// The text, if it does not.
    long: Box<[u8]>,
}

impl Label {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut label = Self { short: [0; SHORT], len: text.len(), long: Box::default() };
        match label.short.get_mut(..text.len()) {
            Some(short) => short.copy_from_slice(text),
            None => label.long = text.into(),
        }
        label
    }

    /// Writes the text into `out`, from `at` on, and says where it ends, with the room for a short text there; `None` if
    /// there is not room enough for both.
    #[inline(always)]
    pub(crate) fn put_before_room<'o>(&self, out: &'o mut [u8], at: usize) -> Option<(usize, &'o mut Room)> {
        let room = out.get_mut(at..)?;
        let room = if self.len <= SHORT {
            // One look at the room is enough for both.
            let room: &mut [u8; SHORT + ROOM] = room.first_chunk_mut()?;
            *room.first_chunk_mut()? = self.short;
            room.get_mut(self.len..)?.first_chunk_mut()
        } else {
            self.put_long(room)
        };
        Some((at + self.len, room?))
    }

    #[cold]
    fn put_long<'o>(&self, room: &'o mut [u8]) -> Option<&'o mut Room> {
        let end = self.put(room, 0)?;
        room.get_mut(end..)?.first_chunk_mut()
    }

    /// Writes the text into `out`, from `at` on, and says where it ends; `None` if there is not room enough.
    #[inline]
    pub(crate) fn put(&self, out: &mut [u8], at: usize) -> Option<usize> {
        let room = out.get_mut(at..)?;
        if self.long.is_empty() {
            *room.first_chunk_mut()? = self.short;
        } else {
            room.get_mut(..self.len)?.copy_from_slice(&self.long);
        }
        Some(at + self.len)
    }
}
