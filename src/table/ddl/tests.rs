use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::table::{Column, ColumnKind, Table};
use crate::types::{DataType, LogicalType};

fn parse(ddl: &str) -> CreateTable {
    parse_create_table(ddl).unwrap_or_else(|error| panic!("{ddl}\n{error}"))
}

fn refusal(ddl: &str) -> Error {
    parse_create_table(ddl).expect_err(ddl)
}

fn columns(ddl: &str) -> Vec<String> {
    parse(ddl).schema.columns().iter().map(Column::to_string).collect()
}

#[test]
fn every_statement_of_the_golden_vectors_is_read_or_refused_as_flink_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ddl.jsonl");
    for line in fs::read_to_string(path).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let ddl = case["ddl"].as_str().unwrap();
        if case["error"]["stage"] == "create" {
            // Of the tokens that would have fitted, our errors say less.
            let expected = case["error"]["message"].as_str().unwrap();
            let expected = expected.split("\nWas expecting").next().unwrap();
            assert_eq!(refusal(ddl).message(), expected, "{ddl}");
            continue;
        }
        let (table, statement) = (&case["table"], parse(ddl));
        assert_eq!(statement.path, ["t"]);
        for column in table["columns"].as_array().unwrap() {
            assert_column(&statement.schema, column, None, table);
        }
        for column in table["metadata"].as_array().into_iter().flatten() {
            assert_column(&statement.schema, column, column[2].as_str(), table);
        }
        for (key, value) in case["options"].as_object().unwrap() {
            assert_eq!(statement.options.get(key), value.as_str(), "{ddl}");
        }
    }
}

fn assert_column(schema: &TableSchema, column: &Value, metadata_key: Option<&str>, table: &Value) {
    let name = column[0].as_str().unwrap();
    let found = schema.column(name).unwrap_or_else(|| panic!("no column {name}"));
    let mut expected: DataType = column[1].as_str().unwrap().parse().unwrap();
    if let LogicalType::Time(precision) = &mut expected.logical_type {
        *precision = (*precision).min(3);
    }
    let key = table["primary_key"].as_array();
    if key.is_some_and(|key| key.iter().any(|of_key| of_key == name)) {
        expected.nullable = false;
    }
    assert_eq!(found.data_type(), Some(&expected), "{name}");
    if metadata_key.is_some() {
        assert_eq!(found.metadata_key(), metadata_key);
        assert_eq!(found.is_persisted(), column[3] != true, "{name}");
    }
}

#[test]
fn columns_of_every_kind_are_read() {
    let ddl = "CREATE TEMPORARY TABLE IF NOT EXISTS cat.`d``b`.t (
        id BIGINT COMMENT 'the ''key''',
        `a ``b`` c` STRING NOT NULL,
        ts TIMESTAMP(3) METADATA,
        h MAP<STRING, BYTES> METADATA FROM 'headers' VIRTUAL COMMENT 'all of them',
        total AS (price * quantity) + CAST(f(1, ')') AS INT) COMMENT 'a sum',
        CONSTRAINT pk PRIMARY KEY (id) NOT ENFORCED,
        WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
    ) COMMENT 'people'
    DISTRIBUTED BY HASH(id) INTO 4 BUCKETS
    PARTITIONED BY (id, ts)
    WITH ('connector' = 'kafka', 'topic' = 'a', 'topic' = 'b')";
    let statement = parse(ddl);
    assert_eq!(statement.path, ["cat", "d`b", "t"]);
    assert_eq!(
        columns(ddl),
        [
            "`id` BIGINT NOT NULL COMMENT 'the ''key'''",
            "`a ``b`` c` VARCHAR(2147483647) NOT NULL",
            "`ts` TIMESTAMP(3) METADATA",
            "`h` MAP<VARCHAR(2147483647), VARBINARY(2147483647)> METADATA FROM 'headers' VIRTUAL \
             COMMENT 'all of them'",
            "`total` AS (price * quantity) + CAST(f(1, ')') AS INT) COMMENT 'a sum'",
        ]
    );
    let key = statement.schema.primary_key().unwrap();
    assert_eq!((key.name(), key.columns()), ("pk", &[0][..]));
    assert_eq!(statement.schema.watermark().unwrap().expression, "ts - INTERVAL '5' SECOND");
    let Clauses { comment, distribution, partition_keys } = statement.clauses;
    assert_eq!(comment.as_deref(), Some("people"));
    assert_eq!(distribution.unwrap().to_string(), "BY HASH(`id`) INTO 4 BUCKETS");
    assert_eq!(partition_keys, ["id", "ts"]);
    assert_eq!(statement.options, TableOptions::from_iter([("connector", "kafka"), ("topic", "b")]));
}

#[test]
fn types_are_those_of_sql_and_not_of_flinks_type_text() {
    for (sql, data_type) in [
        ("VARCHAR", "VARCHAR(2147483647)"),
        ("varbinary", "VARBINARY(2147483647)"),
        ("CHARACTER VARYING(3)", "VARCHAR(3)"),
        ("CHAR", "CHAR(1)"),
        ("BINARY", "BINARY(1)"),
        ("BINARY VARYING", "VARBINARY(2147483647)"),
        ("Decimal", "DECIMAL(10, 0)"),
        ("DECIMAL(40, 2)", "DECIMAL(38, 2)"),
        ("TIME", "TIME(0)"),
        ("TIME(9)", "TIME(3)"),
        ("TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"),
        ("TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
        ("TIMESTAMP_LTZ(12)", "TIMESTAMP(9) WITH LOCAL TIME ZONE"),
        (
            "ROW<k STRING NOT NULL 'the key', v map<int, int> NULL> ARRAY NOT NULL ARRAY",
            "ARRAY<ARRAY<ROW<`k` VARCHAR(2147483647) NOT NULL 'the key', `v` MAP<INT, INT>>> NOT NULL>",
        ),
        ("ROW(a INT)", "ROW<`a` INT>"),
        ("ROW<>", "ROW<>"),
        ("VARIANT", "VARIANT"),
    ] {
        assert_eq!(columns(&format!("CREATE TABLE t (c {sql})")), [format!("`c` {data_type}")], "{sql}");
    }
}

#[test]
fn comments_blanks_and_semicolons_are_passed_over() {
    let ddl = "/* a */create/**/table--b\r\nt(// c\n`id`/* ' */INT)with('a'='--b','c'='/*')--\n;; -- end";
    assert_eq!(parse(ddl).options, TableOptions::from_iter([("a", "--b"), ("c", "/*")]));
    assert_eq!(columns(ddl), ["`id` INT"]);
}

#[test]
fn a_keyword_that_is_not_reserved_is_a_name() {
    let ddl =
        "CREATE TABLE if (key INT, type STRING, metadata INT METADATA, data INT PRIMARY KEY NOT ENFORCED)";
    assert_eq!(parse(ddl).path, ["if"]);
    assert_eq!(columns(ddl)[2..], ["`metadata` INT METADATA", "`data` INT NOT NULL"]);
}

#[test]
fn a_unicode_string_is_unescaped() {
    let ddl = "CREATE TABLE t WITH ('a' = U&'\\4e2d\\6587', 'b' = u&'!0041' UESCAPE '!')";
    assert_eq!(parse(ddl).options, TableOptions::from_iter([("a", "中文"), ("b", "A")]));
}

/// As a vendor's pages write options; Flink refuses the first quote.
#[test]
fn options_in_double_quotes_are_those_of_the_older_dialect() {
    let ddl = r#"CREATE TABLE t (id INT) WITH ('connector.type' = 'kafka', "format.type" = "csv",
        "format.quote-character" = "''", "format.field-delimiter" = "\u0001", "a" = "say ""x""")"#;
    let expected = [
        ("connector.type", "kafka"),
        ("format.type", "csv"),
        ("format.quote-character", "'"),
        ("format.field-delimiter", "\\u0001"),
        ("a", "say \"x\""),
    ];
    assert_eq!(parse(ddl).options, TableOptions::from_iter(expected));
    for options in [
        r#"'topic' = 't', "format" = "json", 'connector' = 'kafka'"#,
        r#"'topic' = 't', "connector.type" = "kafka", 'connector' = 'kafka'"#,
        r#"'topic' = 't', "format" "json""#,
        r#"'topic' = 't', "format"#,
    ] {
        let error = refusal(&format!("CREATE TABLE t (id INT) WITH ({options})"));
        assert_eq!(error.message(), r#"Encountered "\"" at line 1, column 46."#, "{options}");
        assert!(error.help().unwrap().contains("single quotes"), "{error}");
    }
}

#[test]
fn a_reserved_word_is_told_to_be_quoted() {
    for word in ["user", "VALUE"] {
        let error = refusal(&format!("CREATE TABLE t (id INT, {word} STRING)"));
        let help = format!("Was expecting a name, and {word} is a reserved word: write `{word}`");
        assert_eq!(error.help(), Some(&*help));
    }
}

/// Texts and places from Flink's own parser tests, its grammar and Calcite's conversion of JavaCC's errors.
#[test]
fn syntax_errors_are_calcites() {
    for (ddl, message) in [
        ("CREATE TABLE t (col1, col2 int) WITH ()", "Encountered \"int\" at line 1, column 28."),
        ("CREATE TABLE t (a INT, b int int)", "Encountered \"int\" at line 1, column 30."),
        ("CREATE TABLE t (col1 INT, value STRING)", "Encountered \"value\" at line 1, column 27."),
        (
            "CREATE TABLE t (\n  VALUE STRING)",
            "Incorrect syntax near the keyword 'VALUE' at line 2, column 3.",
        ),
        ("CREATE TABLE t (\r\n\ta TIME(3) TIME)", "Encountered \"TIME\" at line 2, column 12."),
        (
            "CREATE TABLE t (v INTERVAL DAY)",
            "Incorrect syntax near the keyword 'INTERVAL' at line 1, column 19.",
        ),
        ("CREATE TABLE t (v interval day)", "Encountered \"interval\" at line 1, column 19."),
        ("CREATE TABLE t (v TIMESTAMP(3) WITH TIME ZONE)", "Encountered \"TIME\" at line 1, column 37."),
        ("create table hive.default.t (a INT)", "Encountered \". default\" at line 1, column 18."),
        ("", "Encountered \"<EOF>\" at line 0, column 0."),
        ("CREATE TABLE t (a INT", "Encountered \"<EOF>\" at line 1, column 21."),
        ("CREATE TABLE 'é\u{1F600}'", "Encountered \"\\'\\u00e9\\ud83d\\ude00\\'\" at line 1, column 14."),
        ("CREATE TABLE t (`é\u{1F600}` INT,)", "Encountered \")\" at line 1, column 27."),
        ("CREATE TABLE t (a INT) WITH ('a' = 'b',)", "Encountered \")\" at line 1, column 40."),
        ("CREATE TABLE t (a INT) WITH ('a' = b)", "Encountered \"b\" at line 1, column 36."),
        ("CREATE TABLE t (a INT) WITH ('a' = 'b)", "Encountered \"\\'\" at line 1, column 36."),
        ("CREATE TABLE t (a INT) PARTITION", "Encountered \"PARTITION\" at line 1, column 24."),
        ("CREATE TABLE t (a AS )", "Encountered \")\" at line 1, column 22."),
        ("CREATE TABLE t (a AS (b)", "Encountered \"<EOF>\" at line 1, column 24."),
        (
            "CREATE TABLE t (a # INT)",
            "Lexical error at line 1, column 19.  Encountered: \"#\" (35), after : \"\"",
        ),
        (
            "CREATE TABLE t (`a INT)",
            "Lexical error at line 1, column 24.  Encountered: <EOF> after : \"`a INT)\"",
        ),
        (
            "CREATE TABLE t (a VARCHAR(2147483648))",
            "Literal '2147483648' can not be parsed to type 'java.lang.Integer'",
        ),
    ] {
        let error = refusal(ddl);
        assert_eq!((error.message(), error.kind()), (message, ErrorKind::Syntax), "{ddl}");
        assert!(error.offset().is_some_and(|offset| offset <= ddl.len()), "{ddl}");
    }
}

/// Sentences from `SqlConstraintValidator`, `MergeTableLikeUtil`, `SchemaBuilderUtil` and what is below them.
#[test]
fn what_the_catalog_refuses_is_refused_in_its_order() {
    for (elements, message) in [
        ("a INT, UNIQUE (a) NOT ENFORCED, PRIMARY KEY (a)", "UNIQUE constraint is not supported yet"),
        ("a INT UNIQUE, PRIMARY KEY (a) NOT ENFORCED", "UNIQUE constraint is not supported yet"),
        ("a INT PRIMARY KEY, PRIMARY KEY (a) NOT ENFORCED", "Duplicate primary key definition"),
        (
            "a INT, a AS b, b AS 1",
            "A column named 'a' already exists in the table. \
             Duplicate columns exist in the compute column and regular column. ",
        ),
        (
            "a INT METADATA, a AS b",
            "A column named 'a' already exists in the base table. \
             Computed columns can only overwrite other computed columns.",
        ),
        (
            "a AS b, a INT METADATA",
            "A column named 'a' already exists in the base table. \
             Metadata columns can only overwrite other metadata columns.",
        ),
        (
            "a AS b, a AS c",
            "A generated column named 'a' already exists in the base table. \
             You might want to specify EXCLUDING GENERATED or OVERWRITING GENERATED.",
        ),
        (
            "c AS 1, m INT METADATA, a ROW<b INT>, WATERMARK FOR x AS x",
            "The rowtime attribute field 'x' is not defined in the table schema, at line 1, column 69\n\
             Available fields: ['a', 'm', 'c']",
        ),
        (
            "a ROW<b STRING>, WATERMARK FOR a.c AS a.c",
            "The rowtime attribute field 'a.c' is not defined in the table schema, at line 1, column 50\n\
             Nested field 'c' was not found in a composite type: ROW<`b` STRING>.",
        ),
        (
            "a ROW<b TIMESTAMP(3)>, WATERMARK FOR a.b AS a.b",
            "Invalid column name 'a.b' for rowtime attribute in watermark declaration. Available columns are: [a]",
        ),
        (
            "ts TIMESTAMP(3), WATERMARK FOR ts AS ts, WATERMARK FOR ts AS ts",
            "Multiple WATERMARK declarations are not supported yet.",
        ),
        (
            "a INT, PRIMARY KEY (b) NOT ENFORCED",
            "Primary key column 'b' is not defined in the schema at line 1, column 37",
        ),
        (
            "a INT, c AS 2 * (a + 1), CONSTRAINT ct1 PRIMARY KEY (a, c) NOT ENFORCED",
            "Could not create a PRIMARY KEY with column 'c' at line 1, column 73.\n\
             A PRIMARY KEY constraint must be declared on physical columns.",
        ),
        ("a FOO", "Unknown identifier 'FOO'"),
        ("a `b`.c", "Unknown identifier 'b.c'"),
        ("a DECIMAL(3, 4)", "Decimal scale must be between 0 and the precision 3 (both inclusive)."),
        ("a ROW<b INT, b INT>", "Field names must be unique. Found duplicates: [b]"),
        (
            "a, b",
            "Columns identifiers without types in the schema are supported on CTAS/RTAS statements only.",
        ),
    ] {
        let error = refusal(&format!("CREATE TABLE t ({elements}) WITH ('connector' = 'kafka')"));
        assert_eq!((error.message(), error.kind()), (message, ErrorKind::Table), "{elements}");
    }
    assert_eq!(
        refusal("CREATE TABLE t (a INT) PARTITIONED BY (f3)").message(),
        "Partition column 'f3' not defined in the table schema. Available columns: ['a']"
    );
    assert_eq!(
        refusal("CREATE TABLE t (a INT) WITH ('a' = 'b'); SELECT 1").message(),
        "only single statement supported"
    );
    assert_eq!(
        refusal("CREATE TABLE t (a) WITH ('a' = 'b') AS SELECT 1").message(),
        "CREATE TABLE ... AS is not supported"
    );
}

#[test]
fn hostile_text_is_refused_in_time() {
    let count = 200_000;
    for ddl in [
        "CREATE TABLE t (a AS ".to_owned() + &"(".repeat(count),
        "CREATE TABLE t (a ".to_owned() + &"ARRAY<".repeat(count),
        "CREATE TABLE t (a INT".to_owned() + &" ARRAY".repeat(count),
        "CREATE TABLE ".to_owned() + &"a.".repeat(count),
        "/*".repeat(count),
        "--\n".repeat(count),
        "`".repeat(count),
        "'".repeat(count),
    ] {
        assert!(parse_create_table(&ddl).is_err());
    }
    let numbered = |text: fn(usize) -> String| (0..count / 10).map(text).collect::<Vec<_>>().join(",");
    let columns = numbered(|number| format!("c{number} INT"));
    let names = numbered(|number| format!("c{number}"));
    let options = numbered(|number| format!("'{number}'='{number}'"));
    let statement =
        parse(&format!("CREATE TABLE t ({columns}, PRIMARY KEY ({names}) NOT ENFORCED) WITH ({options})"));
    assert_eq!(statement.schema.primary_key().unwrap().columns().len(), count / 10);
}

#[test]
fn a_table_is_printed_as_show_create_table_prints_it() {
    let table = Table::from_ddl(
        "create table d.t (id int primary key not enforced, ts timestamp_ltz(3) metadata from 'timestamp',
         c as `id` + 1, watermark for ts as ts) comment 'it''s' partitioned by (id) with ('connector' = 'kafka')",
    )
    .unwrap();
    assert_eq!(
        table.to_string(),
        "CREATE TABLE `d`.`t` (\n  \
           `id` INT NOT NULL,\n  \
           `ts` TIMESTAMP(3) WITH LOCAL TIME ZONE METADATA FROM 'timestamp',\n  \
           `c` AS `id` + 1,\n  \
           WATERMARK FOR `ts` AS ts,\n  \
           CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED\n\
         )\nCOMMENT 'it''s'\nPARTITIONED BY (`id`)\nWITH (\n  'connector' = 'kafka'\n)"
    );
    let refusal = table.clauses.check_sink("c.d.t").unwrap_err();
    assert_eq!(
        refusal.message(),
        "Table 'c.d.t' is a partitioned table, but the underlying DynamicTableSink doesn't implement the \
         SupportsPartitioning interface."
    );
}

fn any_column() -> impl Strategy<Value = ColumnKind> {
    let data_type = prop_oneof![
        Just("INT"),
        Just("TIME(3)"),
        Just("DECIMAL(38, 38) NOT NULL"),
        Just("MAP<STRING, ROW<`a``b` INT NOT NULL 'it''s', `c` VARIANT>>"),
        Just("TIMESTAMP_LTZ(9) ARRAY"),
    ]
    .prop_map(|text| text.parse::<DataType>().unwrap());
    let key = proptest::option::of("[a-z' ]{1,6}");
    let expression = prop_oneof![Just("f(a, ')', `x`[1])"), Just("CASE WHEN a THEN 'b;' ELSE -1e5 END")];
    prop_oneof![
        data_type.clone().prop_map(ColumnKind::Physical),
        (data_type, key, any::<bool>()).prop_map(|(data_type, key, is_virtual)| ColumnKind::Metadata {
            data_type,
            key,
            is_virtual
        }),
        expression.prop_map(|expression| ColumnKind::Computed { expression: expression.to_owned() }),
    ]
}

proptest! {
    #[test]
    fn a_printed_table_is_read_back(
        columns in proptest::collection::btree_map("[a-z`'. é]{1,6}", (any_column(), proptest::option::of(".{0,6}")), 1..6),
        constraint in proptest::option::of("[a-z` ]{1,6}"),
        clauses in (proptest::option::of(".{0,9}"), any::<bool>(), any::<bool>()),
        options in proptest::collection::vec((".{0,6}", ".{0,6}"), 0..4),
        path in proptest::collection::vec("[a-zA-Z.`]{1,4}", 1..=3),
    ) {
        let mut builder = TableSchema::builder();
        let mut key = Vec::new();
        for (name, (kind, comment)) in &columns {
            let column = match kind.clone() {
                ColumnKind::Physical(data_type) => {
                    if !data_type.nullable {
                        key.push(name.clone());
                    }
                    Column::physical(name, data_type)
                }
                ColumnKind::Metadata { data_type, key, is_virtual } => {
                    // No two columns may have one key.
                    let key = key.map(|key| format!("{name}/{key}"));
                    Column::metadata(name, data_type, key.as_deref(), is_virtual)
                }
                ColumnKind::Computed { expression } => Column::computed(name, expression),
            };
            builder = builder.push(match comment {
                Some(comment) => column.with_comment(comment),
                None => column,
            });
        }
        key.reverse();
        builder = match constraint {
            _ if key.is_empty() => builder,
            Some(constraint) => builder.primary_key_named(constraint, key),
            None => builder.primary_key(key),
        };
        let options = TableOptions::from_iter(
            [("connector".to_owned(), "kafka".to_owned())].into_iter().chain(options),
        );
        prop_assume!(options.get("connector") == Some("kafka"));
        let mut table = Table::new(builder.build().unwrap(), options).unwrap().with_name(path);
        let (comment, is_distributed, is_partitioned) = clauses;
        table.clauses = Clauses {
            comment,
            distribution: is_distributed.then(|| Distribution { buckets: Some(3), ..Distribution::default() }),
            partition_keys: columns.keys().filter(|_| is_partitioned).cloned().collect(),
        };
        prop_assert_eq!(Table::from_ddl(&table.to_string()).unwrap(), table);
    }

    #[test]
    fn no_statement_panics(
        text in "(CREATE|TABLE|PRIMARY|KEY|NOT|ENFORCED|WITH|AS|INT|ROW|MAP|METADATA|WATERMARK|FOR|COMMENT|a|U&'|[-<>(),.;'`\"\\[\\] /*1-3eéß\n]){0,40}",
        prefix in prop_oneof![Just(""), Just("CREATE TABLE t ("), Just("CREATE TABLE t (a INT, ")],
    ) {
        if let Err(error) = parse_create_table(&format!("{prefix}{text}")) {
            prop_assert!(error.offset().is_none_or(|offset| offset <= prefix.len() + text.len()));
        }
    }
}
