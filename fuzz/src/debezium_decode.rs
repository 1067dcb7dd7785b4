use std::sync::LazyLock;

use upsert_kafka::format::{
    DebeziumBytes, DebeziumDecimals, DebeziumSettings, DebeziumShape, DebeziumTimes, MissingBefore,
    UnavailableValue,
};
use upsert_kafka::source::DebeziumDecoder;
use upsert_kafka::{ConsumerRecord, DecodeBuf, Settings, Table};

const COLUMNS: &str = "id INT NOT NULL, `_id` STRING, a BOOLEAN, b TINYINT, c BIGINT, d FLOAT, e DECIMAL(10, 3), \
                       f DECIMAL(38, 0), g STRING, h BYTES, i DATE, j TIME(3), k TIMESTAMP(3), l TIMESTAMP(6), \
                       m TIMESTAMP_LTZ(9), n MAP<STRING, STRING>, o ROW<x DOUBLE, y BYTES, z ARRAY<TIMESTAMP(3)>>, \
                       p ARRAY<DECIMAL(5, 2)>, q ARRAY<STRING>, tab STRING METADATA FROM 'value.source.table' VIRTUAL, \
                       src MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL, \
                       ts TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, \
                       PRIMARY KEY (id) NOT ENFORCED";

/// Decoders that differ in all that they can be told.
static DECODERS: LazyLock<[DebeziumDecoder; 3]> = LazyLock::new(|| {
    let ddl = format!(
        "CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'kafka', 'topic' = 't', 'value.format' = 'debezium-json', \
         'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset')"
    );
    let table = Table::from_ddl(&ddl).expect("a table");
    let source = table.source(&Settings::default()).expect("a source");
    let mut upserts = DebeziumSettings::default();
    upserts.missing_before = MissingBefore::Upsert;
    upserts.unavailable_value = UnavailableValue::Null;
    upserts.decimals = DebeziumDecimals::Number;
    upserts.times = DebeziumTimes::Nanoseconds;
    upserts.bytes = DebeziumBytes::Hex;
    let mut flattened = DebeziumSettings::default();
    flattened.shape = DebeziumShape::Flattened;
    flattened.unavailable_value = UnavailableValue::Placeholder;
    [DebeziumSettings::default(), upserts, flattened]
        .map(|settings| source.debezium_decoder(&settings).expect("a decoder"))
});

/// Any key and value, parted by a line feed, are rows, a skip or an error; and the same again, when their schemas are known
/// and the buffer has been used.
pub fn debezium_decode(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == b'\n');
    let (key, value) = (parts.next(), parts.next());
    let record = ConsumerRecord::new(key, value);
    let mut used = DecodeBuf::new();
    for decoder in &*DECODERS {
        let mut fresh = DecodeBuf::new();
        let first = format!("{:?}", decoder.decode(&record, &mut fresh));
        for buf in [&mut fresh, &mut used] {
            assert_eq!(format!("{:?}", decoder.decode(&record, buf)), first);
        }
    }
}
