//! Rows of whatever `serde` serializes, and what it deserializes of rows: by name.

mod of;
mod parse;
mod read;
mod scalar;
mod types;
mod write;

use serde::{Deserialize, Serialize};

use self::read::RowReader;
use self::types::Fields;
use self::write::ValueWriter;
use crate::error::Error;
use crate::row::{Row, RowBuf};
use crate::table::{TableSink, TableSource};
use crate::types::Field;

/// What makes rows of a table of any `Serialize`, and any `Deserialize` of its rows.
///
/// Fields are columns by name, as serde's attributes have it: `rename`, `default`, `skip`, `flatten` and the like. Where
/// the columns of a struct stand is found out with its first row; a row after that compares addresses of names. Values
/// go straight into a row that is reused, and are lent from rows as `&str` and `&[u8]`.
///
/// | column | is made of | is read as |
/// |---|---|---|
/// | BOOLEAN | `bool` | `bool` |
/// | TINYINT to BIGINT, intervals | any integer that fits | an integer |
/// | FLOAT, DOUBLE | `f32`; DOUBLE of `f64` too | `f32`, `f64` |
/// | DECIMAL | [`Decimal`](crate::Decimal), an integer, a text such as `-1.50` | [`Decimal`](crate::Decimal), a text |
/// | STRING, CHAR, VARCHAR | a text, a `char`, an enum of units | a text, a `char`, an enum of units |
/// | BYTES, BINARY, VARBINARY | bytes, a list of `u8` | bytes, a list of `u8` |
/// | DATE, TIME | a text such as `2024-02-29`, `12:34:56` | the same |
/// | TIMESTAMP | [`Timestamp`](crate::Timestamp), a text such as `2024-02-29T12:34:56.789` | the same |
/// | TIMESTAMP_LTZ | the same, with `Z` or an offset | the same, with `Z` |
/// | ARRAY | a sequence, a tuple | a sequence, a tuple |
/// | MAP, MULTISET | a map | a map |
/// | ROW | a struct or a map by name, a tuple by position | the same |
/// | NULL in any | `None`, `()` | `None`, `()` |
///
/// The texts are those that `chrono`, `jiff`, `rust_decimal` and `uuid` serialize, each with its own feature `serde`. An
/// enum with data is no column.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use upsert_kafka::{ConsumerRecord, DecodeBuf, RecordBuf, RowKind, Settings, Table};
///
/// #[derive(Serialize, Deserialize, Debug, PartialEq)]
/// struct Count {
///     n: i64,
///     #[serde(rename = "word")]
///     text: String,
/// }
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
///        'properties.bootstrap.servers' = 'localhost:9092')",
/// )?;
/// let sink = table.sink(&Settings::default())?;
/// let (encoder, mut rows, mut buf) = (sink.encoder(), sink.serde_rows(), RecordBuf::new());
/// let count = Count { n: 1, text: "kafka".to_owned() };
/// let record = encoder.encode(RowKind::Insert, rows.row(&count)?, &mut buf)?.expect("an insert is a record");
/// assert_eq!(record.value, Some(&br#"{"word":"kafka","n":1}"#[..]));
///
/// let source = table.source(&Settings::default())?;
/// let (decoder, rows, mut buf) = (source.decoder(), source.serde_rows(), DecodeBuf::new());
/// for (_, row) in decoder.decode(&ConsumerRecord::new(record.key, record.value), &mut buf)?.rows() {
///     assert_eq!(rows.read::<Count>(row)?, count);
/// }
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SerdeRows {
    columns: Fields,
    row: RowBuf,
}

impl TableSink {
    /// What makes the table's rows of any `Serialize`.
    #[must_use]
    pub fn serde_rows(&self) -> SerdeRows {
        SerdeRows::new(self.layout().columns())
    }
}

impl TableSource {
    /// What makes any `Deserialize` of the table's rows.
    #[must_use]
    pub fn serde_rows(&self) -> SerdeRows {
        SerdeRows::new(self.layout().columns())
    }
}

impl SerdeRows {
    /// For rows of these columns.
    #[must_use]
    pub fn new(columns: &[Field]) -> Self {
        Self { columns: Fields::new(columns), row: RowBuf::new() }
    }

    /// The row of a struct or map, in the order of the table's columns, until the next one is asked for.
    ///
    /// One copy of its values; allocates only while the row grows, and for what `Serialize` allocates itself.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Row`](crate::ErrorKind::Row) with the column's name: a struct that lacks it, be it nullable; a field that
    /// is no column; a value that does not fit. A field that serde skips for its value is NULL, and so is what a map lacks.
    pub fn row<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<&RowBuf, Error> {
        value.serialize(ValueWriter::of_row(&mut self.columns, &mut self.row))?;
        Ok(&self.row)
    }

    /// The struct, map or tuple of a row.
    ///
    /// A struct need not have all columns, and what a row lacks is what serde makes of it: `default`, or an error.
    ///
    /// # Errors
    ///
    /// Those of `Deserialize`, with the column's name.
    pub fn read<'a, T: Deserialize<'a>>(&self, row: &'a (impl Row + ?Sized)) -> Result<T, Error> {
        T::deserialize(RowReader { columns: &self.columns, datum: |column| row.datum(column) })
    }
}
