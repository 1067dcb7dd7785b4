//! What people write out of habit, and what the refusal tells them to write.

use upsert_kafka::{Error, Settings, Table};

fn refusal(ddl: &str, is_sink: bool) -> Error {
    let resolved = Table::from_ddl(ddl).and_then(|table| match is_sink {
        true => table.sink(&Settings::default()).map(drop),
        false => table.source(&Settings::default()).map(drop),
    });
    resolved.expect_err(ddl)
}

#[test]
fn a_column_of_another_database_is_answered_with_flinks() {
    for (column, message, hint) in [
        ("TEXT", "Unknown identifier 'TEXT'", "STRING"),
        ("uuid", "Unknown identifier 'uuid'", "STRING"),
        ("DATETIME", "Incorrect syntax near the keyword 'DATETIME' at line 1, column 19.", "TIMESTAMP(3)"),
        ("datetime(3)", "Encountered \"datetime\" at line 1, column 19.", "TIMESTAMP(3)"),
        ("INT(11)", "Encountered \"(\" at line 1, column 22.", "INT"),
        ("BIGINT(20) NOT NULL", "Encountered \"(\" at line 1, column 25.", "BIGINT"),
        ("VARCHAR2(10)", "Encountered \"(\" at line 1, column 27.", "VARCHAR"),
        ("BIGINT AUTO_INCREMENT", "Encountered \"AUTO_INCREMENT\" at line 1, column 26.", "leave it out"),
        (
            "BIGINT NOT NULL auto_increment",
            "Encountered \"auto_increment\" at line 1, column 35.",
            "leave it out",
        ),
        ("INT DEFAULT 1", "Encountered \"DEFAULT\" at line 1, column 23.", "no defaults"),
        ("INT UNSIGNED", "Encountered \"UNSIGNED\" at line 1, column 23.", "the next larger one"),
        ("REAL", "Type is not supported: REAL", "FLOAT"),
        ("INT COMMENT \"x\"", "Encountered \"\\\"\" at line 1, column 31.", "single quotes"),
    ] {
        let error = refusal(&format!("CREATE TABLE t (c {column}) WITH ('connector' = 'kafka')"), true);
        assert_eq!(error.message(), message, "{column}");
        assert!(error.help().is_some_and(|help| help.contains(hint)), "{column}: {error:#}");
    }
}

#[test]
fn an_option_that_is_nearly_one_is_answered_with_it_before_the_list() {
    const BROKER: &str = "'properties.bootstrap.servers' = 'b:1', ";
    const KAFKA: &str =
        "'connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:1', 'format' = 'json', ";
    const UPSERT: &str = "'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:1', \
                          'key.format' = 'json', 'value.format' = 'json', ";
    for (columns, common, options, hint) in [
        (
            "id INT",
            "'topic' = 't', 'format' = 'json', ",
            "'connector' = 'kafka', 'bootstrap.servers' = 'b:1'",
            "'properties.bootstrap.servers'",
        ),
        ("id INT", KAFKA, "'bootstrap.servers' = 'b:1'", "'properties.bootstrap.servers'"),
        ("id INT", KAFKA, "'sasl.mechanism' = 'PLAIN'", "'properties.sasl.mechanism'"),
        ("id INT", BROKER, "'connector' = 'kafka', 'topics' = 't', 'format' = 'json'", "'topic'"),
        ("id INT", KAFKA, "'value.json.ignore-parse-errors' = 'true'", "'json.ignore-parse-errors'"),
        ("id INT", KAFKA, "'scan.startup-mode' = 'earliest-offset'", "'scan.startup.mode'"),
        ("id INT, o BIGINT METADATA FROM 'offset'", KAFKA, "'sink.parallelism' = '1'", "METADATA VIRTUAL"),
        ("id INT PRIMARY KEY NOT ENFORCED", KAFKA, "'sink.parallelism' = '1'", "'upsert-kafka'"),
        (
            "id INT PRIMARY KEY NOT ENFORCED",
            UPSERT,
            "'json.ignore-parse-errors' = 'true'",
            "'key.json.ignore-parse-errors' or 'value.json.ignore-parse-errors'",
        ),
        ("id INT PRIMARY KEY NOT ENFORCED", UPSERT, "'format' = 'json'", "'key.format' and 'value.format'"),
        (
            "id INT PRIMARY KEY NOT ENFORCED",
            BROKER,
            "'connector' = 'upsert-kafka', 'topic' = 't', 'format' = 'json'",
            "'key.format' and 'value.format'",
        ),
        (
            "id INT PRIMARY KEY NOT ENFORCED",
            UPSERT,
            "'scan.startup.mode' = 'earliest-offset'",
            "of 'kafka' alone",
        ),
    ] {
        let error = refusal(&format!("CREATE TABLE t ({columns}) WITH ({common}{options})"), true);
        for shown in [error.to_string(), format!("{error:#}")] {
            let place = shown.find(hint).unwrap_or_else(|| panic!("no {hint} in {shown}"));
            let list = shown
                .find("Supported options")
                .or_else(|| shown.find("keys for writing"))
                .unwrap_or(usize::MAX);
            assert!(place < list, "{shown}");
        }
    }
}

#[test]
fn a_refusal_names_the_option_as_it_was_written() {
    for option in ["format", "value.format"] {
        let ddl = format!(
            "CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = 't',
             'properties.bootstrap.servers' = 'b:1', '{option}' = 'json')"
        );
        assert_eq!(refusal(&ddl, true).option(), Some(option));
    }
}
