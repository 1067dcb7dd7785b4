use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde_json::value::RawValue;
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::types::Field;
use upsert_kafka::{Error, RowBuf, RowKind};

use super::named::named;

/// The lines of a changelog, one row each; blank ones are passed over.
pub struct Changelog {
    name: String,
    reader: Box<dyn BufRead>,
    rows: JsonRows,
    columns: Vec<Field>,
    line: Vec<u8>,
    line_number: usize,
    bytes_read: u64,
    /// Of a file.
    size: Option<u64>,
}

impl Changelog {
    /// The file at `path`, or standard input for `-`.
    pub fn open(path: &Path, columns: &[Field]) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Ok(Self::new("standard input", BufReader::new(io::stdin()), None, columns));
        }
        let name = path.display().to_string();
        let open = || {
            let file = File::open(path)?;
            let size =
                file.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len());
            Ok(Self::new(&name, BufReader::with_capacity(1 << 16, file), size, columns))
        };
        open().map_err(|error| named(error, &name))
    }

    /// A text that is there already.
    pub fn of_text(name: &str, text: &'static str, columns: &[Field]) -> Self {
        Self::new(name, text.as_bytes(), None, columns)
    }

    fn new(name: &str, reader: impl BufRead + 'static, size: Option<u64>, columns: &[Field]) -> Self {
        Self {
            name: name.to_owned(),
            reader: Box::new(reader),
            rows: JsonRows::new(columns),
            columns: columns.to_vec(),
            line: Vec::new(),
            line_number: 0,
            bytes_read: 0,
            size,
        }
    }

    /// Reads the next row into `row`, and answers its kind; `None` at the end.
    pub fn next(&mut self, row: &mut RowBuf) -> Result<Option<RowKind>, Box<dyn std::error::Error>> {
        loop {
            self.line.clear();
            let read =
                self.reader.read_until(b'\n', &mut self.line).map_err(|error| named(error, &self.name))?;
            if read == 0 {
                return Ok(None);
            }
            self.line_number += 1;
            self.bytes_read += read as u64;
            let line = match std::str::from_utf8(&self.line) {
                Ok(line) => line.trim_end(),
                Err(error) => return Err(self.bad_input(error.valid_up_to(), "this is not UTF-8").into()),
            };
            if !line.is_empty() {
                return Ok(Some(self.rows.read(line, row).map_err(|error| self.bad_row(&error))?));
            }
        }
    }

    /// The row read last is none that can be written: `error` says why.
    pub fn bad_row(&self, error: &Error) -> BadInput {
        let offset = error.offset().or_else(|| self.offset_of(&error.column_path()?)).unwrap_or(0);
        self.bad_input(offset, &explain(error))
    }

    /// How much of the file is read, from 0 to 1; `None` for what is no file.
    pub fn share_read(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "shown in percent")]
        self.size.map(|size| self.bytes_read as f64 / size.max(1) as f64)
    }

    fn bad_input(&self, offset: usize, message: &str) -> BadInput {
        let (_, column) = place(&self.line, offset);
        BadInput { file: self.name.clone(), line: self.line_number, column, message: message.to_owned() }
    }

    /// Where the value is whose column an error names, with what is inside of it, in backticks.
    fn offset_of(&self, column_path: &str) -> Option<usize> {
        let is_named = |field: &Field| {
            let name = format!("`{}`", field.name.replace('`', "``"));
            column_path.strip_prefix(&name).is_some_and(|inside| !inside.starts_with('`'))
        };
        let index = self.columns.iter().position(is_named)?;
        let (_, values): (&RawValue, Vec<&RawValue>) = serde_json::from_slice(&self.line).ok()?;
        Some(values.get(index)?.get().as_ptr().addr() - self.line.as_ptr().addr())
    }
}

/// What is wrong with an input and where, shown as compilers do: `people.jsonl:3:14: expected INT, found "x"`.
#[derive(Debug)]
pub struct BadInput {
    file: String,
    line: usize,
    column: usize,
    message: String,
}

impl BadInput {
    /// What is wrong with `table`, the text of the file `name`.
    pub fn in_table(name: &str, table: &str, error: &Error) -> Self {
        let offset = error.offset().or_else(|| table.find(&format!("'{}'", error.option()?)));
        let (line, column) = place(table.as_bytes(), offset.unwrap_or(0));
        Self { file: name.to_owned(), line, column, message: explain(error) }
    }
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl std::error::Error for BadInput {}

/// Line and column of a byte, counted from 1, columns in characters.
fn place(text: &[u8], offset: usize) -> (usize, usize) {
    let before = String::from_utf8_lossy(text.get(..offset).unwrap_or(text));
    let line = before.rsplit('\n').next().unwrap_or("");
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// An error without the byte and the row: line and column say both.
fn explain(error: &Error) -> String {
    let option = error.option().map(|key| format!("option '{key}': "));
    let column = error.column_path().map(|path| format!("column {path}: "));
    let help = error.help().map(|help| format!("\n{help}"));
    let [option, column, help] = [option, column, help].map(Option::unwrap_or_default);
    format!("{option}{column}{}{help}", error.message())
}
