use std::fmt;

use super::DatumKind;

/// Which types of column a type of Rust fits: what is compared with a table, once, before the first row.
///
/// Shown as in SQL: `ARRAY<BIGINT>`. Nullability is no part of it: a NULL where none may be is an error of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// Any type; what does not fit is an error of its row.
    Any,
    /// A type whose data are of that kind.
    Of(DatumKind),
    /// One of several.
    OneOf(&'static [DatumKind]),
    /// ARRAY of these.
    Array(&'static Self),
    /// MAP from these to those, or MULTISET.
    Map(&'static Self, &'static Self),
    /// ROW with fields of these names, in this order.
    Row(&'static [ColumnShape]),
    /// ROW with so many fields, whatever their names.
    Tuple(&'static [&'static Self]),
}

/// A field of a struct as a column: its name and what it fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnShape {
    /// The column's name.
    pub name: &'static str,
    /// The types that the column may have.
    pub shape: &'static Shape,
}

impl ColumnShape {
    /// A column of that name; of a raw identifier, such as `r#type`, without its `r#`.
    #[must_use]
    pub const fn new(name: &'static str, shape: &'static Shape) -> Self {
        let name = match name.as_bytes() {
            [b'r', b'#', rest @ ..] => match std::str::from_utf8(rest) {
                Ok(rest) => rest,
                Err(_) => name,
            },
            _ => name,
        };
        Self { name, shape }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any type"),
            Self::Of(kind) => kind.fmt(f),
            Self::OneOf(kinds) => list(f, " or ", kinds),
            Self::Array(element) => write!(f, "ARRAY<{element}>"),
            Self::Map(key, value) => write!(f, "MAP<{key}, {value}>"),
            Self::Row(fields) => {
                f.write_str("ROW<")?;
                list(f, ", ", fields)?;
                f.write_str(">")
            }
            Self::Tuple(fields) => {
                f.write_str("ROW<")?;
                list(f, ", ", fields)?;
                f.write_str(">")
            }
        }
    }
}

impl fmt::Display for ColumnShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.shape)
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, between: &str, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { between })?;
        item.fmt(f)?;
    }
    Ok(())
}
