use serde_json::Value;
use upsert_kafka::{DataType, Error, Field, Table, TableOptions, TableSchema};

use super::Case;

/// The table of a case, as the Table API makes it: `{"columns", "metadata"?, "primary_key"}` and the options.
pub fn read_table(case: &Case) -> Result<Table, Error> {
    let table = case.get("table");
    let mut schema = TableSchema::builder();
    for column in list(&table["columns"]) {
        schema = schema.column(text(&column[0]), text(&column[1]).parse::<DataType>()?);
    }
    for column in list(&table["metadata"]) {
        let is_virtual = column[3] == true;
        schema = schema.column_by_metadata(
            text(&column[0]),
            text(&column[1]).parse::<DataType>()?,
            column[2].as_str(),
            is_virtual,
        );
    }
    let primary_key: Vec<&str> = list(&table["primary_key"]).iter().map(text).collect();
    if !primary_key.is_empty() {
        schema = schema.primary_key(primary_key);
    }
    let options = case.get("options").as_object().into_iter().flatten();
    Table::new(
        schema.build()?,
        options.map(|(key, value)| (key.as_str(), text(value))).collect::<TableOptions>(),
    )
}

/// The columns of a row: those of the table, then the metadata columns; a row that is written has no virtual ones.
pub fn row_columns(case: &Case, with_virtual: bool) -> Result<Vec<Field>, Error> {
    let table = case.get("table");
    let metadata = list(&table["metadata"]).iter().filter(|column| with_virtual || column[3] != true);
    list(&table["columns"])
        .iter()
        .chain(metadata)
        .map(|column| Ok(Field::new(text(&column[0]), text(&column[1]).parse::<DataType>()?)))
        .collect()
}

pub fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

pub fn text(json: &Value) -> &str {
    json.as_str().expect("a string")
}
