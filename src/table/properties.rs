use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::ops::Deref;

use super::secrets::shown;

/// What Kafka's client is configured with: keys and texts, in the order of the keys.
///
/// Shown with `******` for passwords, tokens and users in URLs; the map has all of them.
///
/// Stands for `java.util.Properties`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Properties(BTreeMap<String, String>);

impl Properties {
    /// Sets `key` unless it is set.
    pub(super) fn set_default(&mut self, key: &str, value: &str) {
        self.0.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }

    /// Sets `key`, whatever it was.
    pub(super) fn set(&mut self, key: &str, value: impl Into<String>) {
        self.0.insert(key.to_owned(), value.into());
    }
}

impl Deref for Properties {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromIterator<(String, String)> for Properties {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl IntoIterator for Properties {
    type Item = (String, String);
    type IntoIter = btree_map::IntoIter<String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Properties {
    type Item = (&'a String, &'a String);
    type IntoIter = btree_map::Iter<'a, String, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl fmt::Debug for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(key, value)| (key, shown(key, value)))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_come_out_as_they_went_in_by_name() {
        let entries = [("b", "2"), ("a", "1")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let properties = Properties::from_iter(entries.clone());
        let [b, a] = entries;
        assert_eq!(properties.into_iter().collect::<Vec<_>>(), [a, b]);
    }
}
