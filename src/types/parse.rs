use std::str::FromStr;

use super::check::{check_names, check_scalar, too_deep};
use super::foreign::flinks_type;
use super::interval::{DayTimeInterval, YearMonthInterval};
use super::keywords::Dialect;
use super::lexer::Tokens;
use super::logical_type::{DataType, Field, LogicalType, RowType};
use super::token::TokenKind;
use crate::error::{Error, ErrorKind};

/// Reads Flink's SQL text of a type: what `LogicalTypeParser` reads, and the further spellings of its SQL parser.
///
/// Keywords in any case; `VARCHAR` and `VARBINARY` without a length have length 1 here, unlike in a `CREATE TABLE`.
/// Types that a class must be loaded for (`RAW`, `STRUCTURED`, user-defined ones) are refused.
///
/// # Errors
///
/// [`ErrorKind::Syntax`] with the byte where the text goes wrong, [`ErrorKind::Table`] with Flink's sentence for a
/// length or precision out of bounds, [`ErrorKind::Limit`] beyond [`LogicalType::MAX_NESTING`].
impl FromStr for DataType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let mut tokens = Tokens::new(text, Dialect::TypeText);
        let data_type = parse_data_type(&mut tokens)?;
        tokens.expect_end()?;
        Ok(data_type)
    }
}

/// Reads a type out of a longer text.
pub(crate) fn parse_data_type(tokens: &mut Tokens<'_>) -> Result<DataType, Error> {
    Parser { tokens, height: 0 }.data_type(1)
}

struct Parser<'p, 'a> {
    tokens: &'p mut Tokens<'a>,
    /// How many types are inside each other in the type that was read last.
    height: usize,
}

impl Parser<'_, '_> {
    /// A type, with `depth` - 1 types around it.
    fn data_type(&mut self, depth: usize) -> Result<DataType, Error> {
        if depth > LogicalType::MAX_NESTING {
            return Err(too_deep().with_offset(self.tokens.peek().offset));
        }
        let mut logical_type = self.logical_type(depth)?;
        loop {
            let nullable = self.nullability()?;
            let data_type = DataType { logical_type, nullable };
            let offset = self.tokens.peek().offset;
            if self.tokens.eat_keyword("ARRAY") {
                logical_type = LogicalType::array(data_type);
            } else if self.tokens.eat_keyword("MULTISET") {
                logical_type = LogicalType::multiset(data_type);
            } else {
                return Ok(data_type);
            }
            self.height += 1;
            if depth + self.height - 1 > LogicalType::MAX_NESTING {
                return Err(too_deep().with_offset(offset));
            }
        }
    }

    fn nullability(&mut self) -> Result<bool, Error> {
        if self.tokens.eat_keyword("NOT") {
            self.tokens.expect_keyword("NULL")?;
            return Ok(false);
        }
        self.tokens.eat_keyword("NULL");
        Ok(true)
    }

    fn logical_type(&mut self, depth: usize) -> Result<LogicalType, Error> {
        let token = self.tokens.advance();
        let keyword =
            if token.kind == TokenKind::Word { token.image.to_ascii_uppercase() } else { String::new() };
        let is_ddl = self.tokens.dialect() == Dialect::Ddl;
        // Without a length, SQL's VARCHAR is the longest; that of Flink's type text has one character.
        let default_length = if is_ddl { LogicalType::MAX_LENGTH } else { 1 };
        self.height = 1;
        let logical_type = match &*keyword {
            "ARRAY" => LogicalType::array(self.element(depth)?),
            "MULTISET" => LogicalType::multiset(self.element(depth)?),
            "MAP" => self.map(depth)?,
            "ROW" => LogicalType::Row(self.row(depth)?),
            "STRING" => LogicalType::STRING,
            "BYTES" => LogicalType::BYTES,
            "CHAR" | "CHARACTER" => match self.tokens.eat_keyword("VARYING") {
                false => LogicalType::Char(self.length(1)?),
                true => LogicalType::VarChar(self.length(default_length)?),
            },
            "VARCHAR" => LogicalType::VarChar(self.length(default_length)?),
            "BINARY" => match self.tokens.eat_keyword("VARYING") {
                false => LogicalType::Binary(self.length(1)?),
                true => LogicalType::VarBinary(self.length(default_length)?),
            },
            "VARBINARY" => LogicalType::VarBinary(self.length(default_length)?),
            "BOOLEAN" => LogicalType::Boolean,
            "DECIMAL" | "DEC" | "NUMERIC" => self.decimal()?,
            "TINYINT" => LogicalType::TinyInt,
            "SMALLINT" => LogicalType::SmallInt,
            "INT" | "INTEGER" => LogicalType::Int,
            "BIGINT" => LogicalType::BigInt,
            "FLOAT" => LogicalType::Float,
            "DOUBLE" => {
                self.tokens.eat_keyword("PRECISION");
                LogicalType::Double
            }
            "DATE" => LogicalType::Date,
            "TIME" => self.time()?,
            "TIMESTAMP" => self.timestamp()?,
            "TIMESTAMP_LTZ" => LogicalType::TimestampLtz(self.precision(6)?),
            "INTERVAL" if !is_ddl => self.interval()?,
            "NULL" if !is_ddl => LogicalType::Null,
            "VARIANT" => LogicalType::Variant,
            "BITMAP" => LogicalType::Bitmap,
            _ => {
                self.tokens.rewind(token);
                self.no_type(&keyword)?
            }
        };
        let logical_type = if is_ddl { cut_precision(logical_type) } else { logical_type };
        if let Err(error) = check_scalar(&logical_type) {
            self.tokens.refuse(error.with_offset(token.offset))?;
        }
        if is_ddl && self.tokens.peek().is_symbol("(") {
            let name = token.image;
            let expected = match flinks_type(name) {
                Some(meant) => format!("a type of Flink's: write {meant}"),
                None if logical_type == LogicalType::Null => "a type of Flink's".to_owned(),
                None => format!("no length: write {name}"),
            };
            return Err(self.tokens.unexpected(&expected));
        }
        Ok(logical_type)
    }

    fn element(&mut self, depth: usize) -> Result<DataType, Error> {
        self.tokens.expect_symbol("<")?;
        let element = self.data_type(depth + 1)?;
        self.tokens.expect_symbol(">")?;
        self.height += 1;
        Ok(element)
    }

    fn map(&mut self, depth: usize) -> Result<LogicalType, Error> {
        self.tokens.expect_symbol("<")?;
        let key = self.data_type(depth + 1)?;
        let height_of_key = self.height;
        self.tokens.expect_symbol(",")?;
        let value = self.data_type(depth + 1)?;
        self.tokens.expect_symbol(">")?;
        self.height = self.height.max(height_of_key) + 1;
        Ok(LogicalType::map(key, value))
    }

    /// `<name TYPE 'description', ...>`, in round brackets too.
    fn row(&mut self, depth: usize) -> Result<RowType, Error> {
        let offset = self.tokens.peek().offset;
        let end = if self.tokens.eat_symbol("<>") {
            None
        } else if self.tokens.eat_symbol("(") {
            Some(")")
        } else {
            self.tokens.expect_symbol("<")?;
            Some(">")
        };
        let mut fields = Vec::new();
        let mut height_of_fields = 0;
        while end.is_some_and(|end| !self.tokens.eat_symbol(end)) {
            if !fields.is_empty() {
                self.tokens.expect_symbol(",")?;
            }
            let name = self.tokens.expect_name()?;
            let data_type = self.data_type(depth + 1)?;
            let description = match self.tokens.peek().kind {
                TokenKind::String => Some(self.tokens.expect_plain_string()?),
                _ => None,
            };
            fields.push(Field { name, data_type, description });
            height_of_fields = height_of_fields.max(self.height);
        }
        self.height = height_of_fields + 1;
        let row_type = RowType::new(fields);
        if let Err(error) = check_names(&row_type) {
            self.tokens.refuse(error.with_offset(offset))?;
        }
        Ok(row_type)
    }

    /// `(length)`, or the default.
    fn length(&mut self, default: u32) -> Result<u32, Error> {
        if !self.tokens.eat_symbol("(") {
            return Ok(default);
        }
        let length = self.tokens.expect_int()?;
        self.tokens.expect_symbol(")")?;
        Ok(length)
    }

    fn precision(&mut self, default: u8) -> Result<u8, Error> {
        Ok(to_digits(self.length(default.into())?))
    }

    fn decimal(&mut self) -> Result<LogicalType, Error> {
        let (mut precision, mut scale) = (10, 0);
        if self.tokens.eat_symbol("(") {
            precision = to_digits(self.tokens.expect_int()?);
            if self.tokens.eat_symbol(",") {
                scale = to_digits(self.tokens.expect_int()?);
            }
            self.tokens.expect_symbol(")")?;
        }
        Ok(LogicalType::Decimal { precision, scale })
    }

    fn time(&mut self) -> Result<LogicalType, Error> {
        let precision = self.precision(0)?;
        if self.tokens.eat_keyword("WITHOUT") {
            self.time_zone()?;
        }
        Ok(LogicalType::Time(precision))
    }

    fn timestamp(&mut self) -> Result<LogicalType, Error> {
        let precision = self.precision(6)?;
        if self.tokens.eat_keyword("WITHOUT") {
            self.time_zone()?;
            return Ok(LogicalType::Timestamp(precision));
        }
        if !self.tokens.eat_keyword("WITH") {
            return Ok(LogicalType::Timestamp(precision));
        }
        if self.tokens.dialect() == Dialect::Ddl || self.tokens.peek().is_keyword("LOCAL") {
            self.tokens.expect_keyword("LOCAL")?;
            self.time_zone()?;
            return Ok(LogicalType::TimestampLtz(precision));
        }
        self.time_zone()?;
        Ok(LogicalType::TimestampTz(precision))
    }

    fn time_zone(&mut self) -> Result<(), Error> {
        self.tokens.expect_keyword("TIME")?;
        self.tokens.expect_keyword("ZONE")
    }

    fn interval(&mut self) -> Result<LogicalType, Error> {
        use DayTimeInterval as Days;
        use YearMonthInterval as Years;
        let interval = match self.one_of(&["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"])? {
            "YEAR" => {
                let years = self.precision(2)?;
                let interval = match self.upto_one_of(&["MONTH"])? {
                    None => Years::Year(years),
                    Some(_) => Years::YearToMonth(years),
                };
                return Ok(LogicalType::YearMonthInterval(interval));
            }
            "MONTH" => return Ok(LogicalType::YearMonthInterval(Years::Month)),
            "DAY" => {
                let days = self.precision(2)?;
                match self.upto_one_of(&["HOUR", "MINUTE", "SECOND"])? {
                    None => Days::Day(days),
                    Some("HOUR") => Days::DayToHour(days),
                    Some("MINUTE") => Days::DayToMinute(days),
                    Some(_) => Days::DayToSecond(days, self.precision(6)?),
                }
            }
            "HOUR" => match self.upto_one_of(&["MINUTE", "SECOND"])? {
                None => Days::Hour,
                Some("MINUTE") => Days::HourToMinute,
                Some(_) => Days::HourToSecond(self.precision(6)?),
            },
            "MINUTE" => match self.upto_one_of(&["SECOND"])? {
                None => Days::Minute,
                Some(_) => Days::MinuteToSecond(self.precision(6)?),
            },
            _ => Days::Second(self.precision(6)?),
        };
        Ok(LogicalType::DayTimeInterval(interval))
    }

    fn upto_one_of(&mut self, units: &[&'static str]) -> Result<Option<&'static str>, Error> {
        if self.tokens.eat_keyword("TO") { self.one_of(units).map(Some) } else { Ok(None) }
    }

    fn one_of(&mut self, units: &[&'static str]) -> Result<&'static str, Error> {
        let found = units.iter().find(|unit| self.tokens.eat_keyword(unit));
        found.copied().ok_or_else(|| self.tokens.unexpected(&units.join(" or ")))
    }

    /// The refusal of what is no type of ours. In a statement Flink knows the types after it has read all: what stands
    /// for the type until then is NULL.
    #[cold]
    fn no_type(&mut self, keyword: &str) -> Result<LogicalType, Error> {
        let token = self.tokens.peek();
        let meant = flinks_type(token.image);
        let message = match (self.tokens.dialect(), keyword) {
            (_, "RAW" | "STRUCTURED") => {
                let message = format!("the type {keyword}, of a Java class, is not supported");
                return Err(Error::new(ErrorKind::Table, message).with_offset(token.offset));
            }
            (Dialect::Ddl, "REAL" | "ANY") => {
                self.tokens.advance();
                format!("Type is not supported: {keyword}")
            }
            (Dialect::Ddl, _) if self.tokens.at_name() => {
                format!("Unknown identifier '{}'", self.tokens.expect_path()?.join("."))
            }
            _ => {
                let expected = match meant {
                    Some(meant) => format!("a type: write {meant}"),
                    None => "a type".to_owned(),
                };
                return Err(self.tokens.unexpected_name(&expected));
            }
        };
        let error = Error::new(ErrorKind::Table, message).with_offset(token.offset);
        self.tokens.refuse(match meant {
            Some(meant) => error.with_help(format!("Flink has no type {}: write {meant}", token.image)),
            None => error,
        })?;
        Ok(LogicalType::Null)
    }
}

/// What SQL makes of a precision that is too large: Calcite cuts it to the greatest it knows, for TIME 3.
fn cut_precision(logical_type: LogicalType) -> LogicalType {
    match logical_type {
        LogicalType::Time(precision) => LogicalType::Time(precision.min(3)),
        LogicalType::Timestamp(precision) => LogicalType::Timestamp(precision.min(9)),
        LogicalType::TimestampLtz(precision) => LogicalType::TimestampLtz(precision.min(9)),
        LogicalType::Decimal { precision, scale } => {
            LogicalType::Decimal { precision: precision.min(38), scale }
        }
        other => other,
    }
}

/// More than 255 digits are as much too many as 255.
fn to_digits(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}
