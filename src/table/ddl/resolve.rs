use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::statement::{Constraint, Name, RowtimeWatermark, Statement};
use super::{CreateTable, Distribution};
use crate::error::{Error, ErrorKind};
use crate::table::path::whole_path;
use crate::table::schema::{Column, ColumnKind, TableSchema};
use crate::types::{DataType, LogicalType, Tokens, identifier};

/// Makes a table of what was read, or refuses it, in Flink's order and words.
pub(super) fn resolve(statement: Statement, tokens: &Tokens<'_>) -> Result<CreateTable, Error> {
    let Statement { path, mut columns, column_constraints, table_constraints, watermark, .. } = statement;
    let Statement { clauses, options, like, refused, .. } = statement;
    let constraints: Vec<Constraint> = column_constraints.into_iter().chain(table_constraints).collect();
    check_constraints(&constraints)?;
    if let Some((source, offset)) = like.filter(|(source, _)| source.len() <= 3) {
        return Err(no_source_of_like(&source, &tokens.place(offset)).with_offset(offset));
    }
    if let Some(refused) = refused {
        return Err(refused);
    }
    // What passes is one primary key or nothing.
    let primary_key = constraints.into_iter().next();
    if let Some(key) = &primary_key {
        let names: HashSet<&str> = key.columns.iter().map(|name| &*name.text).collect();
        columns.iter_mut().filter(|column| names.contains(column.name())).for_each(Column::make_not_null);
    }
    let by_name = check_names(&columns)?;
    if let Some(watermark) = &watermark {
        check_rowtime(watermark, &columns, &by_name, tokens)?;
    }
    if let Some(key) = &primary_key {
        check_primary_key(key, &by_name, tokens)?;
    }
    check_partition_keys(&clauses.partition_keys, &columns, &by_name)?;

    let mut builder =
        columns.into_iter().fold(TableSchema::builder(), |builder, column| builder.push(column));
    if let Some(RowtimeWatermark { path, expression }) = watermark {
        builder = builder.watermark(join(&path), expression);
    }
    if let Some(Constraint { name, columns, .. }) = primary_key {
        let columns = columns.into_iter().map(|name| name.text);
        builder = match name {
            Some(name) => builder.primary_key_named(name, columns),
            None => builder.primary_key(columns),
        };
    }
    let schema = builder.build()?;
    if let Some(distribution) = &clauses.distribution {
        check_distribution(distribution, schema.columns())?;
    }
    Ok(CreateTable { path, schema, clauses, options })
}

/// There is no catalog with other tables: Flink's refusal where it has none. Agrees with `SqlCreateTableConverter`.
#[cold]
fn no_source_of_like(path: &[String], place: &str) -> Error {
    let path: Vec<String> = whole_path(path).map(|name| identifier(name).to_string()).collect();
    let path = path.join(".");
    refused(format!("Source table '{path}' of the LIKE clause not found in the catalog, at {place}"))
        .with_help(
            "CREATE TABLE ... LIKE is not supported: write what the other table has into the statement",
        )
}

/// Only a single primary key that nobody enforces passes. Agrees with `SqlConstraintValidator`.
fn check_constraints(constraints: &[Constraint]) -> Result<(), Error> {
    if constraints.iter().filter(|constraint| constraint.is_primary_key).count() > 1 {
        return Err(refused("Duplicate primary key definition").with_offset(constraints[1].offset));
    }
    for constraint in constraints {
        if !constraint.is_primary_key {
            return Err(refused("UNIQUE constraint is not supported yet").with_offset(constraint.offset));
        }
        if constraint.is_enforced {
            let message = "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED \
                           controls if the constraint checks are performed on the incoming/outgoing data. Flink \
                           does not own the data therefore the only supported mode is the NOT ENFORCED mode";
            return Err(refused(message).with_offset(constraint.offset));
        }
    }
    Ok(())
}

/// Refuses two columns of one name. Agrees with `MergeTableLikeUtil`, which looks at the physical ones first.
fn check_names(columns: &[Column]) -> Result<HashMap<&str, &Column>, Error> {
    let mut by_name: HashMap<&str, &Column> = HashMap::with_capacity(columns.len());
    for column in columns.iter().filter(|column| column.is_physical()) {
        if by_name.insert(column.name(), column).is_some() {
            let name = column.name();
            return Err(refused(format!("A regular Column named '{name}' already exists in the table.")));
        }
    }
    for column in columns.iter().filter(|column| !column.is_physical()) {
        if let Some(other) = by_name.insert(column.name(), column) {
            return Err(refused(name_clash(column, other)));
        }
    }
    Ok(by_name)
}

/// Flink speaks of a base table although there is none.
fn name_clash(column: &Column, other: &Column) -> String {
    let name = column.name();
    let (of_kind, kinds, kind, option) = match column.kind() {
        ColumnKind::Computed { .. } => ("compute", "Computed", "generated", "GENERATED"),
        ColumnKind::Metadata { .. } | ColumnKind::Physical(_) => {
            ("metadata", "Metadata", "metadata", "METADATA")
        }
    };
    if other.is_physical() {
        format!(
            "A column named '{name}' already exists in the table. \
             Duplicate columns exist in the {of_kind} column and regular column. "
        )
    } else if std::mem::discriminant(column.kind()) != std::mem::discriminant(other.kind()) {
        format!(
            "A column named '{name}' already exists in the base table. \
             {kinds} columns can only overwrite other {} columns.",
            kinds.to_ascii_lowercase()
        )
    } else {
        format!(
            "A {kind} column named '{name}' already exists in the base table. \
             You might want to specify EXCLUDING {option} or OVERWRITING {option}."
        )
    }
}

/// A watermark is on a column, or so Flink's first look allows, on a field inside one.
fn check_rowtime(
    watermark: &RowtimeWatermark,
    columns: &[Column],
    by_name: &HashMap<&str, &Column>,
    tokens: &Tokens<'_>,
) -> Result<(), Error> {
    let refuse = |at: &Name, why: String| {
        let (attribute, place) = (join(&watermark.path), tokens.place(at.offset));
        let message = format!(
            "The rowtime attribute field '{attribute}' is not defined in the table schema, at {place}\n{why}"
        );
        Err(refused(message).with_offset(at.offset))
    };
    let Some((first, fields)) = watermark.path.split_first() else { return Ok(()) };
    let Some(column) = by_name.get(&*first.text) else {
        return refuse(first, format!("Available fields: [{}]", quoted_by_kind(columns)));
    };
    // The type of a computed column is not known.
    let Some(whole) = column.data_type() else { return Ok(()) };
    let mut inner: Option<&DataType> = Some(whole);
    for field in fields {
        inner = match inner.map(|data_type| &data_type.logical_type) {
            Some(LogicalType::Row(row)) => {
                row.fields().iter().find(|found| found.name == field.text).map(|found| &found.data_type)
            }
            _ => None,
        };
        if inner.is_none() {
            let name = &field.text;
            return refuse(
                field,
                format!("Nested field '{name}' was not found in a composite type: {whole:#}."),
            );
        }
    }
    Ok(())
}

/// Agrees with `SchemaBuilderUtil.setPrimaryKey`.
fn check_primary_key(
    key: &Constraint,
    by_name: &HashMap<&str, &Column>,
    tokens: &Tokens<'_>,
) -> Result<(), Error> {
    let is_physical = |name: &Name| by_name.get(&*name.text).map(|column| column.is_physical());
    let Some(Name { text, offset }) = key.columns.iter().find(|name| is_physical(name) != Some(true)) else {
        return Ok(());
    };
    let place = tokens.place(*offset);
    let message = if by_name.contains_key(&**text) {
        format!(
            "Could not create a PRIMARY KEY with column '{text}' at {place}.\n\
             A PRIMARY KEY constraint must be declared on physical columns."
        )
    } else {
        format!("Primary key column '{text}' is not defined in the schema at {place}")
    };
    Err(refused(message).with_offset(*offset))
}

fn check_partition_keys(
    keys: &[String],
    columns: &[Column],
    by_name: &HashMap<&str, &Column>,
) -> Result<(), Error> {
    match keys.iter().find(|key| !by_name.contains_key(&***key)) {
        None => Ok(()),
        Some(key) => {
            let available = quoted(columns.iter().map(Column::name));
            Err(refused(format!(
                "Partition column '{key}' not defined in the table schema. Available columns: [{available}]"
            )))
        }
    }
}

/// Agrees with `DefaultSchemaResolver` and `CatalogManager`.
fn check_distribution(distribution: &Distribution, columns: &[Column]) -> Result<(), Error> {
    let physical = || columns.iter().filter(|column| column.is_physical()).map(Column::name);
    let names: HashSet<&str> = physical().collect();
    if let Some(key) = distribution.keys.iter().find(|key| !names.contains(&***key)) {
        let available = physical().collect::<Vec<_>>().join(", ");
        return Err(refused(format!(
            "Invalid bucket key '{key}'. A bucket key for a distribution must reference a physical column in the \
             schema. Available columns are: [{available}]"
        )));
    }
    match distribution.buckets {
        Some(count) if count < 1 => Err(refused(format!(
            "Invalid bucket count '{count}'. The number of buckets for a distributed table must be at least 1."
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Physical columns, then those of metadata, then the computed ones.
fn quoted_by_kind(columns: &[Column]) -> String {
    let rank = |column: &Column| match column.kind() {
        ColumnKind::Physical(_) => 0,
        ColumnKind::Metadata { .. } => 1,
        ColumnKind::Computed { .. } => 2,
    };
    let mut by_kind: Vec<&Column> = columns.iter().collect();
    by_kind.sort_by_key(|column| rank(column));
    quoted(by_kind.into_iter().map(Column::name))
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    format!("'{}'", names.collect::<Vec<_>>().join("', '"))
}

fn join(path: &[Name]) -> String {
    path.iter().map(|name| &*name.text).collect::<Vec<_>>().join(".")
}

fn refused(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::Table, message)
}
