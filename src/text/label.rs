/// A text that is known beforehand and written often, such as a label: a few moves if it is short.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// The text, if it fits.
    short: [u8; 24],
    len: usize,
    /// The text, if it does not.
    long: Box<[u8]>,
}

impl Label {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut label = Self { short: [0; 24], len: text.len(), long: Box::default() };
        match label.short.get_mut(..text.len()) {
            Some(short) => short.copy_from_slice(text),
            None => label.long = text.into(),
        }
        label
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
