use super::*;

const SINK: &str = "CREATE TABLE KafkaSink(
   `user_id` VARCHAR,
   `user_name` VARCHAR,
   `age` INT 
) WITH (
   'connector' = 'kafka',
   'topic' = 'test_sink',
   'properties.bootstrap.servers' = 'Kafka的Broker实例业务IP:Kafka端口号',
   'scan.startup.mode' = 'latest-offset',
   'value.format' = 'csv',
   'properties.sasl.kerberos.service.name' = 'kafka',
   'properties.security.protocol' = 'SASL_PLAINTEXT',
   'properties.kerberos.domain.name' = 'hadoop.系统域名' 
);";
const SOURCE: &str = "CREATE TABLE KafkaSource(
   `user_id` VARCHAR,
   `user_name` VARCHAR,
   `age` INT 
) WITH (
   'connector' = 'kafka',
   'topic' = 'test_sink',
   'properties.bootstrap.servers' = 'Kafka的Broker实例业务IP:Kafka端口号',
   'scan.startup.mode' = 'latest-offset',
   'properties.group.id' = 'testGroup',
   'value.format' = 'csv',
   'properties.sasl.kerberos.service.name' = 'kafka',
   'properties.security.protocol' = 'SASL_PLAINTEXT',
   'properties.kerberos.domain.name' = 'hadoop.系统域名' 
);";
const PAYMENTS: &str = "CREATE TABLE payments ( 
    payment_id INT, 
    customer_id INT, 
    payment_date TIMESTAMP(3), 
    payment_amount DECIMAL(10, 2)
) WITH ( 
    'connector' = 'kafka', 
    'topic-pattern' = 'test-topic-[0-9]', 
    'properties.bootstrap.servers' = 'Kafka的Broker实例业务IP:Kafka端口号', 
    'format' = 'json'
);";

/// 「Kafka作为sink表时必须指定"topic"配置项」: or `topic-pattern`, and then a column that names the topic.
#[test]
fn a_sink_names_its_topic() {
    let sink = table(SINK).sink(&Settings::default()).unwrap();
    assert_eq!(sink.layout().topics(), Some(&["test_sink".to_owned()][..]));
    let config = sink.producer_config();
    assert_eq!(config["sasl.kerberos.service.name"], "kafka");
    assert_eq!(config["security.protocol"], "SASL_PLAINTEXT");
    assert_eq!(config["kerberos.domain.name"], "hadoop.系统域名");
    let without = SINK.replace("'topic' = 'test_sink',", "");
    assert_eq!(
        refusal(table(&without).sink(&Settings::default())),
        "Either 'topic' or 'topic-pattern' must be set."
    );
    assert_eq!(
        table(PAYMENTS).sink(&Settings::default()).unwrap().layout().topic_pattern(),
        Some("test-topic-[0-9]")
    );
}

/// 「Kafka作为source表时必须指定"properties.group.id"配置项」: only where it starts or stops at what a group
/// committed; but that is where it starts unless it says otherwise.
#[test]
fn a_source_needs_a_group_where_it_starts_at_the_groups_offsets() {
    assert_eq!(
        table(SOURCE).source(&Settings::default()).unwrap().consumer_config()["group.id"],
        "testGroup"
    );
    assert!(
        table(SINK).source(&Settings::default()).is_ok(),
        "from the latest offset it reads without a group"
    );
}

/// 「以下source表将订阅所有以"test-topic-"开头，单个数字结尾的主题消息」: as printed it fails.
#[test]
fn the_third_example_lacks_a_group() {
    assert_eq!(
        refusal(table(PAYMENTS).source(&Settings::default())),
        "Property group.id is required when using committed offset for offsets initializer"
    );
    let table = table(PAYMENTS).with_options([("properties.group.id", "g")]).unwrap();
    assert_eq!(
        table.source(&Settings::default()).unwrap().layout().topic_pattern(),
        Some("test-topic-[0-9]")
    );
}

/// 「不能同时设置"topic-pattern"和"topic"配置项」
#[test]
fn topic_and_pattern_exclude_each_other() {
    let table = table(PAYMENTS).with_options([("topic", "test_sink")]).unwrap();
    let message = "Option 'topic' and 'topic-pattern' shouldn't be set together.";
    assert_eq!(
        (refusal(table.source(&Settings::default())), refusal(table.sink(&Settings::default()))),
        (message.to_owned(), message.to_owned())
    );
}
