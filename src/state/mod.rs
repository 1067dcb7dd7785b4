//! Keyed state of the stages that remember rows: where it is kept, and how rows look in it.
//!
//! [`StateStore`] is the place, [`MemoryStore`] the default one. The keys are a row's key columns and the values are
//! rows in a form of our own; nobody outside has to understand either.
//!
//! Agrees with Flink's keyed `ValueState`.

mod arena;
mod changes;
mod digest;
mod framing;
mod latest_rows;
mod memory_store;
mod row_bytes;
mod snapshot;
#[cfg(test)]
mod test_rows;
mod ttl;

pub use changes::Changes;
pub use memory_store::MemoryStore;

pub(crate) use digest::{Digest, digest};
pub(crate) use framing::{
    put_bool, put_bytes, put_len, put_time, take_bool, take_bytes, take_len, take_time, write_all,
};
pub(crate) use latest_rows::LatestRows;
pub(crate) use row_bytes::{append_key, append_row, read_row, reread_row};
pub(crate) use snapshot::{SnapshotHeader, StateTable, StoredRows, damaged};
pub(crate) use ttl::Ttl;

use crate::error::Error;

/// Where [`ChangelogNormalizer`](crate::ChangelogNormalizer) and [`UpsertMaterializer`](crate::sink::UpsertMaterializer) keep
/// their state: bytes under a key.
///
/// Small enough to put an embedded database behind it. A stage reads and writes a key or, for one with many rows, some that
/// begin with it, all within one call; it never iterates. Two stages need two stores, or keys that a store of yours
/// prefixes.
pub trait StateStore {
    /// Replaces the content of `value` by the bytes under `key`, and answers whether there are any.
    ///
    /// # Errors
    ///
    /// Whatever fails in the store: [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) if the same call may
    /// succeed later, else [`ErrorKind::Refused`](crate::ErrorKind::Refused); with its source.
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error>;

    /// Keeps `value` under `key`, in place of what was there.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get); the old bytes are then still there.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error>;

    /// Forgets `key`; one that is not there is no error.
    ///
    /// # Errors
    ///
    /// As for [`get`](Self::get); the bytes are then still there.
    fn remove(&mut self, key: &[u8]) -> Result<(), Error>;
}

impl<S: StateStore + ?Sized> StateStore for Box<S> {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Error> {
        (**self).get(key, value)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        (**self).put(key, value)
    }

    fn remove(&mut self, key: &[u8]) -> Result<(), Error> {
        (**self).remove(key)
    }
}
