use super::interval::{DayTimeInterval, YearMonthInterval};

/// A type without its nullability, as Flink's SQL has them.
///
/// Lengths, precisions and scales are those of the declaration; formats mostly ignore them, as Flink's do. A table
/// checks them against Flink's bounds, and so does parsing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogicalType {
    /// `CHAR(n)`.
    Char(u32),
    /// `VARCHAR(n)`; [`STRING`](Self::STRING) is the longest.
    VarChar(u32),
    /// `BOOLEAN`.
    Boolean,
    /// `BINARY(n)`.
    Binary(u32),
    /// `VARBINARY(n)`; [`BYTES`](Self::BYTES) is the longest.
    VarBinary(u32),
    /// `DECIMAL(p, s)`.
    Decimal {
        /// All digits, 1 to 38.
        precision: u8,
        /// Digits after the point, 0 to `precision`.
        scale: u8,
    },
    /// `TINYINT`.
    TinyInt,
    /// `SMALLINT`.
    SmallInt,
    /// `INT`.
    Int,
    /// `BIGINT`.
    BigInt,
    /// `FLOAT`.
    Float,
    /// `DOUBLE`.
    Double,
    /// `DATE`.
    Date,
    /// `TIME(p)`, p from 0 to 9.
    Time(u8),
    /// `TIMESTAMP(p)`, p from 0 to 9.
    Timestamp(u8),
    /// `TIMESTAMP(p) WITH TIME ZONE`; no format takes it.
    TimestampTz(u8),
    /// `TIMESTAMP_LTZ(p)`: `TIMESTAMP(p) WITH LOCAL TIME ZONE`.
    TimestampLtz(u8),
    /// `INTERVAL YEAR TO MONTH` and its parts.
    YearMonthInterval(YearMonthInterval),
    /// `INTERVAL DAY TO SECOND` and its parts.
    DayTimeInterval(DayTimeInterval),
    /// `ARRAY<T>`.
    Array(Box<DataType>),
    /// `MAP<K, V>`.
    Map(Box<DataType>, Box<DataType>),
    /// `MULTISET<T>`.
    Multiset(Box<DataType>),
    /// `ROW<...>`.
    Row(RowType),
    /// `NULL`, the type of a NULL without a type; no column of a `CREATE TABLE`.
    Null,
    /// `VARIANT`; no format takes it.
    Variant,
    /// `BITMAP`; no format takes it.
    Bitmap,
}

impl LogicalType {
    /// The length of `STRING` and `BYTES`: Java's greatest int.
    pub const MAX_LENGTH: u32 = i32::MAX as u32;

    /// `STRING`: `VARCHAR(2147483647)`.
    pub const STRING: Self = Self::VarChar(Self::MAX_LENGTH);

    /// `BYTES`: `VARBINARY(2147483647)`.
    pub const BYTES: Self = Self::VarBinary(Self::MAX_LENGTH);

    /// How many types may be inside each other, `ARRAY<INT>` being two. A limit of ours: codecs recurse.
    pub const MAX_NESTING: usize = 100;

    /// This type, and NULL.
    #[must_use]
    pub fn nullable(self) -> DataType {
        DataType { logical_type: self, nullable: true }
    }

    /// This type, without NULL.
    #[must_use]
    pub fn not_null(self) -> DataType {
        DataType { logical_type: self, nullable: false }
    }

    /// `DECIMAL(precision, scale)`.
    #[must_use]
    pub fn decimal(precision: u8, scale: u8) -> Self {
        Self::Decimal { precision, scale }
    }

    /// `ARRAY<element>`.
    #[must_use]
    pub fn array(element: impl Into<DataType>) -> Self {
        Self::Array(Box::new(element.into()))
    }

    /// `MAP<key, value>`.
    #[must_use]
    pub fn map(key: impl Into<DataType>, value: impl Into<DataType>) -> Self {
        Self::Map(Box::new(key.into()), Box::new(value.into()))
    }

    /// `MULTISET<element>`.
    #[must_use]
    pub fn multiset(element: impl Into<DataType>) -> Self {
        Self::Multiset(Box::new(element.into()))
    }

    /// `ROW<fields>`.
    #[must_use]
    pub fn row(fields: impl IntoIterator<Item = Field>) -> Self {
        Self::Row(RowType::new(fields.into_iter().collect()))
    }
}

/// A type and whether NULL is one of its values.
///
/// Read from Flink's SQL text and printed as it, `asSerializableString()` with `{}` and `asSummaryString()` with
/// `{:#}`, which say `VARCHAR(2147483647)` and `STRING`.
///
/// ```
/// use upsert_kafka::types::{DataType, LogicalType};
///
/// let tags: DataType = "array<string not null>".parse()?;
/// assert_eq!(tags, LogicalType::array(LogicalType::STRING.not_null()).nullable());
/// assert_eq!(tags.to_string(), "ARRAY<VARCHAR(2147483647) NOT NULL>");
/// assert_eq!(format!("{tags:#}"), "ARRAY<STRING NOT NULL>");
/// # Ok::<(), upsert_kafka::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
// Exhaustive: callers make it: a type is a logical type and whether it holds NULL.
pub struct DataType {
    /// The type.
    pub logical_type: LogicalType,
    /// Whether NULL is allowed; SQL's default.
    pub nullable: bool,
}

impl DataType {
    /// The same type without NULL.
    #[must_use]
    pub fn not_null(mut self) -> Self {
        self.nullable = false;
        self
    }
}

impl From<LogicalType> for DataType {
    /// NULL is allowed, as in SQL unless said otherwise.
    fn from(logical_type: LogicalType) -> Self {
        logical_type.nullable()
    }
}

/// A column of a table or a field of a nested row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
// Exhaustive: callers make it: a field is a name and a type.
pub struct Field {
    /// The name, without quotes.
    pub name: String,
    /// The type and its nullability.
    pub data_type: DataType,
    /// The comment that a nested field may have.
    pub description: Option<String>,
}

impl Field {
    /// A field without a description.
    #[must_use]
    pub fn new(name: impl Into<String>, data_type: impl Into<DataType>) -> Self {
        Self { name: name.into(), data_type: data_type.into(), description: None }
    }
}

/// The fields of a row, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowType {
    fields: Vec<Field>,
}

impl RowType {
    /// A row type of `fields`. That their names are unique is checked where the type is used, by a table.
    #[must_use]
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields }
    }

    /// The fields in order.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}
