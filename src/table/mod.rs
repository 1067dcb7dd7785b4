//! Tables: their columns, options and what follows from both.

mod schema;

pub use self::schema::{Column, ColumnKind, PrimaryKey, TableSchema, TableSchemaBuilder, Watermark};
