use super::Clauses;
use crate::error::Error;
use crate::table::options::TableOptions;
use crate::table::schema::Column;

/// What was read, before Flink would look at what it means.
#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) path: Vec<String>,
    pub(super) columns: Vec<Column>,
    /// Those of columns.
    pub(super) column_constraints: Vec<Constraint>,
    /// Those beside the columns.
    pub(super) table_constraints: Vec<Constraint>,
    pub(super) watermark: Option<RowtimeWatermark>,
    pub(super) clauses: Clauses,
    pub(super) options: TableOptions,
    /// The table of a LIKE.
    pub(super) like: Option<(Vec<String>, usize)>,
    /// What a type is refused for.
    pub(super) refused: Option<Error>,
}

/// `[CONSTRAINT name] PRIMARY KEY | UNIQUE (columns) [[NOT] ENFORCED]`.
#[derive(Debug)]
pub(super) struct Constraint {
    pub(super) offset: usize,
    pub(super) name: Option<String>,
    pub(super) is_primary_key: bool,
    pub(super) columns: Vec<Name>,
    pub(super) is_enforced: bool,
}

/// `WATERMARK FOR column[.field...] AS expression`.
#[derive(Debug)]
pub(super) struct RowtimeWatermark {
    pub(super) path: Vec<Name>,
    pub(super) expression: String,
}

/// A name and where it is.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) offset: usize,
}
