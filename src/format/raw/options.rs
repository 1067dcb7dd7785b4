use crate::error::{Error, ErrorKind};
use crate::format::options::{OptionReader, OptionSpec, Role};
use crate::format::registry::FormatOptions;
use crate::types::{Field, LogicalType};

use super::charset::Charset;

/// The options of `raw`.
///
/// Agrees with `org.apache.flink.formats.raw.RawFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawOptions {
    /// `charset`: of CHAR and VARCHAR.
    pub(crate) charset: Charset,
    /// `endianness` = `little-endian`: of numbers.
    pub(crate) little_endian: bool,
}

const CHARSET: OptionSpec = OptionSpec::string(
    "charset",
    "1.12",
    "The charset of CHAR and VARCHAR: a name of it that Java knows, in any case. Checked for other types too.",
)
.or("UTF-8");
const ENDIANNESS: OptionSpec = OptionSpec::string(
    "endianness",
    "1.12",
    "`big-endian` or `little-endian`, in any case: the order of the bytes of a number.",
)
.or("big-endian");

impl FormatOptions for RawOptions {
    const IDENTIFIER: &'static str = "raw";
    const OPTIONS: &'static [OptionSpec] = &[CHARSET, ENDIANNESS];

    fn read(options: OptionReader<'_>, _role: Role) -> Result<Self, Error> {
        let endianness = options.string(&ENDIANNESS).unwrap_or_default();
        let little_endian = match &*endianness.to_lowercase() {
            "big-endian" => false,
            "little-endian" => true,
            _ => {
                return Err(options.refuse(
                    &ENDIANNESS,
                    format!(
                        "Unsupported endianness name: {endianness}. Valid values of 'raw.endianness' option are \
                         'big-endian' and 'little-endian'."
                    ),
                ));
            }
        };
        let name = options.string(&CHARSET).unwrap_or_default();
        match Charset::find(name) {
            Some(charset) => Ok(Self { charset, little_endian }),
            // The message of Java's UnsupportedCharsetException is the name alone.
            None => Err(options.refuse(&CHARSET, name).with_help("no charset of that name is known")),
        }
    }

    fn check(&self, fields: &[Field], _role: Role) -> Result<(), Error> {
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
        if is_supported(&field.data_type.logical_type) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Table,
            format!("The 'raw' format doesn't supports '{:#}' as column type.", field.data_type),
        )
        .in_column(&field.name))
    }
}

fn is_supported(logical_type: &LogicalType) -> bool {
    match logical_type {
        LogicalType::Char(_)
        | LogicalType::VarChar(_)
        | LogicalType::Boolean
        | LogicalType::Binary(_)
        | LogicalType::VarBinary(_)
        | LogicalType::TinyInt
        | LogicalType::SmallInt
        | LogicalType::Int
        | LogicalType::BigInt
        | LogicalType::Float
        | LogicalType::Double => true,
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
        | LogicalType::Bitmap => false,
    }
}
