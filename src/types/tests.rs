use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::error::{Error, ErrorKind};

fn parse(text: &str) -> Result<DataType, Error> {
    text.parse()
}

/// What Flink's `LogicalTypeParser` makes of a text, from its test and its documentation.
const SPELLINGS: [(&str, &str); 54] = [
    ("CHAR", "CHAR(1)"),
    ("CHAR NOT NULL", "CHAR(1) NOT NULL"),
    ("CHAR   NOT \t\nNULL", "CHAR(1) NOT NULL"),
    ("char not null", "CHAR(1) NOT NULL"),
    ("CHAR NULL", "CHAR(1)"),
    ("CHAR(33)", "CHAR(33)"),
    ("VARCHAR", "VARCHAR(1)"),
    ("VARCHAR(33)", "VARCHAR(33)"),
    ("STRING", "VARCHAR(2147483647)"),
    ("BOOLEAN", "BOOLEAN"),
    ("BINARY", "BINARY(1)"),
    ("BINARY(33)", "BINARY(33)"),
    ("VARBINARY", "VARBINARY(1)"),
    ("BYTES", "VARBINARY(2147483647)"),
    ("DECIMAL", "DECIMAL(10, 0)"),
    ("DEC", "DECIMAL(10, 0)"),
    ("NUMERIC", "DECIMAL(10, 0)"),
    ("NUMERIC(10)", "DECIMAL(10, 0)"),
    ("DECIMAL(10, 3)", "DECIMAL(10, 3)"),
    ("TINYINT", "TINYINT"),
    ("SMALLINT", "SMALLINT"),
    ("INTEGER", "INT"),
    ("INT", "INT"),
    ("BIGINT", "BIGINT"),
    ("FLOAT", "FLOAT"),
    ("DOUBLE PRECISION", "DOUBLE"),
    ("DATE", "DATE"),
    ("TIME", "TIME(0)"),
    ("TIME(3) WITHOUT TIME ZONE", "TIME(3)"),
    ("TIMESTAMP", "TIMESTAMP(6)"),
    ("TIMESTAMP(3) WITHOUT TIME ZONE", "TIMESTAMP(3)"),
    ("TIMESTAMP WITH TIME ZONE", "TIMESTAMP(6) WITH TIME ZONE"),
    ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP(3) WITH LOCAL TIME ZONE"),
    ("TIMESTAMP_LTZ", "TIMESTAMP(6) WITH LOCAL TIME ZONE"),
    ("TIMESTAMP_LTZ(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE"),
    ("INTERVAL YEAR", "INTERVAL YEAR(2)"),
    ("INTERVAL YEAR(4) TO MONTH", "INTERVAL YEAR(4) TO MONTH"),
    ("INTERVAL MONTH", "INTERVAL MONTH"),
    ("INTERVAL DAY(2) TO SECOND(3)", "INTERVAL DAY(2) TO SECOND(3)"),
    ("INTERVAL DAY TO HOUR", "INTERVAL DAY(2) TO HOUR"),
    ("INTERVAL HOUR TO SECOND(3)", "INTERVAL HOUR TO SECOND(3)"),
    ("INTERVAL HOUR TO MINUTE", "INTERVAL HOUR TO MINUTE"),
    ("INTERVAL MINUTE", "INTERVAL MINUTE"),
    ("INTERVAL SECOND(3)", "INTERVAL SECOND(3)"),
    ("INTERVAL MINUTE TO SECOND", "INTERVAL MINUTE TO SECOND(6)"),
    ("ARRAY<TIMESTAMP(3) WITH LOCAL TIME ZONE>", "ARRAY<TIMESTAMP(3) WITH LOCAL TIME ZONE>"),
    ("INT NOT NULL ARRAY NOT NULL", "ARRAY<INT NOT NULL> NOT NULL"),
    ("INT MULTISET ARRAY", "ARRAY<MULTISET<INT>>"),
    ("MAP<BIGINT, BOOLEAN>", "MAP<BIGINT, BOOLEAN>"),
    ("ROW<f0 INT NOT NULL, `f``1` BOOLEAN>", "ROW<`f0` INT NOT NULL, `f``1` BOOLEAN>"),
    ("ROW(f0 INT NOT NULL, f1 BOOLEAN)", "ROW<`f0` INT NOT NULL, `f1` BOOLEAN>"),
    ("ROW<`f0` INT NOT NULL 'This isn''t dead.'>", "ROW<`f0` INT NOT NULL 'This isn''t dead.'>"),
    ("ROW<user-id INT, value STRING>", "ROW<`user-id` INT, `value` VARCHAR(2147483647)>"),
    ("ROW<>", "ROW<>"),
];

#[test]
fn every_spelling_of_flink_is_read_and_printed_as_its_serializable_string() {
    for (text, printed) in SPELLINGS {
        let data_type = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(data_type.to_string(), printed, "{text}");
        assert_eq!(parse(printed).unwrap(), data_type);
    }
}

#[test]
fn the_summary_says_string_and_bytes() {
    let data_type =
        parse("ROW<a STRING NOT NULL 'it', b BYTES, c TIMESTAMP(3) WITH LOCAL TIME ZONE>").unwrap();
    assert_eq!(format!("{data_type:#}"), "ROW<`a` STRING NOT NULL '...', `b` BYTES, `c` TIMESTAMP_LTZ(3)>");
}

#[test]
fn errors_say_where_the_text_goes_wrong() {
    for (text, offset, message) in [
        ("", 0, "expected a type, found the end"),
        ("  FOO", 2, "expected a type, found FOO"),
        ("ARRAY<INT", 9, "expected >, found the end"),
        ("ROW<a INT b INT>", 10, "expected ,, found b"),
        ("ROW<a INT,>", 10, "expected a name, found >"),
        ("ROW<INT INT>", 4, "expected a name, found INT"),
        ("INT NOT", 7, "expected NULL, found the end"),
        ("VARCHAR(x)", 8, "expected an integer, found x"),
        ("VARCHAR(2147483648)", 8, "Literal '2147483648' can not be parsed to type 'java.lang.Integer'"),
        (
            "INTERVAL FORTNIGHT",
            9,
            "expected YEAR or MONTH or DAY or HOUR or MINUTE or SECOND, found FORTNIGHT",
        ),
        ("INTERVAL HOUR TO DAY", 17, "expected MINUTE or SECOND, found DAY"),
        ("TIMESTAMP WITH ZONE", 15, "expected TIME, found ZONE"),
        ("INT, INT", 3, "expected the end, found ,"),
        ("ROW<`a INT>", 4, "expected a name, found `a INT>"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(offset)), "{text}");
        assert_eq!(error.message(), message, "{text}");
    }
}

#[test]
fn bounds_and_names_are_those_of_flinks_types() {
    for (text, offset, message) in [
        ("CHAR(0)", 0, "Character string length must be between 1 and 2147483647 (both inclusive)."),
        (
            "VARCHAR(0)",
            0,
            "Variable character string length must be between 1 and 2147483647 (both inclusive).",
        ),
        ("BINARY(0)", 0, "Binary string length must be between 1 and 2147483647 (both inclusive)."),
        (
            "VARBINARY(0)",
            0,
            "Variable binary string length must be between 1 and 2147483647 (both inclusive).",
        ),
        ("ARRAY<DECIMAL(39, 2)>", 6, "Decimal precision must be between 1 and 38 (both inclusive)."),
        ("DECIMAL(0)", 0, "Decimal precision must be between 1 and 38 (both inclusive)."),
        ("DECIMAL(3, 4)", 0, "Decimal scale must be between 0 and the precision 3 (both inclusive)."),
        ("TIME(1000)", 0, "Time precision must be between 0 and 9 (both inclusive)."),
        ("TIMESTAMP(10)", 0, "Timestamp precision must be between 0 and 9 (both inclusive)."),
        (
            "TIMESTAMP_LTZ(10)",
            0,
            "Timestamp with local time zone precision must be between 0 and 9 (both inclusive).",
        ),
        (
            "INTERVAL YEAR(5)",
            0,
            "Year precision of year-month intervals must be between 1 and 4 (both inclusive).",
        ),
        (
            "INTERVAL DAY(0)",
            0,
            "Day precision of day-time intervals must be between 1 and 6 (both inclusive).",
        ),
        ("ROW<a INT, b INT, a INT>", 3, "Field names must be unique. Found duplicates: [a]"),
        ("ROW<` ` INT>", 3, "Field names must contain at least one non-whitespace character."),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Table, Some(offset)), "{text}");
        assert_eq!(error.message(), message, "{text}");
    }
}

#[test]
fn nesting_has_a_limit_in_both_notations() {
    let around = |count: usize, inner: &str| "ARRAY<".repeat(count) + inner + &">".repeat(count);
    assert!(parse(&around(99, "INT")).is_ok());
    assert!(parse(&("INT".to_owned() + &" ARRAY".repeat(99))).is_ok());
    for text in [
        around(100, "INT"),
        around(1_000_000, "INT"),
        "INT".to_owned() + &" ARRAY".repeat(100),
        around(50, &("INT".to_owned() + &" ARRAY".repeat(50))),
        around(50, "INT") + &" MULTISET".repeat(50),
        "ROW<a MAP<INT, ".to_owned() + &around(60, "INT") + ">, b INT>" + &" ARRAY".repeat(38),
    ] {
        assert_eq!(parse(&text).unwrap_err().kind(), ErrorKind::Limit);
    }
    let around: [fn(LogicalType) -> LogicalType; 5] = [
        |inner| LogicalType::array(inner),
        |inner| LogicalType::multiset(inner),
        |inner| LogicalType::map(inner, LogicalType::Int),
        |inner| LogicalType::map(LogicalType::Int, inner),
        |inner| LogicalType::row([Field::new("f", inner)]),
    ];
    for around in around {
        let nested = (1..LogicalType::MAX_NESTING).fold(LogicalType::Int, |inner, _| around(inner));
        assert!(nested.clone().nullable().check().is_ok());
        assert_eq!(around(nested).nullable().check().unwrap_err().kind(), ErrorKind::Limit);
    }
}

#[test]
fn every_type_of_the_golden_vectors_is_read_and_printed_alike() {
    let mut texts = Vec::new();
    collect_types(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"), &mut texts);
    assert!(texts.len() > 10_000, "{} types", texts.len());
    for text in texts {
        let data_type = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let summary = format!("{data_type:#}");
        // The users' reports spell names in a ROW without quotes.
        let bare_names = text.contains("ROW<") && !text.contains('`') && text != "ROW<>";
        assert!(bare_names || text == data_type.to_string() || text == summary, "{text}");
        assert_eq!(parse(&summary).unwrap(), data_type);
    }
}

fn collect_types(path: &Path, texts: &mut Vec<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect_types(&entry.unwrap().path(), texts);
        }
    } else if path.extension().is_some_and(|extension| extension == "jsonl") {
        for line in fs::read_to_string(path).unwrap().lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let (table, resolved) = (&case["table"], &case["resolved"]);
            let columns =
                [&table["columns"], &table["metadata"], &resolved["key_fields"], &resolved["value_fields"]];
            let columns = columns.into_iter().filter_map(Value::as_array).flatten();
            texts.extend(columns.map(|column| column[1].as_str().unwrap().to_owned()));
        }
    }
}

fn any_logical_type() -> impl Strategy<Value = LogicalType> {
    let length = || prop_oneof![1..100_u32, Just(LogicalType::MAX_LENGTH)];
    let scalar = prop_oneof![
        length().prop_map(LogicalType::Char),
        length().prop_map(LogicalType::VarChar),
        length().prop_map(LogicalType::Binary),
        length().prop_map(LogicalType::VarBinary),
        (1..=38_u8).prop_flat_map(|p| (Just(p), 0..=p)).prop_map(|(p, s)| LogicalType::decimal(p, s)),
        prop_oneof![Just(LogicalType::Boolean), Just(LogicalType::Float), Just(LogicalType::Double)],
        prop_oneof![Just(LogicalType::TinyInt), Just(LogicalType::SmallInt), Just(LogicalType::Int)],
        prop_oneof![Just(LogicalType::BigInt), Just(LogicalType::Date), Just(LogicalType::Variant)],
        prop_oneof![Just(LogicalType::Bitmap), Just(LogicalType::Null)],
        (0..=9_u8).prop_map(LogicalType::Time),
        (0..=9_u8).prop_map(LogicalType::Timestamp),
        (0..=9_u8).prop_map(LogicalType::TimestampTz),
        (0..=9_u8).prop_map(LogicalType::TimestampLtz),
        (1..=4_u8, 0..3).prop_map(|(years, which)| LogicalType::YearMonthInterval(match which {
            0 => YearMonthInterval::Year(years),
            1 => YearMonthInterval::YearToMonth(years),
            _ => YearMonthInterval::Month,
        })),
        (1..=6_u8, 0..=9_u8, 0..10).prop_map(|(days, fraction, which)| {
            LogicalType::DayTimeInterval(match which {
                0 => DayTimeInterval::Day(days),
                1 => DayTimeInterval::DayToHour(days),
                2 => DayTimeInterval::DayToMinute(days),
                3 => DayTimeInterval::DayToSecond(days, fraction),
                4 => DayTimeInterval::Hour,
                5 => DayTimeInterval::HourToMinute,
                6 => DayTimeInterval::HourToSecond(fraction),
                7 => DayTimeInterval::Minute,
                8 => DayTimeInterval::MinuteToSecond(fraction),
                _ => DayTimeInterval::Second(fraction),
            })
        }),
    ];
    scalar.prop_recursive(4, 32, 4, |inner| {
        let element =
            (inner, any::<bool>()).prop_map(|(logical_type, nullable)| DataType { logical_type, nullable });
        let description = proptest::option::of("[a-z' ]{0,8}");
        let fields =
            proptest::collection::btree_map("[a-z`é(,.'-]{1,6}", (element.clone(), description), 0..4);
        prop_oneof![
            element.clone().prop_map(LogicalType::array),
            element.clone().prop_map(LogicalType::multiset),
            (element.clone(), element).prop_map(|(key, value)| LogicalType::map(key, value)),
            fields.prop_map(|fields| {
                LogicalType::row(fields.into_iter().map(|(name, (data_type, description))| Field {
                    name,
                    data_type,
                    description,
                }))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(logical_type in any_logical_type(), nullable: bool) {
        let data_type = DataType { logical_type, nullable };
        prop_assert!(data_type.check().is_ok());
        prop_assert_eq!(&parse(&data_type.to_string()).unwrap(), &data_type);
    }

    #[test]
    fn no_text_panics(text in "([A-Z]{3,8}|ROW|ARRAY|INT|NOT|NULL|[<>(),.'` 0-9é]){0,24}") {
        let _ = parse(&text);
    }
}
