use upsert_kafka::partition::{PartitionInput, Partitioner};

use super::*;

const EXAMPLE: &str = "create table upsertKafkaSink(
  car_id STRING,
  car_owner STRING,
  car_brand STRING,
  car_speed INT,
  primary key (car_id) not enforced
)
with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'test-topic',
  'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'format.type' = 'csv'
);";
const ROWS: [&str; 4] = [
    r#"["+I",["a","b","c",1]]"#,
    r#"["-U",["a","b","c",1]]"#,
    r#"["+U",["a","b","c",2]]"#,
    r#"["-D",["a","b","c",2]]"#,
];

fn with(key: &str, value: &str) -> Result<Table, Error> {
    table(EXAMPLE).with_options([(key, value)])
}

/// The values of the records of [`ROWS`]; `None` is a tombstone, and where there is no record there is none here.
fn values(table: &Table) -> Vec<Option<String>> {
    written(table, &ROWS).into_iter().flatten().map(|(_, value)| value).collect()
}

#[test]
fn the_example_is_translated_into_todays_options() {
    let table = table(EXAMPLE);
    let sink = table.sink(&Settings::default()).unwrap();
    assert_eq!((sink.layout().key_format(), sink.layout().value_format()), (Some("csv"), "csv"));
    assert_eq!(sink.layout().topics(), Some(&["test-topic".to_owned()][..]));
    assert_eq!(sink.properties()["bootstrap.servers"], "xx.xx.xx.xx:9092");
    assert_eq!(sink.changelog_mode(), ChangelogMode::UPSERT);
    assert_eq!(written(&table, &ROWS[..1]), [Some(("a".to_owned(), Some("a,b,c,1".to_owned())))]);
    assert!(table.to_string().contains("'connector.type' = 'upsert-kafka'"), "{table}");
}

/// The syntax that the page shows has words to be replaced.
#[test]
fn the_syntax_is_no_statement() {
    assert!(
        Table::from_ddl(
            "create table kafkaSource(
  attr_name attr_type 
  (',' attr_name attr_type)* 
  (','PRIMARY KEY (attr_name, ...) NOT ENFORCED)
)
with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '',
  'connector.topic' = '',
  'connector.properties.bootstrap.servers' = '',
   'format.type' = ''
);"
        )
        .is_err()
    );
}

/// 「是否必选」: 是
#[test]
fn what_is_required_is_missed() {
    for (key, message) in [
        (
            "connector.type",
            "Table options do not contain an option key 'connector' for discovering a connector.",
        ),
        (
            "connector.topic",
            "One or more required options are missing.\n\nMissing required options are:\n\nconnector.topic",
        ),
        (
            "format.type",
            "One or more required options are missing.\n\nMissing required options are:\n\nformat.type",
        ),
    ] {
        let lines = EXAMPLE.lines().filter(|line| !line.contains(key));
        let ddl = lines.collect::<Vec<_>>().join("\n").replace(":9092',\n)", ":9092'\n)");
        assert_eq!(refusal(Table::from_ddl(&ddl)), message);
    }
    let without = EXAMPLE.replace("'connector.properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',", "");
    assert_eq!(
        refusal(table(&without).sink(&Settings::default())),
        "One or more required options are missing.\n\nMissing required options are:\n\nproperties.bootstrap.servers"
    );
}

/// 「Kafka版本，仅支持：'0.11'」, 「支持：'csv', 'json'及'avro'等」
#[test]
fn version_and_format_are_of_those_that_are_supported() {
    assert_eq!(
        refusal(with("connector.version", "2.0")),
        "Unsupported value '2.0' for 'connector.version'. Supported values are [0.11]."
    );
    for format in ["csv", "json", "avro"] {
        let sink = with("format.type", format).unwrap().sink(&Settings::default()).unwrap();
        assert_eq!((sink.layout().key_format(), sink.layout().value_format()), (Some(format), format));
    }
    let delimited = with("format.field-delimiter", ";").unwrap();
    assert_eq!(values(&delimited)[0].as_deref(), Some("a;b;c;1"));
    assert_eq!(
        refusal(with("format.line-delimiter", ";")).lines().nth(4),
        Some("format.line-delimiter"),
        "there is no such option today"
    );
}

/// 「支持：'fixed', 'round-robin'及'custom'」
#[test]
fn the_partitioner_is_honoured() {
    let partitioner = |table: Table| table.sink(&Settings::default()).map(|sink| sink.partitioner().clone());
    assert_eq!(partitioner(table(EXAMPLE)).unwrap(), SinkPartitioner::Default);
    let fixed = with("connector.sink-partitioner", "fixed").unwrap();
    assert_eq!(partitioner(fixed).unwrap(), SinkPartitioner::Fixed);
    let round_robin = with("connector.sink-partitioner", "round-robin").unwrap();
    assert_eq!(partitioner(round_robin).unwrap(), SinkPartitioner::RoundRobin);
    let mut turns = with("connector.sink-partitioner", "round-robin")
        .and_then(|table| table.sink(&Settings::default()))
        .unwrap()
        .new_partitioner();
    let chosen = [(); 4].map(|()| turns.partition(&PartitionInput::new("test-topic", Some(b"a"), None, 3)));
    assert_eq!(chosen, [0, 1, 2, 0], "one after the other, whatever the key");
    assert_eq!(
        refusal(with("connector.sink-partitioner", "random")),
        "Unsupported value 'random' for 'connector.sink-partitioner'. Supported values are [fixed, round-robin, \
         custom]."
    );
    assert_eq!(
        refusal(with("connector.sink-partitioner", "custom")),
        "'connector.sink-partitioner-class' is required where 'connector.sink-partitioner' is 'custom'."
    );
    let class = "org.mycompany.MyPartitioner";
    let custom = table(EXAMPLE)
        .with_options([("connector.sink-partitioner", "custom"), ("connector.sink-partitioner-class", class)])
        .unwrap();
    assert_eq!(
        refusal(custom.sink(&Settings::default())),
        "Could not find and instantiate partitioner class 'org.mycompany.MyPartitioner'"
    );
    let settings = Settings::default().with_partitioner(class, || |_: &PartitionInput<'_>| 2);
    let known = custom.sink(&settings).unwrap();
    assert_eq!(*known.partitioner(), SinkPartitioner::Custom(class.to_owned()));
    let input = PartitionInput::new("test-topic", Some(b"a"), None, 3);
    assert_eq!(known.new_partitioner().partition(&input), 2);
}

/// 「是否忽略回撤消息，默认为false。回撤消息将以null值写入kafka」
#[test]
fn retractions_are_tombstones_unless_they_are_ignored() {
    let value = |speed| Some(format!("a,b,c,{speed}"));
    assert_eq!(values(&table(EXAMPLE)), [value(1), None, value(2), None]);
    let ignoring = with("connector.sink.ignore-retraction", "true").unwrap();
    assert_eq!(values(&ignoring), [value(1), value(2)]);
    let message = "Unrecognized option for boolean: ja. Expected either true or false(case insensitive)";
    assert_eq!(refusal(with("connector.sink.ignore-retraction", "ja")), message);
}

/// 「支持：'append', 'retract'及'upsert'三种写入模式」
#[test]
fn the_update_mode_says_what_reaches_the_sink() {
    let value = |speed| Some(format!("a,b,c,{speed}"));
    let upsert = with("update-mode", "upsert").unwrap();
    assert_eq!(values(&upsert), [value(1), value(2), None]);
    assert_eq!(upsert.sink(&Settings::default()).unwrap().update_before(), UpdateBefore::Drop);
    let retract = with("update-mode", "retract").unwrap();
    assert_eq!(values(&retract), [value(1), None, value(2), None]);
    assert_eq!(retract.sink(&Settings::default()).unwrap().changelog_mode(), ChangelogMode::ALL);
    let append = with("update-mode", "append").unwrap();
    assert_eq!(append.sink(&Settings::default()).unwrap().changelog_mode(), ChangelogMode::INSERT_ONLY);
    let sink = append.sink(&Settings::default()).unwrap();
    let (encoder, mut row) = (sink.encoder(), RowBuf::new());
    JsonRows::new(sink.layout().columns()).read(ROWS[0], &mut row).unwrap();
    let mut buf = RecordBuf::new();
    assert!(encoder.encode(RowKind::Insert, &row, &mut buf).is_ok());
    assert_eq!(
        refusal(encoder.encode(RowKind::Delete, &row, &mut buf)),
        "the table takes inserts only, found DELETE"
    );
    assert_eq!(
        refusal(with("update-mode", "merge")),
        "Unsupported value 'merge' for 'update-mode'. Supported values are [append, retract, upsert]."
    );
}

/// 「connector.properties.*：配置kafka任意原生属性」, in both of Flink 1.10's spellings.
#[test]
fn properties_are_the_clients() {
    let table = table(EXAMPLE)
        .with_options([
            ("connector.properties.acks", "all"),
            ("connector.properties.0.key", "linger.ms"),
            ("connector.properties.0.value", "5"),
        ])
        .unwrap();
    let sink = table.sink(&Settings::default()).unwrap();
    assert_eq!((&*sink.properties()["acks"], &*sink.properties()["linger.ms"]), ("all", "5"));
    let lonely = table.with_options([("connector.properties.1.key", "retries")]);
    assert_eq!(refusal(lonely).lines().nth(4), Some("connector.properties.1.key"));
}
