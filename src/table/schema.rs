//! The columns of a table, its watermark and its primary key: [`TableSchema`].
//!
//! Agrees with `org.apache.flink.table.catalog.ResolvedSchema`, `Schema.Builder` and `DefaultSchemaResolver`.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind};
use crate::types::{DataType, Field, LogicalType, duplicates};

/// The columns of a table in order, its watermark and its primary key.
///
/// Valid by existing: names are unique, types are within Flink's bounds, a watermark is on a column that can be a
/// time attribute, and a primary key names each of its columns once, all of them physical and NOT NULL.
///
/// ```
/// use upsert_kafka::table::TableSchema;
/// use upsert_kafka::types::LogicalType;
///
/// let schema = TableSchema::builder()
///     .column("id", LogicalType::BigInt.not_null())
///     .column("name", LogicalType::STRING)
///     .column_by_metadata("ts", LogicalType::TimestampLtz(3), Some("timestamp"), false)
///     .primary_key(["id"])
///     .build()?;
/// assert_eq!(schema.column("ts").and_then(|column| column.metadata_key()), Some("timestamp"));
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSchema {
    columns: Vec<Column>,
    watermark: Option<Watermark>,
    primary_key: Option<PrimaryKey>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    name: String,
    kind: ColumnKind,
    comment: Option<String>,
}

/// Where the values of a column come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// `name TYPE`: from the key or the value of the record.
    Physical(DataType),
    /// `name TYPE METADATA [FROM 'key'] [VIRTUAL]`: from the record around them, such as its timestamp.
    Metadata {
        /// The type the column has in the table.
        data_type: DataType,
        /// The key after FROM; without one, the column's name is the key.
        key: Option<String>,
        /// Whether the column is left out when the table is written.
        is_virtual: bool,
    },
    /// `name AS expression`: from other columns; kept as text, not evaluated.
    Computed {
        /// The SQL expression, as written.
        expression: String,
    },
}

/// `WATERMARK FOR column AS expression`; kept as text, not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
// Exhaustive: a column and an expression, as the clause has them.
pub struct Watermark {
    /// The column that is the time attribute.
    pub column: String,
    /// The SQL expression, as written.
    pub expression: String,
}

/// `PRIMARY KEY (...) NOT ENFORCED`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimaryKey {
    name: String,
    columns: Vec<usize>,
}

impl TableSchema {
    /// A builder without columns.
    #[must_use]
    pub fn builder() -> TableSchemaBuilder {
        TableSchemaBuilder::default()
    }

    /// The columns in order, of every kind.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column `name`, in exactly that spelling.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The physical columns: for each its place in [`columns`](Self::columns), and the field that formats see.
    pub fn physical_fields(&self) -> impl Iterator<Item = (usize, Field)> + '_ {
        self.columns.iter().enumerate().filter_map(|(index, column)| match &column.kind {
            ColumnKind::Physical(data_type) => Some((index, Field::new(&*column.name, data_type.clone()))),
            ColumnKind::Metadata { .. } | ColumnKind::Computed { .. } => None,
        })
    }

    /// The watermark.
    #[must_use]
    pub fn watermark(&self) -> Option<&Watermark> {
        self.watermark.as_ref()
    }

    /// The primary key.
    #[must_use]
    pub fn primary_key(&self) -> Option<&PrimaryKey> {
        self.primary_key.as_ref()
    }
}

impl Column {
    /// A column of the key or the value.
    #[must_use]
    pub fn physical(name: impl Into<String>, data_type: impl Into<DataType>) -> Self {
        Self { name: name.into(), kind: ColumnKind::Physical(data_type.into()), comment: None }
    }

    /// A metadata column, such as the record's timestamp: that of `key`, or of the column's name if `None`.
    #[must_use]
    pub fn metadata(
        name: impl Into<String>,
        data_type: impl Into<DataType>,
        key: Option<&str>,
        is_virtual: bool,
    ) -> Self {
        let kind =
            ColumnKind::Metadata { data_type: data_type.into(), key: key.map(str::to_owned), is_virtual };
        Self { name: name.into(), kind, comment: None }
    }

    /// A computed column, which is neither read nor written.
    #[must_use]
    pub fn computed(name: impl Into<String>, expression: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind: ColumnKind::Computed { expression: expression.into() },
            comment: None,
        }
    }

    /// The same column with a comment.
    #[must_use]
    pub fn with_comment(mut self, comment: impl Into<String>) -> Self {
        self.comment = Some(comment.into());
        self
    }

    /// The name, without quotes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a primary key of a `CREATE TABLE` does to its columns.
    pub(super) fn make_not_null(&mut self) {
        if let ColumnKind::Physical(data_type) = &mut self.kind {
            data_type.nullable = false;
        }
    }

    /// Where the values come from.
    #[must_use]
    pub fn kind(&self) -> &ColumnKind {
        &self.kind
    }

    /// The comment.
    #[must_use]
    pub fn comment(&self) -> Option<&str> {
        self.comment.as_deref()
    }

    /// The type; `None` for a computed column, whose expression would have to be understood.
    #[must_use]
    pub fn data_type(&self) -> Option<&DataType> {
        match &self.kind {
            ColumnKind::Physical(data_type) | ColumnKind::Metadata { data_type, .. } => Some(data_type),
            ColumnKind::Computed { .. } => None,
        }
    }

    /// Whether the column is part of the key or the value.
    #[must_use]
    pub fn is_physical(&self) -> bool {
        matches!(self.kind, ColumnKind::Physical(_))
    }

    /// Whether a row that is written has the column: every physical one and metadata that is not VIRTUAL.
    #[must_use]
    pub fn is_persisted(&self) -> bool {
        match &self.kind {
            ColumnKind::Physical(_) => true,
            ColumnKind::Metadata { is_virtual, .. } => !is_virtual,
            ColumnKind::Computed { .. } => false,
        }
    }

    /// The metadata key: the one after FROM or the column's name; `None` where the column is no metadata.
    #[must_use]
    pub fn metadata_key(&self) -> Option<&str> {
        match &self.kind {
            ColumnKind::Metadata { key, .. } => Some(key.as_deref().unwrap_or(&self.name)),
            ColumnKind::Physical(_) | ColumnKind::Computed { .. } => None,
        }
    }
}

impl PrimaryKey {
    /// The constraint's name: the one given, or `PK_` and the columns.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key's columns in the key's order, as places in [`TableSchema::columns`]; at least one.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }
}

/// Collects the parts of a [`TableSchema`].
#[derive(Clone, Debug, Default)]
pub struct TableSchemaBuilder {
    columns: Vec<Column>,
    watermark: Option<Watermark>,
    /// The constraint's name, where it has one, and the columns.
    primary_key: Option<(Option<String>, Vec<String>)>,
}

impl TableSchemaBuilder {
    /// Adds a physical column.
    #[must_use]
    pub fn column(self, name: impl Into<String>, data_type: impl Into<DataType>) -> Self {
        self.push(Column::physical(name, data_type))
    }

    /// Adds a metadata column; see [`Column::metadata`].
    #[must_use]
    pub fn column_by_metadata(
        self,
        name: impl Into<String>,
        data_type: impl Into<DataType>,
        key: Option<&str>,
        is_virtual: bool,
    ) -> Self {
        self.push(Column::metadata(name, data_type, key, is_virtual))
    }

    /// Adds a computed column.
    #[must_use]
    pub fn column_by_expression(self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        self.push(Column::computed(name, expression))
    }

    /// Adds a column of any kind.
    #[must_use]
    pub fn push(mut self, column: Column) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the watermark.
    #[must_use]
    pub fn watermark(mut self, column: impl Into<String>, expression: impl Into<String>) -> Self {
        self.watermark = Some(Watermark { column: column.into(), expression: expression.into() });
        self
    }

    /// Sets the primary key, in the order in which key formats write it.
    #[must_use]
    pub fn primary_key<I: IntoIterator<Item: Into<String>>>(mut self, columns: I) -> Self {
        self.primary_key = Some((None, columns.into_iter().map(Into::into).collect()));
        self
    }

    /// Sets the primary key and the name of its constraint.
    #[must_use]
    pub fn primary_key_named<I: IntoIterator<Item: Into<String>>>(
        mut self,
        name: impl Into<String>,
        columns: I,
    ) -> Self {
        self.primary_key = Some((Some(name.into()), columns.into_iter().map(Into::into).collect()));
        self
    }

    /// The schema.
    ///
    /// # Errors
    ///
    /// Flink's sentences of kind [`ErrorKind::Table`]: for two columns with the same name or metadata key; for a length
    /// or a precision out of bounds; for a watermark on anything but a column of TIMESTAMP or TIMESTAMP_LTZ with at
    /// most 3 digits; and for a primary key that is empty, or names a column that is there twice, does not exist, is
    /// not physical or is nullable. [`ErrorKind::Limit`] for types nested deeper than [`LogicalType::MAX_NESTING`].
    pub fn build(self) -> Result<TableSchema, Error> {
        let Self { columns, watermark, primary_key } = self;
        refuse_duplicates(&columns)?;
        refuse_shared_metadata(&columns)?;
        for column in &columns {
            column
                .data_type()
                .map_or(Ok(()), DataType::check)
                .map_err(|error| error.in_column(&column.name))?;
        }
        if let Some(watermark) = &watermark {
            check_time_attribute(&columns, &watermark.column)?;
        }
        let primary_key = match primary_key {
            Some((name, names)) => Some(resolve_primary_key(&columns, name, &names)?),
            None => None,
        };
        Ok(TableSchema { columns, watermark, primary_key })
    }
}

fn refuse_duplicates(columns: &[Column]) -> Result<(), Error> {
    let duplicates = duplicates(columns.iter().map(Column::name));
    if duplicates.is_empty() {
        return Ok(());
    }
    let found = duplicates.join(", ");
    Err(refused(format!("Schema must not contain duplicate column names. Found duplicates: [{found}]")))
}

/// Refuses two columns of one metadata key.
fn refuse_shared_metadata(columns: &[Column]) -> Result<(), Error> {
    let metadata = columns.iter().filter_map(|column| Some((column.metadata_key()?, column.name())));
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for (key, name) in metadata {
        if let Some(other) = seen.insert(key, name) {
            return Err(refused(format!(
                "The column `{other}` and `{name}` in the table are both from the same metadata key '{key}'. Please \
                 specify one of the columns as the metadata column and use the computed column syntax to specify the \
                 others."
            )));
        }
    }
    Ok(())
}

/// The type of a computed column is not known, and so not checked.
fn check_time_attribute(columns: &[Column], name: &str) -> Result<(), Error> {
    let Some(column) = columns.iter().find(|column| column.name == name) else {
        let available: Vec<&str> = columns.iter().map(Column::name).collect();
        return Err(refused(format!(
            "Invalid column name '{name}' for rowtime attribute in watermark declaration. \
             Available columns are: [{}]",
            available.join(", ")
        )));
    };
    match column.data_type() {
        None => Ok(()),
        Some(DataType {
            logical_type: LogicalType::Timestamp(0..=3) | LogicalType::TimestampLtz(0..=3),
            ..
        }) => Ok(()),
        Some(other) => Err(refused(format!(
            "Invalid data type of time field for watermark definition. The field must be of type TIMESTAMP(p) or \
             TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time field type is {other:#}"
        ))),
    }
}

fn resolve_primary_key(
    columns: &[Column],
    name: Option<String>,
    names: &[String],
) -> Result<PrimaryKey, Error> {
    if names.is_empty() {
        return Err(refused(
            "Primary key constraint must be defined for at least a single column.".to_owned(),
        ));
    }
    let name = name.unwrap_or_else(|| format!("PK_{}", names.join("_")));
    let refuse = |why: String| Err(refused(format!("Invalid primary key '{name}'. {why}")));
    let duplicates = duplicates(names.iter().map(String::as_str));
    if !duplicates.is_empty() {
        let found = duplicates.join(", ");
        return refuse(format!("A primary key must not contain duplicate columns. Found: [{found}]"));
    }
    let places: HashMap<&str, usize> =
        (0..).zip(columns).map(|(place, column)| (column.name(), place)).collect();
    let mut key = Vec::with_capacity(names.len());
    for column_name in names {
        let Some(&place) = places.get(column_name.as_str()) else {
            return refuse(format!("Column '{column_name}' does not exist."));
        };
        match columns[place].kind() {
            ColumnKind::Physical(data_type) if data_type.nullable => {
                return refuse(format!("Column '{column_name}' is nullable."));
            }
            ColumnKind::Physical(_) => key.push(place),
            ColumnKind::Metadata { .. } | ColumnKind::Computed { .. } => {
                return refuse(format!("Column '{column_name}' is not a physical column."));
            }
        }
    }
    Ok(PrimaryKey { name, columns: key })
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Table, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(builder: TableSchemaBuilder) -> String {
        builder.build().unwrap_err().message().to_owned()
    }

    #[test]
    fn refusals_are_those_of_flinks_schema_resolver() {
        let schema = || {
            TableSchema::builder()
                .column("id", LogicalType::Int.not_null())
                .column("name", LogicalType::STRING)
                .column_by_metadata("ts", LogicalType::TimestampLtz(3), Some("timestamp"), false)
                .column_by_expression("id2", "`id` + 1")
        };
        assert_eq!(
            refusal(schema().column("name", LogicalType::Int).column("id", LogicalType::Int)),
            "Schema must not contain duplicate column names. Found duplicates: [id, name]"
        );
        assert_eq!(
            refusal(schema().primary_key(["id", "id"])),
            "Invalid primary key 'PK_id_id'. A primary key must not contain duplicate columns. Found: [id]"
        );
        assert_eq!(
            refusal(schema().column_by_metadata("ts2", LogicalType::STRING, Some("timestamp"), true)),
            "The column `ts` and `ts2` in the table are both from the same metadata key 'timestamp'. Please specify one \
             of the columns as the metadata column and use the computed column syntax to specify the others."
        );
        for (key, why) in [
            ("ID", "Column 'ID' does not exist."),
            ("name", "Column 'name' is nullable."),
            ("ts", "Column 'ts' is not a physical column."),
            ("id2", "Column 'id2' is not a physical column."),
        ] {
            assert_eq!(
                refusal(schema().primary_key_named("pk", ["id", key])),
                format!("Invalid primary key 'pk'. {why}")
            );
        }
    }

    #[test]
    fn a_watermark_is_on_a_column_that_can_be_a_time_attribute() {
        let schema = |data_type: LogicalType| TableSchema::builder().column("ts", data_type.not_null());
        assert!(schema(LogicalType::TimestampLtz(3)).watermark("ts", "`ts`").build().is_ok());
        assert_eq!(
            refusal(schema(LogicalType::BigInt).watermark("ts", "`ts`")),
            "Invalid data type of time field for watermark definition. The field must be of type TIMESTAMP(p) or \
             TIMESTAMP_LTZ(p), the supported precision 'p' is from 0 to 3, but the time field type is BIGINT NOT NULL"
        );
        assert_eq!(
            refusal(schema(LogicalType::Timestamp(3)).column("a", LogicalType::Int).watermark("x", "`ts`")),
            "Invalid column name 'x' for rowtime attribute in watermark declaration. Available columns are: [ts, a]"
        );
    }

    #[test]
    fn a_primary_key_keeps_its_own_order() {
        let schema = TableSchema::builder()
            .column_by_expression("c", "1")
            .column("a", LogicalType::Int.not_null())
            .column("b", LogicalType::Int.not_null())
            .primary_key(["b", "a"])
            .build()
            .unwrap();
        let key = schema.primary_key().unwrap();
        assert_eq!((key.name(), key.columns()), ("PK_b_a", &[2, 1][..]));
        let physical: Vec<_> = schema.physical_fields().map(|(index, field)| (index, field.name)).collect();
        assert_eq!(physical, [(1, "a".to_owned()), (2, "b".to_owned())]);
    }
}
