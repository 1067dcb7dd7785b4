//! Rows to JSON: a plan of labels and converters, compiled once.

use crate::error::{Error, ErrorKind};
use crate::format::in_place::{End, Stop, close, put, write_in_place};
use crate::format::scalar_writer::{ScalarStyle, ScalarWriter};
use crate::format::{EncodeRow, Encoded, FormatSettings, Projection, Role};
use crate::row::{Datum, DatumKind, Entries, Row, RowKind, Values};
use crate::text::{self, Label};
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
        let options = &options.of_release(settings.release);
        let style = ScalarStyle {
            jdk: settings.jdk,
            plain_decimals: options.decimal_as_plain_number,
            short_decimals: options.short_decimals,
            whole_seconds: options.whole_seconds,
            separator: match options.timestamp_format {
                TimestampFormat::Sql => b' ',
                TimestampFormat::Iso8601 => b'T',
            },
        };
        let planner = Planner { options, style };
        let members = planner.members(projection.fields, |index| projection.columns[index])?;
        Ok(Self { members })
    }

    /// Appends the object.
    #[inline(never)]
    pub(crate) fn write<R: Row + ?Sized>(&self, row: &R, out: &mut Buffer) -> Result<(), Error> {
        write_in_place(out, |out| self.members.write(|column| row.datum(column), out, 0))
    }
}

impl EncodeRow for JsonEncoder {
    #[inline]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
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

/// A value and the text that stands in front of it: `,"name":` of a member, `,` of an element, `":` after a map's key.
#[derive(Clone, Debug)]
struct Value {
    /// With the opening quote, where the value stands in quotes.
    label: Label,
    quoted: bool,
    /// Stands beside the converter, where it is found with one look.
    scalar: Option<ScalarWriter>,
    converter: ValueWriter,
}

/// How a value of one type becomes JSON; what the options decide is decided here.
#[derive(Clone, Debug)]
enum ValueWriter {
    Scalar(ScalarWriter),
    String,
    /// In base64.
    Bytes,
    Array(Box<Value>),
    Map(Box<MapWriter>),
    Row(Members),
}

#[derive(Clone, Debug)]
struct MapWriter {
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
    fn new(label: &[u8], converter: ValueWriter) -> Self {
        let quoted = converter.quotes();
        let quote: &[u8] = if quoted { b"\"" } else { b"" };
        let scalar = match converter {
            ValueWriter::Scalar(writer) => Some(writer),
            _ => None,
        };
        Self { label: Label::new(&[label, quote].concat()), quoted, scalar, converter }
    }

    /// Writes the label and the value after it, or nothing at all for NULL if `ignore_null`.
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
        let (at, room) = self.label.put_before_room(out, start).ok_or(Stop::Full)?;
        let datum = datum();
        if datum.is_null() {
            let at = at - usize::from(self.quoted);
            return if ignore_null { Ok(start) } else { put(out, at, b"null") };
        }
        if let Some(len) = ScalarWriter::put::<true>(self.scalar.as_ref(), datum, room)? {
            return Ok(at + len);
        }
        match (datum, &self.converter) {
            (Datum::String(value), ValueWriter::String) => {
                let end = text::put_escaped(out, at, value).ok_or(Stop::Full)?;
                put(out, end, b"\"")
            }
            (Datum::Bytes(value), ValueWriter::Bytes) => {
                let end = text::put_base64(out, at, value).ok_or(Stop::Full)?;
                put(out, end, b"\"")
            }
            (Datum::Array(values), ValueWriter::Array(element)) => write_array(element, values, out, at),
            (Datum::Map(entries), ValueWriter::Map(map)) => map.write(entries, out, at),
            (Datum::Row(values), ValueWriter::Row(members)) => members.write_nested(values, out, at),
            (found, expected) => Err(expected.kind().mismatch(found.kind()).into()),
        }
    }

    /// Writes `new` as Jackson converts it into the node of `old`.
    fn write_over(&self, old: Datum<'_>, new: Datum<'_>, out: &mut [u8], at: usize) -> End {
        let (ValueWriter::Row(members), Datum::Row(old), Datum::Row(new)) = (&self.converter, old, new)
        else {
            return self.write(|| new, false, out, at);
        };
        let at = self.label.put(out, at).ok_or(Stop::Full)?;
        members.write_merged(old, new, out, at)
    }
}

impl ValueWriter {
    /// Whether the value stands in quotes.
    fn quotes(&self) -> bool {
        match self {
            Self::Scalar(writer) => !writer.is_bare(),
            Self::String | Self::Bytes => true,
            Self::Array(_) | Self::Map(_) | Self::Row(_) => false,
        }
    }

    /// What datum it takes.
    fn kind(&self) -> DatumKind {
        match self {
            Self::Scalar(writer) => writer.kind(),
            Self::String => DatumKind::String,
            Self::Bytes => DatumKind::Bytes,
            Self::Array(_) => DatumKind::Array,
            Self::Map(_) => DatumKind::Map,
            Self::Row(_) => DatumKind::Row,
        }
    }
}

fn write_array(element: &Value, values: Values<'_>, out: &mut [u8], start: usize) -> End {
    let mut at = start;
    for (index, value) in values.iter().enumerate() {
        let written = element.write(|| value, false, out, at);
        at = written.map_err(|stop| stop.at(|error| error.in_element(index)))?;
    }
    close(out, start, at, [b'[', b']'])
}

impl MapWriter {
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
            (found, _) => Err(DatumKind::String.mismatch(found.kind())),
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
    style: ScalarStyle,
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

    fn converter(&self, data_type: &DataType) -> Result<ValueWriter, Error> {
        Ok(match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => ValueWriter::String,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => ValueWriter::Bytes,
            LogicalType::YearMonthInterval(_) => ValueWriter::Scalar(ScalarWriter::Int),
            LogicalType::DayTimeInterval(_) => ValueWriter::Scalar(ScalarWriter::BigInt),
            LogicalType::Array(element) => {
                ValueWriter::Array(Box::new(Value::new(b",", self.converter(element)?)))
            }
            LogicalType::Map(key, value) => {
                check::check_map_key(data_type, key)?;
                self.map(self.converter(value)?)
            }
            LogicalType::Multiset(element) => {
                check::check_map_key(data_type, element)?;
                self.map(ValueWriter::Scalar(ScalarWriter::Int))
            }
            LogicalType::Row(row) => ValueWriter::Row(self.members(row.fields(), |field| field)?),
            scalar => match self.style.writer(scalar) {
                Some(writer) => ValueWriter::Scalar(writer),
                None => return Err(check::unsupported(data_type, Role::Sink)),
            },
        })
    }

    fn map(&self, value: ValueWriter) -> ValueWriter {
        ValueWriter::Map(Box::new(MapWriter {
            null_key: self.options.map_null_key.clone(),
            value: Value::new(b"\":", value),
        }))
    }
}
