use std::sync::Arc;

use upsert_kafka::format::MemorySchemaRegistry;
use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::{ConsumerRecord, DecodeBuf, Settings, Table};

use super::avro_schema::draw_schema;
use super::draw::Draw;
use super::value::data_type;

/// Any datum of any writer's schema is a row of any table or an error, the same with a used buffer and a new one.
pub fn avro_resolution(data: &[u8]) {
    let mut draw = Draw::new(data);
    let registry = MemorySchemaRegistry::new();
    for id in 1..=2 {
        let (mut writer, mut names) = (String::new(), 0);
        writer.push_str(r#"{"type":"record","name":"r","fields":["#);
        for (index, name) in ["a", "b", "c"].iter().enumerate() {
            writer.push_str(if index > 0 { "," } else { "" });
            writer.push_str(&format!(r#"{{"name":"{name}","type":"#));
            draw_schema(&mut draw, 3, &mut names, &mut writer);
            writer.push('}');
        }
        writer.push_str("]}");
        registry.insert(id, writer);
    }
    let mut schema = TableSchema::builder();
    for name in ["a", "c", "d"] {
        schema = schema.column(name, data_type(&mut draw, 2));
    }
    let options = TableOptions::from_iter([
        ("connector", "kafka"),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        ("scan.startup.mode", "earliest-offset"),
        ("format", "avro-confluent"),
        ("avro-confluent.url", "http://localhost:8081"),
    ]);
    let settings = Settings::default().with_schema_registry(Arc::new(registry));
    let table = schema.build().and_then(|schema| Table::new(schema, options));
    let Ok(source) = table.and_then(|table| table.source(&settings)) else { return };
    let decoder = source.decoder();
    let mut used = DecodeBuf::new();
    while !draw.is_empty() {
        let id = draw.one_of(&[1, 2]);
        let len = draw.below(64);
        let value = [&[0, 0, 0, 0, id][..], draw.bytes(len)].concat();
        let record = ConsumerRecord::new(None, Some(&value));
        let mut new = DecodeBuf::new();
        let expected = format!("{:?}", decoder.decode(&record, &mut new));
        assert_eq!(format!("{:?}", decoder.decode(&record, &mut used)), expected);
    }
}
