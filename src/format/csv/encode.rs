//! Rows to lines: a plan of separators and converters, compiled once.

use crate::error::Error;
use crate::format::in_place::{End, Stop, chunk, put_bytes, write_in_place};
use crate::format::options::Role;
use crate::format::scalar_writer::{ScalarStyle, ScalarWriter};
use crate::format::{EncodeRow, Encoded, FlinkRelease, FormatSettings, Projection};
use crate::row::{Datum, DatumKind, Row, RowKind, Values};
use crate::text::{self, Label};
use crate::types::{DataType, LogicalType};
use crate::wire::Buffer;

use super::check;
use super::options::CsvOptions;
use super::quote::Quoter;

/// Writes the projected columns of a row as one line without a line break.
///
/// Agrees with `org.apache.flink.formats.csv.RowDataToCsvConverters` and Jackson's `CsvGenerator`.
#[derive(Clone, Debug)]
pub(crate) struct CsvEncoder {
    cells: Box<[Cell]>,
    /// `None`: nothing is put in quotes.
    quoter: Option<Quoter>,
}

impl CsvEncoder {
    /// # Errors
    ///
    /// Flink's, for a type that CSV does not take.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &CsvOptions,
        settings: FormatSettings,
    ) -> Result<Self, Error> {
        check::check_fields(projection.fields, Role::Sink)?;
        let quoter = Quoter::new(options);
        let style = ScalarStyle {
            jdk: settings.jdk,
            plain_decimals: !options.scientific_decimals && settings.release >= FlinkRelease::V1_16,
            short_decimals: settings.release < FlinkRelease::V2_0,
            whole_seconds: false,
            separator: b' ',
        };
        let planner = Planner { options, style };
        let decimals_are_text = settings.release < FlinkRelease::V2_1;
        let fields = projection.fields.iter().zip(projection.columns).enumerate();
        let cells = fields.map(|(index, (field, &column))| {
            let converter = planner.converter(&field.data_type)?;
            let quotes = match field.data_type.logical_type {
                LogicalType::Decimal { .. } if decimals_are_text => Quotes::Perhaps,
                _ => converter.quotes(quoter.as_ref()),
            };
            let scalar = match converter {
                CellWriter::Scalar(writer) => Some(writer),
                _ => None,
            };
            let mut label = String::new();
            if index > 0 {
                label.push(options.field_delimiter);
            }
            let null = format!("{label}{}", planner.null_literal());
            if let (Quotes::Always, Some(quote)) = (quotes, options.quote) {
                label.push(quote);
            }
            Ok(Cell {
                label: Label::new(label.as_bytes()),
                null: Label::new(null.as_bytes()),
                name: field.name.as_str().into(),
                column,
                scalar,
                converter,
                quotes,
            })
        });
        Ok(Self { cells: cells.collect::<Result<_, _>>()?, quoter })
    }
}

impl EncodeRow for CsvEncoder {
    #[inline(never)]
    fn encode<R: Row + ?Sized>(&self, _kind: RowKind, row: &R, out: &mut Buffer) -> Result<Encoded, Error> {
        write_in_place(out, |out| {
            let mut at = 0;
            for cell in &self.cells {
                let written = cell.write(|| row.datum(cell.column), self.quoter.as_ref(), out, at);
                at = written.map_err(|stop| stop.at(|error| error.in_column(&cell.name)))?;
            }
            Ok(at)
        })?;
        Ok(Encoded::Bytes)
    }
}

#[derive(Clone, Debug)]
struct Cell {
    /// The delimiter, and the opening quote where there is always one.
    label: Label,
    /// The delimiter, and what stands for NULL.
    null: Label,
    name: Box<str>,
    column: usize,
    /// Stands beside the converter, where it is found with one look.
    scalar: Option<ScalarWriter>,
    converter: CellWriter,
    quotes: Quotes,
}

/// Whether a cell is in quotes, as far as its type says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    /// Numbers never are, whatever the delimiter.
    Never,
    /// The text decides.
    Perhaps,
    /// Always, with nothing doubled inside: a blank asks for it.
    Always,
}

/// How a value of one type becomes text; what the options decide is decided here.
#[derive(Clone, Debug)]
enum CellWriter {
    Scalar(ScalarWriter),
    String,
    /// In base64.
    Bytes,
    Array(Box<Elements>),
    Row(Box<RowCells>),
}

/// The elements of an array: one after another, delimited, nothing escaped.
#[derive(Clone, Debug)]
struct Elements {
    separators: Separators,
    element: CellWriter,
}

/// The fields of a nested row, which is written as an array is.
#[derive(Clone, Debug)]
struct RowCells {
    separators: Separators,
    fields: Box<[(Box<str>, CellWriter)]>,
}

#[derive(Clone, Debug)]
struct Separators {
    delimiter: Box<[u8]>,
    null: Box<[u8]>,
}

impl Cell {
    /// The datum comes last, and its kind decides first: so what the compiler sees of a row's columns leads straight to
    /// the arms of their types.
    #[inline(always)]
    fn write<'a>(
        &self,
        datum: impl FnOnce() -> Datum<'a>,
        quoter: Option<&Quoter>,
        out: &mut [u8],
        start: usize,
    ) -> End {
        let (at, room) = self.label.put_before_room(out, start).ok_or(Stop::Full)?;
        let datum = datum();
        if datum.is_null() {
            return self.null.put(out, start).ok_or(Stop::Full);
        }
        if let Some(len) = ScalarWriter::put::<false>(self.scalar.as_ref(), datum, room)? {
            return self.quote(quoter, out, at, at + len);
        }
        let end = match (datum, &self.converter) {
            (Datum::String(value), CellWriter::String) => {
                return match quoter {
                    Some(quoter) => quoter.put(out, at, value.as_bytes()),
                    None => put_bytes(out, at, value.as_bytes()),
                };
            }
            (Datum::Bytes(value), CellWriter::Bytes) => put_base64(out, at, value)?,
            (Datum::Array(values), CellWriter::Array(elements)) => elements.write(values, out, at)?,
            (Datum::Row(values), CellWriter::Row(fields)) => fields.write(values, out, at)?,
            (found, expected) => return Err(expected.kind().mismatch(found.kind()).into()),
        };
        self.quote(quoter, out, at, end)
    }

    /// Puts what is written in quotes if need be.
    #[inline(always)]
    fn quote(&self, quoter: Option<&Quoter>, out: &mut [u8], start: usize, end: usize) -> End {
        match (self.quotes, quoter) {
            (Quotes::Never, _) | (_, None) => Ok(end),
            (Quotes::Always, Some(quoter)) => quoter.put_quote(out, end),
            (Quotes::Perhaps, Some(quoter)) => quoter.quote(out, start, end),
        }
    }
}

impl CellWriter {
    fn quotes(&self, quoter: Option<&Quoter>) -> Quotes {
        match self {
            Self::Scalar(writer) if writer.is_bare() => Quotes::Never,
            Self::Scalar(ScalarWriter::Timestamp { .. } | ScalarWriter::TimestampLtz { .. })
                if quoter.is_some_and(|quoter| quoter.surely_quotes(b' ', b"+-.0123456789:Z")) =>
            {
                Quotes::Always
            }
            Self::Scalar(_) | Self::String | Self::Bytes | Self::Array(_) | Self::Row(_) => Quotes::Perhaps,
        }
    }

    /// A value that is not NULL, without quotes.
    fn write(&self, datum: Datum<'_>, out: &mut [u8], start: usize) -> End {
        match (self, datum) {
            (Self::Scalar(writer), datum) => {
                let len = ScalarWriter::put::<false>(Some(writer), datum, chunk(out, start)?)?;
                Ok(start + len.ok_or_else(|| self.kind().mismatch(datum.kind()))?)
            }
            (Self::String, Datum::String(value)) => put_bytes(out, start, value.as_bytes()),
            (Self::Bytes, Datum::Bytes(value)) => put_base64(out, start, value),
            (Self::Array(elements), Datum::Array(values)) => elements.write(values, out, start),
            (Self::Row(fields), Datum::Row(values)) => fields.write(values, out, start),
            (expected, found) => Err(expected.kind().mismatch(found.kind()).into()),
        }
    }

    /// What datum it takes.
    fn kind(&self) -> DatumKind {
        match self {
            Self::Scalar(writer) => writer.kind(),
            Self::String => DatumKind::String,
            Self::Bytes => DatumKind::Bytes,
            Self::Array(_) => DatumKind::Array,
            Self::Row(_) => DatumKind::Row,
        }
    }
}

impl Elements {
    fn write(&self, values: Values<'_>, out: &mut [u8], start: usize) -> End {
        let mut at = start;
        for (index, value) in values.iter().enumerate() {
            let written = self.separators.write(index, value, &self.element, out, at);
            at = written.map_err(|stop| stop.at(|error| error.in_element(index)))?;
        }
        Ok(at)
    }
}

impl RowCells {
    fn write(&self, values: Values<'_>, out: &mut [u8], start: usize) -> End {
        let mut at = start;
        for (index, (name, converter)) in self.fields.iter().enumerate() {
            let written = self.separators.write(index, values.value(index), converter, out, at);
            at = written.map_err(|stop| stop.at(|error| error.in_column(name)))?;
        }
        Ok(at)
    }
}

impl Separators {
    /// The value at `index` of a list, after its delimiter.
    fn write(
        &self,
        index: usize,
        datum: Datum<'_>,
        converter: &CellWriter,
        out: &mut [u8],
        start: usize,
    ) -> End {
        let at = if index > 0 { put_bytes(out, start, &self.delimiter)? } else { start };
        if datum.is_null() { put_bytes(out, at, &self.null) } else { converter.write(datum, out, at) }
    }
}

fn put_base64(out: &mut [u8], at: usize, bytes: &[u8]) -> End {
    text::put_base64(out, at, bytes).ok_or(Stop::Full)
}

/// Makes converters out of types and options.
struct Planner<'a> {
    options: &'a CsvOptions,
    style: ScalarStyle,
}

impl Planner<'_> {
    fn null_literal(&self) -> &str {
        self.options.null_literal.as_deref().unwrap_or_default()
    }

    fn separators(&self) -> Separators {
        Separators {
            delimiter: String::from(self.options.array_element_delimiter).into_bytes().into(),
            null: self.null_literal().as_bytes().into(),
        }
    }

    /// The same for what is in an array or a row: releases that shorten decimals heed no option there.
    fn nested(&self) -> Self {
        let plain_decimals = self.style.plain_decimals && !self.style.short_decimals;
        Self { style: ScalarStyle { plain_decimals, ..self.style }, ..*self }
    }

    fn converter(&self, data_type: &DataType) -> Result<CellWriter, Error> {
        Ok(match &data_type.logical_type {
            LogicalType::Char(_) | LogicalType::VarChar(_) => CellWriter::String,
            LogicalType::Binary(_) | LogicalType::VarBinary(_) => CellWriter::Bytes,
            LogicalType::Array(element) => CellWriter::Array(Box::new(Elements {
                separators: self.separators(),
                element: self.nested().converter(element)?,
            })),
            LogicalType::Row(row) => {
                let (fields, nested) = (row.fields().iter(), self.nested());
                let fields = fields.map(|field| {
                    Ok::<_, Error>((field.name.as_str().into(), nested.converter(&field.data_type)?))
                });
                CellWriter::Row(Box::new(RowCells {
                    separators: self.separators(),
                    fields: fields.collect::<Result<_, _>>()?,
                }))
            }
            scalar => match self.style.writer(scalar) {
                Some(writer) => CellWriter::Scalar(writer),
                None => return Err(check::unsupported(data_type)),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::format::{DecodeRow, NullRow, Rows, Scratch};
    use crate::row::{ChangelogBuf, Decimal, RowBudget, RowBuf, Timestamp};
    use crate::types::Field;

    use super::super::decode::CsvDecoder;
    use super::*;

    fn fields(types: &[&str]) -> Vec<Field> {
        types.iter().map(|text| Field::new("c", text.parse::<DataType>().unwrap())).collect()
    }

    fn encode(options: &CsvOptions, types: &[&str], row: &[Datum<'_>]) -> Result<String, String> {
        let (fields, columns): (_, Vec<_>) = (fields(types), (0..row.len()).collect());
        let projection = Projection { fields: &fields, columns: &columns, metadata: &[] };
        let encoder = CsvEncoder::new(projection, options, FormatSettings::default()).unwrap();
        let mut out = Buffer::default();
        match encoder.encode(RowKind::Insert, row, &mut out) {
            Ok(_) => Ok(String::from_utf8(out.to_vec()).unwrap()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// From Flink: golden encode/csv, nested, mix and timestamp.
    #[test]
    fn a_list_is_one_cell() {
        let plain = CsvOptions::default();
        let nulls = CsvOptions { null_literal: Some("a,b".to_owned()), ..CsvOptions::default() };
        let unquoted = CsvOptions { quote: None, ..CsvOptions::default() };
        let types = ["ARRAY<STRING>", "ROW<a INT, b STRING>", "TIMESTAMP(3)"];
        let strings = [Datum::String("a;b"), Datum::Null, Datum::String("\"")];
        let fields = [Datum::Int(1), Datum::String("x")];
        let empty: [Datum<'_>; 0] = [];
        let time = Datum::Timestamp(Timestamp::from_millis(0));
        for (options, row, expected) in [
            (
                &plain,
                [Datum::Array(Values::new(&strings, 3)), Datum::Row(Values::new(&fields, 2)), time],
                "\"a;b;;\"\"\",1;x,\"1970-01-01 00:00:00\"",
            ),
            (&plain, [Datum::Array(Values::new(&empty, 0)), Datum::Null, Datum::Null], ",,"),
            (
                &nulls,
                [Datum::Array(Values::new(&strings, 2)), Datum::Null, Datum::Null],
                "\"a;b;a,b\",a,b,a,b",
            ),
            (
                &unquoted,
                [Datum::Array(Values::new(&strings, 3)), Datum::Null, time],
                "a;b;;\",,1970-01-01 00:00:00",
            ),
        ] {
            assert_eq!(encode(options, &types, &row).unwrap(), expected);
        }
    }

    #[test]
    fn a_datum_of_another_type_is_an_error_with_its_place() {
        let elements = [Datum::Int(1), Datum::BigInt(2)];
        let array = Datum::Array(Values::new(&elements, 2));
        let error = encode(&CsvOptions::default(), &["ARRAY<INT>"], &[array]).unwrap_err();
        assert_eq!(error, "column `c`[1]: expected INT, found BIGINT");
    }

    proptest! {
        #[test]
        fn a_row_comes_back_as_it_was_written(
            text in "\\PC{0,30}|[,;\"'\\\\ \r\n#x]{0,30}",
            bytes in prop::collection::vec(any::<u8>(), 0..24),
            bigint: i64,
            double: f64,
            unscaled in -9_999_999_999_i128..=9_999_999_999,
            millis in -10_000_000_000_000_i64..10_000_000_000_000,
            field_delimiter in prop::sample::select(vec![',', ';', '\t', '|', '。']),
            quote in prop::sample::select(vec!['"', '\'', 'é']),
            escape in prop::option::of(Just('\\')),
        ) {
            let options = CsvOptions {
                field_delimiter, quote: Some(quote), escape, null_literal: Some("\u{1}".to_owned()),
                ..CsvOptions::default()
            };
            let types = ["STRING", "BYTES", "BIGINT", "DOUBLE", "DECIMAL(10, 2)", "TIMESTAMP(3)", "DATE"];
            let row = [
                Datum::String(&text),
                Datum::Bytes(&bytes),
                Datum::BigInt(bigint),
                Datum::Double(double),
                Datum::Decimal(Decimal::new(unscaled, 2)),
                Datum::Timestamp(Timestamp::from_millis(millis)),
                Datum::Null,
            ];
            let line = encode(&options, &types, &row).unwrap();
            let (fields, columns): (_, Vec<_>) = (fields(&types), (0..row.len()).collect());
            let projection = Projection { fields: &fields, columns: &columns, metadata: &[] };
            let decoder = CsvDecoder::new(projection, &options, FormatSettings::default()).unwrap();
            let (mut out, mut scratch) = (ChangelogBuf::new(), Scratch::default());
            decoder
                .decode(Some(line.as_bytes()), &mut Rows::new(&mut out, row.len(), NullRow::Skip, RowBudget::default(), &mut scratch))
                .unwrap();
            let rows: Vec<_> = out.iter().map(|(_, row)| format!("{row:?}")).collect();
            prop_assert_eq!(rows, [format!("{:?}", RowBuf::copy_of(&row[..], row.len()))]);
        }
    }
}
