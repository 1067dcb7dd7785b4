//! Rows to Avro.

use std::sync::atomic::{AtomicBool, Ordering};

use super::compile::compile;
use super::encode_binary::BinaryEmit;
use super::encode_json::JsonEmit;
use super::options::{AvroEncoding, AvroOptions};
use super::schema::AvroSchema;
use super::write_plan::RowWriter;
use crate::error::Error;
use crate::format::in_place::{put, write_in_place};
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection};
use crate::row::{Row, RowKind};
use crate::text::Jdk;
use crate::wire::Buffer;

/// Writes the projected columns of a row as one Avro datum, of the schema that Flink derives from them.
///
/// Agrees with `org.apache.flink.formats.avro.AvroRowDataSerializationSchema`.
#[derive(Clone, Debug)]
pub(crate) struct AvroEncoder {
    rows: RowWriter,
    encoding: Encoding,
}

#[derive(Clone, Debug)]
enum Encoding {
    Binary,
    Json { jdk: Jdk, separator: Separator },
}

impl AvroEncoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &AvroOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let schema = AvroSchema::of_fields(projection.fields, options.timestamps)?;
        let encoding = match options.encoding {
            AvroEncoding::Binary => Encoding::Binary,
            // Avro's JsonEncoder writes a record's brace when it comes to the first field: here never.
            AvroEncoding::Json if projection.fields.is_empty() => Encoding::Binary,
            AvroEncoding::Json => {
                Encoding::Json { jdk: settings.jdk, separator: Separator::new(settings.avro_json_line_feeds) }
            }
        };
        Ok(Self { rows: compile(&schema, projection, settings), encoding })
    }
}

impl EncodeRow for AvroEncoder {
    #[inline(never)]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        match &self.encoding {
            Encoding::Binary => write_in_place(out, |out| self.rows.write(row, BinaryEmit, out, 0))?,
            // Avro's generator opens a record when its first field comes.
            Encoding::Json { .. } if self.rows.is_empty() => {}
            Encoding::Json { jdk, separator } => write_in_place(out, |out| {
                let at = if separator.is_due() { put(out, 0, b"\n")? } else { 0 };
                self.rows.write(row, JsonEmit { jdk: *jdk }, out, at)
            })?,
        }
        Ok(Encoded::Bytes)
    }

    #[inline]
    fn record_written(&self) {
        match &self.encoding {
            Encoding::Json { separator, .. } if !self.rows.is_empty() => separator.record_written(),
            Encoding::Binary | Encoding::Json { .. } => {}
        }
    }
}

/// The line feed that Flink's one JSON generator puts between its records: all but the first start with one, keys
/// too. That a record was written is all that an encoder remembers.
#[derive(Debug)]
struct Separator {
    wanted: bool,
    due: AtomicBool,
}

impl Separator {
    fn new(wanted: bool) -> Self {
        Self { wanted, due: AtomicBool::new(false) }
    }

    fn is_due(&self) -> bool {
        self.due.load(Ordering::Relaxed)
    }

    fn record_written(&self) {
        if self.wanted {
            self.due.store(true, Ordering::Relaxed);
        }
    }
}

impl Clone for Separator {
    /// A clone starts like a new encoder.
    fn clone(&self) -> Self {
        Self::new(self.wanted)
    }
}
