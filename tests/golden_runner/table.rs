use serde_json::Value;
use upsert_kafka::table::TableSchema;
use upsert_kafka::types::{DataType, Field, LogicalType};
use upsert_kafka::{Error, Table};

use super::Case;

/// The table of a case, as the Table API makes it: `{"columns", "metadata"?, "primary_key"}` and the options.
pub fn read_table(case: &Case) -> Result<Table, Error> {
    make_table(case, |_, data_type| data_type)
}

/// The table of a case, as a CREATE TABLE makes it: the columns of its primary key become NOT NULL, and a TIME has at
/// most milliseconds.
pub fn read_sql_table(case: &Case) -> Result<Table, Error> {
    let primary_key = list(&case.get("table")["primary_key"]);
    make_table(case, |name, data_type| {
        let data_type = match data_type.logical_type {
            LogicalType::Time(4..) => DataType { logical_type: LogicalType::Time(3), ..data_type },
            _ => data_type,
        };
        if primary_key.contains(name) { data_type.not_null() } else { data_type }
    })
}

fn make_table(case: &Case, resolve: impl Fn(&Value, DataType) -> DataType) -> Result<Table, Error> {
    let table = case.get("table");
    let mut schema = TableSchema::builder();
    for column in list(&table["columns"]) {
        schema = schema.column(text(&column[0]), resolve(&column[0], text(&column[1]).parse()?));
    }
    for column in list(&table["metadata"]) {
        let (data_type, key, is_virtual) =
            (text(&column[1]).parse::<DataType>()?, column[2].as_str(), column[3] == true);
        schema = schema.column_by_metadata(text(&column[0]), data_type, key, is_virtual);
    }
    let primary_key = list(&table["primary_key"]);
    if !primary_key.is_empty() {
        schema = schema.primary_key(primary_key.iter().map(text));
    }
    let options = case.get("options").as_object().into_iter().flatten();
    Table::new(schema.build()?, options.map(|(key, value)| (key, text(value))).collect())
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
