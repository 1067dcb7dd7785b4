use crate::types::Field;

use super::options::Connector;
use super::projection::FormatProjection;
use super::topics::Topics;

/// How the rows of a table and its records correspond: topics, formats, and which columns are key and value.
///
/// A row's columns are those of the `CREATE TABLE` in order, without computed ones and, where the table is written,
/// without VIRTUAL metadata. They are counted twice here: in the row, metadata included, as the encoders and decoders
/// of this crate are given it (`key_columns`), and among the physical columns alone, as Flink counts
/// (`key_projection`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    pub(super) connector: Connector,
    pub(super) columns: Vec<Field>,
    pub(super) topics: Topics,
    pub(super) key_prefix: Option<String>,
    pub(super) key: Option<FormatProjection>,
    pub(super) value: FormatProjection,
    pub(super) primary_key: Vec<usize>,
}

impl RecordLayout {
    /// The connector.
    #[must_use]
    pub fn connector(&self) -> Connector {
        self.connector
    }

    /// The columns of a row that is written or read: names and types.
    #[must_use]
    pub fn columns(&self) -> &[Field] {
        &self.columns
    }

    /// The primary key's columns in the row, in the key's order; empty without a primary key.
    #[must_use]
    pub fn primary_key(&self) -> &[usize] {
        &self.primary_key
    }

    /// `topic`: as listed, or `None` for a table with a pattern.
    #[must_use]
    pub fn topics(&self) -> Option<&[String]> {
        match &self.topics {
            Topics::List(topics) => Some(topics),
            Topics::Pattern(_) => None,
        }
    }

    /// `topic-pattern`.
    #[must_use]
    pub fn topic_pattern(&self) -> Option<&str> {
        match &self.topics {
            Topics::List(_) => None,
            Topics::Pattern(pattern) => Some(pattern.as_str()),
        }
    }

    /// `key.format`; `None` for records without keys.
    #[must_use]
    pub fn key_format(&self) -> Option<&'static str> {
        self.key.as_ref().map(|key| key.format.identifier())
    }

    /// `format` or `value.format`.
    #[must_use]
    pub fn value_format(&self) -> &'static str {
        self.value.format.identifier()
    }

    /// `key.fields-prefix`, as it was set.
    #[must_use]
    pub fn key_prefix(&self) -> Option<&str> {
        self.key_prefix.as_deref()
    }

    /// The key's fields as its format names them: without the prefix.
    #[must_use]
    pub fn key_fields(&self) -> &[Field] {
        self.key.as_ref().map_or(&[], |key| &key.fields)
    }

    /// The value's fields as its format names them.
    #[must_use]
    pub fn value_fields(&self) -> &[Field] {
        &self.value.fields
    }

    /// The key's columns in the row.
    #[must_use]
    pub fn key_columns(&self) -> &[usize] {
        self.key.as_ref().map_or(&[], |key| &key.columns)
    }

    /// The value's columns in the row.
    #[must_use]
    pub fn value_columns(&self) -> &[usize] {
        &self.value.columns
    }

    /// The key's columns as Flink counts: among the physical columns alone.
    #[must_use]
    pub fn key_projection(&self) -> &[usize] {
        self.key.as_ref().map_or(&[], |key| &key.physical)
    }

    /// The value's columns as Flink counts: among the physical columns alone.
    #[must_use]
    pub fn value_projection(&self) -> &[usize] {
        &self.value.physical
    }

    /// The key's format and columns.
    pub(crate) fn key(&self) -> Option<&FormatProjection> {
        self.key.as_ref()
    }

    /// The value's format and columns.
    pub(crate) fn value(&self) -> &FormatProjection {
        &self.value
    }

    /// The topics of the table.
    pub(crate) fn topic_choice(&self) -> &Topics {
        &self.topics
    }
}
