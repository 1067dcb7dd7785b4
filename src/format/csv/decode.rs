//! Lines to rows, in one pass.

use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::format::options::Role;
use crate::format::plain_number::{self, PlainNumber};
use crate::format::scalar::Scalar;
use crate::format::{DecodeRow, FormatSettings, NoRow, Projection, Rows};
use crate::row::{RowBuf, RowKind, Slot};
use crate::text;
use crate::types::{DataType, LogicalType};

use super::check;
use super::input::Input;
use super::line::{Dialect, Line};
use super::options::CsvOptions;

/// Reads the first line of a message into the projected columns of a row.
///
/// Agrees with `org.apache.flink.formats.csv.CsvRowDataDeserializationSchema` and Jackson's `CsvParser`.
#[derive(Clone, Debug)]
pub(crate) struct CsvDecoder {
    dialect: Dialect,
    columns: Box<[Column]>,
    cells: Cells,
    ignore_trailing_unmappable: bool,
    allow_trailing_comma: bool,
    fail_on_missing_columns: bool,
}

impl CsvDecoder {
    /// # Errors
    ///
    /// Flink's, for a type that CSV does not take.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &CsvOptions,
        _settings: FormatSettings,
    ) -> Result<Self, Error> {
        check::check_fields(projection.fields, Role::Source)?;
        let columns = projection.fields.iter().zip(projection.columns).map(|(field, &position)| {
            let converter = CellReader::new(&field.data_type)?;
            Ok(Column { name: field.name.as_str().into(), position, converter })
        });
        Ok(Self {
            dialect: Dialect::new(options),
            columns: columns.collect::<Result<_, Error>>()?,
            cells: Cells {
                null_literal: options.null_literal.as_deref().map(Into::into),
                empty_as_null: options.empty_string_as_null,
                delimiter: options.array_element_delimiter,
                trims: options.trim_spaces,
                ignore_parse_errors: options.ignore_parse_errors,
            },
            ignore_trailing_unmappable: options.ignore_trailing_unmappable,
            allow_trailing_comma: options.allow_trailing_comma,
            fail_on_missing_columns: options.fail_on_missing_columns,
        })
    }

    /// As [`decode`](DecodeRow::decode), of a value whose line begins with that of its key, which is its first `cells`
    /// cells: the key decodes to what they decode to, and to nothing else.
    ///
    /// `false`, and no row, of any other value: whoever decodes the key finds out what it says.
    pub(crate) fn decode_with_key(
        &self,
        key: &[u8],
        cells: usize,
        value: &[u8],
        rows: &mut Rows<'_>,
    ) -> bool {
        if key.is_empty() || !value.starts_with(key) {
            return false;
        }
        let input = Input::new(value);
        let Ok((row, scratch)) = rows.push_with_scratch(RowKind::Insert) else { return false };
        let is_read = input.is_as_it_stands()
            && self.read(&input, Some((cells, key.len())), row, &mut scratch.bytes).unwrap_or(false);
        if !is_read {
            rows.pop();
        }
        is_read
    }

    /// Reads the line. `false` if its first cells do not end, with a separator after them, where those of its `key`, so
    /// many cells and bytes, do.
    #[inline]
    fn read(
        &self,
        input: &Input<'_>,
        key: Option<(usize, usize)>,
        row: &mut RowBuf,
        scratch: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let mut line = Line::start(&self.dialect, input)?;
        let mut begun = 0;
        if let Some((cells, end)) = key {
            self.read_cells(0..cells, &mut line, input, row, scratch)?;
            if !line.has_separator_at(end) {
                return Ok(false);
            }
            begun = cells;
        }
        self.read_cells(begun..self.columns.len(), &mut line, input, row, scratch)?;
        self.pass_extra(&mut line, scratch)?;
        line.finish()?;
        Ok(true)
    }

    /// Reads the cells of these columns, as far as the line has them.
    #[inline]
    fn read_cells(
        &self,
        range: Range<usize>,
        line: &mut Line<'_>,
        input: &Input<'_>,
        row: &mut RowBuf,
        scratch: &mut Vec<u8>,
    ) -> Result<(), Error> {
        for index in range {
            let column = &self.columns[index];
            if let CellReader::Scalar(scalar) = column.converter
                && self.cells.read_at_once(scalar, line, column.position, row).is_some()
            {
                continue;
            }
            let cell = match line.plain_cell() {
                None => line.next_cell(scratch)?,
                plain => plain,
            };
            let Some(cell) = cell else { return self.check_missing(index) };
            match self.cells.read(&column.converter, cell, row) {
                Ok(slot) => row.store(column.position, slot),
                Err(error) => return Err(self.first_fault(input, error.in_column(&column.name), scratch)),
            }
        }
        Ok(())
    }

    /// The fault of a line in which a cell is a misfit: Jackson reads the whole line, and Flink counts its cells, before
    /// any is converted.
    #[cold]
    #[inline(never)]
    fn first_fault(&self, input: &Input<'_>, misfit: Error, scratch: &mut Vec<u8>) -> Error {
        self.pass(input, scratch).err().unwrap_or(misfit)
    }

    /// Reads the line without its cells' values.
    fn pass(&self, input: &Input<'_>, scratch: &mut Vec<u8>) -> Result<(), Error> {
        let mut line = Line::start(&self.dialect, input)?;
        for found in 0..self.columns.len() {
            if line.next_cell(scratch)?.is_none() {
                self.check_missing(found)?;
                return line.finish();
            }
        }
        self.pass_extra(&mut line, scratch)?;
        line.finish()
    }

    /// The line has only `found` cells.
    fn check_missing(&self, found: usize) -> Result<(), Error> {
        let expected = self.columns.len();
        if self.fail_on_missing_columns {
            let message = format!("Not enough column values: expected {expected}, found {found}");
            return Err(Error::new(ErrorKind::Data, message));
        }
        if self.cells.ignore_parse_errors { Ok(()) } else { Err(length_mismatch(expected, found)) }
    }

    /// Passes the cells after those of the columns, as far as they are allowed.
    #[inline]
    fn pass_extra(&self, line: &mut Line<'_>, scratch: &mut Vec<u8>) -> Result<(), Error> {
        let Some(extra) = line.next_cell(scratch)? else { return Ok(()) };
        // Without columns, Jackson makes an array of the line, of any length.
        if self.ignore_trailing_unmappable || self.columns.is_empty() {
            while line.next_cell(scratch)?.is_some() {}
            return Ok(());
        }
        let may_trail = self.allow_trailing_comma && text::trim_java(extra).is_empty();
        if may_trail && line.next_cell(scratch)?.is_none() {
            return Ok(());
        }
        let message = format!("Too many entries: expected at most {}", self.columns.len());
        Err(Error::new(ErrorKind::Data, message))
    }
}

impl DecodeRow for CsvDecoder {
    #[inline]
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
        match self.read(&Input::new(bytes), None, row, &mut scratch.bytes) {
            Err(_) if self.cells.ignore_parse_errors => {
                rows.pop();
                rows.skip(NoRow::ParseError);
                Ok(())
            }
            result => result.map(drop),
        }
    }
}

#[derive(Clone, Debug)]
struct Column {
    name: Box<str>,
    /// In the table's row.
    position: usize,
    converter: CellReader,
}

/// How a cell becomes a value.
#[derive(Clone, Debug)]
enum CellReader {
    Scalar(Scalar),
    Array(Scalar),
    Row(Box<[(Box<str>, Scalar)]>),
}

impl CellReader {
    fn new(data_type: &DataType) -> Result<Self, Error> {
        match &data_type.logical_type {
            LogicalType::Array(element) => scalar_of(element).map(Self::Array),
            LogicalType::Row(row) => {
                let fields = row.fields().iter();
                let fields =
                    fields.map(|field| Ok((field.name.as_str().into(), scalar_of(&field.data_type)?)));
                fields.collect::<Result<_, Error>>().map(Self::Row)
            }
            _ => scalar_of(data_type).map(Self::Scalar),
        }
    }
}

/// How a cell, or a part of one, is read. In CSV all values are text.
fn scalar_of(data_type: &DataType) -> Result<Scalar, Error> {
    let scalar = match data_type.logical_type {
        LogicalType::Date => Some(Scalar::SqlDate),
        LogicalType::Time(precision) => {
            let digits_cut = 3_u8.saturating_sub(precision);
            Some(Scalar::LocalTime { unit: 10_i32.pow(digits_cut.into()) })
        }
        ref logical_type => Scalar::of(logical_type),
    };
    scalar.ok_or_else(|| check::unsupported(data_type))
}

/// What the options say of cells and their parts.
#[derive(Clone, Debug)]
struct Cells {
    null_literal: Option<Box<str>>,
    empty_as_null: bool,
    /// Between the parts of an array or a nested row.
    delimiter: char,
    trims: bool,
    /// What does not convert is NULL.
    ignore_parse_errors: bool,
}

impl Cells {
    #[inline]
    fn read(&self, converter: &CellReader, cell: &str, row: &mut RowBuf) -> Result<Slot, Error> {
        match converter {
            CellReader::Scalar(scalar) => self.read_scalar(*scalar, cell, row),
            CellReader::Array(element) => self.read_array(*element, cell, row),
            CellReader::Row(fields) => self.read_row(fields, cell, row),
        }
    }

    #[inline]
    fn read_scalar(&self, scalar: Scalar, cell: &str, row: &mut RowBuf) -> Result<Slot, Error> {
        if self.is_null(cell) {
            return Ok(Slot::Null);
        }
        let text = match scalar {
            Scalar::Timestamp | Scalar::TimestampLtz => text::trim_java(cell),
            _ => cell,
        };
        match scalar.parse(text, row) {
            Some(slot) => Ok(slot),
            None if self.ignore_parse_errors => Ok(Slot::Null),
            None => Err(misfit(scalar, cell)),
        }
    }

    /// Reads the next cell into `place`, if it is spelled as most are of its type. `None` leaves it to others, whatever is
    /// in `place` then.
    ///
    /// Each type stores its own value: one store for all would take all of them through memory.
    #[inline(always)]
    fn read_at_once(
        &self,
        scalar: Scalar,
        line: &mut Line<'_>,
        place: usize,
        row: &mut RowBuf,
    ) -> Option<()> {
        let rest = line.plain_rest()?;
        let len = match scalar {
            Scalar::Boolean => {
                let value = rest.starts_with(b"true");
                if !value && !rest.starts_with(b"false") {
                    return None;
                }
                row.store(place, Slot::Boolean(value));
                if value { 4 } else { 5 }
            }
            Scalar::TinyInt | Scalar::SmallInt | Scalar::Int | Scalar::BigInt => {
                plain_number::store_integer(scalar, rest, place, row)?
            }
            Scalar::Double => {
                let number = PlainNumber::read(rest)?;
                row.store(place, Slot::Double(number.double()?));
                number.len
            }
            Scalar::Decimal { precision, scale } => {
                let number = PlainNumber::read(rest)?;
                row.store(place, Slot::Decimal(number.decimal(precision, scale)?));
                number.len
            }
            Scalar::String => {
                let cell = line.plain_cell()?;
                let slot = if self.is_null(cell) { Slot::Null } else { row.str_slot(cell) };
                row.store(place, slot);
                return Some(());
            }
            Scalar::Float
            | Scalar::Bytes
            | Scalar::Date
            | Scalar::SqlDate
            | Scalar::Time
            | Scalar::TimeInSeconds
            | Scalar::LocalTime { .. }
            | Scalar::Timestamp
            | Scalar::TimestampLtz
            | Scalar::IsoTimestamp
            | Scalar::IsoTimestampLtz => return None,
        };
        let is_null = self.null_literal.as_deref().is_some_and(|null| null.as_bytes() == &rest[..len]);
        if is_null { None } else { line.pass_plain(len) }
    }

    fn read_array(&self, element: Scalar, cell: &str, row: &mut RowBuf) -> Result<Slot, Error> {
        let mark = row.begin();
        for (index, part) in self.parts(cell).enumerate() {
            let slot = self.read_scalar(element, part, row).map_err(|error| error.in_element(index))?;
            row.push_item(slot)?;
        }
        Ok(row.array_slot(mark))
    }

    /// Parts after the last field are dropped; without any there is no row.
    fn read_row(&self, fields: &[(Box<str>, Scalar)], cell: &str, row: &mut RowBuf) -> Result<Slot, Error> {
        let mark = row.begin();
        row.push_nulls(fields.len());
        let mut found = 0;
        for ((name, scalar), part) in fields.iter().zip(self.parts(cell)) {
            match self.read_scalar(*scalar, part, row) {
                Ok(slot) => row.store(mark + found, slot),
                // Flink counts the parts first.
                Err(error) => {
                    return Err(self.check_parts(fields.len(), cell).err().unwrap_or(error.in_column(name)));
                }
            }
            found += 1;
        }
        if found == 0 {
            row.rewind(mark);
            return Ok(Slot::Null);
        }
        if found < fields.len() {
            self.check_parts(fields.len(), cell)?;
        }
        Ok(row.row_slot(mark))
    }

    /// A nested row has a part for each of its fields, unless parse errors are ignored.
    #[cold]
    fn check_parts(&self, expected: usize, cell: &str) -> Result<(), Error> {
        let found = self.parts(cell).count();
        if found < expected && !self.ignore_parse_errors {
            Err(length_mismatch(expected, found))
        } else {
            Ok(())
        }
    }

    #[inline]
    fn is_null(&self, cell: &str) -> bool {
        self.null_literal.as_deref() == Some(cell) || (self.empty_as_null && cell.is_empty())
    }

    /// The parts of an array or a nested row. Quotes mean nothing here, and a blank cell has no parts.
    fn parts<'c>(&self, cell: &'c str) -> impl Iterator<Item = &'c str> {
        let has_parts = !text::trim_java(cell).is_empty() || cell.contains(self.delimiter);
        let trims = self.trims;
        let parts = cell.split(self.delimiter).take(if has_parts { usize::MAX } else { 0 });
        parts.map(move |part| if trims { text::trim_java(part) } else { part })
    }
}

#[cold]
fn length_mismatch(expected: usize, found: usize) -> Error {
    let message = format!("Row length mismatch. {expected} fields expected but was {found}.");
    Error::new(ErrorKind::Data, message)
}

#[cold]
#[inline(never)]
fn misfit(scalar: Scalar, cell: &str) -> Error {
    Error::new(ErrorKind::Data, format!("expected {}, found {}", scalar.name(), text::shown(cell)))
}

#[cfg(test)]
mod tests;
