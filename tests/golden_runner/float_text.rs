use upsert_kafka::table::{TableOptions, TableSchema};
use upsert_kafka::types::DataType;
use upsert_kafka::{Datum, Error, Jdk, RecordBuf, RowKind, Settings, Table};

use super::{Case, Unmet, check};

/// `{"type", "bits", "jdk17", "jdk25"}`: the text of a FLOAT or DOUBLE by both rules, as `json` writes it.
pub fn run(case: &Case) -> Result<(), Unmet> {
    let data_type: DataType = case.text("type").parse().expect("FLOAT or DOUBLE");
    let bits = u64::from_str_radix(case.text("bits"), 16).expect("hexadecimal digits");
    let datum = match u32::try_from(bits) {
        Ok(bits) if case.text("bits").len() == 8 => Datum::Float(f32::from_bits(bits)),
        _ => Datum::Double(f64::from_bits(bits)),
    };
    for (name, jdk) in [("jdk17", Jdk::Jdk8To18), ("jdk25", Jdk::Jdk19Plus)] {
        let json =
            encode(&data_type, datum, jdk).map_err(|error| Unmet::mismatch("text", error.to_string()))?;
        // NaN and the infinities are strings in JSON.
        check(name, &case.text(name), &json.trim_matches('"'))?;
    }
    Ok(())
}

/// The text of `datum` in `{"v":...}`.
fn encode(data_type: &DataType, datum: Datum<'_>, jdk: Jdk) -> Result<String, Error> {
    let schema = TableSchema::builder()
        .column("id", "INT NOT NULL".parse::<DataType>()?)
        .column("v", data_type.clone())
        .primary_key(["id"])
        .build()?;
    let options = TableOptions::from_iter([
        ("connector", "upsert-kafka"),
        ("topic", "t"),
        ("properties.bootstrap.servers", "localhost:9092"),
        ("key.format", "json"),
        ("value.format", "json"),
        ("value.fields-include", "EXCEPT_KEY"),
    ]);
    let encoder = Table::new(schema, options)?.sink(&Settings::flink(jdk))?.encoder();
    let mut buf = RecordBuf::new();
    let record = encoder.encode(RowKind::Insert, &[Datum::Int(1), datum], &mut buf)?.expect("a record");
    let value = std::str::from_utf8(record.value.expect("a value")).expect("JSON is UTF-8");
    Ok(value
        .strip_prefix("{\"v\":")
        .and_then(|value| value.strip_suffix('}'))
        .expect("a member v")
        .to_owned())
}
