use serde_json::Value;
use upsert_kafka::record::Headers;
use upsert_kafka::{Datum, Row};

use super::Unmet;
use super::bytes::{read_bytes, read_headers};

/// Passes where both lists are equal, and shows the first place where they are not.
pub fn check_lists(what: &str, expected: &[String], got: &[String]) -> Result<(), Unmet> {
    let Some(index) = (0..expected.len().max(got.len())).find(|&index| expected.get(index) != got.get(index))
    else {
        return Ok(());
    };
    let show = |list: &[String]| list.get(index).map_or("nothing", String::as_str).to_owned();
    Err(Unmet::mismatch(format!("{what} {index}: {}", show(expected)), show(got)))
}

/// A record, as far as it is compared.
pub fn show_record(
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: Headers<'_>,
    timestamp: Option<i64>,
    topic: Option<&str>,
) -> String {
    let mut text = format!("key {} value {}", show_bytes(key), show_bytes(value));
    for header in headers.iter() {
        text += &format!(" header {:?} {}", header.name(), show_bytes(header.value()));
    }
    if let Some(timestamp) = timestamp {
        text += &format!(" timestamp {timestamp}");
    }
    if let Some(topic) = topic {
        text += &format!(" topic {topic:?}");
    }
    text
}

/// The same of `{"key", "value", "headers"?, "timestamp"?, "topic"?}`.
pub fn show_expected_record(record: &Value) -> String {
    show_record(
        read_bytes(&record["key"]).as_deref(),
        read_bytes(&record["value"]).as_deref(),
        read_headers(&record["headers"]).as_headers(),
        record["timestamp"].as_i64(),
        record["topic"].as_str(),
    )
}

fn show_bytes(bytes: Option<&[u8]>) -> String {
    let Some(bytes) = bytes else { return "null".to_owned() };
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(char::is_control) => format!("`{text}`"),
        _ => format!("b`{}`", bytes.escape_ascii()),
    }
}

/// The values of a row. The entries of maps are sorted: Flink holds them in a HashMap.
pub fn show_row<R: Row + ?Sized>(row: &R, columns: usize) -> String {
    show_all((0..columns).map(|column| row.datum(column)))
}

fn show_all<'a>(values: impl Iterator<Item = Datum<'a>>) -> String {
    format!("[{}]", values.map(show_datum).collect::<Vec<_>>().join(", "))
}

fn show_datum(datum: Datum<'_>) -> String {
    match datum {
        Datum::Array(values) => format!("Array{}", show_all(values.iter())),
        Datum::Row(values) => format!("Row{}", show_all(values.iter())),
        Datum::Map(entries) => {
            let mut entries: Vec<_> =
                entries.iter().map(|(key, value)| show_all([key, value].into_iter())).collect();
            entries.sort();
            format!("Map[{}]", entries.join(", "))
        }
        scalar => format!("{scalar:?}"),
    }
}
