//! Through `serde_json::Value`, as RisingWave and Materialize write JSON, and without `arbitrary_precision`.
#![allow(dead_code, reason = "each bench goes one way")]

use serde_json::{Map, Value};

use crate::common::peers::serde_tuned::OrderValue;

/// Writes key and, unless it is a tombstone, value. The timestamp is a text beforehand.
pub(crate) fn encode(
    order: &OrderValue<'_>,
    updated_at: &str,
    tombstone: bool,
    key: &mut Vec<u8>,
    value: &mut Vec<u8>,
) {
    key.clear();
    value.clear();
    let mut map = Map::new();
    map.insert("order_id".to_owned(), order.order_id.into());
    serde_json::to_writer(&mut *key, &Value::Object(map)).unwrap();
    if !tombstone {
        let mut map = Map::new();
        map.insert("order_id".to_owned(), order.order_id.into());
        map.insert("customer".to_owned(), order.customer.into());
        map.insert("amount".to_owned(), order.amount.into());
        map.insert("status".to_owned(), order.status.into());
        map.insert("updated_at".to_owned(), updated_at.into());
        map.insert("quantity".to_owned(), order.quantity.into());
        map.insert("price".to_owned(), order.price.into());
        map.insert("active".to_owned(), order.active.into());
        serde_json::to_writer(&mut *value, &Value::Object(map)).unwrap();
    }
}

/// The typed columns out of a value, with the timestamp as its text: less work than a table's.
pub(crate) fn decode(value: &[u8]) -> (i64, String, f64, String, String, i64, f64, bool) {
    let mut value: Value = serde_json::from_slice(value).unwrap();
    let mut text = |name: &str| match value[name].take() {
        Value::String(text) => text,
        other => panic!("a string, not {other}"),
    };
    let (customer, status, updated_at) = (text("customer"), text("status"), text("updated_at"));
    (
        value["order_id"].as_i64().unwrap(),
        customer,
        value["amount"].as_f64().unwrap(),
        status,
        updated_at,
        value["quantity"].as_i64().unwrap(),
        value["price"].as_f64().unwrap(),
        value["active"].as_bool().unwrap(),
    )
}

pub(crate) fn decode_key(key: &[u8]) -> i64 {
    let key: Value = serde_json::from_slice(key).unwrap();
    key["order_id"].as_i64().unwrap()
}
