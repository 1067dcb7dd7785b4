use crate::error::{Error, ErrorKind};
use crate::format::Projection;
use crate::format::unicode::ByteOrder;
use crate::types::{Field, LogicalType};

use super::charset::Charset;
use super::options::RawOptions;

/// The one column, compiled: where it is and how its values are spelled.
#[derive(Clone, Debug)]
pub(super) struct RawColumn {
    pub(super) name: Box<str>,
    /// Its position in the table's row.
    pub(super) position: usize,
    pub(super) raw_type: RawType,
    pub(super) byte_order: ByteOrder,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum RawType {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float,
    Double,
    String(Charset),
    Bytes,
}

impl RawColumn {
    /// # Errors
    ///
    /// As [`only_column`].
    pub(super) fn new(projection: Projection<'_>, options: &RawOptions) -> Result<Self, Error> {
        let (field, raw_type) = only_column(projection.fields, options.charset)?;
        Ok(Self {
            name: field.name.as_str().into(),
            position: projection.columns[0],
            raw_type,
            byte_order: options.byte_order,
        })
    }
}

impl RawType {
    fn new(logical_type: &LogicalType, charset: Charset) -> Option<Self> {
        match logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Some(Self::String(charset)),
            LogicalType::Boolean => Some(Self::Boolean),
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Some(Self::Bytes),
            LogicalType::TinyInt => Some(Self::TinyInt),
            LogicalType::SmallInt => Some(Self::SmallInt),
            LogicalType::Int => Some(Self::Int),
            LogicalType::BigInt => Some(Self::BigInt),
            LogicalType::Float => Some(Self::Float),
            LogicalType::Double => Some(Self::Double),
            LogicalType::Decimal { .. }
            | LogicalType::Date
            | LogicalType::Time(_)
            | LogicalType::Timestamp(_)
            | LogicalType::TimestampTz(_)
            | LogicalType::TimestampLtz(_)
            | LogicalType::YearMonthInterval(_)
            | LogicalType::DayTimeInterval(_)
            | LogicalType::Array(_)
            | LogicalType::Map(..)
            | LogicalType::Multiset(_)
            | LogicalType::Row(_)
            | LogicalType::Null
            | LogicalType::Variant
            | LogicalType::Bitmap => None,
        }
    }

    /// Flink's name of the type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::String(_) => "STRING",
            Self::Bytes => "BYTES",
        }
    }
}

/// The column that there is, and its type.
///
/// # Errors
///
/// Flink's, for another number of columns than one and for a type that the format does not take.
fn only_column(fields: &[Field], charset: Charset) -> Result<(&Field, RawType), Error> {
    let [field] = fields else {
        let fields: Vec<_> = fields.iter().map(|field| format!("{field:#}")).collect();
        return Err(Error::new(
            ErrorKind::Table,
            format!(
                "The 'raw' format only supports single physical column. However the defined schema contains \
                 multiple physical columns: [{}]",
                fields.join(", ")
            ),
        ));
    };
    match RawType::new(&field.data_type.logical_type, charset) {
        Some(raw_type) => Ok((field, raw_type)),
        None => Err(Error::new(
            ErrorKind::Table,
            format!("The 'raw' format doesn't supports '{:#}' as column type.", field.data_type),
        )
        .in_column(&field.name)),
    }
}
