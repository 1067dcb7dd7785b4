use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// What a row of a changelog does to the table.
///
/// Agrees with `org.apache.flink.types.RowKind`, the order of the constants included. There are no others, and there
/// will be none: Flink's states and wire formats depend on these four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
// Exhaustive: Flink's four, which its formats write as one byte.
pub enum RowKind {
    /// `+I`: a row that was not there.
    Insert,
    /// `-U`: the row as it was before an update.
    UpdateBefore,
    /// `+U`: the row as it is after an update.
    UpdateAfter,
    /// `-D`: a row that is gone.
    Delete,
}

impl RowKind {
    /// All four, in Flink's order.
    pub const ALL: [Self; 4] = [Self::Insert, Self::UpdateBefore, Self::UpdateAfter, Self::Delete];

    /// Flink's two characters: `+I`, `-U`, `+U` or `-D`.
    #[must_use]
    pub const fn short_string(self) -> &'static str {
        match self {
            Self::Insert => "+I",
            Self::UpdateBefore => "-U",
            Self::UpdateAfter => "+U",
            Self::Delete => "-D",
        }
    }

    /// Flink's name of the constant: `INSERT`, `UPDATE_BEFORE`, `UPDATE_AFTER` or `DELETE`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::UpdateBefore => "UPDATE_BEFORE",
            Self::UpdateAfter => "UPDATE_AFTER",
            Self::Delete => "DELETE",
        }
    }

    /// Flink's number of the kind, `RowKind.toByteValue()`: 0 for `+I`, 1 for `-U`, 2 for `+U`, 3 for `-D`.
    #[must_use]
    pub const fn as_u8(self) -> u8 {
        self as u8
    }

    /// The kind that has Flink's number `byte`, `RowKind.fromByteValue()`; `None` from 4 on.
    #[must_use]
    pub const fn from_u8(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Insert),
            1 => Some(Self::UpdateBefore),
            2 => Some(Self::UpdateAfter),
            3 => Some(Self::Delete),
            _ => None,
        }
    }

    /// Whether the row takes something away: `-U` or `-D`.
    #[must_use]
    pub const fn is_retraction(self) -> bool {
        match self {
            Self::Insert | Self::UpdateAfter => false,
            Self::UpdateBefore | Self::Delete => true,
        }
    }
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.short_string())
    }
}

impl FromStr for RowKind {
    type Err = Error;

    /// Reads `+I`, `-U`, `+U` or `-D`.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.short_string() == text).ok_or_else(|| {
            Error::new(ErrorKind::Syntax, format!("expected a row kind (+I, -U, +U or -D), found {text:?}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of `RowKind.toByteValue()`.
    #[test]
    fn a_kind_has_flinks_number_and_flinks_two_characters() {
        let kinds = [("+I", 0), ("-U", 1), ("+U", 2), ("-D", 3)];
        for (text, number) in kinds {
            let kind: RowKind = text.parse().unwrap();
            assert_eq!((kind.as_u8(), kind.to_string().as_str()), (number, text));
            assert_eq!(RowKind::from_u8(number), Some(kind));
        }
        assert_eq!(RowKind::from_u8(4), None);
        assert_eq!("+i".parse::<RowKind>().unwrap_err().kind(), ErrorKind::Syntax);
    }
}
