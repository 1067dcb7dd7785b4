use crate::wire::GiveBack;

/// The order in which members came that were not in that of their fields, as a hint: the next document most likely has
/// the same writer.
///
/// It may come from another table's documents: whoever takes the hint looks whether it is true.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemberOrder {
    /// Under the index after that of a field, the field that came after it; under 0 the first one.
    followers: Vec<usize>,
}

impl MemberOrder {
    /// The field to come where the one at `next` would be in order.
    #[inline]
    pub(super) fn likely(&self, next: usize) -> usize {
        self.followers.get(next).copied().unwrap_or(next)
    }

    /// The field at `index` came where the one at `next` would have been in order.
    #[cold]
    pub(super) fn learn(&mut self, next: usize, index: usize) {
        self.followers.extend(self.followers.len()..=next);
        self.followers[next] = index;
    }
}

impl GiveBack for MemberOrder {
    fn give_back(&mut self) {
        self.followers.give_back();
    }
}
