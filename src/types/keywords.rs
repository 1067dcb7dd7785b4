/// Whose rules a text follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The text of a type alone, as Flink's `LogicalTypeParser` reads it.
    TypeText,
    /// A statement, as Flink's SQL parser (Calcite's, with backquotes) reads it. Errors are in its words.
    Ddl,
}

/// Whether `word` is no name unless it is quoted, in any case.
pub(super) fn is_reserved(word: &str, dialect: Dialect) -> bool {
    let reserved: &[&str] = match dialect {
        Dialect::TypeText => &TYPE_TEXT,
        Dialect::Ddl => &SQL,
    };
    reserved.binary_search(&&*word.to_ascii_uppercase()).is_ok()
}

/// The keywords of `LogicalTypeParser`, all of them reserved.
#[rustfmt::skip]
static TYPE_TEXT: [&str; 46] = [
    "ARRAY", "BIGINT", "BINARY", "BITMAP", "BOOLEAN", "BYTES", "CHAR", "DATE", "DAY", "DEC", "DECIMAL", "DESCRIPTOR",
    "DOUBLE", "FLOAT", "HOUR", "INT", "INTEGER", "INTERVAL", "LEGACY", "LOCAL", "MAP", "MINUTE", "MONTH", "MULTISET",
    "NOT", "NULL", "NUMERIC", "PRECISION", "RAW", "ROW", "SECOND", "SMALLINT", "STRING", "STRUCTURED", "TIME",
    "TIMESTAMP", "TIMESTAMP_LTZ", "TINYINT", "TO", "VARBINARY", "VARCHAR", "VARIANT", "WITH", "WITHOUT", "YEAR",
    "ZONE",
];

/// The reserved words of Flink 2.3's SQL parser: Calcite's tokens and Flink's without those it lists as not reserved.
#[rustfmt::skip]
static SQL: [&str; 431] = [
    "ABS", "ALL", "ALLOCATE", "ALLOW", "ALTER", "AND", "ANY", "ARE", "ARRAY", "ARRAY_CONCAT_AGG",
    "ARRAY_MAX_CARDINALITY", "AS", "ASENSITIVE", "ASYMMETRIC", "AT", "ATOMIC", "AUTHORIZATION", "AVG",
    "BEGIN", "BEGIN_FRAME", "BEGIN_PARTITION", "BETWEEN", "BIGINT", "BINARY", "BIT", "BITMAP", "BLOB",
    "BOOLEAN", "BOTH", "BUCKETS", "BY", "BYTES", "CALL", "CALLED", "CARDINALITY", "CASCADED", "CASE", "CAST",
    "CATALOGS", "CEIL", "CEILING", "CHAR", "CHARACTER", "CHARACTER_LENGTH", "CHAR_LENGTH", "CHECK",
    "CLASSIFIER", "CLOB", "CLOSE", "COALESCE", "COLLATE", "COLLECT", "COLUMN", "COMMENT", "COMMIT",
    "CONDITION", "CONNECT", "CONNECTIONS", "CONSTRAINT", "CONTAINS", "CONTAINS_SUBSTR", "CONTINUOUS",
    "CONVERT", "CORR", "CORRESPONDING", "COUNT", "COVAR_POP", "COVAR_SAMP", "CREATE", "CROSS", "CUBE",
    "CUME_DIST", "CURRENT", "CURRENT_CATALOG", "CURRENT_DATE", "CURRENT_DEFAULT_TRANSFORM_GROUP",
    "CURRENT_PATH", "CURRENT_ROLE", "CURRENT_ROW", "CURRENT_SCHEMA", "CURRENT_TIME", "CURRENT_TIMESTAMP",
    "CURRENT_TRANSFORM_GROUP_FOR_TYPE", "CURRENT_USER", "CURSOR", "CYCLE", "DATABASES", "DATE", "DATETIME",
    "DATETIME_TRUNC", "DATE_TRUNC", "DAY", "DEALLOCATE", "DEC", "DECIMAL", "DECLARE", "DEFAULT", "DEFINE",
    "DELETE", "DENSE_RANK", "DEREF", "DESCRIBE", "DETERMINISTIC", "DISALLOW", "DISCONNECT", "DISTINCT",
    "DISTRIBUTED", "DISTRIBUTION", "DOT", "DOUBLE", "DROP", "DYNAMIC", "EACH", "ELEMENT", "ELSE", "EMPTY",
    "END", "END_FRAME", "END_PARTITION", "EQUALS", "ESCAPE", "EVERY", "EXCEPT", "EXEC", "EXECUTE", "EXISTS",
    "EXP", "EXPLAIN", "EXTEND", "EXTENDED", "EXTERNAL", "EXTRACT", "FALSE", "FETCH", "FILTER", "FIRST_VALUE",
    "FLOAT", "FLOOR", "FOR", "FOREIGN", "FRAME_ROW", "FREE", "FRESHNESS", "FRIDAY", "FROM", "FULL",
    "FUNCTION", "FUNCTIONS", "FUSION", "GET", "GLOBAL", "GRANT", "GROUP", "GROUPING", "GROUPS",
    "GROUP_CONCAT", "HASH", "HAVING", "HOLD", "HOUR", "IDENTITY", "ILIKE", "IMPORT", "IN", "INCLUDE",
    "INDICATOR", "INITIAL", "INNER", "INOUT", "INSENSITIVE", "INSERT", "INT", "INTEGER", "INTERSECT",
    "INTERSECTION", "INTERVAL", "INTO", "IS", "JOIN", "JSON_ARRAY", "JSON_ARRAYAGG", "JSON_EXISTS",
    "JSON_OBJECT", "JSON_OBJECTAGG", "JSON_QUERY", "JSON_SCOPE", "JSON_VALUE", "LAG", "LANGUAGE", "LARGE",
    "LAST_VALUE", "LATERAL", "LEAD", "LEADING", "LEFT", "LIKE", "LIKE_REGEX", "LIMIT", "LN", "LOCAL",
    "LOCALTIME", "LOCALTIMESTAMP", "LOWER", "MATCH", "MATCHES", "MATCH_NUMBER", "MATCH_RECOGNIZE",
    "MATERIALIZED", "MAX", "MEASURES", "MEMBER", "MERGE", "METHOD", "MIN", "MINUS", "MINUTE", "MOD", "MODELS",
    "MODIFIES", "MODIFY", "MODULE", "MODULES", "MONDAY", "MONTH", "MULTISET", "NATIONAL", "NATURAL", "NCHAR",
    "NCLOB", "NEW", "NEXT", "NO", "NONE", "NORMALIZE", "NOT", "NTH_VALUE", "NTILE", "NULL", "NULLIF",
    "NUMERIC", "OCCURRENCES_REGEX", "OCTET_LENGTH", "OF", "OFFSET", "OLD", "OMIT", "ON", "ONE", "ONLY",
    "OPEN", "OR", "ORDER", "ORDINAL", "OUT", "OUTER", "OVER", "OVERLAPS", "OVERLAY", "PARAMETER", "PARTITION",
    "PATTERN", "PER", "PERCENT", "PERCENTILE_CONT", "PERCENTILE_DISC", "PERCENT_RANK", "PERIOD", "PERMUTE",
    "PIVOT", "PORTION", "POSITION", "POSITION_REGEX", "POWER", "PRECEDES", "PRECISION", "PREPARE", "PREV",
    "PRIMARY", "PROCEDURE", "PROCEDURES", "QUALIFY", "QUARTERS", "RANGE", "RANK", "RAW", "READS", "REAL",
    "RECURSIVE", "REF", "REFERENCES", "REFERENCING", "REFRESH", "REFRESH_MODE", "REGR_AVGX", "REGR_AVGY",
    "REGR_COUNT", "REGR_INTERCEPT", "REGR_R2", "REGR_SLOPE", "REGR_SXX", "REGR_SXY", "REGR_SYY", "RELEASE",
    "RENAME", "RESET", "RESULT", "RESUME", "RETURN", "RETURNS", "REVOKE", "RIGHT", "RLIKE", "ROLLBACK",
    "ROLLUP", "ROW", "ROWS", "ROW_NUMBER", "RUNNING", "SAFE_CAST", "SAFE_OFFSET", "SAFE_ORDINAL", "SATURDAY",
    "SAVEPOINT", "SCALA", "SCOPE", "SCROLL", "SEARCH", "SECOND", "SEEK", "SELECT", "SENSITIVE", "SEPARATOR",
    "SESSION_USER", "SET", "SHOW", "SIMILAR", "SKIP", "SMALLINT", "SOME", "SPECIFIC", "SPECIFICTYPE", "SQL",
    "SQLEXCEPTION", "SQLSTATE", "SQLWARNING", "SQRT", "START", "STATEMENT", "STATIC", "STDDEV_POP",
    "STDDEV_SAMP", "STREAM", "STRING", "STRING_AGG", "STRUCTURED", "SUBMULTISET", "SUBSET", "SUBSTRING",
    "SUBSTRING_REGEX", "SUCCEEDS", "SUM", "SUNDAY", "SUSPEND", "SYMMETRIC", "SYSTEM", "SYSTEM_TIME",
    "SYSTEM_USER", "TABLE", "TABLES", "TABLESAMPLE", "THEN", "THURSDAY", "TIME", "TIMESTAMP",
    "TIMESTAMP_DIFF", "TIMESTAMP_LTZ", "TIMESTAMP_TRUNC", "TIMEZONE_HOUR", "TIMEZONE_MINUTE", "TIME_DIFF",
    "TIME_TRUNC", "TINYINT", "TO", "TRAILING", "TRANSLATE", "TRANSLATE_REGEX", "TRANSLATION", "TREAT",
    "TRIGGER", "TRIM", "TRIM_ARRAY", "TRUE", "TRUNCATE", "TRY_CAST", "TUESDAY", "UESCAPE", "UNION", "UNIQUE",
    "UNKNOWN", "UNNEST", "UNPIVOT", "UPDATE", "UPPER", "UPSERT", "USE", "USER", "USING", "VALUE", "VALUES",
    "VALUE_OF", "VARBINARY", "VARCHAR", "VARIANT", "VARYING", "VAR_POP", "VAR_SAMP", "VERSIONING", "VIEWS",
    "WATERMARK", "WATERMARKS", "WEDNESDAY", "WEEKS", "WHEN", "WHENEVER", "WHERE", "WIDTH_BUCKET", "WINDOW",
    "WITH", "WITHIN", "WITHOUT", "YEAR",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_the_search() {
        assert!(TYPE_TEXT.is_sorted() && SQL.is_sorted());
    }

    #[test]
    fn keywords_that_flink_lists_as_not_reserved_are_names() {
        for name in ["key", "name", "type", "data", "METADATA", "virtual", "json", "Map", "enforced"] {
            assert!(!is_reserved(name, Dialect::Ddl), "{name}");
        }
        for keyword in ["value", "Order", "user", "timestamp", "COMMENT", "watermark"] {
            assert!(is_reserved(keyword, Dialect::Ddl), "{keyword}");
        }
    }
}
