//! The columns of a table as serde's types meet them.

use crate::error::{Error, ErrorKind};
use crate::types::{DataType, Field, LogicalType};

/// The columns of a table or of a nested row.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) fields: Box<[(Box<str>, Type)]>,
    /// The fields of the struct that was written last, in its order, each with its column.
    pub(super) order: Vec<(&'static str, usize)>,
}

/// A type, as far as it matters to serde.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    Decimal,
    String,
    Bytes,
    Date,
    Time,
    Timestamp,
    TimestampLtz,
    Array(Box<Self>),
    Map(Box<(Self, Self)>),
    Row(Fields),
    /// A type without values.
    None,
}

impl Fields {
    pub(super) fn new(fields: &[Field]) -> Self {
        let fields = fields.iter().map(|field| (field.name.as_str().into(), Type::new(&field.data_type)));
        Self { fields: fields.collect(), order: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    pub(super) fn name(&self, column: usize) -> &str {
        &self.fields[column].0
    }

    /// The column of that name, which is probably `guess`.
    pub(super) fn find(&self, name: &str, guess: usize) -> Result<usize, Error> {
        if self.fields.get(guess).is_some_and(|(field, _)| **field == *name) {
            return Ok(guess);
        }
        let found = self.fields.iter().position(|(field, _)| **field == *name);
        found.ok_or_else(|| refuse("the table has no such column").in_column(name))
    }

    /// The column of the field `name`, which is field number `index` of its struct.
    #[inline]
    pub(super) fn column(&mut self, name: &'static str, index: usize) -> Result<usize, Error> {
        match self.order.get(index) {
            // The name of a field is at one address, in nearly every program.
            Some((known, column)) if std::ptr::eq(*known, name) => Ok(*column),
            _ => self.learn(name, index),
        }
    }

    #[cold]
    fn learn(&mut self, name: &'static str, index: usize) -> Result<usize, Error> {
        let column = self.find(name, index)?;
        self.order.truncate(index);
        if self.order.iter().any(|(_, known)| *known == column) {
            return Err(refuse("two fields have this name").in_column(name));
        }
        self.order.push((name, column));
        Ok(column)
    }

    /// Refuses a struct of `count` fields that lacks columns.
    #[inline]
    pub(super) fn check_all(&self, count: usize) -> Result<(), Error> {
        if count == self.fields.len() { Ok(()) } else { Err(self.lacking(count)) }
    }

    #[cold]
    fn lacking(&self, count: usize) -> Error {
        let is_there = |column: &usize| self.order.iter().take(count).any(|(_, known)| known == column);
        let lacking = (0..self.fields.len()).find(|column| !is_there(column));
        let error = refuse("there is no field for this column");
        lacking
            .map(|column| self.name(column).to_owned())
            .map_or(error, |name| refuse("the struct has no field for this column").in_column(&name))
    }
}

impl Type {
    fn new(data_type: &DataType) -> Self {
        match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Self::String,
            LogicalType::Boolean => Self::Boolean,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Self::Bytes,
            LogicalType::Decimal { .. } => Self::Decimal,
            LogicalType::TinyInt => Self::TinyInt,
            LogicalType::SmallInt => Self::SmallInt,
            LogicalType::Int | LogicalType::YearMonthInterval(_) => Self::Int,
            LogicalType::BigInt | LogicalType::DayTimeInterval(_) => Self::BigInt,
            LogicalType::Float => Self::Float,
            LogicalType::Double => Self::Double,
            LogicalType::Date => Self::Date,
            LogicalType::Time(_) => Self::Time,
            LogicalType::Timestamp(_) => Self::Timestamp,
            LogicalType::TimestampLtz(_) => Self::TimestampLtz,
            LogicalType::Array(element) => Self::Array(Box::new(Self::new(element))),
            LogicalType::Map(key, value) => Self::Map(Box::new((Self::new(key), Self::new(value)))),
            LogicalType::Multiset(element) => Self::Map(Box::new((Self::new(element), Self::Int))),
            LogicalType::Row(row) => Self::Row(Fields::new(row.fields())),
            LogicalType::TimestampTz(_) | LogicalType::Null | LogicalType::Variant | LogicalType::Bitmap => {
                Self::None
            }
        }
    }

    /// Its name in SQL.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::Decimal => "DECIMAL",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Date => "DATE",
            Self::Time => "TIME",
            Self::Timestamp => "TIMESTAMP",
            Self::TimestampLtz => "TIMESTAMP_LTZ",
            Self::Array(_) => "ARRAY",
            Self::Map(_) => "MAP",
            Self::Row(_) => "ROW",
            Self::None => "a type without values",
        }
    }
}

#[cold]
pub(super) fn refuse(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Row, message.into())
}
