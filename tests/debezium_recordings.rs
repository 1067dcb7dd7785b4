//! Events recorded from Debezium against the rows that the database held: `tests/debezium/*.jsonl`, which the recorder in
//! `tests/live/debezium` writes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, from_str};
use upsert_kafka::fixture::JsonRows;
use upsert_kafka::format::{
    DebeziumBytes, DebeziumDecimals, DebeziumSettings, DebeziumShape, DebeziumTimes, MissingBefore,
    UnavailableValue,
};
use upsert_kafka::source::{Decoded, SkipReason};
use upsert_kafka::{ConsumerRecord, DecodeBuf, RowBuf, RowKind, Settings, Table, TableSource};

/// What a file has recorded.
struct Recording {
    name: String,
    head: Head,
    schemas: Vec<Box<RawValue>>,
    events: Vec<Event>,
    /// The rows that the database held in the end, as `JsonRows` has them.
    rows: Vec<String>,
}

#[derive(Deserialize)]
struct Head {
    /// The columns, and the primary key.
    table: Vec<String>,
    /// What the connector was told.
    properties: BTreeMap<String, String>,
    /// What the transformation to rows was told.
    flattened: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Event {
    topic: String,
    key: Option<Message>,
    value: Option<Message>,
}

/// The number of a schema, and a payload as it was written.
#[derive(Deserialize)]
struct Message(usize, Box<RawValue>);

impl Recording {
    fn read(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/debezium").join(name);
        let text = std::fs::read_to_string(path).expect("a recording");
        let (mut schemas, mut events, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let (head, lines) = text.split_once('\n').expect("a line");
        for line in lines.lines() {
            let member = |name: &str| line.strip_prefix(&format!("{{\"{name}\":"))?.strip_suffix('}');
            if let Some(schema) = member("schema") {
                schemas.push(from_str(schema).expect("a schema"));
            } else if let Some(row) = member("row") {
                rows.push(row.to_owned());
            } else {
                events.push(from_str(line).expect("an event"));
            }
        }
        Self { name: name.to_owned(), head: from_str(head).expect("a head"), schemas, events, rows }
    }

    fn all() -> Vec<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/debezium");
        let files =
            std::fs::read_dir(folder).expect("recordings").map(|file| file.expect("a file").file_name());
        let mut names: Vec<String> = files.map(|name| name.into_string().expect("a name")).collect();
        names.sort();
        names.iter().map(|name| Self::read(name)).collect()
    }

    fn property(&self, name: &str) -> &str {
        self.head.properties.get(name).map_or("", String::as_str)
    }

    /// What a reader has to be told of such a connector.
    fn settings(&self) -> DebeziumSettings {
        let mut settings = DebeziumSettings::default();
        if self.head.flattened.is_some() {
            settings.shape = DebeziumShape::Flattened;
        }
        if self.name.contains("default") || self.name.contains("toast") {
            settings.missing_before = MissingBefore::Upsert;
        }
        if matches!(self.property("decimal.handling.mode"), "string" | "double") {
            settings.decimals = DebeziumDecimals::Number;
        }
        if self.property("binary.handling.mode") == "hex" {
            settings.bytes = DebeziumBytes::Hex;
        }
        settings.times = match self.property("time.precision.mode") {
            "connect" => DebeziumTimes::Connect,
            "microseconds" => DebeziumTimes::Microseconds,
            "nanoseconds" => DebeziumTimes::Nanoseconds,
            "adaptive_time_microseconds" => DebeziumTimes::AdaptiveTimeMicroseconds,
            _ if self.name.starts_with("mariadb") => DebeziumTimes::AdaptiveTimeMicroseconds,
            _ => DebeziumTimes::Adaptive,
        };
        settings
    }

    /// The table, without some of its columns.
    fn table(&self, left_out: &[&str]) -> TableSource {
        let is_kept = |column: &&String| {
            let name = column.split(' ').next().unwrap_or_default();
            !left_out.contains(&name)
        };
        let columns: Vec<&str> = self.head.table.iter().filter(is_kept).map(String::as_str).collect();
        source(&columns.join(", "))
    }

    fn message(&self, message: &Message, with_schema: bool) -> Vec<u8> {
        let Message(schema, payload) = message;
        match with_schema {
            true => format!("{{\"schema\":{},\"payload\":{payload}}}", self.schemas[*schema]).into_bytes(),
            false => payload.get().into(),
        }
    }
}

fn source(columns: &str) -> TableSource {
    let ddl = format!(
        "CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = 't', 'value.format' = 'debezium-json', \
         'properties.bootstrap.servers' = 'localhost:9092', 'scan.startup.mode' = 'earliest-offset')"
    );
    Table::from_ddl(&ddl).and_then(|table| table.source(&Settings::default())).expect("a table")
}

/// The rows that changes add up to, by their keys.
struct Held<'s> {
    source: &'s TableSource,
    rows: BTreeMap<String, String>,
    /// Whether a row that goes is told whole.
    is_told_whole: bool,
}

impl Held<'_> {
    fn json(&self, row: &RowBuf) -> String {
        let mut line = Vec::new();
        let rows = JsonRows::new(self.source.layout().columns());
        rows.write(RowKind::Insert, row, &mut line).expect("a row that fits");
        String::from_utf8(line).expect("UTF-8")
    }

    fn apply(&mut self, decoded: Decoded<'_>) {
        if decoded.skipped() == Some(SkipReason::Truncated) {
            self.rows.clear();
        }
        for (kind, row) in decoded.rows() {
            let json = self.json(row);
            let values: Vec<Value> = from_str::<(String, Vec<Value>)>(&json).expect("an array").1;
            let key = self.source.layout().primary_key().iter().map(|column| values[*column].to_string());
            let key = key.collect::<Vec<_>>().join(",");
            match kind {
                RowKind::Insert | RowKind::UpdateAfter => drop(self.rows.insert(key, json)),
                RowKind::UpdateBefore | RowKind::Delete => {
                    let gone = self.rows.remove(&key);
                    if self.is_told_whole {
                        assert_eq!(gone.as_ref(), Some(&json), "the row that goes was there");
                    }
                }
            }
        }
    }
}

/// What the rows have as milliseconds, the finest that `time.precision.mode=connect` sends.
fn cut_to_millis(row: &str) -> String {
    let mut cut = String::new();
    for (index, part) in row.split('.').enumerate() {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let is_time = index > 0 && digits == 6 && part[digits..].starts_with('"') && cut.ends_with(is_digit);
        cut.push_str(if index > 0 { "." } else { "" });
        cut.push_str(&if is_time { format!("{}{}", &part[..3], &part[6..]) } else { part.to_owned() });
    }
    cut
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// Columns whose values need their schema: bits as a number, a number of any scale as a text, a time of day in a unit that
/// Flink's TIME(3) cannot say, a time whose unit changes.
const NEED_SCHEMA: [&str; 5] = ["some_bits", "up_to_bits", "any_numeric_text", "a_time6", "moment"];

fn hold(recording: &Recording, with_schema: bool) {
    let left_out: &[&str] = if with_schema { &[] } else { &NEED_SCHEMA };
    let source = recording.table(left_out);
    let decoder = source.debezium_decoder(&recording.settings()).expect("a decoder");
    let is_told_whole =
        recording.head.flattened.is_none() && recording.settings().missing_before == MissingBefore::Error;
    let mut held = Held { source: &source, rows: BTreeMap::new(), is_told_whole };
    let mut buf = DecodeBuf::new();
    for event in &recording.events {
        if recording.head.flattened.is_some() && !event.topic.ends_with("changes") {
            continue;
        }
        let [key, value] = [&event.key, &event.value]
            .map(|message| message.as_ref().map(|message| recording.message(message, with_schema)));
        let record = ConsumerRecord::new(key.as_deref(), value.as_deref());
        match decoder.decode(&record, &mut buf) {
            Ok(decoded) => held.apply(decoded),
            Err(error) => panic!(
                "{}, {with_schema}: {error}: {}",
                recording.name,
                String::from_utf8_lossy(value.as_deref().unwrap_or_default())
            ),
        }
    }
    if recording.head.flattened.is_some() {
        // The transformation drops truncates, and so nothing tells that this row has gone.
        held.rows.remove("0,\"z\"").expect("the row that was truncated");
    }
    let wanted: Vec<usize> = (0..recording.head.table.len() - 1)
        .filter(|column| {
            !left_out.contains(&recording.head.table[*column].split(' ').next().unwrap_or_default())
        })
        .collect();
    let rows = JsonRows::new(source.layout().columns());
    let expected = recording.rows.iter().map(|row| {
        let row = match recording.property("time.precision.mode") {
            "connect" => cut_to_millis(row),
            _ => row.clone(),
        };
        let (kind, values): (String, Vec<Box<RawValue>>) = from_str(&row).expect("a row");
        let values: Vec<&str> = wanted.iter().map(|column| values[*column].get()).collect();
        let mut row = RowBuf::new();
        let line = format!("[\"{kind}\",[{}]]", values.join(","));
        rows.read(&line, &mut row).unwrap_or_else(|error| panic!("{error}: {line}"));
        held.json(&row)
    });
    let mut expected: Vec<String> = expected.collect();
    expected.sort();
    let mut found: Vec<String> = held.rows.into_values().collect();
    found.sort();
    assert_eq!(found, expected, "{}, with schemas: {with_schema}", recording.name);
}

#[test]
fn events_with_schemas_add_up_to_the_rows_of_the_database() {
    Recording::all()
        .iter()
        .filter(|recording| !recording.name.contains("toast"))
        .for_each(|it| hold(it, true));
}

#[test]
fn events_without_schemas_add_up_to_the_rows_of_the_database() {
    Recording::all()
        .iter()
        .filter(|recording| !recording.name.contains("toast"))
        .for_each(|it| hold(it, false));
}

/// What a decoder says of the last event of a recording.
fn last(recording: &Recording, columns: &str, settings: &DebeziumSettings) -> Result<String, String> {
    let source = source(columns);
    let decoder = source.debezium_decoder(settings).expect("a decoder");
    let event = recording.events.last().expect("an event");
    let value = event.value.as_ref().map(|value| recording.message(value, true));
    let mut buf = DecodeBuf::new();
    let decoded = decoder.decode(&ConsumerRecord::new(None, value.as_deref()), &mut buf);
    let held = Held { source: &source, rows: BTreeMap::new(), is_told_whole: false };
    let show =
        |decoded: Decoded<'_>| decoded.rows().map(|(_, row)| held.json(row)).collect::<Vec<_>>().join(" ");
    decoded.map(show).map_err(|error| error.to_string())
}

/// PostgreSQL does not write what is stored apart from its row and has not changed.
#[test]
fn a_value_that_the_database_did_not_send_is_an_error_null_or_its_placeholder() {
    let recording = Recording::read("postgres-toast.jsonl");
    let upserts = recording.settings();
    let with = |unavailable_value| {
        let mut settings = upserts.clone();
        settings.unavailable_value = unavailable_value;
        settings
    };
    let placeholder = "__debezium_unavailable_value";
    let numbers: Vec<String> = placeholder.bytes().map(|byte| byte.to_string()).collect();
    for (column, shown) in [
        ("`large` STRING", format!("{placeholder:?}")),
        ("large_bytes BYTES", "\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"".to_owned()),
        ("large_ints ARRAY<INT>", format!("[{}]", numbers.join(","))),
        ("large_texts ARRAY<STRING>", format!("[{placeholder:?}]")),
        ("large_map MAP<STRING, STRING>", format!("[[{placeholder:?},{placeholder:?}]]")),
    ] {
        let columns = format!("id INT NOT NULL, name STRING, {column}");
        let name = column.split(' ').next().expect("a name").trim_matches('`');
        let error = last(&recording, &columns, &with(UnavailableValue::Error)).expect_err(column);
        let place = format!("value, column `{name}`, byte ");
        assert!(error.starts_with(&place), "{error}");
        assert!(error.contains("the database did not send this value"), "{error}");
        assert_eq!(
            last(&recording, &columns, &with(UnavailableValue::Null)).expect(column),
            r#"["+I",[1,"changed",null]]"#
        );
        assert_eq!(
            last(&recording, &columns, &with(UnavailableValue::Placeholder)).expect(column),
            format!(r#"["+I",[1,"changed",{shown}]]"#)
        );
    }
    let columns = "id INT NOT NULL, name STRING";
    assert_eq!(last(&recording, columns, &upserts).expect("a row"), r#"["+I",[1,"changed"]]"#);
}

#[test]
fn an_update_without_before_is_refused_unless_upserts_are_asked_for() {
    let recording = Recording::read("postgres-toast.jsonl");
    let error = last(&recording, "id INT NOT NULL", &DebeziumSettings::default()).expect_err("no before");
    assert!(error.starts_with("value: the \"before\" of an update is null"), "{error}");
    assert!(error.contains("REPLICA IDENTITY FULL"), "{error}");
}

#[test]
fn what_gives_no_row_is_skipped_with_its_reason() {
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for name in ["postgres-changes-full.jsonl", "mariadb-changes.jsonl"] {
        let recording = Recording::read(name);
        let source = recording.table(&[]);
        let decoder = source.debezium_decoder(&recording.settings()).expect("a decoder");
        let mut buf = DecodeBuf::new();
        for (event, with_schema) in recording.events.iter().flat_map(|event| [(event, true), (event, false)])
        {
            let value = event.value.as_ref().map(|value| recording.message(value, with_schema));
            let record = ConsumerRecord::new(None, value.as_deref());
            let decoded = decoder.decode(&record, &mut buf).expect("an event");
            let expected = match event.topic.as_str() {
                "live" => Some(SkipReason::SchemaChange),
                "live.transaction" => Some(SkipReason::Transaction),
                "live.message" => Some(SkipReason::Message),
                _ if value.is_none() => Some(SkipReason::NoValue),
                _ if event.key.is_none() => Some(SkipReason::Truncated),
                _ => None,
            };
            assert_eq!(decoded.skipped(), expected, "{}", event.topic);
            if let Some(reason) = expected {
                *skipped.entry(reason.as_str()).or_default() += 1;
            }
        }
    }
    let reasons: Vec<&str> = skipped.keys().copied().collect();
    assert_eq!(reasons, ["message", "no_value", "schema_change", "transaction", "truncated"]);
}
