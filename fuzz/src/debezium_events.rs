use upsert_kafka::format::{DebeziumChange, DebeziumSource};
use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::{ConsumerRecord, DecodeBuf, RecordBuf, RowBuf, RowKind, Settings, Table};

use super::draw::Draw;
use super::value::{fields, row};

/// The event of any change of any rows is JSON, and Flink's `debezium-json` reads it as that change: with and without a
/// schema, by the reader at one go and by that of a tree.
pub fn debezium_events(data: &[u8]) {
    let mut draw = Draw::new(data);
    let columns = fields(&mut draw, 3, "c");
    let schema = columns.iter().fold(TableSchema::builder(), |schema, column| {
        schema.column(column.name.clone(), column.data_type.clone())
    });
    let Ok(schema) = schema.build() else { return };
    let with_schema = draw.once_in(2);
    let mut options = TableOptions::from_iter([
        ("connector", "kafka"),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        ("scan.startup.mode", "earliest-offset"),
        ("format", "debezium-json"),
    ]);
    if draw.once_in(4) {
        options.set("debezium-json.timestamp-format.standard", "ISO-8601");
    }
    let source = DebeziumSource {
        version: "3.0.5.Final",
        connector: "postgresql",
        name: draw.one_of(&["shop", "a \"name\"", "é\n"]),
        database: "inventory",
        schema: draw.one_of(&[None, Some("public")]),
        table: "customers",
    };
    let settings = Settings::default();
    let sink = Table::new(schema.clone(), options.clone()).and_then(|table| table.sink(&settings));
    let Ok(encoder) = sink.and_then(|sink| sink.debezium_encoder(&source)) else { return };
    let encoder = if with_schema {
        options.set("debezium-json.schema-include", "true");
        encoder.with_schema()
    } else {
        encoder
    };
    let decoder =
        Table::new(schema, options).and_then(|table| table.source(&settings)).expect("a source").decoder();
    let (mut record, mut buf) = (RecordBuf::new(), DecodeBuf::new());
    while !draw.is_empty() {
        let (before, after) = (row(&mut draw, &columns), row(&mut draw, &columns));
        let (change, kinds): (_, &[RowKind]) = match draw.below(4) {
            0 => (DebeziumChange::Read(&after), &[RowKind::Insert]),
            1 => (DebeziumChange::Create(&after), &[RowKind::Insert]),
            2 => (
                DebeziumChange::Update { before: &before, after: &after },
                &[RowKind::UpdateBefore, RowKind::UpdateAfter],
            ),
            _ => (DebeziumChange::Delete(&after), &[RowKind::Delete]),
        };
        let Ok(Some(written)) = encoder.encode(change, 1, 2, &mut record) else { continue };
        let value = written.value.expect("an event");
        serde_json::from_slice::<serde_json::Value>(value).expect("an event is JSON");
        // A table of floats, say, writes what is not read back; but what is read is the change.
        let Ok(decoded) = decoder.decode(&ConsumerRecord::new(None, Some(value)), &mut buf) else { continue };
        let rows: Vec<(RowKind, RowBuf)> = decoded.rows().map(|(kind, row)| (kind, row.clone())).collect();
        assert!(rows.iter().map(|(kind, _)| *kind).eq(kinds.iter().copied()), "{rows:?}");
        // What was read is written, and read again, as itself.
        let (last, first) = (&rows[rows.len() - 1].1, &rows[0].1);
        let change = match change {
            DebeziumChange::Update { .. } => DebeziumChange::Update { before: first, after: last },
            DebeziumChange::Delete(_) => DebeziumChange::Delete(last),
            _ => DebeziumChange::Create(last),
        };
        let Ok(Some(written)) = encoder.encode(change, 1, 2, &mut record) else { continue };
        let value = written.value.expect("an event");
        let again = decoder
            .decode(&ConsumerRecord::new(None, Some(value)), &mut buf)
            .expect("such an event was read");
        let again: Vec<_> = again.rows().map(|(kind, row)| (kind, row.clone())).collect();
        assert_eq!(format!("{again:?}"), format!("{rows:?}"), "{}", String::from_utf8_lossy(value));
    }
}
