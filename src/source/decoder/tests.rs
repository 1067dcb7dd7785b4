use proptest::prelude::*;

use super::*;
use crate::format::Scratch;
use crate::table::{Settings, Table};

/// A decoder of the key `id`, `region` and the column `v`, and another one that always decodes keys.
fn decoders(format: &str, options: &str) -> [Decoder; 2] {
    let ddl = format!(
        "CREATE TABLE t (id INT, region STRING, v INT, PRIMARY KEY (id, region) NOT ENFORCED) WITH \
         ('connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b', {})",
        ["key", "value"]
            .map(|part| format!("'{part}.format' = '{format}'{}", options.replace('~', part)))
            .join(", "),
    );
    let decoder = Table::from_ddl(&ddl).unwrap().source(&Settings::default()).unwrap().decoder();
    assert_eq!(decoder.columns_in_common, Some(2));
    [decoder.clone(), Decoder { columns_in_common: None, ..decoder }]
}

/// Rows or reason or error, as text.
fn decode(decoder: &Decoder, key: &[u8], value: &[u8]) -> String {
    let mut buf = DecodeBuf::new();
    match decoder.decode(&ConsumerRecord::new(Some(key), Some(value)), &mut buf) {
        Ok(decoded) => format!("{decoded:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_key_of_the_first_columns_is_decoded_with_its_value() {
    for (format, key, value) in [
        ("avro", &b"\x0e\x04eu"[..], &b"\x0e\x04eu\x02\x02"[..]),
        ("csv", b"7,eu", b"7,eu,1"),
        ("json", br#"{"id":7,"region":"eu"}"#, br#"{"id":7,"region":"eu","v":1}"#),
        ("json", br#"{"id":7,"region":"eu"}"#, br#"{"v": 1, "region": "eu", "id": 7}"#),
    ] {
        let [decoder, _] = decoders(format, "");
        let (mut rows, mut scratch) = (ChangelogBuf::new(), Scratch::default());
        let mut rows_of_value = Rows::new(&mut rows, 3, NullRow::Skip, decoder.budget, &mut scratch);
        assert!(decoder.value.decode_with_key(key, 2, value, &mut rows_of_value), "{format}");
        assert_eq!(format!("{rows:?}"), r#"[("+I", [Int(7), String("eu"), Int(1)])]"#, "{format}");
    }
}

/// Most likely members of the columns, in any order and with blanks, and something behind the object.
fn json_object() -> impl Strategy<Value = String> {
    let id = prop::sample::select(vec!["1", "2", "\"3\"", "null", "x", "1.5"]);
    let region = prop::sample::select(vec!["\"eu\"", "\"\"", "null", "7", "\"\\n\"", "\"\\x\"", "\"é\""]);
    let v = prop::sample::select(vec!["1", "null", "\"\"", "{}"]);
    let member = |name: &'static str, value: &str| format!("\"{name}\":{value}");
    let members = (id, region, v).prop_map(move |(id, region, v)| {
        vec![member("id", id), member("region", region), member("v", v), member("id", "4"), member("o", "[]")]
    });
    let some = members.prop_flat_map(|members| {
        let count = members.len();
        let key = Just(members[..2].to_vec());
        prop_oneof![2 => key, 3 => prop::sample::subsequence(members, 0..=count).prop_shuffle()]
    });
    let comma = prop::sample::select(vec![",", ",", ",", ", ", " ,", ""]);
    let after = prop::sample::select(vec!["", "", "", " ", "x", "}"]);
    (some, comma, after).prop_map(|(members, comma, after)| format!("{{{}}}{after}", members.join(comma)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_csv_value_says_the_same_whether_its_key_is_decoded_or_not(
        key in "[1-9]?(,[a,\"'é#\\\\ \u{FEFF}]{0,4})?[,\n\0]?",
        glue in "[,,,,\n ]?",
        rest in "[1-9a,\"'\\\\ \n\0]{0,5}",
        options in prop::sample::select(vec![
            "",
            ", '~.csv.ignore-parse-errors' = 'true'",
            ", '~.csv.escape-character' = '\\'",
            ", '~.csv.quote-character' = '''', '~.csv.allow-comments' = 'true'",
            ", '~.csv.disable-quote-character' = 'true', '~.csv.null-literal' = 'a'",
        ]),
    ) {
        let [fast, slow] = decoders("csv", options);
        let value = format!("{key}{glue}{rest}");
        let (key, value) = (key.as_bytes(), value.as_bytes());
        prop_assert_eq!(decode(&fast, key, value), decode(&slow, key, value));
    }

    #[test]
    fn a_json_value_says_the_same_whether_its_key_is_decoded_or_not(
        key in json_object(),
        value in json_object(),
        begins_with_key: bool,
        options in prop::sample::select(vec![
            "",
            ", '~.json.ignore-parse-errors' = 'true'",
            ", '~.json.fail-on-missing-field' = 'true'",
        ]),
    ) {
        let [fast, slow] = decoders("json", options);
        let value = match key.strip_suffix('}') {
            Some(members) if begins_with_key => format!("{members},{}", &value[1..]),
            _ => value,
        };
        let (key, value) = (key.as_bytes(), value.as_bytes());
        prop_assert_eq!(decode(&fast, key, value), decode(&slow, key, value));
    }

    #[test]
    fn an_avro_value_says_the_same_whether_its_key_is_decoded_or_not(
        key in prop_oneof![
            prop::collection::vec(prop::sample::select(vec![0, 1, 2, 4, 200, b'a']), 0..7),
            Just(vec![14, 2, b'a']),
        ],
        rest in prop::collection::vec(prop::sample::select(vec![0, 1, 2, 4, 200]), 0..5),
        encoding in prop::sample::select(vec!["binary", "binary", "json"]),
    ) {
        let [fast, slow] = decoders("avro", &format!(", '~.avro.encoding' = '{encoding}'"));
        let value = [key.as_slice(), &rest].concat();
        prop_assert_eq!(decode(&fast, &key, &value), decode(&slow, &key, &value));
    }
}
