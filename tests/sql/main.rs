//! `CREATE TABLE` against Flink's own parser and catalog, which `Record.java` asked: its words and letters whole, and
//! statements of every kind of literal, comment, name and clause.

use std::collections::BTreeMap;

use serde_json::Value;
use upsert_kafka::table::Column;
use upsert_kafka::{Error, Table};

/// Where we say something else than Flink, and the statements of it: each by a part of its text (`^` is its start, `$` its end).
const OTHERWISE: &[(&str, &[&str])] = &[
    ("a string of Java's can hold half of a surrogate pair", &[r"'topic'=U&'\D83D')", r"'a'=E'\uD83D')"]),
    ("no expression is read", &["c AS foo(1)", "a AS b => c", "OR b != 2"]),
    (
        "no other statement is read",
        &[
            "OR REPLACE VIEW",
            "CREATE VIEW",
            "CREATE TEMPORARY OR",
            "CREATE TEMPORARY SYSTEM",
            "; x",
            "^REPLACE TABLE",
        ],
    ),
    ("no query is read", &[") AS SELECT 1", "TABLE t AS SELECT", "'topic'='t') AS$"]),
    (
        "there are no types of Java's classes and no shapes",
        &["a RAW(", "a RAW)", "a STRUCTURED", "a GEOMETRY"],
    ),
    ("types are refused in the order of the text", &["a DECIMAL(3,4), b b)", "a FOO METADATA, b BAR"]),
    (
        "Flink takes the length 0 and fails when it prints the type",
        &["VARCHAR(0))", "a CHAR(0)", "a BINARY(0)"],
    ),
    ("Flink's SQL forgets the description of a field", &["ROW<a INT 'c'>"]),
    (
        "an exception of Java's that is no refusal",
        &["WATERMARK FOR x.y AS x.y", "character set utf8", "X'74' '75'"],
    ),
    ("a binary literal is refused where it stands", &["'a'=X'74', 1", "'a'=X'7', 1", "X'74' 'zz'"]),
    ("of a number only digits are read", &["INTO DECIMAL '3'"]),
];

const WITH: &str = "WITH ('connector' = 'kafka')";

#[test]
fn a_word_is_reserved_where_flink_reserves_it() {
    let words = include_str!("words.txt").lines().filter(|line| !line.starts_with('#'));
    let wrong: Vec<&str> = words
        .filter(|line| {
            let (word, kind) = line.split_once(' ').unwrap();
            [
                format!("CREATE TABLE {word} (id BIGINT) {WITH}"),
                format!("CREATE TABLE t ({word} BIGINT) {WITH}"),
                format!("CREATE TABLE t (`{word}` BIGINT, PRIMARY KEY ({word}) NOT ENFORCED) {WITH}"),
                format!("CREATE TABLE t (r ROW<{word} INT>) {WITH}"),
            ]
            .iter()
            .any(|ddl| Table::from_ddl(ddl).is_ok() != (kind == "name"))
        })
        .collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_character_is_a_letter_where_it_is_one_of_flinks() {
    let mut letters = BTreeMap::new();
    for line in include_str!("letters.txt").lines().filter(|line| !line.starts_with('#')) {
        let (range, kind) = line.split_once(' ').unwrap();
        let (first, last) = range.split_once('-').unwrap();
        let [first, last] = [first, last].map(|code| u32::from_str_radix(code, 16).unwrap());
        letters.extend((first..=last).map(|code| (code, kind)));
    }
    for c in '\0'..='\u{FFFF}' {
        let kind = letters.get(&u32::from(c)).copied();
        // A point is in a path of names, a blank between two tokens.
        let is_letter = c != '.' && Table::from_ddl(&format!("CREATE TABLE t (a{c}b\n INT) {WITH}")).is_ok();
        let begins = is_letter && Table::from_ddl(&format!("CREATE TABLE t ({c}a INT) {WITH}")).is_ok();
        assert_eq!((is_letter, begins), (kind.is_some(), kind == Some("begins")), "{c:?}");
    }
}

#[test]
fn a_statement_is_read_or_refused_as_flink_does() {
    let mut wrong = Vec::new();
    let mut rules: Vec<(&str, bool)> =
        OTHERWISE.iter().flat_map(|(_, parts)| *parts).map(|part| (*part, false)).collect();
    for line in include_str!("statements.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let ddl = case["ddl"].as_str().unwrap();
        let expected = match case["error"].as_str() {
            Some(message) => message.to_owned(),
            None => format!("{}\n{}", case["columns"], case["options"]),
        };
        let got = match Table::from_ddl(ddl) {
            Err(error) if is_about_the_connector(&error) => expected.clone(),
            Err(error) => error.message().to_owned(),
            Ok(table) => view(&table, &case),
        };
        if got == expected {
            continue;
        }
        match rules.iter_mut().find(|(part, _)| format!("^{ddl}$").contains(part)) {
            Some((_, is_met)) => *is_met = true,
            None => wrong.push(format!("{ddl}\n  expected {expected}\n  got      {got}")),
        }
    }
    rules.retain(|(_, is_met)| !is_met);
    assert!(rules.is_empty(), "no statement is read otherwise: {rules:?}");
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// That comes after the statement is read.
fn is_about_the_connector(error: &Error) -> bool {
    error.message().starts_with("Table options do not contain an option key 'connector'")
}

/// The columns and options of a table, as the case has them.
fn view(table: &Table, case: &Value) -> String {
    let summary = |(place, column): (usize, &Column)| {
        let summary = match column.data_type() {
            Some(data_type) => format!("`{}` {data_type:#}", column.name()),
            None => format!("`{}` ", column.name()),
        };
        // What follows the type is the column's kind, and of a computed column its type as well.
        let expected = case["columns"][place].as_str().unwrap_or_default();
        if expected.starts_with(&summary) { expected.to_owned() } else { summary }
    };
    let columns: Vec<String> = table.schema().columns().iter().enumerate().map(summary).collect();
    // Of a temporary table the options were not asked.
    let options = match &case["options"] {
        Value::Null => Value::Null,
        _ => table.options().iter().map(|(key, value)| (key.to_owned(), Value::from(value))).collect(),
    };
    format!("{}\n{options}", Value::from(columns))
}
