//! The example `upsert`: its samples are Flink's, what it says of bad input, what it writes and reads back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::Value;
use upsert_kafka::record::RecordBatchBuilder;
use upsert_kafka::{Limits, Record, RecordBatches, Table};

#[path = "../examples/upsert/main.rs"]
#[allow(dead_code, reason = "main is the example's")]
mod upsert;

/// Exit code, standard output and standard error.
fn run(arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = upsert::run(arguments.iter().map(OsString::from), &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    (code, text(out), text(err))
}

/// A new folder of the test `name`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("the folder takes files");
    path.to_str().expect("a path of ours").to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    let mut names: Vec<_> = entries.filter_map(name).collect();
    names.sort();
    names
}

const PEOPLE: &str = "CREATE TABLE people (
  id BIGINT,
  `näme` STRING NOT NULL,
  tags ARRAY<STRING>,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'topic' = 'people', 'properties.bootstrap.servers' = 'localhost:9092',
  'key.format' = 'json', 'value.format' = 'json'
)";

#[test]
fn without_arguments_the_topic_has_tombstones_and_is_flinks() {
    let (code, out, err) = run(&[]);
    assert_eq!((code, &*err), (0, ""));
    let (topic, compacted) =
        out.split_once("What compaction leaves").expect("it says what compaction leaves");
    assert!(topic.contains(r#"        2       1  {"l_id":1}  (tombstone)"#), "{out}");
    assert!(!compacted.contains("(tombstone)"), "{out}");
    assert!(compacted.contains("\nEqual: all 8 records are"), "{out}");
}

#[test]
fn a_group_by_without_its_retractions_is_flinks() {
    let (code, out, _) = run(&["--sample", "count"]);
    assert_eq!(code, 0);
    assert!(out.contains(r#"        3       7  {"valueKey":2}  {"valueKey":2,"countNumber":2}"#), "{out}");
    let (_, compacted) = out.split_once("What compaction leaves").expect("it says what compaction leaves");
    assert!(!compacted.contains(r#""countNumber":2}"#), "{out}");
    assert!(compacted.contains("\nEqual: all 20 records are"), "{out}");
}

#[test]
fn on_another_number_of_partitions_the_records_of_a_key_are_flinks() {
    let (code, out, _) = run(&["--sample", "join", "--partitions", "4", "--quiet"]);
    assert_eq!(code, 0);
    assert!(out.contains("\nEqual: all 8 records are") && out.contains("key by key"), "{out}");
}

#[test]
fn a_topic_unlike_flinks_is_called_so() {
    let (code, out, _) = run(&["--sample", "count", "--updates", "tombstone", "--quiet"]);
    assert_eq!(code, 1);
    assert!(out.contains("NOT EQUAL"), "{out}");
    assert!(out.contains(r#"ours    partition 3, {"valueKey":1}, (tombstone)"#), "{out}");
    let (code, out, _) = run(&["--sample", "count", "--updates", "pairs", "--quiet"]);
    assert!(code == 0 && out.contains("\nEqual: all 20 records are"), "{out}");
}

#[test]
fn bad_input_is_said_with_its_place_and_leaves_nothing() {
    let row = r#"["+I",[1,"a",null]]"#;
    let cases: [(&str, &[u8], &str); 9] = [
        (PEOPLE, b"[\"+I\",[1,\"a\",null]]\n\n[\"+I\",[2,\"b\"", "rows.jsonl:3:12: EOF while parsing"),
        (PEOPLE, "[\"+I\",[1,\"ä\",[7]]]".as_bytes(), "rows.jsonl:1:15: column `tags`[0]: expected"),
        (
            PEOPLE,
            b"[\"+I\",[1,null,null]]",
            "rows.jsonl:1:10: column `n\u{e4}me`: Column 'n\u{e4}me' is NOT NULL",
        ),
        (PEOPLE, b"[\"+X\",[1,\"a\",null]]", "rows.jsonl:1:2: expected +I, -U, +U or -D"),
        (PEOPLE, b"[\"+I\",[1,\"a\"]]", "rows.jsonl:1:7: expected 3 columns"),
        (PEOPLE, b"[\"+I\",[1,\"\xff\"]]", "rows.jsonl:1:11: this is not UTF-8"),
        (&PEOPLE.replace("BIGINT", "BIGIN"), row.as_bytes(), "people.sql:2:6: Unknown identifier 'BIGIN'"),
        (
            &PEOPLE.replace("'key.format' =", "'value.fields-include' = 'SOME', 'key.format' ="),
            row.as_bytes(),
            "people.sql:8:3: option 'value.fields-include': Could not parse value",
        ),
        (
            &PEOPLE.replace("PRIMARY KEY (id) NOT ENFORCED", "age INT"),
            row.as_bytes(),
            "people.sql:1:1: 'upsert-kafka' tables require to define a PRIMARY KEY constraint.",
        ),
    ];
    for (table, changelog, expected) in cases {
        let folder = folder("bad_input");
        let table = write(&folder, "people.sql", table);
        let changelog = write(&folder, "rows.jsonl", changelog);
        let out = folder.join("topic");
        let (code, _, err) = run(&[&table, &changelog, "--out", out.to_str().expect("a path of ours")]);
        assert_eq!(code, 1);
        let said = err.strip_prefix(folder.to_str().expect("a path of ours")).unwrap_or(&err);
        assert!(said[1..].starts_with(expected), "expected {expected}\ngot {said}");
        assert_eq!(names(&folder), ["people.sql", "rows.jsonl"]);
    }
}

#[test]
fn the_files_of_a_topic_hold_its_batches() {
    let folder = folder("files");
    let out = folder.join("topic");
    let out_argument = out.to_str().expect("a path of ours");
    let (code, ..) = run(&["--sample", "join", "--out", out_argument]);
    assert_eq!(code, 0);
    assert_eq!(names(&folder), ["topic"]);
    assert_eq!(names(&out), ["0", "1", "2", "3", "4", "5"].map(|partition| format!("partition-{partition}")));
    let records = |partition: u32| {
        let bytes = fs::read(out.join(format!("partition-{partition}"))).expect("a file for each partition");
        let batches = RecordBatches::new(&bytes, Limits::default());
        batches.map(|batch| batch.expect("a batch of ours").len()).sum::<usize>()
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(records), [3, 0, 5, 0, 0, 0]);

    let (code, _, err) = run(&["--out", out_argument]);
    assert_eq!(code, 1, "nothing is overwritten");
    assert!(err.contains("it is there already"), "{err}");
    assert_eq!(records(2), 5);
}

#[test]
fn a_topic_that_was_written_reads_back_as_the_changelog() {
    let folder = folder("read_back");
    let topic = folder.join("topic");
    let topic = topic.to_str().expect("a path of ours");
    assert_eq!(run(&["--sample", "count", "--quiet", "--out", topic]).0, 0);

    // All keys of the sample are on one partition. Its -U were not written, and are back.
    let (code, out, err) = run(&["--read", topic, "--sample", "count"]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let changelog = fs::read_to_string(root.join("examples/upsert/data/count.jsonl")).expect("a sample");
    assert_eq!((code, json_lines(&out)), (0, json_lines(&changelog)));
    assert!(err.starts_with("Batches: 1, 0 of them damaged, 1081 bytes. Records: 20, "), "{err}");

    // What is left of a changelog, by adding it up.
    let mut left: BTreeMap<i64, Value> = BTreeMap::new();
    for row in json_lines(&changelog) {
        let key = row[1][0].as_i64().expect("the key is a number");
        left.remove(&key);
        if row[0] == "+I" || row[0] == "+U" {
            left.insert(key, row[1].clone());
        }
    }
    let left: Vec<_> = left.into_values().map(|row| serde_json::json!(["+I", row])).collect();
    let (code, out, _) = run(&["--read", topic, "--sample", "count", "--table"]);
    assert_eq!((code, json_lines(&out)), (0, left));
    let (code, out, err) = run(&["--read", topic, "--sample", "count", "--quiet"]);
    assert!(code == 0 && out.is_empty() && err.contains(" records/s\n"), "{err}");
}

#[test]
fn batches_in_a_row_are_read_and_a_cut_one_is_said() {
    let folder = folder("cut");
    let table = write(&folder, "people.sql", PEOPLE);
    let (anna, bert) = (batch(&[person(1, r#""Anna""#)]), batch(&[person(2, r#""Bert""#)]));
    let file = write(&folder, "segment.log", [&anna[..], &bert, &anna[..20]].concat());
    let (code, out, err) = run(&["--read", &file, &table]);
    assert_eq!((code, &*out), (0, "[\"+I\",[1,\"Anna\",null]]\n[\"+I\",[2,\"Bert\",null]]\n"));
    let place = anna.len() + bert.len();
    let said =
        format!("{file}: byte {place}: the last 20 bytes are no whole batch, and left out\nBatches: 2, ");
    assert!(err.starts_with(&said), "{err}");
}

#[test]
fn what_cannot_be_read_is_said_with_its_place_and_hides_nothing_else() {
    let folder = folder("unreadable");
    let table = write(&folder, "people.sql", PEOPLE);
    let good = batch(&[
        person(1, r#""Anna""#),
        person(2, "Bert"),
        (None, Some("{}".to_owned())),
        (person(1, "").0, None),
        person(3, r#""Carl""#),
    ]);
    let mut damaged = batch(&[person(4, r#""Dora""#)]);
    *damaged.last_mut().expect("a batch has bytes") ^= 1;
    let topic = folder.join("topic");
    fs::create_dir(&topic).expect("a folder for the test");
    let file =
        write(&topic, "partition-11", [&good[..], &damaged, &batch(&[person(5, r#""Emil""#)])].concat());
    write(&topic, "partition-2", batch(&[person(6, r#""Fred""#)]));
    write(&topic, "notes.txt", "not a partition");

    let (code, out, err) = run(&["--read", topic.to_str().expect("a path of ours"), &table]);
    let row = |kind, id, name| format!("[\"{kind}\",[{id},\"{name}\",null]]\n");
    let expected =
        [("+I", 6, "Fred"), ("+I", 1, "Anna"), ("-D", 1, "Anna"), ("+I", 3, "Carl"), ("+I", 5, "Emil")];
    assert_eq!((code, out), (1, expected.map(|(kind, id, name)| row(kind, id, name)).concat()));
    let lines: Vec<_> = err.lines().collect();
    assert!(lines[0].starts_with(&format!("{file}: offset 1: value, byte 16: expected a value")), "{err}");
    assert_eq!(
        lines[1..],
        [
            format!(
                "{file}: batch at byte {}: the CRC-32C of the batch does not match \
                 (the batch says that it covers the offsets 0 to 0)",
                good.len()
            ),
            format!(
                "Batches: 4, 1 of them damaged, {} bytes. Records: 7, 1 of them failed, 1 skipped \
                 (1: the key holds no row). Changes: 5.",
                good.len() + 3 * damaged.len()
            ),
        ]
    );

    write(&topic, "partition-2", [0; 61]);
    let (code, _, err) = run(&["--read", topic.to_str().expect("a path of ours"), &table]);
    assert_eq!(code, 1);
    assert!(err.contains("partition-2: batch at byte 0: the batch length 0 is invalid"), "{err}");
    assert!(err.contains("partition-2: byte 0: the last 61 bytes are no whole batch"), "{err}");

    let (code, _, err) = run(&["--read", folder.to_str().expect("a path of ours"), &table]);
    assert_eq!(code, 1);
    assert!(err.contains("unreadable: it holds no file partition-0"), "{err}");
}

type KeyAndValue = (Option<String>, Option<String>);

/// A record of the table `PEOPLE`; the name is JSON.
fn person(id: i64, name: &str) -> KeyAndValue {
    (Some(format!("{{\"id\":{id}}}")), Some(format!("{{\"id\":{id},\"näme\":{name},\"tags\":null}}")))
}

fn batch(records: &[KeyAndValue]) -> Vec<u8> {
    let mut builder = RecordBatchBuilder::new();
    for (key, value) in records {
        let [key, value] = [key, value].map(|part| part.as_deref().map(str::as_bytes));
        assert!(builder.append(&Record::new(key, value).with_timestamp(0)).expect("a record of ours"));
    }
    builder.finish().to_vec()
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[test]
fn quiet_prints_no_records_but_rows_a_second() {
    let (code, out, _) = run(&["--quiet"]);
    assert_eq!(code, 0);
    assert!(!out.contains("valueKey") && out.contains(" rows/s\n"), "{out}");
}

#[test]
fn without_a_broker_it_says_so_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
    let address = listener.local_addr().expect("it is bound").to_string();
    drop(listener);
    for arguments in [&["--bootstrap", &*address][..], &["--read", "--bootstrap", &*address]] {
        let (code, out, err) = run(arguments);
        assert_eq!((code, &*out), (1, ""));
        assert!(err.starts_with(&format!("{address}: Connection refused")), "{err}");
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    for arguments in [
        &["a.sql"][..],
        &["--partitions", "0"],
        &["--sample"],
        &["--sample", "x"],
        &["--none"],
        &["--table"],
        &["--read", "a", "a.sql", "a.jsonl"],
        &["--read", "a", "--sample", "join", "a.sql"],
        &["--read", "a", "--out", "b"],
        &["--read"],
        &["--bootstrap"],
        &["--bootstrap", "localhost:9092", "--read", "a.sql", "b.sql"],
    ] {
        let (code, out, err) = run(arguments);
        assert_eq!((code, &*out), (2, ""), "{arguments:?}");
        assert!(err.starts_with("upsert: "), "{err}");
    }
    assert_eq!(run(&["--help"]).0, 0);
}

#[test]
fn the_shipped_samples_are_those_of_the_vectors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file of the repository");
    let vectors = read("tests/golden/e2e.jsonl");
    for (sample, id) in [("count", "sink-count-json-p6"), ("join", "sink-leftjoin-000-p6")] {
        let data = |extension| read(&format!("examples/upsert/data/{sample}.{extension}"));
        let case = vectors
            .lines()
            .find(|line| line.contains(&format!("\"id\":\"{id}\"")))
            .expect("the case is there");
        let case: Value = serde_json::from_str(case).expect("a case is JSON");

        let table = Table::from_ddl(&data("sql")).expect("the table of a sample");
        let columns = table.schema().columns().iter().map(|column| column.name());
        let expected = case["table"]["columns"].as_array().into_iter().flatten();
        assert!(columns.eq(expected.filter_map(|column| column[0].as_str())), "{sample}");
        for option in ["connector", "key.format", "value.format"] {
            assert_eq!(table.options().get(option), case["options"][option].as_str(), "{sample}");
        }

        assert_eq!(Value::Array(json_lines(&data("jsonl"))), case["changelog"], "{sample}");

        let mut topic = Vec::new();
        for partition in 0..6 {
            for record in case["topic_contents"][partition.to_string()].as_array().into_iter().flatten() {
                let text = |part: &str| record[part].get("text").cloned().unwrap_or_default();
                topic.push(
                    serde_json::json!({"partition": partition, "key": text("key"), "value": text("value")}),
                );
            }
        }
        assert_eq!(json_lines(&data("topic.jsonl")), topic, "{sample}");
    }
}
