use crate::error::{Error, ErrorKind};
use crate::format::Projection;
use crate::format::scalar::Scalar;
use crate::format::unicode::ByteOrder;
use crate::row::DatumKind;
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
        match Scalar::of(logical_type)? {
            Scalar::String => Some(Self::String(charset)),
            Scalar::Boolean => Some(Self::Boolean),
            Scalar::Bytes => Some(Self::Bytes),
            Scalar::TinyInt => Some(Self::TinyInt),
            Scalar::SmallInt => Some(Self::SmallInt),
            Scalar::Int => Some(Self::Int),
            Scalar::BigInt => Some(Self::BigInt),
            Scalar::Float => Some(Self::Float),
            Scalar::Double => Some(Self::Double),
            Scalar::Decimal { .. }
            | Scalar::Date
            | Scalar::SqlDate
            | Scalar::Time
            | Scalar::TimeInSeconds
            | Scalar::LocalTime { .. }
            | Scalar::Timestamp
            | Scalar::TimestampLtz
            | Scalar::IsoTimestamp
            | Scalar::IsoTimestampLtz => None,
        }
    }

    /// What datum is one.
    pub(super) fn kind(self) -> DatumKind {
        match self {
            Self::Boolean => DatumKind::Boolean,
            Self::TinyInt => DatumKind::TinyInt,
            Self::SmallInt => DatumKind::SmallInt,
            Self::Int => DatumKind::Int,
            Self::BigInt => DatumKind::BigInt,
            Self::Float => DatumKind::Float,
            Self::Double => DatumKind::Double,
            Self::String(_) => DatumKind::String,
            Self::Bytes => DatumKind::Bytes,
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
