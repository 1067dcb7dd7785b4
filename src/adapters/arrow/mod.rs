//! Batches of Arrow: their rows without a copy, and batches of rows.
//!
//! The types of a table's columns in Arrow, as [`ArrowRows::schema`] says them and [`ArrowRows::columns_of`] reads them, and
//! what else [`ArrowRows::rows`] takes:
//!
//! | column | Arrow | taken too |
//! |---|---|---|
//! | BOOLEAN | `Boolean` | |
//! | TINYINT, SMALLINT, INT, BIGINT | `Int8`, `Int16`, `Int32`, `Int64` | narrower integers, unsigned ones too |
//! | FLOAT, DOUBLE | `Float32`, `Float64` | `Float16`; `Float32` for DOUBLE |
//! | DECIMAL(p, s) | `Decimal128(p, s)` | `Decimal32`, `Decimal64`, `Decimal256`, all integers |
//! | STRING, VARCHAR(n)*, CHAR(n)* | `Utf8` | `LargeUtf8`, `Utf8View` |
//! | BYTES, VARBINARY(n)*, BINARY(n)* | `Binary` | `LargeBinary`, `BinaryView`, `FixedSizeBinary` |
//! | DATE | `Date32` | `Date64` |
//! | TIME(p)* | `Time32(Millisecond)` | `Time32`, `Time64` of all units; what is finer is dropped |
//! | TIMESTAMP(0 to 3)*, (4 to 6)*, (7 to 9)* | `Timestamp` of `Millisecond`, `Microsecond`, `Nanosecond` | all units and zones |
//! | TIMESTAMP_LTZ | the same with the zone `UTC` | all units and zones |
//! | INTERVAL YEAR TO MONTH* | `Interval(YearMonth)` | |
//! | INTERVAL DAY TO SECOND* | `Duration(Millisecond)` | `Duration` of all units, `Interval(DayTime)` |
//! | ARRAY | `List` | `LargeList`, `FixedSizeList`, `ListView`, `LargeListView` |
//! | MAP, MULTISET* | `Map`; of a MULTISET to `Int32` | |
//! | ROW | `Struct` | its fields in any order |
//! | of any type | | `Dictionary`, `RunEndEncoded`, `Null` |
//!
//! A type with a star has no twin of its own: the field's metadata says it in Flink's SQL, under
//! [`FLINK_TYPE`]. The types are those of the crates `arrow-array` and `arrow-schema` 59, which DataFusion 55 uses.

mod build;
mod column;
mod downcast;
mod types;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType as ArrowType, Schema, SchemaRef};

pub use self::build::ArrowBatchBuilder;
use self::column::Column;
use self::downcast::by_name;
pub use self::types::FLINK_TYPE;
use self::types::refuse;
use crate::error::Error;
use crate::row::{Datum, Row, RowKind};
use crate::table::{TableSink, TableSource};
use crate::types::{Field, LogicalType};

/// A table's columns as Arrow has them: what makes rows of batches, and batches of rows.
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Int64Array, RecordBatch, StringArray};
/// use upsert_kafka::{Datum, RowKind, Settings, Table};
///
/// let table = Table::from_ddl(
///     "CREATE TABLE counts (word STRING, n BIGINT, PRIMARY KEY (word) NOT ENFORCED) WITH (
///        'connector' = 'upsert-kafka', 'topic' = 'counts', 'key.format' = 'json', 'value.format' = 'json',
///        'properties.bootstrap.servers' = 'localhost:9092')",
/// )?;
/// let sink = table.sink(&Settings::default())?;
/// let (rows, mut batches) = (sink.arrow_rows(), sink.accumulator(6));
/// let n = Arc::new(Int64Array::from(vec![1, 2])) as _;
/// let op = Arc::new(StringArray::from(vec!["+U", "-D"])) as _;
/// let word = Arc::new(StringArray::from(vec!["kafka", "flink"])) as _;
/// let batch = RecordBatch::try_from_iter([("n", n), ("op", op), ("word", word)]).expect("columns of one length");
/// for (kind, row) in rows.with_kinds("op").rows(&batch)?.iter() {
///     batches.append(kind, &row, 1_717_200_000_000)?;
/// }
///
/// let rows = table.source(&Settings::default())?.arrow_rows();
/// let mut builder = rows.builder();
/// builder.push(RowKind::Insert, &[Datum::String("kafka"), Datum::BigInt(1)])?;
/// assert_eq!(builder.finish()?.num_rows(), 1);
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArrowRows {
    columns: Box<[Field]>,
    kinds: Option<String>,
    schema: SchemaRef,
}

impl TableSink {
    /// What makes the table's rows of batches of Arrow.
    #[must_use]
    pub fn arrow_rows(&self) -> ArrowRows {
        ArrowRows::new(self.layout().columns())
    }
}

impl TableSource {
    /// What makes batches of Arrow of the table's rows.
    #[must_use]
    pub fn arrow_rows(&self) -> ArrowRows {
        ArrowRows::new(self.layout().columns())
    }
}

impl ArrowRows {
    /// For rows of these columns.
    #[must_use]
    pub fn new(columns: &[Field]) -> Self {
        Self { columns: columns.into(), kinds: None, schema: types::schema(columns, None).into() }
    }

    /// The same with a column for the kind of each row: texts such as `+U`, or Flink's numbers of kinds, 0 to 3. Without
    /// it all rows are inserts.
    #[must_use]
    pub fn with_kinds(mut self, column: &str) -> Self {
        self.schema = types::schema(&self.columns, Some(column)).into();
        self.kinds = Some(column.to_owned());
        self
    }

    /// The schema of the batches that are [built](Self::builder): the columns, and after them that of the kinds, as texts.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }

    /// The columns of a table for batches of that schema, for [`Table::new`](crate::Table::new).
    ///
    /// # Errors
    ///
    /// If a type of Arrow is none of a table.
    pub fn columns_of(schema: &Schema) -> Result<Vec<Field>, Error> {
        types::columns(schema.fields())
    }

    /// The rows of a batch, each value lent from it. Columns are found by name, in any order, and downcast here, once.
    ///
    /// # Errors
    ///
    /// With the column's name: one that the batch lacks, one too many, one of another type, a value that its column
    /// cannot hold.
    pub fn rows<'b>(&self, batch: &'b RecordBatch) -> Result<BatchRows<'b>, Error> {
        let names = batch.schema_ref().fields().iter().map(|field| field.name().as_str());
        let mut arrays: Vec<(&str, &ArrayRef)> = names.zip(batch.columns()).collect();
        let mut kinds = None;
        if let Some(column) = &self.kinds {
            let place = arrays.iter().position(|(name, _)| name == column);
            let place = place.ok_or_else(|| refuse("the batch has no such column").in_column(column))?;
            let (_, array) = arrays.remove(place);
            kinds = Some(kinds_of(array).map_err(|error| error.in_column(column))?);
        }
        Ok(BatchRows { columns: by_name(&self.columns, &arrays)?, kinds, len: batch.num_rows() })
    }

    /// What makes a batch of rows.
    #[must_use]
    pub fn builder(&self) -> ArrowBatchBuilder {
        ArrowBatchBuilder::new(&self.columns, self.kinds.is_some(), self.schema())
    }
}

/// The rows of a batch.
pub struct BatchRows<'b> {
    columns: Vec<Column<'b>>,
    kinds: Option<Vec<RowKind>>,
    len: usize,
}

/// A row of a batch.
#[derive(Clone, Copy)]
pub struct BatchRow<'r> {
    columns: &'r [Column<'r>],
    index: usize,
}

impl<'b> BatchRows<'b> {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The kind of a row: that of its column, or else an insert.
    ///
    /// # Panics
    ///
    /// If the kinds are a column's and the batch has no such row.
    #[inline]
    #[must_use]
    pub fn kind(&self, row: usize) -> RowKind {
        self.kinds.as_ref().map_or(RowKind::Insert, |kinds| kinds[row])
    }

    /// The row at that position, counted from 0.
    ///
    /// # Panics
    ///
    /// If the batch has no such row, when a value is asked for.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> BatchRow<'_> {
        BatchRow { columns: &self.columns, index: row }
    }

    /// The rows in order, each with its kind.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (RowKind, BatchRow<'_>)> {
        (0..self.len).map(|row| (self.kind(row), self.row(row)))
    }
}

impl Row for BatchRow<'_> {
    /// Inlined into the encoder, which then joins the cells to the writers of its columns' types. A closure would not be.
    #[inline(always)]
    fn datum(&self, column: usize) -> Datum<'_> {
        match self.columns.get(column) {
            Some(column) => column.datum(self.index),
            None => Datum::Null,
        }
    }

    #[inline]
    fn is_null(&self, column: usize) -> bool {
        self.columns.get(column).is_none_or(|column| column.is_null(self.index))
    }
}

impl std::fmt::Debug for BatchRow<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.columns.iter().map(|column| column.datum(self.index))).finish()
    }
}

impl std::fmt::Debug for BatchRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

fn kinds_of(array: &ArrayRef) -> Result<Vec<RowKind>, Error> {
    let is_number = *array.data_type() == ArrowType::Int8;
    let of = if is_number { LogicalType::TinyInt } else { LogicalType::STRING };
    let column = Column::new(array, &of.nullable())?;
    let kind = |row| {
        let kind = match column.datum(row) {
            Datum::String(text) => text.parse().ok(),
            Datum::TinyInt(number) => u8::try_from(number).ok().and_then(RowKind::from_u8),
            _ => None,
        };
        kind.ok_or_else(|| refuse("expected a kind such as +U, or 0 to 3").with_row(row as u64))
    };
    (0..array.len()).map(kind).collect()
}
