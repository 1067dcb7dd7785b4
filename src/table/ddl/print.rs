use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use super::{Clauses, Distribution};
use crate::table::Table;
use crate::table::schema::{Column, ColumnKind, TableSchema};
use crate::table::secrets::shown;
use crate::types::{identifier, string_literal};

/// Prints the `CREATE TABLE` that makes this table, as Flink's `SHOW CREATE TABLE` does, but with `******` for passwords,
/// tokens and users in URLs: [`Table::ddl_with_secrets`] has them.
///
/// Read back, it is the same table; but what no `CREATE TABLE` takes is printed all the same: INTERVAL and TIME(p)
/// of more than 3 digits, a line break in a name, an expression that is none.
impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ddl(shown))
    }
}

impl Table {
    /// What the table's `Display` prints, with passwords, tokens and users in URLs: for a catalog, not for a log.
    ///
    /// ```
    /// use upsert_kafka::Table;
    ///
    /// let table = Table::from_ddl(
    ///     "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'properties.ssl.key.password' = 'of the key')",
    /// )?;
    /// assert!(table.to_string().contains("'properties.ssl.key.password' = '******'"));
    /// assert!(table.ddl_with_secrets().contains("'properties.ssl.key.password' = 'of the key'"));
    /// # Ok::<(), upsert_kafka::Error>(())
    /// ```
    #[must_use]
    pub fn ddl_with_secrets(&self) -> String {
        self.ddl(|_, value| value.into())
    }

    /// The statement, with what `shown` makes of each option's key and value.
    fn ddl<'a>(&'a self, shown: fn(&str, &'a str) -> Cow<'a, str>) -> String {
        let path = separated(".", self.path().iter().map(|name| identifier(name)));
        let elements = elements(self.schema()).join(",\n  ");
        let elements = if elements.is_empty() { elements } else { format!(" (\n  {elements}\n)") };
        let options = self
            .options()
            .iter()
            .map(|(key, value)| format!("{} = {}", string_literal(key), string_literal(&shown(key, value))));
        let options = separated(",\n  ", options);
        format!("CREATE TABLE {path}{elements}{}\nWITH (\n  {options}\n)", self.clauses)
    }
}

/// Each clause after a line break.
impl Display for Clauses {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { comment, distribution, partition_keys } = self;
        if let Some(comment) = comment {
            write!(f, "\nCOMMENT {}", string_literal(comment))?;
        }
        if let Some(distribution) = distribution {
            write!(f, "\nDISTRIBUTED {distribution}")?;
        }
        if !partition_keys.is_empty() {
            write!(
                f,
                "\nPARTITIONED BY ({})",
                separated(", ", partition_keys.iter().map(|key| identifier(key)))
            )?;
        }
        Ok(())
    }
}

impl Display for Distribution {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { kind, keys, buckets } = self;
        if !keys.is_empty() {
            let keys = separated(", ", keys.iter().map(|key| identifier(key)));
            write!(f, "BY {}({keys})", kind.unwrap_or_default())?;
        }
        match buckets {
            Some(buckets) if keys.is_empty() => write!(f, "INTO {buckets} BUCKETS"),
            Some(buckets) => write!(f, " INTO {buckets} BUCKETS"),
            None => Ok(()),
        }
    }
}

/// Prints the column as a `CREATE TABLE` has it.
impl Display for Column {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", identifier(self.name()))?;
        match self.kind() {
            ColumnKind::Physical(data_type) => write!(f, " {data_type}")?,
            ColumnKind::Metadata { data_type, key, is_virtual } => {
                write!(f, " {data_type} METADATA")?;
                if let Some(key) = key {
                    write!(f, " FROM {}", string_literal(key))?;
                }
                if *is_virtual {
                    f.write_str(" VIRTUAL")?;
                }
            }
            ColumnKind::Computed { expression } => write!(f, " AS {expression}")?,
        }
        match self.comment() {
            Some(comment) => write!(f, " COMMENT {}", string_literal(comment)),
            None => Ok(()),
        }
    }
}

/// The columns, the watermark and the primary key.
fn elements(schema: &TableSchema) -> Vec<String> {
    let mut elements: Vec<String> = schema.columns().iter().map(Column::to_string).collect();
    if let Some(watermark) = schema.watermark() {
        elements.push(format!("WATERMARK FOR {} AS {}", identifier(&watermark.column), watermark.expression));
    }
    if let Some(key) = schema.primary_key() {
        let columns = key.columns().iter().map(|&place| identifier(schema.columns()[place].name()));
        let columns = separated(", ", columns);
        elements.push(format!("CONSTRAINT {} PRIMARY KEY ({columns}) NOT ENFORCED", identifier(key.name())));
    }
    elements
}

fn separated<T: Display>(separator: &str, parts: impl Iterator<Item = T>) -> String {
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join(separator)
}
