//! Rows to JSON: a plan of labels and converters, compiled once.

use crate::error::{Error, ErrorKind};
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection, Role};
use crate::row::{Datum, DecimalColumn, Entries, Row, RowKind, Values};
use crate::text::{self, Jdk, Label};
use crate::types::{DataType, Field, LogicalType};

use super::check;
use super::options::{JsonOptions, MapNullKey, TimestampFormat};

/// Writes the projected columns of a row as one JSON object.
///
/// Agrees with `org.apache.flink.formats.json.RowDataToJsonConverters` and Jackson's `UTF8JsonGenerator`.
#[derive(Clone, Debug)]
pub(crate) struct JsonEncoder {
    members: Members,
}

impl JsonEncoder {
    /// # Errors
    ///
    /// Flink's, for a type that JSON does not take.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &JsonOptions,
        settings: FormatSettings,
    ) -> Result<Self, Error> {
        let planner = Planner { options, jdk: settings.jdk };
        let members = planner.members(projection.fields, |index| projection.columns[index])?;
        Ok(Self { members })
    }

    /// Appends the object.
    #[inline]
    pub(crate) fn write<R: Row + ?Sized>(&self, row: &R, out: &mut Vec<u8>) -> Result<(), Error> {
        self.members.write(|column| row.datum(column), out)
    }
}

impl EncodeRow for JsonEncoder {
    #[inline]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Vec<u8>) -> Result<Encoded, Error> {
        self.write(row, out)?;
        Ok(Encoded::Bytes)
    }
}

/// The members of an object, the table's row or a nested one.
#[derive(Clone, Debug)]
struct Members {
    members: Box<[Member]>,
    ignore_nulls: bool,
}

#[derive(Clone, Debug)]
struct Member {
    name: Box<str>,
    column: usize,
    value: Value,
}

/// A value and the text that stands in front of it: `,"name":` of a member, `,` of an element, `":` behind a map's key.
#[derive(Clone, Debug)]
struct Value {
    /// With the opening quote, where the value stands in quotes.
    label: Label,
    quoted: bool,
    converter: Converter,
}

/// How a value of one type becomes JSON; what the options decide is decided here.
#[derive(Clone, Debug)]
enum Converter {
    Boolean,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Float(Jdk),
    Double(Jdk),
    DecimalPlain(DecimalColumn),
    DecimalScientific(DecimalColumn),
    String,
    Bytes,
    Date,
    Time,
    Timestamp { separator: u8 },
    TimestampLtz { separator: u8 },
    Array(Box<Value>),
    Map(Box<MapConverter>),
    Row(Members),
}

#[derive(Clone, Debug)]
struct MapConverter {
    null_key: MapNullKey,
    value: Value,
}

impl Members {
    #[inline]
    fn write<'a>(&self, datum: impl Fn(usize) -> Datum<'a>, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        for member in &self.members {
            let datum = datum(member.column);
            if self.ignore_nulls && datum.is_null() {
                continue;
            }
            member.write(datum, out)?;
        }
        close_object(start, out);
        Ok(())
    }

    /// Writes `first` and `second` as Jackson merges them where `second` is converted into the node of `first`: only
    /// with ignored nulls does anything of `first` stay.
    fn write_merged(&self, first: Values<'_>, second: Values<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        if !self.ignore_nulls {
            return self.write(|field| second.value(field), out);
        }
        let start = out.len();
        for member in &self.members {
            match (first.value(member.column), second.value(member.column)) {
                (Datum::Null, _) => {}
                (kept, Datum::Null) => member.write(kept, out)?,
                (old, new) => member.write_over(old, new, out)?,
            }
        }
        for member in &self.members {
            let new = second.value(member.column);
            if first.value(member.column).is_null() && !new.is_null() {
                member.write(new, out)?;
            }
        }
        close_object(start, out);
        Ok(())
    }
}

/// Turns the comma of the first label into the opening brace, and closes.
#[inline]
fn close_object(start: usize, out: &mut Vec<u8>) {
    close(start, b'{', b'}', out);
}

#[inline]
fn close(start: usize, opening: u8, closing: u8, out: &mut Vec<u8>) {
    match out.get_mut(start) {
        Some(comma) => *comma = opening,
        None => out.push(opening),
    }
    out.push(closing);
}

impl Member {
    #[inline(always)]
    fn write(&self, datum: Datum<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        self.value.write(datum, out).map_err(|error| error.in_column(&self.name))
    }

    fn write_over(&self, old: Datum<'_>, new: Datum<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        self.value.write_over(old, new, out).map_err(|error| error.in_column(&self.name))
    }
}

impl Value {
    fn new(label: &[u8], converter: Converter) -> Self {
        let quoted = converter.quotes();
        let quote: &[u8] = if quoted { b"\"" } else { b"" };
        Self { label: Label::new(&[label, quote].concat()), quoted, converter }
    }

    #[inline(always)]
    fn write(&self, datum: Datum<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        if datum.is_null() {
            self.label.append_to(out, usize::from(self.quoted));
            out.extend_from_slice(b"null");
            return Ok(());
        }
        self.label.append_to(out, 0);
        self.converter.write(datum, out)
    }

    /// Writes `new` as Jackson converts it into the node of `old`.
    fn write_over(&self, old: Datum<'_>, new: Datum<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let (Converter::Row(members), Datum::Row(old), Datum::Row(new)) = (&self.converter, old, new) else {
            return self.write(new, out);
        };
        self.label.append_to(out, 0);
        members.write_merged(old, new, out)
    }
}

impl Converter {
    /// Whether the value stands in quotes.
    fn quotes(&self) -> bool {
        match self {
            Self::String
            | Self::Bytes
            | Self::Date
            | Self::Time
            | Self::Timestamp { .. }
            | Self::TimestampLtz { .. } => true,
            Self::Boolean
            | Self::TinyInt
            | Self::SmallInt
            | Self::Int
            | Self::BigInt
            | Self::Float(_)
            | Self::Double(_)
            | Self::DecimalPlain(_)
            | Self::DecimalScientific(_)
            | Self::Array(_)
            | Self::Map(_)
            | Self::Row(_) => false,
        }
    }

    /// A value that is not NULL, behind its opening quote if it has one.
    #[inline(always)]
    fn write(&self, datum: Datum<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        match (self, datum) {
            (Self::Boolean, Datum::Boolean(value)) => {
                out.extend_from_slice(if value { b"true" } else { b"false" });
            }
            (Self::TinyInt, Datum::TinyInt(value)) => text::write_integer(out, value.into()),
            (Self::SmallInt, Datum::SmallInt(value)) => text::write_integer(out, value.into()),
            (Self::Int, Datum::Int(value)) => text::write_integer(out, value.into()),
            (Self::BigInt, Datum::BigInt(value)) => text::write_integer(out, value),
            (Self::Float(jdk), Datum::Float(value)) => {
                quoted_unless(value.is_finite(), out, |out| text::write_f32(out, value, *jdk));
            }
            (Self::Double(jdk), Datum::Double(value)) => {
                quoted_unless(value.is_finite(), out, |out| text::write_f64(out, value, *jdk));
            }
            (Self::DecimalPlain(column), Datum::Decimal(value)) => {
                text::write_decimal_plain(out, column.unscaled(value)?, column.scale());
            }
            (Self::DecimalScientific(column), Datum::Decimal(value)) => {
                text::write_decimal_scientific(out, column.unscaled(value)?, column.scale());
            }
            (Self::String, Datum::String(value)) => {
                text::write_escaped(out, value);
                out.push(b'"');
            }
            (Self::Bytes, Datum::Bytes(value)) => {
                text::write_base64(out, value);
                out.push(b'"');
            }
            (Self::Date, Datum::Date(value)) => {
                text::write_date(out, value);
                out.push(b'"');
            }
            (Self::Time, Datum::Time(value)) => {
                text::write_time(out, value);
                out.push(b'"');
            }
            (Self::Timestamp { separator }, Datum::Timestamp(value)) => {
                text::write_timestamp(out, value.millis(), value.nanos_of_millis(), *separator);
                out.push(b'"');
            }
            (Self::TimestampLtz { separator }, Datum::Timestamp(value)) => {
                text::write_timestamp(out, value.millis(), value.nanos_of_millis(), *separator);
                out.extend_from_slice(b"Z\"");
            }
            (Self::Array(element), Datum::Array(values)) => write_array(element, values, out)?,
            (Self::Map(map), Datum::Map(entries)) => map.write(entries, out)?,
            (Self::Row(members), Datum::Row(values)) => members.write(|field| values.value(field), out)?,
            (expected, found) => return Err(expected.mismatch(found)),
        }
        Ok(())
    }

    #[cold]
    fn mismatch(&self, found: Datum<'_>) -> Error {
        let expected = match self {
            Self::Boolean => "BOOLEAN",
            Self::TinyInt => "TINYINT",
            Self::SmallInt => "SMALLINT",
            Self::Int => "INT",
            Self::BigInt => "BIGINT",
            Self::Float(_) => "FLOAT",
            Self::Double(_) => "DOUBLE",
            Self::DecimalPlain(_) | Self::DecimalScientific(_) => "DECIMAL",
            Self::String => "STRING",
            Self::Bytes => "BYTES",
            Self::Date => "DATE",
            Self::Time => "TIME",
            Self::Timestamp { .. } | Self::TimestampLtz { .. } => "TIMESTAMP",
            Self::Array(_) => "ARRAY",
            Self::Map(_) => "MAP",
            Self::Row(_) => "ROW",
        };
        Error::mismatch(expected, found.type_name())
    }
}

/// Jackson writes NaN and the infinities as strings.
#[inline]
fn quoted_unless(plain: bool, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    if plain {
        write(out);
    } else {
        out.push(b'"');
        write(out);
        out.push(b'"');
    }
}

fn write_array(element: &Value, values: Values<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    for (index, value) in values.iter().enumerate() {
        element.write(value, out).map_err(|error| error.in_element(index))?;
    }
    close(start, b'[', b']', out);
    Ok(())
}

impl MapConverter {
    fn write(&self, entries: Entries<'_>, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        let merged = self.literal_twice(entries);
        for (index, (key, value)) in entries.iter().enumerate() {
            let Some(key) = self.key(key)? else { continue };
            if merged.is_some_and(|(_, second)| index == second) {
                continue;
            }
            out.extend_from_slice(b",\"");
            text::write_escaped(out, key);
            match merged {
                Some((first, second)) if index == first => {
                    self.value.write_over(value, entries.entry(second).1, out)
                }
                _ => self.value.write(value, out),
            }
            .map_err(|error| error.in_key(key))?;
        }
        close_object(start, out);
        Ok(())
    }

    /// The text of a key; `None` drops the entry.
    #[inline]
    fn key<'k>(&'k self, key: Datum<'k>) -> Result<Option<&'k str>, Error> {
        match (key, &self.null_key) {
            (Datum::String(key), _) => Ok(Some(key)),
            (Datum::Null, MapNullKey::Literal(literal)) => Ok(Some(literal)),
            (Datum::Null, MapNullKey::Drop) => Ok(None),
            (Datum::Null, MapNullKey::Fail) => Err(null_key()),
            (found, _) => Err(Error::mismatch("STRING", found.type_name())),
        }
    }

    /// Where the literal for a null key is another entry's key too, the positions of the two: Jackson keeps one
    /// member, at the place of the first and with the value of the second.
    fn literal_twice(&self, entries: Entries<'_>) -> Option<(usize, usize)> {
        let MapNullKey::Literal(literal) = &self.null_key else { return None };
        let null = entries.iter().position(|(key, _)| key.is_null())?;
        let same = entries.iter().position(|(key, _)| matches!(key, Datum::String(key) if key == literal))?;
        Some((null.min(same), null.max(same)))
    }
}

#[cold]
fn null_key() -> Error {
    Error::new(
        ErrorKind::Row,
        "JSON format doesn't support to serialize map data with null keys. You can drop null key entries or encode \
         null in literals by specifying map-null-key.mode option.",
    )
}

/// Makes members and converters out of types and options.
struct Planner<'a> {
    options: &'a JsonOptions,
    jdk: Jdk,
}

impl Planner<'_> {
    fn members(&self, fields: &[Field], column: impl Fn(usize) -> usize) -> Result<Members, Error> {
        let members = fields.iter().enumerate().map(|(index, field)| {
            let converter = self.converter(&field.data_type).map_err(|error| error.in_column(&field.name))?;
            let mut label = b",\"".to_vec();
            text::write_escaped(&mut label, &field.name);
            label.extend_from_slice(b"\":");
            Ok(Member {
                name: field.name.as_str().into(),
                column: column(index),
                value: Value::new(&label, converter),
            })
        });
        Ok(Members {
            members: members.collect::<Result<_, Error>>()?,
            ignore_nulls: self.options.ignore_null_fields,
        })
    }

    fn converter(&self, data_type: &DataType) -> Result<Converter, Error> {
        let separator = match self.options.timestamp_format {
            TimestampFormat::Sql => b' ',
            TimestampFormat::Iso8601 => b'T',
        };
        Ok(match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => Converter::String,
            LogicalType::Boolean => Converter::Boolean,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => Converter::Bytes,
            &LogicalType::Decimal { precision, scale } => {
                let column = DecimalColumn::new(precision, scale);
                if self.options.decimal_as_plain_number {
                    Converter::DecimalPlain(column)
                } else {
                    Converter::DecimalScientific(column)
                }
            }
            LogicalType::TinyInt => Converter::TinyInt,
            LogicalType::SmallInt => Converter::SmallInt,
            LogicalType::Int | LogicalType::YearMonthInterval(_) => Converter::Int,
            LogicalType::BigInt | LogicalType::DayTimeInterval(_) => Converter::BigInt,
            LogicalType::Float => Converter::Float(self.jdk),
            LogicalType::Double => Converter::Double(self.jdk),
            LogicalType::Date => Converter::Date,
            LogicalType::Time(_) => Converter::Time,
            LogicalType::Timestamp(_) => Converter::Timestamp { separator },
            LogicalType::TimestampLtz(_) => Converter::TimestampLtz { separator },
            LogicalType::Array(element) => {
                Converter::Array(Box::new(Value::new(b",", self.converter(element)?)))
            }
            LogicalType::Map(key, value) => {
                check::check_map_key(data_type, key)?;
                self.map(self.converter(value)?)
            }
            LogicalType::Multiset(element) => {
                check::check_map_key(data_type, element)?;
                self.map(Converter::Int)
            }
            LogicalType::Row(row) => Converter::Row(self.members(row.fields(), |field| field)?),
            LogicalType::Null | LogicalType::TimestampTz(_) | LogicalType::Variant | LogicalType::Bitmap => {
                return Err(check::unsupported(data_type, Role::Sink));
            }
        })
    }

    fn map(&self, value: Converter) -> Converter {
        Converter::Map(Box::new(MapConverter {
            null_key: self.options.map_null_key.clone(),
            value: Value::new(b"\":", value),
        }))
    }
}
