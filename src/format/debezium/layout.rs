use crate::format::envelope::{EnvelopeOptions, Images, Layout, Metadata, Operation, Reading};
use crate::format::json::JsonOptions;

use super::DebeziumOptions;

impl EnvelopeOptions for DebeziumOptions {
    const LAYOUT: &'static Layout = &Layout {
        product: "Debezium",
        operation: "op",
        operations: &[
            ("c", Operation::Insert),
            // A row that a snapshot has read.
            ("r", Operation::Insert),
            ("u", Operation::Update),
            ("d", Operation::Delete),
        ],
        images: Images::BeforeAndAfter,
        metadata: &[
            Metadata { beside_payload: true, ..Metadata::new("schema", &["schema"], Reading::Text) },
            Metadata::new("ingestion-timestamp", &["ts_ms"], Reading::Millis),
            Metadata::new("source.timestamp", &["source", "ts_ms"], Reading::TextMillis),
            Metadata::new("source.database", &["source", "db"], Reading::Text),
            Metadata::new("source.schema", &["source", "schema"], Reading::Text),
            Metadata::new("source.table", &["source", "table"], Reading::Text),
            Metadata::new("source.properties", &["source"], Reading::TextMap),
        ],
    };

    fn json(&self) -> &JsonOptions {
        &self.json
    }

    fn is_payload(&self) -> bool {
        self.schema_include
    }
}
