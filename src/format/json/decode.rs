use crate::error::Error;
use crate::format::{DecodeRow, FormatSettings, Projection, Rows};

use super::options::JsonOptions;
use super::streaming::StreamingDecoder;
use super::tree::TreeDecoder;

/// Reads JSON with the decoder that `decode.json-parser.enabled` chooses.
#[derive(Clone, Debug)]
pub(crate) enum JsonDecoder {
    Streaming(StreamingDecoder),
    Tree(TreeDecoder),
}

impl JsonDecoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &JsonOptions,
        settings: FormatSettings,
    ) -> Result<Self, Error> {
        let options = &options.of_release(settings.release);
        if options.json_parser {
            StreamingDecoder::new(projection, options, settings.jdk).map(Self::Streaming)
        } else {
            TreeDecoder::new(projection, options, settings.jdk).map(Self::Tree)
        }
    }
}

impl JsonDecoder {
    /// See [`StreamingDecoder::decode_with_key`].
    #[inline]
    pub(crate) fn decode_with_key(
        &self,
        key: &[u8],
        members: usize,
        value: &[u8],
        rows: &mut Rows<'_>,
    ) -> bool {
        match self {
            Self::Streaming(decoder) => decoder.decode_with_key(key, members, value, rows),
            Self::Tree(_) => false,
        }
    }
}

impl DecodeRow for JsonDecoder {
    #[inline]
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        match self {
            Self::Streaming(decoder) => decoder.decode(bytes, rows),
            Self::Tree(decoder) => decoder.decode(bytes, rows),
        }
    }
}
