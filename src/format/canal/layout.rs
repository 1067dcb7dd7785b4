use crate::format::Pattern;
use crate::format::envelope::{EnvelopeOptions, Images, Layout, Metadata, Operation, Reading};
use crate::format::json::JsonOptions;

use super::CanalOptions;

impl EnvelopeOptions for CanalOptions {
    const LAYOUT: &'static Layout = &Layout {
        product: "Canal",
        operation: "type",
        operations: &[
            ("INSERT", Operation::Insert),
            ("UPDATE", Operation::Update),
            ("DELETE", Operation::Delete),
            // A CREATE TABLE. Other statements are unknown operations.
            ("CREATE", Operation::Other),
        ],
        images: Images::DataAndOldArrays,
        metadata: &[
            Metadata::new("database", &["database"], Reading::Text),
            Metadata::new("table", &["table"], Reading::Text),
            Metadata::new("sql-type", &["sqlType"], Reading::IntMap),
            Metadata::new("pk-names", &["pkNames"], Reading::Texts),
            Metadata::new("ingestion-timestamp", &["ts"], Reading::Millis),
            Metadata::new("event-timestamp", &["es"], Reading::Millis),
        ],
    };

    fn json(&self) -> &JsonOptions {
        &self.json
    }

    fn filters(&self) -> Vec<(&'static str, Pattern)> {
        let filters = [("database", &self.database_include), ("table", &self.table_include)];
        filters.into_iter().filter_map(|(member, pattern)| Some((member, pattern.clone()?))).collect()
    }
}
