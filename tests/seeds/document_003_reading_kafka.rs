use super::*;

const JSON: &str = "CREATE TABLE kafka_table_source_json (
  `ID` STRING,
  `NAME` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = '20231009',
  'properties.bootstrap.servers' = 'worker01:9092',
  'properties.group.id' = 'FlinkConsumer',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'json',
  'json.fail-on-missing-field' = 'false',
  'json.ignore-parse-errors' = 'true'
);";
const READ_KEY: &str = "CREATE TABLE kafka_table_source_read_key (
  `ID` STRING,
  `NAME` STRING,
  `ID_1` STRING,
  `NAME_1` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'readKey',
  'properties.bootstrap.servers' = 'worker01:9092',
  'properties.group.id' = 'FlinkConsumer',
  'scan.startup.mode' = 'earliest-offset',
  'key.format' = 'json',
  'key.json.ignore-parse-errors' = 'true',
  'key.fields' = 'ID_1;NAME_1',
  'value.format' = 'json'
);";

/// The options of 2.1, both topics as they stand there: one of them is to be chosen.
const OPTIONS: &str = "
  'connector' = 'kafka',                             --【必选】指定 连接器类型，kafka用'kafka'
  'properties.bootstrap.servers' = 'localhost:9092', --【必选】指定 Kafka broker列表,用逗号分隔
  'topic' = 'user_behavior',                         --【必选】指定 topic列表,用逗号分隔
  'topic-pattern' = '.*log_kafka.*',                 --【必选】指定 匹配读取 topic 名称的正则表达式, 和 topic 配置一个即可
  'properties.group.id' = 'testGroup',               --【可选】指定 消费者组id，不指定时会自定生成 KafkaSource-{tableIdentifier}
  'scan.startup.mode' = 'earliest-offset',           --【可选】指定起始消费位点，默认值 earliest-offset
  'format' = 'csv'                                   --【必选】指定 消息的格式类型, 和 value.format 是等价的(配置一个即可)
";

/// Those options without the lines that have one of these words.
fn source_kafka_table(without: &[&str]) -> Table {
    let lines =
        OPTIONS.lines().filter(|line| !without.iter().any(|word| line.contains(&format!("'{word}'"))));
    table(&format!(
        "CREATE TABLE SourceKafkaTable (id BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
         WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ({}\n)",
        lines.collect::<Vec<_>>().join("\n")
    ))
}

#[test]
fn topic_and_pattern_are_two_ways_of_one_thing() {
    assert_eq!(
        refusal(source_kafka_table(&[]).source(&Settings::default())),
        "Option 'topic' and 'topic-pattern' shouldn't be set together."
    );
    assert!(source_kafka_table(&["topic"]).source(&Settings::default()).is_ok());
    assert!(source_kafka_table(&["topic-pattern"]).source(&Settings::default()).is_ok());
}

/// 「指定 topic列表,用逗号分隔」: wrong, by semicolons.
#[test]
fn topics_stand_between_semicolons() {
    let topics = |list: &str| {
        let table = source_kafka_table(&["topic-pattern"]).with_options([("topic", list)]).unwrap();
        table.source(&Settings::default()).unwrap().layout().topics().unwrap().to_vec()
    };
    assert_eq!(topics("a;b"), ["a", "b"]);
    assert_eq!(topics("a,b"), ["a,b"]);
}

/// 「默认值 earliest-offset」: wrong, `group-offsets`. 「不指定时会自定生成 KafkaSource-{tableIdentifier}」: wrong, no
/// group is made up, and without one that default fails.
#[test]
fn reading_starts_at_the_groups_offsets_unless_it_is_said() {
    let source =
        source_kafka_table(&["topic-pattern", "scan.startup.mode"]).source(&Settings::default()).unwrap();
    assert_eq!(*source.startup_mode(), StartupMode::GroupOffsets);
    assert_eq!(
        refusal(
            source_kafka_table(&["topic-pattern", "scan.startup.mode", "properties.group.id"])
                .source(&Settings::default())
        ),
        "Property group.id is required when using committed offset for offsets initializer"
    );
    let error = source_kafka_table(&["topic-pattern", "scan.startup.mode", "properties.group.id"])
        .source(&Settings::default());
    assert!(error.unwrap_err().help().unwrap().contains("'earliest-offset'"));
    let source =
        source_kafka_table(&["topic-pattern", "properties.group.id"]).source(&Settings::default()).unwrap();
    assert!(!source.consumer_config().contains_key("group.id"));
}

/// 「和 value.format 是等价的」: yes, but the options of the format then begin otherwise.
#[test]
fn format_is_value_format_but_for_the_options_behind_it() {
    let value_format =
        || JSON.replace("'format' = 'json'", "'value.format' = 'json'").replace("'json.", "'value.json.");
    assert!(table(JSON).source(&Settings::default()).is_ok());
    assert!(table(&value_format()).source(&Settings::default()).is_ok());
    let mixed = table(&value_format().replace("'value.json.", "'json."));
    let error = mixed.source(&Settings::default()).unwrap_err();
    assert!(error.message().starts_with("Unsupported options found for 'kafka'."));
    assert!(error.help().unwrap().contains("'value.json.ignore-parse-errors'"));
}

/// 「kafka消息示例：{"ID":0,"NAME":"大王0"}」
#[test]
fn a_json_message_becomes_a_row() {
    assert_eq!(read(&table(JSON), None, Some(r#"{"ID":0,"NAME":"大王0"}"#)), r#"["+I",["0","大王0"]]"#);
}

/// 「'json.fail-on-missing-field' = 'false' … 即抛出错误失败」: wrong, then the column is NULL.
#[test]
fn a_missing_field_is_null_unless_it_shall_fail() {
    assert_eq!(read(&table(JSON), None, Some(r#"{"ID":0}"#)), r#"["+I",["0",null]]"#);
    let both = JSON.replace("'false'", "'true'");
    assert_eq!(
        refusal(table(&both).source(&Settings::default())),
        "fail-on-missing-field and ignore-parse-errors shouldn't both be true."
    );
}

/// 「这种方式只能解析单层级的json格式，多层级时无法解析」: wrong, nested types are read.
#[test]
fn json_nests() {
    let nested = JSON.replace("`NAME` STRING", "`NAME` ROW<`first` STRING, `tags` ARRAY<STRING>>");
    assert_eq!(
        read(&table(&nested), None, Some(r#"{"ID":0,"NAME":{"first":"大王0","tags":["a"]}}"#)),
        r#"["+I",["0",["大王0",["a"]]]]"#
    );
}

/// 「kafka消息示例：2,3.1」
#[test]
fn a_csv_message_becomes_a_row() {
    let table = table(
        "CREATE TABLE kafka_table_source_csv (
  `order_id` BIGINT,
  `price` DOUBLE
) WITH (
  'connector' = 'kafka',
  'topic' = 'csv_format',
  'properties.bootstrap.servers' = 'worker01:9092',
  'properties.group.id' = 'FlinkConsumer',
  'scan.startup.mode' = 'earliest-offset',
  'value.format' = 'csv'
);",
    );
    assert_eq!(read(&table, None, Some("2,3.1")), r#"["+I",[2,"3.1"]]"#);
}

/// 「可以使用 'format' = 'raw' 将kafka消息以原始格式映射到flink表中的string类型的字段中」
#[test]
fn a_raw_message_becomes_one_column() {
    let table = table(
        "CREATE TABLE kafka_table_source_raw (
  `log` STRING
) WITH (
  'connector' = 'kafka',
  'topic' = '20231009',
  'properties.bootstrap.servers' = 'worker01:9092',
  'properties.group.id' = 'FlinkConsumer',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'raw'
);",
    );
    assert_eq!(read(&table, None, Some("{\"ID\":0}")), r#"["+I",["{\"ID\":0}"]]"#);
    assert_eq!(read(&table, None, None), r#"["+I",[null]]"#);
}

/// 「读取kafka消息中的key部分」: as printed the key's columns are NULL, since the value is taken to hold them too.
#[test]
fn the_key_is_read_where_the_value_leaves_it_out() {
    let (key, value) = (r#"{"ID_1":0,"NAME_1":"大王0"}"#, r#"{"ID":0,"NAME":"大王0"}"#);
    assert_eq!(read(&table(READ_KEY), Some(key), Some(value)), r#"["+I",["0","大王0",null,null]]"#);
    let except_key = table(READ_KEY).with_options([("value.fields-include", "EXCEPT_KEY")]).unwrap();
    assert_eq!(read(&except_key, Some(key), Some(value)), r#"["+I",["0","大王0","0","大王0"]]"#);
}
