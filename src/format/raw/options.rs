use crate::error::Error;
use crate::format::options::{FormatOptions, OptionReader, OptionSpec, Role};
use crate::format::unicode::ByteOrder;

use super::charset::Charset;

/// The options of `raw`.
///
/// Agrees with `org.apache.flink.formats.raw.RawFormatOptions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawOptions {
    /// `charset`: of CHAR and VARCHAR.
    pub(crate) charset: Charset,
    /// `endianness`: of numbers.
    pub(crate) byte_order: ByteOrder,
}

const CHARSET: OptionSpec = OptionSpec::string(
    "charset",
    "1.12",
    "The charset of CHAR and VARCHAR: a name of it that Java knows, in any case. Checked for other types too. Beyond \
     Unicode, ISO-8859-1 and US-ASCII it needs the feature `charsets`, and Big5, EUC-JP, GB18030, GB2312, ISO-2022-JP \
     and windows-31j differ from Java's in some symbols.",
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
        let byte_order = match &*endianness.to_lowercase() {
            "big-endian" => ByteOrder::Big,
            "little-endian" => ByteOrder::Little,
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
        let charset = Charset::find(name).map_err(|error| options.in_option(&CHARSET, error))?;
        Ok(Self { charset, byte_order })
    }
}
