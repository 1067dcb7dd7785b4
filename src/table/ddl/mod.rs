//! `CREATE TABLE` statements: read as Flink's SQL parser and catalog read them, and printed as its
//! `SHOW CREATE TABLE` prints them.
//!
//! Expressions (of computed columns and watermarks) are kept as text. Agrees with `FlinkSqlParserImpl`,
//! `SqlConstraintValidator`, `SqlCreateTableConverter` and `ShowCreateUtil`.

mod parse;
mod print;
mod resolve;
mod statement;

pub(super) use self::parse::parse_create_table;

use crate::error::{Error, ErrorKind};

use super::options::TableOptions;
use super::schema::TableSchema;

/// What a `CREATE TABLE` says of its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CreateTable {
    /// One to three names: the table's own, in front of it its database, in front of that its catalog.
    pub(super) path: Vec<String>,
    pub(super) schema: TableSchema,
    pub(super) clauses: Clauses,
    pub(super) options: TableOptions,
}

/// The clauses of a `CREATE TABLE` between the columns and the options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clauses {
    /// `COMMENT '...'`.
    pub(super) comment: Option<String>,
    /// `DISTRIBUTED ...`.
    pub(super) distribution: Option<Distribution>,
    /// `PARTITIONED BY (...)`.
    pub(super) partition_keys: Vec<String>,
}

/// `[BY [kind] (keys)] [INTO buckets BUCKETS]`, one of both at least.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Distribution {
    /// `HASH` or `RANGE`.
    pub(super) kind: Option<&'static str>,
    pub(super) keys: Vec<String>,
    pub(super) buckets: Option<i32>,
}

impl Clauses {
    /// Refuses what neither connector can write. Agrees with `DynamicSinkUtils`.
    pub(super) fn check_sink(&self, table: &str) -> Result<(), Error> {
        let (what, interface) = if !self.partition_keys.is_empty() {
            ("is a partitioned table", "SupportsPartitioning")
        } else if self.distribution.is_some() {
            ("is distributed into buckets", "SupportsBucketing")
        } else {
            return Ok(());
        };
        let message = format!(
            "Table '{table}' {what}, but the underlying DynamicTableSink doesn't implement the {interface} interface."
        );
        Err(Error::new(ErrorKind::Table, message))
    }
}

#[cfg(test)]
mod tests;
