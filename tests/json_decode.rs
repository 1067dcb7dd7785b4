//! What Flink's JSON decoders do where no golden vector looks: settled by runs of the same harness that made the
//! vectors.

use proptest::prelude::*;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Jdk, RowBuf, RowKind, Settings, Table};

/// The rows that `value` decodes to in a table of `columns`, as the fixtures spell them; `None` for an error.
fn decode(columns: &str, options: &str, value: &str) -> Option<Vec<String>> {
    decode_as("json", columns, options, value.as_bytes())
}

fn decode_as(format: &str, columns: &str, options: &str, value: &[u8]) -> Option<Vec<String>> {
    let table = Table::from_ddl(&format!(
        "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = '{format}', \
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b'{options})"
    ))
    .expect("a table");
    let source = table.source(&Settings::flink(Jdk::Jdk8To18)).expect("a source");
    let rows = JsonRows::new(source.layout().columns());
    let spell = |(kind, row): (RowKind, &RowBuf)| {
        let mut line = Vec::new();
        rows.write(kind, row, &mut line).expect("a row");
        let line = String::from_utf8(line).expect("UTF-8");
        line.strip_prefix("[\"+I\",").and_then(|rest| rest.strip_suffix(']')).expect("an insert").to_owned()
    };
    let (record, mut buf) = (ConsumerRecord::new(None, Some(value)), DecodeBuf::new());
    let decoded = source.decoder().decode(&record, &mut buf).ok()?;
    Some(decoded.rows().map(spell).collect())
}

const IGNORE: &str = ", 'json.ignore-parse-errors' = 'true'";
const TREE: &str = ", 'json.decode.json-parser.enabled' = 'false'";
const STRICT: &str = ", 'json.fail-on-missing-field' = 'true'";

fn check(columns: &str, options: &str, cases: &[(&str, &[&str])]) {
    for (value, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|&row| row.to_owned()).collect();
        assert_eq!(decode(columns, options, value), Some(expected), "{value} in ({columns}){options}");
    }
}

#[test]
fn under_ignore_a_string_without_an_end_is_read_as_far_as_it_is_one() {
    let cases: [(&str, &[u8], &[&str]); 5] = [
        ("`é` TIMESTAMP_LTZ(7)", b"{\"\":\"\",\"\xC3\xA9\":\"\xA2}", &["[null]"]),
        ("`B` DATE", b"{\"B\":\"\xE5\x8D\xB4\xA2}", &["[null]"]),
        ("k INT", b"{\"k\":\"1", &[]),
        ("k INT", b"[\"", &[]),
        ("k INT", b"[{\"k\":1},\"", &["[1]"]),
    ];
    for (columns, value, expected) in cases {
        let rows = decode_as("json", columns, IGNORE, value).expect("no error");
        assert_eq!(rows, expected, "{}", String::from_utf8_lossy(value));
    }
}

/// "expected a hex-digit for character escape sequence": two wrong digits are no better than one.
#[test]
fn an_escape_of_other_than_hexadecimal_digits_is_refused() {
    for digits in ["00e9", "00E9"] {
        let value = format!(r#"{{"s":"\u{digits}"}}"#);
        check("s STRING", "", &[(&value, &["[\"é\"]"])]);
        check("s STRING", TREE, &[(&value, &["[\"é\"]"])]);
    }
    for digits in ["GGe9", "0GG9", "00GG", "GGGG", "G0G9", "0G0G", "00eG"] {
        let value = format!(r#"{{"s":"\u{digits}"}}"#);
        assert_eq!(decode("s STRING", "", &value), None, "{value}");
        assert_eq!(decode("s STRING", TREE, &value), None, "{value}");
    }
}

#[test]
fn under_ignore_an_element_that_ends_too_early_deletes_as_a_row_null_does() {
    let table = Table::from_ddl(
        "CREATE TABLE t (k INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't', \
         'key.format' = 'json', 'value.format' = 'json', 'value.json.ignore-parse-errors' = 'true', \
         'properties.bootstrap.servers' = 'b')",
    )
    .expect("a table");
    let source = table.source(&Settings::flink(Jdk::Jdk8To18)).expect("a source");
    let mut buf = DecodeBuf::new();
    // After a name without a colon Jackson hands out no token once, which Flink takes for an element.
    for (value, deletions) in [("[", 0), (r#"[""#, 1), (r#"[{""#, 1), (r#"[{"""#, 2)] {
        let record = ConsumerRecord::new(Some(br#"{"k":1}"#), Some(value.as_bytes()));
        let decoded = source.decoder().decode(&record, &mut buf).expect("no error");
        let kinds: Vec<RowKind> = decoded.rows().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, vec![RowKind::Delete; deletions], "{value}");
    }
}

#[test]
fn under_ignore_what_follows_a_name_without_a_colon_is_no_member_of_the_row() {
    check(
        "id MULTISET<STRING>, m MAP<STRING, STRING>, a STRING",
        IGNORE,
        &[(r#"{"id":{"t"},"m":{"noh":"x"},"a":"\uD"}"#, &["[null,null,null]"])],
    );
}

#[test]
fn under_ignore_a_name_that_is_none_is_read_at_once() {
    // After the escape that is none, else after the whole name.
    let cases: [(&[u8], &[&str]); 12] = [
        (b"{\"m\":{\"\\:}", &["[null,null]"]),
        (b"{\"m\":{\"\xA2\"}", &["[null,null]"]),
        (b"{\"m\":{\"x\":1,\"\\:}", &["[null,null]"]),
        (b"{\"m\":{\"\xFF\\T}", &["[null,null]"]),
        (b"{\"m\":{\"\\\xE4\xBD\xA0}", &["[null,null]"]),
        (b"{\"m\":{\"x\":\"\\\xC3}\",\"b\":2}", &["[null,2]"]),
        (b"{\"m\":{\"x\":{\"\xA2\"}},\"b\":2}", &["[null,null]"]),
        (b"[{\"m\":{\"\\:}},{\"b\":1}]", &["[null,null]", "[null,1]"]),
        (b"{\"m\":{\"\\Tx}r\":0", &[]),
        (b"{\"m\":{\"\xA2\":1},\"b\":2}", &[]),
        (b"{\"m\":{\"x", &[]),
        (b"{\"m\":{\"\\u12", &[]),
    ];
    for (value, expected) in cases {
        let rows = decode_as("json", "m MAP<STRING, INT>, b INT", IGNORE, value).expect("no error");
        assert_eq!(rows, expected, "{}", String::from_utf8_lossy(value));
    }
}

#[test]
fn under_ignore_a_word_that_is_no_value_is_passed_with_the_bytes_looked_at() {
    check(
        "a INT, r ROW<x INT, y STRING>, b SMALLINT",
        IGNORE,
        &[(r#"{"a":139,"s":"7","r":{"x":é,"y":null},"c":"19925Z"}"#, &["[139,null,null]"])],
    );
}

#[test]
fn under_ignore_an_escaped_quote_in_base64_is_no_end_of_the_text() {
    check("v BYTES, w INT", IGNORE, &[(r#"{"v":"AF\"}"#, &[])]);
}

#[test]
fn under_ignore_a_control_character_between_tokens_changes_nothing_of_what_may_follow() {
    let cases: [(&[u8], &[&str]); 5] = [
        (b"{\"m\":{\x1A\"\":\"0\"}", &["[null,null]"]),
        (b"{\"m\":{\"x\":1\x1A,\"b\":2}", &["[null,2]"]),
        (b"{\"m\":{\"x\":1,\x1A\"b\":2}", &[]),
        (b"{\"m\":[\x1A1]}", &[]),
        (b"{\"m\":1,\"b\"\x1A:2}", &[]),
    ];
    for (value, expected) in cases {
        let rows = decode_as("json", "m MAP<STRING, INT>, b INT", IGNORE, value).expect("no error");
        assert_eq!(rows, expected, "{}", String::from_utf8_lossy(value));
    }
}

#[test]
fn a_name_is_as_long_as_its_escapes_say() {
    for (name, is_read) in [
        ("x".repeat(50_000), true),
        ("x".repeat(50_001), false),
        ("\\u0041".repeat(50_000), true),
        ("\\u0041".repeat(50_001), false),
        ("\\u00e9".repeat(25_001), false),
        ("\\ud83d\\ude00".repeat(8_333), true),
        ("\\ud83d\\ude00".repeat(8_334), false),
    ] {
        let value = format!("{{\"{name}\":1,\"b\":2}}");
        let expected = is_read.then(|| vec!["[2]".to_owned()]);
        assert_eq!(decode("b INT", "", &value), expected, "{} bytes", value.len());
    }
}

#[test]
fn a_row_null_ends_a_record_to_which_the_table_adds_columns() {
    let table = |columns: &str, options: &str| {
        let ddl = format!(
            "CREATE TABLE t (b INT{columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = \
             'b', 'value.format' = 'json', 'scan.startup.mode' = 'earliest-offset'{options})"
        );
        let table = Table::from_ddl(&ddl).expect("a table");
        table.source(&Settings::flink(Jdk::Jdk8To18)).expect("a source").decoder()
    };
    const KEYED: &str = ", 'key.format' = 'json', 'key.fields' = 'b'";
    let ignore = ", 'value.json.ignore-parse-errors' = 'true'";
    let (one, none) = (&br#"{"b":7}"#[..], &b"[]"[..]);
    // How many rows; none where Flink refuses a row NULL.
    type Case<'a> = (&'a str, &'a str, &'a [u8], &'a str, Option<usize>);
    let cases: [Case<'_>; 10] = [
        ("", "", one, r#"[null,{"b":1}]"#, Some(1)),
        ("", ignore, one, r#"[[{"":1}"#, Some(1)),
        (", o BIGINT METADATA FROM 'offset' VIRTUAL", "", one, r#"[null,{"b":1}]"#, None),
        (", o BIGINT METADATA FROM 'offset' VIRTUAL", ignore, one, r#"[[{"":1}"#, Some(0)),
        (", o BIGINT METADATA FROM 'offset' VIRTUAL", ignore, one, r#"[{"b":1},null,{"b":2}]"#, Some(1)),
        (", o BIGINT METADATA FROM 'offset' VIRTUAL", ignore, one, r#"[{"b":1},2,{"b":2}]"#, Some(1)),
        ("", KEYED, one, "[null]", None),
        ("", KEYED, none, "[null]", Some(0)),
        ("", &format!("{KEYED}{ignore}"), one, r#"[[{"":1}]"#, Some(0)),
        ("", &format!("{KEYED}{ignore}"), br#"[{"b":7},{"b":8}]"#, r#"[{"b":1},null,{"b":2}]"#, Some(2)),
    ];
    let mut buf = DecodeBuf::new();
    for (columns, options, key, value, expected) in cases {
        let record = ConsumerRecord::new(Some(key), Some(value.as_bytes()));
        let rows = table(columns, options).decode(&record, &mut buf).map(|decoded| decoded.rows().count());
        assert_eq!(rows.ok(), expected, "{value} with {columns}{options}");
    }
}

#[test]
fn avros_json_refuses_what_jackson_sees_after_the_last_field() {
    let cases: [(&[u8], Option<&str>); 9] = [
        (b"{\"v\":\"x\"}\n", Some("[\"x\"]")),
        (b"{\"v\":\"n\n~\"}", None),
        (b"{\"a\":{\"string\":\"\t\"},\"v\":\"x\"}", None),
        (b"{\"v\":\"x\",\"\n\":1", None),
        (b"{\"v\":\"x\",\"\":", None),
        (b"{\"v\":\"x\",\"\":tru", None),
        (b"{\"v\":\"x\",\"\":1", Some("[\"x\"]")),
        (b"{\"v\":\"x\",\"\":\"", Some("[\"x\"]")),
        (b"{\"v\":\"x\",\"\":\"\n\"}", Some("[\"x\"]")),
    ];
    for (value, expected) in cases {
        let rows = decode_as("avro", "v STRING NOT NULL", ", 'avro.encoding' = 'json'", value);
        assert_eq!(rows, expected.map(|row| vec![row.to_owned()]), "{}", String::from_utf8_lossy(value));
    }
}

#[test]
fn avros_json_has_no_zero_below_zero_without_a_point() {
    for (value, expected) in [("-0", r#"["0.0"]"#), ("-0.0", r#"["-0.0"]"#)] {
        let value = format!("{{\"v\":{value}}}");
        for data_type in ["FLOAT", "DOUBLE"] {
            let schema = format!("v {data_type} NOT NULL");
            let rows = decode_as("avro", &schema, ", 'avro.encoding' = 'json'", value.as_bytes());
            assert_eq!(rows, Some(vec![expected.to_owned()]), "{value}");
        }
    }
}

#[test]
fn a_boolean_takes_a_container_for_false_and_the_walk_goes_on_inside_it() {
    check(
        "v BOOLEAN, w INT",
        "",
        &[(r#"{"v":{"w":5},"w":1}"#, &["[false,5]"]), (r#"{"v":{},"w":1}"#, &["[false,null]"])],
    );
    assert_eq!(decode("v BOOLEAN, w INT", "", r#"{"v":[],"w":1}"#), None);
}

#[test]
fn under_ignore_a_container_in_a_scalars_place_is_walked_as_members() {
    check(
        "a INT, b STRING, r ROW<x INT>",
        IGNORE,
        &[(r#"{"a":{"b":1},"r":{"x":3}}"#, &[r#"[null,"1",null]"#]), (r#"{"a":[1,2],"b":"x"}"#, &[])],
    );
    check(
        "v ARRAY<INT>",
        IGNORE,
        &[(r#"{"v":[[1,2],3]}"#, &["[[null,1,2]]"]), (r#"{"v":[{"a":[1]},2]}"#, &["[[null,null,null,1]]"])],
    );
    let tree = format!("{IGNORE}{TREE}");
    check(
        "v ARRAY<INT>",
        &tree,
        &[(r#"{"v":[[1,2],3]}"#, &["[[null,3]]"]), (r#"{"v":[{"a":[1]},2]}"#, &["[[null,2]]"])],
    );
}

#[test]
fn a_repeated_member_counts_toward_the_columns() {
    let text = r#"{"a":1,"a":2,"b":"x","r":{"x":3}}"#;
    check("a INT, b STRING, r ROW<x INT>", "", &[(text, &[r#"[2,"x",null]"#])]);
    check("a INT, b STRING, r ROW<x INT>", TREE, &[(text, &[r#"[2,"x",[3]]"#])]);
    check("a INT, b INT, c INT", STRICT, &[(r#"{"a":1,"a":2,"a":3}"#, &["[3,null,null]"])]);
    assert_eq!(decode("a INT, b INT, c INT", &format!("{STRICT}{TREE}"), r#"{"a":1,"a":2,"a":3}"#), None);
    check("a INT", STRICT, &[(r#"{"a":null}"#, &["[null]"])]);
}

#[test]
fn a_float_is_rounded_once_by_the_parser_and_twice_by_the_tree() {
    let text = r#"{"v":1.00000017881393432617187499}"#;
    check("v FLOAT", "", &[(text, &[r#"["1.0000001"]"#])]);
    check("v FLOAT", TREE, &[(text, &[r#"["1.0000002"]"#])]);
}

#[test]
fn kept_json_text_has_its_numbers_printed_anew() {
    for options in ["", TREE] {
        for (text, printed) in [
            (r#"{"b":[1.10,1e5,0.00001,1e400,-0]}"#, r#"{"b":[1.1,100000.0,1.0E-5,"Infinity",0]}"#),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"["\u001f","😀","\ud83d\ude00"]"#, "[\"\\u001F\",\"😀\",\"😀\"]"),
        ] {
            let row = format!("[{}]", serde_json::to_string(printed).unwrap());
            check("v STRING", options, &[(&format!(r#"{{"v":{text}}}"#), &[&row])]);
        }
        // A DECIMAL anywhere in the row makes BigDecimals of all of them.
        let value = r#"{"v":[100.0,1.10,1e400,-0.0]}"#;
        check("v STRING, d DECIMAL(5, 2)", options, &[(value, &[r#"["[1E+2,1.1,1E+400,0]",null]"#])]);
    }
}

#[test]
fn a_decimal_column_changes_how_the_tree_reads_other_columns() {
    let columns = "s STRING, t TINYINT, n DOUBLE, i BIGINT, d DECIMAL(5, 2)";
    let text = r#"{"s":100.0,"t":1.0,"n":-0.0,"i":9223372036854775807.0}"#;
    check(columns, TREE, &[(text, &[r#"["1E+2",1,"0.0",9223372036854775807,null]"#])]);
    assert_eq!(decode(columns, TREE, r#"{"i":9223372036854775807.5}"#), None);
    assert_eq!(decode("t TINYINT", TREE, r#"{"t":1.0}"#), None);
    check("s STRING, n DOUBLE", TREE, &[(r#"{"s":100.0,"n":-0.0}"#, &[r#"["100.0","-0.0"]"#])]);
}

#[test]
fn days_that_are_not_real_are_taken_or_refused_by_type_and_standard() {
    let iso = ", 'json.timestamp-format.standard' = 'ISO-8601'";
    check("v TIMESTAMP(3)", "", &[(r#"{"v":"2024-02-30 24:00:00"}"#, &[r#"["2024-03-01 00:00:00"]"#])]);
    assert_eq!(decode("v TIMESTAMP(3)", iso, r#"{"v":"2024-02-30T12:00:00"}"#), None);
    check(
        "v TIMESTAMP_LTZ(3)",
        iso,
        &[(r#"{"v":"2024-02-30T24:00:00Z"}"#, &[r#"["2024-03-01 00:00:00Z"]"#])],
    );
    assert_eq!(decode("v DATE", "", r#"{"v":"2023-02-29"}"#), None);
}

#[test]
fn a_null_in_a_root_array_deletes_in_flink_and_is_counted_here() {
    let table = Table::from_ddl(
        "CREATE TABLE t (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 't', \
         'key.format' = 'json', 'value.format' = 'json', 'properties.bootstrap.servers' = 'b')",
    )
    .unwrap();
    let mut buf = DecodeBuf::new();
    let record = ConsumerRecord::new(Some(br#"{"k":1}"#), Some(b"[null]"));
    let kinds = |settings: &Settings, buf: &mut DecodeBuf| {
        let decoder = table.source(settings).unwrap().decoder();
        decoder.decode(&record, buf).unwrap().rows().map(|(kind, _)| kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&Settings::flink(Jdk::Jdk8To18), &mut buf), [RowKind::Delete]);
    assert_eq!(kinds(&Settings::default(), &mut buf), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// A value that begins with its key is decoded alone.
    #[test]
    fn a_key_says_the_same_whether_its_value_begins_with_it_or_not(
        key in prop::collection::vec(prop_oneof![
            4 => "\"id\":(-?[0-9]{1,3}|\"[0-9]\"|null|1\\.5)",
            4 => "\"region\":\"[a-zé]{0,9}(\\\\n|\\\\ud83d)?\"",
            1 => "\"v\":[0-9]",
        ], 0..3),
        in_order: bool,
        behind_key in "(\\}|\\}x|,\\}|)",
        rest in prop::collection::vec("\"(v|w|id)\":([0-9]{1,3}|\"x\"|[a-z])", 0..3),
        ignores: bool,
    ) {
        let key = if in_order { r#""id":7,"region":"eu""#.to_owned() } else { key.join(",") };
        let option = |part: &str| format!("'{part}.format' = 'json', '{part}.json.ignore-parse-errors' = '{ignores}'");
        let table = Table::from_ddl(&format!(
            "CREATE TABLE t (id INT, region STRING, v INT, PRIMARY KEY (id, region) NOT ENFORCED) WITH (\
             'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b', {}, {})",
            option("key"), option("value"),
        )).unwrap();
        let members: Vec<&str> = std::iter::once(&*key).chain(rest.iter().map(String::as_str)).collect();
        let value = format!("{{{}}}", members.join(","));
        for settings in [Settings::default(), Settings::flink(Jdk::Jdk8To18)] {
            let decoder = table.source(&settings).unwrap().decoder();
            let decode = |key: &str| {
                let mut buf = DecodeBuf::new();
                let record = ConsumerRecord::new(Some(key.as_bytes()), Some(value.as_bytes()));
                decoder.decode(&record, &mut buf).ok().map(|decoded| format!("{decoded:?}"))
            };
            let expected = decode(&format!("{{\n{key}{behind_key}"));
            prop_assert_eq!(decode(&format!("{{{key}{behind_key}")), expected, "{} {}", key, value);
        }
    }
}
