use upsert_kafka::Error;
use upsert_kafka::format::{AvroSchema, AvroTimestamps};
use upsert_kafka::table::RecordLayout;
use upsert_kafka::types::{Field, LogicalType, RowType};

use super::{Case, Unmet};

/// `"avro_schema": {"key", "value"}`: the schemas that a table's formats work with, in their exact text.
pub fn check(case: &Case, layout: &RecordLayout) -> Result<(), Unmet> {
    if case.get("avro_schema").is_null() {
        return Ok(());
    }
    let key = layout.key_format().map(|format| ("key", "key.", format, layout.key_fields()));
    let value_prefix = if case.option("format").is_some() { "" } else { "value." };
    let value = ("value", value_prefix, layout.value_format(), layout.value_fields());
    for (part, prefix, format, fields) in key.into_iter().chain([value]) {
        let Some(schema) = schema(case, &format!("{prefix}{format}"), format, fields) else { continue };
        let schema = schema.map_err(|error| Unmet::mismatch("a schema", error.to_string()))?.to_string();
        // The members of an object are in order, which only the line itself still shows.
        if !case.line().contains(&format!(r#""{part}":{schema}"#)) {
            let expected = case.get("avro_schema")[part].to_string();
            return Err(Unmet::mismatch(format!("the {part}'s schema {expected}"), schema));
        }
    }
    Ok(())
}

/// The schema of `fields` in a format with the options after `prefix`; none where the format is not Avro.
fn schema(case: &Case, prefix: &str, format: &str, fields: &[Field]) -> Option<Result<AvroSchema, Error>> {
    let of_row = |timestamps| AvroSchema::of_row(&RowType::new(fields.to_vec()), timestamps);
    let of_event = || {
        let image = LogicalType::row(fields.to_vec()).nullable();
        let op = LogicalType::VarChar(LogicalType::MAX_LENGTH).nullable();
        let event = [("before", image.clone()), ("after", image), ("op", op)];
        let event = event.map(|(name, data_type)| Field::new(name, data_type));
        let event = AvroSchema::of_row(&RowType::new(event.to_vec()), AvroTimestamps::Legacy)?;
        AvroSchema::parse(&format!(r#"["null",{event}]"#))
    };
    let option = |name: &str| case.option(&format!("{prefix}.{name}"));
    match format {
        "avro" => Some(of_row(match option("timestamp_mapping.legacy") {
            Some(legacy) if legacy.eq_ignore_ascii_case("false") => AvroTimestamps::Correct,
            _ => AvroTimestamps::Legacy,
        })),
        "avro-confluent" => Some(match option("schema").or_else(|| option("schema-registry.schema")) {
            Some(text) => AvroSchema::parse(text),
            None => of_row(AvroTimestamps::Legacy),
        }),
        "debezium-avro-confluent" => {
            Some(match option("schema").or_else(|| option("schema-registry.schema")) {
                Some(text) => AvroSchema::parse(text),
                None => of_event(),
            })
        }
        _ => None,
    }
}
