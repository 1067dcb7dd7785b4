use super::*;

const KAFKA: &str = "'connector' = 'kafka', 'topic' = 'normal_sink_topic', 'format' = 'json',
    'properties.bootstrap.servers' = 'localhost:9092'";
const UPSERT: &str = "'connector' = 'upsert-kafka', 'topic' = 'upsert_sink_topic', 'key.format' = 'json',
    'value.format' = 'json', 'properties.bootstrap.servers' = 'localhost:9092'";

/// 「Kafka Connector 要求表不能有主键，如果设置了主键，报错信息如下」
#[test]
fn a_kafka_table_has_no_primary_key() {
    let table = table(&format!(
        "CREATE TABLE normal_sink_topic (l_id BIGINT, tag_left STRING, tag_right STRING,
         PRIMARY KEY (l_id) NOT ENFORCED) WITH ({KAFKA})"
    ));
    assert_eq!(
        refusal(table.sink(&Settings::default())),
        "The Kafka table 'default_catalog.default_database.normal_sink_topic' with 'json' format doesn't support \
         defining PRIMARY KEY constraint on the table, because it can't guarantee the semantic of primary key."
    );
}

/// 「而 Upsert Kafka Connector 要求表必须有主键，如果没有设置主键，报错信息如下」
#[test]
fn an_upsert_kafka_table_has_one() {
    let table = table(&format!("CREATE TABLE t (l_id BIGINT, tag_left STRING) WITH ({UPSERT})"));
    assert_eq!(
        refusal(table.sink(&Settings::default())),
        "'upsert-kafka' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies which columns \
         should be read from or write to the Kafka message key. The PRIMARY KEY also defines records in the \
         'upsert-kafka' table should update or delete on which keys."
    );
}

/// 「语法： primary key(id) not enforced … 如果没有 not enforced，报错信息如下」. The document has the sentence with
/// an older Flink's slip of the pen, "constaint", and two blanks after "ENFORCED".
#[test]
fn a_primary_key_is_not_enforced() {
    let table =
        |clause: &str| Table::from_ddl(&format!("CREATE TABLE t (id BIGINT, {clause}) WITH ({UPSERT})"));
    assert!(table("primary key(id) not enforced").is_ok());
    assert_eq!(
        refusal(table("primary key(id)")),
        "Flink doesn't support ENFORCED mode for PRIMARY KEY constraint. ENFORCED/NOT ENFORCED controls if the \
         constraint checks are performed on the incoming/outgoing data. Flink does not own the data therefore the \
         only supported mode is the NOT ENFORCED mode"
    );
}

/// 「Kafka Connector 不能消费带有 Upsert/Delete 操作类型数据的表，如 left join 生成的动态表」
#[test]
fn a_kafka_table_takes_no_changes_of_a_left_join() {
    let sink = table(&format!(
        "CREATE TABLE normal_sink_topic (l_id BIGINT, tag_left STRING, tag_right STRING) WITH ({KAFKA})"
    ))
    .sink(&Settings::default())
    .unwrap();
    let node = "TableSourceScan(table=[[default_catalog, default_database, Unregistered_DataStream_Source_9]], \
                fields=[l_id, tag_left, tag_right])";
    assert_eq!(
        refusal(sink.check_changelog(ChangelogMode::ALL, node)),
        format!(
            "Table sink 'default_catalog.default_database.normal_sink_topic' doesn't support consuming update and \
             delete changes which is produced by node {node}"
        )
    );
    assert!(sink.check_changelog(ChangelogMode::INSERT_ONLY, node).is_ok());
}

/// 「将 INSERT/UPDATE_AFTER 数据作为正常的 Kafka 消息写入，并将 DELETE 数据以 value 为空的 Kafka 消息写入」
#[test]
fn an_upsert_kafka_table_writes_values_and_tombstones() {
    let table = table(&format!(
        "CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ({UPSERT})"
    ));
    let key = || r#"{"id":1}"#.to_owned();
    assert_eq!(
        written(&table, &[r#"["+I",[1,"a"]]"#, r#"["+U",[1,"b"]]"#, r#"["-D",[1,"b"]]"#]),
        [
            Some((key(), Some(r#"{"id":1,"name":"a"}"#.to_owned()))),
            Some((key(), Some(r#"{"id":1,"name":"b"}"#.to_owned()))),
            Some((key(), None)),
        ]
    );
}

/// 「Kafka Connector的参数包括」. `scan.startup.mode` 有四种取值: five, `specific-offsets` is the fifth.
#[test]
fn the_options_of_kafka_are_there() {
    let table = table(&format!(
        "CREATE TABLE t (id BIGINT) WITH ({KAFKA}, 'properties.group.id' = 'g', 'properties.client.id' = 'c')"
    ));
    for (mode, expected) in [
        ("earliest-offset", StartupMode::Earliest),
        ("latest-offset", StartupMode::Latest),
        ("group-offsets", StartupMode::GroupOffsets),
        ("timestamp", StartupMode::Timestamp(5)),
        ("specific-offsets", StartupMode::SpecificOffsets([(0, 42), (1, 300)].into())),
    ] {
        let options = [
            ("scan.startup.mode", mode),
            ("scan.startup.timestamp-millis", "5"),
            ("scan.startup.specific-offsets", "partition:0,offset:42;partition:1,offset:300"),
        ];
        let source = table.clone().with_options(options).unwrap().source(&Settings::default()).unwrap();
        assert_eq!(*source.startup_mode(), expected, "{mode}");
    }
}

/// 「Upsert Kafka Connector的参数包括 … key.fields」: wrong, the key is the primary key.
#[test]
fn the_options_of_upsert_kafka_are_there_but_for_key_fields() {
    let table = table(&format!("CREATE TABLE t (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ({UPSERT})"));
    for include in ["ALL", "EXCEPT_KEY"] {
        assert!(
            table
                .clone()
                .with_options([("value.fields-include", include)])
                .unwrap()
                .sink(&Settings::default())
                .is_ok()
        );
    }
    let error = table.with_options([("key.fields", "id")]).unwrap().sink(&Settings::default()).unwrap_err();
    assert!(error.message().starts_with("Unsupported options found for 'upsert-kafka'."));
    assert_eq!(
        error.help(),
        Some("'key.fields' is an option of 'kafka': the key of 'upsert-kafka' is the PRIMARY KEY")
    );
}
