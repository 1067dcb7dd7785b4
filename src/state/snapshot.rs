//! What a snapshot of a stage begins with: whose it is, and of which table; and its rows, read as rows of today's table.
//!
//! ```text
//! "UKC" and the version, 1
//! stage          its name, as text
//! table          1 and the name of the table, or 0 for a stage that was made without one
//! columns        count; of a table's the name and the type of each
//! key            count, the positions of the key columns
//! settings       count; name and value of each that decides how the state looks
//! ```
//!
//! Text has its length before it, counts and positions are varints; [`framing`](super::framing). What follows is the
//! stage's.

use std::sync::Arc;

use super::StateStore;
use super::framing::{put_bool, put_bytes, put_len, take_bool, take_bytes, take_len};
use super::memory_store::{MemoryStore, take_entries};
use super::row_bytes::{append_row, take_row};
use super::ttl::Ttl;
use crate::error::{Error, ErrorKind};
use crate::row::{Datum, Row, RowBuf};
use crate::types::{DataType, Field};
use crate::wire::Cursor;

/// The first bytes of a snapshot: ours, and in which version.
const MAGIC: &[u8; 4] = b"UKC1";

/// The table whose rows a stage remembers.
#[derive(Clone, Debug)]
pub(crate) struct StateTable(Arc<(String, Box<[Field]>)>);

impl StateTable {
    /// The whole name, and the columns.
    pub(crate) fn new(name: &str, columns: &[Field]) -> Self {
        Self(Arc::new((name.to_owned(), columns.into())))
    }

    fn name(&self) -> &str {
        &self.0.0
    }

    fn columns(&self) -> &[Field] {
        &self.0.1
    }
}

/// What a stage has to say about its state.
#[derive(Clone, Debug)]
pub(crate) struct SnapshotHeader<'a> {
    /// What the stage is called, with its article.
    pub(crate) stage: &'static str,
    /// `None` where it was made without a table: then the number of columns has to do.
    pub(crate) table: Option<&'a StateTable>,
    pub(crate) columns: usize,
    pub(crate) key_columns: &'a [usize],
    /// Names and values of what else decides how the state looks.
    pub(crate) settings: Vec<(&'static str, String)>,
}

/// The rows of a snapshot, and how they become rows of the table.
#[derive(Debug)]
pub(crate) struct StoredRows {
    /// How many columns a row of the snapshot has.
    stored: usize,
    /// For each column of the table where it is in the snapshot; none where all are in their place.
    places: Option<Box<[Option<usize>]>>,
    row: RowBuf,
}

impl SnapshotHeader<'_> {
    pub(crate) fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(MAGIC);
        put_bytes(out, self.stage.as_bytes());
        put_bool(out, self.table.is_some());
        if let Some(table) = self.table {
            put_bytes(out, table.name().as_bytes());
        }
        put_len(out, self.columns);
        for column in self.table.iter().flat_map(|table| table.columns()) {
            put_bytes(out, column.name.as_bytes());
            put_bytes(out, column.data_type.to_string().as_bytes());
        }
        put_len(out, self.key_columns.len());
        self.key_columns.iter().for_each(|column| put_len(out, *column));
        put_len(out, self.settings.len());
        for (name, value) in &self.settings {
            put_bytes(out, name.as_bytes());
            put_bytes(out, value.as_bytes());
        }
    }

    /// Reads the header of a snapshot, and answers how its rows are read.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::State`] if it is none, or one of another stage, another table, or other columns than the table's; but the
    /// table may have more, if they are nullable, and in another order.
    pub(crate) fn take(&self, cursor: &mut Cursor<'_>) -> Result<StoredRows, Error> {
        let Some(stored) = Stored::take(cursor) else {
            return Err(damaged(self.stage, cursor));
        };
        if stored.stage != self.stage {
            return Err(foreign(format!("the snapshot is of {}, not of {}", stored.stage, self.stage)));
        }
        let columns = match (&stored.table, self.table) {
            (Some((name, columns)), Some(table)) => {
                if *name != table.name() {
                    return Err(foreign(format!(
                        "the snapshot is of the table {name}, not of {}",
                        table.name()
                    )));
                }
                Some(places(columns, table.columns())?)
            }
            _ if stored.columns == self.columns => None,
            _ => {
                let (stored, columns) = (stored.columns, self.columns);
                return Err(foreign(format!("the snapshot has rows of {stored} columns, not of {columns}")));
            }
        };
        let place = |column: &usize| match &columns {
            Some(places) => places.get(*column).copied().flatten(),
            None => Some(*column),
        };
        if !self.key_columns.iter().map(place).eq(stored.key.iter().map(|column| Some(*column))) {
            let error = foreign("the key of the table is not that of the snapshot".to_owned());
            return Err(match &stored.table {
                Some((_, columns)) => {
                    let names = stored.key.iter().filter_map(|&column| columns.get(column));
                    let names: Vec<_> = names.map(|(name, _)| *name).collect();
                    error.with_help(format!("it was ({})", names.join(", ")))
                }
                None => error,
            });
        }
        for (name, value) in &self.settings {
            let before = stored.settings.iter().find(|(stored, _)| stored == name).map(|(_, value)| *value);
            if before != Some(value) {
                let before = before.unwrap_or("not said");
                return Err(foreign(format!("of the snapshot, {name} is {before}, and here {value}")));
            }
        }
        let is_in_place = |places: &[Option<usize>]| {
            places.len() == stored.columns && (0..).zip(places).all(|(column, place)| *place == Some(column))
        };
        let places = columns.filter(|places| !is_in_place(places));
        Ok(StoredRows { stored: stored.columns, places, row: RowBuf::new() })
    }
}

/// For each column of a table where it is in the snapshot.
fn places(stored: &[(&str, DataType)], columns: &[Field]) -> Result<Box<[Option<usize>]>, Error> {
    let is_kept = |name: &str| columns.iter().any(|column| column.name == name);
    if let Some((gone, _)) = stored.iter().find(|(name, _)| !is_kept(name)) {
        return Err(
            foreign("the snapshot has a column that the table does not have".to_owned()).in_column(gone)
        );
    }
    let place = |column: &Field| {
        let place = stored.iter().position(|(name, _)| *name == column.name);
        match place.map(|place| &stored[place].1) {
            None if column.data_type.nullable => Ok(None),
            None => Err(foreign("the snapshot does not have the column, which is NOT NULL".to_owned())),
            Some(before)
                if before.logical_type == column.data_type.logical_type
                    && (column.data_type.nullable || !before.nullable) =>
            {
                Ok(place)
            }
            Some(before) => {
                Err(foreign(format!("the column is {before:#} in the snapshot, and {:#}", column.data_type)))
            }
        }
        .map_err(|error| error.in_column(&column.name))
    };
    columns.iter().map(place).collect()
}

/// A header as it was read.
struct Stored<'a> {
    stage: &'a str,
    table: Option<(&'a str, Vec<(&'a str, DataType)>)>,
    columns: usize,
    key: Vec<usize>,
    settings: Vec<(&'a str, &'a str)>,
}

impl<'a> Stored<'a> {
    fn take(cursor: &mut Cursor<'a>) -> Option<Self> {
        cursor.array().filter(|magic| magic == MAGIC)?;
        let stage = take_text(cursor)?;
        let name = if take_bool(cursor)? { Some(take_text(cursor)?) } else { None };
        let columns = take_len(cursor)?;
        let table = match name {
            Some(name) => {
                let mut fields = Vec::new();
                for _ in 0..columns {
                    fields.push((take_text(cursor)?, take_text(cursor)?.parse().ok()?));
                }
                Some((name, fields))
            }
            None => None,
        };
        let mut key = Vec::new();
        for _ in 0..take_len(cursor)? {
            key.push(take_len(cursor)?);
        }
        let mut settings = Vec::new();
        for _ in 0..take_len(cursor)? {
            settings.push((take_text(cursor)?, take_text(cursor)?));
        }
        Some(Self { stage, table, columns, key, settings })
    }
}

fn take_text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    str::from_utf8(take_bytes(cursor)?).ok()
}

impl StoredRows {
    /// Makes `row` the next one, as wide as the table of today; `None` if there is no such.
    pub(crate) fn take(&mut self, cursor: &mut Cursor<'_>, row: &mut RowBuf) -> Option<()> {
        let Some(places) = &self.places else { return take_row(cursor, self.stored, row) };
        take_row(cursor, self.stored, &mut self.row)?;
        row.reset(places.len());
        for (column, place) in places.iter().enumerate() {
            row.set(column, place.map_or(Datum::Null, |place| self.row.datum(place)));
        }
        Some(())
    }

    /// Takes a store whose values are rows, with the time of a finite `ttl` after them, or which `as_rows` makes such one.
    pub(crate) fn take_store(
        &mut self,
        cursor: &mut Cursor<'_>,
        ttl: Ttl,
        as_rows: impl FnOnce(MemoryStore) -> Result<MemoryStore, Error>,
    ) -> Result<MemoryStore, Error> {
        let store = take_entries(cursor).ok_or_else(|| damaged("a state store", cursor))?;
        if self.places.is_none() {
            return Ok(store);
        }
        let store = as_rows(store)?;
        let mut widened = MemoryStore::new();
        let (mut row, mut value) = (RowBuf::new(), Vec::new());
        for (key, stored) in store.iter() {
            let mut stored = Cursor::new(stored);
            value.clear();
            while stored.rest().len() > ttl.time_len() {
                self.take(&mut stored, &mut row).ok_or_else(|| damaged("a store of rows", cursor))?;
                append_row(&row, row.columns(), &mut value)?;
            }
            value.extend_from_slice(stored.rest());
            widened.put(key, &value)?;
        }
        Ok(widened)
    }

    /// Whether the table has the columns of the snapshot, in their place.
    pub(crate) fn are_as_they_were(&self) -> bool {
        self.places.is_none()
    }
}

#[cold]
fn foreign(message: String) -> Error {
    Error::new(ErrorKind::State, message)
}

/// The bytes are something else, or were cut or changed.
#[cold]
pub(crate) fn damaged(stage: &str, cursor: &Cursor<'_>) -> Error {
    foreign(format!("the bytes are not a snapshot of {stage}, or not all of it"))
        .with_offset(cursor.position())
}
