//! Which formats there are: a closed set, one line each.

use crate::error::Error;
use crate::row::{Row, RowKind};
use crate::types::DataType;
use crate::wire::Buffer;

use super::avro::{
    AvroDecoder, AvroEncoder, AvroOptions, ConfluentDecoder, ConfluentEncoder, ConfluentOptions,
    DebeziumAvroDecoder, DebeziumAvroEncoder, DebeziumAvroOptions,
};
use super::canal::CanalOptions;
use super::csv::{CsvDecoder, CsvEncoder, CsvOptions};
use super::debezium::DebeziumOptions;
use super::envelope::{EnvelopeDecoder, EnvelopeEncoder};
use super::json::{JsonDecoder, JsonEncoder, JsonOptions};
use super::maxwell::MaxwellOptions;
use super::ogg::OggOptions;
use super::options::{FormatOptions, OptionReader, OptionSpec, Role};
use super::raw::{RawDecoder, RawEncoder, RawOptions};
use super::{DecodeRow, EncodeRow, Encoded, FormatSettings, Projection, Rows};

macro_rules! formats {
    ($($(#[$meta:meta])* $format:ident($options:ty) => $encoder:ty, $decoder:ty;)+) => {
        /// A format and its options.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) enum Format {
            $($(#[$meta])* $format($options),)+
        }

        /// The formats by name, in the order of their names.
        pub(crate) const FORMATS: &[FormatSpec] = &[$(FormatSpec {
            identifier: <$options>::IDENTIFIER,
            options: <$options>::OPTIONS,
            read: |options, role| <$options>::read(options, role).map(Format::$format),
        },)+];

        impl Format {
            /// The name that `format` gives it.
            pub(crate) fn identifier(&self) -> &'static str {
                match self { $(Self::$format(_) => <$options>::IDENTIFIER,)+ }
            }

            /// Whether it knows only rows that are added.
            pub(crate) fn insert_only(&self) -> bool {
                match self { $(Self::$format(_) => <$options>::INSERT_ONLY,)+ }
            }

            /// Whether what fails after the format is passed over like what does not parse.
            pub(crate) fn ignores_later_errors(&self) -> bool {
                match self { $(Self::$format(options) => options.ignores_later_errors(),)+ }
            }

            /// The metadata that it reads from a value, with their types.
            pub(crate) fn metadata(&self) -> Vec<(&'static str, DataType)> {
                match self { $(Self::$format(_) => <$options>::metadata(),)+ }
            }

            /// Compiles what writes the projected columns.
            ///
            /// # Errors
            ///
            /// Flink's, for a column that the format does not take.
            pub(crate) fn encoder(
                &self,
                projection: Projection<'_>,
                settings: FormatSettings<'_>,
            ) -> Result<RowEncoder, Error> {
                Ok(match self {
                    $(Self::$format(options) => {
                        RowEncoder::$format(<$encoder>::new(projection, options, settings)?)
                    })+
                })
            }

            /// Compiles what reads the projected columns.
            ///
            /// # Errors
            ///
            /// Flink's, for a column that the format does not take.
            pub(crate) fn decoder(
                &self,
                projection: Projection<'_>,
                settings: FormatSettings<'_>,
            ) -> Result<RowDecoder, Error> {
                Ok(match self {
                    $(Self::$format(options) => {
                        RowDecoder::$format(<$decoder>::new(projection, options, settings)?)
                    })+
                })
            }
        }

        /// A compiled format, to read with: one predictable branch a record.
        #[derive(Clone, Debug)]
        pub(crate) enum RowDecoder {
            $($(#[$meta])* $format($decoder),)+
        }

        impl DecodeRow for RowDecoder {
            #[inline]
            fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
                match self { $(Self::$format(decoder) => decoder.decode(bytes, rows),)+ }
            }
        }

        /// A compiled format, to write with: one predictable branch a record.
        #[derive(Clone, Debug)]
        pub(crate) enum RowEncoder {
            $($(#[$meta])* $format($encoder),)+
        }

        impl EncodeRow for RowEncoder {
            #[inline]
            fn encode<R: Row + ?Sized>(
                &self,
                kind: RowKind,
                row: &R,
                out: &mut Buffer,
            ) -> Result<Encoded, Error> {
                match self { $(Self::$format(encoder) => encoder.encode(kind, row, out),)+ }
            }

            #[inline]
            fn record_written(&self) {
                match self { $(Self::$format(encoder) => encoder.record_written(),)+ }
            }
        }
    };
}

formats! {
    /// `avro`.
    Avro(AvroOptions) => AvroEncoder, AvroDecoder;
    /// `avro-confluent`.
    AvroConfluent(ConfluentOptions) => ConfluentEncoder, ConfluentDecoder;
    /// `canal-json`.
    CanalJson(CanalOptions) => EnvelopeEncoder, EnvelopeDecoder;
    /// `csv`.
    Csv(CsvOptions) => CsvEncoder, CsvDecoder;
    /// `debezium-avro-confluent`.
    DebeziumAvro(DebeziumAvroOptions) => DebeziumAvroEncoder, DebeziumAvroDecoder;
    /// `debezium-json`.
    DebeziumJson(DebeziumOptions) => EnvelopeEncoder, EnvelopeDecoder;
    /// `json`.
    Json(JsonOptions) => JsonEncoder, JsonDecoder;
    /// `maxwell-json`.
    MaxwellJson(MaxwellOptions) => EnvelopeEncoder, EnvelopeDecoder;
    /// `ogg-json`.
    OggJson(OggOptions) => EnvelopeEncoder, EnvelopeDecoder;
    /// `raw`.
    Raw(RawOptions) => RawEncoder, RawDecoder;
}

impl Format {
    /// Whether what it writes begins with the id that a registry has given to its schema.
    pub(crate) fn has_schema_id(&self) -> bool {
        matches!(self, Self::AvroConfluent(_) | Self::DebeziumAvro(_))
    }
}

impl RowDecoder {
    /// The id of the schema that `bytes` need and the registry does not answer.
    pub(crate) fn missing_schema(&self, bytes: Option<&[u8]>) -> Option<i32> {
        match self {
            Self::AvroConfluent(decoder) => decoder.missing_schema(bytes),
            Self::DebeziumAvro(decoder) => decoder.missing_schema(bytes),
            Self::Avro(_)
            | Self::CanalJson(_)
            | Self::Csv(_)
            | Self::DebeziumJson(_)
            | Self::Json(_)
            | Self::MaxwellJson(_)
            | Self::OggJson(_)
            | Self::Raw(_) => None,
        }
    }

    /// Decodes a value that begins with all that its key says, whose columns are its first `members` ones, in the same
    /// format. `false`, and no row, if it does not, or if the format cannot tell.
    #[inline]
    pub(crate) fn decode_with_key(
        &self,
        key: &[u8],
        members: usize,
        value: &[u8],
        rows: &mut Rows<'_>,
    ) -> bool {
        match self {
            Self::Avro(decoder) => decoder.decode_with_key(key, members, value, rows),
            Self::Csv(decoder) => decoder.decode_with_key(key, members, value, rows),
            Self::Json(decoder) => decoder.decode_with_key(key, members, value, rows),
            Self::AvroConfluent(_)
            | Self::CanalJson(_)
            | Self::DebeziumAvro(_)
            | Self::DebeziumJson(_)
            | Self::MaxwellJson(_)
            | Self::OggJson(_)
            | Self::Raw(_) => false,
        }
    }
}

/// A format without its options: what can be said of it by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatSpec {
    pub(crate) identifier: &'static str,
    pub(crate) options: &'static [OptionSpec],
    read: fn(OptionReader<'_>, Role) -> Result<Format, Error>,
}

impl FormatSpec {
    /// The format of that name, in exactly that spelling.
    pub(crate) fn find(identifier: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.identifier == identifier)
    }

    /// The format with the options that stand after its prefix.
    ///
    /// # Errors
    ///
    /// Flink's, for an option that is missing, of another type or refused in that role.
    pub(crate) fn read(&self, options: OptionReader<'_>, role: Role) -> Result<Format, Error> {
        options.validate(self.options)?;
        (self.read)(options, role)
    }
}
