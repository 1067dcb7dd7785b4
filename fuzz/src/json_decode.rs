use std::sync::LazyLock;

use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoded, Settings, Table};

use super::codec::Decoder;
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
            Decoder::new(&table.expect("a table"), &Settings::default()).expect("a decoder")
        };
        Self {
            plain: decoder(""),
            strict: decoder(", 'json.fail-on-missing-field' = 'true'"),
            lenient: decoder(", 'json.ignore-parse-errors' = 'true'"),
        }
    }

    /// What became of the document when parse errors are ignored. Leniency is for what fails alone: what strict
    /// decoders read, they read alike.
    fn check(&self, document: &[u8]) -> Decoded {
        let [mut plain, mut strict, mut lenient] = [(); 3].map(|()| DecodeBuf::new());
        let record = ConsumerRecord::new(None, Some(document));
        let decoded = self.lenient.decode(&record, &mut lenient).expect("errors are ignored");
        if let Ok(rows @ Decoded::Rows(_)) = self.plain.decode(&record, &mut plain) {
            assert_eq!((decoded, show(&lenient)), (rows, show(&plain)));
        }
        if let Ok(rows @ Decoded::Rows(_)) = self.strict.decode(&record, &mut strict) {
            assert_eq!((decoded, show(&lenient)), (rows, show(&strict)));
        }
        decoded
    }
}

static PARSER: LazyLock<Decoders> = LazyLock::new(|| Decoders::new(true));
static TREE: LazyLock<Decoders> = LazyLock::new(|| Decoders::new(false));

/// Any document is rows or an error, by both of Flink's ways to read it.
pub fn json_decode(data: &[u8]) {
    PARSER.check(data);
    let decoded = TREE.check(data);
    // Jackson refuses numbers of more than a thousand digits.
    let is_object = data.len() <= 1000 && serde_json::from_slice::<Object>(data).is_ok();
    assert!(!is_object || decoded == Decoded::Rows(1), "an object is a row: {decoded:?}");
}

type Object = std::collections::BTreeMap<String, serde_json::Value>;

fn show(buf: &DecodeBuf) -> String {
    format!("{:?}", buf.rows())
}
