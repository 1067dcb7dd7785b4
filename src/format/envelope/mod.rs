//! The changelog envelopes: JSON messages that say what happened to a row, around the row.
//!
//! `debezium-json`, `canal-json`, `maxwell-json` and `ogg-json` differ in names and in a few rules. A [`Layout`] says
//! both, and one encoder and one decoder run by it. The rows inside are `json`'s, read with its tree decoder.
//!
//! Agrees with the packages `debezium`, `canal`, `maxwell` and `ogg` of `org.apache.flink.formats.json`.

mod decode;
mod encode;
mod metadata;
mod one_pass;

pub(crate) use self::decode::EnvelopeDecoder;
pub(crate) use self::encode::EnvelopeEncoder;
pub(crate) use self::metadata::{Metadata, Reading, metadata_types};
use super::json::JsonOptions;
use super::options::FormatOptions;
use super::pattern::Pattern;
use crate::error::{Error, ErrorKind};

/// What is wrong with a message that lacks what its operation needs.
#[cold]
pub(crate) fn missing(member: &str) -> Error {
    Error::new(ErrorKind::Data, format!("the member \"{member}\" is missing or null"))
}

/// What Flink says of an update or a delete without the row before it.
#[cold]
pub(crate) fn no_before(product: &str, operation: &str) -> Error {
    Error::new(
        ErrorKind::Data,
        format!(
            "The \"before\" field of {operation} message is null, if you are using {product} Postgres Connector, \
             please check the Postgres table has been set REPLICA IDENTITY to FULL level."
        ),
    )
}

/// How the messages of a format are laid out.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Whose messages they are: `Debezium`.
    pub(crate) product: &'static str,
    /// The member that names the operation.
    pub(crate) operation: &'static str,
    /// What the operations are called; of an operation with several names the first one is written.
    pub(crate) operations: &'static [(&'static str, Operation)],
    pub(crate) images: Images,
    /// The format's list of metadata.
    pub(crate) metadata: &'static [Metadata],
}

/// What a message tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Insert,
    Update,
    Delete,
    /// Nothing about rows.
    Other,
}

/// Where a message has the row before the change and the row after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Images {
    /// In `before` and `after`, each whole. Flink also takes an array with one such message in it.
    BeforeAndAfter,
    /// In `data`, the row after the change or the deleted one; `old` holds what an update has changed.
    DataAndOld,
    /// The same, with many rows a message: both are arrays.
    DataAndOldArrays,
}

impl Images {
    /// The members with the row before the change and with the row after it.
    fn members(self) -> (&'static str, &'static str) {
        match self {
            Self::BeforeAndAfter => ("before", "after"),
            Self::DataAndOld | Self::DataAndOldArrays => ("old", "data"),
        }
    }
}

/// The options of an envelope: those of `json`, and what else its decoder must know.
pub(crate) trait EnvelopeOptions: FormatOptions {
    const LAYOUT: &'static Layout;

    fn json(&self) -> &JsonOptions;

    /// Whether the message is the member `payload` of the document.
    fn is_payload(&self) -> bool {
        false
    }

    /// Members of the message, and the expressions that they must match for it to be read.
    fn filters(&self) -> Vec<(&'static str, Pattern)> {
        Vec::new()
    }
}
