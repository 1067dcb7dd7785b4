//! What a table is declared with.

use upsert_kafka::types::DataType;
use upsert_kafka::{Error, Settings, Table};

use super::{assert_bounded, numbered, repeated};

const MEBIBYTE: usize = 1 << 20;

/// Reads a statement and, if it is one, makes source and sink of its table.
fn assert_ddl_bounded(what: &str, ddl: impl Fn(usize) -> Vec<u8>) {
    assert_ddl_bounded_beside(what, 4 * MEBIBYTE, ddl);
}

/// With so many bytes allowed beside those of the statement.
fn assert_ddl_bounded_beside(what: &str, allowed: usize, ddl: impl Fn(usize) -> Vec<u8>) {
    let ddl = |size| String::from_utf8(ddl(size)).expect("text");
    assert_bounded(what, allowed, ddl, |ddl| Table::from_ddl(ddl));
    let declared = |size| {
        let ddl = ddl(size);
        Declared { table: Table::from_ddl(&ddl), ddl }
    };
    let settings = Settings::default();
    assert_bounded(what, allowed, declared, |declared| {
        declared.table.as_ref().ok().map(|table| table.source(&settings).map(|source| source.decoder()))
    });
    assert_bounded(what, allowed, declared, |declared| {
        declared.table.as_ref().ok().map(|table| table.sink(&settings).map(|sink| sink.encoder()))
    });
}

struct Declared {
    ddl: String,
    table: Result<Table, Error>,
}

impl AsRef<[u8]> for Declared {
    fn as_ref(&self) -> &[u8] {
        self.ddl.as_bytes()
    }
}

const OPTIONS: &str = ") WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'key.format' = 'json', \
    'value.format' = 'json', 'properties.bootstrap.servers' = 'b:9092')";

#[test]
fn statements_are_read_in_memory_and_time_as_their_bytes() {
    let key = format!("k INT, PRIMARY KEY (k) NOT ENFORCED{OPTIONS}");
    let with = |options: &str| OPTIONS.replace("('connector'", &format!("({options}'connector'"));
    assert_ddl_bounded("columns", |size| numbered("CREATE TABLE t (", |n| format!("c{n} INT, "), &key, size));
    assert_ddl_bounded("columns of a row", |size| {
        numbered("CREATE TABLE t (r ROW<", |n| format!("c{n} INT, "), &format!("z INT>, {key}"), size)
    });
    assert_ddl_bounded("one name", |size| repeated("CREATE TABLE t (", "c INT, ", &key, size));
    assert_ddl_bounded("columns of the key", |size| {
        let names: Vec<_> = (0..size / 25).map(|number| format!("c{number}")).collect();
        let columns = names.join(" INT, ");
        format!("CREATE TABLE t ({columns} INT, PRIMARY KEY ({}) NOT ENFORCED{OPTIONS}", names.join(", "))
            .into_bytes()
    });
    assert_ddl_bounded("metadata columns", |size| {
        numbered("CREATE TABLE t (", |n| format!("c{n} BIGINT METADATA FROM 'offset' VIRTUAL, "), &key, size)
    });
    assert_ddl_bounded("computed columns", |size| {
        numbered("CREATE TABLE t (", |n| format!("c{n} AS k + {n}, "), &key, size)
    });
    assert_ddl_bounded("levels", |size| repeated("CREATE TABLE t (a ", "ARRAY<", &key, size));
    assert_ddl_bounded("parentheses", |size| repeated("CREATE TABLE t (a AS ", "(", &key, size));
    assert_ddl_bounded("comments", |size| repeated("CREATE TABLE t (", "/**/--\n", &key, size));
    assert_ddl_bounded("literals", |size| {
        repeated("CREATE TABLE t (k INT COMMENT ", "'a'\n", &with(""), size)
    });
    assert_ddl_bounded("properties", |size| {
        let start = "CREATE TABLE t (k INT, PRIMARY KEY (k) NOT ENFORCED) WITH (";
        numbered(start, |n| format!("'properties.p{n}' = 'v', "), &with("")[8..], size)
    });
    assert_ddl_bounded("unknown options", |size| {
        let start = "CREATE TABLE t (k INT, PRIMARY KEY (k) NOT ENFORCED) WITH (";
        numbered(start, |n| format!("'option{n}' = 'v', "), &with("")[8..], size)
    });
    assert_ddl_bounded("topics", |size| {
        let start = "CREATE TABLE t (k INT) WITH ('connector' = 'kafka', 'format' = 'json', \
            'properties.bootstrap.servers' = 'b:9092', 'topic' = '";
        numbered(start, |n| format!("t{n};"), "t')", size)
    });
    assert_ddl_bounded("offsets", |size| {
        let start = "CREATE TABLE t (k INT) WITH ('connector' = 'kafka', 'format' = 'json', 'topic' = 't', \
            'properties.bootstrap.servers' = 'b:9092', 'scan.startup.mode' = 'specific-offsets', \
            'scan.startup.specific-offsets' = '";
        numbered(start, |n| format!("partition:{n},offset:1;"), "partition:9999999,offset:1')", size)
    });
}

#[test]
fn options_of_the_older_dialect_are_read_in_memory_and_time_as_their_bytes() {
    let start = "CREATE TABLE t (k INT) WITH ('connector.type' = 'kafka', 'connector.version' = 'universal', \
        'connector.topic' = 't', 'format.type' = 'json', ";
    let end = "'connector.properties.bootstrap.servers' = 'b:9092')";
    assert_ddl_bounded("schema", |size| {
        numbered(start, |n| format!("'schema.{n}.name' = 'c{n}', 'schema.{n}.type' = 'INT', "), end, size)
    });
    assert_ddl_bounded("indexed properties", |size| {
        numbered(
            start,
            |n| format!("'connector.properties.{n}.key' = 'p{n}', 'connector.properties.{n}.value' = 'v', "),
            end,
            size,
        )
    });
    assert_ddl_bounded("properties", |size| {
        numbered(start, |n| format!("'connector.properties.p{n}' = 'v', "), end, size)
    });
    assert_ddl_bounded("offsets", |size| {
        let start = format!("{start}'connector.startup-mode' = 'specific-offsets', ");
        numbered(
            &start,
            |n| {
                format!(
                    "'connector.specific-offsets.{n}.partition' = '{n}', 'connector.specific-offsets.{n}.offset' = '1', "
                )
            },
            end,
            size,
        )
    });
    assert_ddl_bounded("unknown", |size| numbered(start, |n| format!("'x{n}' = 'v', "), end, size));
}

#[test]
fn patterns_take_no_more_than_their_limit() {
    for part in [r"\p{L}{1000}", "a|", "[a-z]", "(a?)", "(", "[", "a{9}{9}{9}", ".*"] {
        // What 64 KiB of text take while they are read, and 4 MiB compiled.
        assert_ddl_bounded_beside(part, 16 * MEBIBYTE, |size| {
            let start = "CREATE TABLE t (k INT) WITH ('connector' = 'kafka', 'format' = 'json', \
                'properties.bootstrap.servers' = 'b:9092', 'topic-pattern' = '";
            repeated(start, part, "')", size)
        });
    }
}

#[test]
fn types_are_read_in_memory_and_time_as_their_bytes() {
    let types: [fn(usize) -> Vec<u8>; 4] = [
        |size| numbered("ROW<", |n| format!("c{n} INT, "), "z INT>", size),
        |size| repeated("", "ARRAY<", "", size),
        |size| repeated("ROW<a ", "INT NOT NULL, a ", "INT>", size),
        |size| repeated("ROW<`", "``", "` INT>", size),
    ];
    for text in types {
        let text = |size| String::from_utf8(text(size)).expect("text");
        assert_bounded("a type", MEBIBYTE, text, |text| text.parse::<DataType>());
    }
}
