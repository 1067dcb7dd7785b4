use crate::error::Error;
use crate::record::Record;
use crate::row::{Row, RowKind};

use super::{ChangelogEncoder, RecordBuf, UpsertEncoder};

/// What turns rows into records: the encoder of either connector.
pub trait RecordEncoder {
    /// The record of a change, lent from `buf`; `None` where it writes none.
    ///
    /// # Errors
    ///
    /// If the row does not fit the table. The encoder stays usable.
    fn encode<'b, R: Row + ?Sized>(
        &self,
        kind: RowKind,
        row: &R,
        buf: &'b mut RecordBuf,
    ) -> Result<Option<Record<'b>>, Error>;
}

macro_rules! record_encoder {
    ($($encoder:ty),+) => {
        $(impl RecordEncoder for $encoder {
            #[inline]
            fn encode<'b, R: Row + ?Sized>(
                &self,
                kind: RowKind,
                row: &R,
                buf: &'b mut RecordBuf,
            ) -> Result<Option<Record<'b>>, Error> {
                <$encoder>::encode(self, kind, row, buf)
            }
        })+
    };
}

record_encoder!(UpsertEncoder, ChangelogEncoder);
