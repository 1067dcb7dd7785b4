//! The rows of the other workloads as serde, sonic-rs and simd-json read them: texts borrowed where they have no escapes.

use std::borrow::Cow;
use std::collections::HashMap;

use ::serde::Deserialize;

#[derive(Deserialize)]
pub struct IdKey {
    pub id: i64,
}

#[derive(Deserialize)]
pub struct Text<'a> {
    pub id: i64,
    #[serde(borrow)]
    pub a: Cow<'a, str>,
    #[serde(borrow)]
    pub b: Cow<'a, str>,
    #[serde(borrow)]
    pub c: Cow<'a, str>,
    #[serde(borrow)]
    pub d: Cow<'a, str>,
    #[serde(borrow)]
    pub e: Cow<'a, str>,
}

#[derive(Deserialize)]
pub struct Keyed<'a> {
    pub region: &'a str,
    pub shop: i32,
    pub order_id: i64,
    pub customer: &'a str,
    pub price: f64,
}

#[derive(Deserialize)]
pub struct KeyedKey<'a> {
    pub region: &'a str,
    pub shop: i32,
    pub order_id: i64,
}

#[derive(Deserialize)]
pub struct Nested<'a> {
    pub id: i64,
    #[serde(borrow)]
    pub address: Address<'a>,
    #[serde(borrow)]
    pub items: Vec<Item<'a>>,
    #[serde(borrow)]
    pub tags: HashMap<&'a str, &'a str>,
}

#[derive(Deserialize)]
pub struct Address<'a> {
    pub street: &'a str,
    pub zip: i32,
}

#[derive(Deserialize)]
pub struct Item<'a> {
    pub sku: &'a str,
    pub quantity: i32,
    pub price: f64,
}

/// The envelope of a change with its images typed.
#[derive(Deserialize)]
pub struct Change<'a> {
    #[serde(borrow)]
    pub before: Option<super::serde_tuned::OrderValue<'a>>,
    #[serde(borrow)]
    pub after: Option<super::serde_tuned::OrderValue<'a>>,
    pub op: &'a str,
}

macro_rules! wide {
    ($($int:ident)+; $($text:ident)+; $($double:ident)+; $($small:ident)+; $($flag:ident)+) => {
        #[derive(Deserialize)]
        pub struct Wide<'a> {
            pub id: i64,
            $(pub $int: Option<i64>,)+
            $(#[serde(borrow)] pub $text: Option<&'a str>,)+
            $(pub $double: Option<f64>,)+
            $(pub $small: Option<i32>,)+
            $(pub $flag: Option<bool>,)+
        }
    };
}

crate::common::shapes::wide_columns!(wide);
