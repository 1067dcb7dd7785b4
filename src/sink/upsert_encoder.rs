use crate::error::{Error, ErrorKind};
use crate::record::Record;
use crate::row::{Row, RowKind};
use crate::table::{ChangelogMode, Connector, Settings, Table, UpdateBefore};

use super::record_buf::RecordBuf;
use super::record_codec::RecordCodec;

/// Turns the rows of a changelog into the records of an `upsert-kafka` table.
///
/// | kind | record |
/// |---|---|
/// | `+I` `+U` | key and value |
/// | `-D` | key and no value: a tombstone |
/// | `-U` | a tombstone, as Flink writes it, or none: [`Settings::update_before`] |
///
/// The older dialect's `update-mode` and `connector.sink.ignore-retraction` decide for their tables.
///
/// Immutable and `Sync`: threads share one and bring a [`RecordBuf`] each.
/// Agrees with `UpsertKafkaDynamicTableFactory` and `DynamicKafkaRecordSerializationSchema`.
#[derive(Clone, Debug)]
pub struct UpsertEncoder {
    codec: RecordCodec,
    /// The kinds that write no record.
    dropped: ChangelogMode,
    /// Whether the table takes nothing but inserts: `update-mode` = `append` of the older dialect.
    append_only: bool,
}

impl UpsertEncoder {
    /// Compiles the key and value plans of `table`.
    ///
    /// # Errors
    ///
    /// Where Flink refuses to write to the table, with Flink's message; or for a `kafka` table, whose rows a
    /// [`ChangelogEncoder`](super::ChangelogEncoder) writes.
    pub fn new(table: &Table, settings: &Settings) -> Result<Self, Error> {
        let sink = table.sink()?;
        if sink.layout().connector() != Connector::UpsertKafka {
            return Err(Error::new(
                ErrorKind::Table,
                "UpsertEncoder writes 'upsert-kafka' tables only; for a 'kafka' table use ChangelogEncoder",
            ));
        }
        let dropped = match sink.update_before().unwrap_or(settings.update_before) {
            _ if sink.ignores_retractions() => ChangelogMode::of(&[RowKind::UpdateBefore, RowKind::Delete]),
            UpdateBefore::Drop => ChangelogMode::of(&[RowKind::UpdateBefore]),
            UpdateBefore::Tombstone => ChangelogMode::of(&[]),
        };
        let append_only = sink.changelog_mode() == ChangelogMode::INSERT_ONLY;
        Ok(Self { codec: RecordCodec::new(&sink, settings)?, dropped, append_only })
    }

    /// The record of a change, lent from `buf`; `None` where it writes none: a `-U` that is dropped, a row that the
    /// NOT NULL enforcer drops.
    ///
    /// One pass over the row and one copy of its values; allocates only while `buf` grows.
    ///
    /// # Errors
    ///
    /// If the row does not fit the table: the error names part and column. The encoder stays usable.
    #[inline]
    pub fn encode<'b, R: Row + ?Sized>(
        &self,
        kind: RowKind,
        row: &R,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error> {
        if self.dropped.contains(kind) {
            return Ok(None);
        }
        if self.append_only && kind != RowKind::Insert {
            return Err(refuse_kind(kind));
        }
        self.codec.encode(kind, kind.is_retraction(), row, buf)
    }
}

#[cold]
fn refuse_kind(kind: RowKind) -> Error {
    Error::new(
        ErrorKind::Row,
        format!("a table whose 'update-mode' is 'append' takes inserts only, found {}", kind.name()),
    )
}
