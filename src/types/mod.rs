//! Flink's SQL types: [`LogicalType`], [`DataType`], [`Field`] and [`RowType`], read from and printed as SQL text.
//!
//! Agrees with `org.apache.flink.table.types.logical.LogicalType`, its `asSerializableString()` and
//! `LogicalTypeParser`; inside a `CREATE TABLE` with the types of Flink's SQL parser.

mod check;
mod foreign;
mod interval;
mod keywords;
mod lexer;
mod literal;
mod logical_type;
mod parse;
mod print;
mod syntax_error;
mod token;

pub(crate) use self::check::duplicates;
pub(crate) use self::foreign::foreign_clause;
pub use self::interval::{DayTimeInterval, YearMonthInterval};
pub(crate) use self::keywords::Dialect;
pub(crate) use self::lexer::Tokens;
pub use self::logical_type::{DataType, Field, LogicalType, RowType};
pub(crate) use self::parse::parse_data_type;
pub(crate) use self::print::{identifier, string_literal};
pub(crate) use self::token::TokenKind;

#[cfg(test)]
mod tests;
