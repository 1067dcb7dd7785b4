use proptest::prelude::*;

use crate::format::{NullRow, Scratch};
use crate::row::{ChangelogBuf, RowBudget};
use crate::types::Field;

use super::*;

fn decoder(options: &CsvOptions, types: &[&str]) -> CsvDecoder {
    let fields: Vec<_> =
        types.iter().map(|text| Field::new("c", text.parse::<DataType>().unwrap())).collect();
    let columns: Vec<_> = (0..fields.len()).collect();
    let projection = Projection { fields: &fields, columns: &columns, metadata: &[] };
    CsvDecoder::new(projection, options, FormatSettings::default()).unwrap()
}

/// The rows that `bytes` give, or the error.
fn decode(decoder: &CsvDecoder, bytes: &[u8]) -> String {
    let (mut out, mut scratch) = (ChangelogBuf::new(), Scratch::default());
    let mut rows =
        Rows::new(&mut out, decoder.columns.len(), NullRow::Skip, RowBudget::default(), &mut scratch);
    match decoder.decode(Some(bytes), &mut rows) {
        Ok(()) => format!("{out:?}"),
        Err(error) => error.to_string(),
    }
}

/// From Flink: golden decode/csv, line.
#[test]
fn the_options_say_how_many_cells_a_line_may_have() {
    let plain = CsvOptions::default();
    let ignore = CsvOptions { ignore_parse_errors: true, ..CsvOptions::default() };
    let extra = CsvOptions { ignore_trailing_unmappable: true, ..CsvOptions::default() };
    let exact = CsvOptions { allow_trailing_comma: false, ..CsvOptions::default() };
    let missing = CsvOptions { fail_on_missing_columns: true, ..ignore.clone() };
    let one = r#"[("+I", [Int(1), String("x")])]"#;
    let none = r#"[("+I", [Int(1), Null])]"#;
    let too_many = "Too many entries: expected at most 2";
    let mismatch = "Row length mismatch. 2 fields expected but was 1.";
    for (options, line, expected) in [
        (&plain, "1,x", one),
        (&plain, "1,x,", one),
        (&plain, "1,x,,", too_many),
        (&plain, "1,x,y", too_many),
        (&plain, "1", mismatch),
        (&ignore, "1", none),
        (&ignore, "1,x,y", "[]"),
        (&ignore, "z,\"x", "[]"),
        (&plain, "z", mismatch),
        (&plain, "z,x,y", too_many),
        (&plain, "z,\"x", "byte 4: missing closing quote"),
        (&extra, "1,x,y,z", one),
        (&extra, "1", mismatch),
        (&exact, "1,x,", too_many),
        (&missing, "1", "[]"),
    ] {
        assert_eq!(decode(&decoder(options, &["INT", "STRING"]), line.as_bytes()), expected, "{line}");
    }
    let exact = CsvOptions { fail_on_missing_columns: true, ..CsvOptions::default() };
    let decoder = decoder(&exact, &["INT", "STRING"]);
    assert_eq!(decode(&decoder, b"1"), "Not enough column values: expected 2, found 1");
}

/// From Flink: golden decode/csv, array, row, empty-null and null-literal.
#[test]
fn arrays_and_rows_are_split_at_every_delimiter() {
    let plain = CsvOptions::default();
    let nulls = CsvOptions { null_literal: Some("n".to_owned()), ..CsvOptions::default() };
    let empty = CsvOptions { empty_string_as_null: true, ..CsvOptions::default() };
    let trim = CsvOptions { trim_spaces: true, ..CsvOptions::default() };
    let ignore = CsvOptions { ignore_parse_errors: true, ..CsvOptions::default() };
    let types = ["ARRAY<STRING>", "ROW<a INT, b STRING>"];
    for (options, line, expected) in [
        (
            &plain,
            "a;;\"b,1;x",
            "[Array([String(\"a\"), String(\"\"), String(\"\\\"b\")]), Row([Int(1), String(\"x\")])]",
        ),
        (
            &plain,
            "\"a;b\",\"1;x;y\"",
            "[Array([String(\"a\"), String(\"b\")]), Row([Int(1), String(\"x\")])]",
        ),
        (&plain, ",", "[Array([]), Null]"),
        (&nulls, "n,n;n", "[Array([Null]), Row([Null, Null])]"),
        (&empty, ";,1;", "[Array([Null, Null]), Row([Int(1), Null])]"),
        (&trim, " a ; b , 1 ; x ", "[Array([String(\"a\"), String(\"b\")]), Row([Int(1), String(\"x\")])]"),
        (&ignore, "a,z", "[Array([String(\"a\")]), Row([Null, Null])]"),
    ] {
        let expected = format!("[(\"+I\", {expected})]");
        assert_eq!(decode(&decoder(options, &types), line.as_bytes()), expected, "{line}");
    }
    let decoder = decoder(&plain, &types);
    let misfit = "column `c`.`a`: expected INT, found \"z\"";
    assert_eq!(decode(&decoder, b"a,z;x"), misfit);
    assert_eq!(decode(&decoder, b"a,z"), "column `c`: Row length mismatch. 2 fields expected but was 1.");
    assert_eq!(decode(&decoder, b"a,1"), "column `c`: Row length mismatch. 2 fields expected but was 1.");
}

#[test]
fn without_columns_a_line_may_hold_anything() {
    let decoder = decoder(&CsvOptions::default(), &[]);
    assert_eq!(decode(&decoder, b"x,y,z"), r#"[("+I", [])]"#);
    assert!(decode(&decoder, b"").contains("no content"));
}

const TYPES: [&str; 14] = [
    "BOOLEAN",
    "TINYINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "STRING",
    "BYTES",
    "DATE",
    "TIME(2)",
    "TIMESTAMP(3)",
    "ARRAY<INT>",
    "ROW<a STRING, b DOUBLE>",
];

proptest! {
    #[test]
    fn any_bytes_are_a_row_or_an_error(
        types in prop::sample::subsequence(&TYPES[..], 0..6),
        ignore_parse_errors: bool,
        trim_spaces: bool,
        allow_comments: bool,
        escape in prop::option::of(Just('\\')),
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..32),
            "[,;\"\\\\# \n0-9a-z:.é-]{0,32}".prop_map(String::into_bytes),
        ],
    ) {
        let options = CsvOptions {
            ignore_parse_errors, trim_spaces, allow_comments, escape, ..CsvOptions::default()
        };
        decode(&decoder(&options, &types), &bytes);
    }

    /// Where blanks are trimmed nothing is read at one go, and here are none.
    #[test]
    fn cells_are_read_at_one_go_as_one_by_one(
        cells in prop::collection::vec(
            (
                prop::sample::select(&TYPES[..]),
                prop_oneof![
                    4 => "-?[0-9]{1,20}",
                    4 => "-?[0-9]{1,12}\\.[0-9]{1,4}",
                    2 => "true|false|TRUE|truex|n|",
                    2 => "[0-9a-z.;\"é-]{0,24}",
                    2 => "\"[0-9a-z,.é-]{0,24}\"",
                    1 => "20[0-9]{2}-[01][0-9]-[0-3][0-9]",
                ],
            ),
            1..6,
        ),
        field_delimiter in prop::sample::select(vec![',', ';', '-', '1', 'e', '"', 'é']),
        quote in prop::option::of(prop::sample::select(vec!['"', '\'', '2', '-', ','])),
        null_literal in prop::option::of(prop::sample::select(vec!["1", "true", "n", ""])),
        ignore_parse_errors: bool,
        empty_string_as_null: bool,
        after in prop::sample::select(vec![&b""[..], b"\n", b"\r\n1", b",", b"x\xFF"]),
    ) {
        let (types, texts): (Vec<_>, Vec<_>) = cells.into_iter().unzip();
        let line = [texts.join(&field_delimiter.to_string()).as_bytes(), after].concat();
        let null_literal = null_literal.map(str::to_owned);
        let [at_once, one_by_one] = [false, true].map(|trim_spaces| {
            let options = CsvOptions {
                field_delimiter,
                quote,
                null_literal: null_literal.clone(),
                ignore_parse_errors,
                empty_string_as_null,
                trim_spaces,
                ..CsvOptions::default()
            };
            decode(&decoder(&options, &types), &line)
        });
        prop_assert_eq!(at_once, one_by_one, "{}", String::from_utf8_lossy(&line));
    }
}
