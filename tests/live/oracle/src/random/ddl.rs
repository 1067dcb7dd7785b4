//! Random CREATE TABLEs, put together from those of the vectors.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// The tables of the vectors, and the values that their options have.
pub struct DdlPool {
    cases: Vec<Map<String, Value>>,
    values: BTreeMap<String, Vec<String>>,
}

impl DdlPool {
    /// # Panics
    ///
    /// If a line is no `ddl` vector.
    #[must_use]
    pub fn of(lines: &str) -> Self {
        let mut cases = Vec::new();
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in lines.lines() {
            let case: Map<String, Value> = serde_json::from_str(line).expect("a vector is JSON");
            for (key, value) in case["options"].as_object().into_iter().flatten() {
                let value = value.as_str().unwrap_or_default();
                values.entry(key.clone()).or_default().insert(value.to_owned());
            }
            // Tables that are more than their parts have one text only.
            let schema = text_of(&case["table"], &Map::new());
            let schema = schema.split(" WITH (").next().unwrap_or_default();
            if case["ddl"].as_str().is_some_and(|ddl| ddl.starts_with(&format!("{schema} WITH ("))) {
                cases.push(case);
            }
        }
        let values = values.into_iter().map(|(key, values)| (key, values.into_iter().collect())).collect();
        Self { cases, values }
    }

    /// A table of the vectors with other options.
    ///
    /// # Panics
    ///
    /// If there are no vectors.
    #[must_use]
    pub fn case(&self, rng: &mut Rng, id: u64) -> Value {
        let case = rng.choice(&self.cases).expect("there are tables");
        let mut options = case["options"].as_object().cloned().unwrap_or_default();
        let keys: Vec<&String> = self.values.keys().collect();
        for _ in 0..rng.u32(1..4) {
            let present: Vec<String> = options.keys().cloned().collect();
            match rng.u32(..4) {
                0 => drop(rng.choice(&present).and_then(|key| options.remove(key))),
                1 => {
                    // Another value, of this option or of any.
                    let Some(key) = rng.choice(&present).cloned() else { continue };
                    let from =
                        if rng.u32(..4) == 0 { *rng.choice(&keys).expect("there are options") } else { &key };
                    if let Some(value) = self.values.get(from).and_then(|values| rng.choice(values)) {
                        options.insert(key, json!(value));
                    }
                }
                _ => {
                    let key = *rng.choice(&keys).expect("there are options");
                    let value = rng.choice(&self.values[key]).expect("each has a value");
                    options.insert(key.clone(), json!(value));
                }
            }
        }
        json!({
            "kind": "ddl", "id": format!("{}-live-{id}", case["id"].as_str().unwrap_or_default()), "table": case["table"],
            "role": case["role"], "query": case["query"], "ddl": text_of(&case["table"], &options), "options": options,
        })
    }
}

/// The CREATE TABLE of a table's parts, as the vectors have it.
#[must_use]
pub fn text_of(table: &Value, options: &Map<String, Value>) -> String {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts: Vec<String> = list(&table["columns"])
        .iter()
        .map(|column| format!("`{}` {}", text(&column[0]), text(&column[1])))
        .collect();
    for column in list(&table["metadata"]) {
        let from =
            if column[2] == column[0] { String::new() } else { format!(" FROM '{}'", text(&column[2])) };
        let is_virtual = if column[3] == true { " VIRTUAL" } else { "" };
        parts.push(format!("`{}` {} METADATA{from}{is_virtual}", text(&column[0]), text(&column[1])));
    }
    let key: Vec<String> =
        list(&table["primary_key"]).iter().map(|name| format!("`{}`", text(name))).collect();
    if !key.is_empty() {
        let clause = table["primary_key_clause"].as_str().unwrap_or("NOT ENFORCED");
        parts.push(format!("PRIMARY KEY ({}) {clause}", key.join(", ")));
    }
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let options: Vec<String> =
        options.iter().map(|(key, value)| format!("{} = {}", quoted(key), quoted(&text(value)))).collect();
    format!("CREATE TABLE t ({}) WITH ({})", parts.join(", "), options.join(", "))
}
