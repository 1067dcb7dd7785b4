use proptest::prelude::*;

use super::*;
use crate::format::NullRow;
use crate::row::{ChangelogBuf, RowBudget};
use crate::types::Field;

/// A column of each scalar type, of nested ones, and one whose name needs escapes.
const COLUMNS: [(&str, &str); 20] = [
    ("c0", "BOOLEAN"),
    ("c1", "TINYINT"),
    ("c2", "SMALLINT"),
    ("c3", "INT"),
    ("c4", "BIGINT"),
    ("c5", "FLOAT"),
    ("c6", "DOUBLE"),
    ("c7", "DECIMAL(10, 2)"),
    ("c8", "DECIMAL(38, 20)"),
    ("c9", "STRING"),
    ("c10", "BYTES"),
    ("c11", "DATE"),
    ("c12", "TIME(3)"),
    ("c13", "TIMESTAMP(3)"),
    ("c14", "ARRAY<INT>"),
    ("c15", "MAP<STRING, DOUBLE>"),
    ("c16", "ROW<c1 INT, c9 STRING>"),
    ("c17", "ARRAY<ROW<c9 STRING, c14 ARRAY<BIGINT>>>"),
    ("é\"名", "STRING"),
    ("c19", "MULTISET<STRING>"),
];

fn decoder(ignore_parse_errors: bool) -> StreamingDecoder {
    let field =
        |(name, text): &(&str, &str)| Field::new(*name, text.parse::<crate::types::DataType>().unwrap());
    let fields: Vec<Field> = COLUMNS.iter().map(field).collect();
    let columns: Vec<usize> = (0..COLUMNS.len()).collect();
    let projection = Projection { fields: &fields, columns: &columns, metadata: &[] };
    let options = JsonOptions { ignore_parse_errors, ..JsonOptions::default() };
    StreamingDecoder::new(projection, &options, Jdk::default()).unwrap()
}

fn decode(decoder: &StreamingDecoder, document: &[u8]) -> Option<String> {
    decode_with(decoder, document, &mut Scratch::default())
}

fn decode_with(decoder: &StreamingDecoder, document: &[u8], scratch: &mut Scratch) -> Option<String> {
    let mut out = ChangelogBuf::new();
    let mut rows = Rows::new(&mut out, COLUMNS.len(), NullRow::Skip, RowBudget::default(), scratch);
    let result = decoder.decode(Some(document), &mut rows);
    let skipped = rows.skipped;
    result.ok().map(|()| format!("{out:?} {skipped:?}"))
}

/// Stands for bytes that may be no UTF-8.
const LOOSE: u8 = 0x7F;

/// Here and below, `~` stands for a blank or nothing.
fn string() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[ -!#-\\[\\]-}é名😀]{0,30}",
        1 => "(\\\\[\"\\\\/bfnrt]){1,3}",
        1 => "\\\\[a-z]",
        1 => "(\\\\u[0-9a-fA-F]{4}){1,2}",
        1 => "(\\\\ud[8-9a-f][0-9a-f]{2}){1,3}",
        1 => "\\x7F",
    ];
    prop::collection::vec(part, 0..3).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "-?[0-9]{1,3}",
        4 => "-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?",
        1 => "[-0-9.eE+]{1,20}",
        4 => string(),
        1 => "\"[A-Za-z0-9+/]{0,9}={0,2}\"",
        1 => "\"20[0-9]{2}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?)?\"",
        1 => "\"[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\"",
        2 => prop::sample::select(vec!["null", "true", "false", "nul", "nullx", "{}", "[1]", "\"true\"", "{\"c1\":1}"])
            .prop_map(str::to_owned),
    ]
}

/// Also values that fit the nested columns, and some that nearly do.
fn value() -> impl Strategy<Value = String> {
    let name = || prop_oneof![3 => prop::sample::select(vec!["\"c1\"", "\"c9\"", "\"c14\"", "null"]).prop_map(str::to_owned), 1 => string()];
    scalar().prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|values| format!("[~{}~]", values.join("~,~"))),
            prop::collection::vec((name(), inner), 0..4).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("{name}~:~{value}")).collect();
                format!("{{~{}~}}", members.join("~,~"))
            }),
        ]
    })
}

/// The members of an object: mostly a column's name with a value of any kind.
fn members() -> impl Strategy<Value = Vec<String>> {
    let name = |column: usize| match column {
        18 => r#""é\"名""#.to_owned(),
        20 => r#""unknown""#.to_owned(),
        21 => r#""\u0063\u0031""#.to_owned(),
        _ => format!("\"c{column}\""),
    };
    let fitting = |column: usize, value: String, n: i32| match column {
        14 => format!("[{n},null,{value}]"),
        15 => format!("{{\"k\":{n},{}:{n}.5}}", if value.starts_with('"') { &value } else { "\"k\"" }),
        16 => format!("{{\"c1\":{n},\"c9\":{value}}}"),
        17 => format!("[{{\"c9\":{value},\"c14\":[{n}]}},{{}}]"),
        _ => value,
    };
    let member = (0..22_usize, value(), any::<i32>(), any::<bool>());
    (prop::collection::vec(member, 0..24), any::<bool>()).prop_map(move |(members, in_order)| {
        let member = |(place, (column, value, n, fits)): (usize, (usize, String, i32, bool))| {
            let column = if in_order { place.min(21) } else { column };
            let value = if fits { fitting(column, value, n) } else { value };
            format!("{}~:~{value}~", name(column))
        };
        members.into_iter().enumerate().map(member).collect()
    })
}

#[test]
fn what_stands_behind_an_object_is_none_of_its_members() {
    let decoder = decoder(false);
    assert_eq!(decode(&decoder, br#"{"c0":true}"c1":1}"#), decode(&decoder, br#"{"c0":true}"#));
}

#[test]
fn a_repeated_member_counts_toward_the_columns_in_compact_text_too() {
    let decoder = decoder(false);
    let repeated = format!("{{{}\"c1\":1}}", "\"c0\":true,".repeat(COLUMNS.len()));
    assert_eq!(decode(&decoder, repeated.as_bytes()), decode(&decoder, br#"{"c0":true}"#));
}

/// `StreamReadConstraints`: 20,000,000.
#[test]
fn a_string_is_refused_beyond_jacksons_limit() {
    let decoder = decoder(false);
    for (len, is_read) in [(20_000_000, true), (20_000_001, false)] {
        let text = "x".repeat(len);
        for document in [format!("{{\"c9\":\"{text}\"}}"), format!("{{\"c9\":\t\"{text}\"}}")] {
            assert_eq!(decode(&decoder, document.as_bytes()).is_some(), is_read, "{len}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn compact_members_read_as_tokens_do(
        members in members(),
        ignore_parse_errors: bool,
        bom: bool,
        loose in prop_oneof![
            4 => Just(&b"x"[..]),
            1 => prop::sample::select(vec![&b"\xFF"[..], b"\xED\xA0\x80", b"\xC0\x80", b"\xE9"]),
        ],
    ) {
        // After what is no JSON Jackson goes on after the byte that it has read, a blank too.
        let text = format!("{{~{}}}", members.join(",~")).replace('~', " ");
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        // No fast path takes a tab.
        let [compact, spaced, tabbed] = ["", " ", "\t"].map(|blank| {
            let text = format!("{{~{}}}", members.join(",~")).replace('~', blank);
            let mut document = if bom { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
            text.bytes().for_each(|byte| match byte {
                LOOSE => document.extend_from_slice(loose),
                _ => document.push(byte),
            });
            document
        });
        let decoder = decoder(ignore_parse_errors && is_json);
        let expected = decode(&decoder, &tabbed);
        prop_assert_eq!(decode(&decoder, &compact), expected.clone(), "{}", String::from_utf8_lossy(&compact));
        prop_assert_eq!(decode(&decoder, &spaced), expected, "{}", String::from_utf8_lossy(&spaced));
    }

    #[test]
    fn the_order_of_other_documents_changes_nothing(others in prop::collection::vec(members(), 0..3), members in members()) {
        let decoder = decoder(true);
        let document = |members: &[String]| format!("{{{}}}", members.join(",").replace('~', ""));
        let mut scratch = Scratch::default();
        for other in &others {
            decode_with(&decoder, document(other).as_bytes(), &mut scratch);
        }
        let document = document(&members);
        let read = decode_with(&decoder, document.as_bytes(), &mut scratch);
        prop_assert_eq!(read, decode(&decoder, document.as_bytes()));
    }
}
