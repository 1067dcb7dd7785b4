use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::types::LogicalType;
use upsert_kafka::{ConsumerRecord, Datum, DecodeBuf, RecordBuf, Row, RowBuf, RowKind, Settings, Table};

use super::draw::Draw;

const CHARSETS: &[&str] = &[
    "UTF-8",
    "UTF-16",
    "UTF-16LE",
    "UTF-16BE",
    "UTF-32",
    "ISO-8859-1",
    "US-ASCII",
    "GBK",
    "GB18030",
    "Shift_JIS",
    "Big5",
    "EUC-JP",
    "EUC-KR",
    "windows-1252",
    "KOI8-R",
];

const TYPES: &[LogicalType] = &[
    LogicalType::STRING,
    LogicalType::BYTES,
    LogicalType::Boolean,
    LogicalType::TinyInt,
    LogicalType::SmallInt,
    LogicalType::Int,
    LogicalType::BigInt,
    LogicalType::Float,
    LogicalType::Double,
];

/// Any bytes are a value or an error in any charset; what is read is written, and read as what was read before.
pub fn raw_decode(data: &[u8]) {
    let mut draw = Draw::new(data);
    let data_type =
        if draw.once_in(2) { LogicalType::STRING } else { TYPES[draw.below(TYPES.len())].clone() };
    let charset = draw.one_of(CHARSETS);
    let options = TableOptions::from_iter([
        ("connector", "kafka"),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        ("scan.startup.mode", "earliest-offset"),
        ("format", "raw"),
        ("raw.charset", charset),
        ("raw.endianness", draw.one_of(&["big-endian", "little-endian"])),
    ]);
    let schema = TableSchema::builder().column("v", data_type).build().expect("a schema");
    let settings = Settings::default();
    let Ok(table) = Table::new(schema, options) else { return };
    let (Ok(sink), Ok(source)) = (table.sink(&settings), table.source(&settings)) else { return };
    let (encoder, decoder) = (sink.encoder(), source.decoder());
    let bytes = draw.rest();
    let mut buf = DecodeBuf::new();
    let read = |bytes: Option<&[u8]>, buf: &mut DecodeBuf| -> Option<RowBuf> {
        decoder.decode(&ConsumerRecord::new(None, bytes), buf).ok()?.rows().next().map(|(_, row)| row.clone())
    };
    let Some(row) = read(Some(bytes), &mut buf) else { return };
    // U+FFFD stands for what was not a letter, and not every charset can write it.
    if matches!(row.datum(0), Datum::String(text) if text.contains('\u{fffd}')) {
        return;
    }
    let mut record = RecordBuf::new();
    let record =
        encoder.encode(RowKind::Insert, &row, &mut record).expect("a row that was read").expect("a record");
    let again = read(record.value, &mut DecodeBuf::new()).expect("a value that was written");
    assert_eq!(again, row, "{charset}: {bytes:x?} and {:x?}", record.value);
}
