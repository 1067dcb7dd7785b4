use crate::format::envelope::{EnvelopeOptions, Images, Layout, Metadata, Operation, Reading};
use crate::format::json::JsonOptions;

use super::OggOptions;

impl EnvelopeOptions for OggOptions {
    const LAYOUT: &'static Layout = &Layout {
        product: "Ogg",
        operation: "op_type",
        operations: &[("I", Operation::Insert), ("U", Operation::Update), ("D", Operation::Delete)],
        images: Images::BeforeAndAfter,
        metadata: &[
            Metadata::new("table", &["table"], Reading::Text),
            Metadata::new("primary-keys", &["primary_keys"], Reading::Texts),
            Metadata::new("ingestion-timestamp", &["current_ts"], Reading::CurrentTs),
            Metadata::new("event-timestamp", &["op_ts"], Reading::OpTs),
        ],
    };

    fn json(&self) -> &JsonOptions {
        &self.json
    }
}
