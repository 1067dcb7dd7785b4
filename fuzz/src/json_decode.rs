use std::sync::LazyLock;

use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoded, Decoder, Settings, Table};

use super::decode::ALL_TYPES;

/// The decoders of one of Flink's two ways to read a document.
struct Decoders {
    plain: Decoder,
    strict: Decoder,
    lenient: Decoder,
}

impl Decoders {
    fn new(json_parser: bool) -> Self {
        let decoder = |option: &str| {
            let table = Table::from_ddl(&format!(
                "CREATE TABLE t ({ALL_TYPES}) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json', \
                 'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset', \
                 'json.decode.json-parser.enabled' = '{json_parser}'{option})"
            ));
            table.expect("a table").source(&Settings::default()).expect("a source").decoder()
        };
        Self {
            plain: decoder(""),
            strict: decoder(", 'json.fail-on-missing-field' = 'true'"),
            lenient: decoder(", 'json.ignore-parse-errors' = 'true'"),
        }
    }

    /// What became of the document when parse errors are ignored. Leniency is for what fails alone: what strict
    /// decoders read, they read alike.
    /// Answers how many rows there were.
    fn check(&self, document: &[u8]) -> usize {
        let [mut plain, mut strict, mut lenient] = [(); 3].map(|()| DecodeBuf::new());
        let record = ConsumerRecord::new(None, Some(document));
        let decoded = self.lenient.decode(&record, &mut lenient).expect("errors are ignored");
        for (decoder, buf) in [(&self.plain, &mut plain), (&self.strict, &mut strict)] {
            if let Ok(rows @ Decoded::Rows(_)) = decoder.decode(&record, buf) {
                assert_eq!(format!("{decoded:?}"), format!("{rows:?}"));
            }
        }
        decoded.rows().len()
    }
}

static PARSER: LazyLock<Decoders> = LazyLock::new(|| Decoders::new(true));
static TREE: LazyLock<Decoders> = LazyLock::new(|| Decoders::new(false));

/// Any document is rows or an error, by both of Flink's ways to read it.
pub fn json_decode(data: &[u8]) {
    PARSER.check(data);
    let rows = TREE.check(data);
    // Jackson refuses numbers of more than a thousand digits.
    let is_object = data.len() <= 1000 && serde_json::from_slice::<Object>(data).is_ok();
    assert!(!is_object || rows == 1, "an object is a row: {rows}");
}

type Object = std::collections::BTreeMap<String, serde_json::Value>;
