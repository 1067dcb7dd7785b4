//! Maps whose keys come more than once, of few entries and of many: each key stays once, where it first came, with its last
//! value. So does `java.util.LinkedHashMap.put`, into which Flink's readers gather entries, and `HashMap.put`, out of which
//! its writers of Avro take them.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::row::Entries;
use upsert_kafka::{ConsumerRecord, Datum, DecodeBuf, RecordBuf, Row, RowKind, Settings, Table};

fn table(options: &str) -> Table {
    Table::from_ddl(&format!(
        "CREATE TABLE t (m MAP<STRING, INT>) WITH ('connector' = 'kafka', 'topic' = 't', \
         'scan.startup.mode' = 'earliest-offset', 'properties.bootstrap.servers' = 'b:9092', {options})"
    ))
    .expect("a table")
}

/// The entries of the map in the first column, sorted: a map has no order.
fn entries(row: &impl Row) -> Vec<(String, i32)> {
    let Datum::Map(entries) = row.datum(0) else { panic!("a map") };
    let mut entries: Vec<_> = entries
        .iter()
        .map(|entry| match entry {
            (Datum::String(key), Datum::Int(value)) => (key.to_owned(), value),
            other => panic!("{other:?}"),
        })
        .collect();
    entries.sort();
    entries
}

fn last_of_each(pairs: &[(String, i32)]) -> Vec<(String, i32)> {
    pairs.iter().cloned().collect::<std::collections::BTreeMap<_, _>>().into_iter().collect()
}

/// Up to 60 entries of some 30 keys.
fn pairs() -> impl Strategy<Value = Vec<(String, i32)>> {
    vec(("[a-e]{1,2}", any::<i32>()), 0..60)
}

proptest! {
    #[test]
    fn of_a_repeated_member_the_last_value_is_read(pairs in pairs()) {
        let members: Vec<_> = pairs.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let entries_of_avro: Vec<u8> = {
            let zigzag = |value: i64| {
                let mut bits = ((value << 1) ^ (value >> 63)).cast_unsigned();
                let mut bytes = Vec::new();
                while bits >= 0x80 {
                    bytes.push(bits.to_le_bytes()[0] | 0x80);
                    bits >>= 7;
                }
                bytes.push(bits.to_le_bytes()[0]);
                bytes
            };
            let mut bytes = vec![2]; // not the branch null
            if !pairs.is_empty() {
                bytes.extend(zigzag(i64::try_from(pairs.len()).expect("few")));
            }
            for (key, value) in &pairs {
                bytes.extend(zigzag(i64::try_from(key.len()).expect("short")));
                bytes.extend(key.as_bytes());
                bytes.push(2);
                bytes.extend(zigzag((*value).into()));
            }
            bytes.push(0);
            bytes
        };
        let of_avro_json: Vec<_> =
            pairs.iter().map(|(key, value)| format!("\"{key}\":{{\"int\":{value}}}")).collect();
        for (options, value) in [
            ("'format' = 'json'", format!("{{\"m\":{{{}}}}}", members.join(",")).into_bytes()),
            (
                "'format' = 'json', 'json.decode.json-parser.enabled' = 'false'",
                format!("{{\"m\":{{{}}}}}", members.join(", ")).into_bytes(),
            ),
            ("'format' = 'avro'", entries_of_avro),
            (
                "'format' = 'avro', 'avro.encoding' = 'json'",
                format!("{{\"m\":{{\"map\":{{{}}}}}}}", of_avro_json.join(",")).into_bytes(),
            ),
        ] {
            let decoder = table(options).source(&Settings::default()).expect("a source").decoder();
            let mut buf = DecodeBuf::new();
            let decoded = decoder.decode(&ConsumerRecord::new(None, Some(&value)), &mut buf);
            let (_, row) = decoded.expect("a value").rows().next().expect("a row");
            prop_assert_eq!(entries(row), last_of_each(&pairs), "{}", options);
        }
    }

    #[test]
    fn of_a_repeated_key_the_last_value_is_written_in_avro(pairs in pairs()) {
        let lent: Vec<(&str, Datum<'_>)> =
            pairs.iter().map(|(key, value)| (key.as_str(), Datum::Int(*value))).collect();
        for options in [
            "'format' = 'avro'",
            "'format' = 'avro', 'avro.encoding' = 'json'",
            "'format' = 'avro-confluent', 'avro-confluent.url' = 'http://localhost', 'avro-confluent.subject' = 's'",
        ] {
            let settings = Settings::default().with_schema_registry(Arc::new(MemorySchemaRegistry::new()));
            let table = table(options);
            let encoder = table.sink(&settings).expect("a sink").encoder();
            let mut record = RecordBuf::new();
            let row = [Datum::Map(Entries::new(&lent, lent.len()))];
            let value = encoder.encode(RowKind::Insert, &row, &mut record).expect("a row").expect("a record").value;
            // The readers would hide what the writers leave: each key is there once, or its text is.
            let mut keys: Vec<_> = last_of_each(&pairs).into_iter().map(|(key, _)| key).collect();
            keys.dedup();
            if options.contains("json") {
                let text = String::from_utf8(value.expect("a value").to_vec()).expect("JSON");
                for key in &keys {
                    prop_assert_eq!(text.matches(&format!("\"{key}\":")).count(), 1, "{} {}", options, text);
                }
            }
            let decoder = table.source(&settings).expect("a source").decoder();
            let mut buf = DecodeBuf::new();
            let decoded = decoder.decode(&ConsumerRecord::new(None, value), &mut buf).expect("our own value");
            let (_, row) = decoded.rows().next().expect("a row");
            prop_assert_eq!(entries(row), last_of_each(&pairs), "{}", options);
        }
    }
}
