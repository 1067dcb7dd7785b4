//! Events of the connectors that no recording has, in the form of Debezium's documentation ("Data type mappings" and "Data
//! change events" of the connectors for SQL Server, Oracle and MongoDB), written anew; and events that are out of order or
//! end too early.

use serde_json::{Value, json};
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::{
    DebeziumDecimals, DebeziumSettings, DebeziumTimes, MissingBefore, UnavailableValue,
};
use upsert_kafka::source::SkipReason;
use upsert_kafka::table::NullInKey;
use upsert_kafka::{ConsumerRecord, DecodeBuf, ErrorKind, Limits, Settings, Table, TableSource};

fn source(columns: &str) -> TableSource {
    let ddl = format!(
        "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'value.format' = 'debezium-json', \
         'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset')"
    );
    Table::from_ddl(&ddl).and_then(|table| table.source(&Settings::default())).expect("a table")
}

/// The rows of an event, or why there are none.
fn read(
    source: &TableSource,
    settings: &DebeziumSettings,
    key: Option<&str>,
    value: &str,
) -> Result<Result<String, SkipReason>, upsert_kafka::Error> {
    let decoder = source.debezium_decoder(settings).expect("a decoder");
    let mut buf = DecodeBuf::new();
    let record = ConsumerRecord::new(key.map(str::as_bytes), Some(value.as_bytes()));
    let decoded = decoder.decode(&record, &mut buf)?;
    if let Some(reason) = decoded.skipped() {
        return Ok(Err(reason));
    }
    let rows = JsonRows::new(source.layout().columns());
    let mut lines = Vec::new();
    for (kind, row) in decoded.rows() {
        rows.write(kind, row, &mut lines).expect("a row");
    }
    Ok(Ok(String::from_utf8(lines).expect("UTF-8")))
}

/// An event with the schema and the values of its columns.
fn create(columns: &[(&str, Value, Value)]) -> [String; 2] {
    let fields: Vec<Value> = columns
        .iter()
        .map(|(name, schema, _)| {
            let mut schema = schema.clone();
            schema["field"] = json!(name);
            schema["optional"] = json!(true);
            schema
        })
        .collect();
    let row: serde_json::Map<String, Value> =
        columns.iter().map(|(name, _, value)| ((*name).to_owned(), value.clone())).collect();
    let image = |field| json!({"type": "struct", "fields": fields, "optional": true, "name": "s.t.Value", "field": field});
    let schema = json!({
        "type": "struct",
        "fields": [image("before"), image("after"), {"type": "string", "optional": false, "field": "op"}],
        "optional": false,
        "name": "s.t.Envelope",
    });
    let payload = json!({"before": null, "after": row, "op": "c"});
    [json!({"schema": schema, "payload": payload}).to_string(), payload.to_string()]
}

/// `time.precision.mode=adaptive`: TIME and DATETIME2 of up to 3, 6 and 7 decimals; MONEY has 4 decimals.
#[test]
fn sql_servers_columns_are_read_by_their_semantic_types() {
    let named = |of: &str, name: &str| json!({"type": of, "name": name, "version": 1});
    let money = json!({
        "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "version": 1, "parameters": {"scale": "4"},
    });
    let columns = [
        ("id", json!({"type": "int32"}), json!(1)),
        ("a_bit", json!({"type": "boolean"}), json!(true)),
        ("a_tinyint", json!({"type": "int16"}), json!(255)),
        ("a_date", named("int32", "io.debezium.time.Date"), json!(19_782)),
        ("time3", named("int32", "io.debezium.time.Time"), json!(45_296_789)),
        ("time7", named("int64", "io.debezium.time.NanoTime"), json!(45_296_789_000_000_i64)),
        ("a_datetime", named("int64", "io.debezium.time.Timestamp"), json!(1_709_210_096_790_i64)),
        (
            "datetime2_7",
            named("int64", "io.debezium.time.NanoTimestamp"),
            json!(1_709_210_096_789_012_300_i64),
        ),
        (
            "an_offset",
            named("string", "io.debezium.time.ZonedTimestamp"),
            json!("2024-02-29T12:34:56.789012+02:00"),
        ),
        (
            "spaced",
            named("string", "io.debezium.time.ZonedTimestamp"),
            json!("2024-02-29 12:34:56.789012 +02:00"),
        ),
        ("a_money", money, json!("AeJA")),
        ("an_xml", named("string", "io.debezium.data.Xml"), json!("<a/>")),
    ];
    let source = source(
        "id INT, a_bit BOOLEAN, a_tinyint SMALLINT, a_date DATE, time3 TIME(3), time7 TIME(3), a_datetime TIMESTAMP(3), \
         datetime2_7 TIMESTAMP(7), an_offset TIMESTAMP_LTZ(6), spaced TIMESTAMP_LTZ(6), a_money DECIMAL(19, 4), \
         an_xml STRING",
    );
    let [with_schema, _] = create(&columns);
    let row =
        read(&source, &DebeziumSettings::default(), None, &with_schema).expect("an event").expect("a row");
    assert_eq!(
        row,
        r#"["+I",[1,true,255,"2024-02-29","12:34:56.789","12:34:56.789","2024-02-29 12:34:56.79","2024-02-29 12:34:56.7890123","2024-02-29 10:34:56.789012Z","2024-02-29 10:34:56.789012Z","12.3456","<a/>"]]"#
    );
}

/// Connect's schema of an array has one for its elements, that of a map for its values: a column `timestamp[]` of
/// PostgreSQL is an array of `MicroTimestamp`.
#[test]
fn elements_and_values_are_read_by_their_own_semantic_types() {
    let micros =
        json!({"type": "int64", "optional": true, "name": "io.debezium.time.MicroTimestamp", "version": 1});
    let map = json!({"type": "map", "keys": {"type": "string", "optional": false}, "values": micros});
    let at = 1_709_210_096_789_000_i64;
    // Without a schema a number in TIMESTAMP(3) is milliseconds.
    let columns = [
        ("ats", json!({"type": "array", "items": micros}), json!([at, null])),
        ("by_name", map, json!({"a": at})),
    ];
    let source = source("ats ARRAY<TIMESTAMP(3)>, by_name MAP<STRING, TIMESTAMP(3)>");
    let [with_schema, _] = create(&columns);
    let row = read(&source, &DebeziumSettings::default(), None, &with_schema);
    let expected = r#"["+I",[["2024-02-29 12:34:56.789",null],[["a","2024-02-29 12:34:56.789"]]]]"#;
    assert_eq!(row.expect("an event").expect("a row"), expected);
}

/// NUMBER without a precision has any scale, also a negative one; DATE is a timestamp; INTERVAL a number of microseconds or
/// a text.
#[test]
fn oracles_columns_are_read_with_a_schema_and_without() {
    let named = |of: &str, name: &str| json!({"type": of, "name": name, "version": 1});
    let number = || {
        json!({
            "type": "struct", "name": "io.debezium.data.VariableScaleDecimal", "version": 1,
            "fields": [
                {"type": "int32", "optional": false, "field": "scale"},
                {"type": "bytes", "optional": false, "field": "value"},
            ],
        })
    };
    let columns = [
        ("ID", number(), json!({"scale": 0, "value": "AQ=="})),
        ("ROUNDED", number(), json!({"scale": -2, "value": "Aw=="})),
        ("PRICE", number(), json!({"scale": 3, "value": "BNI="})),
        ("HIRED", named("int64", "io.debezium.time.Timestamp"), json!(1_709_210_096_000_i64)),
        ("CHANGED", named("int64", "io.debezium.time.MicroTimestamp"), json!(1_709_210_096_789_012_i64)),
        (
            "ZONED",
            named("string", "io.debezium.time.ZonedTimestamp"),
            json!("2024-02-29T12:34:56.789012345-11:00"),
        ),
        ("TOOK", named("int64", "io.debezium.time.MicroDuration"), json!(93_784_500_000_i64)),
        ("TOOK_TEXT", named("string", "io.debezium.time.Interval"), json!("P0Y0M1DT2H3M4.5S")),
        ("RATIO", json!({"type": "float"}), json!(1.5)),
        ("DATA", json!({"type": "bytes"}), json!("AAH/")),
    ];
    let source = source(
        "ID BIGINT, ROUNDED INT, PRICE DECIMAL(10, 2), HIRED TIMESTAMP(0), CHANGED TIMESTAMP(6), ZONED TIMESTAMP_LTZ(9), \
         TOOK BIGINT, TOOK_TEXT BIGINT, RATIO FLOAT, DATA BYTES",
    );
    for event in create(&columns) {
        let row =
            read(&source, &DebeziumSettings::default(), None, &event).expect("an event").expect("a row");
        assert_eq!(
            row,
            r#"["+I",[1,300,"1.23","2024-02-29 12:34:56","2024-02-29 12:34:56.789012","2024-02-29 23:34:56.789012345Z",93784500000,93784500000,"1.5","AAH/"]]"#,
            "{event}"
        );
    }
}

/// Documents are texts of Extended JSON in strict mode; the key's `id` is the text of the document's `_id`; updates and
/// deletes have no `before`.
#[test]
fn mongodbs_documents_are_rows_by_their_id() {
    let source = source(
        "`_id` STRING, name STRING, visits BIGINT, since TIMESTAMP(3), tags ARRAY<STRING>, address ROW<city STRING>, \
         price DECIMAL(5, 2), rest STRING, PRIMARY KEY (`_id`) NOT ENFORCED",
    );
    let mut settings = DebeziumSettings::default();
    settings.missing_before = MissingBefore::Upsert;
    let id = r#"{"$oid": "596e275826f08b2730779e1f"}"#;
    let document = format!(
        r#"{{"_id": {id}, "name": "Anne", "visits": {{"$numberLong": "1004"}}, "since": {{"$date": 1709210096789}}, "tags": ["a", "b"], "address": {{"city": "Bonn", "zip": 1}}, "price": {{"$numberDecimal": "1.5"}}, "rest": {{"a": [1]}}}}"#
    );
    let key = json!({"id": id}).to_string();
    let event = |op: &str, after: Option<&str>| json!({"before": null, "after": after, "op": op}).to_string();
    let row = r#"["596e275826f08b2730779e1f","Anne",1004,"2024-02-29 12:34:56.789",["a","b"],["Bonn"],"1.50","{\"a\": [1]}"]"#;
    for (op, kind) in [("c", "+I"), ("r", "+I"), ("u", "+U")] {
        let read = read(&source, &settings, Some(&key), &event(op, Some(&document)));
        assert_eq!(read.expect("an event").expect("a row"), format!("[{kind:?},{row}]"));
    }
    let deleted = read(&source, &settings, Some(&key), &event("d", None)).expect("an event").expect("a row");
    assert_eq!(deleted, r#"["-D",["596e275826f08b2730779e1f",null,null,null,null,null,null,null]]"#);
    let without_key = read(&source, &settings, None, &event("d", None)).expect_err("a delete of no row");
    assert_eq!(without_key.to_string(), "key: a delete that has neither `before` nor a key");
}

/// Without `before` the key alone says which row a delete means; what stands in `after` is none of it.
#[test]
fn a_delete_by_key_has_the_events_metadata_and_no_other_row() {
    let source = source("id INT NOT NULL, db STRING METADATA FROM 'value.source.database' VIRTUAL");
    let mut settings = DebeziumSettings::default();
    settings.missing_before = MissingBefore::Upsert;
    for after in ["null", r#"{"id":2}"#] {
        let event = format!(r#"{{"before":null,"after":{after},"source":{{"db":"shop"}},"op":"d"}}"#);
        let deleted = read(&source, &settings, Some(r#"{"id":1}"#), &event).expect("an event");
        assert_eq!(deleted.expect("a row"), r#"["-D",[1,"shop"]]"#);
    }
}

#[test]
fn metadata_that_does_not_fit_is_named_with_its_column_and_byte() {
    let source =
        source("id INT NOT NULL, noticed TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL");
    let event = r#"{"source":{"db":"s","ts_ms":"x"},"before":null,"after":{"id":1},"op":"c"}"#;
    let error = read(&source, &DebeziumSettings::default(), None, event).expect_err("a text for a time");
    let byte = event.find("x\"").expect("the text");
    assert_eq!(
        error.to_string(),
        format!("value, column `noticed`, byte {byte}: expected milliseconds, found a string")
    );
}

/// Of 16 bytes, as Connect's `Decimal` has them.
#[test]
fn the_least_number_of_128_bits_is_beyond_every_decimal() {
    let source = source("n DECIMAL(38, 0)");
    let event = r#"{"before":null,"after":{"n":"gAAAAAAAAAAAAAAAAAAAAA=="},"op":"c"}"#;
    let error = read(&source, &DebeziumSettings::default(), None, event).expect_err("a number of 39 digits");
    assert_eq!(error.kind(), ErrorKind::Data);
}

/// The number is `BigDecimal.toPlainString` of what `numeric` without precision holds in PostgreSQL: 2^136 / 100.
#[test]
fn a_column_of_texts_or_doubles_takes_numbers_of_any_length() {
    let of_scale = r#"{"n":{"scale":2,"value":"AQAAAAAAAAAAAAAAAAAAAAAA"}}"#;
    let schema = |field: &str| {
        format!(
            r#"{{"type":"struct","fields":[{{"type":"struct","fields":[{field}],"field":"after"}},{{"type":"string","field":"op"}}]}}"#
        )
    };
    let variable = r#"{"type":"struct","name":"io.debezium.data.VariableScaleDecimal","field":"n"}"#;
    let decimal = r#"{"type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"},"field":"n"}"#;
    for (field, image) in [(variable, of_scale), (decimal, r#"{"n":"AQAAAAAAAAAAAAAAAAAAAAAA"}"#)] {
        let event = format!(r#"{{"schema":{},"payload":{{"after":{image},"op":"c"}}}}"#, schema(field));
        let rows = read(&source("n STRING"), &DebeziumSettings::default(), None, &event).expect(&event);
        assert_eq!(rows.expect("a row"), r#"["+I",["871122859317602466466238995025326621327.36"]]"#);
        let error = read(&source("n DECIMAL(38, 0)"), &DebeziumSettings::default(), None, &event);
        assert_eq!(error.expect_err("39 digits").kind(), ErrorKind::Data);
        let rows = read(&source("n DOUBLE"), &DebeziumSettings::default(), None, &event).expect(&event);
        assert_eq!(rows.expect("a row"), r#"["+I",["8.711228593176025E38"]]"#);
    }
}

/// `debezium-json.ignore-parse-errors` of Flink passes over messages that do not parse.
#[test]
fn events_that_do_not_decode_are_skipped_where_the_table_ignores_parse_errors() {
    let ddl = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'value.format' = 'debezium-json', \
               'value.debezium-json.ignore-parse-errors' = 'true', 'scan.startup.mode' = 'earliest-offset', \
               'properties.bootstrap.servers' = 'localhost:9092')";
    let source = Table::from_ddl(ddl).and_then(|table| table.source(&Settings::default())).expect("a table");
    let mut settings = DebeziumSettings::default();
    settings.missing_before = MissingBefore::Upsert;
    for (key, event, reason) in [
        (None, "{", SkipReason::UnreadableValue),
        (None, r#"{"before":{"id":1},"after":{"id":"x"},"op":"u"}"#, SkipReason::UnreadableValue),
        (None, r#"{"after":{"id":1},"op":"x"}"#, SkipReason::UnreadableValue),
        (Some(r#"{"id":"x"}"#), r#"{"before":null,"op":"d"}"#, SkipReason::UnreadableKey),
    ] {
        assert_eq!(read(&source, &settings, key, event).expect(event), Err(reason), "{event}");
    }
    let rows = read(&source, &settings, None, r#"{"after":{"id":1},"op":"c"}"#).expect("an event");
    assert_eq!(rows.expect("a row"), r#"["+I",[1]]"#);
}

/// "If value starts with `hex:` prefix it is expected that the rest of the string represents hexadecimally encoded octets."
#[test]
fn the_placeholder_is_the_connectors() {
    let source = source("a STRING, b BYTES");
    let event = |a: &str, b: &str| format!(r#"{{"after":{{"a":"{a}","b":"{b}"}},"op":"c"}}"#);
    for (placeholder, a, b) in [
        (None, "__debezium_unavailable_value", "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="),
        (Some("\"n/a\""), r#"\"n/a\""#, "Im4vYSI="),
        (Some("hex:6e2f61"), "n/a", "bi9h"),
        (Some("hex:6e2"), "hex:6e2", "aGV4OjZlMg=="),
    ] {
        let mut settings = DebeziumSettings::default();
        settings.unavailable_placeholder = placeholder.map(Into::into);
        let error = read(&source, &settings, None, &event(a, "")).expect_err("a value that was not sent");
        assert!(error.message().contains("did not send"), "{error}");
        settings.unavailable_value = UnavailableValue::Placeholder;
        let rows = read(&source, &settings, None, &event(a, b)).expect("an event").expect("a row");
        assert_eq!(rows, format!(r#"["+I",["{a}","{b}"]]"#));
        settings.unavailable_value = UnavailableValue::Null;
        let rows = read(&source, &settings, None, &event(a, b)).expect("an event").expect("a row");
        assert_eq!(rows, r#"["+I",[null,null]]"#, "{placeholder:?}");
        let rows = read(&source, &settings, None, &event("x", "eA==")).expect("an event").expect("a row");
        assert_eq!(rows, r#"["+I",["x","eA=="]]"#, "{placeholder:?}");
    }
}

#[test]
fn a_null_key_is_read_as_the_settings_say() {
    let ddl = "CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'kafka', 'topic' = 't', \
               'value.format' = 'debezium-json', 'properties.bootstrap.servers' = 'localhost:9092', \
               'scan.startup.mode' = 'earliest-offset')";
    let event = r#"{"before":null,"after":{"id":null},"op":"c"}"#;
    let read = |policy| {
        let settings = Settings::default().with_null_in_key(policy);
        let source = Table::from_ddl(ddl).and_then(|table| table.source(&settings)).expect("a table");
        read(&source, &DebeziumSettings::default(), None, event)
    };
    assert_eq!(read(NullInKey::Row).expect("an event").expect("a row"), r#"["+I",[null]]"#);
    assert_eq!(read(NullInKey::Skip).expect("an event"), Err(SkipReason::NullInKey));
    assert_eq!(read(NullInKey::Error).expect_err("a refusal").kind(), ErrorKind::Data);
}

#[test]
fn members_count_in_any_order_and_the_last_of_two() {
    let source = source("id INT NOT NULL");
    let settings = DebeziumSettings::default();
    for (event, rows) in [
        (r#"{"op":"u","after":{"id":2},"before":{"id":1}}"#, r#"["-U",[1]]["+U",[2]]"#),
        (r#"{"before":{"id":1},"before":{"id":3},"op":"d","after":null}"#, r#"["-D",[3]]"#),
        (r#"{"before":{"id":1},"after":{"id":2},"op":"c"}"#, r#"["+I",[2]]"#),
        (r#"{ "payload" : {"op":"c", "after":{"id" : 2} }, "schema" : null }"#, r#"["+I",[2]]"#),
    ] {
        let read = read(&source, &settings, None, event).expect(event);
        assert_eq!(read.expect("rows"), rows, "{event}");
    }
}

#[test]
fn what_is_no_event_is_refused_with_its_place_and_in_a_readable_length() {
    let source = source("id INT NOT NULL, price DECIMAL(3, 1), tod TIME");
    let mut settings = DebeziumSettings::default();
    settings.decimals = DebeziumDecimals::Number;
    settings.times = DebeziumTimes::Microseconds;
    let long = format!(r#"{{"after":{{"id":1}},"op":"{}"}}"#, "x".repeat(10_000));
    let truncated = r#"{"schema":null,"payload":{"before":null,"after":{"id":1},"op":"c"}"#;
    for (event, message) in [
        ("[]", "value, byte 0: expected an event, found an array"),
        (
            r#"{"before":null,"after":{"id":1}}"#,
            "value: the member \"op\" is missing or null (`DebeziumShape::Flattened` is for events that are their \
             rows alone)",
        ),
        (r#"{"before":null,"after":null,"op":"c"}"#, "value: the member \"after\" is missing or null"),
        (r#"{"after":{"id":"x"},"op":"c"}"#, "value, column `id`, byte 16: expected INT, found a string"),
        (
            r#"{"after":{"price":"100"},"op":"c"}"#,
            "value, column `price`, byte 19: expected DECIMAL, found a string",
        ),
        (
            r#"{"after":{"tod":86400000000},"op":"c"}"#,
            "value, column `tod`, byte 16: expected TIME, less than 24 hours, found a number",
        ),
        (truncated, "value: the text ends inside an object"),
        (long.as_str(), "value: unknown \"op\" value \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\".."),
    ] {
        let error = read(&source, &settings, None, event).expect_err(event);
        assert_eq!((error.kind(), error.to_string()), (ErrorKind::Data, message.to_owned()), "{event}");
    }
}

#[test]
fn a_heartbeat_and_a_payload_that_is_null_are_skipped() {
    let source = source("id INT NOT NULL");
    for (event, reason) in [
        (r#"{"ts_ms":1709210096789}"#, SkipReason::Heartbeat),
        (r#"{"schema":null,"payload":null}"#, SkipReason::NoValue),
        ("null", SkipReason::NoValue),
    ] {
        let read = read(&source, &DebeziumSettings::default(), None, event).expect(event);
        assert_eq!(read.expect_err("no row"), reason, "{event}");
    }
}

#[test]
fn metadata_columns_say_what_the_source_does() {
    let source = source(
        "id INT NOT NULL, tab STRING METADATA FROM 'value.source.table' VIRTUAL, \
         noticed TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, \
         changed TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, \
         src MAP<STRING, STRING> METADATA FROM 'value.source.properties' VIRTUAL",
    );
    let event = r#"{"before":{"id":1},"after":{"id":2},"source":{"table":"t","ts_ms":1000,"lsn":7,"snapshot":"false"},"op":"u","ts_ms":2000}"#;
    let read = read(&source, &DebeziumSettings::default(), None, event).expect("an event").expect("rows");
    let metadata = r#""t","1970-01-01 00:00:02Z","1970-01-01 00:00:01Z",[["table","t"],["ts_ms","1000"],["lsn","7"],["snapshot","false"]]"#;
    assert_eq!(read, format!(r#"["-U",[1,{metadata}]]["+U",[2,{metadata}]]"#));
}

#[test]
fn rows_take_no_more_than_the_limits_allow() {
    let source = source("id INT NOT NULL, name STRING");
    let event = format!(r#"{{"before":null,"after":{{"id":1,"name":"{}"}},"op":"c"}}"#, "x".repeat(1000));
    let record = ConsumerRecord::new(None, Some(event.as_bytes()));
    let decoder = source.debezium_decoder(&DebeziumSettings::default()).expect("a decoder");
    let mut buf = DecodeBuf::new();
    assert_eq!(decoder.decode(&record, &mut buf).expect("a row").rows().len(), 1);
    let mut limits = Limits::default();
    limits.max_row_bytes = 500;
    let error = decoder.with_limits(limits).decode(&record, &mut buf).expect_err("beyond the limit");
    assert_eq!(error.kind(), ErrorKind::Limit);
}
