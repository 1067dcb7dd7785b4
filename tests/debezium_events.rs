//! Events in Debezium's own shape, against its documentation and against the reader of Flink's `debezium-json`.

use serde_json::{Value, json};
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::{DebeziumChange, DebeziumSource};
use upsert_kafka::sink::DebeziumEncoder;
use upsert_kafka::{ConsumerRecord, Datum, Decimal, DecodeBuf, Record, RecordBuf, Settings, Table};

const SOURCE: DebeziumSource<'_> = DebeziumSource {
    version: "2.3.2.Final",
    connector: "postgresql",
    name: "PostgreSQL_server",
    database: "postgres",
    schema: Some("public"),
    table: "customers",
};

fn customers(columns: &str, options: &str) -> Table {
    Table::from_ddl(&format!(
        "CREATE TABLE customers ({columns}) WITH ('connector' = 'kafka', 'topic' = 'customers', \
         'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset', \
         'key.format' = 'json', 'key.fields' = 'id', 'value.format' = 'debezium-json' {options})"
    ))
    .expect("a table")
}

fn encoder(columns: &str, source: &DebeziumSource<'_>) -> DebeziumEncoder {
    let sink = customers(columns, "").sink(&Settings::default());
    sink.and_then(|sink| sink.debezium_encoder(source)).expect("an encoder")
}

const CUSTOMERS: &str = "id INT NOT NULL, first_name STRING NOT NULL, email STRING";
const ANNE: [Datum<'_>; 3] = [Datum::Int(1), Datum::String("Anne"), Datum::String("annek@noanswer.org")];
const ANNA: [Datum<'_>; 3] = [Datum::Int(1), Datum::String("Anna"), Datum::Null];

fn changes() -> [DebeziumChange<'static, [Datum<'static>; 3]>; 4] {
    [
        DebeziumChange::Read(&ANNE),
        DebeziumChange::Create(&ANNE),
        DebeziumChange::Update { before: &ANNE, after: &ANNA },
        DebeziumChange::Delete(&ANNA),
    ]
}

fn value_of(record: &Record<'_>) -> Value {
    serde_json::from_slice(record.value.expect("a value")).expect("JSON")
}

/// The events of the connector for PostgreSQL in Debezium's documentation, without what only PostgreSQL has.
#[test]
fn an_event_has_the_shape_that_debezium_documents() {
    let encoder = encoder(CUSTOMERS, &SOURCE).with_schema();
    let mut buf = RecordBuf::new();
    let mut payloads = Vec::new();
    let image = |field| {
        json!({
            "type": "struct",
            "fields": [
                {"type": "int32", "optional": false, "field": "id"},
                {"type": "string", "optional": false, "field": "first_name"},
                {"type": "string", "optional": true, "field": "email"},
            ],
            "optional": true,
            "name": "PostgreSQL_server.public.customers.Value",
            "field": field,
        })
    };
    let snapshot = json!({
        "type": "string", "optional": true, "name": "io.debezium.data.Enum", "version": 1,
        "parameters": {"allowed": "true,last,false,incremental"}, "default": "false", "field": "snapshot",
    });
    let schema = json!({
        "type": "struct",
        "fields": [
            image("before"),
            image("after"),
            {
                "type": "struct",
                "fields": [
                    {"type": "string", "optional": false, "field": "version"},
                    {"type": "string", "optional": false, "field": "connector"},
                    {"type": "string", "optional": false, "field": "name"},
                    {"type": "int64", "optional": false, "field": "ts_ms"},
                    snapshot,
                    {"type": "string", "optional": false, "field": "db"},
                    {"type": "string", "optional": false, "field": "schema"},
                    {"type": "string", "optional": false, "field": "table"},
                ],
                "optional": false,
                "name": "io.debezium.connector.postgresql.Source",
                "field": "source",
            },
            {"type": "string", "optional": false, "field": "op"},
            {"type": "int64", "optional": true, "field": "ts_ms"},
        ],
        "optional": false,
        "name": "PostgreSQL_server.public.customers.Envelope",
        "version": 1,
    });
    for change in changes() {
        let record = encoder.encode(change, 1_693_033_396_603, 1_693_033_396_836, &mut buf);
        let record = record.expect("a row that fits").expect("a record");
        assert_eq!(record.key, Some(br#"{"id":1}"#.as_slice()));
        let event = value_of(&record);
        assert_eq!(event["schema"], schema);
        payloads.push(event["payload"].clone());
    }
    let anne = json!({"id": 1, "first_name": "Anne", "email": "annek@noanswer.org"});
    let anna = json!({"id": 1, "first_name": "Anna", "email": null});
    let payload = |before: &Value, after: &Value, snapshot: &str, op: &str| {
        json!({
            "before": before,
            "after": after,
            "source": {
                "version": "2.3.2.Final",
                "connector": "postgresql",
                "name": "PostgreSQL_server",
                "ts_ms": 1_693_033_396_603_i64,
                "snapshot": snapshot,
                "db": "postgres",
                "schema": "public",
                "table": "customers",
            },
            "op": op,
            "ts_ms": 1_693_033_396_836_i64,
        })
    };
    let expected = [
        payload(&Value::Null, &anne, "true", "r"),
        payload(&Value::Null, &anne, "false", "c"),
        payload(&anne, &anna, "false", "u"),
        payload(&anna, &Value::Null, "false", "d"),
    ];
    assert_eq!(payloads, expected);
}

#[test]
fn flink_reads_the_events_with_their_metadata() {
    let columns = format!(
        "{CUSTOMERS}, tab STRING METADATA FROM 'value.source.table' VIRTUAL, ts TIMESTAMP_LTZ(3) METADATA FROM \
         'value.source.timestamp' VIRTUAL"
    );
    let options = ", 'value.debezium-json.schema-include' = 'true'";
    let plain = encoder(CUSTOMERS, &SOURCE);
    let with_schema = plain.clone().with_schema();
    for (encoder, options) in [(plain, ""), (with_schema, options)] {
        let read = customers(&columns, options);
        let source = read.source(&Settings::default()).expect("a source");
        let (decoder, rows) = (source.decoder(), JsonRows::new(source.layout().columns()));
        let (mut record, mut buf, mut shown) = (RecordBuf::new(), DecodeBuf::new(), Vec::new());
        for change in changes() {
            let record =
                encoder.encode(change, 1000, 2000, &mut record).expect("a row that fits").expect("a record");
            let record = ConsumerRecord::new(record.key, record.value);
            for (kind, row) in decoder.decode(&record, &mut buf).expect("an event").rows() {
                rows.write(kind, row, &mut shown).expect("a row");
                shown.push(b' ');
            }
        }
        let source = r#""customers","1970-01-01 00:00:01Z""#;
        assert_eq!(
            String::from_utf8(shown).expect("JSON").replace(source, "S"),
            r#"["+I",[1,"Anne","annek@noanswer.org",S]] ["+I",[1,"Anne","annek@noanswer.org",S]] ["-U",[1,"Anne","annek@noanswer.org",S]] ["+U",[1,"Anna",null,S]] ["-D",[1,"Anna",null,S]] "#
        );
    }
}

/// The names are those of Kafka Connect's `Schema.Type` and `Decimal`.
#[test]
fn the_schema_is_that_of_the_values_as_they_are_written() {
    let columns = "id INT, d DECIMAL(10, 2), t TIMESTAMP(3), b BYTES, a ARRAY<SMALLINT NOT NULL>, \
                   m MAP<STRING, BIGINT>, r ROW<x BOOLEAN, y DOUBLE NOT NULL>, s MULTISET<STRING>";
    let source = DebeziumSource { connector: "mysql", schema: None, ..SOURCE };
    let encoder = encoder(columns, &source).with_schema();
    let mut row = [Datum::Null; 8];
    row[1] = Datum::Decimal(Decimal::new(150, 2));
    let mut buf = RecordBuf::new();
    let record = encoder.encode(DebeziumChange::Delete(&row), 0, 0, &mut buf);
    let event = value_of(&record.expect("a row that fits").expect("a record"));
    assert_eq!(event["payload"]["before"]["d"], json!(1.5), "what JsonConverter reads as a Decimal");
    assert_eq!(event["schema"]["name"], "PostgreSQL_server.postgres.customers.Envelope");
    let decimal = json!({"scale": "2", "connect.decimal.precision": "10"});
    assert_eq!(
        event["schema"]["fields"][0]["fields"],
        json!([
            {"type": "int32", "optional": true, "field": "id"},
            {
                "type": "bytes", "optional": true, "name": "org.apache.kafka.connect.data.Decimal", "version": 1,
                "parameters": decimal, "field": "d",
            },
            {"type": "string", "optional": true, "field": "t"},
            {"type": "bytes", "optional": true, "field": "b"},
            {"type": "array", "items": {"type": "int16", "optional": false}, "optional": true, "field": "a"},
            {
                "type": "map", "keys": {"type": "string", "optional": false},
                "values": {"type": "int64", "optional": true}, "optional": true, "field": "m",
            },
            {
                "type": "struct",
                "fields": [
                    {"type": "boolean", "optional": true, "field": "x"},
                    {"type": "double", "optional": false, "field": "y"},
                ],
                "optional": true, "field": "r",
            },
            {
                "type": "map", "keys": {"type": "string", "optional": false},
                "values": {"type": "int32", "optional": false}, "optional": true, "field": "s",
            },
        ])
    );
}
