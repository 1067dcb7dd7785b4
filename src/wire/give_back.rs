/// Whether a buffer holds so much more than was in use that its memory is better given back: what one record needed is
/// not kept for the small ones that follow.
#[inline]
pub(crate) fn is_to_be_given_back(held: usize, used: usize) -> bool {
    held > 1 << 20 && held / 8 > used
}

/// A buffer that is used again and again, and grows to the largest use.
pub(crate) trait GiveBack {
    /// Gives its memory back, where that is more than a MiB and eight times what is in use.
    fn give_back(&mut self);
}

impl<T> GiveBack for Vec<T> {
    fn give_back(&mut self) {
        if is_to_be_given_back(self.capacity() * size_of::<T>(), self.len() * size_of::<T>()) {
            *self = Self::new();
        }
    }
}

impl GiveBack for String {
    fn give_back(&mut self) {
        if is_to_be_given_back(self.capacity(), self.len()) {
            *self = Self::new();
        }
    }
}

/// Says once in eight times that it is time to look what buffers hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rarely(u8);

impl Rarely {
    #[inline]
    pub(crate) fn is_due(&mut self) -> bool {
        self.0 = self.0.wrapping_add(1);
        self.0.is_multiple_of(8)
    }
}
