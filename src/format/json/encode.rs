//! Rows to JSON: a plan of labels and converters, compiled once.

use crate::error::{Error, ErrorKind};
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection, Role};
use crate::row::{Datum, DecimalColumn, Entries, Row, RowKind, Timestamp, Values};
use crate::text::{self, Jdk, Label, Room};
use crate::types::{DataType, Field, LogicalType};
use crate::wire::Buffer;

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
    pub(crate) fn write<R: Row + ?Sized>(&self, row: &R, out: &mut Buffer) -> Result<(), Error> {
        loop {
            match self.members.write(|column| row.datum(column), out.room(), 0) {
                Ok(end) => {
                    out.advance(end);
                    return Ok(());
                }
                Err(Stop::Full) => out.grow(1),
                Err(Stop::Error(error)) => return Err(error),
            }
        }
    }
}

impl EncodeRow for JsonEncoder {
    #[inline]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        self.write(row, out)?;
        Ok(Encoded::Bytes)
    }
}

/// Why writing ended early.
enum Stop {
    /// There is not room enough: a larger one is wanted, and the row is written anew.
    Full,
    Error(Error),
}

impl Stop {
    /// Adds to an error where it is.
    #[cold]
    fn at(self, place: impl FnOnce(Error) -> Error) -> Self {
        match self {
            Self::Full => Self::Full,
            Self::Error(error) => Self::Error(place(error)),
        }
    }
}

impl From<Error> for Stop {
    #[cold]
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Where the text ends that was written so far.
type End = Result<usize, Stop>;

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
    fn write<'a>(&self, datum: impl Fn(usize) -> Datum<'a>, out: &mut [u8], start: usize) -> End {
        let mut at = start;
        for member in &self.members {
            at = member.write(|| datum(member.column), self.ignore_nulls, out, at)?;
        }
        close_object(out, start, at)
    }

    fn write_nested(&self, values: Values<'_>, out: &mut [u8], start: usize) -> End {
        self.write(|field| values.value(field), out, start)
    }

    /// Writes `first` and `second` as Jackson merges them where `second` is converted into the node of `first`: only
    /// with ignored nulls does anything of `first` stay.
    fn write_merged(&self, first: Values<'_>, second: Values<'_>, out: &mut [u8], start: usize) -> End {
        if !self.ignore_nulls {
            return self.write_nested(second, out, start);
        }
        let mut at = start;
        for member in &self.members {
            at = match (first.value(member.column), second.value(member.column)) {
                (Datum::Null, _) => at,
                (kept, Datum::Null) => member.write(|| kept, true, out, at)?,
                (old, new) => member.write_over(old, new, out, at)?,
            }
        }
        for member in &self.members {
            if first.value(member.column).is_null() {
                at = member.write(|| second.value(member.column), true, out, at)?;
            }
        }
        close_object(out, start, at)
    }
}

/// Turns the comma of the first label into the opening brace, and closes.
#[inline]
fn close_object(out: &mut [u8], start: usize, end: usize) -> End {
    close(out, start, end, [b'{', b'}'])
}

#[inline]
fn close(out: &mut [u8], start: usize, end: usize, [opening, closing]: [u8; 2]) -> End {
    let end = end.max(start + 1);
    *out.get_mut(end).ok_or(Stop::Full)? = closing;
    out[start] = opening;
    Ok(end + 1)
}

impl Member {
    #[inline(always)]
    fn write<'a>(
        &self,
        datum: impl FnOnce() -> Datum<'a>,
        ignore_null: bool,
        out: &mut [u8],
        at: usize,
    ) -> End {
        let written = self.value.write(datum, ignore_null, out, at);
        written.map_err(|stop| stop.at(|error| error.in_column(&self.name)))
    }

    fn write_over(&self, old: Datum<'_>, new: Datum<'_>, out: &mut [u8], at: usize) -> End {
        let written = self.value.write_over(old, new, out, at);
        written.map_err(|stop| stop.at(|error| error.in_column(&self.name)))
    }
}

impl Value {
    fn new(label: &[u8], converter: Converter) -> Self {
        let quoted = converter.quotes();
        let quote: &[u8] = if quoted { b"\"" } else { b"" };
        Self { label: Label::new(&[label, quote].concat()), quoted, converter }
    }

    /// Writes the label and the value behind it, or nothing at all for NULL if `ignore_null`.
    ///
    /// The datum comes last, and its kind decides first: so what the compiler sees of a row's columns leads straight to
    /// the arms of their types.
    #[inline(always)]
    fn write<'a>(
        &self,
        datum: impl FnOnce() -> Datum<'a>,
        ignore_null: bool,
        out: &mut [u8],
        start: usize,
    ) -> End {
        let at = self.label.put(out, start).ok_or(Stop::Full)?;
        let room: &mut Room = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut).ok_or(Stop::Full)?;
        let len = match (datum(), &self.converter) {
            (Datum::Null, _) if ignore_null => return Ok(start),
            (Datum::Null, _) => return put(out, at - usize::from(self.quoted), b"null"),
            (Datum::Boolean(value), Converter::Boolean) => text::put_boolean(room, value),
            (Datum::TinyInt(value), Converter::TinyInt) => text::put_integer(room, value.into()),
            (Datum::SmallInt(value), Converter::SmallInt) => text::put_integer(room, value.into()),
            (Datum::Int(value), Converter::Int) => text::put_integer(room, value.into()),
            (Datum::BigInt(value), Converter::BigInt) => text::put_integer(room, value),
            (Datum::Float(value), Converter::Float(jdk)) => {
                let len = text::put_f32(room, value, *jdk);
                quote_unless(value.is_finite(), room, len)
            }
            (Datum::Double(value), Converter::Double(jdk)) => {
                let len = text::put_f64(room, value, *jdk);
                quote_unless(value.is_finite(), room, len)
            }
            (Datum::Decimal(value), Converter::DecimalPlain(column)) => {
                text::put_decimal_plain(room, column.unscaled(value)?, column.scale())
            }
            (Datum::Decimal(value), Converter::DecimalScientific(column)) => {
                text::put_decimal_scientific(room, column.unscaled(value)?, column.scale())
            }
            (Datum::Date(value), Converter::Date) => {
                let len = text::put_date(room, value);
                end_quoted(room, len)
            }
            (Datum::Time(value), Converter::Time) => {
                let len = text::put_time(room, value);
                end_quoted(room, len)
            }
            (Datum::Timestamp(value), Converter::Timestamp { separator }) => {
                let len = put_timestamp(room, value, *separator);
                end_quoted(room, len)
            }
            (Datum::Timestamp(value), Converter::TimestampLtz { separator }) => {
                let len = put_timestamp(room, value, *separator);
                room[len] = b'Z';
                end_quoted(room, len + 1)
            }
            (Datum::String(value), Converter::String) => {
                let end = text::put_escaped(out, at, value).ok_or(Stop::Full)?;
                return put(out, end, b"\"");
            }
            (Datum::Bytes(value), Converter::Bytes) => {
                let end = text::put_base64(out, at, value).ok_or(Stop::Full)?;
                return put(out, end, b"\"");
            }
            (Datum::Array(values), Converter::Array(element)) => {
                return write_array(element, values, out, at);
            }
            (Datum::Map(entries), Converter::Map(map)) => return map.write(entries, out, at),
            (Datum::Row(values), Converter::Row(members)) => return members.write_nested(values, out, at),
            (found, expected) => return Err(expected.mismatch(found.type_name()).into()),
        };
        Ok(at + len)
    }

    /// Writes `new` as Jackson converts it into the node of `old`.
    fn write_over(&self, old: Datum<'_>, new: Datum<'_>, out: &mut [u8], at: usize) -> End {
        let (Converter::Row(members), Datum::Row(old), Datum::Row(new)) = (&self.converter, old, new) else {
            return self.write(|| new, false, out, at);
        };
        let at = self.label.put(out, at).ok_or(Stop::Full)?;
        members.write_merged(old, new, out, at)
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

    #[cold]
    fn mismatch(&self, found: &str) -> Error {
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
        Error::mismatch(expected, found)
    }
}

#[inline]
fn put_timestamp(room: &mut Room, value: Timestamp, separator: u8) -> usize {
    text::put_timestamp(room, value.millis(), value.nanos_of_millis(), separator)
}

/// Puts the closing quote behind `len` bytes.
#[inline]
fn end_quoted(room: &mut Room, len: usize) -> usize {
    room[len] = b'"';
    len + 1
}

/// Jackson writes NaN and the infinities as strings.
#[inline]
fn quote_unless(is_finite: bool, room: &mut Room, len: usize) -> usize {
    if is_finite { len } else { quote(room, len) }
}

#[cold]
fn quote(room: &mut Room, len: usize) -> usize {
    room.copy_within(..len, 1);
    room[0] = b'"';
    end_quoted(room, len + 1)
}

/// Writes a short text.
#[inline]
fn put<const N: usize>(out: &mut [u8], at: usize, text: &[u8; N]) -> End {
    *out.get_mut(at..).and_then(<[u8]>::first_chunk_mut).ok_or(Stop::Full)? = *text;
    Ok(at + N)
}

fn write_array(element: &Value, values: Values<'_>, out: &mut [u8], start: usize) -> End {
    let mut at = start;
    for (index, value) in values.iter().enumerate() {
        let written = element.write(|| value, false, out, at);
        at = written.map_err(|stop| stop.at(|error| error.in_element(index)))?;
    }
    close(out, start, at, [b'[', b']'])
}

impl MapConverter {
    fn write(&self, entries: Entries<'_>, out: &mut [u8], start: usize) -> End {
        let mut at = start;
        let merged = self.literal_twice(entries);
        for (index, (key, value)) in entries.iter().enumerate() {
            let Some(key) = self.key(key)? else { continue };
            if merged.is_some_and(|(_, second)| index == second) {
                continue;
            }
            at = put(out, at, b",\"")?;
            at = text::put_escaped(out, at, key).ok_or(Stop::Full)?;
            let written = match merged {
                Some((first, second)) if index == first => {
                    self.value.write_over(value, entries.entry(second).1, out, at)
                }
                _ => self.value.write(|| value, false, out, at),
            };
            at = written.map_err(|stop| stop.at(|error| error.in_key(key)))?;
        }
        close_object(out, start, at)
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
