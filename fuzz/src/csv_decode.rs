use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::{ConsumerRecord, DecodeBuf, Decoded, Decoder, ErrorKind, Settings, Table};

use super::draw::Draw;
use super::value::fields;

const OPTIONS: &[(&str, &[&str])] = &[
    ("field-delimiter", &[";", "\t", "|", "ä", "\\", "\""]),
    ("disable-quote-character", &["true"]),
    ("quote-character", &["'", ";", "\\"]),
    ("allow-comments", &["true"]),
    ("array-element-delimiter", &["|", ",", "::"]),
    ("escape-character", &["\\", "\"", "'"]),
    ("null-literal", &["n/a", "", "null", "0"]),
];

/// Any line is a row or an error, and what is read although errors are to be told is read the same where they are ignored;
/// where they are, nothing fails but for a limit.
pub fn csv_decode(data: &[u8]) {
    let mut draw = Draw::new(data);
    let mut schema = TableSchema::builder();
    for field in fields(&mut draw, 1, "c") {
        schema = schema.column(field.name, field.data_type);
    }
    let Ok(schema) = schema.build() else { return };
    let mut options = TableOptions::from_iter([
        ("connector", "kafka"),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        ("scan.startup.mode", "earliest-offset"),
        ("format", "csv"),
    ]);
    for (name, values) in OPTIONS {
        if draw.once_in(4) {
            options.set(format!("csv.{name}"), draw.one_of(values));
        }
    }
    let decoder = |options: TableOptions| -> Option<Decoder> {
        let source = Table::new(schema.clone(), options).ok()?.source(&Settings::default()).ok()?;
        Some(source.decoder())
    };
    let Some(strict) = decoder(options.clone()) else { return };
    options.set("csv.ignore-parse-errors", "true");
    let lenient = decoder(options).expect("the table is right");
    let text = draw.rest();
    let (mut used, mut buf) = (DecodeBuf::new(), DecodeBuf::new());
    for text in [text, &text[..text.len() / 2], &text[text.len() / 2..]] {
        let record = ConsumerRecord::new(None, Some(text));
        let read = strict.decode(&record, &mut used);
        let expected = strict.decode(&record, &mut buf);
        assert_eq!(format!("{read:?}"), format!("{expected:?}"), "a used buffer and a new one");
        let mut buf = DecodeBuf::new();
        match lenient.decode(&record, &mut buf) {
            Ok(ignored) => {
                if let Ok(Decoded::Rows(rows)) = read {
                    assert_eq!(format!("{:?}", ignored), format!("{:?}", Decoded::Rows(rows)));
                }
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Limit, "{error}"),
        }
    }
}
