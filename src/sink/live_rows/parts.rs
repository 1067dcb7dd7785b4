//! The parts of a long list in the store: its chunks, and the indexes that say where rows are.

use crate::error::Error;
use crate::row::Row;
use crate::state::{StateStore, append_key, digest};

use super::{CHUNK, INDEX, LiveRows, foreign_state};

impl LiveRows {
    pub(super) fn name_chunk(&mut self, number: u64) {
        self.part_key.clone_from(&self.key);
        self.part_key.push(CHUNK);
        self.part_key.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn get_chunk(&mut self, store: &mut impl StateStore, number: u64) -> Result<(), Error> {
        self.name_chunk(number);
        let is_there = store.get(&self.part_key, &mut self.chunk)?;
        if is_there && self.chunk.len() > 1 && self.chunk[0] == CHUNK { Ok(()) } else { Err(foreign_state()) }
    }

    pub(super) fn put_chunk(&mut self, store: &mut impl StateStore, number: u64) -> Result<(), Error> {
        self.name_chunk(number);
        store.put(&self.part_key, &self.chunk)
    }

    fn name_index<R: Row + ?Sized>(&mut self, row: &R) -> Result<(), Error> {
        self.part_key.clear();
        append_key(self.matched_columns.iter().map(|&column| row.datum(column)), &mut self.part_key)?;
        let digest = digest(&self.part_key);
        self.part_key.clone_from(&self.key);
        self.part_key.push(INDEX);
        self.part_key.extend_from_slice(&digest);
        Ok(())
    }

    /// Reads the chunks that may have such a row.
    pub(super) fn get_index<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
    ) -> Result<(), Error> {
        self.name_index(row)?;
        if !store.get(&self.part_key, &mut self.index)? {
            self.index.clear();
            self.index.push(INDEX);
        }
        let is_whole = self.index.first() == Some(&INDEX) && self.index.len() % size_of::<u64>() == 1;
        if is_whole { Ok(()) } else { Err(foreign_state()) }
    }

    pub(super) fn add_to_index<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
        number: u64,
    ) -> Result<(), Error> {
        self.get_index(store, row)?;
        let numbers = self.index[1..].as_chunks().0;
        let Err(place) = numbers.binary_search_by_key(&number, |other| u64::from_le_bytes(*other)) else {
            return Ok(());
        };
        let at = 1 + place * size_of::<u64>();
        self.index.splice(at..at, number.to_le_bytes());
        store.put(&self.part_key, &self.index)
    }

    pub(super) fn remove_index<R: Row + ?Sized>(
        &mut self,
        store: &mut impl StateStore,
        row: &R,
    ) -> Result<(), Error> {
        self.name_index(row)?;
        store.remove(&self.part_key)
    }
}
