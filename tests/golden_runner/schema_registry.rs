use std::sync::Arc;

use serde_json::Value;
use upsert_kafka::format::{AvroSchema, MemorySchemaRegistry, SchemaRegistry};

use super::table::list;
use super::{Case, Unmet, check};

/// `"registry": {"schemas": {"<id>": schema}, "subjects": {"<subject>": [ids]}}`, before the case. The next id is the
/// one that the first new schema has in `registry_after`.
pub fn read(case: &Case) -> Arc<MemorySchemaRegistry> {
    let (before, after) = (case.get("registry"), case.get("registry_after"));
    let is_new = |id: &i32| before["schemas"][id.to_string()].is_null();
    let first_id = members(&after["schemas"]).map(|(id, _)| parse_id(id)).filter(is_new).min();
    let registry = MemorySchemaRegistry::with_first_id(first_id.unwrap_or(1));
    for (id, schema) in members(&before["schemas"]) {
        registry.insert(parse_id(id), schema_text(schema));
    }
    for (subject, versions) in members(&before["subjects"]) {
        ids(versions).for_each(|id| registry.insert_version(subject, id));
    }
    Arc::new(registry)
}

/// `"registry_after"`, where nothing failed.
pub fn check_after(case: &Case, registry: &MemorySchemaRegistry) -> Result<(), Unmet> {
    let after = case.get("registry_after");
    if !case.get("error").is_null() {
        return Ok(());
    }
    for (subject, versions) in members(&after["subjects"]) {
        check(subject, &ids(versions).collect(), &registry.versions(subject))?;
    }
    for (id, schema) in members(&after["schemas"]) {
        check(id, &Some(schema_text(schema)), &registry.schema(parse_id(id)).ok().map(|schema| schema.text))?;
    }
    Ok(())
}

/// The text in the order that Avro gives it; what is no schema as it is.
fn schema_text(schema: &Value) -> String {
    let text = schema.to_string();
    AvroSchema::parse(&text).map_or(text, |schema| schema.to_string())
}

fn members(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    object.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn ids(versions: &Value) -> impl Iterator<Item = i32> {
    list(versions).iter().map(|id| i32::try_from(id.as_i64().expect("an id")).expect("an id"))
}

fn parse_id(id: &str) -> i32 {
    id.parse().expect("an id")
}
