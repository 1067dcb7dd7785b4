//! The peer `serde + chrono + rust_decimal`: derived structs, written with `serde_json::to_writer` into a reused buffer and read
//! borrowed, with the timestamp and the decimal typed.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "no bench uses all of it")]

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use chrono::{DateTime, NaiveDateTime};
use rust_decimal::Decimal;

use crate::common::orders::Order;
use crate::common::peers::serde_tuned::Key;

#[derive(Serialize)]
pub struct OrderValue {
    pub order_id: i64,
    pub customer: String,
    #[serde(with = "rust_decimal::serde::arbitrary_precision")]
    pub amount: Decimal,
    pub status: &'static str,
    #[serde(serialize_with = "write_sql")]
    pub updated_at: NaiveDateTime,
    pub quantity: i32,
    pub price: f64,
    pub active: bool,
}

impl OrderValue {
    pub fn of(order: &Order) -> Self {
        Self {
            order_id: order.order_id,
            customer: order.customer.clone(),
            amount: Decimal::from_i128_with_scale(order.amount.unscaled(), 2),
            status: order.status,
            updated_at: DateTime::from_timestamp_millis(order.updated_at.millis()).unwrap().naive_utc(),
            quantity: order.quantity,
            price: order.price,
            active: order.active,
        }
    }

    /// Writes key and, unless it is a tombstone, value.
    pub fn encode(&self, tombstone: bool, key: &mut Vec<u8>, value: &mut Vec<u8>) {
        key.clear();
        value.clear();
        serde_json::to_writer(&mut *key, &Key { order_id: self.order_id }).unwrap();
        if !tombstone {
            serde_json::to_writer(&mut *value, self).unwrap();
        }
    }
}

/// Members may be missing, as in `sparse`.
#[derive(Deserialize)]
pub struct BorrowedOrder<'a> {
    pub order_id: i64,
    #[serde(borrow, default)]
    pub customer: &'a str,
    #[serde(default, with = "rust_decimal::serde::arbitrary_precision")]
    pub amount: Decimal,
    #[serde(borrow, default)]
    pub status: &'a str,
    #[serde(default, deserialize_with = "read_sql")]
    pub updated_at: NaiveDateTime,
    #[serde(default)]
    pub quantity: i32,
    #[serde(default)]
    pub price: f64,
    #[serde(default)]
    pub active: bool,
}

/// The typed columns of a row that is kept.
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

impl From<BorrowedOrder<'_>> for Columns {
    fn from(order: BorrowedOrder<'_>) -> Self {
        Self {
            order_id: order.order_id,
            customer: order.customer.to_owned(),
            amount: order.amount,
            status: order.status.to_owned(),
            updated_at: order.updated_at,
            quantity: order.quantity,
            price: order.price,
            active: order.active,
        }
    }
}

pub fn decode(value: &[u8]) -> BorrowedOrder<'_> {
    serde_json::from_slice(value).unwrap()
}

pub const SQL: &str = "%Y-%m-%d %H:%M:%S%.f";

fn write_sql<S: Serializer>(time: &NaiveDateTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&time.format(SQL))
}

fn read_sql<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NaiveDateTime, D::Error> {
    let text = <&str>::deserialize(deserializer)?;
    NaiveDateTime::parse_from_str(text, SQL).map_err(::serde::de::Error::custom)
}
