use super::*;

/// `TableDescriptor.forConnector("kafka")`
fn kafka_table(changes: &[(&str, &str)]) -> Table {
    let schema = TableSchema::builder()
        .column("valueKey", LogicalType::Int.not_null())
        .column("value", LogicalType::STRING)
        .column_by_metadata("ts", LogicalType::Timestamp(3), Some("timestamp"), false)
        .watermark("ts", "ts - INTERVAL '5' SECOND");
    let options = TableOptions::from_iter([
        ("connector", "kafka"),
        ("topic", "input_topic"),
        ("properties.bootstrap.servers", "192.168.157.140:9092"),
        ("properties.group.id", "testGroup"),
        ("scan.startup.mode", "earliest-offset"),
        ("format", "csv"),
    ]);
    Table::new(schema.build().unwrap(), options).unwrap().with_options(changes.iter().copied()).unwrap()
}

/// `TableDescriptor.forConnector("upsert-kafka")`
fn version_table(without: &str) -> Table {
    let schema = TableSchema::builder()
        .column("valueKey", LogicalType::Int.not_null())
        .column("countNumber", LogicalType::BigInt)
        .column("ts", LogicalType::Timestamp(3))
        .primary_key(["valueKey"]);
    let options = [
        ("connector", "upsert-kafka"),
        ("topic", "versioned_topic"),
        ("properties.bootstrap.servers", "192.168.157.140:9092"),
        ("properties.group.id", "testGroup"),
        ("key.format", "json"),
        ("value.format", "json"),
    ];
    let options = options.into_iter().filter(|(key, _)| *key != without).collect();
    Table::new(schema.build().unwrap(), options).unwrap()
}

#[test]
fn the_source_is_read_from_the_start_with_its_timestamp() {
    let source = kafka_table(&[]).source(&Settings::default()).unwrap();
    assert_eq!(*source.startup_mode(), StartupMode::Earliest);
    assert_eq!(source.layout().columns().len(), 3);
    assert_eq!(source.layout().value_projection(), [0, 1]);
}

/// The options that are commented out: `key.fields` 「不是kafka key？」: it is, but of columns of the table.
#[test]
fn the_options_that_were_tried_and_given_up() {
    assert_eq!(
        refusal(kafka_table(&[("key.fields", "Kafkakey")]).source(&Settings::default())),
        "The option 'key.fields' can only be declared if a key format is defined using 'key.format'."
    );
    assert_eq!(
        refusal(
            kafka_table(&[("key.fields", "Kafkakey"), ("key.format", "debezium-json")])
                .source(&Settings::default())
        ),
        "A key format should only deal with INSERT-only records. But debezium-json has a changelog mode of \
         [INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE]."
    );
    assert_eq!(
        refusal(
            kafka_table(&[("key.fields", "Kafkakey"), ("key.format", "csv")]).source(&Settings::default())
        ),
        "Could not find the field 'Kafkakey' in the table schema for usage in the key format. A key field must be a \
         regular, physical column. The following columns can be selected in the 'key.fields' option:\n[valueKey, \
         value]"
    );
    assert_eq!(
        refusal(kafka_table(&[("key.fields-prefix", "csv")]).source(&Settings::default())),
        "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. Set it to 'EXCEPT_KEY' \
         instead to avoid field overlaps."
    );
}

/// 「1、必须使用 .option("value.format", "json")」
#[test]
fn upsert_kafka_needs_value_format() {
    let table = version_table("value.format");
    assert_eq!(
        refusal(table.sink(&Settings::default())),
        "Could not find required sink format 'value.format'."
    );
    let table = table.with_options([("format", "json")]).unwrap();
    assert_eq!(
        refusal(table.sink(&Settings::default())),
        "Could not find required sink format 'value.format'."
    );
}

/// 「2、不能使用 .option("scan.startup.mode", "earliest-offset")」
#[test]
fn upsert_kafka_has_no_startup_mode() {
    let table = version_table("").with_options([("scan.startup.mode", "earliest-offset")]).unwrap();
    let message = refusal(table.sink(&Settings::default()));
    assert!(message.starts_with(
        "Unsupported options found for 'upsert-kafka'.\n\nUnsupported options:\n\nscan.startup.mode\n\nSupported \
         options:\n\nconnector\n"
    ));
    assert_eq!(
        *version_table("").source(&Settings::default()).unwrap().startup_mode(),
        StartupMode::Earliest
    );
}

/// 「4、kafka key中会保留pk信息」: `KEY {"valueKey":19}`,
/// `VALUE {"valueKey":19,"countNumber":5,"ts":"2022-01-13 14:05:19.07"}`
#[test]
fn the_records_are_those_of_the_document() {
    assert_eq!(
        written(&version_table(""), &[r#"["+U",[19,5,"2022-01-13 14:05:19.07"]]"#]),
        [Some((
            r#"{"valueKey":19}"#.to_owned(),
            Some(r#"{"valueKey":19,"countNumber":5,"ts":"2022-01-13 14:05:19.07"}"#.to_owned())
        ))]
    );
}

/// 「使用asSerializableString定义not null column」
#[test]
fn a_primary_key_is_of_columns_that_are_not_null() {
    let schema = TableSchema::builder().column("valueKey", LogicalType::Int).primary_key(["valueKey"]);
    assert_eq!(refusal(schema.build()), "Invalid primary key 'PK_valueKey'. Column 'valueKey' is nullable.");
}
