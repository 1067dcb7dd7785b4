//! The schema that an event brings along, as Kafka Connect's `JsonConverter` writes it.
//!
//! Made once a table. A schema is held without its braces, so that a member can follow.

use crate::text;
use crate::types::{DataType, Field, LogicalType};

use super::source::DebeziumSource;

const STRING: &str = r#""type":"string","optional":false"#;
const INT64: &str = r#""type":"int64","optional":false"#;
const OPTIONAL_INT64: &str = r#""type":"int64","optional":true"#;
const SNAPSHOT: &str = concat!(
    r#""type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,"#,
    r#""parameters":{"allowed":"true,last,false,incremental"},"default":"false""#
);

/// The schema of a table's events.
pub(super) fn of_envelope(fields: &[Field], source: &DebeziumSource<'_>) -> String {
    let table = format!("{}.{}.{}", source.name, source.schema.unwrap_or(source.database), source.table);
    let image = of_struct(&of_fields(fields), true, &format!("{table}.Value"));
    let mut of_source = vec![
        field(STRING, "version"),
        field(STRING, "connector"),
        field(STRING, "name"),
        field(INT64, "ts_ms"),
        field(SNAPSHOT, "snapshot"),
        field(STRING, "db"),
    ];
    of_source.extend(source.schema.map(|_| field(STRING, "schema")));
    of_source.push(field(STRING, "table"));
    let of_source =
        of_struct(&of_source, false, &format!("io.debezium.connector.{}.Source", source.connector));
    let members = [
        field(&image, "before"),
        field(&image, "after"),
        field(&of_source, "source"),
        field(STRING, "op"),
        field(OPTIONAL_INT64, "ts_ms"),
    ];
    let envelope = of_struct(&members, false, &format!("{table}.Envelope"));
    format!(r#"{{{envelope},"version":1}}"#)
}

/// The text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = vec![b'"'];
    text::write_escaped_text(&mut quoted, text);
    quoted.push(b'"');
    String::from_utf8_lossy(&quoted).into_owned()
}

fn of_struct(fields: &[String], optional: bool, name: &str) -> String {
    format!(
        r#""type":"struct","fields":[{}],"optional":{optional},"name":{}"#,
        fields.join(","),
        quoted(name)
    )
}

fn field(schema: &str, name: &str) -> String {
    format!(r#"{{{schema},"field":{}}}"#, quoted(name))
}

fn of_fields(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|column| field(&of_type(&column.data_type), &column.name)).collect()
}

/// Values are what `json` writes: dates and times are texts, a DECIMAL is a number.
fn of_type(data_type: &DataType) -> String {
    let (name, inside) = match &data_type.logical_type {
        LogicalType::Boolean => ("boolean", String::new()),
        LogicalType::TinyInt => ("int8", String::new()),
        LogicalType::SmallInt => ("int16", String::new()),
        LogicalType::Int | LogicalType::YearMonthInterval(_) => ("int32", String::new()),
        LogicalType::BigInt | LogicalType::DayTimeInterval(_) => ("int64", String::new()),
        LogicalType::Float => ("float", String::new()),
        LogicalType::Double => ("double", String::new()),
        LogicalType::Decimal { .. } | LogicalType::Binary(_) | LogicalType::VarBinary(_) => {
            ("bytes", String::new())
        }
        LogicalType::Array(element) => ("array", format!(r#","items":{{{}}}"#, of_type(element))),
        LogicalType::Map(_, value) => ("map", of_entries(&of_type(value))),
        LogicalType::Multiset(_) => ("map", of_entries(&of_type(&LogicalType::Int.not_null()))),
        LogicalType::Row(row) => ("struct", format!(r#","fields":[{}]"#, of_fields(row.fields()).join(","))),
        // All others that JSON takes are texts.
        _ => ("string", String::new()),
    };
    let decimal = match &data_type.logical_type {
        LogicalType::Decimal { precision, scale } => {
            let parameters = format!(r#"{{"scale":"{scale}","connect.decimal.precision":"{precision}"}}"#);
            format!(
                r#","name":"org.apache.kafka.connect.data.Decimal","version":1,"parameters":{parameters}"#
            )
        }
        _ => String::new(),
    };
    format!(r#""type":"{name}"{inside},"optional":{}{decimal}"#, data_type.nullable)
}

fn of_entries(value: &str) -> String {
    format!(r#","keys":{{{STRING}}},"values":{{{value}}}"#)
}
