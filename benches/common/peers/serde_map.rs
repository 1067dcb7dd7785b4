//! Through `serde_json::Value`, as RisingWave and Materialize write JSON.

use std::str::FromStr;

use chrono::NaiveDateTime;
use rust_decimal::Decimal;
use serde_json::{Map, Number, Value};

use super::serde::{OrderValue, SQL};

pub fn encode(order: &OrderValue, tombstone: bool, key: &mut Vec<u8>, value: &mut Vec<u8>) {
    key.clear();
    value.clear();
    let mut map = Map::new();
    map.insert("order_id".to_owned(), order.order_id.into());
    serde_json::to_writer(&mut *key, &Value::Object(map)).unwrap();
    if !tombstone {
        let mut map = Map::with_capacity(8);
        map.insert("order_id".to_owned(), order.order_id.into());
        map.insert("customer".to_owned(), order.customer.as_str().into());
        map.insert("amount".to_owned(), Number::from_str(&order.amount.to_string()).unwrap().into());
        map.insert("status".to_owned(), order.status.into());
        map.insert("updated_at".to_owned(), order.updated_at.format(SQL).to_string().into());
        map.insert("quantity".to_owned(), order.quantity.into());
        map.insert("price".to_owned(), order.price.into());
        map.insert("active".to_owned(), order.active.into());
        serde_json::to_writer(&mut *value, &Value::Object(map)).unwrap();
    }
}

/// The typed columns of a row.
#[derive(Clone, PartialEq)]
pub struct Columns {
    pub order_id: i64,
    pub customer: String,
    pub amount: Decimal,
    pub status: String,
    pub updated_at: NaiveDateTime,
    pub quantity: i32,
    pub price: f64,
    pub active: bool,
}

pub fn decode_key(key: &[u8]) -> i64 {
    let key: Value = serde_json::from_slice(key).unwrap();
    key["order_id"].as_i64().unwrap()
}

pub fn decode(value: &[u8]) -> Columns {
    let mut value: Value = serde_json::from_slice(value).unwrap();
    let mut take = |name: &str| value[name].take();
    let text = |value: Value| match value {
        Value::String(text) => text,
        _ => panic!("a string"),
    };
    Columns {
        order_id: take("order_id").as_i64().unwrap(),
        customer: text(take("customer")),
        amount: decimal(&take("amount").to_string()),
        status: text(take("status")),
        updated_at: NaiveDateTime::parse_from_str(&text(take("updated_at")), SQL).unwrap(),
        quantity: take("quantity").as_i64().unwrap() as i32,
        price: take("price").as_f64().unwrap(),
        active: take("active").as_bool().unwrap(),
    }
}

/// Our records write 10.00 as `1E+1`, as Flink does.
fn decimal(text: &str) -> Decimal {
    Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text)).unwrap()
}
