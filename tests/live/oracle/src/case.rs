//! A case as it is asked, in parts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// `{"kind", "id", "table", "options", "rows" | "records", "registry"?}`: an encode or decode case without its results.
/// Read from a vector, it drops them.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Codec {
    #[serde(default)]
    pub kind: String,
    /// The JDK of the answer, where it is not 17.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jdk: Option<u32>,
    /// Whether a row or record that fails does so alone, its error among the results; else it ends the case.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    pub id: String,
    pub table: Table,
    pub options: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Vec<Value>>,
    /// In its own text: the members of a schema are in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<Box<RawValue>>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Table {
    pub columns: Vec<(String, String)>,
    #[serde(default)]
    pub metadata: Vec<(String, String, String, bool)>,
    #[serde(default)]
    pub primary_key: Vec<String>,
}

impl Codec {
    /// The format that gives the case its file: that of the value.
    #[must_use]
    pub fn format(&self) -> &str {
        let format = self.options.get("value.format").or_else(|| self.options.get("format"));
        format.map_or("none", String::as_str)
    }

    /// How many rows or records it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.as_ref().or(self.records.as_ref()).map_or(0, Vec::len)
    }

    /// Whether all columns are the key's, and the value has none.
    #[must_use]
    pub fn has_empty_value(&self) -> bool {
        let key_fields = self.options.get("key.fields").map(|fields| fields.split(';').collect::<Vec<_>>());
        let primary_key = || self.table.primary_key.iter().map(String::as_str).collect();
        let key = key_fields.unwrap_or_else(primary_key);
        self.options.get("value.fields-include").is_some_and(|include| include == "EXCEPT_KEY")
            && self.table.columns.iter().all(|(name, _)| key.contains(&name.as_str()))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("it has no maps with other keys than strings")
    }

    /// The vector file that it belongs into.
    #[must_use]
    pub fn file(&self) -> String {
        format!("{}/{}.jsonl", self.kind, self.format())
    }
}
