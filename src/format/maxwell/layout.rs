use crate::format::envelope::{EnvelopeOptions, Images, Layout, Metadata, Operation, Reading};
use crate::format::json::JsonOptions;

use super::MaxwellOptions;

impl EnvelopeOptions for MaxwellOptions {
    const LAYOUT: &'static Layout = &Layout {
        product: "Maxwell",
        operation: "type",
        // Flink does not know the rows of a bootstrap, `bootstrap-insert`.
        operations: &[
            ("insert", Operation::Insert),
            ("update", Operation::Update),
            ("delete", Operation::Delete),
        ],
        images: Images::DataAndOld,
        metadata: &[
            Metadata::new("database", &["database"], Reading::Text),
            Metadata::new("table", &["table"], Reading::Text),
            Metadata::new("primary-key-columns", &["primary_key_columns"], Reading::Texts),
            Metadata::new("ingestion-timestamp", &["ts"], Reading::Seconds),
        ],
    };

    fn json(&self) -> &JsonOptions {
        &self.json
    }
}
