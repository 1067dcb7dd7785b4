//! The options of a table and what the connectors know of them.
//!
//! Agrees with `org.apache.flink.streaming.connectors.kafka.table.KafkaConnectorOptions`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use super::secrets::shown;

/// The `WITH` options of a table: keys and texts, in the order in which they were set.
///
/// Shown with `******` for passwords, tokens and users in URLs.
///
/// ```
/// use upsert_kafka::table::TableOptions;
///
/// let options = TableOptions::from_iter([("connector", "upsert-kafka"), ("topic", "orders")]);
/// assert_eq!(options.get("topic"), Some("orders"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TableOptions {
    entries: Vec<(String, String)>,
}

impl TableOptions {
    /// No options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the option `key`; a text that it had is replaced.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        match self.entries.iter_mut().find(|(set, _)| *set == key) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
    }

    /// The text of the option `key`, in exactly that spelling.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.iter().find(|(set, _)| set == key).map(|(_, value)| value.as_str())
    }

    /// Keys and texts in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    pub(super) fn entries(&self) -> &[(String, String)] {
        &self.entries
    }
}

impl fmt::Debug for TableOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value)| (key, shown(key, value)))).finish()
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for TableOptions {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut options = Self::new();
        options.extend(entries);
        options
    }
}

impl<K: Into<String>, V: Into<String>> Extend<(K, V)> for TableOptions {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let mut places: HashMap<String, usize> =
            (0..).zip(&self.entries).map(|(place, (key, _))| (key.clone(), place)).collect();
        for (key, value) in entries {
            let (key, value) = (key.into(), value.into());
            match places.entry(key) {
                Entry::Occupied(place) => self.entries[*place.get()].1 = value,
                Entry::Vacant(place) => {
                    self.entries.push((place.key().clone(), value));
                    place.insert(self.entries.len() - 1);
                }
            }
        }
    }
}

/// The connector of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
// Exhaustive: the two that this crate is about.
pub enum Connector {
    /// `kafka`: every row is a record, and what a row does to the table is the value format's business.
    Kafka,
    /// `upsert-kafka`: the last value of a key is the row, and no value is no row.
    UpsertKafka,
}

impl Connector {
    pub(super) const ALL: [Self; 2] = [Self::Kafka, Self::UpsertKafka];

    /// The name that `connector` gives it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kafka => "kafka",
            Self::UpsertKafka => "upsert-kafka",
        }
    }
}
