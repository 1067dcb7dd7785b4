//! Avro to rows.

use super::decode_binary::BinaryReader;
use super::decode_json;
use super::options::{AvroEncoding, AvroOptions};
use super::read_plan::Resolved;
use super::resolve::resolve;
use super::schema::AvroSchema;
use crate::error::{Error, ErrorKind};
use crate::format::{DecodeRow, FormatSettings, NoRow, Projection, Rows};
use crate::row::RowKind;
use crate::types::{DataType, Field, LogicalType};

/// Reads Avro datums of the schema that Flink derives from the columns.
///
/// Agrees with `org.apache.flink.formats.avro.AvroRowDataDeserializationSchema`, but for one thing: what a datum
/// leaves of its bytes is dropped here, where Flink takes it for the beginning of the next.
#[derive(Clone, Debug)]
pub(crate) struct AvroDecoder {
    resolved: Resolved,
    encoding: AvroEncoding,
    columns: Box<[usize]>,
}

impl AvroDecoder {
    /// # Errors
    ///
    /// Flink's, for columns that have no schema, or that it writes and cannot read.
    pub(crate) fn new(
        projection: Projection<'_>,
        options: &AvroOptions,
        settings: FormatSettings<'_>,
    ) -> Result<Self, Error> {
        let schema = AvroSchema::of_fields(projection.fields, options.timestamps)?;
        check_readable(projection.fields)?;
        let resolved = resolve(&schema, &schema, projection.fields, settings.avro_true_micros)?;
        Ok(Self { resolved, encoding: options.encoding, columns: projection.columns.into() })
    }
}

impl AvroDecoder {
    /// As [`decode`](DecodeRow::decode), of a value whose datum begins with that of its key, which is its first
    /// `fields` fields: the key decodes to what they decode to, and to nothing else.
    ///
    /// `false`, and no row, of any other value: whoever decodes the key finds out what it says.
    pub(crate) fn decode_with_key(
        &self,
        key: &[u8],
        fields: usize,
        value: &[u8],
        rows: &mut Rows<'_>,
    ) -> bool {
        if self.encoding != AvroEncoding::Binary || !value.starts_with(key) {
            return false;
        }
        let Ok(row) = rows.push(RowKind::Insert) else { return false };
        let mut reader = BinaryReader::new(value, &self.resolved);
        let is_read = reader.read_row_with_key(fields, key.len(), &self.columns, row).unwrap_or(false);
        if !is_read {
            rows.pop();
        }
        is_read
    }
}

impl DecodeRow for AvroDecoder {
    fn decode(&self, bytes: Option<&[u8]>, rows: &mut Rows<'_>) -> Result<(), Error> {
        let Some(bytes) = bytes else {
            rows.skip(NoRow::Empty);
            return Ok(());
        };
        let (row, scratch) = rows.push_with_scratch(RowKind::Insert)?;
        match self.encoding {
            AvroEncoding::Binary => BinaryReader::new(bytes, &self.resolved).read_row(&self.columns, row),
            AvroEncoding::Json => {
                decode_json::read_row(bytes, &self.resolved, &self.columns, row, &mut scratch.text)
            }
        }
    }
}

/// Refuses what Flink writes and has no converter for: TIMESTAMP_LTZ below the first level.
fn check_readable(fields: &[Field]) -> Result<(), Error> {
    let rows = fields.iter().filter_map(|field| match &field.data_type.logical_type {
        LogicalType::Row(row) => Some(row),
        _ => None,
    });
    let mut rows: Vec<_> = rows.collect();
    while let Some(row) = rows.pop() {
        for field in row.fields() {
            match &field.data_type.logical_type {
                LogicalType::TimestampLtz(_) => return Err(unsupported(&field.data_type)),
                LogicalType::Row(row) => rows.push(row),
                _ => {}
            }
        }
    }
    Ok(())
}

fn unsupported(data_type: &DataType) -> Error {
    Error::new(ErrorKind::Table, format!("Unsupported type: {data_type:#}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::avro::{AvroEncoder, AvroTimestamps};
    use crate::format::{EncodeRow, NullRow, Scratch};
    use crate::row::{ChangelogBuf, Datum, Row, RowBudget, RowBuf, Timestamp, Values};
    use crate::wire::Buffer;

    fn settings(avro_true_micros: bool) -> FormatSettings<'static> {
        FormatSettings { avro_true_micros, ..FormatSettings::default() }
    }

    fn decode(decoder: &AvroDecoder, bytes: &[u8]) -> Result<Vec<RowBuf>, Error> {
        let (mut out, mut scratch) = (ChangelogBuf::new(), Scratch::default());
        let mut rows =
            Rows::new(&mut out, decoder.columns.len(), NullRow::Skip, RowBudget::default(), &mut scratch);
        decoder.decode(Some(bytes), &mut rows)?;
        Ok(out.iter().map(|(_, row)| row.clone()).collect())
    }

    fn options(encoding: AvroEncoding, timestamps: AvroTimestamps) -> AvroOptions {
        AvroOptions { encoding, timestamps }
    }

    /// Every kind of plan: scalars, containers in containers, records.
    fn columns() -> Vec<Field> {
        [
            "INT NOT NULL",
            "STRING",
            "DECIMAL(20, 4)",
            "DOUBLE",
            "BYTES NOT NULL",
            "TIMESTAMP(3)",
            "ARRAY<ROW<`a` INT, `b` ARRAY<STRING NOT NULL>>>",
            "MAP<STRING, MAP<STRING, BOOLEAN>>",
            "MULTISET<STRING>",
        ]
        .iter()
        .zip('a'..)
        .map(|(data_type, name)| Field::new(name.to_string(), data_type.parse::<DataType>().unwrap()))
        .collect()
    }

    #[test]
    fn micros_are_microseconds_where_asked_and_flinks_milliseconds_otherwise() {
        let fields = [Field::new("at", LogicalType::Timestamp(6).not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let options = options(AvroEncoding::Binary, AvroTimestamps::Correct);
        let before_the_epoch = Timestamp::new(-2, 999_000);
        // By the Avro specification the long is -1001 µs; Flink writes the milliseconds, -2.
        for (true_micros, bytes, read) in
            [(true, &[0xd1, 0x0f][..], before_the_epoch), (false, &[0x03], Timestamp::from_millis(-2))]
        {
            let mut out = Buffer::default();
            let encoder = AvroEncoder::new(projection, &options, settings(true_micros)).unwrap();
            encoder.encode(RowKind::Insert, &[Datum::Timestamp(before_the_epoch)], &mut out).unwrap();
            assert_eq!(*out, *bytes, "true micros: {true_micros}");
            let decoder = AvroDecoder::new(projection, &options, settings(true_micros)).unwrap();
            let rows = decode(&decoder, bytes).unwrap();
            assert!(
                matches!(rows[0].datum(0), Datum::Timestamp(at) if at == read),
                "true micros: {true_micros}"
            );
        }
    }

    #[test]
    fn a_claimed_length_is_not_believed() {
        let fields = [Field::new("v", "ARRAY<STRING NOT NULL> NOT NULL".parse::<DataType>().unwrap())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let decoder = AvroDecoder::new(
            projection,
            &options(AvroEncoding::Binary, AvroTimestamps::Legacy),
            settings(true),
        )
        .unwrap();
        for bytes in [
            // 2^31 - 9 items, and one string of as many bytes.
            &[0xee, 0xff, 0xff, 0xff, 0x0f][..],
            &[0x02, 0xee, 0xff, 0xff, 0xff, 0x0f],
            // A block of -2^63 items.
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00],
        ] {
            assert!(decode(&decoder, bytes).is_err(), "{bytes:x?}");
        }
    }

    #[test]
    fn json_may_begin_with_a_byte_order_mark_or_be_utf_16() {
        // Avro's decoder leaves the charset to Jackson's ByteSourceJsonBootstrapper; run with Flink: EF BB BF {"v":1}.
        let fields = [Field::new("v", LogicalType::Int.not_null())];
        let projection = Projection { fields: &fields, columns: &[0], metadata: &[] };
        let options = options(AvroEncoding::Json, AvroTimestamps::Legacy);
        let decoder = AvroDecoder::new(projection, &options, settings(true)).unwrap();
        let text = r#"{"v":1}"#;
        let utf_16 = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        for bytes in [
            [&[0xef, 0xbb, 0xbf], text.as_bytes()].concat(),
            utf_16(u16::to_be_bytes),
            [&[0xff, 0xfe][..], &utf_16(u16::to_le_bytes)].concat(),
        ] {
            let rows = decode(&decoder, &bytes).unwrap();
            assert!(matches!(rows[0].datum(0), Datum::Int(1)), "{bytes:x?}");
        }
    }

    #[test]
    fn a_record_without_fields_is_no_byte_of_json_and_read_from_none() {
        // JsonEncoder of Avro 1.11.4 opens a record with its first field; an inner one it closes with the outer one.
        let empty = LogicalType::row([]).not_null();
        let inner = [Field::new("a", LogicalType::Int.not_null()), Field::new("e", empty)];
        for (fields, expected) in
            [(&[][..], ["", ""]), (&inner, [r#"{"a":1,"e":{}}"#, "\n{\"a\":1,\"e\":{}}"])]
        {
            let columns: Vec<usize> = (0..fields.len()).collect();
            let projection = Projection { fields, columns: &columns, metadata: &[] };
            let options = options(AvroEncoding::Json, AvroTimestamps::Legacy);
            let settings = FormatSettings { avro_json_line_feeds: true, ..settings(true) };
            let encoder = AvroEncoder::new(projection, &options, settings).unwrap();
            let decoder = AvroDecoder::new(projection, &options, settings).unwrap();
            for expected in expected {
                let mut out = Buffer::default();
                let nothing = RowBuf::new();
                let row = [Datum::Int(1), Datum::Row(Values::new(&nothing, 0))];
                encoder.encode(RowKind::Insert, &row, &mut out).unwrap();
                encoder.record_written();
                assert_eq!(*out, *expected.as_bytes());
                assert_eq!(decode(&decoder, &out).unwrap().len(), 1);
            }
        }
    }

    #[test]
    fn an_error_says_where() {
        let fields = columns();
        let positions: Vec<usize> = (0..fields.len()).collect();
        let projection = Projection { fields: &fields[6..7], columns: &positions[..1], metadata: &[] };
        let decoder = AvroDecoder::new(
            projection,
            &options(AvroEncoding::Binary, AvroTimestamps::Legacy),
            settings(true),
        )
        .unwrap();
        // One item, a record whose `b` is an array of two: "x", and then a string that ends too early.
        let error = decode(&decoder, &[2, 2, 2, 0, 2, 4, 2, b'x', 8, b'y']).unwrap_err();
        assert_eq!(error.column_path().as_deref(), Some("`g`[0].`b`[1]"));
        assert_eq!(error.message(), "the datum ends too early");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), json: bool) {
            let fields = columns();
            let positions: Vec<usize> = (0..fields.len()).collect();
            let projection = Projection { fields: &fields, columns: &positions, metadata: &[] };
            let encoding = if json { AvroEncoding::Json } else { AvroEncoding::Binary };
            let options = options(encoding, AvroTimestamps::Legacy);
            let decoder = AvroDecoder::new(projection, &options, settings(true)).unwrap();
            let _ = decode(&decoder, &bytes);
        }

        #[test]
        fn no_text_makes_the_schema_parser_panic(text in "[\\[\\]{}\":,a-z0-9]{0,60}") {
            let _ = AvroSchema::parse(&text);
        }
    }
}
