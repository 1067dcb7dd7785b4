//! The example `upsert` with a broker.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use kafka_protocol::messages::DescribeConfigsRequest;
use kafka_protocol::messages::describe_configs_request::DescribeConfigsResource;
use kafka_protocol::protocol::StrBytes;
use upsert_kafka_live::kafka::changes::ddl;
use upsert_kafka_live::kafka::connection::Connection;

use crate::{broker, folder};

#[path = "../../../../examples/upsert/main.rs"]
#[allow(dead_code, reason = "main is the example's")]
mod upsert;

/// Exit code, standard output and standard error of the example with the shared broker.
fn run(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let bootstrap = ["--bootstrap", &*broker().address];
    let arguments = bootstrap.iter().chain(arguments).map(OsString::from);
    let code = upsert::run(arguments, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (code, text(out), text(err))
}

/// An option of a topic at the shared broker.
fn config(topic: &str, name: &'static str) -> Option<String> {
    const TOPIC: i8 = 2;
    let resource = DescribeConfigsResource::default()
        .with_resource_type(TOPIC)
        .with_resource_name(StrBytes::from_string(topic.to_owned()))
        .with_configuration_keys(Some(vec![StrBytes::from_static_str(name)]));
    let request = DescribeConfigsRequest::default().with_resources(vec![resource]);
    let mut connection = Connection::open(&broker().address, Duration::from_secs(30)).expect("it is there");
    let response = connection.call(&request, 1).expect("the broker answers");
    let config = response.results.into_iter().next()?.configs.into_iter().next()?;
    config.value.map(|value| value.to_string())
}

#[test]
fn the_example_writes_its_sample_to_a_compacted_topic_and_reads_it_back() {
    let (code, out, err) = run(&["--sample", "join", "--partitions", "3"]);
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert_eq!(config("joined_topic", "cleanup.policy").as_deref(), Some("compact"));
    assert!(out.contains("\nEqual: all 8 records are"), "{out}");
    assert!(out.contains(", 3 partitions. Requests sent again: "), "{out}");
    assert!(out.contains(" rows/s\n"), "{out}");

    let (code, changelog, err) = run(&["--read", "--sample", "join"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("Records: 8, 0 of them failed, 0 skipped"), "{err}");
    assert!(changelog.contains("[\"-D\","), "{changelog}");

    // The topic is there, and has its own number of partitions.
    let (code, out, _) = run(&["--sample", "join"]);
    assert_eq!(code, 0);
    assert!(out.contains(", 3 partitions. "), "{out}");
    let (code, _, err) = run(&["--sample", "join", "--partitions", "4"]);
    assert_eq!(code, 1);
    assert!(err.ends_with("has 3 partitions, not the 4 of --partitions\n"), "{err}");
    let (_, _, err) = run(&["--sample", "join", "--read", "--quiet"]);
    assert!(err.contains("Records: 16, 0 of them failed"), "{err}");
}

#[test]
fn the_example_reads_as_a_table_what_it_has_written() {
    const ROWS: usize = 20_000;
    let folder = folder("example");
    let path = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("the folder takes files");
        path.to_str().expect("a path of ours").to_owned()
    };
    let row = |id: usize, version: usize| {
        format!(r#"[{id},"eu",{version},"1.50","2024-02-29 12:34:56.789","0.5",true,null]"#)
    };
    let changelog: String =
        (0..ROWS).map(|index| format!("[\"+U\",{}]\n", row(index % 100, index))).collect();
    let table = path("table.sql", &ddl("by_the_example", "127.0.0.1:1"));
    let (code, out, err) = run(&[&table, &path("changelog.jsonl", &changelog), "--quiet"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(" rows/s\n"), "{out}");

    let (code, out, err) = run(&["--read", &table, "--table"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains(" records/s\n"), "{err}");
    let mut left: Vec<_> =
        (ROWS - 100..ROWS).map(|index| format!("[\"+I\",{}]", row(index % 100, index))).collect();
    left.sort();
    assert_eq!(out.lines().collect::<Vec<_>>(), left);
}

#[test]
fn a_topic_that_is_not_there_cannot_be_read() {
    let (code, _, err) = run(&["--read", "--sample", "count"]);
    assert_eq!(code, 1);
    assert!(err.starts_with("there is no topic "), "{err}");
}
