/// What Flink has for a type of another database, such as `STRING` for `TEXT`; `None` for a name of nobody's.
///
/// The names are those of MySQL, PostgreSQL, Oracle, SQL Server and Java.
pub(super) fn flinks_type(name: &str) -> Option<&'static str> {
    Some(match &*name.to_ascii_uppercase() {
        "TEXT" | "TINYTEXT" | "MEDIUMTEXT" | "LONGTEXT" | "NTEXT" | "CITEXT" | "CLOB" | "NCLOB" | "UUID"
        | "JSON" | "JSONB" | "XML" | "ENUM" => "STRING",
        "NVARCHAR" | "VARCHAR2" | "NVARCHAR2" | "BPCHAR" => "VARCHAR",
        "NCHAR" => "CHAR",
        "BLOB" | "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB" | "BYTEA" | "IMAGE" => "BYTES",
        "DATETIME" | "DATETIME2" | "SMALLDATETIME" | "TIMESTAMP_NTZ" => "TIMESTAMP(3)",
        "TIMESTAMPTZ" | "DATETIMEOFFSET" => "TIMESTAMP_LTZ(3)",
        "BOOL" | "BIT" => "BOOLEAN",
        "INT1" => "TINYINT",
        "INT2" | "SMALLSERIAL" | "SHORT" => "SMALLINT",
        "INT4" | "MEDIUMINT" | "SERIAL" => "INT",
        "INT8" | "BIGSERIAL" | "LONG" => "BIGINT",
        "REAL" | "FLOAT4" => "FLOAT",
        "FLOAT8" => "DOUBLE",
        "NUMBER" | "MONEY" => "DECIMAL(p, s)",
        _ => return None,
    })
}

/// What a word after a column's type asks for, where other databases have it and Flink has not.
pub(crate) fn foreign_clause(word: &str) -> Option<&'static str> {
    Some(match &*word.to_ascii_uppercase() {
        "AUTO_INCREMENT" | "AUTOINCREMENT" | "IDENTITY" | "GENERATED" => {
            "Flink generates no values of columns: leave it out"
        }
        "DEFAULT" => "Flink has no defaults of columns: leave it out",
        "UNSIGNED" | "ZEROFILL" => "Flink has no unsigned types: write the next larger one",
        "COLLATE" | "CHARSET" | "REFERENCES" | "CHECK" | "ON" | "KEY" | "INDEX" => {
            "Flink has no such clause: leave it out"
        }
        _ => return None,
    })
}
