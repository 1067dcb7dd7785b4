use std::fmt;

use crate::row::RowKind;

/// The kinds of row that a table takes or gives.
///
/// Agrees with `org.apache.flink.table.connector.ChangelogMode`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangelogMode {
    /// A bit for each kind, in Flink's order.
    kinds: u8,
}

impl ChangelogMode {
    /// `+I` alone.
    pub const INSERT_ONLY: Self = Self::of(&[RowKind::Insert]);
    /// `+I`, `+U` and `-D`: what an upsert sink asks for.
    pub const UPSERT: Self = Self::of(&[RowKind::Insert, RowKind::UpdateAfter, RowKind::Delete]);
    /// `+U` and `-D`: what an upsert source announces.
    pub const UPSERT_SOURCE: Self = Self::of(&[RowKind::UpdateAfter, RowKind::Delete]);
    /// All four kinds.
    pub const ALL: Self = Self::of(&RowKind::ALL);

    /// The mode of these kinds.
    #[must_use]
    pub const fn of(kinds: &[RowKind]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u8;
            index += 1;
        }
        Self { kinds: bits }
    }

    /// Whether rows of that kind occur.
    #[must_use]
    pub const fn contains(self, kind: RowKind) -> bool {
        self.kinds & 1 << kind as u8 != 0
    }

    /// The kinds in Flink's order.
    pub fn kinds(self) -> impl Iterator<Item = RowKind> {
        RowKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<RowKind> for ChangelogMode {
    fn from_iter<I: IntoIterator<Item = RowKind>>(kinds: I) -> Self {
        Self { kinds: kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind as u8) }
    }
}

impl fmt::Display for ChangelogMode {
    /// Writes `[INSERT, UPDATE_AFTER, DELETE]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.kinds().map(RowKind::name).collect();
        write!(f, "[{}]", names.join(", "))
    }
}

impl fmt::Debug for ChangelogMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChangelogMode{self}")
    }
}
