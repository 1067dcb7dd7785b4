//! Flink's SQL types: [`LogicalType`], [`DataType`], [`Field`] and [`RowType`], read from and printed as SQL text.
//!
//! Agrees with `org.apache.flink.table.types.logical.LogicalType`, its `asSerializableString()` and
//! `LogicalTypeParser`; inside a `CREATE TABLE` with the types of Flink's SQL parser.

mod check;
mod interval;
mod keywords;
mod lexer;
mod literal;
mod logical_type;
mod parse;
mod print;
mod row_type;
mod syntax_error;

pub(crate) use self::check::duplicates;
pub use self::interval::{DayTimeInterval, YearMonthInterval};
pub(crate) use self::lexer::{Dialect, TokenKind, Tokens};
pub use self::logical_type::{DataType, LogicalType};
pub(crate) use self::parse::parse_data_type;
pub(crate) use self::print::{identifier, string_literal};
pub use self::row_type::{Field, RowType};

#[cfg(test)]
mod tests;
