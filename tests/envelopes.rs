//! `debezium-json`, `canal-json`, `maxwell-json` and `ogg-json` where the vectors leave a rule open. The expected rows
//! are what Flink 2.3 makes of the same messages.

use proptest::prelude::*;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::source::SkipReason;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoder, Error, Jdk, Settings, Table};

/// A table to be read, with the options of its value's format after the name of the format.
struct Source {
    decoder: Decoder,
    rows: JsonRows,
}

impl Source {
    fn new(columns: &str, format: &str, options: &[(&str, &str)]) -> Self {
        Self::with_settings(columns, format, options, &Settings::default())
    }

    fn with_settings(columns: &str, format: &str, options: &[(&str, &str)], settings: &Settings) -> Self {
        let options: String = options.iter().map(|(key, value)| format!(", '{key}' = '{value}'")).collect();
        let ddl = format!(
            "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', \
             'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset', 'value.format' = '{format}'{options})"
        );
        let table = Table::from_ddl(&ddl).expect("a table");
        let source = table.source(settings).expect("a source");
        Self { rows: JsonRows::new(source.layout().columns()), decoder: source.decoder() }
    }

    /// The rows of a message, and why there are none where there are none.
    fn decode(&self, key: Option<&str>, value: &[u8]) -> Result<(Option<SkipReason>, String), Error> {
        let mut buf = DecodeBuf::new();
        let record = ConsumerRecord::new(key.map(str::as_bytes), Some(value)).with_offset(0);
        let decoded = self.decoder.decode(&record, &mut buf)?;
        let mut shown = Vec::new();
        for (kind, row) in decoded.rows() {
            self.rows.write(kind, row, &mut shown)?;
        }
        Ok((decoded.skipped(), String::from_utf8(shown).expect("JSON")))
    }

    /// The rows of a message, or what is wrong with it.
    fn read(&self, value: &str) -> String {
        self.decode(None, value.as_bytes()).map_or_else(|error| error.message().to_owned(), |(_, rows)| rows)
    }
}

const IGNORE: (&str, &str) = ("value.canal-json.ignore-parse-errors", "true");

#[test]
fn an_old_value_is_copied_unless_its_name_stands_anywhere_in_old() {
    let canal = Source::new("id INT, name STRING, r ROW<x INT>, x INT", "canal-json", &[]);
    let update = |old: &str| {
        let new = r#"{"id":1,"name":"a","r":{"x":5},"x":6}"#;
        let rows = canal.read(&format!(r#"{{"data":[{new},{new}],"old":[{old}],"type":"UPDATE"}}"#));
        rows.replace(r#"["+U",[1,"a",[5],6]]"#, " ")
    };
    assert_eq!(
        update(r#"{"name":"b"},{}"#),
        r#"["-U",[1,"b",[5],6]] ["-U",[1,null,[5],6]] "#,
        "named in the image of another row"
    );
    assert_eq!(
        update(r#"{"name":null},{"r":{"x":4}}"#),
        r#"["-U",[1,null,null,null]] ["-U",[1,null,[4],null]] "#,
        "null is a value, and a member of a nested row has a name too"
    );
    let maxwell = Source::new("id INT, name STRING", "maxwell-json", &[]);
    assert_eq!(
        maxwell.read(r#"{"data":{"id":1,"name":"a"},"old":{"id":{"name":1},"id":2},"type":"update"}"#),
        r#"["-U",[2,"a"]]["+U",[1,"a"]]"#,
        "what a repeated member had first is gone"
    );
}

#[test]
fn one_message_in_an_array_is_read_where_flink_reads_rows() {
    let message = r#"{"op":"c","op_type":"I","after":{"id":1}}"#;
    for format in ["debezium-json", "ogg-json"] {
        let source = Source::new("id INT", format, &[]);
        assert_eq!(source.read(&format!("[{message}]")), r#"["+I",[1]]"#);
        assert_eq!(source.read(&format!("[null,{message}]")), r#"["+I",[1]]"#);
        assert_eq!(
            source.read(&format!("[{message},{message}]")),
            "Please invoke DeserializationSchema#deserialize(byte[], Collector<RowData>) instead."
        );
        assert_eq!(source.read("[]"), "expected a message, found an empty array");
        let option = format!("value.{format}.ignore-parse-errors");
        let ignoring = Source::new("id INT", format, &[(&option, "true")]);
        assert_eq!(ignoring.read(&format!("[5,{message}]")), r#"["+I",[1]]"#);
        assert_eq!(ignoring.read(&format!("[{message},{message}]")), "");
    }
    let message = r#"{"type":"insert","data":{"id":1}}"#;
    assert_eq!(
        Source::new("id INT", "maxwell-json", &[]).read(&format!("[{message}]")),
        "expected an object, found an array"
    );
}

#[test]
fn a_filter_matches_the_text_of_its_member_whatever_it_is() {
    let database =
        |pattern| Source::new("id INT", "canal-json", &[("value.canal-json.database.include", pattern)]);
    let read = |pattern, database_of_message: &str| {
        let message = format!(r#"{{"database":{database_of_message},"type":"INSERT","data":[{{"id":1}}]}}"#);
        database(pattern).decode(None, message.as_bytes()).expect("a message").0
    };
    assert_eq!(read("null", "null"), None);
    assert_eq!(read("7", "7"), None);
    assert_eq!(read("", "{}"), None);
    assert_eq!(read("my", r#""mydb""#), Some(SkipReason::Filtered));
    assert_eq!(database("my").read(r#"{"type":"INSERT"}"#), "the member \"database\" is missing or null");
    let create = Source::new("id INT", "canal-json", &[]).decode(None, br#"{"type":"CREATE","data":null}"#);
    assert_eq!(create.expect("no error").0, Some(SkipReason::Filtered));
}

#[test]
fn what_is_wrong_is_said_in_flinks_words() {
    let debezium = Source::new("id INT", "debezium-json", &[]);
    let truncate = r#"{"op":"t"}"#;
    assert_eq!(
        debezium.read(truncate),
        format!("Unknown \"op\" value \"t\". The Debezium JSON message is '{truncate}'")
    );
    assert_eq!(
        debezium.read(r#"{"op":"u","after":{"id":1}}"#),
        "The \"before\" field of UPDATE message is null, if you are using Debezium Postgres Connector, please check \
         the Postgres table has been set REPLICA IDENTITY to FULL level."
    );
    let maxwell = Source::new("id INT", "maxwell-json", &[]);
    let bootstrap = r#"{"type":"bootstrap-insert","data":{"id":1}}"#;
    assert_eq!(
        maxwell.read(bootstrap),
        format!("Unknown \"type\" value \"bootstrap-insert\". The Maxwell JSON message is '{bootstrap}'")
    );
}

#[test]
fn an_image_that_nobody_needs_must_convert_all_the_same() {
    let debezium = Source::new("id INT", "debezium-json", &[]);
    assert_eq!(
        debezium.read(r#"{"op":"c","before":5,"after":{"id":1}}"#),
        "expected an object, found a number"
    );
    let canal = Source::new("id INT", "canal-json", &[]);
    let messages = [
        r#"{"type":"INSERT","data":[{"id":1}],"old":[{"id":"x"}]}"#,
        r#"{"type":"UPDATE","data":[{"id":1}],"old":[{"id":0},{"id":"x"}]}"#,
        r#"{"type":"CREATE","data":[{"id":"x"}]}"#,
    ];
    for message in messages {
        assert_eq!(canal.read(message), "expected INT, found a string", "{message}");
    }
    let ignoring = Source::new("id INT", "canal-json", &[IGNORE]);
    assert_eq!(ignoring.read(messages[1]), r#"["-U",[0]]["+U",[1]]"#);
    assert_eq!(
        ignoring.read(r#"{"type":"UPDATE","data":[{"id":1},{"id":2}],"old":[{"id":0}]}"#),
        r#"["-U",[0]]["+U",[1]]"#,
        "the rows in front of the fault stay"
    );
}

#[test]
fn a_decimal_column_changes_how_metadata_reads() {
    let message = r#"{"op":"c","after":{},"source":{"n":100.0,"o":{"a":1e2}}}"#;
    let metadata = "p MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL";
    let read = |columns| Source::new(&format!("{columns}, {metadata}"), "debezium-json", &[]).read(message);
    assert_eq!(read("id INT"), r#"["+I",[null,[["n","100.0"],["o","{\"a\":100.0}"]]]]"#);
    assert_eq!(read("id DECIMAL(5, 2)"), r#"["+I",[null,[["n","1E+2"],["o","{\"a\":1E+2}"]]]]"#);
}

/// connector.md 3.6: Flink's columns with a key whose columns are in the value too.
#[test]
fn flink_shifts_the_formats_metadata_by_the_columns_that_are_in_key_and_value() {
    let columns = "id INT, db STRING METADATA FROM 'value.source.database' VIRTUAL, off BIGINT METADATA FROM 'offset' \
                   VIRTUAL, tab STRING METADATA FROM 'value.source.table' VIRTUAL";
    let options = [("key.format", "json"), ("key.fields", "id")];
    let message = br#"{"op":"c","after":{"id":2},"source":{"db":"D1","table":"T1"}}"#;
    let read = |settings: &Settings, options: &[_]| {
        let source = Source::with_settings(columns, "debezium-json", options, settings);
        source.decode(Some(r#"{"id":1}"#), message).expect("a message").1
    };
    let flink = Settings::flink(Jdk::Jdk8To18);
    assert_eq!(read(&Settings::default(), &options), r#"["+I",[2,"D1",0,"T1"]]"#);
    assert_eq!(read(&flink, &options), r#"["+I",[2,null,0,"D1"]]"#);
    let except_key = [options[0], options[1], ("value.fields-include", "EXCEPT_KEY")];
    assert_eq!(read(&flink, &except_key), r#"["+I",[1,"D1",0,"T1"]]"#);
}

#[test]
fn a_deleted_row_has_the_values_columns_and_not_the_keys() {
    let source = Source::new("id INT", "ogg-json", &[("key.format", "json"), ("key.fields", "id")]);
    let (_, rows) =
        source.decode(Some(r#"{"id":1}"#), br#"{"op_type":"D","before":{"id":2}}"#).expect("a message");
    assert_eq!(rows, r#"["-D",[2]]"#);
}

/// Pieces that messages are made of, in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "null",
        "\"op\"",
        "\"type\"",
        "\"op_type\"",
        "\"before\"",
        "\"after\"",
        "\"data\"",
        "\"old\"",
        "\"u\"",
        "\"UPDATE\"",
        "\"update\"",
        "\"U\"",
        "\"id\"",
        "1",
        "\"x\"",
        "\"source\"",
        "\"ts_ms\"",
        "1e999",
        "\"\\uD800\"",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// Messages with holes and wrong kinds.
fn message() -> impl Strategy<Value = String> {
    let image = prop::sample::select(vec![
        "",
        "null",
        "5",
        "{}",
        r#"{"id":1}"#,
        r#"{"id":"x"}"#,
        r#"[{"id":1}]"#,
        "[null]",
    ]);
    let operation =
        prop::sample::select(vec!["\"u\"", "\"UPDATE\"", "\"update\"", "\"U\"", "\"d\"", "\"CREATE\"", "7"]);
    (image.clone(), image, operation).prop_map(|(before, after, operation)| {
        let mut members = vec![format!(r#""op":{operation},"type":{operation},"op_type":{operation}"#)];
        for (names, image) in [(["before", "old"], before), (["after", "data"], after)] {
            members
                .extend(names.iter().filter(|_| !image.is_empty()).map(|name| format!("\"{name}\":{image}")));
        }
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #[test]
    fn no_text_makes_a_decoder_panic(text in prop_oneof![soup(), message(), ".*"]) {
        for format in ["debezium-json", "canal-json", "maxwell-json", "ogg-json"] {
            let option = format!("value.{format}.ignore-parse-errors");
            let columns = "id INT, name STRING";
            let strict = Source::new(columns, format, &[]).decode(None, text.as_bytes());
            let ignoring = Source::new(columns, format, &[(&option, "true")]).decode(None, text.as_bytes());
            let (_, ignoring) = ignoring.expect("errors are ignored");
            if let Ok((_, strict)) = strict {
                prop_assert_eq!(ignoring, strict);
            }
        }
    }
}

/// What the messages of a format look like.
#[derive(Clone, Copy, Debug)]
struct Names {
    format: &'static str,
    before: &'static str,
    after: &'static str,
    operation: &'static str,
    operations: &'static [&'static str],
    are_lists: bool,
}

const DEBEZIUM: Names = Names {
    format: "debezium-json",
    before: "before",
    after: "after",
    operation: "op",
    operations: &["c", "r", "u", "d"],
    are_lists: false,
};

const NAMES: [Names; 4] = [
    DEBEZIUM,
    Names { format: "ogg-json", operation: "op_type", operations: &["I", "U", "D"], ..DEBEZIUM },
    Names {
        format: "maxwell-json",
        before: "old",
        after: "data",
        operation: "type",
        operations: &["insert", "update", "delete"],
        are_lists: false,
    },
    Names {
        format: "canal-json",
        before: "old",
        after: "data",
        operation: "type",
        operations: &["INSERT", "UPDATE", "DELETE", "CREATE"],
        are_lists: true,
    },
];

/// A row, or a part of one.
fn image() -> impl Strategy<Value = String> {
    let text = || "[ !#-Z^-~é😀]{0,12}(\\\\[nu\"])?";
    let id = || prop_oneof![9 => "-?[0-9]{1,12}", 1 => "\"-?[0-9]{1,3}\"|null|1e2|01|-0"];
    let price = || prop_oneof![9 => "-?(0|[1-9][0-9]{0,7})(\\.[0-9]{1,4})?", 1 => "-0\\.0|null|\"-?0\\.[0-9]\"|1e400"];
    let columns =
        (id(), text(), price(), prop::collection::vec(id(), 0..3)).prop_map(|(id, text, price, list)| {
            let list = list.join(",");
            [
                format!("\"id\":{id}"),
                format!("\"t\":\"{text}\""),
                format!("\"p\":{price}"),
                format!("\"l\":[{list}]"),
                format!("\"x\":{{\"t\":{id}}}"),
            ]
        });
    let object = |columns: &[String]| format!("{{{}}}", columns.join(","));
    let whole = columns.clone().prop_map(move |columns| object(&columns[..4]));
    let part = columns
        .prop_flat_map(|columns| prop::sample::subsequence(columns.to_vec(), 0..=5).prop_shuffle())
        .prop_flat_map(|columns| {
            let count = columns.len();
            (Just(columns), prop_oneof![9 => Just(count), 1 => 0..=count])
        })
        .prop_map(move |(mut columns, twice)| {
            columns.extend(columns.get(twice).cloned());
            object(&columns)
        });
    prop_oneof![6 => whole, 4 => part, 1 => Just("[]".to_owned()), 1 => Just("null".to_owned())]
}

/// A member of a message, most likely one that says something.
fn member(names: Names) -> impl Strategy<Value = String> {
    let images = move |name: &'static str| {
        let count = if names.are_lists { 1..3_usize } else { 1..2 };
        let images = prop::collection::vec(image(), count).prop_map(move |images| {
            let images = images.join(",");
            if names.are_lists { format!("[{images}]") } else { images }
        });
        let images = prop_oneof![8 => images, 2 => Just("null".to_owned()), 1 => Just("[]".to_owned())];
        images.prop_map(move |images| format!("\"{name}\":{images}"))
    };
    let text = "[ !#-Z^-~é😀]{0,12}(\\\\[nu\"])?".prop_map(|text| format!("\"{text}\""));
    let other = prop_oneof![
        "-?[0-9]{1,20}(\\.[0-9]{1,3})?([eE][0-9])?",
        text,
        prop::sample::select(vec![
            "{}",
            "[]",
            "[{}]",
            "{\"a\":[1,{\"b\":null}],\"c\":true}",
            "{\"a\":}",
            "[1,]",
            "{\"a\":1]",
            "nul",
            "{,}",
            "{\"op\":\"c\"}"
        ])
        .prop_map(str::to_owned),
    ];
    let known = prop::sample::select(names.operations).prop_map(str::to_owned);
    let operation = prop_oneof![8 => known, 1 => "x|cc|"];
    let name = "source|ts_ms|op|\\\\u006fp|\\\\\"|type";
    prop_oneof![
        3 => images(names.after),
        2 => images(names.before),
        3 => operation.prop_map(move |operation| format!("\"{}\":\"{operation}\"", names.operation)),
        1 => (name, other).prop_map(|(name, value)| format!("\"{name}\":{value}")),
    ]
}

/// A message with its members most likely once, and in the order in which they are written.
fn members() -> impl Strategy<Value = (Names, Vec<String>)> {
    prop::sample::select(&NAMES[..]).prop_flat_map(|names| {
        let members = prop::collection::vec(member(names), 1..6).prop_map(move |mut members| {
            if members.len() > 3 {
                let mut seen = Vec::new();
                members.retain(|member| {
                    let name = member.split(':').next().map(str::to_owned);
                    let is_first = !seen.contains(&name);
                    seen.push(name);
                    is_first
                });
                members.sort_by_key(|member| match member.split('"').nth(1) {
                    Some("before") => 0,
                    Some("old") => 2,
                    _ => 1,
                });
            }
            members
        });
        (Just(names), members)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_message_is_read_in_one_pass_as_by_the_tree(
        (names, members) in members(),
        ignores: bool,
        after in "[ }x]?",
    ) {
        let option = format!("value.{}.ignore-parse-errors", names.format);
        let columns = "id BIGINT, t STRING, p DOUBLE, d DECIMAL(10, 2), l ARRAY<INT>";
        let columns = if ignores { columns } else { &columns.replace(" d DECIMAL(10, 2),", "") };
        let members: Vec<_> = members.iter().map(|member| match ignores {
            true => member.replace(",\"l\"", ",\"d\":1.5,\"l\""),
            false => member.clone(),
        }).collect();
        let source = Source::new(columns, names.format, &[(&option, if ignores { "true" } else { "false" })]);
        let message = format!("{{{}}}{after}", members.join(","));
        let read = |text: &str| source.decode(None, text.as_bytes()).ok().map(|read| format!("{read:?}"));
        // No fast path takes a line break in front.
        prop_assert_eq!(read(&message), read(&format!("\n{message}")), "{}", message);
    }
}
